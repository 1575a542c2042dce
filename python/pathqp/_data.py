"""From what Python hands over to checked rows."""

import numpy as np
import scipy.sparse as sparse

from ._checks import as_finite, as_number, case_weights, checked, response
from ._pathqp import InputError, Rows


class DataWarning(UserWarning):
    """Data or a parameter that can be used, and looks like a mistake; the message says what makes it look like one."""


def rows(X, names=None):
    """Copies features (n, d), dense or sparse, checked by this package's own rules.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
        Finite numbers whose squares are finite.
    names : sequence of str, optional
        Names of the columns, for messages.

    Returns
    -------
    Rows

    Raises
    ------
    InputError
        Names the row and the column of a number that cannot be used.
    """
    try:
        if sparse.issparse(X):
            X = X.tocsr()
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            parts = (np.asarray(X.indptr, dtype=np.int64), np.asarray(X.indices, dtype=np.int64))
            return Rows.sparse(X.shape[1], *parts, np.asarray(X.data, dtype=np.float64))
        return Rows.dense(np.asarray(X, dtype=np.float64))
    except InputError as error:
        raise InputError(_named(str(error), names)) from None


def _named(message, names):
    """Adds the name of the column that a message is about."""
    if names is None or "column " not in message:
        return message
    column = message.rsplit("column ", 1)[1].split(",")[0]
    return f"{message[:-1]}; the column is {names[int(column)]!r})" if column.isdigit() else message


def training(estimator, X, y=None, sample_weight=None, numeric=False, reset=True, unlabelled=False):
    """Checks training data by scikit-learn's conventions, then by ours; returns rows, y and weights.

    Where rows have no response at all (``unlabelled``) y is None. Rows of weight zero stay where they are, without a say.
    """
    options = dict(accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, reset=reset)
    if y is not None and (numeric or np.asarray(y).dtype.kind == "f"):
        response(y)
    if y is None and unlabelled:
        X = checked(estimator, X, **options)
    else:
        X, y = checked(estimator, X, y, y_numeric=False, multi_output=False, **options)
    if numeric:
        y = response(y)
    weights = None if sample_weight is None else case_weights(sample_weight, X.shape[0])
    return rows(X, getattr(estimator, "feature_names_in_", None)), X, y, weights


def features(estimator, X):
    """Checks rows to predict against those of training, and copies them."""
    X = checked(estimator, X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, reset=False)
    return rows(X, getattr(estimator, "feature_names_in_", None))


def _variance(X, weights):
    """The variance of all entries of X, those that a sparse matrix does not store included, rows counted by their weights."""
    squares = X.multiply(X) if sparse.issparse(X) else X * X
    means = [np.average(np.asarray(part.mean(axis=1)).ravel(), weights=weights) for part in (X, squares)]
    return means[1] - means[0] ** 2


def kernel_text(kernel, gamma, degree, coef0, X, weights=None):
    """The kernel in the words of the engine, e.g. ``rbf:0.5``.

    ``gamma="scale"`` is 1/(d * variance of all entries), ``"auto"`` 1/d, as in :class:`sklearn.svm.SVC`.
    """
    if kernel in ("linear", "precomputed"):
        return kernel
    if kernel not in ("rbf", "laplacian", "poly"):
        raise InputError(f"kernel = {kernel!r}: it must be linear, rbf, laplacian, poly or precomputed")
    d = X.shape[1]
    if not isinstance(degree, (int, np.integer)) or isinstance(degree, bool) or not 1 <= degree <= 64:
        raise InputError(f"degree = {degree!r}: it must be a whole number from 1 to 64")
    if kernel == "poly" and as_finite("coef0", coef0) < 0:
        raise InputError(f"coef0 = {coef0!r}: it must not be negative")
    if isinstance(gamma, str):
        if gamma == "auto":
            gamma = 1.0 / d
        elif gamma == "scale":
            variance = _variance(X, weights)
            gamma = 1.0 / (d * variance) if variance > 0 else 1.0
        else:
            raise InputError(f"gamma = {gamma!r}: it must be a positive number, 'scale' or 'auto'")
    if not 0 < as_number("gamma", gamma) < np.inf:
        raise InputError(f"gamma = {gamma!r}: it must be a positive number, 'scale' or 'auto'")
    if kernel == "poly":
        return f"poly:{degree},{float(gamma)!r},{float(coef0)!r}"
    return f"{kernel}:{float(gamma)!r}"


def bias_pair(bias):
    """A bias as a name and a constant: ``"intercept"``, ``"none"``, ``"augmented"`` or a number, the constant feature."""
    if isinstance(bias, str):
        return (bias, 1.0)
    return ("augmented", as_number("bias", bias))


def question(problem, rows=None, response=(), **given):
    """What a problem is made from, with everything that is not given left out: see the problem's entry on the command line."""
    empty = {
        "weights": None,
        "kernel": "linear",
        "bias": ("none", 1.0),
        "fixed": {},
        "direction": None,
        "numbers": {},
        "lists": {},
        "words": {},
        "tables": {},
        "names": None,
    }
    return {"problem": problem, "rows": rows, "response": response, **empty, **given}


def watcher(progress, label):
    """A callback ``(part, events)`` and what ends it.

    ``True`` shows a bar of tqdm where that is installed, a callable is called as it is.
    """
    if progress is None or progress is False:
        return None, lambda: None
    if callable(progress):
        return progress, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None, lambda: None
    bar = tqdm(total=1.0, desc=label, bar_format="{l_bar}{bar}| {elapsed} {postfix}")

    def show(part, events):
        bar.update(max(0.0, min(1.0, part) - bar.n))
        bar.set_postfix_str(f"{events} events")

    return show, bar.close
