"""Outliers for every share of them."""

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from ._data import training
from ._machine import KernelMachine
from ._pathqp import InputError


#: f(x) - r counts as zero up to this part of f(x) and r.
ROUNDING = 1e-12


class OneClassPath(OutlierMixin, KernelMachine):
    """The one-class SVM: one fit gives the outliers for every share nu of them.

    Minimises ``1/2 ||f||^2 - r + 1/(nu n) sum max(0, r - f(x_i))``; a row with ``f(x) < r`` is an outlier.

    Parameters
    ----------
    nu : float, default=0.5
        What ``predict`` uses: at most this share of the training rows are outliers.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="rbf"
    gamma : float, "scale" or "auto", default="scale"
    degree, coef0 : int, float
        Of the polynomial kernel.
    n_threads : int, default=1
    max_events : int, optional
    progress : bool or callable, default=False

    Attributes
    ----------
    path_ : Path
        Over nu, from 1 down to where f changes no more.
    offset_ : float
        What ``score_samples`` and ``decision_function`` differ by.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson (2001), doi:10.1162/089976601750264965.
    """

    bias = "intercept"

    def __init__(self, nu=0.5, *, kernel="rbf", gamma="scale", degree=3, coef0=0.0, n_threads=1, max_events=None, progress=False):
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_threads = n_threads
        self.max_events = max_events
        self.progress = progress

    def fit(self, X, y=None, sample_weight=None):
        """Follows the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            Case weights, not negative. A row of weight zero has no say.

        Returns
        -------
        self
        """
        if not (np.isfinite(self.nu) and 0 < self.nu <= 1):
            raise InputError(f"nu = {self.nu}: it must lie in (0, 1]")
        rows, X, _, weights = training(self, X, sample_weight=sample_weight, unlabelled=True)
        asked = self._question("one-class-svm", rows, X, [0.0] * X.shape[0], weights, {})
        self.path_ = self._follow(asked, "nu")
        self.offset_ = float(self._offset(None))
        return self

    def _nu(self, nu):
        """Below the end of the path f changes no more."""
        given = np.asarray(self.nu if nu is None else nu, dtype=float)
        return np.maximum(given, min(self.path_.range)) if given.ndim else max(float(given), min(self.path_.range))

    def _offset(self, nu):
        """r at one nu, or an array of them."""
        nu = self._nu(nu)
        offset = -self.path_.curves(np.atleast_1d(nu))["intercept"]
        return offset if np.ndim(nu) else offset[0]

    def decision_function(self, X, nu=None):
        """f(x) - r, negative for outliers: an array of shape (m,), or (m, k) for several nu."""
        check_is_fitted(self)
        return self._values(X, self._nu(nu))

    def score_samples(self, X, nu=None):
        """f(x) without the offset r."""
        return self.decision_function(X, nu) + self._offset(nu)

    def predict(self, X, nu=None):
        """-1 for outliers and 1 for the others; on the boundary, where f(x) is r up to rounding, a row is none."""
        f = self.decision_function(X, nu)
        offset = self._offset(nu)
        return np.where(f < -ROUNDING * (np.abs(offset) + np.abs(f + offset)), -1, 1)

    def outlier_ranks(self):
        """The least nu at which each training row is an outlier; nan where it never is.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        return self.path_._inner.outlier_ranks()
