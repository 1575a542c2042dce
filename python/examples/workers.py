"""Five folds on two worker processes, one of which is killed in the middle: its work is done again, and nothing changes.

    pip install './python[scale]'
    python python/examples/workers.py

Any backend of joblib takes the place of Dask's.
"""

import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from dask.distributed import Client, LocalCluster
from joblib import parallel_config

from pathqp import KernelQuantileRegressor, search

GRID = {"gamma": [0.3, 1.0, 3.0], "alpha": [0.01, 0.1, 1.0]}
TAUS = np.arange(1, 20) / 20

#: Two workers with one thread each that listen on 127.0.0.1 only, without a dashboard.
CLUSTER = dict(
    n_workers=2,
    threads_per_worker=1,
    protocol="tcp://",
    host="127.0.0.1",
    dashboard_address="127.0.0.1:0",
    worker_dashboard_address="127.0.0.1:0",
    scheduler_kwargs={"dashboard": False},
)


def data(n=150):
    random = np.random.default_rng(3)
    x = random.uniform(0, 6, n)
    return x[:, None], np.sin(x) + 0.3 * random.standard_normal(n)


def mortal(folder, at):
    """A regressor of which fit number ``at`` ends its process without a word, as a machine does that loses its power.

    It is made in a function, so that it is sent to the workers with its code.
    """

    class Mortal(KernelQuantileRegressor):
        def fit(self, X, y):
            # Exactly one process makes the file number k.
            for k in range(1, 10**6):
                try:
                    (Path(folder) / str(k)).open("x").write(str(os.getpid()))
                    break
                except FileExistsError:
                    continue
            if k == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().fit(X, y)

    return Mortal()


def interrupted(X, y, at):
    """The search on two workers of which one is killed; also the processes that took part, and the one that was killed."""
    with TemporaryDirectory() as folder, LocalCluster(**CLUSTER) as cluster, Client(cluster) as client:
        with parallel_config(backend="dask", client=client, wait_for_workers_timeout=60):
            found = search(mortal(folder, at), GRID, X, y, quantiles=TAUS, cv=5, n_jobs=-1)
        started = {int(file.name): int(file.read_text()) for file in Path(folder).iterdir()}
    return found, started


def main():
    X, y = data()
    alone = search(KernelQuantileRegressor(), GRID, X, y, quantiles=TAUS, cv=5)
    jobs = alone.fold_losses.shape[0] * alone.fold_losses.shape[1]
    found, started = interrupted(X, y, at=jobs // 2)
    print(f"{jobs} paths; {len(started)} were begun, by {len(set(started.values()))} processes; process {started[jobs // 2]} was killed")
    print("the same to the last bit:", np.array_equal(found.fold_losses, alone.fold_losses))
    for tau in (0.1, 0.5, 0.9):
        print(f"tau = {tau}: {found.best(tau)}, loss {found.loss(tau):.4f}")


if __name__ == "__main__":
    main()
