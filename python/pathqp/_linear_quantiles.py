"""Linear quantile regression at every quantile."""

import numpy as np
import scipy.sparse as sparse
from scipy.stats import norm
from scipy.stats import t as student

from ._checks import as_number, as_numbers, not_negative
from ._curves import RowQuantiles
from ._data import question, training
from ._linear import LinearPath
from ._names import renamed
from ._pathqp import InputError
from ._program import ParametricQP

#: What ``vary`` may be, as the command line calls it.
_VARY = {"quantile": "tau", "alpha": "lambda"}
_FORMER_VARY = {"tau": "quantile", "lambda": "alpha", "l1": "alpha"}


class LinearQuantileRegressor(RowQuantiles, LinearPath):
    """Linear quantile regression, with or without an l1 penalty: one fit gives every quantile tau from 0 to 1.

    Minimises ``sum v_i rho_tau(y_i - x_i w - b) + alpha |w|_1`` for all tau at once; v are case weights. The
    coefficients are step functions of tau. ``QuantileRegressor(alpha=a)`` of scikit-learn, which takes the mean of the
    losses, is ``alpha = a sum(v)``.

    Parameters
    ----------
    quantile : float, default=0.5
        The tau that ``predict``, ``coef_`` and ``intercept_`` use. With ``vary="quantile"`` fitting does not depend on it.
    alpha : float, default=None
        The l1 penalty, in units of the sum of the losses; None is no penalty. With ``vary="alpha"`` it does not
        matter when fitting: it is the penalty of ``coef_``, and the default of ``predict``.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    vary : {"quantile", "alpha"}, default="quantile"
        What varies along the path.
    max_events : int, default=None
        The largest number of events (changes of the active set); the path ends there. None is no limit.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over tau, or over the penalty from the largest one down to 0.
    coef_ : ndarray of shape (d,)
        The coefficients at ``quantile`` or ``alpha``.
    intercept_ : float
        The intercept there; zero without one.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Koenker and Bassett (1978), doi:10.2307/1913643; Koenker and d'Orey (1987), doi:10.2307/2347802; Koenker and Machado
    (1999), doi:10.1080/01621459.1999.10473882 (goodness of fit); Koenker (1994), "Confidence intervals for regression
    quantiles" (rank inversion); Hall and Sheather (1988) (bandwidth).
    """

    _former = {"tau": "quantile", "l1": "alpha"}

    def __init__(
        self, quantile=0.5, *, alpha=None, fit_intercept=True, vary="quantile", max_events=None, progress=False
    ):
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.vary = vary
        self.max_events = max_events
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follow the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows.
        y : array-like of shape (n,)
            The responses, finite numbers.
        sample_weight : array-like of shape (n,), default=None
            Case weights, not negative.

        Returns
        -------
        self : LinearQuantileRegressor
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        vary = _VARY.get(_FORMER_VARY.get(self.vary, self.vary)) if isinstance(self.vary, str) else None
        if vary is None:
            raise InputError(f"vary = {self.vary!r}: it must be 'quantile' or 'alpha'")
        rows, X, y, weights = training(self, X, y, sample_weight, numeric=True)
        asked = {"weights": weights, "bias": ("intercept" if self.fit_intercept else "none", 1.0)}
        if self.alpha is not None:
            not_negative(self, "alpha")
        if vary == "lambda":
            asked["fixed"] = {"tau": as_number("quantile", self.quantile)}
        elif self.alpha is not None:
            asked["numbers"] = {"l1": not_negative(self, "alpha")}
        self.path_ = self._follow(question("quantile-regression", rows, y, **asked), vary)
        self._rows = (X, y, np.ones(len(y)) if weights is None else weights)
        return self

    def _value(self):
        return self.quantile if self.path_.parameter == "quantile" else (self.alpha or 0.0)

    def predict(self, X, value=None):
        """Predict quantiles. They may cross; see :meth:`predict_quantiles`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        value : float or array-like of shape (k,), default=None
            The value of what varies; the estimator's ``quantile`` or ``alpha`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several values
        """
        return self._predict(X, value)

    def _along_tau(self):
        self._curves([])
        if self.path_.parameter != "quantile":
            raise InputError("this path varies the penalty: fit with vary='quantile' for all quantiles")
        return self.path_._inner

    @renamed(taus="quantiles")
    def goodness_of_fit(self, quantiles=None):
        """Compute R1(tau) of Koenker and Machado: 1 minus the ratio of the loss to the loss of the sample quantile.

        Parameters
        ----------
        quantiles : float or array-like of shape (k,), default=None
            Values of tau; the estimator's ``quantile`` unless given.

        Returns
        -------
        float or ndarray of shape (k,)
        """
        self._along_tau()
        X, y, v = self._rows
        order = np.argsort(y, kind="stable")
        share = np.cumsum(v[order])
        found = []
        given = self.quantile if quantiles is None else quantiles
        for tau in as_numbers("quantiles", given):
            # The least y with at least the share tau of the weight below or at it.
            k = min(int(np.searchsorted(share, tau * share[-1] * (1 - 1e-14))), len(y) - 1)
            alone = _loss(y - y[order[k]], tau) @ v
            fit = self.predict(X, tau)
            found.append(1 - (_loss(y - fit, tau) @ v) / alone)
        return found[0] if np.ndim(given) == 0 else np.array(found)

    @renamed(tau="quantile")
    def summary(self, quantile=None, *, se="rank", alpha=0.1):
        """Compute coefficients with standard errors or confidence intervals, like ``summary.rq`` of R.

        Parameters
        ----------
        quantile : float, default=None
            tau; the estimator's ``quantile`` unless given.
        se : {"rank", "iid", "nid"}, default="rank"
            "rank": intervals by inversion of rank tests, for independent and identically distributed errors, each from one
            path. "iid": standard errors for such errors. "nid": standard errors for independent errors that are not
            identically distributed (the sandwich formula).
        alpha : float, default=0.1
            The intervals have the level 1 - alpha.

        Returns
        -------
        dict
            ``coefficients`` (p,), the intercept first, and ``lower`` and ``upper`` (p,); with ``iid`` and ``nid`` also ``errors`` and ``p_values``.
        """
        self._along_tau()
        tau = as_number("quantile", self.quantile if quantile is None else quantile)
        if not 0 < tau < 1:
            raise InputError(f"quantile = {tau}: standard errors need 0 < tau < 1")
        if se not in ("rank", "iid", "nid"):
            raise InputError(f"se = {se!r}: it must be 'rank', 'iid' or 'nid'")
        if self.alpha is not None:
            raise InputError("there are no standard errors with a penalty: fit with alpha=None")
        X, y, v = self._rows
        X = X.toarray() if sparse.issparse(X) else np.asarray(X)
        X = np.column_stack([np.ones(len(y)), X]) if self.fit_intercept else X
        # Weighted losses are losses of weighted rows.
        X, y = X * v[:, None], y * v
        at = self.path_.at(tau)
        beta = np.concatenate([[at.intercept], at.w]) if self.fit_intercept else at.w
        if np.linalg.matrix_rank(X) < X.shape[1]:
            raise InputError("the features are linearly dependent: their coefficients have no standard errors")
        freedom = len(y) - X.shape[1]
        if freedom < 1:
            raise InputError(f"{len(y)} rows and {X.shape[1]} coefficients: more rows are needed")
        if se == "rank":
            ends = np.array([_rank_interval(X, y, tau, alpha, j, beta[j]) for j in range(X.shape[1])])
            return {"coefficients": beta, "lower": ends[:, 0], "upper": ends[:, 1]}
        errors = np.sqrt(np.diag(_covariance(X, y, beta, tau, se, self)))
        width = student.ppf(1 - alpha / 2, freedom) * errors
        p_values = 2 * student.sf(np.abs(beta / errors), freedom)
        return {
            "coefficients": beta,
            "errors": errors,
            "lower": beta - width,
            "upper": beta + width,
            "p_values": p_values,
        }


def _loss(residual, tau):
    return residual * (tau - (residual < 0))


def bandwidth(tau, n, *, alpha=0.05):
    """The bandwidth of Hall and Sheather (1988) for a sparsity at tau from n rows."""
    x = norm.ppf(tau)
    f = norm.pdf(x)
    return n ** (-1 / 3) * norm.ppf(1 - alpha / 2) ** (2 / 3) * (1.5 * f**2 / (2 * x**2 + 1)) ** (1 / 3)


def _covariance(X, y, beta, tau, se, model):
    """The covariance of the coefficients (Koenker 2005, section 3.4), as R's summary.rq computes it."""
    n, p = X.shape
    h = bandwidth(tau, n)
    while tau - h < 0 or tau + h > 1:
        h /= 2
    inverse = np.linalg.inv(X.T @ X)
    residual = y - X @ beta
    noise = np.finfo(float).eps ** (2 / 3)
    if se == "iid":
        # The slope of the residuals' quantiles about tau, without those that the fit makes zero.
        zeros = int((np.abs(residual) < noise).sum())
        m = int(max(p + 1, np.ceil(n * h)))
        order = np.argsort(np.abs(residual), kind="stable")[zeros : zeros + m]
        part = np.sort(residual[order])
        at = np.arange(1, len(part) + 1) / (n - p)
        slope = _line(at, part)
        return slope**2 * inverse * tau * (1 - tau)
    ends = [model.path_.at(tau + sign * h) for sign in (-1, 1)]
    low, high = (np.concatenate([[at.intercept], at.w]) if model.fit_intercept else at.w for at in ends)
    spread = X @ (high - low)
    density = np.maximum(0.0, 2 * h / (spread - noise))
    bread = np.linalg.inv((X * density[:, None]).T @ X)
    return tau * (1 - tau) * bread @ (X.T @ X) @ bread


def _line(x, y):
    """The slope of the median of y given x."""
    fit = LinearQuantileRegressor().fit(x[:, None], y)
    return fit.path_.at(0.5).w[0]


def _rank_interval(X, y, tau, alpha, j, beta):
    """The values xi of coefficient j that the rank test does not reject (Koenker 1994), ends interpolated.

    The rank scores a(xi) of y - xi x_j without column j solve a linear program whose costs move with xi; the statistic x_perp'(a - (1 - tau)) falls from step to step.
    """
    n, p = X.shape
    if p == 1:
        raise InputError("rank inversion needs at least two coefficients: use se='iid'")
    x, rest = X[:, j], np.delete(X, j, axis=1)
    away = x - rest @ np.linalg.lstsq(rest, x, rcond=None)[0]
    size = np.sqrt(tau * (1 - tau) * (away @ away))
    critical = student.ppf(1 - alpha / 2, n - p)
    totals = (1 - tau) * rest.sum(axis=0)
    ends = []
    for sign in (-1.0, 1.0):
        # From beta outwards; y - (beta + sign s) x.
        program = ParametricQP(
            c=(-(y - beta * x), sign * x), A=rest.T, row_lower=totals, row_upper=totals, lower=0.0, upper=1.0
        )
        ends.append(_crossing(program, lambda a: away @ (a - (1 - tau)) / size, critical, beta, sign))
    return ends


def _crossing(program, statistic, critical, beta, sign):
    """Where the statistic, that of each piece taken at its inner end, passes the critical value; infinite where it never does."""
    path = program.path(0.0, np.inf)
    starts = np.concatenate([[0.0], path.breakpoints[path.breakpoints > 0]])
    inside = np.append((starts[:-1] + starts[1:]) / 2, 2 * starts[-1] + 1.0)
    found = np.abs([statistic(a) for a in path.curves(inside)["x"]])
    beyond = np.flatnonzero(found > critical)
    if not beyond.size:
        return sign * np.inf
    k = beyond[0]
    if k == 0:
        return beta
    part = (critical - found[k - 1]) / (found[k] - found[k - 1])
    return beta + sign * (starts[k - 1] + (starts[k] - starts[k - 1]) * part)
