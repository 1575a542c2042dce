"""The quantile SVM."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._checks import as_count, as_numbers, positive
from ._classifiers import BinaryMachine
from ._data import features
from ._names import FormerKeys, named_as_here, renamed
from ._pathqp import InputError, tune_classifier
from ._tuning import Tuning


class QuantileSVC(BinaryMachine):
    """The quantile SVM: one fit gives the classifier of every quantile parameter tau from 0 to 1.

    Minimises ``alpha/2 ||f||^2 + sum c_i(tau) max(0, 1 - y_i f(x_i))`` with ``c_i = 2(1 - tau)/n`` for the class +1 and
    ``2 tau/n`` for the class -1, for all tau at once; with weights v_i they are ``v_i/sum(v)`` times 2(1 - tau) or 2
    tau. In the limit f has the sign of P(Y = 1|x) - tau, so the tau at which it changes estimates the probability. At
    ``tau = 1/2`` it is ``SVC(C=1/(n alpha))``.

    Parameters
    ----------
    alpha : float, default=1e-3
        The penalty: the weight of 1/2 ||f||^2 in the objective.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="linear"
        x.z, exp(-gamma ||x - z||^2), exp(-gamma ||x - z||_1), (gamma x.z + coef0)^degree, or X as the kernel matrix
        itself.
    gamma : {"scale", "auto"} or float, default="scale"
        Of the kernels "rbf", "laplacian" and "poly"; "scale" is 1/(d * variance of all entries of X), "auto" 1/d.
    degree : int, default=3
        Of the kernel "poly".
    coef0 : float, default=0
        Of the kernel "poly"; not negative.
    bias : {"intercept", "none", "augmented"} or float, default="intercept"
        The constant of f: an intercept that is not penalised, none, or the penalised weight of a constant feature (1, or
        the number given).
    class_weight : dict or "balanced", default=None
        Weights of the classes, by which those of the rows are multiplied, as in :class:`sklearn.svm.SVC`.
    quantile : float, default=0.5
        The tau of ``coef_``, and the default of ``predict`` and ``decision_function``. Fitting does not depend on it.
    n_jobs : int, default=None
        The number of threads, as in :class:`joblib.Parallel`; None is one. The path does not depend on it.
    max_events : int, default=None
        The largest number of events (changes of the active set); the path ends there. None is no limit.
    tolerance : float, default=None
        Approximate the path with fewer points; between them the duality gap is at most this, in units of the
        objective. None is the exact path.
    inexact : bool, default=False
        With ``tolerance``: do not follow the exact path first, but solve inexactly at as few places as the tolerance asks
        for, each from the solution before; where that does not succeed, the exact path is followed after all.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    Attributes
    ----------
    path_ : Path
        The solutions for all tau.
    coef_ : ndarray of shape (1, d)
        The weights of the features at ``quantile``, with a linear kernel.
    intercept_ : ndarray of shape (1,)
        The constant of f at ``quantile``.
    support_ : ndarray of shape (n_SV,)
        The indices of the training rows with a nonzero dual coefficient, those of the first class first.
    n_support_ : ndarray of shape (2,)
        How many support vectors each class has.
    dual_coef_ : ndarray of shape (1, n_SV)
        Their coefficients: ``f(x) = sum dual_coef_[0, i] k(x_i, x) + intercept_``.
    classes_ : ndarray of shape (2,)
        The labels in sorted order; the second is +1.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Yu, Vishwanathan and Zhang (2009), "The entire quantile path of a risk-agnostic SVM classifier", UAI.

    Examples
    --------
    >>> from pathqp import QuantileSVC
    >>> model = QuantileSVC(alpha=0.1).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [2.5]], quantile=0.3).tolist()
    [0, 1]
    """

    _former = {"lam": "alpha", "tau": "quantile", "n_threads": "n_jobs"}

    def __init__(
        self,
        alpha=1e-3,
        *,
        kernel="linear",
        gamma="scale",
        degree=3,
        coef0=0.0,
        bias="intercept",
        class_weight=None,
        quantile=0.5,
        n_jobs=None,
        max_events=None,
        tolerance=None,
        inexact=False,
        progress=False,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.class_weight = class_weight
        self.quantile = quantile
        self.n_jobs = n_jobs
        self.max_events = max_events
        self.tolerance = tolerance
        self.inexact = inexact
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follow the path for all tau.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows. With ``kernel="precomputed"`` the n x n kernel matrix.
        y : array-like of shape (n,)
            Two classes; the second in sorted order is +1.
        sample_weight : array-like of shape (n,), default=None
            Case weights, not negative. Rows of weight zero are ignored in fitting.

        Returns
        -------
        self : QuantileSVC
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        alpha = positive(self, "alpha")
        X_rows, X, y, weights = self._training(X, y, sample_weight)
        asked = self._question("quantile-svm", X_rows, X, y, weights, {"lambda": alpha})
        self.path_ = self._follow(asked, "tau")
        return self

    @renamed(tau="quantile")
    def decision_function(self, X, quantile=None):
        """Compute f_tau(x).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows; of a precomputed kernel their values k(x, x_i) at all training rows.
        quantile : float or array-like of shape (k,), default=None
            tau, from 0 to 1; the estimator's ``quantile`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several tau
            Positive for the second class.
        """
        return self._values(X, self.quantile if quantile is None else quantile)

    @renamed(tau="quantile")
    def predict(self, X, quantile=None):
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        quantile : float or array-like of shape (k,), default=None
            tau, from 0 to 1; the estimator's ``quantile`` unless given.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several tau
            Labels of ``classes_``.
        """
        return self._classes(self.decision_function(X, quantile=quantile))

    def predict_proba(self, X):
        """Estimate P(Y = y|x) from the whole path: the share of tau at which f_tau(x) > 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.

        Returns
        -------
        ndarray of shape (m, 2)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        positive, _ = self.path_._inner.probabilities(features(self, X))
        return np.column_stack([1.0 - positive, positive])

    def tune(
        self,
        validation=None,
        *,
        cv=5,
        alphas=(1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1),
        quantiles=(0.0, 1.0),
        loss="cost",
    ):
        """Find the best penalty of a grid, alpha*(tau), for every tau of an interval, exactly over tau.

        Uses the rows of the last ``fit``. One path for each fold and each penalty gives the errors on the rows held
        out as step functions of tau; the best penalty is the lower envelope of their losses. Weights count in the paths;
        rows held out count once each, unless their weight is zero.

        Parameters
        ----------
        validation : tuple (X, y), default=None
            Rows on which the loss is measured. Without them the training rows are used in ``cv`` folds (row i is held
            out in fold i mod cv).
        cv : int, default=5
            The number of folds.
        alphas : array-like of shape (k,), default=(1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
            The penalties to choose from. Of equally good ones the largest is chosen.
        quantiles : pair of float, default=(0, 1)
            The interval of tau.
        loss : {"cost", "error"}, default="cost"
            The mean cost, 2(1 - tau) for each misclassified row of the second class and 2 tau for each one of the
            first, or the error rate.

        Returns
        -------
        Tuning
            alpha*(tau), one of ``alphas`` on each of its pieces.

        Raises
        ------
        InputError
            If rows, folds, penalties or ranges cannot be used.
        """
        check_is_fitted(self)
        if loss not in ("cost", "error"):
            raise InputError(f"loss = {loss!r}: it must be cost or error")
        judge = as_count("cv", cv, 2)
        if validation is not None:
            X, y = validation
            judge = (features(self, X), self._known_signs(y).tolist(), None)
        grid, ends = as_numbers("alphas", alphas).tolist(), as_numbers("quantiles", quantiles).tolist()
        if len(ends) != 2:
            raise InputError(f"quantiles has {len(ends)} entries: it must be a pair of numbers")
        with named_as_here(grid="alphas", **{"from": "quantiles", "to": "quantiles"}):
            tuning = Tuning(tune_classifier(self.path_._inner, judge, ends, grid, loss == "error"))
        tuning._warn()
        return tuning

    def rates(self, X, y):
        """Compute true positive and true negative rates and accuracy on labelled rows, exactly, for every tau.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        y : array-like of shape (m,)
            Their labels.

        Returns
        -------
        dict
            ``quantile`` (K + 1,), and ``tpr``, ``tnr``, ``accuracy`` (K,), constant between two tau.
        """
        check_is_fitted(self)
        found = self.path_._inner.rates(features(self, X), self._known_signs(y))
        return FormerKeys(zip(("quantile", "tpr", "tnr", "accuracy"), found), {"tau": "quantile"})
