"""Signals with few jumps or kinks."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._data import followed, question, response
from ._path import Path, warn_unless_certified
from ._pathqp import InputError


class TrendFilter(BaseEstimator):
    """Trend filtering: one fit gives the fitted signal at every penalty lam on its differences.

    Minimises ``1/2 ||y - b||^2 + lam ||Db||_1``. D takes differences of order k + 1 along a chain (k = 0 is the fused lasso with constant pieces, k = 1 has
    linear ones), or is that of a graph, or any matrix.

    Parameters
    ----------
    lam : float, default=1
        What ``fitted_`` and ``knots_`` are taken at.
    order : int, default=0
        k, of a chain.
    edges : array-like of shape (m, 2), optional
        Pairs of values, from zero, that are joined, in place of the chain.
    matrix : array-like of shape (m, n), optional
        D, in place of the chain.
    progress : bool or callable, default=False

    Attributes
    ----------
    path_ : Path
        Over lam from 0 on, without end.
    fitted_ : ndarray of shape (n,)
    knots_ : ndarray of int
        The rows of D, from zero, where ``D fitted_`` is not zero.
    lam_max_ : float
        From there on nothing changes any more.

    References
    ----------
    Tibshirani and Taylor (2011), doi:10.1214/11-AOS878.
    """

    def __init__(self, lam=1.0, *, order=0, edges=None, matrix=None, progress=False):
        self.lam = lam
        self.order = order
        self.edges = edges
        self.matrix = matrix
        self.progress = progress

    def fit(self, X, y=None):
        """Follows the path.

        Parameters
        ----------
        X : array-like of shape (n,)
            The signal, in its order; not looked at where y is given.
        y : array-like of shape (n,), optional
            The signal.

        Returns
        -------
        self
        """
        y = response(X if y is None else y)
        if y.ndim != 1:
            raise InputError(f"a signal of shape (n,) is expected, not {y.shape}")
        if self.edges is not None and self.matrix is not None:
            raise InputError("edges and matrix cannot both be given")
        if not (int(self.order) == self.order and self.order >= 0):
            raise InputError(f"order = {self.order}: it must be a whole number that is not negative")
        tables = {}
        if self.edges is not None:
            tables["edges"] = (np.asarray(self.edges, dtype=float).reshape(-1, 2) + 1).tolist()
        if self.matrix is not None:
            tables["matrix"] = np.asarray(self.matrix, dtype=float).tolist()
        asked = question("trend-filtering", response=y, numbers={"order": float(self.order)}, tables=tables)
        self.path_ = Path(followed(self, asked, "lambda"), "lam")
        warn_unless_certified(self.path_.certificate(), "lam", stacklevel=2)
        at = self.path_.at(self.lam)
        self.fitted_, self.knots_ = at.fitted, at.knots
        places = self.path_.breakpoints
        self.lam_max_ = float(places[-1]) if len(places) else 0.0
        return self

    def fit_transform(self, X, y=None):
        """The fitted signal: an array of shape (n,)."""
        return self.fit(X, y).fitted_

    def transform(self, lam):
        """The fitted signals at k values of lam: an array of shape (k, n)."""
        check_is_fitted(self)
        return self.path_.curves(np.atleast_1d(np.asarray(lam, dtype=float)))["fitted"]
