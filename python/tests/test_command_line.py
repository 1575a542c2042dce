"""The same numbers as the command line's, to the last bit."""

import csv
import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from conftest import ROOT
from pathqp import (
    CostSensitiveSVC,
    CriticalLine,
    KernelQuantileRegressor,
    LassoPath,
    ModelPredictiveControl,
    MomentClassifier,
    NonNegativeLeastSquares,
    OneClassPath,
    PathSVR,
    QuantileSVC,
    TrendFilter,
)

VALUES = [0.05, 0.25, 0.5, 0.618, 0.9]


def written(path, X, y, name="y"):
    """A CSV file of exactly these numbers."""
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"x{j}" for j in range(X.shape[1])] + ([name] if y is not None else []))
        for i, row in enumerate(X):
            out.writerow([repr(float(v)) for v in row] + ([repr(float(y[i]))] if y is not None else []))
    return path


def same(solution, known):
    """Whether a solution is the object that the command line printed."""
    for name in ("objective", "dual_objective", "kkt_residual"):
        assert getattr(solution, name) == known[name], name
    assert (solution.w is None) == (known["w"] is None)
    if known["w"] is not None:
        assert solution.w.tolist() == known["w"]
    assert solution.alpha.tolist() == known["alpha"]
    intercept = known["intercept"]
    if isinstance(intercept, list):
        ends = [-np.inf if intercept[0] is None else intercept[0], np.inf if intercept[1] is None else intercept[1]]
        assert list(solution.intercept) == ends
    else:
        assert solution.intercept == intercept
    assert len(solution.free) == known["free"]


def pima():
    table = np.genfromtxt(ROOT / "data" / "pima.csv", delimiter=",", skip_header=1)
    X = table[:, :-1]
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)), table[:, -1]


def cancer():
    data = load_breast_cancer()
    return data.data / data.data.max(axis=0), data.target


CASES = [
    ("quantile-svm", QuantileSVC(1e-3, bias="augmented"), ["--lambda", "1e-3", "--bias", "augmented"], pima, VALUES),
    ("quantile-svm", QuantileSVC(1e-2), ["--lambda", "1e-2", "--bias", "intercept"], cancer, VALUES),
    ("quantile-svm", QuantileSVC(1e-2, kernel="rbf", gamma=0.5, bias="none"), ["--lambda", "1e-2", "--kernel", "rbf:0.5", "--bias", "none"], cancer, VALUES),
    ("cost-svm", CostSensitiveSVC(1.0, 2.0, C_max=4.0), ["--vary", "c", "--direction", "1,2", "--from", "0", "--to", "4", "--bias", "intercept"], pima, [0.5, 1.0, 3.9]),
    ("kqr", KernelQuantileRegressor(0.5, gamma=2.0), ["--kernel", "rbf:2", "--lambda", "0.5"], "diabetes", VALUES),
    ("svr", PathSVR(3.0, gamma=2.0), ["--kernel", "rbf:2", "--c", "3"], "diabetes", [0.0, 1.5, 30.0]),
    ("svr", PathSVR(3.0, epsilon=2.0, kernel="linear", vary="C"), ["--kernel", "linear", "--vary", "c", "--epsilon", "2", "--from", "0", "--to", "6"], "diabetes", [0.5, 3.0]),
]


def diabetes():
    return load_diabetes(return_X_y=True, scaled=True)


@pytest.mark.parametrize("problem, model, options, data, values", CASES, ids=lambda v: v if isinstance(v, str) else None)
def test_paths(problem, model, options, data, values, command, tmp_path):
    X, y = diabetes() if data == "diabetes" else data()
    train, kept = written(tmp_path / "train.csv", X, y), tmp_path / "kept.path"
    report = json.loads(command("path", problem, "--train", train, *options, "--out", kept, "--json"))
    path = model.fit(X, y).path_
    assert len(path.breakpoints) == report["breakpoints"] and path.stats["events"] == report["events"]
    solutions = json.loads(command("at", kept, "--param", ",".join(map(repr, values)), "--json", "--full"))
    for value, known in zip(values, solutions, strict=True):
        same(path.at(value), known)
    new = written(tmp_path / "new.csv", X[:25], y[:25])
    predicted = command("predict", kept, "--data", new, "--param", ",".join(map(repr, values)))
    table = np.array([line.split(",") for line in predicted.splitlines()[1:]], dtype=float)
    if hasattr(model, "decision_function") and problem == "quantile-svm":
        assert np.array_equal(model.decision_function(X[:25], quantile=values), table)
        probable = command("predict", kept, "--data", new, "--param", "0.5", "--probability").splitlines()[1:]
        assert model.predict_proba(X[:25])[:, 1].tolist() == [float(line.split(",")[1]) for line in probable]
    elif problem == "kqr":
        assert np.array_equal(model.predict(X[:25], quantile=values), table)
        options = ["--monotone", "--distribution", "100,150"]
        told = command("predict", kept, "--data", new, "--param", "0.3,0.8", *options).splitlines()[1:]
        table = np.array([line.split(",") for line in told], dtype=float)
        assert np.array_equal(model.predict_quantiles(X[:25], [0.3, 0.8]), table[:, :2])
        assert np.array_equal(model.cdf(X[:25], [100, 150]), table[:, 2:])
    elif problem == "svr":
        assert np.array_equal(model.predict(X[:25], **{model.vary: values}), table)


def test_tuning(command, tmp_path, curve):
    train = written(tmp_path / "train.csv", *curve)
    known = json.loads(command("tune", "kqr", "--train", train, "--kernel", "rbf:1", "--folds", "5", "--json"))
    found = KernelQuantileRegressor(gamma=1.0).fit(*curve).tune(cv=5)
    assert len(found.pieces) == len(known["pieces"])
    for mine, theirs in zip(found.pieces, known["pieces"]):
        for name, other in zip(found.pieces.dtype.names, ("from", "to", "tuned_from", "tuned_to", "loss_from", "loss_to")):
            assert mine[name] == (np.inf if theirs[other] is None else theirs[other])


def test_roc(command, tmp_path):
    X, y = pima()
    train, test = written(tmp_path / "train.csv", X[::2], y[::2]), written(tmp_path / "test.csv", X[1::2], y[1::2])
    questions = ["--max-fpr", "0.1", "--cost-ratio", "2", "--sum", "1", "--multiples", "1,0.1"]
    known = json.loads(command("roc", "--train", train, "--test", test, *questions, "--json"))
    model = CostSensitiveSVC().fit(X[::2], y[::2])
    found = model.roc(X[1::2], y[1::2], total=1.0, multiples=[1.0, 0.1])
    for name in ("intercept", "asymmetry", "both"):
        assert getattr(found, name).tolist() == known["curves"][name]
    assert found.hull.tolist() == known["hull"]
    answers = [found.best(fpr_at_most=0.1), found.best(cost_ratio=2.0)]
    for mine, theirs in zip(answers, known["answers"], strict=True):
        assert (mine.fpr, mine.tpr, mine.shift, mine.C_pos) == (theirs["fpr"], theirs["tpr"], theirs["shift"], theirs["c-pos"])
        assert np.isclose(mine.C_neg, theirs["c-neg"], rtol=1e-14)
    assert answers[1].cost == known["answers"][1]["cost"]


def test_moments(command, tmp_path):
    X, y = pima()
    train = written(tmp_path / "train.csv", X, y)
    for objective, bias in (("zero-one", ["--bias", "augmented"]), ("auc", [])):
        known = json.loads(command("moments", "--objective", objective, "--train", train, *bias, "--json"))
        found = MomentClassifier(objective).fit(X, y)
        assert found.coef_[0].tolist() == known["w"] and found.value_ == known["value"]
        if objective == "zero-one":
            assert found.intercept_[0] == known["constant"]


def test_lasso(command, tmp_path):
    X, y = diabetes()
    train = written(tmp_path / "train.csv", X, y)
    known = json.loads(command("path", "lasso", "--train", train, "--bias", "intercept", "--alpha", "0.25", "--l1-ratio", "1", "--json"))
    found = LassoPath(alpha=0.25).fit(X, y)
    assert found.coef_.tolist() == known["fit"]["coefficients"] and found.intercept_ == known["fit"]["intercept"]
    assert found.path_.range[0] == known["alpha_max"] and len(found.path_.breakpoints) == known["breakpoints"]


def test_critical_line(command, tmp_path):
    X = 0.01 * np.random.default_rng(7).standard_normal((120, 9)) + np.linspace(0, 0.002, 9)
    train = written(tmp_path / "returns.csv", X, None)
    known = json.loads(command("path", "critical-line", "--train", train, "--param", "0.05", "--json"))
    found = CriticalLine().fit(X)
    assert found.path_.at(0.05).w.tolist() == known["at"][0]["weights"]
    assert found.max_sharpe().w.tolist() == known["max_sharpe"]["weights"]
    assert found.max_sharpe().sharpe == known["max_sharpe"]["sharpe"]


def test_nnls(command, tmp_path):
    X, y = diabetes()
    train, kept = written(tmp_path / "train.csv", X, y), tmp_path / "kept.path"
    command("path", "nnls", "--train", train, "--out", kept)
    known = json.loads(command("at", kept, "--param", "0,2.5,40", "--json"))
    found = NonNegativeLeastSquares().fit(X, y)
    for value, theirs in zip([0.0, 2.5, 40.0], known, strict=True):
        mine = found.path_.at(value)
        assert mine.w.tolist() == theirs["x"] and mine.objective == theirs["objective"] and mine.kkt_residual == theirs["kkt_residual"]
    predicted = command("predict", kept, "--data", train, "--param", "2.5").splitlines()[1:]
    assert np.allclose(found.predict(X, 2.5), np.array(predicted, dtype=float), rtol=1e-12, atol=1e-12)


def test_outliers(command, tmp_path):
    X = cancer()[0][:200, :6]
    train, kept = written(tmp_path / "train.csv", X, None), tmp_path / "kept.path"
    command("path", "one-class-svm", "--train", train, "--kernel", "rbf:0.5", "--out", kept, "--ranks", tmp_path / "ranks.csv")
    known = json.loads(command("at", kept, "--param", "0.1,0.6", "--json", "--full"))
    found = OneClassPath(gamma=0.5).fit(X)
    for value, theirs in zip([0.1, 0.6], known, strict=True):
        same(found.path_.at(value), theirs)
    predicted = command("predict", kept, "--data", train, "--param", "0.6").splitlines()[1:]
    assert found.decision_function(X, nu=0.6).tolist() == [float(line) for line in predicted]
    ranks = (tmp_path / "ranks.csv").read_text().splitlines()[1:]
    assert np.array_equal(found.outlier_ranks(), [float(line.split(",")[1] or "nan") for line in ranks], equal_nan=True)


def test_trend_filtering(command, tmp_path):
    y = diabetes()[1][:120]
    train, kept = tmp_path / "train.csv", tmp_path / "kept.path"
    train.write_text("y\n" + "".join(f"{value!r}\n" for value in y.tolist()))
    for order in (0, 1):
        command("path", "trend-filtering", "--train", train, "--order", order, "--out", kept)
        known = json.loads(command("at", kept, "--param", "3.5,70", "--json"))
        found = TrendFilter(order=order).fit(y)
        for value, theirs in zip([3.5, 70.0], known, strict=True):
            mine = found.path_.at(value)
            assert mine.fitted.tolist() == theirs["fitted"] and mine.knots.tolist() == theirs["knots"]
            assert mine.objective == theirs["objective"] and mine.dual_objective == theirs["dual_objective"]


def test_control(command, tmp_path):
    plant = {"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]], "horizon": 4, "lower": [-1], "upper": [1]}
    (tmp_path / "plant.json").write_text(json.dumps(plant))
    kept = tmp_path / "kept.path"
    command("path", "mpc", "--model", tmp_path / "plant.json", "--from=-9,-4", "--to", "8,5", "--out", kept)
    known = json.loads(command("at", kept, "--param", "0.3", "--json"))[0]
    found = ModelPredictiveControl(**plant).path([-9, -4], [8, 5]).at(0.3)
    assert found.inputs.tolist() == known["inputs"] and found.states.tolist() == known["states"] and found.cost == known["cost"]
