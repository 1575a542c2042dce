"""Many paths at once: folds, kernel widths and lines go to the workers of joblib."""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import indexable
from sklearn.utils.metaestimators import _safe_split

from ._pathqp import InputError


def search(estimator, grid, X, y, *, taus, cv=5, n_jobs=None):
    """The best parameters for each tau by cross-validation: one path for each fold and each point of a grid.

    A path gives the losses at all tau, so that tau adds nothing to the grid. Paths are jobs of joblib, for any of its backends; the
    result does not depend on ``n_jobs``.

    Parameters
    ----------
    estimator : KernelQuantileRegressor, QuantileSVC, or a pipeline that ends in one of them
    grid : dict or list of dict
        Values of parameters, e.g. ``{"gamma": [0.1, 1.0], "lam": [0.01, 0.1]}``, as in ``GridSearchCV``.
    X : array-like or sparse matrix of shape (n, d)
        With ``kernel="precomputed"`` the n x n kernel matrix.
    y : array-like of shape (n,)
    taus : array-like of shape (k,)
    cv : int, cross-validation generator or iterable, default=5
        Stratified for classifiers if a number.
    n_jobs : int, optional
        As in :class:`joblib.Parallel`.

    Returns
    -------
    Search
    """
    X, y = indexable(X, y)
    taus = np.ascontiguousarray(np.atleast_1d(taus), dtype=float)
    params = list(ParameterGrid(grid))
    folds = list(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y))
    # One argument: what a backend spreads ahead of the jobs would be lost with the worker that holds it.
    jobs = [_Job(clone(estimator).set_params(**point), X, y, fold, taus) for point in params for fold in folds]
    sums = Parallel(n_jobs=n_jobs)(delayed(_Job.losses)(job) for job in jobs)
    shape = (len(params), len(folds), len(taus))
    return Search(params, taus, np.reshape(sums, shape), np.array([len(held) for _, held in folds]))


class _Job:
    """One path: fitted to a fold's training rows, judged on those it holds out."""

    def __init__(self, model, X, y, fold, taus):
        self.model, self.X, self.y, self.fold, self.taus = model, X, y, fold, taus

    def losses(self):
        """The sum of losses over the rows held out, for each tau."""
        (train, held), taus = self.fold, self.taus
        model = self.model.fit(*_safe_split(self.model, self.X, self.y, train))
        X, y = _safe_split(model, self.X, self.y, held, train)
        found, y = model.predict(X, tau=taus), np.asarray(y)[:, None]
        if is_classifier(model):
            cost = np.where(y == model.classes_[1], 2.0 * (1.0 - taus), 2.0 * taus)
            return np.where(found == y, 0.0, cost).sum(axis=0)
        return np.maximum(taus * (y - found), (taus - 1.0) * (y - found)).sum(axis=0)


class Search:
    """What :func:`search` found.

    Attributes
    ----------
    params : list of dict
        The points of the grid.
    taus : ndarray of shape (k,)
    fold_losses : ndarray of shape (len(params), folds, k)
        Mean losses on the rows held out: the pinball loss, or for classifiers the costs of errors, 2(1 - tau) for a row of the second
        class and 2 tau for one of the first.
    losses : ndarray of shape (len(params), k)
        Over all rows held out.
    best_index : ndarray of shape (k,)
        The point with the least loss for each tau, the first one of equals.
    """

    def __init__(self, params, taus, sums, sizes):
        self.params = params
        self.taus = taus
        self.fold_losses = sums / sizes[None, :, None]
        self.losses = sums.sum(axis=1) / sizes.sum()
        self.best_index = self.losses.argmin(axis=0)

    def _place(self, tau):
        for k in np.flatnonzero(self.taus == tau)[:1]:
            return k
        raise InputError(f"tau = {tau}: it is none of those that were searched, {self.taus.tolist()}")

    def best(self, tau):
        """The parameters with the least loss at tau, one of ``taus``."""
        return self.params[self.best_index[self._place(tau)]]

    def loss(self, tau):
        """The least loss at tau, one of ``taus``."""
        return float(self.losses[:, self._place(tau)].min())

    def __repr__(self):
        points, folds, taus = self.fold_losses.shape
        return f"Search({points} points, {folds} folds, {taus} tau)"


def tune_widths(estimator, gammas, X, y, *, cv=5, taus=(0.1, 0.9), lam=(None, None), n_jobs=None):
    """lambda*(tau), exactly over all lambda, for several kernel widths: the best width and penalty for every tau.

    One job of joblib for each width; the result does not depend on ``n_jobs``.

    Parameters
    ----------
    estimator : KernelQuantileRegressor
    gammas : sequence of float
    X : array-like or sparse matrix of shape (n, d)
    y : array-like of shape (n,)
    cv, taus, lam
        As in :meth:`KernelQuantileRegressor.tune`.
    n_jobs : int, optional
        As in :class:`joblib.Parallel`.

    Returns
    -------
    Widths
    """
    if not len(gammas):
        raise InputError("gammas is empty: at least one width is needed")
    models = [clone(estimator).set_params(gamma=gamma) for gamma in gammas]
    return Widths(list(gammas), Parallel(n_jobs=n_jobs)(delayed(_tuned)((m, X, y), cv, taus, lam) for m in models))


def _tuned(posed, cv, taus, lam):
    model, X, y = posed
    return model.fit(X, y).tune(cv=cv, taus=taus, lam=lam)


class Widths:
    """What :func:`tune_widths` found.

    Attributes
    ----------
    gammas : list of float
    tunings : list of Tuning
        lambda*(tau) of each width.
    """

    def __init__(self, gammas, tunings):
        self.gammas = gammas
        self.tunings = tunings

    def best(self, tau):
        """The width, lambda* and their mean loss on the rows held out, at tau."""
        losses = [tuning.loss(tau) for tuning in self.tunings]
        k = int(np.argmin(losses))
        return self.gammas[k], self.tunings[k].lam(tau), losses[k]
