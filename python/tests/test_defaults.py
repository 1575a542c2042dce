"""The table of defaults in docs/python.md, compared with both doors."""

import inspect
import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import pathqp
from conftest import ROOT


def table():
    """Rows of the table: estimator, problem, kernel and bias."""
    text = (ROOT / "docs" / "python.md").read_text()
    cell = r" ?(\w*) \|"
    found = re.findall(rf"^\| `(\w+)` \| `([\w-]+)` \|{cell}{cell}$", text, flags=re.M)
    assert found, "docs/python.md has no table of defaults"
    return found


def test_every_estimator_with_a_kernel_or_a_bias_is_in_the_table():
    named = {name for name, *_ in table()}
    for name in pathqp.__all__:
        thing = getattr(pathqp, name)
        if hasattr(thing, "get_params") and name not in ("MomentClassifier", "ProbabilitySVC"):
            taken = {"kernel", "bias", "fit_intercept"} & set(inspect.signature(thing.__init__).parameters)
            assert bool(taken) == (name in named), name


@pytest.mark.parametrize("name, problem, kernel, bias", table(), ids=lambda value: value)
def test_the_table_is_that_of_both_doors(name, problem, kernel, bias, command):
    given = inspect.signature(getattr(pathqp, name).__init__).parameters
    default = {key: given[key].default for key in ("kernel", "bias", "fit_intercept", "gamma") if key in given}
    assert default.get("kernel", "") == kernel and default.get("gamma", "scale") == "scale"
    assert default.get("bias", "intercept" if default.get("fit_intercept", True) else "none") == bias
    told = " ".join(command("path", problem, "--help").split())

    def of(option):
        found = re.search(rf"--{option} .*?\[default: ([^\]]*)\]", told)
        return found[1].partition(":")[0] if found else ""

    assert of("scale") in ("none", "")
    assert of("kernel") == kernel
    # The one-class SVM has no other bias.
    assert of("bias") == ("" if problem == "one-class-svm" else bias)


CASES = {
    "QuantileSVC": ("--lambda 1e-3", lambda kind: kind(), True),
    "CostSensitiveSVC": ("--from 0 --to 2", lambda kind: kind(), True),
    "KernelQuantileRegressor": ("--lambda 1", lambda kind: kind(), False),
    "PathSVR": ("--c 1", lambda kind: kind(), False),
    "OneClassPath": ("", lambda kind: kind(), None),
    "LassoPath": ("", lambda kind: kind(), False),
    "LinearQuantileRegressor": ("", lambda kind: kind(), False),
    "NonCrossingQuantileRegressor": ("", lambda kind: kind(), False),
    "DantzigSelector": ("", lambda kind: kind(), False),
    "L1SVC": ("", lambda kind: kind(), True),
}


@pytest.mark.parametrize("name, problem, kernel, bias", table(), ids=lambda value: value)
def test_the_same_defaults_are_the_same_path(name, problem, kernel, bias, command, tmp_path):
    """With their defaults both doors follow one path, to the last bit."""
    import json

    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60], y[:60]
    options, make, labelled = CASES[name]
    y = (y > np.median(y)).astype(float) if labelled else y
    train, kept = tmp_path / "train.csv", tmp_path / "kept.path"
    columns = X if labelled is None else np.column_stack([X, y])
    head = ",".join([f"x{j}" for j in range(X.shape[1])] + ([] if labelled is None else ["response"]))
    train.write_text(head + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in columns.tolist()))
    command("path", problem, "--train", train, *options.split(), "--out", kept)
    model = make(getattr(pathqp, name))
    path = (model.fit(X) if labelled is None else model.fit(X, y)).path_
    low, high = sorted(path.range)
    value = low + 0.37 * (high - low)
    known = json.loads(command("at", kept, "--param", repr(value), "--json", "--full"))[0]
    found = path.at(value)
    assert found.objective == known["objective"] and found.kkt_residual == known["kkt_residual"]
    if name in ("LassoPath", "LinearQuantileRegressor", "DantzigSelector", "L1SVC"):
        assert found.w.tolist() == known["w"] and found.intercept == known["intercept"]
    elif name == "NonCrossingQuantileRegressor":
        assert found.w.tolist() == known["w"] and found.intercept.tolist() == known["intercept"]
        assert found.quantiles.tolist() == known["taus"] == [0.1, 0.5, 0.9]
    else:
        assert found.alpha.tolist() == known["alpha"]
