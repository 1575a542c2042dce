"""Signals with few jumps or kinks."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._checks import as_numbers, not_negative, response, table, whole
from ._data import question
from ._estimator import PathEstimator
from ._names import renamed
from ._pathqp import InputError
from ._plots import plot_signal


class TrendFilter(PathEstimator):
    """Trend filtering and the fused lasso: one fit gives the fitted signal at every penalty alpha on its differences.

    Minimises ``1/2 ||y - b||^2 + alpha ||Db||_1``. Db are the differences of order k + 1 along a chain (k = 0 is
    the fused lasso with constant pieces, k = 1 has linear pieces) or along the edges of a graph, or D is any matrix.

    Parameters
    ----------
    alpha : float, default=1
        The penalty of ``fitted_`` and ``knots_``.
    order : int, default=0
        The degree k of the pieces, for a chain.
    edges : array-like of shape (m, 2), default=None
        The edges of a graph, instead of the chain: pairs of indices of the signal, from zero.
    matrix : array-like of shape (m, n), default=None
        D, instead of the chain.
    tolerance : float, default=None
        Approximate the path with fewer points; between them the duality gap is at most this, in units of the
        objective. None is the exact path.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over alpha from 0 to infinity.
    fitted_ : ndarray of shape (n,)
        The fitted signal at ``alpha``.
    knots_ : ndarray of int
        The rows of D, from zero, where ``D fitted_`` is not zero.
    alpha_max_ : float
        The penalty from which on the fitted signal no longer changes.

    References
    ----------
    Tibshirani and Taylor (2011), doi:10.1214/11-AOS878.
    """

    _former = {"lam": "alpha", "lam_max_": "alpha_max_"}

    def __init__(self, alpha=1.0, *, order=0, edges=None, matrix=None, tolerance=None, progress=False):
        self.alpha = alpha
        self.order = order
        self.edges = edges
        self.matrix = matrix
        self.tolerance = tolerance
        self.progress = progress

    def fit(self, X, y=None):
        """Follow the path.

        Parameters
        ----------
        X : array-like of shape (n,)
            The signal, in its order; not used if y is given.
        y : array-like of shape (n,), default=None
            The signal.

        Returns
        -------
        self : TrendFilter
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter or a value cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        y = response(X if y is None else y)
        if y.ndim != 1:
            raise InputError(f"a signal of shape (n,) is expected, not {y.shape}")
        if self.edges is not None and self.matrix is not None:
            raise InputError("edges and matrix cannot both be given")
        order = whole(self, "order")
        tables = {}
        if self.edges is not None:
            edges = table("edges", self.edges)
            if edges.shape[1] != 2:
                raise InputError(f"edges has the shape {edges.shape}: it must have two columns")
            tables["edges"] = (edges + 1).tolist()
        if self.matrix is not None:
            tables["matrix"] = table("matrix", self.matrix).tolist()
        alpha = not_negative(self, "alpha")
        asked = question("trend-filtering", response=y, numbers={"order": float(order)}, tables=tables)
        self.path_ = self._follow(asked, "lambda")
        at = self.path_.at(alpha)
        self.fitted_, self.knots_, self._signal = at.fitted, at.knots, y
        places = self.path_.breakpoints
        self.alpha_max_ = float(places[-1]) if len(places) else 0.0
        return self

    def fit_transform(self, X, y=None):
        """Follow the path and return the fitted signal at ``alpha``.

        Parameters
        ----------
        X : array-like of shape (n,)
            The signal, in its order; not used if y is given.
        y : array-like of shape (n,), default=None
            The signal.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.fit(X, y).fitted_

    @renamed(lam="alpha")
    def transform(self, alpha):
        """Compute the fitted signals at several penalties.

        Parameters
        ----------
        alpha : float or array-like of shape (k,)
            The penalties.

        Returns
        -------
        ndarray of shape (k, n)

        Raises
        ------
        InputError
            If a penalty is negative or not a number.
        """
        check_is_fitted(self)
        return self.path_.curves(as_numbers("alpha", alpha))["fitted"]

    def plot(self, alphas=None, ax=None):
        """Plot the signal and the fitted signals at several penalties.

        Parameters
        ----------
        alphas : float or array-like of shape (k,), default=None
            The penalties, at most twelve; unless given, those with half, 80, 95 and all percent of the breakpoints
            before them.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure unless given.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ImportError
            Without matplotlib.
        InputError
            If a penalty is negative or not a number, or there are too many.
        """
        check_is_fitted(self)
        alphas = None if alphas is None else as_numbers("alphas", alphas)
        return plot_signal(self.path_, np.arange(1, len(self._signal) + 1), self._signal, alphas, "place", ax)
