"""The lasso at every penalty."""

from ._checks import not_negative
from ._data import question, training
from ._linear import LinearPath
from ._tables import Labels, constraints


class LassoPath(LinearPath):
    """The lasso: one fit gives the coefficients at every penalty alpha, with or without a fixed ridge penalty.

    Minimises ``1/(2n) ||y - Xw||^2 + alpha ||w||_1 + ridge/2 ||w||^2``, in the scale of
    :class:`sklearn.linear_model.Lasso`. ``ElasticNet(alpha=a, l1_ratio=r)`` is the point ``alpha = a r`` of the path
    with ``ridge = a (1 - r)``.

    Parameters
    ----------
    alpha : float, default=0.1
        The penalty of ``coef_``, and the default of ``predict``. At and above the largest penalty of the path all
        coefficients are zero, or have the least l1 norm that the rows of A allow.
    ridge : float, default=0
        The ridge penalty: the weight of 1/2 ||w||^2.
    A : array-like or sparse matrix of shape (m, d), default=None
        Linear constraints ``row_lower <= A w <= row_upper`` on the coefficients. The columns of a DataFrame
        are matched with the names of the features by their labels, if both have some.
    row_lower, row_upper : float or array-like of shape (m,), default=None
        Bounds of A w; infinite entries are no bounds, equal ones are equalities. ``A=np.ones((1, d)),
        row_lower=0, row_upper=0`` is the sum-to-zero constraint of compositional data.
    alpha_min : float, default=0
        The penalty at which the path ends.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    tolerance : float, default=None
        Approximate the path with fewer points; between them the duality gap is at most this, in units of the
        objective. None is the exact path.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over alpha, from the least penalty at which all coefficients are zero down to ``alpha_min``.
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
    Efron, Hastie, Johnstone and Tibshirani (2004), doi:10.1214/009053604000000067; Tibshirani (2013),
    doi:10.1214/13-EJS815 (repeated columns and more columns than rows). With rows: Gaines, Kim and Zhou (2018),
    doi:10.1080/10618600.2018.1473777; James, Paulson and Rusmevichientong (2020), doi:10.1080/01621459.2019.1609970.
    """

    def __init__(
        self,
        alpha=0.1,
        *,
        ridge=0.0,
        A=None,
        row_lower=None,
        row_upper=None,
        alpha_min=0.0,
        fit_intercept=True,
        tolerance=None,
        progress=False,
    ):
        self.alpha = alpha
        self.ridge = ridge
        self.A = A
        self.row_lower = row_lower
        self.row_upper = row_upper
        self.alpha_min = alpha_min
        self.fit_intercept = fit_intercept
        self.tolerance = tolerance
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
        self : LassoPath
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter or a row cannot be used; the message names it. Also if no coefficients satisfy the rows of A.
        PathError
            If the path cannot be followed.
        """
        rows, X, y, _ = training(self, X, y, numeric=True)
        least = self._least_alpha()
        bias = ("intercept" if self.fit_intercept else "none", 1.0)
        numbers = {"ridge": not_negative(self, "ridge")}
        features = Labels()
        names = self._names_of_features()
        features.order("the columns of X", None if names is None else list(names))
        given = (self.A, self.row_lower, self.row_upper, X.shape[1])
        constrained = constraints(*given, lambda labels: features.order("the columns of A", labels))
        asked = question("lasso", rows, y, bias=bias, numbers=numbers, tables=constrained)
        self.path_ = self._follow(asked, "alpha", (None, least))
        return self

    def predict(self, X, alpha=None):
        """Predict Xw + intercept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        alpha : float or array-like of shape (k,), default=None
            The penalty; the estimator's ``alpha`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several alpha

        Raises
        ------
        InputError
            If the penalty lies below the end of the path.
        """
        return self._predict(X, alpha)
