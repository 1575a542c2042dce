"""The lasso path beside scikit-learn's lars_path: time, and how well each satisfies the optimality conditions.

    python lasso.py TARGET_FOLDER DATA_FOLDER

TARGET_FOLDER holds `pathqp` and `examples/regression_times`. Times are processor time, the mean of as many paths as fit in a second, one thread.
Then the sparse rows: a path by `pathqp path lasso`, data read and certificates included, beside the coordinate descent of lasso_path at the same alphas, data in memory.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.linear_model import lars_path, lasso_path

SECONDS = 1.0


def load(file, response, drop=()):
    with open(file) as text:
        rows = list(csv.reader(text))
    names = rows[0]
    values = np.array(rows[1:], dtype=float)
    keep = [j for j, name in enumerate(names) if name != response and name not in drop]
    return values[:, keep], values[:, names.index(response)]


def synthetic(n, d, seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, d))
    w = np.zeros(d)
    w[:20] = random.standard_normal(20)
    return x, x @ w + random.standard_normal(n)


def kkt(x, y, alphas, coefficients):
    """The worst violation over all knots, relative to the largest alpha."""
    worst = 0.0
    for alpha, w in zip(alphas, coefficients.T):
        g = x.T @ (y - x @ w) / len(y)
        active = w != 0
        stationary = np.abs(g[active] - alpha * np.sign(w[active]))
        worst = max(worst, (np.abs(g) - alpha).max(), stationary.max(initial=0.0))
    return worst / alphas[0]


def ours(target, folder, x, y):
    file, table = folder / "train.csv", folder / "path.csv"
    names = ",".join(f"x{j}" for j in range(x.shape[1])) + ",y"
    np.savetxt(file, np.column_stack([x, y]), delimiter=",", header=names, comments="", fmt="%.17g")
    command = [target / "pathqp", "path", "lasso", "--train", file, "--bias", "none", "--json", "--out", table]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    command = [target / "examples" / "regression_times", "lasso", file]
    seconds = float(subprocess.run(command, check=True, capture_output=True).stdout)
    path = np.loadtxt(table, delimiter=",", skiprows=1, ndmin=2)
    return seconds, path[:, 0], path[:, 1:].T, report["max_kkt_residual"]


def theirs(x, y):
    clock, paths = time.process_time(), 0
    while time.process_time() < clock + SECONDS:
        alphas, _, coefficients = lars_path(x, y, method="lasso", max_iter=10**6)
        paths += 1
    return (time.process_time() - clock) / paths, alphas, coefficients


def sparse_design(n, d, each, seed):
    """n rows with about `each` entries that are not zero, and a response of 40 of the columns."""
    random = np.random.default_rng(seed)
    # Few columns are in many rows, most in few, as words are.
    columns = (d * random.random(n * each) ** 3).astype(int)
    rows, values = np.repeat(np.arange(n), each), random.exponential(size=n * each)
    x = sparse.csr_matrix((values, (rows, columns)), shape=(n, d))
    w = np.zeros(d)
    w[random.choice(d // 50, 40, replace=False)] = random.standard_normal(40)
    return x, x @ w + random.standard_normal(n)


def on_sparse(target, name, x, y, share):
    """Ours down to a share of the largest alpha, beside coordinate descent at 100 alphas in between, both without an intercept."""
    centred = y - y.mean()
    largest = np.abs(x.T @ centred).max() / len(y)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.svm"
        dump_svmlight_file(x, centred, str(file), zero_based=False)
        command = [target / "pathqp", "path", "lasso", "--train", file, "--bias", "none", "--json"]
        command += ["--to", repr(float(share * largest))]
        report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    alphas = np.geomspace(largest, share * largest, 100)
    columns, clock = x.tocsc(), time.process_time()
    other = lasso_path(columns, centred, alphas=alphas, tol=1e-6, max_iter=10**5)
    clock = time.process_time() - clock
    seconds = report["seconds"]
    print(
        f"{name}: {report['breakpoints']} breakpoints, read {seconds['read']:.2f} s, start and path "
        f"{seconds['start'] + seconds['path']:.2f} s, certificate {report['max_kkt_residual']:.1e}; lasso_path at 100 "
        f"alphas {clock:.2f} s, largest gap {other[2].max():.1e}",
        flush=True,
    )


def main():
    target, data = Path(sys.argv[1]), Path(sys.argv[2]) / "regression"
    problems = {
        "diabetes": load(data / "diabetes.csv", "y"),
        "prostate": load(data / "prostate.csv", "lpsa", ("train",)),
        "meatspec": load(data / "meatspec.csv", "fat"),
        "1,000 x 500": synthetic(1000, 500, 1),
        "200 x 5,000": synthetic(200, 5000, 2),
        "120 x 19,000": synthetic(120, 19000, 3),
    }
    print("data, knots, knots of lars_path, seconds, seconds of lars_path, ratio, KKT, KKT of lars_path, certificate")
    for name, (x, y) in problems.items():
        x, y = x - x.mean(axis=0), y - y.mean()
        with tempfile.TemporaryDirectory() as folder:
            seconds, alphas, coefficients, certificate = ours(target, Path(folder), x, y)
        peer, peer_alphas, peer_coefficients = theirs(x, y)
        quality = kkt(x, y, alphas, coefficients)
        peer_quality = kkt(x, y, peer_alphas, peer_coefficients)
        print(
            f"{name}, {len(alphas)}, {len(peer_alphas)}, {seconds:.4f}, {peer:.4f}, {peer / seconds:.2f}, "
            f"{quality:.1e}, {peer_quality:.1e}, {certificate:.1e}",
            flush=True,
        )
    x, y = load_svmlight_file(str(Path(sys.argv[2]) / "multiclass" / "sector.svm.gz"))
    on_sparse(target, "sector", x, y, 5 / 66.24552553525673)
    on_sparse(target, "16,000 x 150,000", *sparse_design(16000, 150000, 80, 4), 0.05)


if __name__ == "__main__":
    main()
