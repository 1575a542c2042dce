"""Every efficient portfolio."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ._data import rows, watcher
from ._path import Path, Solution, warn_unless_certified
from ._pathqp import Frontier, InputError


class FrontierPath(Path):
    """The path of efficient portfolios over t, what a return is worth against half a variance; see :class:`Path`."""

    def __init__(self, inner, names, risk_free):
        super().__init__(inner, "t", names=names)
        self.risk_free = risk_free

    def at(self, value):
        """The portfolio at t."""
        return Solution(**self._inner.at(float(value), self.risk_free))

    def _places(self):
        return np.unique(np.concatenate([[0.0], self._inner.breakpoints]))


class CriticalLine(BaseEstimator):
    """The critical line: one fit gives every efficient portfolio, from the least variance to the largest return.

    Minimises ``1/2 w'Sw - t m'w`` subject to ``sum w = 1`` and bounds on each weight, for all t >= 0; m and S are the mean and the
    covariance of the returns. Singular covariances are taken as they are.

    Parameters
    ----------
    lower, upper : float or array-like of shape (d,), default=0, 1
        Bounds of the weights; infinite ones are allowed.
    risk_free : float, default=0
        The return of an asset without risk, in units of the returns, for Sharpe ratios.
    t : float, optional
        Which portfolio ``weights_`` is; by default that with the largest Sharpe ratio.
    progress : bool or callable, default=False

    Attributes
    ----------
    path_ : Path
        Over t. Its solutions have ``w``, ``mean``, ``variance`` and ``sharpe``.
    weights_ : ndarray of shape (d,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

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
        """From returns: one row a period, one column an asset, X of shape (periods, d). ``y`` is not used."""
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=2)
        return self._follow(rows(X, getattr(self, "feature_names_in_", None)), None, X.shape[1])

    def fit_moments(self, mean, covariance):
        """From expected returns of shape (d,) and their covariance of shape (d, d)."""
        mean, covariance = np.array(mean, dtype=float), np.array(covariance, dtype=float)
        if mean.ndim != 1 or covariance.shape != (len(mean), len(mean)):
            raise InputError(f"a mean of shape {mean.shape} and a covariance of shape {covariance.shape} do not agree")
        self.n_features_in_ = len(mean)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self._follow(None, (mean.tolist(), covariance.tolist()), len(mean))

    def _follow(self, returns, moments, d):
        report, close = watcher(self.progress, type(self).__name__)
        lower, upper = (np.broadcast_to(np.asarray(v, dtype=float), (d,)).tolist() for v in (self.lower, self.upper))
        try:
            inner = Frontier.follow(returns, moments, lower, upper, report)
        finally:
            close()
        self.path_ = FrontierPath(inner, getattr(self, "feature_names_in_", None), float(self.risk_free))
        warn_unless_certified(self.path_.certificate(), "t", stacklevel=3)
        chosen = self.max_sharpe() if self.t is None else self.path_.at(self.t)
        # Where no portfolio has a Sharpe ratio, that of least variance.
        self.weights_ = self.path_.at(0.0).w if chosen is None else chosen.w
        return self

    def max_sharpe(self):
        """The portfolio with the largest Sharpe ratio; None if no portfolio has one."""
        check_is_fitted(self)
        found = self.path_._inner.max_sharpe(float(self.risk_free))
        return None if found is None else Solution(**found)

    def with_return(self, mean):
        """The efficient portfolio with a given return, in units of the returns."""
        check_is_fitted(self)
        return Solution(**self.path_._inner.with_return(float(mean), float(self.risk_free)))

    def predict(self, X):
        """The returns of the portfolio ``weights_`` in the periods of X: an array of shape (m,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        rows(X, getattr(self, "feature_names_in_", None))
        return X @ self.weights_
