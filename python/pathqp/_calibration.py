"""From the path of a quantile SVM to a probability.

The classifier of tau says +1 where f_tau(x) > 0, in the limit where P(Y = 1|x) > tau. So P is the share of tau at which
f_tau(x) > 0, however often f changes its sign. On finite data three things are wrong with that share:

- many rows have the share 0 or 1, since f_tau has one sign for all tau: how far such a row is from a change of sign is
  lost;
- with several changes of sign small wiggles of f count in full;
- hinge loss and penalty draw the share away from P, near 0 and 1 most of all.

The share is smoothed for the first two: ``P_h(x) = mean over tau of sigma(f_tau(x)/h)``, with the logistic function
sigma and the width h. For h = 0 it is the share itself, exactly, and for a large one a function of the mean of
f_tau(x). The third is calibrated: ``P(Y = 1|x) = sigma(a + b s)`` with ``s = logit((P_h + d)/(1 + 2d))``, where a and b
minimise the log loss of rows that were held out (Platt 2000 does so with f at one tau for s). d keeps s finite.
"""

import numpy as np
from scipy.special import expit, logit

#: h, in units of f, of which the margin is 1.
WIDTHS = (0.0, 0.3, 1.0)
#: The mean over tau is that over the midpoints of twenty intervals; for h = 0 it is the exact share.
TAUS = (np.arange(20) + 0.5) / 20
#: d.
FLOOR = 0.002
#: The penalties of a and b, in units of the mean loss: they keep the two finite where scores separate the classes.
RIDGE = np.array([1e-6, 1e-3])
#: Newton's method needs some ten steps.
STEPS = 100


def scores(model, X, widths=WIDTHS):
    """s of each row for each width, of shape (len(widths), m), by a fitted QuantileSVC."""
    f = model.decision_function(X, quantile=TAUS) if any(widths) else None
    shares = [expit(f / h).mean(axis=1) if h else model.predict_proba(X)[:, 1] for h in widths]
    return logit((np.array(shares) + FLOOR) / (1.0 + 2.0 * FLOOR))


def log_loss(margin, y, weights):
    """The mean log loss of P = sigma(margin) with labels y, 0 or 1."""
    return np.average(np.logaddexp(0.0, margin) - y * margin, weights=weights)


def calibrate(s, y, weights):
    """a and b that minimise the mean log loss of sigma(a + b s), with a small ridge, by Newton's method.

    Multiplying all weights by a number changes nothing, and a weight of k is k rows.
    """
    design, share = np.column_stack([np.ones_like(s), s]), weights / weights.sum()

    def objective(found):
        return log_loss(design @ found, y, share) + 0.5 * RIDGE @ found**2

    found = np.zeros(2)
    value = objective(found)
    for _ in range(STEPS):
        p = expit(design @ found)
        gradient = design.T @ (share * (p - y)) + RIDGE * found
        curvature = (design * (share * p * (1.0 - p))[:, None]).T @ design + np.diag(RIDGE)
        step = np.linalg.solve(curvature, gradient)
        decrease = gradient @ step
        if decrease <= 1e-15 * max(value, 1e-3):
            break
        size = 1.0
        # The ridge makes the objective strictly convex, so that some step decreases it unless rounding hides that.
        while size > 1e-10 and (after := objective(found - size * step)) > value - 1e-4 * size * decrease:
            size *= 0.5
        if size <= 1e-10:
            break
        found, value = found - size * step, after
    return found


def held_out_loss(s, y, weights, folds):
    """The mean log loss of rows whose calibration was found without their fold.

    ``folds`` says in which fold each row was held out. With a single fold there is nothing else to calibrate by.
    """
    margins = np.empty_like(s)
    for fold in (names := np.unique(folds)):
        held = folds == fold
        rest = ~held if len(names) > 1 else held
        a, b = calibrate(s[rest], y[rest], weights[rest])
        margins[held] = a + b * s[held]
    return log_loss(margins, y, weights)
