"""The SVM with a cost for each class, and its ROC curves."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._classifiers import BinaryMachine
from ._data import features
from ._path import Solution
from ._pathqp import InputError
from ._pathqp import roc as find_roc


@dataclass(frozen=True)
class OperatingPoint:
    """A classifier chosen from ROC curves.

    Attributes
    ----------
    c_pos, c_neg : float
        The costs it is trained with.
    shift : float
        What is added to its decision values.
    fpr, tpr : float
        Its rates on the validation rows.
    cost : float or None
        Mean cost per row, normalised to C+ + C- = 2, where it was asked for by cost.
    """

    c_pos: float
    c_neg: float
    shift: float
    fpr: float
    tpr: float
    cost: float | None = None


class RocCurves:
    """ROC curves on validation rows: of the intercept, of the training asymmetry and of both, and the best of all.

    Attributes
    ----------
    intercept, asymmetry, both, hull : ndarray of shape (k, 2)
        Points (FPR, TPR). ``hull`` is the upper convex envelope over all lines that were followed.
    area, hull_area : float
        Below ``intercept`` and below ``hull``.
    costs : list of two floats
        (C+, C-) of the curve ``intercept``.
    recounted, withdrawn : int
        How many points were counted again from their own classifiers before they were returned, and how many of them were left out because they were wrong.
    """

    def __init__(self, found):
        self.__dict__.update(found)

    def best(self, fpr_at_most=None, cost_ratio=None):
        """The classifier with the largest TPR at a bound on the FPR, or with the least cost at a ratio C+/C- of costs.

        Parameters
        ----------
        fpr_at_most : float, optional
        cost_ratio : float, optional
            What a false negative costs, in false positives. Exactly one of the two is given.

        Returns
        -------
        OperatingPoint
        """
        if (fpr_at_most is None) == (cost_ratio is None):
            raise InputError("give either fpr_at_most or cost_ratio")
        cost = None
        if cost_ratio is None:
            allowed = self.staircase_choices[self.staircase_choices[:, 0] <= fpr_at_most]
            if not len(allowed):
                raise InputError(f"fpr_at_most = {fpr_at_most}: no classifier has so few false positives")
            row = allowed[-1]
        else:
            if not (np.isfinite(cost_ratio) and cost_ratio >= 0):
                raise InputError(f"cost_ratio = {cost_ratio}: it must be finite and not negative")
            gamma, (negatives, positives) = cost_ratio / (1.0 + cost_ratio), self.totals
            misses, alarms = positives - self.hull_choices[:, 3], self.hull_choices[:, 2]
            costs = (2.0 * gamma * misses + 2.0 * (1.0 - gamma) * alarms) / (positives + negatives)
            row, cost = self.hull_choices[np.argmin(costs)], float(costs.min())
        fpr, tpr, _, _, total, c_pos, shift = map(float, row)
        return OperatingPoint(c_pos=c_pos, c_neg=total - c_pos, shift=shift, fpr=fpr, tpr=tpr, cost=cost)

    def plot(self, ax=None):
        """Draws the curves with their hull."""
        from ._plots import plot_roc

        return plot_roc(self, ax=ax)


class CostSensitiveSVC(BinaryMachine):
    """The SVM with a cost for each class: one fit, and any costs afterwards.

    Minimises ``1/2 ||f||^2 + C+ sum+ xi + C- sum- xi``. Fitting follows the ray through (``c_pos``, ``c_neg``), that is all costs in
    this proportion. Any other pair of costs is reached exactly by a further path from the nearest solution of the ray.

    Parameters
    ----------
    c_pos, c_neg : float, default=1
        The costs of a loss in the class +1 (the second of ``classes_``) and in the other one: those that ``predict`` uses unless told
        otherwise, and the direction of the ray.
    c_max : float, default=2
        The ray is followed to this multiple of (``c_pos``, ``c_neg``); infinity is allowed.
    kernel, gamma, degree, coef0, bias, n_threads, max_events, progress
        As in :class:`QuantileSVC`.

    Attributes
    ----------
    path_ : Path
        Over c, the multiple of (``c_pos``, ``c_neg``).
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    Bach, Heckerman and Horvitz (2006), "Considering cost asymmetry in learning classifiers", JMLR 7.
    """

    def __init__(
        self,
        c_pos=1.0,
        c_neg=1.0,
        *,
        c_max=2.0,
        kernel="linear",
        gamma="scale",
        degree=3,
        coef0=0.0,
        bias="intercept",
        n_threads=1,
        max_events=None,
        progress=False,
    ):
        self.c_pos = c_pos
        self.c_neg = c_neg
        self.c_max = c_max
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.n_threads = n_threads
        self.max_events = max_events
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follows the ray; parameters as in :meth:`QuantileSVC.fit`."""
        direction = (float(self.c_pos), float(self.c_neg))
        if not (np.isfinite(direction).all() and min(direction) >= 0 and sum(direction) > 0):
            raise InputError(f"c_pos = {direction[0]}, c_neg = {direction[1]}: use finite costs, not both zero")
        X_rows, X, y, weights = self._training(X, y, sample_weight)
        question = self._question("cost-svm", X_rows, X, y, weights, {}, direction)
        self.path_ = self._follow(question, "c", (0.0, float(self.c_max)))
        return self

    def decision_function(self, X, c_pos=None, c_neg=None, point=None):
        """f(x) at a pair of costs, or of an :class:`OperatingPoint`: an array of shape (m,)."""
        check_is_fitted(self)
        if point is not None:
            c_pos, c_neg = point.c_pos, point.c_neg
        theta = [float(self.c_pos if c_pos is None else c_pos), float(self.c_neg if c_neg is None else c_neg)]
        f = self.path_._inner.decision_at(features(self, X), theta)
        return f if point is None else f + point.shift

    def predict(self, X, c_pos=None, c_neg=None, point=None):
        """The class of each row at a pair of costs, or of an :class:`OperatingPoint`."""
        return self._classes(self.decision_function(X, c_pos=c_pos, c_neg=c_neg, point=point))

    def solution(self, c_pos, c_neg):
        """The solution at any pair of costs."""
        check_is_fitted(self)
        theta = [float(c_pos), float(c_neg)]
        return Solution(value=tuple(theta), **self.path_._inner.solve(theta))

    def roc(self, X=None, y=None, *, cv=5, seed=0, total=None, max_total=100.0, multiples=(1.0, 10.0, 0.1), cost_ratio=1.0):
        """ROC curves varying the intercept, the training asymmetry and both, exactly.

        Parameters
        ----------
        X, y : array-like of shape (m, d) and (m,), optional
            Rows to validate on. Without them the training rows are used in ``cv`` folds.
        cv, seed : int
        total : float, optional
            C+ + C- of the first line; by default the best one with balanced costs up to ``max_total``.
        multiples : sequence of float
            The multiples of that sum whose lines are followed.
        cost_ratio : float
            C+/C- by which the best sum is chosen.

        Returns
        -------
        RocCurves
        """
        check_is_fitted(self)
        judge = (int(cv), int(seed)) if X is None else (features(self, X), self._known_signs(y).tolist())
        gamma = cost_ratio / (1.0 + cost_ratio)
        found = find_roc(self.path_._inner, judge, list(map(float, multiples)), total, float(max_total), gamma)
        return RocCurves(found)

    def best(self, X=None, y=None, *, fpr_at_most=None, cost_ratio=None, **options):
        """The best classifier for a bound on the FPR or a ratio of costs: :meth:`roc` and :meth:`RocCurves.best` in one."""
        return self.roc(X, y, **options).best(fpr_at_most=fpr_at_most, cost_ratio=cost_ratio)

    def map(self, c_pos=(0.0, 1.0), c_neg=(0.0, 1.0)):
        """All critical regions of a rectangle of costs.

        Returns
        -------
        Map
            With many rows there are very many regions.
        """
        return self._explore((c_pos, c_neg))
