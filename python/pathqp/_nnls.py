"""Least squares in a box."""

import numpy as np

from ._checks import as_bound, number, response
from ._data import question, training
from ._linear import LinearPath
from ._pathqp import InputError


class NonNegativeLeastSquares(LinearPath):
    """Non-negative least squares, or with other bounds: one fit gives the coefficients at every penalty on their sum,
    or for every mixture of two responses.

    Minimises ``1/2 ||Xw - y||^2 + alpha sum(w)`` subject to ``lower <= w <= upper``, without an intercept. With
    ``toward`` in :meth:`fit` the response is ``y + s (toward - y)`` and s varies from 0 to 1 in place of alpha.

    Parameters
    ----------
    alpha : float, default=0
        The penalty of ``coef_``, and the default of ``predict``.
    s : float, default=0
        The same for s, if ``toward`` is given in :meth:`fit`.
    lower, upper : float, default=0, inf
        Bounds of every coefficient; a penalty needs ``lower >= 0``.
    tolerance : float, default=None
        Approximate the path with fewer points; between them the duality gap is at most this, in units of the
        objective. None is the exact path.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over alpha, from the least penalty at which all coefficients are at their lower bounds down to 0, or over s.
    coef_ : ndarray of shape (d,)
        The coefficients at ``alpha`` or ``s``.
    intercept_ : float
        Zero: there is none.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Lawson and Hanson (1974), Solving Least Squares Problems, ch. 23.
    """

    _former = {"lam": "alpha"}

    def __init__(self, alpha=0.0, *, s=0.0, lower=0.0, upper=np.inf, tolerance=None, progress=False):
        self.alpha = alpha
        self.s = s
        self.lower = lower
        self.upper = upper
        self.tolerance = tolerance
        self.progress = progress

    def fit(self, X, y, toward=None):
        """Follow the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows.
        y : array-like of shape (n,)
            The responses, finite numbers.
        toward : array-like of shape (n,), default=None
            Another response; along the path the response changes from y to it.

        Returns
        -------
        self : NonNegativeLeastSquares
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter or a row cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        rows, X, y, _ = training(self, X, y, numeric=True)
        asked = {"numbers": {name: as_bound(name, getattr(self, name)) for name in ("lower", "upper")}}
        if toward is not None:
            other = response(toward)
            if other.shape != y.shape:
                raise InputError(f"toward has the shape {other.shape}: it must be that of y, {y.shape}")
            asked["tables"] = {"toward": [other.tolist()]}
        number(self, "alpha" if toward is None else "s")
        self.path_ = self._follow(question("nnls", rows, y, **asked), "lambda" if toward is None else "s")
        return self

    def predict(self, X, value=None):
        """Predict Xw.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        value : float or array-like of shape (k,), default=None
            The value of what varies; the estimator's ``alpha`` or ``s`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several values

        Raises
        ------
        InputError
            If the path does not cover the value.
        """
        return self._predict(X, value)
