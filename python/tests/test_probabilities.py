"""ProbabilitySVC against what it is made from: single SVMs, other optimisers, all pairs by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, GroupKFold, PredefinedSplit, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import pathqp
from pathqp._calibration import FLOOR, RIDGE, TAUS, WIDTHS, calibrate, scores
from pathqp._coupling import couple
from pathqp._pairs import half_decades


@pytest.fixture(scope="module")
def noisy():
    """120 rows of two classes that overlap, with P(Y = 1|x) known."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-2, 2, (120, 2))
    P = expit(3 * np.sin(2 * X[:, 0]) + X[:, 1])
    return X, (rng.random(120) < P).astype(int), P


@pytest.fixture(scope="module")
def model(noisy):
    return pathqp.ProbabilitySVC(cv=4).fit(*noisy[:2])


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_class_is_the_most_probable_one(load):
    X, y = load(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    found = make_pipeline(StandardScaler(), pathqp.ProbabilitySVC(cv=3)).fit(X[::2], names[::2])
    P = found.predict_proba(X)
    assert (found.predict(X) == found.classes_[P.argmax(axis=1)]).all()
    assert np.allclose(P.sum(axis=1), 1, atol=1e-14) and P.min() >= 0
    assert log_loss(names[1::2], P[1::2]) < 0.3
    assert np.allclose(np.exp(found.predict_log_proba(X)), P, atol=1e-15)


def test_pairs_are_coupled_as_by_another_optimiser():
    rng = np.random.default_rng(0)
    for size in (2, 3, 5):
        r = np.empty((20, size, size))
        for i in range(size):
            for j in range(i):
                r[:, i, j] = rng.uniform(1e-3, 1 - 1e-3, 20)
                r[:, j, i] = 1 - r[:, i, j]
        for each, p in zip(r, couple(r)):
            pairs = [(i, j) for i in range(size) for j in range(size) if i != j]

            def objective(q):
                return 0.5 * sum((each[j, i] * q[i] - each[i, j] * q[j]) ** 2 for i, j in pairs)

            options = {"method": "SLSQP", "bounds": [(0, 1)] * size, "options": {"ftol": 1e-15, "maxiter": 1000}}
            best = minimize(objective, np.full(size, 1 / size), constraints={"type": "eq", "fun": lambda q: q.sum() - 1}, **options)
            assert p.min() >= 0 and abs(p.sum() - 1) < 1e-14
            assert objective(p) <= best.fun + 1e-12
            assert np.abs(p - best.x).max() < 1e-4


def test_consistent_pairs_give_their_probabilities():
    p = np.random.default_rng(1).dirichlet(np.ones(4), 10)
    pairwise = p[:, :, None] / (p[:, :, None] + p[:, None, :])
    assert np.allclose(couple(pairwise), p, atol=1e-12)


def test_shares_are_those_of_single_svms(noisy):
    X, y, _ = noisy
    path = pathqp.QuantileSVC(alpha=0.02, kernel="rbf", gamma=0.7).fit(X, y)
    f = []
    for tau in TAUS:
        weights = {1: 2 * (1 - tau), 0: 2 * tau}
        svm = SVC(C=1 / (len(y) * 0.02), gamma=0.7, class_weight=weights, tol=1e-10).fit(X, y)
        f.append(svm.decision_function(X[:30]))
    for width, s in zip(WIDTHS, scores(path, X[:30])):
        share = expit(np.array(f) / width).mean(axis=0) if width else (np.array(f) > 0).mean(axis=0)
        # The exact share is known to half an interval from twenty values of tau, for each change of sign.
        close = 1e-5 if width else 0.1
        assert np.abs(expit(s) * (1 + 2 * FLOOR) - FLOOR - share).max() < close


@pytest.mark.parametrize("separable", [False, True])
def test_the_calibration_is_that_of_another_optimiser(separable):
    rng = np.random.default_rng(2)
    s, weights = rng.standard_normal(80), rng.integers(1, 4, 80).astype(float)
    y = (s > 0).astype(float) if separable else (rng.random(80) < expit(0.3 + 2 * s)).astype(float)

    def objective(found):
        margin = found[0] + found[1] * s
        return np.average(np.logaddexp(0, margin) - y * margin, weights=weights) + 0.5 * RIDGE @ found**2

    found = calibrate(s, y, weights)
    best = minimize(objective, [0, 0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-15, "maxiter": 10_000})
    assert objective(found) <= best.fun + 1e-12
    assert np.allclose(found, calibrate(s, y, 1000 * weights), rtol=1e-9)
    repeated = np.repeat(np.arange(80), weights.astype(int))
    assert np.allclose(found, calibrate(s[repeated], y[repeated], np.ones(len(repeated))), rtol=1e-9)


def test_one_class_alone_has_a_finite_calibration():
    a, b = calibrate(np.zeros(5), np.ones(5), np.ones(5))
    assert np.isfinite([a, b]).all() and expit(a) > 0.9999


def test_the_choice_is_the_least_loss_of_the_folds(noisy, model):
    """Everything by hand: folds, paths, calibrations without a fold, and the final one."""
    X, y, _ = noisy
    losses, best = {}, (np.inf,)
    folds = list(StratifiedKFold(4).split(X, y))
    for alpha in model.losses_[0]:
        s, fold = np.empty((len(WIDTHS), len(y))), np.empty(len(y), int)
        for k, (train, held) in enumerate(folds):
            s[:, held], fold[held] = scores(pathqp.QuantileSVC(alpha, kernel="rbf").fit(X[train], y[train]), X[held]), k
        for width, each in zip(WIDTHS, s):
            P = np.empty(len(y))
            for k in range(4):
                a, b = calibrate(each[fold != k], y[fold != k], np.ones((fold != k).sum()))
                P[fold == k] = expit(a + b * each[fold == k])
            loss = log_loss(y, P)
            losses[alpha] = min(losses.get(alpha, np.inf), loss)
            best = min(best, (loss, alpha, width), key=lambda one: one[0])
    assert losses == pytest.approx(model.losses_[0], rel=1e-9)
    assert (model.alphas_[0], model.widths_[0]) == best[1:]
    path = pathqp.QuantileSVC(best[1], kernel="rbf").fit(X, y)
    a, b = model.calibration_[0]
    assert np.allclose(model.predict_proba(X)[:, 1], expit(a + b * scores(path, X, best[2:])[0]), atol=1e-12)


def test_a_walk_ends_beside_a_least_loss():
    def walked(loss):
        tried, walk = [], half_decades()
        alpha = next(walk)
        while alpha is not None:
            tried.append(alpha)
            try:
                alpha = walk.send(loss(np.log10(alpha)))
            except StopIteration:
                alpha = None
        return tried

    for least in (-9, -6, -4.5, -2.5, -2, -1.5, 0, 1, 3):
        tried = walked(lambda place: abs(place - least))
        assert len(tried) == len(set(tried))
        assert np.log10(min(tried, key=lambda alpha: abs(np.log10(alpha) - least))) == pytest.approx(np.clip(least, -6, 1))
    assert walked(lambda place: 0.0) == pytest.approx([1e-2, 10**-1.5, 10**-2.5])
    assert len(walked(lambda place: np.nan)) == 3


def test_probabilities_are_near_the_true_ones(noisy, model):
    X, y, P = noisy
    rng = np.random.default_rng(6)
    new = rng.uniform(-2, 2, (2000, 2))
    true = expit(3 * np.sin(2 * new[:, 0]) + new[:, 1])
    found = model.predict_proba(new)[:, 1]
    frequency = log_loss(rng.random(2000) < true, np.full(2000, y.mean()))
    assert np.abs(found - true).mean() < 0.15
    assert log_loss(rng.random(2000) < true, found) < frequency - 0.1


def test_weights_are_repetitions_and_zero_is_absence(noisy):
    X, y, _ = noisy
    X, y = X[:60], y[:60]
    weights = np.tile([1.0, 2.0, 0.0], 20)
    repeated = np.repeat(np.arange(60), weights.astype(int))
    fold = np.arange(60) % 3
    options = {"kernel": "linear", "alphas": [0.1, 0.01]}
    one = pathqp.ProbabilitySVC(cv=PredefinedSplit(fold), **options).fit(X, y, sample_weight=weights)
    other = pathqp.ProbabilitySVC(cv=PredefinedSplit(fold[repeated]), **options).fit(X[repeated], y[repeated])
    scaled = pathqp.ProbabilitySVC(cv=PredefinedSplit(fold), **options).fit(X, y, sample_weight=1e-3 * weights)
    for model in (other, scaled):
        assert np.allclose(one.predict_proba(X), model.predict_proba(X), atol=1e-7)
    without = pathqp.ProbabilitySVC(cv=3, **options).fit(X[weights > 0], y[weights > 0])
    labels = np.where(weights > 0, y, 7)
    with_zero = pathqp.ProbabilitySVC(cv=3, **options).fit(X, labels, sample_weight=(weights > 0).astype(float))
    assert with_zero.classes_.tolist() == [0, 1]
    assert np.allclose(without.predict_proba(X), with_zero.predict_proba(X), atol=1e-9)


def test_class_weights_are_case_weights(noisy):
    X, y, _ = noisy
    heavy = {0: 1.0, 1: 5.0}
    options = {"alphas": 0.05, "cv": 3}
    one = pathqp.ProbabilitySVC(class_weight=heavy, **options).fit(X, y)
    other = pathqp.ProbabilitySVC(**options).fit(X, y, sample_weight=np.where(y == 1, 5.0, 1.0))
    plain = pathqp.ProbabilitySVC(**options).fit(X, y)
    assert np.allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-9)
    odds = [logit(model.predict_proba(X)[:, 1]).mean() for model in (one, plain)]
    assert odds[0] - odds[1] == pytest.approx(np.log(5), abs=0.5)
    three = load_iris(return_X_y=True)
    assert pathqp.ProbabilitySVC(class_weight={0: 1, 1: 30, 2: 1}, **options).fit(*three).predict(three[0]).tolist().count(1) > 50


@pytest.mark.parametrize("cv", [GroupKFold(3), RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), [(np.arange(60), np.arange(60, 120))]])
def test_any_splitter(noisy, cv):
    X, y, _ = noisy
    groups = np.arange(120) // 4
    model = pathqp.ProbabilitySVC(alphas=[0.1, 0.01], cv=cv).fit(X, y, groups=groups)
    assert np.isfinite(model.predict_proba(X)).all() and model.score(X, y) > 0.6


def test_jobs_change_nothing(noisy):
    X, y = load_iris(return_X_y=True)
    found = [pathqp.ProbabilitySVC(cv=3, n_jobs=jobs).fit(X, y) for jobs in (None, 2)]
    assert np.array_equal(*(model.predict_proba(X) for model in found))
    assert found[0].losses_ == found[1].losses_


def test_a_kernel_matrix_is_the_kernel(noisy):
    X, y, _ = noisy
    K, new = rbf_kernel(X, gamma=0.5), X[:10] + 0.1
    one = pathqp.ProbabilitySVC(gamma=0.5, cv=3).fit(X, y)
    other = pathqp.ProbabilitySVC(kernel="precomputed", cv=3).fit(K, y)
    assert np.allclose(one.predict_proba(new), other.predict_proba(rbf_kernel(new, X, gamma=0.5)), atol=1e-7)
    with pytest.raises(pathqp.InputError, match="it must be square"):
        pathqp.ProbabilitySVC(kernel="precomputed").fit(K[:, :7], y)
    # Pairs of classes take their columns.
    X, y = load_iris(return_X_y=True)
    one = pathqp.ProbabilitySVC(gamma=0.5, cv=3).fit(X, y).predict_proba(X[::9])
    other = pathqp.ProbabilitySVC(kernel="precomputed", cv=3).fit(rbf_kernel(X, gamma=0.5), y).predict_proba(rbf_kernel(X[::9], X, gamma=0.5))
    assert np.allclose(one, other, atol=1e-7)


def test_it_goes_into_a_grid(noisy):
    X, y, _ = noisy
    grid = GridSearchCV(pathqp.ProbabilitySVC(cv=3), {"gamma": [0.1, 1.0]}, scoring="neg_log_loss", cv=3).fit(X, y)
    assert grid.best_params_["gamma"] in (0.1, 1.0)
    assert clone(grid.best_estimator_).get_params()["cv"] == 3


@pytest.mark.parametrize(
    "options, words",
    [
        ({"alphas": []}, "alphas is empty"),
        ({"alphas": [0.1, -1.0]}, r"alphas\[1\] = -1.0: it must be a finite number greater than zero"),
        ({"alphas": "best"}, "alphas must be a number or a list of numbers"),
        ({"kernel": "spline"}, "kernel = 'spline'"),
        ({"cv": [(np.arange(60, 120), np.arange(60))]}, "fold 0 of cv holds out every row of the class 0"),
        ({"cv": []}, "cv has no folds"),
        ({"cv": [(np.arange(120), np.arange(0))]}, "cv holds out no row of the classes 0 and 1"),
        ({"class_weight": {0: -1.0, 1: 1.0}}, "class_weight"),
    ],
)
def test_what_cannot_be_used_is_named(options, words):
    X = np.arange(240.0).reshape(120, 2) / 50
    with pytest.raises(pathqp.InputError, match=words):
        pathqp.ProbabilitySVC(**options).fit(X, np.repeat([0, 1], 60))
