"""The Dantzig selector at every bound."""

from ._data import question, training
from ._linear import LinearPath


class DantzigSelector(LinearPath):
    """The Dantzig selector: one fit gives the coefficients at every bound alpha on the inner products of residuals and columns.

    Minimises ``||w||_1`` subject to ``|X'(y - Xw)| <= alpha`` for every column; with an intercept X and y are centred.
    ``alpha`` corresponds to n times the ``alpha`` of :class:`sklearn.linear_model.Lasso`.

    Parameters
    ----------
    alpha : float, default=1.0
        The bound of ``coef_``, and the default of ``predict``. At and above the largest bound of the path all
        coefficients are zero.
    alpha_min : float, default=0
        The bound at which the path ends.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over alpha, from the least bound at which all coefficients are zero down to ``alpha_min``.
    coef_ : ndarray of shape (d,)
        The coefficients at ``alpha``.
    intercept_ : float
        The intercept there; zero without one.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Candes and Tao (2007), doi:10.1214/009053606000001523; James, Radchenko and Lv (2009),
    doi:10.1111/j.1467-9868.2008.00668.x (its path).
    """

    def __init__(self, alpha=1.0, *, alpha_min=0.0, fit_intercept=True, progress=False):
        self.alpha = alpha
        self.alpha_min = alpha_min
        self.fit_intercept = fit_intercept
        self.progress = progress

    def fit(self, X, y):
        """Follow the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows.
        y : array-like of shape (n,)
            The responses, finite numbers.

        Returns
        -------
        self : DantzigSelector
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter or a row cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        rows, X, y, _ = training(self, X, y, numeric=True)
        least = self._least_alpha()
        bias = ("intercept" if self.fit_intercept else "none", 1.0)
        self.path_ = self._follow(question("dantzig", rows, y, bias=bias), "alpha", (None, least))
        return self

    def predict(self, X, alpha=None):
        """Predict Xw + intercept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        alpha : float or array-like of shape (k,), default=None
            The bound; the estimator's ``alpha`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several alpha

        Raises
        ------
        InputError
            If the bound lies below the end of the path.
        """
        return self._predict(X, alpha)
