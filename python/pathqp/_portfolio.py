"""Every efficient portfolio."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ._data import DataWarning, followed, question, rows
from ._path import Path, Solution, warn_unless_certified
from ._pathqp import InputError, looks_like_prices, max_sharpe, returns_of_prices, with_return


def _labels(table, axis):
    """The labels of a Series (axis 0) or of the rows (0) or columns (1) of a DataFrame; None for arrays and for pandas' own numbering."""
    if not hasattr(table, "iloc"):
        return None
    index = table.axes[axis]
    numbered = getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1
    return None if numbered else list(index)


class _Assets:
    """The assets in the order of the first table that has labels, in which every later one with labels is put."""

    def __init__(self):
        self.labels = None
        self._first = None

    def order(self, what, labels):
        """Which entries of a table stand for the assets, in their order; all of it where it has no labels."""
        if labels is None:
            return slice(None)
        if self.labels is None:
            self.labels, self._first = labels, what
        if labels == self.labels:
            return slice(None)
        place, known = {label: k for k, label in enumerate(labels)}, set(self.labels)
        if not (len(place) == len(labels) and len(known) == len(self.labels)):
            label = next(label for some in (labels, self.labels) for label in some if some.count(label) > 1)
            raise InputError(f"the label {label!r} occurs twice, and {what} and {self._first} do not have the same labels in the same order: rename one")
        missing, unknown = [label for label in self.labels if label not in place], [label for label in labels if label not in known]
        if missing or unknown:
            parts = [f"{name}: {list(map(str, some[:5]))}" for name, some in (("missing", missing), ("unknown", unknown)) if some]
            raise InputError(f"the labels of {what} are not those of {self._first}, {', '.join(parts)}; use the same in any order")
        return [place[label] for label in self.labels]


class FrontierPath(Path):
    """The path of efficient portfolios over t, what a return is worth against half a variance; see :class:`Path`."""

    def __init__(self, inner, names, risk_free):
        super().__init__(inner, "t", names=names)
        self.risk_free = risk_free

    def _places(self):
        return np.unique(np.concatenate([[0.0], self._inner.breakpoints]))


class CriticalLine(BaseEstimator):
    """The critical line: one fit gives every efficient portfolio, from the least variance to the largest return.

    Minimises ``1/2 w'Sw - t m'w`` subject to ``sum w = 1`` and bounds on each weight, for all t >= 0; m and S are the mean and the
    covariance of the returns. Singular covariances are taken as they are.

    Series and DataFrames of pandas are matched by their labels: the first with labels of returns or mean, covariance, lower and upper sets the order of the
    assets, the others with labels are put in it, and labels that differ are an ``InputError``. Arrays, lists and pandas' own numbering from
    zero have no labels and go by position.

    Parameters
    ----------
    lower, upper : float or array-like of shape (d,), default=0, 1
        Bounds of the weights; infinite ones are allowed.
    risk_free : float, default=0
        The return of an asset without risk, in units of the returns, for Sharpe ratios.
    t : float, optional
        Which portfolio ``weights_`` is; by default that with the largest Sharpe ratio, or that of least variance where no portfolio has one.
    progress : bool or callable, default=False

    Attributes
    ----------
    path_ : Path
        Over t. Its solutions have ``w``, ``mean``, ``variance`` and ``sharpe``.
    weights_ : ndarray of shape (d,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the assets, where all are strings.

    References
    ----------
    Markowitz (1956), doi:10.1002/nav.3800030110; Niedermayer and Niedermayer (2010), doi:10.1007/978-0-387-77439-8_12.
    """

    def __init__(self, lower=0.0, upper=1.0, *, risk_free=0.0, t=None, progress=False):
        self.lower = lower
        self.upper = upper
        self.risk_free = risk_free
        self.t = t
        self.progress = progress

    def fit(self, X, y=None):
        """From returns: one row a period, one column an asset, X of shape (periods, d). ``y`` is not used.

        What looks like prices (positive values of an implausible mean that hardly change from row to row) is taken as it is, with a
        ``DataWarning``; see :meth:`fit_prices`.
        """
        return self._fit_rows(X, 2, prices=False)

    def fit_prices(self, X, y=None):
        """From prices: one row a date, one column an asset, X of shape (periods + 1, d). The returns are ``p[k] / p[k-1] - 1``."""
        return self._fit_rows(X, 3, prices=True)

    def fit_moments(self, mean, covariance):
        """From expected returns of shape (d,) and their covariance of shape (d, d)."""
        labels = [_labels(mean, 0)] + [_labels(covariance, axis) for axis in (0, 1)]
        mean, covariance = np.array(mean, dtype=float), np.array(covariance, dtype=float)
        if mean.ndim != 1 or covariance.shape != (len(mean), len(mean)):
            raise InputError(f"a mean of shape {mean.shape} and a covariance of shape {covariance.shape} do not agree")
        assets = _Assets()
        mean = mean[assets.order("mean", labels[0])]
        # Where only rows or only columns have labels, the others are in their order.
        covariance = covariance[assets.order("the rows of covariance", labels[1] or labels[2])]
        covariance = covariance[:, assets.order("the columns of covariance", labels[2] or labels[1])]
        self.n_features_in_ = len(mean)
        self.__dict__.pop("feature_names_in_", None)
        if assets.labels is not None and all(isinstance(label, str) for label in assets.labels):
            self.feature_names_in_ = np.array(assets.labels, dtype=object)
        return self._follow({"mean": [mean.tolist()], "cov": covariance.tolist()}, assets, stacklevel=4)

    def _fit_rows(self, X, least, prices):
        assets = _Assets()
        assets.order("the columns of X", _labels(X, 1) if getattr(X, "ndim", 0) == 2 else None)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=least)
        table = rows(X, getattr(self, "feature_names_in_", None))
        if prices:
            return self._follow({"train": returns_of_prices(table)}, assets, stacklevel=5)
        if (reason := looks_like_prices(table)) is not None:
            warnings.warn(f"{reason}; use fit_prices for prices, and disregard this if they are returns", DataWarning, stacklevel=3)
        return self._follow({"train": table}, assets, stacklevel=5)

    def _follow(self, tables, assets, stacklevel):
        bounds = {name: [self._bounds(name, assets)] for name in ("lower", "upper")}
        asked = question("critical-line", tables={**tables, **bounds}, numbers={"risk-free": float(self.risk_free)})
        inner = followed(self, asked, "t")
        names = None if assets.labels is None else np.array(list(map(str, assets.labels)), dtype=object)
        self.path_ = FrontierPath(inner, names, float(self.risk_free))
        warn_unless_certified(self.path_.certificate(), "t", stacklevel=stacklevel)
        chosen = self._max_sharpe(stacklevel) if self.t is None else self.path_.at(self.t)
        # Where no portfolio has a Sharpe ratio, that of least variance.
        self.weights_ = self.path_.at(0.0).w if chosen is None else chosen.w
        return self

    def _bounds(self, name, assets):
        """The lower or upper bounds, one a weight, as a list."""
        given, d = getattr(self, name), self.n_features_in_
        values = np.asarray(given, dtype=float)
        if values.ndim > 1 or (values.shape not in ((), (1,), (d,)) and _labels(given, 0) is None):
            raise InputError(f"{name} has the shape {values.shape}: it must be a number or have one for each of {d} assets")
        if values.ndim == 1:
            values = values[assets.order(name, _labels(given, 0))]
        return np.broadcast_to(values, (d,)).tolist()

    def max_sharpe(self):
        """The portfolio with the largest Sharpe ratio; None if no portfolio has one.

        Where no portfolio returns more than ``risk_free``, more risk makes the ratio larger, and it is largest at a corner of what the bounds allow: that is the answer, with a
        ``DataWarning`` (its ``value`` is nan if it is not efficient). It is None, with a ``DataWarning``, where there are too many corners to go
        through, and where weights without bounds let the ratio grow for ever.
        """
        check_is_fitted(self)
        return self._max_sharpe(stacklevel=3)

    def _max_sharpe(self, stacklevel):
        found, _, caution = max_sharpe(self.path_._inner, float(self.risk_free))
        if caution is not None:
            warnings.warn(caution, DataWarning, stacklevel=stacklevel)
        return None if found is None else Solution(**found)

    def with_return(self, mean):
        """The efficient portfolio with a given return, in units of the returns.

        Raises
        ------
        InputError
            For a return that no efficient portfolio has, by more than the rounding of the sum; the message has the least and the largest.
        """
        check_is_fitted(self)
        return Solution(**with_return(self.path_._inner, float(mean), float(self.risk_free)))

    def predict(self, X):
        """The returns of the portfolio ``weights_`` in the periods of X: an array of shape (m,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        rows(X, getattr(self, "feature_names_in_", None))
        return X @ self.weights_
