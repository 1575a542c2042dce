"""Every efficient portfolio."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._checks import as_number, checked, not_negative, number, positive, table, vector
from ._data import DataWarning, question, rows
from ._estimator import PathEstimator
from ._names import named_as_here
from ._path import Path, Solution
from ._pathqp import InputError, looks_like_prices, max_sharpe, returns_of_prices, with_return, with_risk
from ._tables import Labels, constraints, labels_of
from ._warn import warn


class FrontierPath(Path):
    """The path of efficient portfolios over the risk tolerance, what a return is worth against half a variance;
    see :class:`Path`.
    """

    def _places(self):
        return np.unique(np.concatenate([[0.0], self._inner.breakpoints]))


class CriticalLine(PathEstimator):
    """The critical line algorithm: one fit gives every efficient portfolio, from the least variance to the largest return.

    Minimises ``1/2 w'Sw - t m'w`` subject to ``sum w = 1``, bounds on each weight and, if there is an A, ``row_lower <=
    A w <= row_upper``, for every risk tolerance t >= 0; m and S are the mean and the covariance of the returns.
    The covariance may be singular.

    Series and DataFrames of pandas are matched by their labels: the first with labels of returns or mean, covariance,
    lower, upper and A (its columns) sets the order of the assets, and the others with labels are put in this order; different
    labels are an ``InputError``. Arrays, lists and the default labels of pandas, 0 to d - 1, are matched by position.

    Parameters
    ----------
    lower, upper : float or array-like of shape (d,), default=0, 1
        Bounds of the weights; they may be infinite.
    A : array-like or sparse matrix of shape (m, d), default=None
        Linear constraints ``row_lower <= A w <= row_upper`` on the weights: budgets of sectors, exposures to factors.
    row_lower, row_upper : float or array-like of shape (m,), default=None
        Bounds of A w; infinite entries are no bounds, equal ones are equalities.
    periods_per_year : float, default=1
        Annualises the returns: ``fit`` and ``fit_prices`` multiply the mean and the covariance of one period by this
        number. Returns are added, not compounded, and different periods count as uncorrelated.
    risk_free_rate : float, default=0
        The risk-free return for Sharpe ratios, in the units of the returns (per year if they are annualised).
    risk_tolerance : float, default=None
        The t of the portfolio ``weights_``; by default the portfolio with the largest Sharpe ratio, or of least variance
        if no portfolio has one.
    tolerance : float, default=None
        Approximate the path with fewer points; between them the duality gap is at most this, in units of the
        objective. None is the exact path.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over the risk tolerance. Its solutions have ``w``, ``mean``, ``variance`` and ``sharpe``.
    weights_ : ndarray of shape (d,)
        The weights of the chosen portfolio.
    n_features_in_ : int
        The number of assets d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the assets, where all are strings.

    References
    ----------
    Markowitz (1956), doi:10.1002/nav.3800030110; Niedermayer and Niedermayer (2010), doi:10.1007/978-0-387-77439-8_12.
    """

    _former = {"risk_free": "risk_free_rate", "t": "risk_tolerance"}

    def __init__(
        self,
        lower=0.0,
        upper=1.0,
        *,
        A=None,
        row_lower=None,
        row_upper=None,
        periods_per_year=1.0,
        risk_free_rate=0.0,
        risk_tolerance=None,
        tolerance=None,
        progress=False,
    ):
        self.lower = lower
        self.upper = upper
        self.A = A
        self.row_lower = row_lower
        self.row_upper = row_upper
        self.periods_per_year = periods_per_year
        self.risk_free_rate = risk_free_rate
        self.risk_tolerance = risk_tolerance
        self.tolerance = tolerance
        self.progress = progress

    def fit(self, X, y=None):
        """Follow the path for returns: one row per period, one column per asset.

        Data that look like prices (positive values with an implausible mean that change little from row to row) are
        used as they are, with a ``DataWarning``; see :meth:`fit_prices`.

        Parameters
        ----------
        X : array-like of shape (periods, d)
            The returns.
        y : None
            Not used.

        Returns
        -------
        self : CriticalLine
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter or a return cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        return self._fit_rows(X, 2, prices=False)

    def fit_prices(self, X, y=None):
        """Follow the path for prices: one row per date, one column per asset. The returns are ``p[k] / p[k-1] - 1``.

        Parameters
        ----------
        X : array-like of shape (periods + 1, d)
            The prices, greater than zero.
        y : None
            Not used.

        Returns
        -------
        self : CriticalLine
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter or a price cannot be used; the message names it.
        """
        return self._fit_rows(X, 3, prices=True)

    def fit_moments(self, mean, covariance):
        """Follow the path for expected returns and their covariance.

        Parameters
        ----------
        mean : array-like of shape (d,)
            The expected returns.
        covariance : array-like of shape (d, d)
            Their covariance.

        Returns
        -------
        self : CriticalLine
            The fitted estimator.

        Raises
        ------
        InputError
            If shapes or labels do not agree, or numbers cannot be used.
        """
        labels = [labels_of(mean, 0)] + [labels_of(covariance, axis) for axis in (0, 1)]
        mean, covariance = vector("mean", mean), table("covariance", covariance)
        if mean.ndim != 1 or covariance.shape != (len(mean), len(mean)):
            raise InputError(f"a mean of shape {mean.shape} and a covariance of shape {covariance.shape} do not agree")
        assets = Labels()
        mean = mean[assets.order("mean", labels[0])]
        # Where only rows or only columns have labels, the others are in their order.
        covariance = covariance[assets.order("the rows of covariance", labels[1] or labels[2])]
        covariance = covariance[:, assets.order("the columns of covariance", labels[2] or labels[1])]
        self.n_features_in_ = len(mean)
        self.__dict__.pop("feature_names_in_", None)
        if assets.labels is not None and all(isinstance(label, str) for label in assets.labels):
            self.feature_names_in_ = np.array(assets.labels, dtype=object)
        self._alone = mean, np.sqrt(np.diag(covariance))
        return self._posed({"mean": [mean.tolist()], "cov": covariance.tolist()}, assets)

    def _fit_rows(self, X, least, prices):
        assets = Labels()
        assets.order("the columns of X", labels_of(X, 1) if getattr(X, "ndim", 0) == 2 else None)
        X = checked(self, X, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=least)
        given = rows(X, getattr(self, "feature_names_in_", None))
        if prices:
            return self._posed({"train": returns_of_prices(given)}, assets)._shown_alone(X[1:] / X[:-1] - 1)
        if (reason := looks_like_prices(given)) is not None:
            warn(f"{reason}; use fit_prices for prices, and disregard this if they are returns", DataWarning)
        return self._posed({"train": given}, assets)._shown_alone(X)

    def _shown_alone(self, returns):
        """Keeps the mean return and the risk of each asset for figures."""
        periods = positive(self, "periods_per_year")
        self._alone = periods * returns.mean(axis=0), np.sqrt(periods) * returns.std(axis=0, ddof=1)
        return self

    def _names_of_features(self):
        return self._asset_names

    def _posed(self, tables, assets):
        bounds = {name: [self._bounds(name, assets)] for name in ("lower", "upper")}
        rows = (self.A, self.row_lower, self.row_upper, self.n_features_in_)
        constrained = constraints(*rows, lambda labels: assets.order("the columns of A", labels))
        numbers = {"risk-free": number(self, "risk_free_rate")}
        if "train" in tables:
            numbers["periods-per-year"] = positive(self, "periods_per_year")
        asked = question("critical-line", tables={**tables, **bounds, **constrained}, numbers=numbers)
        self._asset_names = None if assets.labels is None else np.array(list(map(str, assets.labels)), dtype=object)
        self.path_ = self._follow(asked, "t", kind=FrontierPath)
        if self.risk_tolerance is None:
            chosen = self._max_sharpe()
        else:
            chosen = self.path_.at(not_negative(self, "risk_tolerance"))
        # Where no portfolio has a Sharpe ratio, that of least variance.
        self.weights_ = self.path_.at(0.0).w if chosen is None else chosen.w
        return self

    def _bounds(self, name, assets):
        """The lower or upper bounds, one a weight, as a list."""
        given, d = getattr(self, name), self.n_features_in_
        values = vector(name, given, infinite=True).reshape(np.shape(given))
        if values.ndim > 1 or (values.shape not in ((), (1,), (d,)) and labels_of(given, 0) is None):
            raise InputError(
                f"{name} has the shape {values.shape}: it must be a number or have one for each of {d} assets"
            )
        if values.ndim == 1:
            values = values[assets.order(name, labels_of(given, 0))]
        return np.broadcast_to(values, (d,)).tolist()

    def max_sharpe(self):
        """Find the portfolio with the largest Sharpe ratio.

        If no portfolio returns more than ``risk_free_rate``, more risk makes the ratio larger, and the largest ratio is
        at a vertex of the feasible set: that portfolio is returned, with a ``DataWarning`` (its ``value`` is nan if it is
        not efficient). The result is None, with a ``DataWarning``, if there are too many vertices to compare, or if the
        ratio is unbounded because weights are.

        Returns
        -------
        Solution or None
            The portfolio with its certificate, or None.
        """
        check_is_fitted(self)
        return self._max_sharpe()

    def _max_sharpe(self):
        found, _, caution = max_sharpe(self.path_._inner, number(self, "risk_free_rate"))
        if caution is not None:
            warn(caution, DataWarning)
        return None if found is None else Solution(**found)

    def with_return(self, mean):
        """Find the efficient portfolio with a given return.

        Parameters
        ----------
        mean : float
            In units of the returns.

        Returns
        -------
        Solution
            With its certificate.

        Raises
        ------
        InputError
            If no efficient portfolio has the return, up to rounding; the message has the smallest and the largest.
        """
        check_is_fitted(self)
        with named_as_here():
            return Solution(**with_return(self.path_._inner, as_number("mean", mean), number(self, "risk_free_rate")))

    def with_risk(self, risk):
        """Find the efficient portfolio with a given risk, the standard deviation of its return.

        Parameters
        ----------
        risk : float
            In units of the returns.

        Returns
        -------
        Solution
            With its certificate.

        Raises
        ------
        InputError
            If no efficient portfolio has the risk, up to rounding; the message has the smallest and the largest.
        """
        check_is_fitted(self)
        with named_as_here():
            return Solution(**with_risk(self.path_._inner, as_number("risk", risk), number(self, "risk_free_rate")))

    def plot(self, ax=None):
        """Draw the frontier, return against risk, with each asset and the portfolio of the largest Sharpe ratio.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_frontier

        check_is_fitted(self)
        names = [f"x{j}" for j in range(self.n_features_in_)] if self._asset_names is None else self._asset_names
        return plot_frontier(self.path_, self._alone, names, self._max_sharpe(), number(self, "risk_free_rate"), ax)

    def predict(self, X):
        """Compute the returns of the portfolio ``weights_``.

        Parameters
        ----------
        X : array-like of shape (m, d)
            The returns of the assets in m periods.

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self)
        X = checked(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        rows(X, getattr(self, "feature_names_in_", None))
        return X @ self.weights_
