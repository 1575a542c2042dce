"""Tables beside the rows: matrices and bounds of them, and columns matched by their labels."""

import numpy as np
import scipy.sparse as sparse

from ._pathqp import InputError, Rows


def labels_of(table, axis):
    """The labels of a Series (axis 0) or of the rows (0) or columns (1) of a DataFrame; None for arrays and for
    pandas' own numbering.
    """
    if not hasattr(table, "iloc"):
        return None
    index = table.axes[axis]
    numbered = getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1
    return None if numbered else list(index)


class Labels:
    """Labels in the order of the first table that has some, in which every later one with labels is put."""

    def __init__(self):
        self.labels = None
        self._first = None

    def order(self, what, labels):
        """Which entries of a table stand for which label, in their order; all of it where it has no labels."""
        if labels is None:
            return slice(None)
        if self.labels is None:
            self.labels, self._first = labels, what
        if labels == self.labels:
            return slice(None)
        place, known = {label: k for k, label in enumerate(labels)}, set(self.labels)
        if not (len(place) == len(labels) and len(known) == len(self.labels)):
            label = next(label for some in (labels, self.labels) for label in some if some.count(label) > 1)
            raise InputError(
                f"the label {label!r} occurs twice, and {what} and {self._first} do not have the same labels in the "
                "same order: rename one"
            )
        missing, unknown = (
            [label for label in self.labels if label not in place],
            [label for label in labels if label not in known],
        )
        if missing or unknown:
            parts = [
                f"{name}: {list(map(str, some[:5]))}"
                for name, some in (("missing", missing), ("unknown", unknown))
                if some
            ]
            raise InputError(
                f"the labels of {what} are not those of {self._first}, {', '.join(parts)}; use the same in any order"
            )
        return [place[label] for label in self.labels]


def _vector(name, value, count):
    """An array of so many numbers, from one for all or from as many."""
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}") from None
    if found.ndim == 0:
        return np.full(count, float(found))
    if found.shape != (count,):
        raise InputError(
            f"{name} has the shape {found.shape}: it must be ({count},), or a tuple (value, rate) of such arrays"
        )
    return found


def rates(*moving):
    """How many parameters there are: the most rates of anything that moves, at least one."""
    return max([1, *(len(given) - 1 for given in moving if isinstance(given, tuple))])


def moving(name, given, count, parameters=1, infinite=False):
    """The value of what may move, and its rates by each parameter."""
    if isinstance(given, tuple) and len(given) != 1 + parameters:
        wanted = "(value, rate)" if parameters == 1 else f"(value, {parameters} rates), as many everywhere"
        raise InputError(f"{name} is a tuple of {len(given)}: a tuple is {wanted}; give an array otherwise")
    value, *own = given if isinstance(given, tuple) else (given, *[0.0] * parameters)
    value, own = _vector(name, value, count), [_vector(name, rate, count) for rate in own]
    wrong = np.isnan(value) if infinite else ~np.isfinite(value)
    for what, values, bad in (("", value, wrong), *((" (the rate)", rate, ~np.isfinite(rate)) for rate in own)):
        for i in np.flatnonzero(bad)[:1]:
            raise InputError(
                f"{name}[{i}] = {values[i]}{what}: it must be a finite number{', or infinite' if infinite and not what else ''}"
            )
    return [value, *own]


def bounds(name, given, count, parameters=1):
    """A row a bound: its place, value and rates."""
    value, *own = moving(name, given, count, parameters, infinite=True)
    for i in np.flatnonzero(value == (np.inf if name.endswith("lower") else -np.inf))[:1]:
        raise InputError(f"{name}[{i}] = {value[i]}: no number satisfies it")
    there = np.flatnonzero(np.isfinite(value))
    return Rows.dense(np.column_stack([there.astype(float), value[there], *(rate[there] for rate in own)]), False)


def matrix(name, given, shape):
    """A dense or sparse matrix of finite numbers."""
    if sparse.issparse(given):
        found = given.tocsr()
        if not found.has_canonical_format:
            found = found.copy()
            found.sum_duplicates()
        values = found.data
    else:
        found = values = np.asarray(given, dtype=np.float64)
    if found.ndim != 2 or any(want is not None and have != want for have, want in zip(found.shape, shape)):
        wanted = " x ".join("any" if want is None else str(want) for want in shape)
        raise InputError(f"{name} has the shape {found.shape}: {wanted} is needed")
    for k in np.flatnonzero(~np.isfinite(values))[:1]:
        if sparse.issparse(found):
            row, column = int(np.searchsorted(found.indptr, k, side="right")) - 1, int(found.indices[k])
        else:
            row, column = map(int, np.unravel_index(k, found.shape))
        raise InputError(f"{name}[{row}, {column}] = {np.ravel(values)[k]}: it must be a finite number")
    if sparse.issparse(found):
        parts = (np.asarray(found.indptr, dtype=np.int64), np.asarray(found.indices, dtype=np.int64))
        return Rows.sparse(found.shape[1], *parts, np.asarray(found.data, dtype=np.float64))
    return Rows.dense(np.ascontiguousarray(found))


def constraints(A, row_lower, row_upper, n, order):
    """The tables of rows ``row_lower <= A v <= row_upper`` of n values; none without A.

    ``order`` says, from the labels of the columns of A or None, which of them stand for the values.
    """
    if A is None:
        if row_lower is not None or row_upper is not None:
            raise InputError("row_lower and row_upper are bounds of A times the coefficients: give A")
        return {}
    if row_lower is None and row_upper is None:
        raise InputError("A has no bounds: give row_lower, row_upper, or both (equal ones for equalities)")
    labels = labels_of(A, 1) if getattr(A, "ndim", 0) == 2 else None
    place = order(labels)
    found = A if sparse.issparse(A) else np.asarray(A)
    if not isinstance(place, slice):
        found = found.tocsc()[:, place] if sparse.issparse(found) else found[:, place]
    tables = {"rows": matrix("A", found, (None, n))}
    m = tables["rows"].shape[0]
    for name, given in (("row_lower", row_lower), ("row_upper", row_upper)):
        if given is not None:
            if isinstance(given, tuple):
                given = list(given)
            tables[name] = bounds(name, given, m)
    return tables
