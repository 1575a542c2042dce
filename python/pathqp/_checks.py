"""From whatever is given to numbers, with errors that name the parameter, the row and the column."""

import numpy as np
from sklearn.utils.validation import validate_data

from ._pathqp import InputError

#: What Python and NumPy raise where something is no number.
NO_NUMBER = (TypeError, ValueError, OverflowError)


def as_number(name, given):
    """A float, which may be infinite or nan."""
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError
        return float(given)
    except NO_NUMBER:
        raise InputError(f"{name} = {shown(given)}: it must be a number") from None


def as_bound(name, given):
    """A float that may be infinite, and not nan."""
    value = as_number(name, given)
    if np.isnan(value):
        raise InputError(f"{name} = {value}: it must be a number")
    return value


def as_finite(name, given):
    """A finite float."""
    value = as_number(name, given)
    if not np.isfinite(value):
        raise InputError(f"{name} = {value}: it must be a finite number")
    return value


def as_count(name, given, least=0):
    """A whole number that fits into 63 bits."""
    value = as_number(name, given)
    if not (np.isfinite(value) and value == int(value) and least <= value < 2**63):
        raise InputError(f"{name} = {shown(given)}: it must be a whole number of at least {least}")
    return int(value)


def as_numbers(name, given):
    """A list of floats, which may be infinite or nan; one number stands for a list of one."""
    try:
        values = np.ascontiguousarray(np.atleast_1d(np.asarray(given)), dtype=float)
    except NO_NUMBER:
        raise InputError(f"{name} must be a number or a list of numbers{culprit(name, given)}") from None
    if values.ndim != 1:
        raise InputError(f"{name} has the shape {values.shape}: it must be a number or a list of numbers")
    return values


def shown(given):
    """A value in a message, cut where it is long."""
    text = (
        repr(given)
        if not isinstance(given, int) or abs(given) < 10**20
        else f"a number of {len(str(abs(given)))} digits"
    )
    return text if len(text) <= 60 else f"{text[:57]}..."


def culprit(name, given):
    """The first entry that is no number, as an addition to a message; nothing if there is none."""
    for place, value in _entries(given):
        try:
            float(value)
        except NO_NUMBER:
            row = f"row {place[0]}, column {place[1]}" if len(place) == 2 else f"row {place[0]}"
            return f": {name}[{', '.join(map(str, place))}] = {shown(value)} ({row}, from zero) is no number"
    return ""


def _entries(given):
    """The entries of a table or a list with their places."""
    rows = given.to_numpy(dtype=object) if hasattr(given, "to_numpy") else given
    if isinstance(rows, (str, bytes, dict, set)) or not hasattr(rows, "__len__") or not hasattr(rows, "__getitem__"):
        return
    for i, row in enumerate(rows):
        if isinstance(row, (list, tuple, np.ndarray)):
            yield from (((i, j), value) for j, value in enumerate(row))
        else:
            yield (i,), row


def checked(estimator, X, *y, **options):
    """``validate_data`` of scikit-learn, with typed errors that name the entry that is no number."""
    try:
        return validate_data(estimator, X, *y, **options)
    except (ValueError, OverflowError) as error:
        places = "".join(culprit(name, table) for name, table in zip("Xy", (X, *y)))
        raise InputError(f"{error}{places}" if places not in str(error) else str(error)) from error


def number(estimator, name):
    """A parameter of an estimator as a finite number."""
    return as_finite(name, getattr(estimator, name))


def positive(estimator, name):
    """A parameter of an estimator as a finite number greater than zero."""
    value = number(estimator, name)
    if not value > 0:
        raise InputError(f"{name} = {value!r}: it must be greater than zero")
    return value


def not_negative(estimator, name):
    """A parameter of an estimator as a finite number of at least zero."""
    value = number(estimator, name)
    if value < 0:
        raise InputError(f"{name} = {value!r}: it must not be negative")
    return value


def whole(estimator, name, least=0):
    """A parameter of an estimator as a whole number."""
    return as_count(name, getattr(estimator, name), least)


def table(name, given):
    """A matrix of finite numbers; one number or one row stands for a matrix of one row."""
    try:
        values = np.atleast_2d(np.asarray(given, dtype=float))
    except NO_NUMBER:
        place = culprit(name, given)
        raise InputError(f"{name} must be a matrix of numbers, as many in each row{place}") from None
    if values.ndim != 2:
        raise InputError(f"{name} has the shape {values.shape}: it must be a matrix")
    for row, column in np.argwhere(~np.isfinite(values))[:1]:
        raise InputError(f"{name}[{row}, {column}] = {values[row, column]}: it must be a finite number")
    return values


def vector(name, given, infinite=False):
    """A list of finite numbers, or of any but nan; one number stands for a list of one."""
    values = as_numbers(name, given)
    for place in np.flatnonzero(np.isnan(values) if infinite else ~np.isfinite(values))[:1]:
        raise InputError(f"{name}[{place}] = {values[place]}: it must be a {'' if infinite else 'finite '}number")
    return values


def response(y):
    """A copy of a response of finite numbers; the message names the row."""
    try:
        y = np.array(y, dtype=np.float64)
    except NO_NUMBER:
        raise InputError(f"y must be a list of numbers{culprit('y', y)}") from None
    if y.ndim != 1:
        # scikit-learn says what is wrong with other shapes.
        return y
    for row in np.flatnonzero(~np.isfinite(y))[:1]:
        reason = "contains NaN" if np.isnan(y[row]) else "contains infinity"
        raise InputError(f"Input y {reason}: y[{row}] = {y[row]} (row {row}, from zero)")
    return y


def case_weights(given, n):
    """n weights, none of them negative and not all zero."""
    alone = np.isscalar(given)
    weights = np.full(n, as_number("sample_weight", given)) if alone else as_numbers("sample_weight", given)
    if len(weights) != n:
        raise InputError(f"sample_weight has {len(weights)} entries: it must have one for each of {n} rows")
    for row in np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))[:1]:
        raise InputError(f"sample_weight[{row}] = {weights[row]}: it must be finite and not negative")
    if not weights.any():
        raise InputError("every sample_weight is zero: at least one must be positive")
    if not np.isfinite(weights.sum()):
        raise InputError(f"the sum of sample_weight is infinite: the largest is {weights.max()}")
    return weights
