"""Pages, approximate paths and what lies beyond the largest penalty: as on the command line, to the last bit."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from pathqp import (
    CostSensitiveSVC,
    CriticalLine,
    InputError,
    KernelQuantileRegressor,
    LassoPath,
    ModelPredictiveControl,
    NonNegativeLeastSquares,
    OneClassPath,
    PathSVR,
    QuantileSVC,
    TrendFilter,
)

PLANT = {"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]], "horizon": 4, "lower": [-1], "upper": [1]}


def table():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X.iloc[:70], y.iloc[:70]


def labelled():
    X, y = table()
    return X, (y > y.median()).astype(float)


def returns():
    X = 0.01 * np.random.default_rng(7).standard_normal((60, 5)) + np.linspace(0, 0.002, 5)
    return pd.DataFrame(X, columns=list("abcde")), None


def rows():
    return table()[0], None


def signal():
    return pd.DataFrame({"y": table()[1]}), None


# The problem, an estimator, its options on the command line, its rows, a value on its path, and the tolerance of an approximate path.
CASES = [
    ("quantile-svm", QuantileSVC(1e-2), "--lambda 1e-2 --bias intercept", labelled, 0.3, 1e-3),
    ("quantile-svm", QuantileSVC(1e-2, kernel="rbf", gamma=3.0), "--lambda 1e-2 --bias intercept --kernel rbf:3", labelled, 0.3, 1e-3),
    ("cost-svm", CostSensitiveSVC(1.0, 0.5, C_max=3e3), "--direction 1,0.5 --from 0 --to 3000 --bias intercept", labelled, 700.0, 100.0),
    ("kqr", KernelQuantileRegressor(0.5, gamma=2.0), "--kernel rbf:2 --lambda 0.5", table, 0.3, 1.0),
    ("svr", PathSVR(3.0, gamma=2.0), "--kernel rbf:2 --c 3", table, 7.0, 1.0),
    ("svr", PathSVR(3.0, epsilon=2.0, gamma=2.0, vary="C"), "--kernel rbf:2 --vary c --epsilon 2 --from 0 --to 6", table, 2.0, 1.0),
    ("one-class-svm", OneClassPath(gamma=2.0), "--kernel rbf:2", rows, 0.4, 1e-5),
    ("lasso", LassoPath(), "--bias intercept", table, 0.25, 1.0),
    ("nnls", NonNegativeLeastSquares(), "", table, 100.0, 10.0),
    ("critical-line", CriticalLine(), "", returns, 0.02, 1e-6),
    ("trend-filtering", TrendFilter(), "", signal, 30.0, 10.0),
    ("mpc", ModelPredictiveControl(**PLANT), "--from=-9,-4 --to 8,5", None, 0.3, 20.0),
]


def posed(problem, model, options, data, folder):
    """What the command line is asked, the file that it reads, and a call that follows the same path in Python."""
    if problem == "mpc":
        file = folder / "plant.json"
        file.write_text(json.dumps(PLANT))
        return ["path", problem, "--model", file, *options.split()], file, lambda model: model.path([-9, -4], [8, 5])
    X, y = data()
    file = folder / "train.csv"
    (X if y is None else X.assign(response=y)).to_csv(file, index=False, float_format="%.17g")
    given = (X["y"].to_numpy(), None) if problem == "trend-filtering" else (X, y)
    return ["path", problem, "--train", file, *options.split()], file, lambda model: model.fit(*given).path_


def ids(value):
    return value if isinstance(value, str) and "-" not in value[:1] else None


@pytest.mark.parametrize("problem, model, options, data, value, tolerance", CASES, ids=ids)
def test_pages(problem, model, options, data, value, tolerance, command, tmp_path):
    asked, file, follow = posed(problem, model, options, data, tmp_path)
    kept, page = tmp_path / "kept.path", tmp_path / "page.html"
    command(*asked, "--out", kept)
    command("report", kept, "--train", file, "--out", page)
    path = follow(model)
    mine = path.report(tmp_path / "mine.html", source=file.name)
    assert mine.startswith("<!") and mine == page.read_text() == (tmp_path / "mine.html").read_text()
    out = io.StringIO()
    assert path.report(out) == out.getvalue() and "<title>" in out.getvalue()


@pytest.mark.parametrize("problem, model, options, data, value, tolerance", CASES, ids=ids)
def test_approximate_paths(problem, model, options, data, value, tolerance, command, tmp_path):
    asked, _, follow = posed(problem, model, options, data, tmp_path)
    kept = tmp_path / "kept.path"
    report = json.loads(command(*asked, "--tolerance", repr(tolerance), "--out", kept, "--json"))
    known = json.loads(command("at", kept, "--param", repr(value), "--json"))[0]
    exact, path = follow(model), follow(model.set_params(tolerance=tolerance))
    model.set_params(tolerance=None)
    assert path.tolerance == pytest.approx(tolerance) and exact.tolerance is None
    assert len(path.breakpoints) == report["breakpoints"] < len(exact.breakpoints)
    best, found = exact.at(value), path.at(value)
    assert found.objective == known["objective"]
    assert best.objective - 1e-9 * abs(best.objective) <= found.objective <= best.objective + tolerance
    assert "duality gap" in path._repr_html_() and "duality gap" not in exact._repr_html_()


def test_a_tolerance_that_cannot_be_is_refused():
    for tolerance in (-1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="tolerance"):
            LassoPath(tolerance=tolerance).fit(*table())


@pytest.mark.parametrize("problem, model, options", [("lasso", LassoPath(), "--bias intercept"), ("nnls", NonNegativeLeastSquares(), "")])
def test_beyond_the_largest_penalty_nothing_changes(problem, model, options, command, tmp_path):
    asked, file, follow = posed(problem, model, options, table, tmp_path)
    kept, name = tmp_path / "kept.path", {"lasso": "alpha", "nnls": "lambda"}[problem]
    command(*asked, "--out", kept)
    path = follow(model)
    last = path.range[0]
    X, y = table()
    for value in (last, 1.5 * last, 1e9 * last):
        known = json.loads(command("at", kept, "--param", repr(value), "--json"))[0]
        found = path.at(value)
        assert known["param"] == {name: value} and found.value == value and found.objective == known["objective"]
        assert found.w.tolist() == known["w" if problem == "lasso" else "x"] == [0.0] * X.shape[1]
        assert found.kkt_residual == known["kkt_residual"] < 1e-9 and found.relative_gap < 1e-9
        assert np.allclose(model.predict(X, value), y.mean() if problem == "lasso" else 0.0)
        predicted = command("predict", kept, "--data", file, "--param", repr(value)).splitlines()[1:]
        assert np.allclose(np.array(predicted, dtype=float), y.mean() if problem == "lasso" else 0.0)
    assert np.array_equal(path.curves([2 * last, last])["w"], np.zeros((2, X.shape[1])))
    for value in (np.inf, np.nan, -1.0):
        with pytest.raises(InputError, match="alpha"):
            path.at(value)


def test_a_path_of_no_length_has_no_page():
    X, y = table()
    path = LassoPath(alpha=1e9, alpha_min=1e8).fit(X, y).path_
    assert isinstance(path.report(), str)
