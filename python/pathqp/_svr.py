"""Support vector regression with every tube."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._data import training
from ._machine import KernelMachine
from ._pathqp import InputError


class PathSVR(RegressorMixin, KernelMachine):
    """Epsilon-insensitive regression: one fit gives every half-width epsilon of the tube, or every cost C.

    Minimises ``1/2 ||f||^2 + C sum max(0, |y_i - f(x_i)| - epsilon)``.

    Parameters
    ----------
    C : float, default=1
    epsilon : float, default=0.1
        What ``predict`` uses unless told otherwise; that of the two which ``vary`` names does not matter when fitting.
    vary : {"epsilon", "C"}, default="epsilon"
        Which one varies along the path.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="rbf"
    gamma, degree, coef0, bias, n_threads, max_events, progress
        As in :class:`QuantileSVC`.

    Attributes
    ----------
    path_ : Path
        Over epsilon from 0 to twice the half-width at which the tube holds everything, or over C from 0 on.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    Wang, Yeung and Lochovsky (2008), doi:10.1109/TNN.2008.2002077.
    """

    def __init__(
        self,
        C=1.0,
        *,
        epsilon=0.1,
        vary="epsilon",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        bias="intercept",
        n_threads=1,
        max_events=None,
        progress=False,
    ):
        self.C = C
        self.epsilon = epsilon
        self.vary = vary
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.n_threads = n_threads
        self.max_events = max_events
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follows the path; parameters as in :meth:`KernelQuantileRegressor.fit`."""
        X_rows, X, y, weights = training(self, X, y, sample_weight, numeric=True)
        if self.vary not in ("epsilon", "C"):
            raise InputError(f"vary = {self.vary!r}: it must be 'epsilon' or 'C'")
        by_epsilon = self.vary == "epsilon"
        fixed = {"c": float(self.C)} if by_epsilon else {"epsilon": float(self.epsilon)}
        question = self._question("svr", X_rows, X, y, weights, fixed)
        ends = (None, None)
        if not by_epsilon:
            # At least as far as predict goes unless told otherwise.
            ends = (0.0, 2.0 * float(self.C))
        self.path_ = self._follow(question, "epsilon" if by_epsilon else "c", ends)
        return self

    def predict(self, X, epsilon=None, C=None):
        """f(x) at a value of what varies: an array of shape (m,), or (m, k) for several values."""
        check_is_fitted(self)
        name = self.path_.parameter
        other, value = (C, epsilon) if name == "epsilon" else (epsilon, C)
        if other is not None:
            raise InputError(f"{name} varies along this path: give {name}, or fit with another vary")
        value = getattr(self, name) if value is None else value
        if name == "epsilon":
            # Beyond its end nothing changes any more.
            value = np.minimum(value, self.path_.range[1]) if np.all(np.isfinite(value)) else value
        return self._values(X, float(value) if np.ndim(value) == 0 else value)

    def map(self, C=(0.0, 1.0), epsilon=(0.0, 1.0)):
        """All critical regions of a rectangle in C and epsilon, as a :class:`Map`."""
        return self._explore((C, epsilon), by_cost=True)
