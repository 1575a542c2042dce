"""The quantile SVM."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._classifiers import BinaryMachine
from ._data import features


class QuantileSVC(BinaryMachine):
    """The quantile SVM: one fit gives the classifier of every quantile parameter tau from 0 to 1.

    Minimises ``lam/2 ||f||^2 + sum c_i(tau) max(0, 1 - y_i f(x_i))`` with ``c_i = 2(1 - tau)/n`` for the class +1 and
    ``2 tau/n`` for the class -1, for all tau at once. In the limit f has the sign of P(Y = 1|x) - tau, so the tau at which it
    changes estimates the probability.

    Parameters
    ----------
    lam : float, default=1e-3
        The penalty lambda.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="linear"
    gamma : {"scale", "auto"} or float, default="scale"
        Of the kernels exp(-gamma ||x - z||^2), exp(-gamma ||x - z||_1) and (gamma x.z + coef0)^degree.
    degree : int, default=3
    coef0 : float, default=0
    bias : {"intercept", "none", "augmented"} or float, default="intercept"
        A constant without penalty, none, or one as the weight of a constant feature (1, or the number given).
    tau : float, default=0.5
        What ``predict`` and ``decision_function`` use unless told otherwise. Fitting does not depend on it.
    n_threads : int, default=1
        The path does not depend on it.
    max_events : int, optional
        The path ends after so many changes of the active set.
    progress : bool or callable, default=False
        True shows a bar (of tqdm, if installed); a callable gets the part done (0 to 1) and the number of events.

    Attributes
    ----------
    path_ : Path
        The solutions for all tau.
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    Yu, Vishwanathan and Zhang (2009), "The entire quantile path of a risk-agnostic SVM classifier", UAI.

    Examples
    --------
    >>> from pathqp import QuantileSVC
    >>> model = QuantileSVC(lam=0.1).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [2.5]], tau=0.3).tolist()
    [0, 1]
    """

    def __init__(
        self,
        lam=1e-3,
        *,
        kernel="linear",
        gamma="scale",
        degree=3,
        coef0=0.0,
        bias="intercept",
        tau=0.5,
        n_threads=1,
        max_events=None,
        progress=False,
    ):
        self.lam = lam
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.tau = tau
        self.n_threads = n_threads
        self.max_events = max_events
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follows the path for all tau.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            With ``kernel="precomputed"`` the n x n kernel matrix.
        y : array-like of shape (n,)
            Two classes; the second in sorted order is +1.
        sample_weight : array-like of shape (n,), optional
            Not negative. A row of weight zero has no say, and is predicted like any other.

        Returns
        -------
        self
        """
        X_rows, X, y, weights = self._training(X, y, sample_weight)
        question = self._question("quantile-svm", X_rows, X, y, weights, {"lambda": float(self.lam)})
        self.path_ = self._follow(question, "tau")
        return self

    def decision_function(self, X, tau=None):
        """f_tau(x).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
        tau : float or array-like of shape (k,), optional

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several tau
        """
        return self._values(X, self.tau if tau is None else tau)

    def predict(self, X, tau=None):
        """The class of each row at tau: an array of shape (m,), or (m, k) for several tau."""
        return self._classes(self.decision_function(X, tau=tau))

    def predict_proba(self, X):
        """P(Y = y|x) from the whole path: the share of tau at which f_tau(x) > 0.

        Returns
        -------
        ndarray of shape (m, 2)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        positive, _ = self.path_._inner.probabilities(features(self, X))
        return np.column_stack([1.0 - positive, positive])

    def rates(self, X, y):
        """True positive and true negative rates and accuracy on labelled rows, exactly, for every tau.

        Returns
        -------
        dict
            ``tau`` (K + 1,), and ``tpr``, ``tnr``, ``accuracy`` (K,), constant between two tau.
        """
        check_is_fitted(self)
        found = self.path_._inner.rates(features(self, X), self._known_signs(y))
        return dict(zip(("tau", "tpr", "tnr", "accuracy"), found))
