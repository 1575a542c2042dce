"""Any program, and linear quantile regression, against HiGHS and the definitions."""

import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from pathqp import InputError, LinearQuantileRegressor, ParametricQP, PathError


def linear_program(seed):
    """A feasible linear program with moving costs, rows and bounds."""
    random = np.random.default_rng(seed)
    n, m = 4 + seed % 9, 2 + seed % 5
    A = random.integers(-3, 4, (m, n)).astype(float) if seed % 2 else random.standard_normal((m, n))
    inside = random.uniform(0.2, 0.8, n)
    at, room = A @ inside, random.uniform(0.1, 1.0, m)
    lower, upper = np.where(np.arange(m) % 3 == 0, -np.inf, at - room), at + room
    lower[-1] = upper[-1] = at[-1]
    return {
        "c": (random.standard_normal(n), random.standard_normal(n)),
        "A": A,
        "lower": 0.0,
        "upper": (np.ones(n), random.uniform(0, 0.5, n)),
        "row_lower": lower,
        "row_upper": (upper, np.where(lower == upper, 0.0, -0.05 * room)),
    }


@pytest.mark.parametrize("seed", range(12))
def test_linear_programs_are_those_of_highs(seed):
    given = linear_program(seed)
    program = ParametricQP(**{**given, "A": sparse.csr_array(given["A"]) if seed % 3 else given["A"]})
    path = program.path(0, 1)
    assert path.complete
    at = lambda given, t: given[0] + t * given[1] if isinstance(given, tuple) else given
    A = given["A"]
    for t in np.linspace(0, 1, 21):
        point = path.at(t)
        low, high = at(given["row_lower"], t), at(given["row_upper"], t)
        some = np.isfinite(low)
        rows = np.vstack([A, -A[some]])
        bounds = np.column_stack([np.zeros(A.shape[1]), at(given["upper"], t)])
        peer = linprog(at(given["c"], t), A_ub=rows, b_ub=np.concatenate([high, -low[some]]), bounds=bounds, method="highs")
        assert abs(point.objective - peer.fun) < 1e-9 * max(1, abs(peer.fun)), t
        assert abs(point.dual_objective - peer.fun) < 1e-9 * max(1, abs(peer.fun))
        assert point.kkt_residual < 1e-9
        # The definition: z = c - A'y, and signs.
        z = at(given["c"], t) - A.T @ point.y
        value = A @ point.x
        size = 1e-9 * (1 + np.abs(point.y).max())
        assert (np.minimum(z, 0) * (at(given["upper"], t) - point.x) > -size).all()
        assert (np.maximum(z, 0) * point.x < size).all()
        below = np.where(some, value - np.where(some, low, 0.0), 1.0)
        assert (np.maximum(point.y, 0) * below < size).all()
        assert (np.minimum(point.y, 0) * (high - value) > -size).all()


def test_forms_of_the_same_program_agree():
    random = np.random.default_rng(3)
    Z, c, rate = random.standard_normal((7, 3)), random.standard_normal(7), random.standard_normal(7)
    options = {"A": np.ones((1, 7)), "lower": -1.0, "upper": 1.0, "row_upper": 0.5}
    first = ParametricQP(c=(c, rate), Z=Z, **options).path()
    others = [
        ParametricQP(Z @ Z.T, (c, rate), **options).path(),
        ParametricQP(sparse.csc_matrix(Z @ Z.T), (c, rate), **{**options, "A": sparse.coo_array(np.ones((1, 7)))}).path(),
        pickle.loads(pickle.dumps(first)),
    ]
    for other in others:
        for t in (0.0, 0.4, 1.0):
            assert abs(first.at(t).objective - other.at(t).objective) < 1e-9
            assert np.abs(first.at(t).y - other.at(t).y).max() < 1e-7
    curves = first.curves([0.0, 0.5])
    assert curves["x"].shape == (2, 7) and curves["y"].shape == (2, 1)
    assert first.proof is None
    backwards = ParametricQP(c=(c, rate), Z=Z, **options).path(1, 0)
    assert np.abs(backwards.breakpoints - first.breakpoints).max() < 1e-9


def test_what_has_no_solution_ends_with_a_proof():
    A = np.array([[1.0, 1.0], [1.0, -1.0]])
    program = ParametricQP(c=[1, 1], A=A, upper=1.0, row_lower=([1, -np.inf], [2, 0]))
    with pytest.warns(ConvergenceWarning, match="infeasible beyond t = 0.5"):
        path = program.path()
    kind, weights = path.proof
    assert not path.complete and kind == "infeasible"
    # Over the box the largest w'Ax falls short of w'(row_lower) beyond the end.
    most = np.maximum(A.T @ weights, 0).sum()
    assert weights[1] == 0 and most - weights[0] * 2 < 1e-12 and most - weights[0] * (1 + 2 * 0.75) < 0
    with pytest.warns(ConvergenceWarning, match="unbounded beyond t = 0.5"):
        path = ParametricQP(c=([1, 1], [0, -2]), A=A[:1], lower=0.0, row_lower=0.0).path()
    kind, direction = path.proof
    assert kind == "unbounded" and direction[0] == 0 and direction[1] > 0
    with pytest.raises(PathError, match="infeasible at the start"):
        ParametricQP(c=[1.0], A=[[1.0], [2.0]], row_lower=[1, -np.inf], row_upper=[np.inf, 1]).path()


def test_what_is_no_program_is_refused_by_name():
    for given, words in [
        ({}, "c is missing"),
        ({"c": [1, np.nan]}, r"c\[1\] = nan"),
        ({"c": ([1, 2], [0, np.inf])}, r"c\[1\] = inf \(the rate\)"),
        ({"c": ([1, 2],)}, "c is a tuple of 1"),
        ({"c": ([1, 2], 0, 0), "lower": (0, 0)}, "lower is a tuple of 2: a tuple is .value, 2 rates."),
        ({"c": [1, 2], "lower": [0]}, r"lower has the shape \(1,\)"),
        ({"c": [1, 2], "lower": np.inf}, r"lower\[0\] = inf: no number"),
        ({"c": [1, 2], "A": [[1, 2, 3]]}, r"A has the shape \(1, 3\)"),
        ({"c": [1, 2], "A": [[1, np.inf]]}, r"A\[0, 1\] = inf"),
        ({"c": [1, 2], "A": sparse.csr_array([[0.0, np.nan]])}, r"A\[0, 1\] = nan"),
        ({"c": [1, 2], "row_lower": 1}, "give A"),
        ({"c": [1, 2], "H": np.eye(3)}, r"H has the shape \(3, 3\)"),
        ({"c": [1, 2], "H": np.eye(2), "Z": np.eye(2)}, "H and Z"),
    ]:
        with pytest.raises(InputError, match=words):
            ParametricQP(**given)
    for given, words in [
        ({"c": [1, 2], "H": [[1, 2], [0, 1]]}, "symmetric"),
        ({"c": [1, 2], "lower": 2, "upper": 1}, "variable 0 cross"),
        ({"c": [1, 2], "A": [[1, 1]], "row_lower": 2, "row_upper": 1}, "row 0 cross"),
    ]:
        with pytest.raises(InputError, match=words):
            ParametricQP(**given).path()
    with pytest.raises(InputError, match="no length|goes from"):
        ParametricQP(c=[1.0], lower=0.0).path(1, 1)


# Koenker's examples (R package quantreg, vignette "Quantile regression in R", and the data set's page).
STACKLOSS = np.array(
    [
        (80, 27, 89, 42), (80, 27, 88, 37), (75, 25, 90, 37), (62, 24, 87, 28), (62, 22, 87, 18), (62, 23, 87, 18), (62, 24, 93, 19),
        (62, 24, 93, 20), (58, 23, 87, 15), (58, 18, 80, 14), (58, 18, 89, 14), (58, 17, 88, 13), (58, 18, 82, 11), (58, 19, 93, 12),
        (50, 18, 89, 8), (50, 18, 86, 7), (50, 19, 72, 8), (50, 19, 79, 8), (50, 20, 80, 9), (56, 20, 82, 15), (70, 20, 91, 15),
    ],
    dtype=float,
)  # fmt: skip


def highs_quantile(X, y, tau, weights=None, l1=0.0):
    """The least sum of losses, by the primal linear program."""
    n, d = X.shape
    v = np.ones(n) if weights is None else weights
    # w = w+ - w-, b free, residuals u - s.
    cost = np.concatenate([np.full(2 * d, l1), [0.0], tau * v, (1 - tau) * v])
    rows = sparse.hstack([X, -X, np.ones((n, 1)), sparse.eye(n), -sparse.eye(n)]).tocsc()
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * (2 * n)
    found = linprog(cost, A_eq=rows, b_eq=y, bounds=bounds, method="highs")
    assert found.status == 0
    return found.fun


def test_stackloss_has_its_published_coefficients():
    X, y = STACKLOSS[:, :3], STACKLOSS[:, 3]
    model = LinearQuantileRegressor().fit(X, y)
    # rq(stack.loss ~ stack.x, .5), as the manual of quantreg prints it.
    assert np.allclose([model.intercept_, *model.coef_], [-39.689855, 0.8318841, 0.5739130, -0.06086957], atol=5e-7)
    assert model.path_.at(0.5).unique is True
    backwards = LinearQuantileRegressor().fit(X, -y)
    assert np.abs(np.sort(1 - backwards.path_.breakpoints) - model.path_.breakpoints).max() < 1e-9


@pytest.mark.parametrize("l1", [None, 0.0, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_tau_is_the_linear_program_of_highs(weighted, l1):
    X, y = STACKLOSS[:, :3], STACKLOSS[:, 3]
    weights = np.arange(len(y)) % 4 + 0.5 if weighted else None
    model = LinearQuantileRegressor(alpha=l1).fit(X, y, weights)
    total = len(y) if weights is None else weights.sum()
    for tau in np.linspace(0.02, 0.98, 33):
        point = model.path_.at(tau)
        peer = highs_quantile(X, y, tau, weights, l1 or 0.0) / total
        assert abs(point.objective - peer) < 1e-9 * max(1, peer), tau
        residual = y - model.predict(X, tau)
        loss = np.average(residual * (tau - (residual < 0)), weights=weights) + (l1 or 0) * np.abs(point.w).sum() / total
        assert abs(loss - peer) < 1e-9 * max(1, peer)


def test_every_penalty_is_the_linear_program_of_highs():
    X, y = STACKLOSS[:, :3], STACKLOSS[:, 3]
    model = LinearQuantileRegressor(0.3, vary="alpha", alpha=2.0).fit(X, y)
    largest = model.path_.range[0]
    assert not model.path_.at(0.81 * largest).w.any() and model.path_.at(0.79 * largest).w.any()
    for lam in np.concatenate([[0.0, 1e-6], np.linspace(0.01, 1, 25) * largest]):
        point = model.path_.at(lam)
        peer = highs_quantile(X, y, 0.3, None, lam) / len(y)
        assert abs(point.objective - peer) < 1e-9 * max(1, peer), lam
    with pytest.raises(InputError, match="vary='quantile'"):
        model.crossings(X)


def test_coefficients_are_step_functions_with_two_solutions_at_a_step():
    X, y = STACKLOSS[:, :3], STACKLOSS[:, 3]
    path = LinearQuantileRegressor().fit(X, y).path_
    ends = np.unique(np.concatenate([[0.0], path.breakpoints, [1.0]]))
    for low, high in zip(ends[:-1], ends[1:]):
        inside = path.curves(low + (high - low) * np.array([0.01, 0.5, 0.99]))
        assert np.abs(np.diff(inside["w"], axis=0)).max() < 1e-12
        assert inside["unique"].all() or not inside["unique"].any()
    assert not path.curves(path.breakpoints)["unique"].any()


def test_quantiles_are_rearranged_and_told_where_they_cross():
    X, y = STACKLOSS[:, :3], STACKLOSS[:, 3]
    model = LinearQuantileRegressor().fit(X, y)
    far = np.array([[50.0, 27.0, 93.0], [80.0, 17.0, 72.0]])
    # Midpoints of equal parts, so that sorted values are the rearranged function but for where it steps.
    taus = (np.arange(2001) + 0.5) / 2001
    plain, monotone = model.predict_quantiles(far, taus, monotone=False), model.predict_quantiles(far, taus)
    assert (np.diff(monotone, axis=1) >= 0).all()
    assert np.abs(np.sort(plain, axis=1) - monotone).mean() < 1e-4 * np.ptp(plain)
    falls = model.crossings(far)
    assert sum(map(len, falls)) > 0
    for row, found in zip(plain, falls):
        down = taus[1:][np.diff(row) < -1e-9]
        assert all(any(abs(tau - start) <= 1e-3 for start, _, _ in found) for tau in down)
    share = model.cdf(far, 20.0)
    assert np.abs(share - (plain <= 20.0).mean(axis=1)).max() < 2e-3


def test_goodness_of_fit_is_a_ratio_of_losses():
    X, y = STACKLOSS[:, :3], STACKLOSS[:, 3]
    model = LinearQuantileRegressor().fit(X, y)
    for tau in (0.1, 0.5, 0.8):
        alone = highs_quantile(np.zeros((len(y), 1)), y, tau)
        assert abs(model.goodness_of_fit(tau) - (1 - highs_quantile(X, y, tau) / alone)) < 1e-9


DATA = Path(os.environ.get("PATHQP_ROOT", Path(__file__).resolve().parents[2])) / "../shared/data"


def engel():
    """Engel's data, where they are at hand: income and food expenditure of 235 households."""
    file = DATA / "raw/engel_statsmodels.csv"
    return np.loadtxt(file, delimiter=",", skiprows=1)[:, -2:] if file.exists() else pytest.skip("Engel's data are not here")


def test_rank_intervals_of_engel_are_those_of_the_vignette():
    income, food = engel().T
    model = LinearQuantileRegressor().fit(income[:, None], food)
    found = model.summary(0.5)
    assert np.allclose(found["coefficients"], [81.48225, 0.56018], atol=5e-6)
    assert np.allclose(found["lower"], [53.25915, 0.48702], atol=5e-6)
    assert np.allclose(found["upper"], [114.01156, 0.60199], atol=5e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # summary(rq(foodexp ~ income), se = "nid").
        assert np.allclose(model.summary(0.5, se="nid")["errors"], [19.25066, 0.02828], atol=5e-6)
        assert (model.summary(0.5, se="iid")["errors"] > 0).all()
