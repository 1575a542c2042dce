"""What each estimator answers, against independent computations."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import linprog
from sklearn.datasets import load_diabetes
from sklearn.linear_model import ElasticNet, Lasso, lars_path
from sklearn.metrics import roc_curve
from sklearn.svm import SVC, SVR

from pathqp import (
    CostSensitiveSVC,
    CriticalLine,
    InputError,
    KernelQuantileRegressor,
    LassoPath,
    ModelPredictiveControl,
    MomentClassifier,
    OneClassPath,
    PathSVR,
    QuantileSVC,
)


def test_every_tau_is_the_svm_with_those_weights(cancer):
    X, y = cancer
    lam, n = 1e-2, len(y)
    model = QuantileSVC(alpha=lam, kernel="linear").fit(X, y)
    for tau in (0.2, 0.5, 0.9):
        # 1/2 |w|^2 + sum c_i/lam hinge.
        weights = {1: 2 * (1 - tau), 0: 2 * tau}
        peer = SVC(kernel="linear", C=1 / (n * lam), class_weight=weights, tol=1e-8).fit(X, y)
        assert np.abs(model.path_.at(tau).w - peer.coef_[0]).max() < 1e-5 * np.abs(peer.coef_).max()
        assert np.abs(model.decision_function(X, quantile=tau) - peer.decision_function(X)).max() < 1e-4
        assert model.path_.at(tau).kkt_residual < 1e-9


def test_several_tau_are_columns(cancer):
    X, y = cancer
    model = QuantileSVC(alpha=1e-2).fit(X, y)
    together = model.decision_function(X[:7], quantile=[0.1, 0.6])
    assert together.shape == (7, 2)
    assert np.array_equal(together[:, 1], model.decision_function(X[:7], quantile=0.6))
    assert np.array_equal(model.predict(X[:7], quantile=[0.1, 0.6]), model.classes_[(together > 0).astype(int)])


def test_probability_is_the_measure_of_positive_tau(cancer):
    X, y = cancer
    model = QuantileSVC(alpha=1e-2).fit(X, y)
    grid = np.linspace(0, 1, 4001)
    share = (model.decision_function(X[:40], quantile=(grid[1:] + grid[:-1]) / 2) > 0).mean(axis=1)
    probability = model.predict_proba(X[:40])
    assert np.abs(probability.sum(axis=1) - 1).max() < 1e-15
    assert np.abs(probability[:, 1] - share).max() < 2e-3


def test_rates_are_those_of_predictions(cancer):
    X, y = cancer
    model = QuantileSVC(alpha=1e-2).fit(X[::2], y[::2])
    rates = model.rates(X[1::2], y[1::2])
    for k in np.linspace(0, len(rates["tpr"]) - 1, 9).astype(int):
        tau = (rates["quantile"][k] + rates["quantile"][k + 1]) / 2
        predicted = model.predict(X[1::2], quantile=tau)
        assert np.isclose(rates["accuracy"][k], (predicted == y[1::2]).mean())
        assert np.isclose(rates["tpr"][k], predicted[y[1::2] == 1].mean())


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "poly"])
def test_sparse_is_dense(kernel):
    random = np.random.default_rng(5)
    X = random.standard_normal((80, 12)) * (random.uniform(size=(80, 12)) < 0.2)
    y = (X[:, 0] + 0.3 * random.standard_normal(80) > 0).astype(int)
    dense = QuantileSVC(alpha=0.05, kernel=kernel, gamma=0.3).fit(X, y)
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.coo_matrix):
        other = QuantileSVC(alpha=0.05, kernel=kernel, gamma=0.3).fit(kind(X), y)
        assert np.array_equal(dense.path_.breakpoints, other.path_.breakpoints)
        assert np.array_equal(dense.decision_function(X, quantile=0.4), other.decision_function(kind(X), quantile=0.4))


def test_precomputed_is_the_kernel(cancer):
    X, y = cancer[0][:150], cancer[1][:150]
    gram = X @ X.T
    model = QuantileSVC(alpha=1e-2, kernel="precomputed").fit(gram, y)
    direct = QuantileSVC(alpha=1e-2).fit(X, y)
    assert np.abs(model.decision_function(gram, quantile=0.3) - direct.decision_function(X, quantile=0.3)).max() < 1e-8


@pytest.mark.parametrize("kind", [QuantileSVC, CostSensitiveSVC, KernelQuantileRegressor, PathSVR])
def test_a_kernel_that_is_not_symmetric_is_refused(kind):
    random = np.random.default_rng(6)
    X = random.standard_normal((30, 4))
    y = np.where(X[:, 0] + 0.3 * random.standard_normal(30) > 0, 1, -1)
    gram = X @ X.T
    # What another order of summation changes is no asymmetry.
    rounded = gram * (1 + 1e-15 * random.uniform(-1, 1, gram.shape))
    assert not np.array_equal(rounded, rounded.T)
    kind(kernel="precomputed").fit(rounded, y)
    gram[3, 7] += 1e-6
    with pytest.raises(InputError, match="symmetric.*row 3, column 7.*row 7, column 3"):
        kind(kernel="precomputed").fit(gram, y)
    with pytest.raises(InputError, match="symmetric"):
        kind(kernel="precomputed").fit(sparse.csr_matrix(np.triu(gram)), y)


def test_any_costs_after_one_fit(cancer):
    X, y = cancer
    model = CostSensitiveSVC(1.0, 1.0, C_max=3.0).fit(X, y)
    for c_pos, c_neg in [(1.0, 1.0), (2.0, 2.0), (0.3, 2.2), (5.0, 0.5), (8.0, 9.0)]:
        peer = SVC(kernel="linear", C=1.0, class_weight={1: c_pos, 0: c_neg}, tol=1e-8).fit(X, y)
        f, g = model.decision_function(X, C_pos=c_pos, C_neg=c_neg), peer.decision_function(X)
        assert np.abs(f - g).max() < 1e-4
        assert np.array_equal(model.predict(X, C_pos=c_pos, C_neg=c_neg), model.classes_[(f > 0).astype(int)])
    at = model.path_.at(1.0)
    assert np.abs(model.decision_function(X) - model.solution(1.0, 1.0).intercept - X @ at.w).max() < 1e-12
    model.set_params(C_pos=0.3, C_neg=2.2)
    assert np.array_equal(model.decision_function(X), model.decision_function(X, 0.3, 2.2))


def test_best_keeps_to_its_bound(cancer):
    X, y = cancer
    train, valid = slice(0, None, 2), slice(1, None, 2)
    model = CostSensitiveSVC().fit(X[train], y[train])
    curves = model.roc(X[valid], y[valid], total=2.0, multiples=[1.0, 0.1])
    for most in (0.0, 0.02, 0.1):
        point = curves.best(fpr_at_most=most)
        predicted = model.predict(X[valid], point=point)
        fpr = (predicted[y[valid] == 0] == 1).mean()
        tpr = (predicted[y[valid] == 1] == 1).mean()
        assert fpr <= most and np.isclose(fpr, point.fpr) and np.isclose(tpr, point.tpr)
    by_cost = curves.best(cost_ratio=0.2)
    predicted = model.predict(X[valid], point=by_cost)
    gamma = 0.2 / 1.2
    misses = ((predicted == 0) & (y[valid] == 1)).sum()
    alarms = ((predicted == 1) & (y[valid] == 0)).sum()
    assert np.isclose(by_cost.cost, (2 * gamma * misses + 2 * (1 - gamma) * alarms) / len(predicted))
    assert by_cost == model.best(X[valid], y[valid], cost_ratio=0.2, total=2.0, multiples=[1.0, 0.1])
    # The ordinary curve is scikit-learn's of the same classifier.
    scores = model.decision_function(X[valid], C_pos=curves.costs[0], C_neg=curves.costs[1])
    fpr, tpr, _ = roc_curve(y[valid], scores, drop_intermediate=False)
    assert np.isclose(np.trapezoid(tpr, fpr), curves.area)


def test_best_by_folds(cancer):
    X, y = cancer[0][::3], cancer[1][::3]
    point = CostSensitiveSVC().fit(X, y).best(fpr_at_most=0.05, cv=3, total=1.0)
    assert point.fpr <= 0.05 < 1 and point.tpr > 0.8
    with pytest.raises(InputError, match="either"):
        CostSensitiveSVC().fit(X, y).best(cv=3, total=1.0)


def pinball(residual, tau):
    return np.where(residual >= 0, tau * residual, (tau - 1) * residual)


def test_quantiles_have_the_share_of_rows_below(curve):
    X, y = curve
    model = KernelQuantileRegressor(alpha=0.05, gamma=1.0).fit(X, y)
    for tau in (0.1, 0.25, 0.5, 0.9):
        f = model.predict(X, quantile=tau)
        # With an intercept at most tau n rows lie below and at most (1 - tau) n above (Takeuchi et al. 2006, Lemma 3).
        assert (y < f - 1e-9).sum() <= tau * len(y) + 1e-9
        assert (y > f + 1e-9).sum() <= (1 - tau) * len(y) + 1e-9


def test_quantiles_are_the_linear_program_where_the_penalty_vanishes(curve):
    X, y = curve
    tau, n = 0.3, len(y)
    model = KernelQuantileRegressor(alpha=1e-4, kernel="linear").fit(X, y)
    A = np.hstack([X, np.ones((n, 1)), np.eye(n), -np.eye(n)])
    c = np.concatenate([np.zeros(2), np.full(n, tau), np.full(n, 1 - tau)])
    peer = linprog(c, A_eq=A, b_eq=y, bounds=[(None, None)] * 2 + [(0, None)] * (2 * n))
    loss = pinball(y - model.predict(X, quantile=tau), tau).sum()
    assert abs(loss - peer.fun) < 1e-5 * peer.fun


def test_quantiles_do_not_cross_and_the_cdf_is_their_inverse(curve):
    X, y = curve
    model = KernelQuantileRegressor(alpha=1e-3, gamma=3.0).fit(X, y)
    taus = np.linspace(0.01, 0.99, 99)
    quantiles = model.predict_quantiles(X, taus)
    assert (np.diff(quantiles, axis=1) >= -1e-12).all()
    assert any(model.crossings(X)), "these quantiles cross before they are rearranged"
    raw = model.predict(X, quantile=np.linspace(0, 1, 20001))
    q = np.array([-0.5, 0.2])
    assert np.abs(model.cdf(X, q) - (raw[:, :, None] <= q).mean(axis=1)).max() < 1e-3


def test_the_best_penalty_is_no_worse_than_a_grid(curve):
    X, y = curve
    train, valid = slice(0, None, 2), slice(1, None, 2)
    model = KernelQuantileRegressor(gamma=1.0).fit(X[train], y[train])
    best = model.tune((X[valid], y[valid]), quantiles=(0.2, 0.8))
    assert best.complete
    for tau in (0.25, 0.5, 0.71):
        loss = pinball(y[valid] - model.predict_tuned(X[valid], quantile=tau), tau).mean()
        assert np.isclose(loss, best.loss(tau), rtol=1e-6)
        for lam in np.geomspace(best.alpha_range[0] * 1.001, 10, 12):
            other = KernelQuantileRegressor(lam, gamma=1.0).fit(X[train], y[train]).predict(X[valid], quantile=tau)
            assert loss <= pinball(y[valid] - other, tau).mean() + 1e-9
    assert model.tune(cv=3, quantiles=(0.3, 0.7)).complete
    assert model.tune(criterion="sic", quantiles=(0.3, 0.7)).complete


@pytest.mark.parametrize("vary", ["epsilon", "C"])
def test_every_tube_is_the_svr(curve, vary):
    X, y = curve
    model = PathSVR(C=2.0, epsilon=0.2, gamma=0.5, vary=vary).fit(X, y)
    for value in (0.05, 0.2, 0.7):
        epsilon, C = (value, 2.0) if vary == "epsilon" else (0.2, 2 * value)
        peer = SVR(kernel="rbf", gamma=0.5, C=C, epsilon=epsilon, tol=1e-9).fit(X, y)
        f = model.predict(X, **({"epsilon": epsilon} if vary == "epsilon" else {"C": C}))
        assert np.abs(f - peer.predict(X)).max() < 1e-5
    with pytest.raises(InputError, match="varies"):
        model.predict(X, **({"C": 1.0} if vary == "epsilon" else {"epsilon": 1.0}))


def test_lasso_is_lars():
    X, y = load_diabetes(return_X_y=True)
    alphas, _, coefs = lars_path(X - X.mean(axis=0), y - y.mean(), method="lasso")
    model = LassoPath(alpha=0.5).fit(X, y)
    assert len(model.path_.breakpoints) + 1 >= len(alphas) - 1
    found = model.path_.curves(alphas[:-1])["w"]
    assert np.abs(found - coefs.T[:-1]).max() < 1e-8 * np.abs(coefs).max()
    peer = Lasso(alpha=0.5, tol=1e-12, max_iter=100_000).fit(X, y)
    assert np.abs(model.coef_ - peer.coef_).max() < 1e-4 and np.isclose(model.intercept_, peer.intercept_)
    assert np.abs(model.predict(X) - peer.predict(X)).max() < 1e-4
    net = LassoPath(alpha=0.3 * 0.5, ridge=0.3 * 0.5).fit(X, y)
    peer = ElasticNet(alpha=0.3, l1_ratio=0.5, tol=1e-12, max_iter=100_000).fit(X, y)
    assert np.abs(net.coef_ - peer.coef_).max() < 1e-6
    above = LassoPath(alpha=1e9).fit(X, y)
    assert not above.coef_.any() and np.isclose(above.intercept_, y.mean())
    for path in (model.path_, net.path_, above.path_):
        assert path.residual()[0] < 1e-9
        for alpha in (1e9, 0.5, 0.01):
            point = path.at(alpha)
            assert point.kkt_residual < 1e-9 and point.relative_gap < 1e-9


def test_moments_come_in_parts(cancer):
    X, y = cancer
    whole = MomentClassifier().fit(X, y)
    parts = MomentClassifier()
    for k in range(0, len(y), 100):
        parts.partial_fit(X[k : k + 100], y[k : k + 100], classes=[0, 1])
    # The moments are the same but for rounding; the minimum is flat.
    assert np.isclose(parts.value_, whole.value_, rtol=1e-5)
    left, right = MomentClassifier().fit(X[:300], y[:300]), MomentClassifier().fit(X[300:], y[300:])
    left.merge(right)
    assert left.moments_.counts == whole.moments_.counts == [212, 357]
    for mine, theirs in zip(left.moments_.covariances + parts.moments_.covariances, 2 * whole.moments_.covariances):
        assert np.abs(mine - theirs).max() < 1e-14
    assert np.abs(whole.moments_.covariances[1] - np.cov(X[y == 1].T)).max() < 1e-14
    assert whole.score(X, y) > 0.9 and MomentClassifier("auc").fit(X, y).score(X, y) > 0.9
    assert np.abs(MomentClassifier().fit(sparse.csr_matrix(X), y).coef_ - whole.coef_).max() < 1e-9
    assert MomentClassifier().fit(X.astype(np.float32), y).score(X, y) > 0.9


def test_portfolios_are_efficient():
    random = np.random.default_rng(2)
    X = 0.01 * random.standard_normal((200, 6)) @ random.standard_normal((6, 6)) + np.linspace(0, 0.003, 6)
    model = CriticalLine().fit(X)
    mean, cov = X.mean(axis=0), np.cov(X.T)
    best = model.max_sharpe()
    for _ in range(2000):
        w = random.dirichlet(np.ones(6))
        assert mean @ w / np.sqrt(w @ cov @ w) <= best.sharpe + 1e-12
    assert np.isclose(model.weights_.sum(), 1) and np.array_equal(model.weights_, best.w)
    target = model.with_return(0.002 if mean.max() > 0.002 else mean.max())
    assert np.isclose(mean @ target.w, target.mean)
    again = CriticalLine().fit_moments(mean, cov)
    assert np.allclose(again.path_.breakpoints, model.path_.breakpoints, rtol=1e-8)
    assert np.allclose(model.predict(X), X @ model.weights_)


def test_maps_tile_their_rectangle(curve):
    X, y = curve[0][:14], curve[1][:14]
    found = KernelQuantileRegressor(gamma=1.0).fit(X, y).map(quantile=(0.2, 0.8), alpha=(0.05, 1.0))
    assert found.stats["holes"] == 0 and abs(found.stats["covered"] - 1) < 1e-9
    area = sum(0.5 * abs(np.dot(p[:, 0], np.roll(p[:, 1], -1)) - np.dot(p[:, 1], np.roll(p[:, 0], -1))) for p in found.regions)
    assert np.isclose(area, 0.6 * 0.95)
    model = KernelQuantileRegressor(0.3, gamma=1.0).fit(X, y)
    assert np.abs(found.at(0.4, 0.3).alpha - model.path_.at(0.4).alpha).max() < 1e-9
    assert found.locate(0.4, 0.3) == found.at(0.4, 0.3).region and found.locate(2.0, 2.0) is None
    labels = (y > 0).astype(int)
    plane = CostSensitiveSVC().fit(X, labels).map((0, 1), (0, 1))
    assert abs(plane.stats["covered"] - 1) < 1e-9
    tubes = PathSVR(gamma=1.0).fit(X, y).map((0, 1), (0, 1))
    peer = SVR(kernel="rbf", gamma=1.0, C=0.7, epsilon=0.3, tol=1e-9).fit(X, y)
    alpha = tubes.at(0.7, 0.3).alpha
    n = len(y)
    dual = np.zeros(n)
    dual[peer.support_] = peer.dual_coef_[0]
    assert np.abs(alpha[:n] - alpha[n:] - dual).max() < 1e-5


def test_edges_and_vertices_of_maps(curve):
    X, y = curve[0][:14], curve[1][:14]
    found = KernelQuantileRegressor(gamma=1.0).fit(X, y).map(quantile=(0.2, 0.8), alpha=(0.05, 1.0))
    edges, vertices, regions = found.edges, found.vertices, found.regions
    assert (len(edges), len(vertices)) == (found.stats["edges"], found.stats["vertices"])
    assert len(vertices) - len(edges) + len(regions) == 1
    # Every side of a region is made of its edges.
    length = sum(np.hypot(*(p - np.roll(p, -1, axis=0)).T).sum() for p in regions)
    ends = np.array([[vertices[v].at for v in edge.vertices] for edge in edges])
    inner = np.array([edge.regions[1] is not None for edge in edges])
    assert np.isclose(np.hypot(*(ends[:, 0] - ends[:, 1]).T) @ (1 + inner), length)
    assert np.isclose(np.hypot(*(ends[~inner, 0] - ends[~inner, 1]).T).sum(), 2 * (0.6 + 0.95))
    for k, edge in enumerate(edges):
        # Anticlockwise around the first region.
        (x0, y0), (x1, y1), centre = *ends[k], regions[edge.regions[0]].mean(axis=0)
        assert (x1 - x0) * (centre[1] - y0) > (y1 - y0) * (centre[0] - x0)
        assert bool(edge.events) == bool(inner[k]) and all(k in vertices[v].edges for v in edge.vertices)
        assert all(variable in vertices[v].events for variable, _, _ in edge.events for v in edge.vertices)
        # What happens at the edge is told by the dual variables on both sides of it: they leave or reach a bound there.
        if inner[k]:
            alpha = [found.at(*regions[r].mean(axis=0)).alpha for r in edge.regions]
            (tau0, _), (tau1, _) = (regions[r].mean(axis=0) for r in edge.regions)
            for variable, before, after in edge.events:
                for sign, tau, value in ((before, tau0, alpha[0][variable]), (after, tau1, alpha[1][variable])):
                    at = {1: tau - 1, -1: tau}.get(sign)
                    assert tau - 1 <= value <= tau if at is None else np.isclose(value, at, atol=1e-9), (edge, value)
    # A vertex lies on a side of every region around it; it need not be a corner, since one side may border several regions.
    for vertex in vertices:
        assert vertex.finite
        for corners in (regions[r] for r in vertex.regions):
            way = np.roll(corners, -1, axis=0) - corners
            part = np.clip(((vertex.at - corners) * way).sum(axis=1) / (way**2).sum(axis=1), 0, 1)
            assert np.abs(corners + part[:, None] * way - vertex.at).sum(axis=1).min() < 1e-9, vertex


def test_events_lead_along_the_path(cancer):
    X, y = cancer
    path = QuantileSVC(alpha=1e-2).fit(X, y).path_
    events = path.events
    assert (np.diff(events["value"]) >= 0).all()
    assert set(np.unique(events["value"][events["breakpoint"]])) <= set(path.breakpoints)
    assert path.complete and path.range == (0.0, 1.0) and path.stats["events"] > 0
    # Between two breakpoints alpha is affine.
    low, high = path.breakpoints[40:42]
    thirds = path.curves([low, low + (high - low) / 3, low + (high - low) / 3 * 2])["alpha"]
    assert np.abs(thirds[0] - 2 * thirds[1] + thirds[2]).max() < 1e-12
    with pytest.raises(InputError, match="quantile = 1.5"):
        path.at(1.5)


def test_a_path_that_is_not_certified_is_told(curve):
    path = KernelQuantileRegressor(alpha=1e-2, kernel="linear").fit(*curve).path_
    assert path.residual()[0] < 1e-9
    verdict = path.certificate()
    assert verdict.holds and verdict.relative_gap < 1e-9 and verdict.points > 1 and verdict.failure("tau") is None


def test_what_double_precision_cannot_tell_is_told():
    """Six points; the smallest sums of the pinball loss at 0.1, 0.25, 0.5 and 0.8 are 0.45, 1.08, 1.3 and 0.66 for any small penalty."""
    X, y = np.array([[1.0], [2], [3], [4], [6], [7]]), np.array([0.3, 1.1, 0.2, 1.6, 1.4, 3.1])
    for lam in (1e-3, 1e-13, 1e-14, 1e-16):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = KernelQuantileRegressor(alpha=lam, kernel="linear").fit(X, y)
        sums = [pinball(y - model.predict(X, quantile=tau), tau).sum() for tau in (0.1, 0.25, 0.5, 0.8)]
        right = np.abs(np.array(sums) - [0.45, 1.08, 1.3, 0.66]).max() < 1e-2
        told = [str(w.message) for w in caught if "certificate fails" in str(w.message)]
        assert right or told, (lam, sums)
        assert lam != 1e-3 or not told, told
        assert all("put the columns on one scale" in text for text in told)


def test_every_kind_of_path_has_a_verdict(curve):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 4))
    assert LassoPath(alpha=0.1).fit(X, X @ [1.0, -2, 0, 0] + rng.normal(size=40)).path_.certificate().holds
    assert CriticalLine().fit(0.01 * X + 0.001).path_.certificate().holds
    verdict = PathSVR(C=1.0).fit(*curve).map(C=(0.1, 1.0), epsilon=(0.0, 1.0)).certificate()
    assert verdict.holds and verdict.points >= 1 and len(verdict.residual_at) == 2


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_order_does_not_matter(order, cancer):
    X, y = np.array(cancer[0][:100], order=order), cancer[1][:100]
    known = QuantileSVC(alpha=1e-2).fit(X[::-1][::-1], y)
    found = QuantileSVC(alpha=1e-2).fit(X, y)
    assert np.array_equal(found.path_.breakpoints, known.path_.breakpoints)
    assert np.allclose(found.decision_function(X), found.path_.at(0.5).intercept + X @ found.path_.at(0.5).w)


def test_the_path_may_be_cut_short(cancer):
    with pytest.warns(UserWarning, match="max-events"):
        model = QuantileSVC(alpha=1e-2, max_events=20).fit(*cancer)
    assert not model.path_.complete and model.path_.range[1] < 1


def test_outliers_do_not_depend_on_the_units(cancer):
    X = cancer[0][:150]
    for nu in (0.1, 0.35):
        near, far = (OneClassPath(nu=nu, kernel="linear").fit(unit * X).predict(unit * X) for unit in (1.0, 2.0**-30))
        assert np.array_equal(near, far)
        assert 0 < np.sum(near < 0) <= nu * len(X)


def test_the_offset_is_a_number_where_it_is_not_unique(cancer):
    X = cancer[0][:60]
    svm = OneClassPath(nu=1.0, gamma=0.5).fit(X)
    assert np.isinf(svm.path_.at(1.0).intercept).any()
    assert np.isfinite(svm.offset_)
    assert np.isfinite(svm.score_samples(X)).all()
    assert np.allclose(svm.score_samples(X) - svm.decision_function(X), svm.offset_, rtol=1e-12, atol=0)


@pytest.mark.parametrize(("horizon", "words"), [(10**12, "fits into memory"), (2.5, "whole number"), (-1, "whole number")])
def test_a_horizon_that_cannot_be_is_refused(horizon, words):
    plant = {"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": np.eye(2), "R": [[0.5]], "lower": [-1], "upper": [1]}
    with pytest.raises(InputError, match=f"horizon.*{words}"):
        ModelPredictiveControl(**plant, horizon=horizon).path([-9, -4], [8, 5])
