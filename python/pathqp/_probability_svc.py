"""The SVM whose probabilities come from the path over all quantiles."""

from itertools import combinations
from numbers import Integral

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from ._calibration import scores
from ._checks import as_numbers, checked
from ._classifiers import by_class, known_classes
from ._coupling import couple
from ._data import training
from ._pairs import Pair, Table, choose, half_decades, listed
from ._pathqp import InputError


class ProbabilitySVC(ClassifierMixin, BaseEstimator):
    """An SVM with class probabilities that predicts the most probable class: a replacement for ``SVC(probability=True)``.

    For two classes P comes from the quantile SVMs of all tau, that is from one path of :class:`QuantileSVC`: in the
    limit f_tau(x) > 0 where P(Y = 1|x) > tau, so P is the share of tau at which f_tau(x) > 0. That share is smoothed
    over tau by a width, and calibrated by a logistic function. ``alpha``, width and calibration are those with the
    least log loss on rows that were held out. More classes are coupled from all pairs.

    Parameters
    ----------
    alphas : float or array-like of shape (k,), default=None
        The penalties to choose from; a single one is used as it is. By default a search in steps of half a decade starts
        at 10^-2 and continues while a step lowers the log loss by 0.001 or more.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="rbf"
        As in :class:`QuantileSVC`.
    gamma, degree, coef0, bias
        As in :class:`QuantileSVC`. With ``gamma="scale"`` the variance is that of the rows of each path.
    class_weight : dict or "balanced", default=None
        Weights of the classes, by which those of the rows are multiplied, as in :class:`sklearn.svm.SVC`. The
        probabilities are then those of a population with classes of these weights.
    cv : int, cross-validation generator or iterable, default=5
        The folds; stratified if a number.
    n_jobs : int, default=None
        The number of paths that are followed in parallel, as in :class:`joblib.Parallel`; None is one. The result
        does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    pairs_ : list of (int, int)
        The pairs of classes, by their places in ``classes_``; the second is +1.
    estimators_ : list of QuantileSVC
        The path of each pair, on all rows of its classes.
    alphas_ : ndarray of shape (n_pairs,)
        The penalty of each pair.
    widths_ : ndarray of shape (n_pairs,)
        The width h with which tau is smoothed: P_h(x) is the mean of 1/(1 + exp(-f_tau(x)/h)) over tau; 0 is the
        exact share.
    calibration_ : ndarray of shape (n_pairs, 2)
        a and b in P(Y = 1|x) = 1/(1 + exp(-a - b s)), where s is the logit of P_h(x), which is kept from 0 and 1.
    losses_ : list of dict
        For each pair the alphas that were tried, with the log loss of the rows held out.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    See Also
    --------
    QuantileSVC : The classifier of one tau, and the share itself.

    References
    ----------
    Platt (2000), "Probabilities for SV machines", Advances in Large Margin Classifiers (the logistic function); Wu, Lin
    and Weng (2004), "Probability estimates for multi-class classification by pairwise coupling", JMLR 5 (their second
    method).

    Examples
    --------
    >>> import numpy as np
    >>> from pathqp import ProbabilitySVC
    >>> X = np.arange(40.0)[:, None]
    >>> model = ProbabilitySVC().fit(X, np.repeat(["low", "middle", "high", "top"], 10))
    >>> model.predict([[2], [17], [35]]).tolist()
    ['low', 'middle', 'top']
    >>> model.predict_proba([[2], [17]]).shape
    (2, 4)
    """

    def __init__(
        self,
        alphas=None,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        bias="intercept",
        class_weight=None,
        cv=5,
        n_jobs=None,
    ):
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.class_weight = class_weight
        self.cv = cv
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X, y, sample_weight=None, groups=None):
        """Choose alpha, width and calibration of each pair of classes by cross-validation, and follow its path on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows. With ``kernel="precomputed"`` the n x n kernel matrix.
        y : array-like of shape (n,)
            Their classes, two or more.
        sample_weight : array-like of shape (n,), default=None
            Case weights, not negative; only their ratios matter. Rows of weight zero are ignored in fitting.
        groups : array-like of shape (n,), default=None
            For a ``cv`` that keeps groups together.

        Returns
        -------
        self : ProbabilitySVC
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it. Also if a fold holds out a whole
            class.
        PathError
            If the path cannot be followed.
        """
        _, X, y, weights = training(self, X, y, sample_weight)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise InputError(f"a precomputed kernel of {X.shape[0]} rows has {X.shape[1]} columns: it must be square")
        which = known_classes(self, y, weights)
        by_row = by_class(self, y, which, weights)
        by_row = np.ones(len(y)) if by_row is None else by_row
        table, folds = Table(X, self._machine()), self._folds(X, y, by_row, groups)
        self.pairs_ = list(combinations(range(len(self.classes_)), 2))
        walks = [self._alphas() for _ in self.pairs_]
        pairs = []
        for (first, second), alphas in zip(self.pairs_, walks):
            positive = which == second
            members = (positive | (which == first)) & (by_row > 0)
            names = self.classes_[[first, second]].tolist()
            pairs.append(Pair(table, names, members, positive, by_row, folds, alphas))
        self.estimators_ = choose(pairs, self.n_jobs)
        self._rows = [pair.rows for pair in pairs]
        self.alphas_, self.widths_ = (np.array([pair.best[k] for pair in pairs]) for k in (1, 2))
        self.calibration_ = np.array([pair.best[3] for pair in pairs])
        self.losses_ = [pair.losses for pair in pairs]
        return self

    def _machine(self):
        return {name: getattr(self, name) for name in ("kernel", "gamma", "degree", "coef0", "bias")}

    def _alphas(self):
        """What is tried, a generator."""
        if self.alphas is None:
            return half_decades()
        alphas = as_numbers("alphas", self.alphas)
        if not len(alphas):
            raise InputError("alphas is empty: at least one is needed")
        for k in np.flatnonzero(~(np.isfinite(alphas) & (alphas > 0)))[:1]:
            raise InputError(f"alphas[{k}] = {alphas[k]}: it must be a finite number greater than zero")
        return listed(alphas)

    def _folds(self, X, y, weights, groups):
        """Pairs of indices; a number of folds is one of the rows that count."""
        counted = np.flatnonzero(weights > 0) if isinstance(self.cv, Integral) else np.arange(len(y))
        groups = None if groups is None else np.asarray(groups)[counted]
        folds = list(check_cv(self.cv, y[counted], classifier=True).split(X[counted], y[counted], groups))
        if not folds:
            raise InputError("cv has no folds: at least one is needed")
        return [(counted[train], counted[held]) for train, held in folds]

    def predict_proba(self, X):
        """Estimate P(Y = y|x).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows; of a precomputed kernel their values k(x, x_i) at all training rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            In the order of ``classes_``; each row sums to one.
        """
        check_is_fitted(self)
        X = checked(self, X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, reset=False)
        table, size = Table(X, self._machine()), len(self.classes_)
        pairwise = np.full((X.shape[0], size, size), 0.5)
        each = zip(self.pairs_, self.estimators_, self._rows, self.widths_, self.calibration_)
        for (first, second), model, rows, width, (a, b) in each:
            s = scores(model, table.oblong(slice(None), rows), (width,))[0]
            pairwise[:, second, first], pairwise[:, first, second] = expit(a + b * s), expit(-a - b * s)
        return couple(pairwise)

    def predict_log_proba(self, X):
        """Compute the logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            In the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X):
        """Predict the most probable class of each row, by :meth:`predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            Labels of ``classes_``, the first one of equally probable ones.
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]
