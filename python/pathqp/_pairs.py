"""One pair of classes of :class:`ProbabilitySVC`: its folds, its choice of alpha, its calibration."""

import numpy as np
from joblib import Parallel, delayed

from ._calibration import WIDTHS, calibrate, held_out_loss, scores
from ._pathqp import InputError
from ._quantile_svc import QuantileSVC

#: The walk begins at alpha = 10^(-4/2) and takes half a decade a step, between 10^(-12/2) and 10^(2/2).
START, LEAST, MOST = -4, -12, 2
#: It goes on while the log loss falls by so much a step.
GAIN = 1e-3


def half_decades(start=START, least=LEAST, most=MOST):
    """A walk towards less loss: yields an alpha, and is sent its loss.

    One step up, as larger alphas have the shorter paths; if that gains nothing, down; and on in the direction that gains
    until a step does not.
    """
    best = yield 10.0 ** (start / 2)
    place = start
    for step in (1, -1):
        while least <= place + step <= most and (loss := (yield 10.0 ** ((place + step) / 2))) < best - GAIN:
            best, place = loss, place + step
        if place != start:
            return


def listed(alphas):
    """All of a list."""
    for alpha in alphas:
        yield float(alpha)


class Pair:
    """Two classes, of rows of a table.

    Parameters
    ----------
    table : Table
        The rows of all classes.
    names : list of two labels
        The classes; the second is +1.
    members : ndarray of bool, shape (n,)
        The rows of the two that count.
    positive : ndarray of bool, shape (n,)
        Those of the second class.
    weights : ndarray of shape (n,)
        Of the rows.
    folds : list of (train, held)
        Indices into the rows.
    alphas : generator
        What is tried.
    """

    def __init__(self, table, names, members, positive, weights, folds, alphas):
        self.table, self.names = table, names
        self.y, self.weights = positive.astype(float), weights
        self.rows = np.flatnonzero(members)
        self.folds = [tuple(rows[members[rows]] for rows in fold) for fold in folds]
        self.losses = {}
        self.best = (np.inf,)
        self.alphas = alphas
        self.next = next(alphas, None)
        for k, (train, _) in enumerate(self.folds):
            for name, one in zip(names, (~positive, positive)):
                if not one[train].any():
                    raise InputError(
                        f"fold {k} of cv holds out every row of the class {name!r}: fewer or stratified folds are needed"
                    )
        self.held = np.concatenate([held for _, held in self.folds])
        self.fold_of = np.repeat(np.arange(len(self.folds)), [len(held) for _, held in self.folds])
        if not len(self.held):
            raise InputError(f"cv holds out no row of the classes {names[0]!r} and {names[1]!r}: give a cv that does, or a single alpha")

    def path(self, alpha, rows):
        """The path of some rows."""
        X = self.table.square(rows)
        return self.table.machine(alpha).fit(X, self.y[rows], sample_weight=self.weights[rows])

    def fold_scores(self, alpha, fold):
        """The scores of the rows that a fold holds out."""
        train, held = self.folds[fold]
        if not len(held):
            return np.empty((len(WIDTHS), 0))
        return scores(self.path(alpha, train), self.table.oblong(held, train))

    def judge(self, alpha, found):
        """Take the scores of all folds, and go on to the next alpha."""
        s, y, weights = np.concatenate(found, axis=1), self.y[self.held], self.weights[self.held]
        losses = [held_out_loss(by_width, y, weights, self.fold_of) for by_width in s]
        k = int(np.argmin(losses))
        self.losses[alpha] = float(losses[k])
        if losses[k] < self.best[0]:
            self.best = (losses[k], alpha, WIDTHS[k], calibrate(s[k], y, weights))
        try:
            self.next = self.alphas.send(losses[k])
        except StopIteration:
            self.next = None


class Table:
    """Rows, and the machine that is fitted to them."""

    def __init__(self, X, options):
        self.X, self.options = X, options
        self.pairwise = options["kernel"] == "precomputed"

    def machine(self, alpha):
        return QuantileSVC(alpha=alpha, **self.options)

    def square(self, rows):
        """The rows to train on; of a kernel matrix the columns as well."""
        return self.oblong(rows, rows)

    def oblong(self, rows, columns):
        """The rows to predict for a machine that was trained on ``columns``."""
        X = self.X[rows]
        return X[:, columns] if self.pairwise else X


def choose(pairs, n_jobs):
    """Try what each pair wants to have tried, the paths of all folds and pairs side by side, until none wants more."""
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        while asking := [pair for pair in pairs if pair.next is not None]:
            jobs = [(pair, pair.next, fold) for pair in asking for fold in range(len(pair.folds))]
            found = iter(parallel(delayed(pair.fold_scores)(alpha, fold) for pair, alpha, fold in jobs))
            for pair in asking:
                pair.judge(pair.next, [next(found) for _ in pair.folds])
        return parallel(delayed(pair.path)(pair.best[1], pair.rows) for pair in pairs)
