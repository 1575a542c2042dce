"""Many paths at once: folds, kernel widths and lines go to the workers of joblib."""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import indexable
from sklearn.utils.metaestimators import _safe_split

from ._names import FormerNames, renamed
from ._pathqp import InputError


@renamed(taus="quantiles")
def search(estimator, grid, X, y, *, quantiles, cv=5, n_jobs=None):
    """Find the best parameters for each tau by cross-validation, with one path for each fold and each point of a grid.

    A path gives the losses at all tau, so that tau adds nothing to the grid. Paths are jobs of joblib, for any of its
    backends; the result does not depend on ``n_jobs``.

    Parameters
    ----------
    estimator : KernelQuantileRegressor, QuantileSVC, or a pipeline that ends in one of them
        The estimator to fit, with the parameters that are not in the grid.
    grid : dict or list of dict
        Values of parameters, e.g. ``{"gamma": [0.1, 1.0], "alpha": [0.01, 0.1]}``, as in ``GridSearchCV``.
    X : array-like or sparse matrix of shape (n, d)
        The rows. With ``kernel="precomputed"`` the n x n kernel matrix.
    y : array-like of shape (n,)
        Their responses or labels.
    quantiles : array-like of shape (k,)
        Values of tau.
    cv : int, cross-validation generator or iterable, default=5
        Stratified for classifiers if a number.
    n_jobs : int, default=None
        As in :class:`joblib.Parallel`.

    Returns
    -------
    Search
        The losses and the best parameters.

    Raises
    ------
    InputError
        If parameters or rows cannot be used.
    """
    X, y = indexable(X, y)
    taus = np.ascontiguousarray(np.atleast_1d(quantiles), dtype=float)
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
        found, y = model.predict(X, quantile=taus), np.asarray(y)[:, None]
        if is_classifier(model):
            cost = np.where(y == model.classes_[1], 2.0 * (1.0 - taus), 2.0 * taus)
            return np.where(found == y, 0.0, cost).sum(axis=0)
        return np.maximum(taus * (y - found), (taus - 1.0) * (y - found)).sum(axis=0)


class Search(FormerNames):
    """The result of :func:`search`.

    Attributes
    ----------
    params : list of dict
        The points of the grid.
    quantiles : ndarray of shape (k,)
        The values of tau.
    fold_losses : ndarray of shape (len(params), folds, k)
        Mean losses on the rows held out: the pinball loss, or for classifiers the costs of errors, 2(1 - tau) for a
        row of the second class and 2 tau for one of the first.
    losses : ndarray of shape (len(params), k)
        The same over all rows held out.
    best_index : ndarray of shape (k,)
        The index in ``params`` of the least loss for each tau; of equal losses the first.
    """

    _former = {"taus": "quantiles"}

    def __init__(self, params, quantiles, sums, sizes):
        self.params = params
        self.quantiles = quantiles
        self.fold_losses = sums / sizes[None, :, None]
        self.losses = sums.sum(axis=1) / sizes.sum()
        self.best_index = self.losses.argmin(axis=0)

    def _place(self, tau):
        for k in np.flatnonzero(self.quantiles == tau)[:1]:
            return k
        raise InputError(f"quantile = {tau}: it must be one of {self.quantiles.tolist()}, which were searched")

    @renamed(tau="quantile")
    def best(self, quantile):
        """Look up the parameters with the least loss.

        Parameters
        ----------
        quantile : float
            tau, one of ``quantiles``.

        Returns
        -------
        dict
            A point of the grid.

        Raises
        ------
        InputError
            If tau is none of these.
        """
        return self.params[self.best_index[self._place(quantile)]]

    @renamed(tau="quantile")
    def loss(self, quantile):
        """Look up the least loss.

        Parameters
        ----------
        quantile : float
            tau, one of ``quantiles``.

        Returns
        -------
        float

        Raises
        ------
        InputError
            If tau is none of these.
        """
        return float(self.losses[:, self._place(quantile)].min())

    def __repr__(self):
        points, folds, taus = self.fold_losses.shape
        return f"Search({points} points, {folds} folds, {taus} tau)"


@renamed(taus="quantiles", lam="alphas")
def tune_widths(estimator, gammas, X, y, *, cv=5, quantiles=(0.1, 0.9), alphas=(None, None), n_jobs=None):
    """Find alpha*(tau), exactly over all alpha, for several kernel widths: the best width and penalty for every tau.

    One job of joblib for each width; the result does not depend on ``n_jobs``.

    Parameters
    ----------
    estimator : KernelQuantileRegressor
        The estimator to fit.
    gammas : sequence of float
        The widths.
    X : array-like or sparse matrix of shape (n, d)
        The rows.
    y : array-like of shape (n,)
        Their responses.
    cv, quantiles, alphas
        As in :meth:`KernelQuantileRegressor.tune`.
    n_jobs : int, default=None
        As in :class:`joblib.Parallel`.

    Returns
    -------
    Widths
        alpha*(tau) for each width.

    Raises
    ------
    InputError
        If parameters or rows cannot be used.
    """
    if not len(gammas):
        raise InputError("gammas is empty: at least one width is needed")
    models = [clone(estimator).set_params(gamma=gamma) for gamma in gammas]
    jobs = (delayed(_tuned)((model, X, y), cv, quantiles, alphas) for model in models)
    return Widths(list(gammas), Parallel(n_jobs=n_jobs)(jobs))


def _tuned(posed, cv, quantiles, alphas):
    model, X, y = posed
    return model.fit(X, y).tune(cv=cv, quantiles=quantiles, alphas=alphas)


class Widths:
    """The result of :func:`tune_widths`.

    Attributes
    ----------
    gammas : list of float
        The widths.
    tunings : list of Tuning
        alpha*(tau) of each width.
    """

    def __init__(self, gammas, tunings):
        self.gammas = gammas
        self.tunings = tunings

    @renamed(tau="quantile")
    def best(self, quantile):
        """Look up the best width and penalty.

        Parameters
        ----------
        quantile : float
            tau, in the interval that was tuned.

        Returns
        -------
        gamma : float
            The width.
        alpha : float
            alpha* of that width.
        loss : float
            Their mean loss on the rows held out.

        Raises
        ------
        InputError
            If tau lies outside the interval.
        """
        losses = [tuning.loss(quantile) for tuning in self.tunings]
        k = int(np.argmin(losses))
        return self.gammas[k], self.tunings[k].alpha(quantile), losses[k]
