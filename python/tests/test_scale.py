"""Work that is spread over processes, and data that come in parts."""

import importlib.util
import os

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from joblib import parallel_config
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from conftest import ROOT
from pathqp import InputError, KernelQuantileRegressor, MomentClassifier, QuantileSVC, search, tune_widths

TAUS = [0.1, 0.5, 0.8]


def test_losses_are_those_of_the_folds(curve):
    X, y = curve
    grid = {"gamma": [0.5, 2.0], "alpha": [0.05, 0.5]}
    folds = KFold(4, shuffle=True, random_state=1)
    found = search(KernelQuantileRegressor(), grid, X, y, quantiles=TAUS, cv=folds)
    assert found.fold_losses.shape == (4, 4, 3)
    for p, point in enumerate(found.params):
        for k, tau in enumerate(TAUS):
            residuals = np.empty(len(y))
            for train, held in folds.split(X):
                residuals[held] = y[held] - KernelQuantileRegressor(**point).fit(X[train], y[train]).predict(X[held], quantile=tau)
            loss = np.where(residuals > 0, tau, tau - 1) @ residuals / len(y)
            assert np.isclose(found.losses[p, k], loss, rtol=1e-12)
    for k, tau in enumerate(TAUS):
        assert found.loss(tau) == found.losses[:, k].min() == found.losses[found.params.index(found.best(tau)), k]
    with pytest.raises(InputError, match="quantile = 0.3"):
        found.best(0.3)


def test_errors_of_classifiers_have_costs(cancer):
    X, y = cancer[0][:200], np.where(cancer[1][:200] == 1, "yes", "no")
    model = make_pipeline(MinMaxScaler(), QuantileSVC())
    found = search(model, {"quantilesvc__alpha": [1e-3, 1e-1]}, X, y, quantiles=TAUS, cv=KFold(2))
    for p, lam in enumerate((1e-3, 1e-1)):
        predicted = np.empty(len(y), dtype=y.dtype)
        for train, held in KFold(2).split(X):
            scaler = MinMaxScaler().fit(X[train])
            svm = QuantileSVC(lam).fit(scaler.transform(X[train]), y[train])
            predicted[held] = svm.predict(scaler.transform(X[held]), quantile=0.8)
        misses, alarms = ((predicted != y) & (y == label) for label in ("yes", "no"))
        assert np.isclose(found.losses[p, 2], (2 * 0.2 * misses.sum() + 2 * 0.8 * alarms.sum()) / len(y))


def test_kinds_of_rows(curve):
    """Sparse rows, data frames and kernel matrices are split as arrays are."""
    X, y = curve
    X = np.column_stack([X, X**2 * (X > 3)])
    plain = search(KernelQuantileRegressor(kernel="linear"), {"alpha": [0.1, 1.0]}, X, y, quantiles=0.5, cv=3)
    for kind in (sparse.csr_array, sparse.coo_array, pd.DataFrame):
        other = search(KernelQuantileRegressor(kernel="linear"), {"alpha": [0.1, 1.0]}, kind(X), y, quantiles=0.5, cv=3)
        assert np.array_equal(plain.fold_losses, other.fold_losses)
    kernel = search(KernelQuantileRegressor(kernel="precomputed"), {"alpha": [0.1, 1.0]}, X @ X.T, y, quantiles=0.5, cv=3)
    assert np.allclose(plain.fold_losses, kernel.fold_losses, rtol=1e-7)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_the_number_of_jobs_does_not_matter(curve, backend):
    X, y = curve
    grid = {"gamma": [0.5, 2.0], "alpha": [0.05, 0.5]}
    alone = search(KernelQuantileRegressor(), grid, pd.DataFrame(X), y, quantiles=TAUS)
    widths = tune_widths(KernelQuantileRegressor(), [0.5, 2.0], X, y, cv=3, quantiles=(0.4, 0.6), alphas=(0.1, 1.0))
    with parallel_config(backend=backend):
        found = search(KernelQuantileRegressor(), grid, pd.DataFrame(X), y, quantiles=TAUS, n_jobs=2)
        others = tune_widths(KernelQuantileRegressor(), [0.5, 2.0], X, y, cv=3, quantiles=(0.4, 0.6), alphas=(0.1, 1.0), n_jobs=2)
    assert np.array_equal(alone.fold_losses, found.fold_losses) and alone.params == found.params
    for one, other in zip(widths.tunings, others.tunings):
        assert np.array_equal(one.pieces, other.pieces) and np.array_equal(one._losses, other._losses)
    assert widths.best(0.5) == others.best(0.5)


def test_no_line_is_better_than_the_tuned_one(curve):
    """lambda*(tau) is exact over all lambda: no lambda of a grid has a lesser loss on the same folds."""
    X, y = curve
    gammas, taus = [0.5, 2.0], [0.4, 0.5, 0.6]
    folds = [(np.flatnonzero(np.arange(60) % 3 != k), np.flatnonzero(np.arange(60) % 3 == k)) for k in range(3)]
    widths = tune_widths(KernelQuantileRegressor(), gammas, X, y, cv=3, quantiles=(0.4, 0.6), alphas=(0.1, 1.0))
    grid = {"gamma": gammas, "alpha": np.geomspace(0.1, 1.0, 9)}
    found = search(KernelQuantileRegressor(), grid, X, y, quantiles=taus, cv=folds)
    for tau in taus:
        gamma, lam, loss = widths.best(tau)
        assert loss <= found.loss(tau) + 1e-9
        at = search(KernelQuantileRegressor(), {"gamma": [gamma], "alpha": [lam]}, X, y, quantiles=[tau], cv=folds)
        assert np.isclose(at.loss(tau), loss, rtol=1e-7)
    with pytest.raises(InputError, match="gammas is empty"):
        tune_widths(KernelQuantileRegressor(), [], X, y)


def example():
    """The example with two worker processes; skipped where Dask is not installed."""
    pytest.importorskip("dask.distributed")
    spec = importlib.util.spec_from_file_location("workers", ROOT / "python" / "examples" / "workers.py")
    workers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(workers)
    return workers


def test_a_killed_worker_loses_nothing():
    workers = example()
    X, y = workers.data()
    alone = search(KernelQuantileRegressor(), workers.GRID, X, y, quantiles=workers.TAUS, cv=5)
    found, started = workers.interrupted(X, y, at=20)
    assert np.array_equal(found.fold_losses, alone.fold_losses) and found.params == alone.params
    # Two workers and the one that took the place of the killed one; what it was doing was begun again.
    assert len(started) > 45 and started[20] != os.getpid()
    assert all(number <= 20 for number, process in started.items() if process == started[20])
    assert len(set(started.values())) in (2, 3)


def two_classes(n=5000, d=6):
    random = np.random.default_rng(0)
    X = random.standard_normal((n, d)) + 5.0
    return X, (X @ np.arange(d) + 3 * random.standard_normal(n) > 75).astype(int)


def assert_same(model, whole, X):
    assert model.moments_.counts == whole.moments_.counts
    for name in ("means", "covariances"):
        for one, other in zip(getattr(model.moments_, name), getattr(whole.moments_, name)):
            assert np.abs(one - other).max() <= 1e-12 * np.abs(other).max()
    assert np.allclose(model.decision_function(X), whole.decision_function(X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("objective", ["zero-one", "auc"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_batches_are_one_fit(objective, n_jobs):
    X, y = two_classes()
    order = np.argsort(y, kind="stable")  # some parts have one class only
    whole = MomentClassifier(objective).fit(X, y)
    places = [0, 0, 1, 700, 3000, 4999, 5000]
    parts = [order[a:b] for a, b in zip(places, places[1:])]
    model = MomentClassifier(objective).fit_batches(((X[p], y[p]) for p in parts), [0, 1], n_jobs=n_jobs)
    assert_same(model, whole, X)
    again = MomentClassifier(objective).fit_batches([(sparse.csr_array(X[p]), y[p]) for p in parts], [0, 1])
    assert np.array_equal(model.coef_, again.coef_)
    # A second call begins anew.
    model.fit_batches([(X[:3000], y[:3000])], [0, 1])
    assert sum(model.moments_.counts) == 3000


def test_batches_name_what_is_wrong():
    X, y = two_classes(60)
    bad = X.copy()
    bad[7, 2] = np.nan
    with pytest.raises(InputError, match="row 7.*column 2"):
        MomentClassifier().fit_batches([(X, y), (bad, y)], [0, 1])
    with pytest.raises(InputError, match="5 features cannot be merged with 6"):
        MomentClassifier().fit_batches([(X, y), (X[:, :5], y)], [0, 1])
    with pytest.raises(InputError, match=r"y\[0\] = .*one of"):
        MomentClassifier().fit_batches([(X, y + 2)], [0, 1])
    with pytest.raises(InputError, match="no rows"):
        MomentClassifier().fit_batches([], [0, 1])
    with pytest.raises(InputError, match="class"):
        MomentClassifier().fit_batches([(X[y == 1], y[y == 1])], [0, 1])
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y)
    with pytest.raises(InputError, match="label = 'z'"):
        MomentClassifier().fit_batches([frame], [0, 1], label="z")
    with pytest.raises(InputError, match="are not"):
        MomentClassifier().fit_batches([frame, frame.rename(columns={"a": "g"})], [0, 1], label="y")
    assert list(frame) == ["a", "b", "c", "d", "e", "f", "y"]


def test_dask_arrays_by_blocks():
    da = pytest.importorskip("dask.array")
    X, y = two_classes()
    whole = MomentClassifier().fit(X, y)
    # Blocks of columns as well: a part has all of them.
    blocks, labels = da.from_array(X, chunks=(900, 4)), da.from_array(y, chunks=900)
    model = MomentClassifier().fit_batches(zip(blocks.blocks, labels.blocks), [0, 1])
    assert_same(model, whole, X)
    # Rows are chosen: the sizes of the blocks are not known.
    chosen = blocks[:, 0] > 5
    some = MomentClassifier().fit_batches(zip(blocks[chosen].blocks, labels[chosen].blocks), [0, 1])
    assert_same(some, MomentClassifier().fit(X[X[:, 0] > 5], y[X[:, 0] > 5]), X)


def test_dask_takes_the_parts_to_its_workers():
    options = {**example().CLUSTER, "processes": False}
    da, distributed = pytest.importorskip("dask.array"), pytest.importorskip("dask.distributed")
    X, y = two_classes()
    blocks, labels = da.from_array(X, chunks=(900, 6)), da.from_array(y, chunks=900)
    alone = MomentClassifier().fit_batches(zip(blocks.blocks, labels.blocks), [0, 1])
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        with parallel_config(backend="dask", client=client):
            model = MomentClassifier().fit_batches(zip(blocks.blocks, labels.blocks), [0, 1], n_jobs=-1)
    assert np.array_equal(model.coef_, alone.coef_) and np.array_equal(model.intercept_, alone.intercept_)


def test_arrow_record_batches(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    X, y = two_classes()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y)
    parquet.write_table(pa.Table.from_pandas(frame), tmp_path / "rows.parquet")
    reader = parquet.ParquetFile(tmp_path / "rows.parquet")
    model = MomentClassifier().fit_batches(reader.iter_batches(batch_size=900), [0, 1], label="y")
    assert_same(model, MomentClassifier().fit(frame.drop(columns="y"), y), frame.drop(columns="y"))
    assert list(model.feature_names_in_) == list("abcdef")
    spread = MomentClassifier().fit_batches(reader.iter_batches(batch_size=900), [0, 1], label="y", n_jobs=2)
    assert np.array_equal(spread.coef_, model.coef_)
