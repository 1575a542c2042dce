"""The l1-norm SVM at every penalty."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ._classifiers import by_class, signs
from ._data import question, training
from ._linear import Coefficients


class L1SVC(ClassifierMixin, Coefficients):
    """The l1-norm SVM: one fit gives a linear classifier with few features at every penalty alpha.

    Minimises ``sum v_i max(0, 1 - y_i (x_i w + b)) + alpha ||w||_1``; v are case weights. The coefficients are step
    functions of alpha.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty of ``coef_``, and the default of ``predict`` and ``decision_function``.
    alpha_min : float, default=0
        The penalty at which the path ends.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    class_weight : dict or "balanced", default=None
        Weights of the classes, by which those of the rows are multiplied, as in :class:`sklearn.svm.SVC`.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        Over alpha, from a penalty at which all coefficients are zero down to ``alpha_min``.
    coef_ : ndarray of shape (1, d)
        The coefficients at ``alpha``.
    intercept_ : ndarray of shape (1,)
        The intercept there; zero without one.
    classes_ : ndarray of shape (2,)
        The labels in sorted order; the second is +1.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Zhu, Rosset, Hastie and Tibshirani (2003), "1-norm support vector machines", NIPS 16.
    """

    def __init__(self, alpha=1.0, *, alpha_min=0.0, fit_intercept=True, class_weight=None, progress=False):
        self.alpha = alpha
        self.alpha_min = alpha_min
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.progress = progress

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X, y, sample_weight=None):
        """Follow the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows.
        y : array-like of shape (n,)
            Two classes; the second in sorted order is +1.
        sample_weight : array-like of shape (n,), default=None
            Case weights, not negative. Rows of weight zero are ignored in fitting.

        Returns
        -------
        self : L1SVC
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        rows, X, y, weights = training(self, X, y, sample_weight)
        labels = signs(self, y, weights)
        weights = by_class(self, y, labels > 0, weights)
        least = self._least_alpha()
        bias = ("intercept" if self.fit_intercept else "none", 1.0)
        asked = question("l1-svm", rows, labels, weights=weights, bias=bias)
        self.path_ = self._follow(asked, "alpha", (None, least))
        return self

    @property
    def coef_(self):
        """The coefficients, of shape (1, d)."""
        check_is_fitted(self)
        return self._curves(self._value())["w"][:1]

    @property
    def intercept_(self):
        """The intercept, of shape (1,); zero if there is none."""
        check_is_fitted(self)
        return np.asarray(self._curves(self._value()).get("intercept", [0.0]), dtype=float)[:1]

    def decision_function(self, X, alpha=None):
        """Compute Xw + intercept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        alpha : float or array-like of shape (k,), default=None
            The penalty; the estimator's ``alpha`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several alpha
            Positive for the second class.
        """
        return self._predict(X, alpha)

    def predict(self, X, alpha=None):
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        alpha : float or array-like of shape (k,), default=None
            The penalty; the estimator's ``alpha`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several alpha
            Labels of ``classes_``.
        """
        f = self.decision_function(X, alpha)
        return self.classes_[(f > 0).astype(int)]
