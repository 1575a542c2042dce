"""Quantile planes that do not cross, at every penalty."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_pinball_score
from sklearn.utils.validation import check_is_fitted

from ._checks import as_numbers
from ._data import features, question, training
from ._linear import Coefficients


class NonCrossingQuantileRegressor(RegressorMixin, Coefficients):
    """Linear quantile regression at several levels whose planes do not cross: one fit gives all planes at every l1
    penalty alpha.

    Minimises ``sum_k (sum_i v_i rho_tau_k(y_i - x_i w_k - b_k) + alpha |w_k|_1)`` subject to
    ``x_i w_k + b_k <= x_i w_(k+1) + b_(k+1)`` at every training row; v are case weights. The coefficients are step
    functions of alpha. With one level it is ``LinearQuantileRegressor(vary="alpha")``.

    Parameters
    ----------
    quantiles : sequence of float, default=(0.1, 0.5, 0.9)
        The K levels tau in rising order, each strictly between 0 and 1.
    alpha : float, default=0
        The penalty of ``coef_``, and the default of ``predict``, in units of the sum of the losses.
    alpha_min : float, default=0
        The penalty at which the path ends.
    fit_intercept : bool, default=True
        Whether to fit intercepts, which are not penalised.
    max_events : int, default=None
        The largest number of events (changes of the active set); the path ends there. None is no limit.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over alpha, from a penalty at which all coefficients are zero down to ``alpha_min``.
    quantiles_ : ndarray of shape (K,)
        The levels of the fit.
    coef_ : ndarray of shape (K, d)
        The coefficients at ``alpha``, one row a level.
    intercept_ : ndarray of shape (K,)
        The intercepts there; zeros without them.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Takeuchi, Le, Sears and Smola (2006), "Nonparametric quantile estimation", JMLR 7; Bondell, Reich and Wang (2010),
    doi:10.1093/biomet/asq048; He (1997), doi:10.1080/00031305.1997.10473959 (another way).
    """

    def __init__(
        self,
        quantiles=(0.1, 0.5, 0.9),
        *,
        alpha=0.0,
        alpha_min=0.0,
        fit_intercept=True,
        max_events=None,
        progress=False,
    ):
        self.quantiles = quantiles
        self.alpha = alpha
        self.alpha_min = alpha_min
        self.fit_intercept = fit_intercept
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
            Case weights, not negative. Rows of weight zero are ignored: planes may cross there.

        Returns
        -------
        self : NonCrossingQuantileRegressor
            The fitted estimator.

        Raises
        ------
        InputError
            If a level, another parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        levels = as_numbers("quantiles", self.quantiles)
        rows, X, y, weights = training(self, X, y, sample_weight, numeric=True)
        least = self._least_alpha()
        bias = ("intercept" if self.fit_intercept else "none", 1.0)
        asked = question("quantile-planes", rows, y, weights=weights, bias=bias, lists={"taus": levels.tolist()})
        self.quantiles_ = levels
        self.path_ = self._follow(asked, "lambda", (None, least))
        return self

    def _planes(self):
        check_is_fitted(self)
        return self.path_.at(self.alpha)

    @property
    def coef_(self):
        """The coefficients, of shape (K, d)."""
        return self._planes().w

    @property
    def intercept_(self):
        """The intercepts, of shape (K,); zeros if there are none."""
        return self._planes().intercept

    def predict(self, X, alpha=None):
        """Predict the quantiles of all levels. They do not cross at the training rows, nor anywhere in their convex
        hull.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        alpha : float or array-like of shape (k,), default=None
            The penalty; the estimator's ``alpha`` unless given.

        Returns
        -------
        ndarray of shape (m, K), or (m, K, k) for several alpha
            One column a level.

        Raises
        ------
        InputError
            If the penalty lies below the end of the path.
        """
        check_is_fitted(self)
        rows = features(self, X)
        alpha = self.alpha if alpha is None else alpha
        values = as_numbers("alpha", alpha)
        found = self.path_._inner.decision(rows, values)
        found = found.reshape(found.shape[0], len(values), len(self.quantiles_)).transpose(0, 2, 1)
        return found[:, :, 0] if np.ndim(alpha) == 0 else found

    def score(self, X, y, sample_weight=None):
        """Compute the mean over the levels of ``d2_pinball_score`` of scikit-learn: 1 minus the ratio of the loss to the
        loss of the sample quantile.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        y : array-like of shape (m,)
            Their responses.
        sample_weight : array-like of shape (m,), default=None
            Case weights.

        Returns
        -------
        float
        """
        columns = zip(self.quantiles_, self.predict(X).T)
        found = [d2_pinball_score(y, fit, sample_weight=sample_weight, alpha=tau) for tau, fit in columns]
        return float(np.mean(found))
