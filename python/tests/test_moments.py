"""Classifiers from moments: a class without variance, threads, and the limit of iterations."""

import copy
import pickle
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from pathqp import InputError, MomentClassifier, _pathqp


@pytest.mark.parametrize("max_iter", [1, 2, 3, 500])
def test_a_class_without_variance(max_iter):
    X, y = np.array([[0.0]] * 6 + [[1.5], [2.0], [3.5]]), np.array([0] * 6 + [1] * 3)
    for labels in (y, 1 - y):
        model = MomentClassifier(max_iter=max_iter).fit(X, labels)
        assert model.value_ <= 0.004163 and np.array_equal(model.predict(X), labels)
        assert np.array_equal(model.predict(X.astype(np.float32)), labels)


def test_a_class_without_variance_in_several_columns():
    norm = pytest.importorskip("scipy.stats").norm
    rng = np.random.default_rng(60)
    for trial in range(60):
        d, equal, others = 1 + trial % 5, 2 + trial % 7, 8 + trial % 9
        at, cloud = rng.normal(size=d), rng.normal(size=(others, d)) + rng.normal(size=d)
        X, y = np.vstack([np.tile(at, (equal, 1)), cloud]), np.repeat([trial % 2, 1 - trial % 2], [equal, others])
        delta, sigma = cloud.mean(axis=0) - at, np.cov(cloud.T).reshape(d, d)
        beside = others * norm.cdf(-np.sqrt(delta @ np.linalg.solve(sigma, delta))) / len(y)
        model = MomentClassifier().fit(X, y)
        assert abs(model.value_ - min(beside, equal / len(y))) < 1e-5
        if beside < equal / len(y):
            assert np.array_equal(model.predict(X[:equal]), y[:equal])


def test_a_column_that_is_constant_within_both_classes():
    rng = np.random.default_rng(61)
    X, y = rng.normal(size=(400, 3)), np.arange(400) % 2
    X[:, 1] = np.where(y == 1, 0.3, 0.1)
    for objective in ("zero-one", "auc"):
        model = MomentClassifier(objective).fit(X, y)
        assert model.value_ < 1e-15
        if objective == "zero-one":
            assert np.array_equal(model.predict(X), y)


def data(n=6000, d=8):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    X[y == 1, 0] += 1.5
    return X, y


@pytest.mark.parametrize("workers", [2, 8])
def test_partial_fit_from_threads(workers):
    X, y = data()
    whole = MomentClassifier().fit(X, y)
    for size in (17, 250):
        parts = [slice(k, k + size) for k in range(0, len(y), size)]
        model = MomentClassifier()
        together = threading.Barrier(workers)

        def learn(part, k):
            if k < workers:
                together.wait()
            return model.partial_fit(X[part], y[part], classes=[0, 1])

        with ThreadPoolExecutor(workers) as pool:
            assert all(found is model for found in pool.map(learn, parts, range(len(parts))))
        assert sum(model.moments_.counts) == len(y) and model.moments_.counts == whole.moments_.counts
        for one, other in zip(model.moments_.covariances, whole.moments_.covariances):
            assert np.allclose(one, other, rtol=1e-12, atol=1e-14)
        assert abs(model.value_ - whole.value_) < 1e-7
        # The weights are those of the last minimisation, of all rows.
        last = copy.deepcopy(model)._minimise()
        assert np.array_equal(last.coef_, model.coef_) and np.array_equal(last.intercept_, model.intercept_)


def test_predictions_beside_a_thread_that_learns():
    X, y = data(3000)
    model = MomentClassifier().partial_fit(X[:100], y[:100], classes=[0, 1])
    seen, done = [], threading.Event()

    def predict():
        while not done.is_set():
            seen.append(model.decision_function(X[:5]))

    readers = [threading.Thread(target=predict) for _ in range(3)]
    [reader.start() for reader in readers]
    steps = [model.decision_function(X[:5])]
    for k in range(100, 3000, 100):
        model.partial_fit(X[k : k + 100], y[k : k + 100])
        steps.append(model.decision_function(X[:5]))
    done.set()
    [reader.join() for reader in readers]
    assert seen and all(any(np.array_equal(f, step) for step in steps) for f in seen)


def test_moments_themselves_are_shared_by_threads():
    X, y = data(2000)
    parts = [MomentClassifier().fit(X[k : k + 100], y[k : k + 100]).moments_ for k in range(0, 2000, 100)]
    total = MomentClassifier().fit(X[:100], y[:100]).moments_
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(total.merge, parts))
    assert sum(total.counts) == 2100
    # Each other, and itself.
    one, two = parts[0], parts[1]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda pair: pair[0].merge(pair[1]), [(one, two), (two, one)]))
    before = sum(one.counts)
    one.merge(one)
    assert sum(one.counts) == 2 * before


def test_wrong_rows_from_threads_change_nothing():
    X, y = data(1000)
    bad = X.copy()
    bad[:, 3] = np.nan
    model = MomentClassifier().partial_fit(X[:500], y[:500], classes=[0, 1])

    def learn(k):
        try:
            model.partial_fit(bad[:50] if k % 2 else X[500 + 25 * k :][:25], (y[:50] if k % 2 else y[500 + 25 * k :][:25]))
        except InputError as error:
            return str(error)

    with ThreadPoolExecutor(4) as pool:
        errors = list(pool.map(learn, range(20)))
    assert sum(e is not None for e in errors) == 10 and "column 3" in errors[1]
    assert sum(model.moments_.counts) == 500 + 10 * 25


def test_locks_are_not_copied():
    X, y = data(200)
    model = MomentClassifier().partial_fit(X, y, classes=[0, 1])
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict(X), model.predict(X))
        other.partial_fit(X, y)
        assert sum(other.moments_.counts) == 2 * sum(model.moments_.counts)


def test_the_limit_of_iterations_is_a_warning():
    X, y = data(500)
    with pytest.warns(ConvergenceWarning, match="not converged after 1 iterations.*max_iter = 1"):
        few = MomentClassifier(max_iter=1).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        MomentClassifier(max_iter=1).partial_fit(X, y, classes=[0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MomentClassifier().fit(X, y).value_ <= few.value_


@pytest.mark.parametrize("columns", [2**33, 2**63, 2**64])
def test_covariances_that_do_not_fit_into_memory_are_refused(columns):
    with pytest.raises((InputError, OverflowError)):
        _pathqp.Moments(columns)
