"""Least squares in a box."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._data import features, followed, question, response, training
from ._path import Path, PenaltyPath, warn_unless_certified
from ._pathqp import InputError


class NonNegativeLeastSquares(RegressorMixin, BaseEstimator):
    """Least squares with coefficients in a box: one fit gives them under every penalty on their sum, or for every mixture of two responses.

    Minimises ``1/2 ||Xw - y||^2 + lam sum(w)`` subject to ``lower <= w <= upper``, without an intercept. With ``toward`` in :meth:`fit` the response
    is ``y + s (toward - y)`` and s varies from 0 to 1 in place of lam.

    Parameters
    ----------
    lam : float, default=0
        What ``predict`` and ``coef_`` use.
    s : float, default=0
        The same with ``toward``.
    lower, upper : float, default=0, inf
        Bounds of every coefficient; lam needs ``lower >= 0``.
    progress : bool or callable, default=False

    Attributes
    ----------
    path_ : Path
        Over lam, from the least penalty at which all coefficients are at zero down to 0, or over s.
    coef_ : ndarray of shape (d,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    Lawson and Hanson (1974), Solving Least Squares Problems, ch. 23.
    """

    def __init__(self, lam=0.0, *, s=0.0, lower=0.0, upper=np.inf, progress=False):
        self.lam = lam
        self.s = s
        self.lower = lower
        self.upper = upper
        self.progress = progress

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y, toward=None):
        """Follows the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
        toward : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        rows, X, y, _ = training(self, X, y, numeric=True)
        numbers = {"lower": float(self.lower), "upper": float(self.upper)}
        asked = {"numbers": numbers}
        if toward is not None:
            other = response(toward)
            if other.shape != y.shape:
                raise InputError(f"toward has the shape {other.shape}: it must be that of y, {y.shape}")
            asked["tables"] = {"toward": [other.tolist()]}
        vary = "lambda" if toward is None else "s"
        inner = followed(self, question("nnls", rows, y, **asked), vary)
        kind, name = (PenaltyPath, "lam") if toward is None else (Path, "s")
        self.path_ = kind(inner, name, names=getattr(self, "feature_names_in_", None))
        warn_unless_certified(self.path_.certificate(), name, stacklevel=2)
        self.coef_ = self.path_.at(self.lam if toward is None else self.s).w
        return self

    def predict(self, X, value=None):
        """Xw at a value of what varies: an array of shape (m,), or (m, k) for several values."""
        check_is_fitted(self)
        features(self, X)
        values = np.atleast_1d((self.lam if self.path_.parameter == "lam" else self.s) if value is None else value)
        w = self.path_.curves(values)["w"]
        X = X if hasattr(X, "tocsr") else np.asarray(X, dtype=float)
        y = np.asarray(X @ w.T)
        return y[:, 0] if value is None or np.ndim(value) == 0 else y
