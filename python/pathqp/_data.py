"""From what Python hands over to checked rows."""

import numpy as np
import scipy.sparse as sparse

from ._checks import as_count, as_finite, as_number, case_weights, checked, response
from ._pathqp import InputError, Rows


class DataWarning(UserWarning):
    """Data or a parameter that can be used but looks like a mistake; the message says why."""


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

    Where rows have no response at all (``unlabelled``) y is None. Rows of weight zero stay where they are, without a
    say.
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


def kernel_text(kernel, gamma, degree, coef0):
    """The kernel in the words of the engine, e.g. ``rbf:0.5``, or ``rbf:scale`` where the data are to tell."""
    if kernel in ("linear", "precomputed"):
        return kernel
    if kernel not in ("rbf", "laplacian", "poly"):
        raise InputError(f"kernel = {kernel!r}: it must be linear, rbf, laplacian, poly or precomputed")
    if not isinstance(gamma, str) or gamma not in ("scale", "auto"):
        if isinstance(gamma, str) or not 0 < as_number("gamma", gamma) < np.inf:
            raise InputError(f"gamma = {gamma!r}: it must be a positive number, 'scale' or 'auto'")
        gamma = repr(float(gamma))
    if kernel != "poly":
        return f"{kernel}:{gamma}"
    if not 1 <= as_count("degree", degree) <= 64:
        raise InputError(f"degree = {degree!r}: it must be a whole number from 1 to 64")
    if as_finite("coef0", coef0) < 0:
        raise InputError(f"coef0 = {coef0!r}: it must not be negative")
    return f"poly:{int(degree)},{gamma},{float(coef0)!r}"


def bias_pair(bias):
    """A bias as a name and a constant: ``"intercept"``, ``"none"``, ``"augmented"`` or a number, the constant
    feature.
    """
    if isinstance(bias, str):
        return (bias, 1.0)
    return ("augmented", as_number("bias", bias))


def question(problem, rows=None, response=(), **given):
    """What a problem is made from, with everything that is not given left out: see the problem's entry on the
    command line.
    """
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
