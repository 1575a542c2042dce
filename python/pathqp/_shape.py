"""Monotone and convex regression."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._checks import as_numbers, number
from ._data import features, question, training
from ._estimator import PathEstimator
from ._pathqp import InputError
from ._plots import plot_signal

SHAPES = ("increasing", "decreasing", "convex", "concave")


class ShapeRegressor(RegressorMixin, PathEstimator):
    """Monotone or convex regression in one feature: one fit gives the least squares fit at every lower bound on its
    slope or curvature.

    Minimises ``1/2 sum_i w_i (y_i - f(x_i))^2`` over functions f whose slope (``shape="increasing"``) or curvature
    (``"convex"``) is at least ``bound`` between the values of the feature; for ``"decreasing"`` and ``"concave"`` those
    of -f are. At bound 0, f is monotone or convex; at the least slope or curvature of the data it interpolates them.

    Parameters
    ----------
    bound : float, default=0
        The lower bound of ``y_thresholds_``, and the default of ``predict``. In units of the response by the feature,
        or by its square for curvatures.
    shape : {"increasing", "decreasing", "convex", "concave"}, default="increasing"
        What f is at bound 0.
    tolerance : float, default=None
        Approximate the path with fewer points; between them the duality gap is at most this, in units of the
        objective. None is the exact path.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over bound, from the least slope or curvature of the data up to 0, or up to ``bound`` if that is positive; for
        data that have the shape up to the largest one.
    X_thresholds_ : ndarray of shape (p,)
        The distinct values of the feature with a positive weight, in order.
    y_thresholds_ : ndarray of shape (p,)
        f there, at ``bound``.
    n_features_in_ : int
        One.
    feature_names_in_ : ndarray of shape (1,)
        The name of the feature, if X has names.

    References
    ----------
    Brunk (1955), doi:10.1214/aoms/1177728420; Hildreth (1954), doi:10.2307/2281132.
    """

    def __init__(self, bound=0.0, *, shape="increasing", tolerance=None, progress=False):
        self.bound = bound
        self.shape = shape
        self.tolerance = tolerance
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follow the path.

        Parameters
        ----------
        X : array-like of shape (n, 1) or (n,)
            The feature.
        y : array-like of shape (n,)
            The responses, finite numbers.
        sample_weight : array-like of shape (n,), default=None
            Case weights, not negative. Rows of weight zero are ignored.

        Returns
        -------
        self : ShapeRegressor
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        if self.shape not in SHAPES:
            raise InputError(f"shape = {self.shape!r}: it must be {', '.join(SHAPES[:-1])} or {SHAPES[-1]}")
        bound = number(self, "bound")
        rows, X, y, weights = training(self, _column(X), y, sample_weight, numeric=True)
        asked = question("shape-regression", rows, y, weights=weights, words={"shape": self.shape})
        self.path_ = self._follow(asked, "bound", (None, bound if bound > 0 else None))
        feature = np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=float)[:, 0]
        self.X_thresholds_ = np.unique(feature if weights is None else feature[np.asarray(weights) > 0])
        self.y_thresholds_ = self.path_.at(self._bound(None)).fitted
        return self

    def _bound(self, bound):
        """Below the least slope or curvature of the data f changes no more."""
        given = self.bound if bound is None else bound
        values = np.maximum(as_numbers("bound", given), min(self.path_.range))
        return values if np.ndim(given) else float(values[0])

    def predict(self, X, bound=None):
        """Predict f(x): linear between the values of the feature; beyond them constant for monotone f, and linear with
        the slope of the last piece for convex and concave f.

        Parameters
        ----------
        X : array-like of shape (m, 1) or (m,)
            The feature.
        bound : float or array-like of shape (k,), default=None
            The lower bound; the estimator's ``bound`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several bounds

        Raises
        ------
        InputError
            If the bound lies above the end of the path.
        """
        check_is_fitted(self)
        bound = self._bound(bound)
        found = self.path_._inner.decision(features(self, _column(X)), np.atleast_1d(np.asarray(bound, dtype=float)))
        return found if np.ndim(bound) else found[:, 0]

    def plot(self, X, y, bounds=None, ax=None):
        """Plot rows and the functions f at several bounds.

        Parameters
        ----------
        X : array-like of shape (m, 1) or (m,)
            The feature of the rows of training.
        y : array-like of shape (m,)
            Their responses.
        bounds : float or array-like of shape (k,), default=None
            The lower bounds, at most twelve; unless given, those with half, 80, 95 and all percent of the breakpoints
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
            If a bound lies above the end of the path, there are too many, or X has other values than those of training.
        """
        check_is_fitted(self)
        features(self, _column(X))
        feature = np.asarray(_column(X), dtype=float)[:, 0]
        if not np.array_equal(np.unique(feature), self.X_thresholds_):
            raise InputError("X has other values of the feature than the rows of training")
        name = getattr(self, "feature_names_in_", ["x"])[0]
        return plot_signal(self.path_, feature, np.asarray(y), None if bounds is None else self._bound(bounds), name, ax)


def _column(X):
    """One value a row as a table with one column."""
    shape = np.shape(X)
    return np.reshape(np.asarray(X), (-1, 1)) if len(shape) == 1 else X
