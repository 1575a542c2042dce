"""Support vector regression with every tube."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._checks import as_numbers, not_negative, positive
from ._data import training
from ._machine import KernelMachine
from ._pathqp import InputError


class PathSVR(RegressorMixin, KernelMachine):
    """Epsilon-insensitive support vector regression: one fit gives every half-width epsilon of the tube, or every cost C.

    Minimises ``1/2 ||f||^2 + C sum max(0, |y_i - f(x_i)| - epsilon)``, as :class:`sklearn.svm.SVR` does.

    Parameters
    ----------
    C : float, default=1
        The cost of the losses. If it varies (see ``vary``), it does not matter when fitting: it is the value of ``coef_``,
        and the default of ``predict``; the same holds for ``epsilon``.
    epsilon : float, default=0.1
        The half-width of the tube, in units of the response.
    vary : {"epsilon", "C"}, default="epsilon"
        The parameter that varies along the path.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="rbf"
        As in :class:`QuantileSVC`.
    gamma, degree, coef0, bias, n_jobs, max_events, tolerance, inexact, progress
        As in :class:`QuantileSVC`.

    Attributes
    ----------
    path_ : Path
        Over epsilon from 0 to twice the half-width at which the tube holds everything, or over C from 0 to twice ``C``.
    coef_ : ndarray of shape (1, d)
        The weights of the features at ``epsilon`` and ``C``, with a linear kernel.
    intercept_ : ndarray of shape (1,)
        The constant of f there.
    support_ : ndarray of shape (n_SV,)
        The indices of the training rows with a nonzero dual coefficient.
    dual_coef_ : ndarray of shape (1, n_SV)
        Their coefficients: ``f(x) = sum dual_coef_[0, i] k(x_i, x) + intercept_``.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Wang, Yeung and Lochovsky (2008), doi:10.1109/TNN.2008.2002077.
    """

    _former = {"n_threads": "n_jobs"}

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
        n_jobs=None,
        max_events=None,
        tolerance=None,
        inexact=False,
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
        self.n_jobs = n_jobs
        self.max_events = max_events
        self.tolerance = tolerance
        self.inexact = inexact
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follow the path.

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
        self : PathSVR
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        X_rows, X, y, weights = training(self, X, y, sample_weight, numeric=True)
        if self.vary not in ("epsilon", "C"):
            raise InputError(f"vary = {self.vary!r}: it must be 'epsilon' or 'C'")
        C, epsilon = positive(self, "C"), not_negative(self, "epsilon")
        by_epsilon = self.vary == "epsilon"
        asked = self._question("svr", X_rows, X, y, weights, {"c": C} if by_epsilon else {"epsilon": epsilon})
        # At least as far as predict goes unless told otherwise.
        ends = (None, None) if by_epsilon else (0.0, 2.0 * C)
        self.path_ = self._follow(asked, "epsilon" if by_epsilon else "c", ends)
        return self

    def _value(self):
        value = super()._value()
        # Beyond its end nothing changes any more.
        return min(value, max(self.path_.range)) if self.path_.parameter == "epsilon" else value

    def predict(self, X, epsilon=None, C=None):
        """Predict f(x) at values of the parameter that varies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        epsilon, C : float or array-like of shape (k,), default=None
            The one that varies along the path; by default the estimator's own value. Above the last epsilon of the path
            f no longer changes.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several values

        Raises
        ------
        InputError
            For a value that is not on the path, and for a value of the one that does not vary.
        """
        check_is_fitted(self)
        name = self.path_.parameter
        other, value = (C, epsilon) if name == "epsilon" else (epsilon, C)
        if other is not None:
            raise InputError(f"{name} varies along this path: give {name}, or fit with another vary")
        value = getattr(self, name) if value is None else value
        values = as_numbers(name, value)
        if name == "epsilon" and np.isfinite(values).all():
            values = np.minimum(values, self.path_.range[1])
        return self._values(X, values if np.ndim(value) else values[0])

    def map(self, C=(0.0, 1.0), epsilon=(0.0, 1.0)):
        """Find all critical regions of a rectangle in C and epsilon.

        Parameters
        ----------
        C, epsilon : pair of float, default=(0, 1)
            The sides of the rectangle.

        Returns
        -------
        Map
            The number of regions grows quickly with the number of rows.
        """
        return self._explore((C, epsilon), by_cost=True)
