"""Quantile planes that do not cross, against HiGHS and LinearQuantileRegressor."""

import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.metrics import d2_pinball_score, mean_pinball_loss

from pathqp import InputError, LinearQuantileRegressor, NonCrossingQuantileRegressor

DATA = Path(os.environ.get("PATHQP_ROOT", Path(__file__).resolve().parents[2])) / "../shared/data/regression"
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def rows(n=50, d=3, seed=0):
    """Rows whose spread grows with a feature, so that separate planes cross."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, 1 + X[:, 0] + (1 + 0.8 * X[:, -1]) * rng.standard_normal(n)


def highs(X, y, levels, penalties, weights, intercept=True):
    """The least sum of the losses and penalties by HiGHS; variables: for each level w+, w-, b and both parts of the residuals."""
    n, d = X.shape
    one = 2 * d + 1 + 2 * n
    fit = sparse.csr_matrix(np.hstack([X, -X, np.ones((n, 1))]))
    plane = sparse.hstack([fit, sparse.eye(n), -sparse.eye(n)])
    value = sparse.hstack([fit, sparse.csr_matrix((n, 2 * n))])
    cost = np.concatenate([np.concatenate([penalties, penalties, [0], tau * weights, (1 - tau) * weights]) for tau in levels])
    free = (None, None) if intercept else (0, 0)
    bounds = ([(0, None)] * (2 * d) + [free] + [(0, None)] * (2 * n)) * len(levels)
    steps = np.eye(len(levels))[:-1] - np.eye(len(levels))[1:]
    apart = sparse.kron(steps, value).tocsr() if len(levels) > 1 else sparse.csr_matrix((0, one))
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(
        cost,
        A_ub=apart,
        b_ub=np.zeros(apart.shape[0]),
        A_eq=sparse.block_diag([plane] * len(levels)).tocsr(),
        b_eq=np.tile(y, len(levels)),
        bounds=bounds,
        method="highs",
        options=tight,
    )
    assert found.status == 0, found.message
    return found.fun


def losses(model, X, y, alpha, weights):
    """The sum of the losses and penalties of the planes at a penalty, from their coefficients."""
    at = model.path_.at(alpha)
    fits = X @ at.w.T + at.intercept
    total = sum(weights @ np.maximum(tau * (y - f), (tau - 1) * (y - f)) for tau, f in zip(model.quantiles, fits.T))
    return total + alpha * np.abs(at.w).sum()


@pytest.mark.parametrize("seed", range(12))
def test_planes_are_those_of_highs(seed):
    X, y = rows(seed=seed)
    if seed % 3 == 1:
        X, y = X.round(), y.round()
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 1.0, 2.5], len(y)) if seed % 2 else np.ones(len(y))
    counted, intercept = weights > 0, seed % 4 != 3
    model = NonCrossingQuantileRegressor((0.1, 0.4, 0.6, 0.9), fit_intercept=intercept).fit(X, y, weights)
    largest = model.path_.range[0]
    for alpha in largest * np.array([0.7, 0.3, 0.1, 0.02, 0.0]):
        known = highs(X[counted], y[counted], model.quantiles, np.full(3, alpha), weights[counted], intercept)
        assert abs(losses(model, X, y, alpha, weights) - known) <= 1e-9 * (weights @ np.abs(y))
        assert abs(model.path_.at(alpha).objective * weights.sum() - known) <= 1e-9 * (weights @ np.abs(y))
    fits = model.predict(X[counted], np.linspace(0, largest, 50))
    assert fits.shape == (counted.sum(), 4, 50)
    assert np.diff(fits, axis=1).min() >= -1e-12 * np.abs(y).max()


@pytest.mark.parametrize(
    "file, response",
    [
        ("engel", "foodexp"),
        ("BigMac2003", "BigMac"),
        ("stackloss", "STACKLOSS"),
        ("mcycle", "accel"),
        ("UScrime", "y"),
        ("prostate", "lpsa"),
        ("barro", "y.net"),
        ("ozone330", "O3"),
        ("Boston", "medv"),
    ],
)
def test_five_levels_of_real_data_are_those_of_highs(file, response):
    """In their own units; HiGHS gets columns around zero and of size one."""
    if not (DATA / f"{file}.csv").exists():
        pytest.skip(f"{DATA / file}.csv is not there")
    table = pd.read_csv(DATA / f"{file}.csv").drop(columns="train", errors="ignore")
    X, y = table.drop(columns=response).to_numpy(float), table[response].to_numpy(float)
    model = NonCrossingQuantileRegressor(LEVELS).fit(X, y)
    middle = X.mean(axis=0)
    units, unit = np.abs(X - middle).max(axis=0), np.abs(y - y.mean()).max()
    places = np.sort(np.concatenate([[0.0], model.path_.breakpoints]))
    chosen = places[np.linspace(0, len(places) - 1, 20).astype(int)]
    for alpha in chosen:
        known = unit * highs((X - middle) / units, (y - y.mean()) / unit, LEVELS, alpha / units, np.ones(len(y)))
        assert abs(losses(model, X, y, alpha, np.ones(len(y))) - known) <= 1e-9 * known
    fits = model.predict(X, chosen)
    assert np.diff(fits, axis=1).min() >= -1e-11 * np.abs(fits).max()


def test_one_level_is_the_linear_quantile_regressor():
    X, y = rows()
    planes = NonCrossingQuantileRegressor(0.3).fit(X, y)
    alone = LinearQuantileRegressor(0.3, vary="alpha").fit(X, y)
    assert np.allclose(planes.path_.breakpoints, alone.path_.breakpoints, rtol=1e-9, atol=0)
    for alpha in (planes.path_.breakpoints[1:] + planes.path_.breakpoints[:-1]) / 2:
        assert np.allclose(planes.path_.at(alpha).w[0], alone.path_.at(alpha).w, rtol=0, atol=1e-9)
        assert np.allclose(planes.predict(X, alpha)[:, 0], alone.predict(X, alpha), rtol=0, atol=1e-9)


def test_attributes_predictions_and_scores():
    X, y = rows()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = NonCrossingQuantileRegressor(alpha=2.0).fit(frame, y)
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 3), (3,))
    fits = model.predict(frame)
    assert fits.shape == (50, 3) and np.allclose(fits, X @ model.coef_.T + model.intercept_, rtol=0, atol=1e-12)
    both = model.predict(frame, [2.0, 0.5])
    assert np.array_equal(both[:, :, 0], fits) and np.array_equal(both[:, :, 1], model.predict(frame, 0.5))
    weights = np.arange(50) % 3
    known = [d2_pinball_score(y, f, alpha=t, sample_weight=weights) for t, f in zip((0.1, 0.5, 0.9), fits.T)]
    assert model.score(frame, y, weights) == pytest.approx(np.mean(known), rel=1e-14)
    at = model.path_.at(2.0)
    assert at.quantiles.tolist() == [0.1, 0.5, 0.9] and np.array_equal(at.w, model.coef_)
    assert at.loss == pytest.approx(sum(mean_pinball_loss(y, f, alpha=t) for t, f in zip(at.quantiles, fits.T)), rel=1e-12)
    assert at.objective == pytest.approx(at.loss + 2.0 * np.abs(at.w).sum() / 50, rel=1e-12)
    assert model.path_.certificate().holds
    curves = model.path_.curves([2.0, 0.0])
    assert curves["w"].shape == (2, 9) and np.array_equal(curves["w"][0], model.coef_.ravel())
    assert curves["intercept"].shape == (2, 3)
    thin = clone(model).fit(sparse.csr_array(X), y)
    assert np.allclose(thin.predict(sparse.csr_array(X)), fits, rtol=0, atol=1e-10)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(frame), fits) and np.array_equal(again.coef_, model.coef_)
    # From the largest penalty on all planes are level.
    assert np.array_equal(model.predict(frame, 1e9), np.tile(model.predict(frame, 1e9)[0], (50, 1)))
    short = NonCrossingQuantileRegressor(alpha=2.0, alpha_min=1.0).fit(X, y)
    assert short.path_.range[1] == 1.0 and np.allclose(short.coef_, model.coef_, rtol=0, atol=1e-12)


def test_a_row_of_weight_zero_is_as_good_as_absent():
    X, y = rows()
    weights = np.where(np.arange(50) % 4 == 1, 0.0, 1.5)
    a, b = (NonCrossingQuantileRegressor(alpha=1.0).fit(*given) for given in [(X, y, weights), (X[weights > 0], y[weights > 0], weights[weights > 0])])
    assert np.allclose(a.coef_, b.coef_, rtol=0, atol=1e-10) and np.allclose(a.intercept_, b.intercept_, rtol=0, atol=1e-10)


def test_planes_are_drawn_by_name(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = rows()
    model = NonCrossingQuantileRegressor((0.2, 0.8)).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    ax = model.path_.plot()
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert named == [f"tau={tau} {name}" for tau in (0.2, 0.8) for name in "abc"] and len(ax.get_lines()) == 6
    assert "quantile-planes" in model.path_.report()


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"quantiles": []}, "at least one number between 0 and 1"),
        ({"quantiles": (0.1, 1.0)}, "level 2 of the quantiles is 1.*strictly between 0 and 1"),
        ({"quantiles": (0.0, 0.5)}, "level 1 of the quantiles is 0"),
        ({"quantiles": (0.1, float("nan"))}, "level 2 of the quantiles is NaN"),
        ({"quantiles": (0.5, 0.2)}, "level 2 of the quantiles is 0.2, and the one before it 0.5.*rising order"),
        ({"quantiles": "median"}, "quantiles"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": 1.0, "alpha_min": 2.0}, "alpha_min"),
        ({"max_events": -1}, "max_events"),
    ],
)
def test_what_cannot_be_used_is_named(parameters, words):
    X, y = rows()
    with pytest.raises(InputError, match=words):
        NonCrossingQuantileRegressor(**parameters).fit(X, y)


def test_all_weights_zero_and_penalties_below_the_path():
    X, y = rows()
    with pytest.raises(InputError, match="every sample_weight is zero"):
        NonCrossingQuantileRegressor().fit(X, y, np.zeros(50))
    with pytest.raises(InputError):
        NonCrossingQuantileRegressor(alpha=1.0, alpha_min=1.0).fit(X, y).predict(X, 0.5)


def test_the_levels_are_those_of_the_fit():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, 2))
    y = X[:, 0] + rng.standard_normal(30)
    model = NonCrossingQuantileRegressor(quantiles=(0.2, 0.5, 0.8), alpha=0.5).fit(X, y)
    score = model.score(X, y)
    assert model.predict(X, []).shape == (30, 3, 0)
    model.set_params(quantiles=(0.1, 0.9))
    assert model.quantiles_.tolist() == [0.2, 0.5, 0.8]
    assert model.predict(X).shape == (30, 3)
    assert model.score(X, y) == score
