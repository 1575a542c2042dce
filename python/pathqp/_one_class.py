"""Outliers for every share of them."""

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from ._checks import as_numbers, number
from ._data import training
from ._machine import KernelMachine
from ._pathqp import InputError

#: f(x) - r counts as zero up to this part of f(x) and r.
ROUNDING = 1e-12


class OneClassPath(OutlierMixin, KernelMachine):
    """The one-class SVM: one fit gives the outliers for every share nu of them.

    Minimises ``1/2 ||f||^2 - r + 1/(nu n) sum max(0, r - f(x_i))``; a row with ``f(x) < r`` is an outlier. Its f and
    r are those of :class:`sklearn.svm.OneClassSVM` divided by ``nu n``.

    Parameters
    ----------
    nu : float, default=0.5
        The share of ``coef_``, and the default of ``predict``: at most this share of the training rows are outliers.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="rbf"
        As in :class:`QuantileSVC`.
    gamma, degree, coef0, n_jobs, max_events, tolerance, progress
        As in :class:`QuantileSVC`.

    Attributes
    ----------
    path_ : Path
        Over nu, from 1 down to where f no longer changes.
    offset_ : float
        r at ``nu``: ``decision_function`` is ``score_samples`` minus ``offset_``.
    coef_ : ndarray of shape (1, d)
        The weights of the features at ``nu``, with a linear kernel.
    intercept_ : ndarray of shape (1,)
        The number -r.
    support_ : ndarray of shape (n_SV,)
        The indices of the training rows with a nonzero dual coefficient.
    dual_coef_ : ndarray of shape (1, n_SV)
        Their coefficients, whose sum is one: ``f(x) = sum dual_coef_[0, i] k(x_i, x)``.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson (2001), doi:10.1162/089976601750264965.
    """

    _former = {"n_threads": "n_jobs"}

    bias = "intercept"

    def __init__(
        self,
        nu=0.5,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        n_jobs=None,
        max_events=None,
        tolerance=None,
        progress=False,
    ):
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_jobs = n_jobs
        self.max_events = max_events
        self.tolerance = tolerance
        self.progress = progress

    def fit(self, X, y=None, sample_weight=None):
        """Follow the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows. With ``kernel="precomputed"`` the n x n kernel matrix.
        y : None
            Not used.
        sample_weight : array-like of shape (n,), default=None
            Case weights, not negative. Rows of weight zero are ignored in fitting.

        Returns
        -------
        self : OneClassPath
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        if not 0 < number(self, "nu") <= 1:
            raise InputError(f"nu = {self.nu}: it must lie in (0, 1]")
        rows, X, _, weights = training(self, X, sample_weight=sample_weight, unlabelled=True)
        asked = self._question("one-class-svm", rows, X, [0.0] * X.shape[0], weights, {})
        self.path_ = self._follow(asked, "nu")
        self.offset_ = float(self._offset(None))
        return self

    def _value(self):
        return self._nu(None)

    def _nu(self, nu):
        """Below the end of the path f changes no more."""
        given = self.nu if nu is None else nu
        values = np.maximum(as_numbers("nu", given), min(self.path_.range))
        return values if np.ndim(given) else float(values[0])

    def _offset(self, nu):
        """r at one nu, or an array of them."""
        nu = self._nu(nu)
        offset = -self.path_.curves(np.atleast_1d(nu))["intercept"]
        return offset if np.ndim(nu) else offset[0]

    def decision_function(self, X, nu=None):
        """Compute f(x) - r, negative for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        nu : float or array-like of shape (k,), default=None
            The share of outliers, in (0, 1]; the estimator's ``nu`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several nu
        """
        check_is_fitted(self)
        return self._values(X, self._nu(nu))

    def score_samples(self, X, nu=None):
        """Compute f(x) without the offset r.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        nu : float or array-like of shape (k,), default=None
            The share of outliers, in (0, 1]; the estimator's ``nu`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several nu
        """
        return self.decision_function(X, nu) + self._offset(nu)

    def predict(self, X, nu=None):
        """Predict -1 for outliers and 1 for other rows; rows on the boundary, where f(x) is r up to rounding, are not outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        nu : float or array-like of shape (k,), default=None
            The share of outliers, in (0, 1]; the estimator's ``nu`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several nu
        """
        f = self.decision_function(X, nu)
        offset = self._offset(nu)
        return np.where(f < -ROUNDING * (np.abs(offset) + np.abs(f + offset)), -1, 1)

    def outlier_ranks(self):
        """Compute the smallest nu at which each training row is an outlier.

        Returns
        -------
        ndarray of shape (n,)
            The value of nu; nan for rows that are never outliers.
        """
        check_is_fitted(self)
        return self.path_._inner.outlier_ranks()
