"""Rows of weight zero have no say: every estimator with them and without them."""

import numpy as np
import pytest

from pathqp import CostSensitiveSVC, InputError, KernelQuantileRegressor, PathSVR, QuantileSVC

MODELS = [
    (QuantileSVC, {"alpha": 0.05}, {"quantile": [0.2, 0.5, 0.9]}),
    (CostSensitiveSVC, {"C_max": 5.0}, {"C_pos": 0.7, "C_neg": 1.3}),
    (KernelQuantileRegressor, {"alpha": 0.1}, {"quantile": [0.1, 0.5]}),
    (PathSVR, {"C": 2.0}, {"epsilon": [0.05, 0.3]}),
]


def kernel(X, Z):
    """exp(-|x - z|^2/2) + x.z"""
    return np.exp(-0.5 * ((X[:, None] - Z[None]) ** 2).sum(axis=2)) + X @ Z.T


@pytest.fixture
def data():
    """Forty rows, of which a quarter have weight zero and values of another size."""
    random = np.random.default_rng(11)
    X = random.standard_normal((40, 3))
    y = X[:, 0] - X[:, 1] + 0.5 * random.standard_normal(40)
    weights = random.uniform(0.5, 2.0, 40)
    none = np.arange(0, 40, 4)
    weights[none] = 0.0
    X[none] *= 5.0
    y[none] *= 20.0
    return X, y, weights


def values(model, X, options):
    ask = model.decision_function if hasattr(model, "decision_function") else model.predict
    return ask(X, **options)


@pytest.mark.parametrize(("kind", "options", "at"), MODELS, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("name", ["linear", "rbf", "precomputed"])
def test_rows_of_weight_zero_change_nothing(data, kind, options, at, name):
    X, y, weights = data
    counted = weights > 0
    target = (y > 0).astype(int) if hasattr(kind, "decision_function") else y
    rows = (lambda Z, kept: kernel(Z, X[kept])) if name == "precomputed" else (lambda Z, kept: Z)
    everything = np.ones(len(y), bool)
    whole = kind(kernel=name, **options).fit(rows(X, everything), target, sample_weight=weights)
    part = kind(kernel=name, **options).fit(rows(X[counted], counted), target[counted], sample_weight=weights[counted])
    found, expected = values(whole, rows(X, everything), at), values(part, rows(X, counted), at)
    assert found.shape == expected.shape and np.abs(found - expected).max() < 1e-9 * max(1.0, np.abs(expected).max())
    assert np.allclose(whole.path_.breakpoints, part.path_.breakpoints, rtol=1e-9, atol=1e-9)
    value = np.mean([end for end in part.path_.range])
    alpha, other = whole.path_.at(value).alpha, part.path_.at(value).alpha
    alpha = alpha.reshape(-1, len(y))
    assert (alpha[:, ~counted] == 0.0).all()
    assert np.allclose(alpha[:, counted].ravel(), other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("kind", "options", "at"), MODELS, ids=lambda value: getattr(value, "__name__", ""))
def test_weights_that_leave_nothing_are_named(data, kind, options, at):
    X, y, _ = data
    y = (y > 0).astype(int) if hasattr(kind, "decision_function") else y
    for value in (-1.0, np.nan, np.inf):
        weights = np.ones(len(y))
        weights[5] = value
        with pytest.raises(InputError, match=r"sample_weight\[5\]"):
            kind(**options).fit(X, y, sample_weight=weights)
    with pytest.raises(InputError, match="every sample_weight is zero"):
        kind(**options).fit(X, y, sample_weight=np.zeros(len(y)))
    if hasattr(kind, "decision_function"):
        with pytest.raises(InputError, match="only one class"):
            kind(**options).fit(X, y, sample_weight=(y == 1).astype(float))


def test_a_label_without_weight_is_no_class(data):
    X, y, weights = data
    labels = (y > 0).astype(int)
    labels[weights == 0] = 7
    model = QuantileSVC(alpha=0.05).fit(X, labels, sample_weight=weights)
    assert model.classes_.tolist() == [0, 1]
