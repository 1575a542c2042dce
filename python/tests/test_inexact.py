"""Paths of inexact solutions: their gap, and where the exact path is followed after all."""

import numpy as np
import pytest

from pathqp import CostSensitiveSVC, InputError, KernelQuantileRegressor, PathSVR, QuantileSVC

RNG = np.random.default_rng(4)
X = RNG.standard_normal((80, 3))
Y = X @ [1.0, -1.0, 0.5] + RNG.standard_normal(80)
LABELS = np.where(Y > 0.2, 1, -1)

MODELS = [
    (QuantileSVC, {"alpha": 1e-2}, LABELS, [0.0, 0.2, 0.5, 0.81, 1.0]),
    (QuantileSVC, {"alpha": 1e-2, "bias": "augmented", "kernel": "rbf"}, LABELS, [0.1, 0.5, 0.9]),
    (CostSensitiveSVC, {"kernel": "linear"}, LABELS, [0.3, 1.0, 2.0]),
    (PathSVR, {}, Y, [0.05, 0.1, 0.5]),
    (KernelQuantileRegressor, {"alpha": 0.1}, Y, [0.1, 0.5, 0.77]),
]


@pytest.mark.parametrize("model, options, target, values", MODELS)
def test_objectives_are_within_the_tolerance(model, options, target, values):
    exact = model(**options).fit(X, target).path_
    size = abs(exact.at(values[1]).objective)
    found = 0
    for part in (1e-1, 1e-2):
        path = model(**options, tolerance=part * size, inexact=True).fit(X, target).path_
        assert path.complete and path.tolerance == pytest.approx(part * size) and len(path.breakpoints) < len(exact.breakpoints)
        for value in values:
            excess = path.at(value).objective - exact.at(value).objective
            assert -1e-9 * size <= excess <= part * size * (1 + 1e-9)
            found += excess > 1e-6 * size
    assert found, "no solution was inexact"


def test_it_needs_a_tolerance():
    with pytest.raises(InputError, match="inexact.*tolerance"):
        QuantileSVC(inexact=True).fit(X, LABELS)
    with pytest.raises(InputError, match="positive"):
        QuantileSVC(inexact=True, tolerance=0.0).fit(X, LABELS)


def test_the_exact_path_is_followed_where_rounding_hides_the_gap():
    path = QuantileSVC(alpha=1e-2, tolerance=1e-18, inexact=True).fit(X, LABELS).path_
    followed = QuantileSVC(alpha=1e-2, tolerance=1e-18).fit(X, LABELS).path_
    np.testing.assert_array_equal(path.breakpoints, followed.breakpoints)
