"""The lasso at every penalty."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._data import features, followed, question, training
from ._path import PenaltyPath, warn_unless_certified
from ._pathqp import InputError


class LassoPath(RegressorMixin, BaseEstimator):
    """The lasso: one fit gives the coefficients at every penalty alpha, with a fixed ridge beside it or none.

    Minimises ``1/(2n) ||y - Xw||^2 + alpha ||w||_1 + ridge/2 ||w||^2``, in the scale of :class:`sklearn.linear_model.Lasso`.
    ``ElasticNet(alpha=a, l1_ratio=r)`` is the point ``alpha = a r`` of the path with ``ridge = a (1 - r)``.

    Parameters
    ----------
    alpha : float, default=0.1
        What ``predict`` and ``coef_`` use. Above the largest penalty of the path all coefficients are zero.
    ridge : float, default=0
    alpha_min : float, default=0
        Where the path ends.
    fit_intercept : bool, default=True
    progress : bool or callable, default=False

    Attributes
    ----------
    path_ : Path
        Over alpha, from the least penalty at which all coefficients are zero down to ``alpha_min``.
    coef_ : ndarray of shape (d,)
        At ``alpha``.
    intercept_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani (2004), doi:10.1214/009053604000000067; Tibshirani (2013), doi:10.1214/13-EJS815 (repeated
    columns and more columns than rows).
    """

    def __init__(self, alpha=0.1, *, ridge=0.0, alpha_min=0.0, fit_intercept=True, progress=False):
        self.alpha = alpha
        self.ridge = ridge
        self.alpha_min = alpha_min
        self.fit_intercept = fit_intercept
        self.progress = progress

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y):
        """Follows the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,)

        Returns
        -------
        self
        """
        rows, X, y, _ = training(self, X, y, numeric=True)
        if not (np.isfinite(self.alpha) and self.alpha >= self.alpha_min):
            raise InputError(f"alpha = {self.alpha}: it must be finite and not below alpha_min = {self.alpha_min}")
        bias = ("intercept" if self.fit_intercept else "none", 1.0)
        asked = question("lasso", rows, y, bias=bias, numbers={"ridge": float(self.ridge)})
        inner = followed(self, asked, "alpha", (None, float(self.alpha_min)))
        self.path_ = PenaltyPath(inner, "alpha", names=getattr(self, "feature_names_in_", None))
        warn_unless_certified(self.path_.certificate(), "alpha", stacklevel=2)
        best = self.path_.at(self.alpha)
        self.coef_, self.intercept_ = best.w, best.intercept
        return self

    def predict(self, X, alpha=None):
        """Xw + intercept at alpha: an array of shape (m,), or (m, k) for several alpha."""
        check_is_fitted(self)
        features(self, X)
        alphas = np.atleast_1d(self.alpha if alpha is None else alpha)
        found = self.path_.curves(alphas)
        X = X if hasattr(X, "tocsr") else np.asarray(X, dtype=float)
        y = np.asarray(X @ found["w"].T) + found["intercept"]
        return y[:, 0] if alpha is None or np.ndim(alpha) == 0 else y
