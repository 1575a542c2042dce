"""Monotone and convex regression beside scikit-learn's isotonic regression, and by its own optimality conditions."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from pathqp import InputError, ShapeRegressor


def data(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(3, 150)
    x = rng.integers(0, 20, n).astype(float) if seed % 2 else rng.normal(size=n)
    return x, 0.2 * x + rng.normal(size=n), rng.uniform(0.1, 3, n)


@pytest.mark.parametrize("seed", range(30))
def test_bound_zero_is_isotonic_regression(seed):
    x, y, weights = data(seed)
    increasing = seed % 3 != 0
    model = ShapeRegressor(shape="increasing" if increasing else "decreasing").fit(x, y, weights)
    known = IsotonicRegression(increasing=increasing, out_of_bounds="clip").fit(x, y, weights)
    places = np.linspace(-5, 25, 61)
    assert np.abs(model.predict(places) - known.predict(places)).max() <= 1e-9
    assert model.X_thresholds_.tolist() == np.unique(x).tolist()
    if model.path_.range[0] < 0:
        low = model.path_.range[0]
        means = [np.average(y[x == v], weights=weights[x == v]) for v in model.X_thresholds_]
        assert np.abs(model.predict(model.X_thresholds_, bound=low) - means).max() <= 1e-9
        # Below the least slope nothing changes any more.
        assert np.array_equal(model.predict(x, bound=low), model.predict(x, bound=2 * low))


def test_a_convex_fit_is_convex_and_its_residuals_are_those_of_a_projection():
    x, y, weights = data(8)
    model = ShapeRegressor(shape="convex").fit(x.reshape(-1, 1), y, weights)
    f = model.y_thresholds_
    assert np.diff(np.diff(f) / np.diff(model.X_thresholds_)).min() >= -1e-9
    rest = weights * (y - model.predict(x))
    # The fit is a point of a cone that holds every linear function: residuals are orthogonal to the fit, 1 and x.
    for direction in (model.predict(x), np.ones_like(x), x):
        assert abs(rest @ direction) <= 1e-9 * np.abs(rest * direction).sum()
    steeper = ShapeRegressor(bound=0.5, shape="convex").fit(x, y, weights)
    assert steeper.path_.range[1] == 0.5
    assert np.diff(np.diff(steeper.y_thresholds_) / np.diff(steeper.X_thresholds_)).min() > 0


def test_what_cannot_be_fitted_is_named():
    with pytest.raises(InputError, match="shape = 'flat'"):
        ShapeRegressor(shape="flat").fit([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(InputError, match="2 feature columns where the problem has one"):
        ShapeRegressor().fit(np.eye(2), [1.0, 2.0])
    with pytest.raises(InputError, match="2 distinct values"):
        ShapeRegressor(shape="concave").fit([1.0, 1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="bound"):
        ShapeRegressor().fit([1.0, 2.0, 3.0], [1.0, 0.0, 3.0]).predict([1.0], bound=1.0)
