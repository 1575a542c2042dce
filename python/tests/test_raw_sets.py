"""Bundled data sets as they are, with the defaults of every estimator; docs/experiments/raw_sets.py has all of them."""

import sys

import numpy as np
import pytest
from conftest import ROOT
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from pathqp import CostSensitiveSVC, KernelQuantileRegressor, LassoPath, PathSVR, QuantileSVC


def pair(load, first, second):
    X, y = load(return_X_y=True)
    kept = (y == first) | (y == second)
    return X[kept], y[kept]


SETS = {
    "breast_cancer": lambda: load_breast_cancer(return_X_y=True),
    "iris": lambda: pair(load_iris, 1, 2),
    "wine": lambda: pair(load_wine, 0, 2),
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "diabetes raw": lambda: load_diabetes(return_X_y=True, scaled=False),
}


@pytest.fixture(scope="module")
def judge():
    folder = ROOT / "docs" / "experiments"
    if not (folder / "raw_sets.py").is_file():
        pytest.skip(f"there is no {folder}")
    sys.path.insert(0, str(folder))
    try:
        from raw_sets import judge
    finally:
        sys.path.remove(str(folder))
    return judge


@pytest.mark.parametrize("name", SETS)
def test_defaults_do_on_data_as_they_are(judge, name):
    X, y = SETS[name]()
    kinds = [PathSVR, LassoPath, KernelQuantileRegressor] if name.startswith("diabetes") else [QuantileSVC, CostSensitiveSVC]
    for kind in kinds:
        verdict, residual, gap, message = judge(kind, X, np.asarray(y))
        assert verdict == "certified", f"{kind.__name__}: {verdict}, {residual}, {gap}, {message}"
