"""Linear classifiers from the classes' means and covariances."""

import threading
import weakref

import numpy as np
import scipy.sparse as sparse
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ._checks import as_number, checked, not_negative, whole
from ._classifiers import signs
from ._data import rows
from ._names import FormerNames, renamed_params
from ._pathqp import InputError, Moments
from ._warn import warn

#: Numbers that are copied at a time while moments are taken.
_CHUNK = 1 << 20

#: A lock for each classifier that learns. They are kept here, so that classifiers are copied and pickled without them.
_LOCKS = weakref.WeakKeyDictionary()
_LOCKS_LOCK = threading.Lock()


def _lock(model):
    """The lock of a classifier; it is held while attributes change, and may be taken again by the thread that has
    it.
    """
    with _LOCKS_LOCK:
        return _LOCKS.setdefault(model, threading.RLock())


class MomentClassifier(ClassifierMixin, FormerNames, BaseEstimator):
    """A linear classifier for the zero-one loss or the AUC, from the means and covariances of two classes.

    Rows are seen once and in parts: data that do not fit in memory go through :meth:`fit_batches` or ``partial_fit``,
    and parts that were seen elsewhere are taken up by :meth:`merge`. ``partial_fit``, ``merge`` and all predictions
    may be called from several threads at once: every row is counted once, and predictions are those of the weights
    before or after a call, not of a mixture.

    A class all of whose rows are equal has no variance, and its errors jump as the threshold passes it: the threshold
    is then put beside it, where it is best for the other class.

    Parameters
    ----------
    objective : {"zero-one", "auc"}, default="zero-one"
        What is minimised: the expected share of errors, or of pairs of rows of the two classes in the wrong order.
    alpha : float, default=1e-3
        The weight of the penalty (1 - ||w||^2)^2.
    bias : float or None, default=1
        A constant feature; with ``"auc"`` there is none, and the threshold is the one with the fewest errors if both
        classes are normal with their moments.
    max_iter : int, default=500
        The largest number of iterations. If more are needed, there is a ``ConvergenceWarning`` and the best point found is used.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        The weights of the features.
    intercept_ : ndarray of shape (1,)
        The constant of f.
    moments_ : Moments
        Counts, means and covariances of both classes. ``moments_.merge(other)`` adds those of other rows; it can be pickled.
    n_iter_ : int
        The number of iterations.
    value_ : float
        The objective: no point that was evaluated has a lower one.
    classes_ : ndarray of shape (2,)
        The labels in sorted order; the second is +1.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Ghanbari, Li and Scheinberg (2019), arXiv:1903.00359.
    """

    _former = {"lam": "alpha"}

    def __init__(self, objective="zero-one", *, alpha=1e-3, bias=1.0, max_iter=500):
        self.objective = objective
        self.alpha = alpha
        self.bias = bias
        self.max_iter = max_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def set_params(self, **params):
        """Sets parameters by their names; former names are accepted with a ``FutureWarning``.

        Parameters
        ----------
        **params : dict
            Parameters of the constructor.

        Returns
        -------
        self : estimator instance
        """
        return super().set_params(**renamed_params(self, params))

    def fit(self, X, y):
        """Compute the moments of all rows, in parts of bounded size, and minimise the objective.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows.
        y : array-like of shape (n,)
            Two classes; the second in sorted order is +1.

        Returns
        -------
        self : MomentClassifier
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter or a row cannot be used; the message names it.
        """
        with _lock(self):
            X, y = self._checked(X, y, reset=True)
            labels = signs(self, y)
            self.moments_ = self._moments_of(X, labels)
            self._minimise()
        return self

    def partial_fit(self, X, y, classes=None):
        """Add further rows, and minimise the objective again as soon as both classes have two rows.

        It may be called from several threads: their parts are processed in parallel, and added one after the other.
        The moments are those of all rows up to rounding, in any order of the parts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Further rows.
        y : array-like of shape (n,)
            Their labels.
        classes : array-like of shape (2,), default=None
            Both labels; needed at the first call.

        Returns
        -------
        self : MomentClassifier
            Fitted once both classes have two rows.

        Raises
        ------
        InputError
            If rows or labels cannot be used.
        """
        with _lock(self):
            X, labels = self._introduce(X, y, classes)
        part = self._moments_of(X, labels)
        with _lock(self):
            self.moments_.merge(part)
            return self._minimise_if_enough()

    def fit_batches(self, batches, classes, *, label=None, n_jobs=None):
        """Fit from parts that are not kept in memory, for data larger than memory.

        The moments of each part are computed by a job of joblib and merged in the order of the parts: the result does
        not depend on ``n_jobs``, and the moments are those of one :meth:`fit` up to rounding.

        Parameters
        ----------
        batches : iterable
            Pairs (X, y) as for ``partial_fit``, e.g. ``zip(X.blocks, y.blocks)`` of Dask arrays, each computed when
            its turn comes; or, with ``label``, data frames or Arrow record batches. Parts without rows are allowed.
        classes : array-like of shape (2,)
            Both labels.
        label : str, default=None
            The column with the labels; all others are features.
        n_jobs : int, default=None
            As in :class:`joblib.Parallel`; by default one part after the other.

        Returns
        -------
        self : MomentClassifier
            The fitted estimator.

        Raises
        ------
        InputError
            If rows or labels cannot be used, or there are no rows at all.
        """
        with _lock(self):
            for name in ("moments_", "coef_", "feature_names_in_", "n_features_in_"):
                self.__dict__.pop(name, None)
            work = (delayed(_seen)(batch, classes, label) for batch in batches)
            parts = Parallel(n_jobs=n_jobs, return_as="generator")(work)
            for part in parts:
                if part is not None:
                    self._take_up(part)
            if not hasattr(self, "moments_"):
                raise InputError("there are no rows in any batch")
            self._minimise()
        return self

    def merge(self, other):
        """Add the rows that another classifier of the same classes has seen, and minimise the objective again.

        Parameters
        ----------
        other : MomentClassifier
            It is not changed.

        Returns
        -------
        self : MomentClassifier
            Fitted once both classes have two rows.

        Raises
        ------
        InputError
            If the classes or the features differ.
        """
        check_is_fitted(self, "moments_")
        check_is_fitted(other, "moments_")
        with _lock(self):
            self._take_up(other)
            return self._minimise_if_enough()

    def _introduce(self, X, y, classes):
        """Checks rows against those before, or is introduced to them if they are the first: rows and signs."""
        first = not hasattr(self, "moments_")
        X, y = self._checked(X, y, reset=first)
        if first:
            if classes is None:
                signs(self, y)
            else:
                self.classes_ = np.unique(classes)
                if len(self.classes_) != 2:
                    raise InputError(f"classes = {list(self.classes_)}: there must be two")
            self.moments_ = Moments(X.shape[1])
        for row in np.flatnonzero(~np.isin(y, self.classes_))[:1]:
            raise InputError(f"y[{row}] = {y[row]!r}: it must be one of {list(self.classes_)}")
        return X, np.where(y == self.classes_[1], 1.0, -1.0)

    def _take_up(self, other):
        """Takes up the moments of another one."""
        if not hasattr(self, "moments_"):
            self.moments_ = Moments(other.n_features_in_)
            for name in ("classes_", "n_features_in_", "feature_names_in_"):
                if hasattr(other, name):
                    setattr(self, name, getattr(other, name))
        if not np.array_equal(self.classes_, other.classes_):
            raise InputError(f"the classes {list(other.classes_)} are not {list(self.classes_)}")
        if self.n_features_in_ != other.n_features_in_:
            raise InputError(f"{other.n_features_in_} features cannot be merged with {self.n_features_in_}")
        mine, its = (getattr(model, "feature_names_in_", None) for model in (self, other))
        if mine is not None and its is not None and not np.array_equal(mine, its):
            raise InputError(f"the features {list(its)} are not {list(mine)}")
        self.moments_.merge(other.moments_)

    def _minimise_if_enough(self):
        return self._minimise() if min(self.moments_.counts) >= 2 else self

    def _checked(self, X, y, reset):
        options = dict(accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False, reset=reset)
        return checked(self, X, y, **options)

    def _moments_of(self, X, labels):
        """The moments of rows, in parts of bounded size."""
        moments = Moments(X.shape[1])
        step = max(1, _CHUNK // max(1, X.shape[1]))
        names = getattr(self, "feature_names_in_", None)
        for start in range(0, X.shape[0], step):
            part = X[start : start + step]
            try:
                moments.absorb(rows(part, names), np.ascontiguousarray(labels[start : start + step]))
            except InputError as error:
                raise InputError(
                    f"in rows {start} to {start + part.shape[0] - 1}: {error}" if start else str(error)
                ) from None
        return moments

    def _minimise(self):
        constant = None if self.bias is None or self.objective == "auc" else as_number("bias", self.bias)
        found = self.moments_.fit(str(self.objective), not_negative(self, "alpha"), constant, whole(self, "max_iter"))
        intercept = -self._threshold(found["w"]) if self.objective == "auc" else found["intercept"]
        self.coef_, self.intercept_ = found["w"][None, :], np.array([intercept])
        self.n_iter_, self.value_ = max(1, found["iterations"]), found["value"]
        if found["stop"] == "iterations":
            warn(
                f"not converged after {found['iterations']} iterations: the gradient is {found['gradient']:.1e}; the best "
                f"point so far is used: raise max_iter = {self.max_iter}, or scale the features",
                ConvergenceWarning,
            )
        return self

    def _threshold(self, w):
        """The score at which the weighted densities of two normal classes cross, between their means if there is
        such a place.
        """
        (n0, n1), (m0, m1) = self.moments_.counts, (float(mean @ w) for mean in self.moments_.means)
        v0, v1 = (max(float(w @ cov @ w), np.finfo(float).tiny) for cov in self.moments_.covariances)
        # a s^2 + b s + c = log density of the class +1 less that of the class -1.
        a, b = 0.5 / v0 - 0.5 / v1, m1 / v1 - m0 / v0
        c = 0.5 * m0 * m0 / v0 - 0.5 * m1 * m1 / v1 + np.log(n1 / n0) + 0.5 * np.log(v0 / v1)
        roots = np.roots([a, b, c])
        inside = [r.real for r in roots if abs(r.imag) == 0 and min(m0, m1) <= r.real <= max(m0, m1)]
        return inside[0] if inside else 0.5 * (m0 + m1)

    def decision_function(self, X):
        """Compute Xw + intercept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            Positive for the second class.
        """
        check_is_fitted(self, "coef_")
        X = checked(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False, reset=False)
        if not np.isfinite(X.data if sparse.issparse(X) else X).all():
            rows(X, getattr(self, "feature_names_in_", None))
        with _lock(self):
            coef, intercept = self.coef_, self.intercept_
        return np.asarray(X @ coef[0]) + intercept[0]

    def predict(self, X):
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            Labels of ``classes_``.
        """
        f = self.decision_function(X)
        return self.classes_[(f > 0).astype(int)]


def _seen(batch, classes, label):
    """The moments of one part, or none of an empty one."""
    if label is None:
        X, y = batch
    else:
        X = batch.to_pandas() if hasattr(batch, "to_pandas") else batch.copy()
        if label not in X:
            raise InputError(f"label = {label!r}: the columns are {list(X)}")
        y = X.pop(label)
    if hasattr(X, "compute"):
        X = X.compute()
    if not X.shape[0]:
        return None
    part = MomentClassifier()
    part.moments_ = part._moments_of(*part._introduce(X, y, classes))
    return part
