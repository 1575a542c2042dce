"""Rows of coefficients and weights, the Dantzig selector and the l1-norm SVM, against SciPy's solvers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from scipy.optimize import LinearConstraint, linprog, minimize
from sklearn.base import clone
from sklearn.utils.class_weight import compute_sample_weight

from pathqp import CriticalLine, DantzigSelector, InputError, L1SVC, LassoPath


def design(n=40, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X[:, 0] - 2 * X[:, 1] + 0.5 * rng.standard_normal(n) + 1


@pytest.mark.parametrize("alpha", [0.01, 0.2, 0.9])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_constrained_lasso_is_slsqp(alpha, fit_intercept):
    X, y = design()
    d = X.shape[1]
    A, lower, upper = np.array([[1.0] * d, [1.0, 0, 0, 0, 0, -1.0]]), [0.0, -np.inf], [0.0, 0.4]
    model = LassoPath(alpha=alpha, A=A, row_lower=lower, row_upper=upper, fit_intercept=fit_intercept).fit(X, y)
    assert model.path_.certificate().holds
    w = model.coef_
    assert abs(w.sum()) < 1e-12 and w[0] - w[5] <= 0.4 + 1e-12
    X0, y0 = (X - X.mean(0), y - y.mean()) if fit_intercept else (X, y)

    def objective(v):
        return ((y0 - X0 @ (v[:d] - v[d:])) ** 2).mean() / 2 + alpha * v.sum()

    both = np.hstack([A, -A])
    peer = minimize(objective, np.full(2 * d, 0.1), bounds=[(0, None)] * 2 * d, constraints=LinearConstraint(both, lower, upper), method="SLSQP", options={"ftol": 1e-15, "maxiter": 1000})
    assert abs(model.path_.at(alpha).objective - peer.fun) < 1e-7 * peer.fun
    assert np.allclose(model.predict(X), X @ w + model.intercept_)


def test_rows_go_by_label_or_position():
    X, y = design(d=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    rows = pd.DataFrame([[1.0, 0.0, 2.0]], columns=["c", "a", "b"])
    options = {"alpha": 0.1, "row_lower": 0.5, "row_upper": 0.5}
    named = LassoPath(A=rows, **options).fit(frame, y).coef_
    plain = LassoPath(A=[[0.0, 2.0, 1.0]], **options).fit(X, y).coef_
    thin = LassoPath(A=sparse.csr_array([[0.0, 2.0, 1.0]]), **options).fit(X, y).coef_
    assert np.allclose(named, plain, atol=1e-12) and np.allclose(thin, plain, atol=1e-12)
    assert np.isclose(2 * plain[1] + plain[2], 0.5)
    assert np.array_equal(clone(LassoPath(A=[[0.0, 2.0, 1.0]], **options)).fit(X, y).coef_, plain)
    with pytest.raises(InputError, match="'d'"):
        LassoPath(A=rows.rename(columns={"c": "d"}), **options).fit(frame, y)


@pytest.mark.parametrize(
    "rows, words",
    [
        ({"A": [[1.0] * 3], "row_lower": 0.0}, "shape"),
        ({"A": [[1.0] * 6]}, "row_lower"),
        ({"row_lower": 0.0}, "give A"),
        ({"A": [[np.nan] + [1.0] * 5], "row_lower": 0.0}, r"A\[0, 0\]"),
        ({"A": [[1.0] * 6], "row_lower": [0.0, 1.0]}, "row_lower"),
        ({"A": [[1.0] * 6], "row_lower": np.inf}, "row_lower"),
        ({"A": [[1.0] * 6], "row_lower": 1.0, "row_upper": 0.0}, "row 0"),
        ({"A": [[1.0] * 6, [0.0] * 5 + [1.0], [1.0] * 6], "row_lower": [1.0, 0.0, -np.inf], "row_upper": [np.inf, 1.0, 0.0]}, "row 0 .*row 2|row 2 .*row 0"),
    ],
)
def test_rows_that_cannot_be_are_named(rows, words):
    with pytest.raises(InputError, match=words):
        LassoPath(**rows).fit(*design())


def test_portfolios_with_rows_are_slsqp():
    rng = np.random.default_rng(3)
    returns = 0.01 + 0.05 * rng.standard_normal((60, 6))
    names = list("abcdef")
    A = pd.DataFrame([[1.0, 1, 0, 0, 0, 0], [0.3, -0.2, 0.1, 0.5, -0.4, 0.2]], columns=names)
    limits = {"row_lower": [-np.inf, 0.05], "row_upper": [0.4, 0.15]}
    model = CriticalLine(A=A[names[::-1]], **limits).fit(pd.DataFrame(returns, columns=names))
    assert model.path_.certificate().holds
    mean, covariance = returns.mean(0), np.cov(returns.T)
    frontier = model.path_.curves()
    for part in [0.0, 0.4, 0.9]:
        target = frontier["mean"][0] + part * (frontier["mean"][-1] - frontier["mean"][0])
        found = model.with_return(target)
        rows = np.vstack([np.ones(6), A.to_numpy(), mean])
        constraints = LinearConstraint(rows, [1, -np.inf, 0.05, target], [1, 0.4, 0.15, np.inf])
        peer = minimize(lambda w: 1e3 * w @ covariance @ w, np.full(6, 1 / 6), bounds=[(0, 1)] * 6, constraints=constraints, method="SLSQP", options={"ftol": 1e-14, "maxiter": 500})
        assert abs(1e3 * found.variance - peer.fun) < 1e-6 * peer.fun
        assert np.allclose(model.with_risk(found.variance**0.5).w, found.w, atol=1e-6)
    with pytest.raises(InputError, match="risk"):
        model.with_risk(10.0)
    with pytest.raises(InputError, match="budget"):
        CriticalLine(A=[[1.0] * 6], row_lower=1.5).fit(returns)


def test_a_year_of_months():
    returns = 0.01 + 0.05 * np.random.default_rng(4).standard_normal((30, 4))
    month, year = CriticalLine().fit(returns), CriticalLine(periods_per_year=12).fit(returns)
    a, b = month.max_sharpe(), year.max_sharpe()
    assert np.allclose(a.w, b.w) and np.isclose(12 * a.mean, b.mean) and np.isclose(12 * a.variance, b.variance)
    prices = np.vstack([np.ones(4), np.cumprod(1 + returns, axis=0)])
    assert np.allclose(CriticalLine(periods_per_year=12).fit_prices(prices).weights_, b.w, atol=1e-9)
    with pytest.raises(InputError, match="periods_per_year"):
        CriticalLine(periods_per_year=0).fit(returns)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("n, d", [(30, 6), (8, 15)])
def test_the_dantzig_selector_is_highs(n, d, fit_intercept):
    X, y = design(n, d, seed=n)
    model = DantzigSelector(fit_intercept=fit_intercept).fit(X, y)
    assert model.path_.certificate().holds
    X0, y0 = (X - X.mean(0), y - y.mean()) if fit_intercept else (X, y)
    top = model.path_.range[0]
    assert np.isclose(top, np.abs(X0.T @ y0).max())
    for alpha in top * np.array([0.8, 0.3, 0.02]):
        model.set_params(alpha=alpha)
        G, g = X0.T @ X0, X0.T @ y0
        rows = np.vstack([np.hstack([G, -G]), np.hstack([-G, G])])
        peer = linprog(np.ones(2 * d), A_ub=rows, b_ub=np.concatenate([g + alpha, alpha - g]), method="highs")
        assert np.isclose(np.abs(model.coef_).sum(), peer.fun, rtol=1e-6)
        assert np.abs(X0.T @ (y0 - X0 @ model.coef_)).max() <= alpha * (1 + 1e-9)
        assert np.allclose(model.predict(X), X @ model.coef_ + model.intercept_)
    # No coefficient is left but for rounding.
    assert np.ptp(model.predict(X, alpha=2 * top)) <= 1e-12 * np.ptp(y)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_l1_svm_is_highs(fit_intercept, class_weight):
    rng = np.random.default_rng(5)
    y = np.repeat(["no", "yes"], [25, 15])
    X = rng.standard_normal((40, 5)) + np.outer(y == "yes", [1.5, 1, 0, 0, 0])
    sample_weight = rng.uniform(0.5, 2, 40)
    model = L1SVC(fit_intercept=fit_intercept, class_weight=class_weight).fit(X, y, sample_weight)
    assert model.path_.certificate().holds and list(model.classes_) == ["no", "yes"]
    v = sample_weight * (compute_sample_weight("balanced", y) if class_weight else 1)
    s = np.where(y == "yes", 1.0, -1.0)
    for alpha in [0.3, 2.0, 9.0]:
        model.set_params(alpha=alpha)
        assert model.coef_.shape == (1, 5) and model.intercept_.shape == (1,)
        f = model.decision_function(X)
        value = v @ np.maximum(0, 1 - s * f) + alpha * np.abs(model.coef_).sum()
        rows = -np.hstack([s[:, None] * X, -s[:, None] * X, s[:, None], np.eye(40)])
        free = (None, None) if fit_intercept else (0, 0)
        bounds = [(0, None)] * 10 + [free] + [(0, None)] * 40
        peer = linprog(np.concatenate([np.full(10, alpha), [0], v]), A_ub=rows, b_ub=-np.ones(40), bounds=bounds, method="highs")
        assert np.isclose(value, peer.fun, rtol=1e-9) and np.isclose(model.path_.at(alpha).objective, peer.fun, rtol=1e-9)
        assert np.array_equal(model.predict(X), np.where(f > 0, "yes", "no"))
    assert model.predict(X, alpha=[0.3, 2.0]).shape == (40, 2)


def test_bounds_of_parameters_are_named():
    X, y = design()
    with pytest.raises(InputError, match="alpha_min"):
        DantzigSelector(alpha=0.1, alpha_min=0.2).fit(X, y)
    with pytest.raises(InputError, match="alpha"):
        L1SVC(alpha=-1).fit(X, y > 0)
    with pytest.raises(InputError, match="one class"):
        L1SVC().fit(X, np.ones(len(y)))
