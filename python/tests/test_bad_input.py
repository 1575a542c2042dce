"""Whatever is handed over: an answer, or a typed error that names the parameter, the row, the column or the value. No panic, and no hang."""

import random

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

from pathqp import (
    CostSensitiveSVC,
    CriticalLine,
    InputError,
    KernelQuantileRegressor,
    LassoPath,
    ModelPredictiveControl,
    MomentClassifier,
    NonCrossingQuantileRegressor,
    NonNegativeLeastSquares,
    OneClassPath,
    PathError,
    PathSVR,
    QuantileSVC,
    TrendFilter,
    _pathqp,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(14, 3))
Y = X[:, 0] + 0.3 * RANDOM.normal(size=14)
LABELS = (Y > 0).astype(int)
HUGE = 10**400


def with_entry(table, place, value):
    table = table.astype(object).copy()
    table[place] = value
    return table


KINDS = [
    (QuantileSVC, LABELS),
    (CostSensitiveSVC, LABELS),
    (KernelQuantileRegressor, Y),
    (PathSVR, Y),
    (OneClassPath, None),
    (LassoPath, Y),
    (NonCrossingQuantileRegressor, Y),
    (NonNegativeLeastSquares, Y),
    (CriticalLine, None),
    (MomentClassifier, LABELS),
]

#: A table, and what is said of it.
TABLES = [
    (with_entry(X, (2, 1), "x"), r"X\[2, 1\] = 'x' \(row 2, column 1, from zero\) is no number"),
    (with_entry(X, (2, 1), HUGE), r"X\[2, 1\] = a number of 401 digits"),
    (pd.DataFrame(with_entry(X, (2, 1), "x"), columns=list("abc")), r"X\[2, 1\] = 'x'"),
    (with_entry(X, (2, 1), None), r"contains NaN: X\[2, 1\] = NaN"),
    (with_entry(X, (2, 1), np.inf), r"contains inf: X\[2, 1\] = inf \(row 2, column 1, from zero"),
    (with_entry(X, (2, 1), -1e200), r"X\[2, 1\] = -1"),
    ([[1.0, 2.0], [3.0]], "inhomogeneous"),
    (X[:, 0], "2D array"),
    (3.0, "2D array"),
    (X[None], "dim 3"),
    (np.zeros((0, 3)), "0 sample"),
    (np.zeros((14, 0)), "0 feature"),
    (X * 1j, "Complex data"),
    (None, "."),
]


@pytest.mark.parametrize("kind, target", KINDS, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("table, text", TABLES, ids=lambda value: value[:30] if isinstance(value, str) else "")
def test_tables(kind, target, table, text):
    with pytest.raises(InputError, match=text):
        kind().fit(table, target)
    # Moments are squares; predictions from them are not.
    if not (kind is MomentClassifier and "= -1" in text):
        with pytest.raises(InputError, match=text):
            kind().fit(X, target).predict(table)


@pytest.mark.parametrize("kind", [KernelQuantileRegressor, PathSVR, LassoPath, NonNegativeLeastSquares])
@pytest.mark.parametrize(
    "value, text",
    [("x", r"y\[3\] = 'x' \(row 3"), (np.nan, r"y\[3\] = nan"), (np.inf, r"y\[3\] = inf"), (HUGE, r"y\[3\] = a number of 401")],
)
def test_responses(kind, value, text):
    with pytest.raises(InputError, match=text):
        kind().fit(X, with_entry(Y, 3, value))
    if not isinstance(value, float):
        with pytest.raises(InputError, match=text):
            TrendFilter().fit(with_entry(Y, 3, value))


def test_responses_of_another_length():
    for kind, target in KINDS:
        if target is not None:
            with pytest.raises(InputError, match=r"\[14, 5\]"):
                kind().fit(X, target[:5])
    with pytest.raises(InputError, match=r"toward.*\(3,\).*\(14,\)"):
        NonNegativeLeastSquares().fit(X, Y, toward=[1.0, 2.0, 3.0])


@pytest.mark.parametrize("kind, target", [case for case in KINDS if "sample_weight" in case[0].fit.__code__.co_varnames], ids=str)
@pytest.mark.parametrize(
    "weights, text",
    [
        (with_entry(np.ones(14), 2, "x"), r"sample_weight\[2\] = 'x'"),
        (with_entry(np.ones(14), 2, HUGE), r"sample_weight\[2\] = a number of 401"),
        (with_entry(np.ones(14), 2, None), r"sample_weight\[2\] = nan"),
        (with_entry(np.ones(14), 2, -1.0), r"sample_weight\[2\] = -1"),
        (np.ones(3), "sample_weight has 3 entries.*14 rows"),
        (np.ones((14, 2)), r"sample_weight has the shape \(14, 2\)"),
        ("balanced", "sample_weight"),
        (np.zeros(14), "every sample_weight is zero"),
        (np.full(14, 1e308), "the sum of sample_weight is infinite"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_weights(kind, target, weights, text):
    with pytest.raises(InputError, match=text):
        kind().fit(X, target, sample_weight=weights)


VALUES = ["x", b"x", None, np.nan, np.inf, -np.inf, -1, 0, HUGE, [1], {}, 1j, 1e308, 5e-324, 2**64, object()]


@pytest.mark.parametrize("kind, target", [*KINDS, (TrendFilter, Y)], ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.filterwarnings("ignore")
def test_parameters(kind, target):
    """A value is taken, or refused with the name of the parameter."""
    for name in set(kind().get_params()) - {"progress"}:
        for value in VALUES:
            try:
                kind(**{name: value}).fit(Y if kind is TrendFilter else X, target)
            except InputError as error:
                legal = isinstance(value, (int, float)) and value in (0, 1e308, 5e-324, -1, np.inf, -np.inf)
                assert name in str(error) or legal or name in ("matrix", "edges"), (name, value, error)
            except PathError:
                pass


@pytest.mark.parametrize("kind, target", [*KINDS, (TrendFilter, Y)], ids=lambda value: getattr(value, "__name__", ""))
def test_values_on_paths(kind, target):
    model = kind().fit(Y if kind is TrendFilter else X, target)
    if not hasattr(model, "path_"):
        return
    path = model.path_
    for value in ("x", b"x", None, np.nan, HUGE, [1], {}, 1j, object()):
        with pytest.raises(InputError, match=path.parameter):
            path.at(value)
        with pytest.raises(InputError, match="points"):
            path.certificate(value)
    for values in (["x"], [HUGE], [[1.0]], {}, object()):
        with pytest.raises(InputError, match="values"):
            path.curves(values)
    assert path.curves([])["values"].shape == (0,)


def test_plants():
    plant = {"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": np.eye(2), "R": [[0.5]], "horizon": 3, "lower": [-1], "upper": [1]}
    wrong = {
        "A": [[[1]], [[1, 2], [3]], [["x", 1], [0, 1]], [[np.nan, 1], [0, 1]], np.zeros((2, 2, 2))],
        "horizon": [0, -1, 2.5, np.nan, "x", None, HUGE],
        "lower": [["x"], [np.nan], [2.0], [0.0, 0.0], [[0.0]]],
    }
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(InputError):
                ModelPredictiveControl(**{**plant, name: value}).path([1, 1], [2, 2])
    for start in ([1], [1, 2, 3], ["x", 1], [np.inf, 1], [[1, 2]]):
        with pytest.raises(InputError):
            ModelPredictiveControl(**plant).path(start, [2, 2])


def everything():
    """One of each kind of object that is pickled."""
    plant = {"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": np.eye(2), "R": [[0.5]], "horizon": 3, "lower": [-1], "upper": [1]}
    models = [kind().fit(X, target) for kind, target in KINDS[:-1]]
    models += [TrendFilter().fit(Y), LassoPath(tolerance=1e-2).fit(X, Y), QuantileSVC(kernel="rbf").fit(X, LABELS, sample_weight=np.arange(14.0))]
    paths = [model.path_ for model in models] + [ModelPredictiveControl(**plant).path([-5, -4], [3, 2])]
    plane = KernelQuantileRegressor(gamma=1.0).fit(X[:8], Y[:8]).map((0.2, 0.8), (0.1, 1.0))
    return [path._inner for path in paths] + [plane._inner, MomentClassifier().fit(X, LABELS).moments_]


def damaged(data, source):
    """Bytes some of which are changed, left out or put in."""
    out = bytearray(data)
    for _ in range(source.choice([1, 1, 1, 2, 4, 16])):
        kind, at = source.randrange(6), source.randrange(len(out))
        if kind == 0:
            out[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            out[at] = source.choice([0, 1, 127, 128, 255])
        elif kind == 2 and len(out) > 20:
            del out[at : at + source.randrange(1, 9)]
        elif kind == 3:
            out[at:at] = bytes(source.randrange(256) for _ in range(source.randrange(1, 9)))
        elif kind == 4 and at + 8 < len(out):
            out[at : at + 8] = np.array(source.choice([np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0])).tobytes()
        else:
            out[at : at + 1] = b"\xff\xff\xff\xff\xff\xff\xff\x7f"
    return bytes(out or b"\0")


def asked_everything(thing):
    """What an object that came from changed bytes answers."""
    rows = _pathqp.Rows.dense(X)
    if isinstance(thing, _pathqp.ProblemPath):
        low, high = thing.range
        middle = (low + high) / 2 if np.isfinite(high) else low + 0.5
        yield from (lambda: thing.breakpoints, thing.changes, thing.facts, lambda: thing.certificate(3), thing.outlier_ranks)
        yield from (lambda: thing.at(middle), lambda: thing.curves(np.array([low, middle])), lambda: _pathqp.function(thing, middle))
        yield from (lambda: thing.decision(rows, np.array([middle])), lambda: _pathqp.report(thing, "x", None), lambda: thing.solve([0.3, 0.4]))
    elif isinstance(thing, _pathqp.Map):
        yield from (thing.regions, thing.edges, thing.vertices, lambda: thing.certificate(3), lambda: thing.at([0.5, 0.5]))
    else:
        yield from (lambda: thing.covariances, lambda: thing.means, lambda: thing.fit("zero-one", 1e-3, 1.0, 20))


def test_pickles_that_were_tampered_with():
    source = random.Random(20)
    for known in everything():
        restore, (data,) = known.__reduce__()
        for _ in range(40):
            try:
                questions = list(asked_everything(restore(damaged(data, source))))
            except (InputError, PathError):
                continue
            for question in questions:
                try:
                    question()
                except (InputError, PathError):
                    pass


ARRAYS = [np.zeros((0, 0)), np.zeros((3, 0)), np.zeros(3), np.zeros((2, 2, 2)), np.array([[1, 2]]), np.array([["a"]]), np.array([[np.nan]])]
ARRAYS += [np.array([[1j]]), np.zeros((3, 3), dtype=np.float32), np.array([[None]]), None, [[1.0]], "x", np.eye(6)[::2, ::2]]
REFUSALS = (InputError, PathError, TypeError, ValueError, OverflowError)


def test_entry_points_of_the_compiled_module():
    """Wrong kinds, empty arrays and huge numbers end in an error of Python's own or in a typed one."""
    vectors = [np.zeros(0), np.array([np.nan]), np.array([np.inf]), np.array([1, 2]), np.zeros((2, 2)), [0.5], None, "x", np.array([-1e308])]
    for array in ARRAYS:
        allowed(lambda: _pathqp.Rows.dense(array))
    starts = [np.array([], dtype=np.int64), np.array([0]), np.array([0, 2**62]), np.array([2, 1, 0]), np.array([-1, 0]), np.array([0, 1], dtype=np.int32)]
    for columns in (0, 1, 2**32, 2**64, -1, "x", 1.5):
        for start in starts:
            for values in vectors:
                allowed(lambda: _pathqp.Rows.sparse(columns, start, start, values))
    rows = [_pathqp.Rows.dense(np.ascontiguousarray(a)) for a in (np.zeros((0, 3)), np.zeros((3, 0)), X, np.zeros((2, 5)))]
    for thing in everything():
        if not isinstance(thing, _pathqp.ProblemPath):
            continue
        for value in VALUES:
            for name in ("at", "certificate", "solve"):
                allowed(lambda: getattr(thing, name)(value))
            allowed(lambda: thing.solve([value, value]))
            allowed(lambda: _pathqp.function_at(thing, [value]))
            allowed(lambda: _pathqp.with_return(thing, value, 0.0))
            allowed(lambda: _pathqp.max_sharpe(thing, value))
            allowed(lambda: _pathqp.Map.explore(thing, [[0.1, 0.2], [value, value]], False, 1, None))
        for table in rows:
            for vector in vectors:
                for name in ("decision", "rates"):
                    allowed(lambda: getattr(thing, name)(table, vector))
                allowed(lambda: thing.quantiles(table, vector, True))
                allowed(lambda: thing.decision_at(table, vector))


def allowed(call):
    try:
        call()
    except REFUSALS:
        pass


def test_sparse_matrices_name_their_entries():
    table = sparse.csr_matrix(np.where(np.arange(14)[:, None] == 2, np.inf, X))
    with pytest.raises(InputError, match=r"X\[2, 0\] = inf"):
        QuantileSVC().fit(table, LABELS)
