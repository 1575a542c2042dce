"""Kernel quantile regression at every quantile."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._checks import as_count, as_number, as_numbers, case_weights, positive, response
from ._curves import RowQuantiles
from ._data import features, training
from ._machine import KernelMachine
from ._names import renamed
from ._pathqp import tune as find_best
from ._tuning import Tuning


class KernelQuantileRegressor(RowQuantiles, RegressorMixin, KernelMachine):
    """Kernel quantile regression: one fit gives every quantile tau from 0 to 1.

    Minimises ``sum rho_tau(y_i - f(x_i)) + alpha/2 ||f||^2`` for all tau at once, with the pinball loss
    ``rho_tau(r) = max(tau r, (tau - 1) r)``; f may have an intercept without penalty.

    Parameters
    ----------
    alpha : float, default=1
        The penalty: the weight of 1/2 ||f||^2 in the objective.
    quantile : float, default=0.5
        The tau of ``coef_``, and the default of ``predict``. Fitting does not depend on it.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="rbf"
        As in :class:`QuantileSVC`.
    gamma, degree, coef0, bias, n_jobs, max_events, tolerance, inexact, progress
        As in :class:`QuantileSVC`.

    Attributes
    ----------
    path_ : Path
        The solutions for all tau.
    coef_ : ndarray of shape (d,)
        The weights of the features at ``quantile``, with a linear kernel.
    intercept_ : float
        The constant of f there.
    support_ : ndarray of shape (n_SV,)
        The indices of the training rows with a nonzero dual coefficient.
    dual_coef_ : ndarray of shape (1, n_SV)
        Their coefficients: ``f(x) = sum dual_coef_[0, i] k(x_i, x) + intercept_``.
    tuning_ : Tuning
        After :meth:`tune`.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Takeuchi, Le, Sears and Smola (2006), "Nonparametric quantile estimation", JMLR 7; Rosset (2008), "Bi-level path
    following for cross validated solution of kernel quantile regression", ICML; Chernozhukov, Fernandez-Val and
    Galichon (2010), doi:10.3982/ECTA7880 (quantiles that do not cross).
    """

    _former = {"lam": "alpha", "tau": "quantile", "n_threads": "n_jobs"}

    def __init__(
        self,
        alpha=1.0,
        *,
        quantile=0.5,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        bias="intercept",
        n_jobs=None,
        max_events=None,
        tolerance=None,
        inexact=False,
        progress=False,
    ):
        self.alpha = alpha
        self.quantile = quantile
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.n_jobs = n_jobs
        self.max_events = max_events
        self.tolerance = tolerance
        self.inexact = inexact
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follow the path for all tau.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows. With ``kernel="precomputed"`` the n x n kernel matrix.
        y : array-like of shape (n,)
            The responses, finite numbers.
        sample_weight : array-like of shape (n,), default=None
            Case weights, not negative. Rows of weight zero are ignored in fitting.

        Returns
        -------
        self : KernelQuantileRegressor
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        alpha = positive(self, "alpha")
        X_rows, X, y, weights = training(self, X, y, sample_weight, numeric=True)
        asked = self._question("kqr", X_rows, X, y, weights, {"lambda": alpha})
        self.path_ = self._follow(asked, "tau")
        if hasattr(self, "tuning_"):
            del self.tuning_
        return self

    @property
    def coef_(self):
        """The weights of the features, of shape (d,)."""
        return self._weights()

    @property
    def intercept_(self):
        """The constant of f."""
        return self._function()[2]

    @renamed(tau="quantile")
    def predict(self, X, quantile=None):
        """Predict f_tau(x). Quantiles may cross; see :meth:`predict_quantiles`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        quantile : float or array-like of shape (k,), default=None
            tau, from 0 to 1; the estimator's ``quantile`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several tau
        """
        return self._values(X, self.quantile if quantile is None else quantile)

    def _along_tau(self):
        check_is_fitted(self)
        return self.path_._inner

    @renamed(taus="quantiles", lam="alphas")
    def tune(self, validation=None, *, cv=5, criterion=None, quantiles=(0.1, 0.9), alphas=(None, None)):
        """Find the best penalty alpha*(tau) for every tau of an interval, exactly over all alpha.

        Uses the rows of the last ``fit``.

        Parameters
        ----------
        validation : tuple (X, y) or (X, y, sample_weight), default=None
            Rows on which the pinball loss is measured. Without them the training rows are used in ``cv`` folds (row i
            is held out in fold i mod cv).
        cv : int, default=5
            The number of folds.
        criterion : {"sic", "gacv"}, default=None
            A criterion on the training rows instead.
        quantiles : pair of float, default=(0.1, 0.9)
            The interval of tau, within (0, 1).
        alphas : pair of float or None, default=(None, None)
            The range of alpha; by default from the smallest at which the solution still changes and double precision
            resolves it, to infinity. With a criterion, which has no minimum towards interpolation, from 1/1000 of the
            largest breakpoint, as a median over several tau.

        Returns
        -------
        Tuning
            Also available as ``tuning_``.

        Raises
        ------
        InputError
            If rows, folds or ranges cannot be used.
        """
        check_is_fitted(self)
        judge = as_count("cv", cv, 2) if criterion is None else str(criterion)
        if validation is not None:
            X, y, *weights = validation
            rows, y = features(self, X), response(y).tolist()
            judge = (
                (rows, y, *(case_weights(weight, len(y)).tolist() for weight in weights if weight is not None))
                if weights
                else (rows, y, None)
            )
        ends = tuple(None if alpha is None else as_number("alphas", alpha) for alpha in alphas)
        found = find_best(self.path_._inner, judge, as_numbers("quantiles", quantiles).tolist(), ends)
        self.tuning_ = Tuning(found)
        self.tuning_._warn()
        return self.tuning_

    @renamed(tau="quantile")
    def predict_tuned(self, X, quantile=None):
        """Predict f_tau(x) at alpha*(tau), after :meth:`tune`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        quantile : float or array-like of shape (k,), default=None
            tau, in the interval that was tuned; the estimator's ``quantile`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several tau
        """
        check_is_fitted(self, "tuning_")
        taus = as_numbers("quantile", self.quantile if quantile is None else quantile)
        rows = features(self, X)
        columns = [self.path_._inner.tuned_decision(rows, float(t), float(self.tuning_.alpha(t))) for t in taus]
        return columns[0] if np.ndim(self.quantile if quantile is None else quantile) == 0 else np.column_stack(columns)

    @renamed(tau="quantile", lam="alpha")
    def map(self, quantile=(0.1, 0.9), alpha=(0.1, 10.0)):
        """Find all critical regions of a rectangle in tau and alpha.

        Parameters
        ----------
        quantile : pair of float, default=(0.1, 0.9)
            The range of tau.
        alpha : pair of float, default=(0.1, 10)
            The range of the penalty.

        Returns
        -------
        Map
            The number of regions grows quickly with the number of rows.
        """
        return self._explore((quantile, alpha))

    @renamed(taus="quantiles")
    def plot_quantiles(self, X, y=None, *, feature=0, quantiles=(0.05, 0.25, 0.5, 0.75, 0.95), ax=None):
        """Draw a fan of quantiles against one feature, the others at their medians.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Rows that give the ranges of the features.
        y : array-like of shape (m,), default=None
            Their responses, drawn as points.
        feature : int or str, default=0
            The feature, by its number or its name.
        quantiles : sequence of float
            Values of tau.
        ax : matplotlib Axes, default=None
            The axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_fan

        return plot_fan(self, X, y, feature=feature, quantiles=quantiles, ax=ax)
