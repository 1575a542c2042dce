#!/usr/bin/env python3
"""Compares portfolios, outliers and control with programs of their own.

    pip install cvxcla==2.7.1 PyPortfolioOpt daqp==0.11.0 scikit-learn==1.9.1
    python3 benches/peers/finance.py [--binary target/release/pathqp] [--assets 640]

Prints for the critical line: seconds of a whole frontier by cvxcla and by pathqp in one run, and turning points beside those of PyPortfolioOpt's
CLA; for the one-class SVM: objectives at 50 random nu beside scikit-learn's; for model predictive control: inputs at 50 random states beside
DAQP's.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402


def run(options, *arguments):
    """The JSON document of a command, and the user seconds of its process."""
    before = os.times()
    done = subprocess.run([options.binary, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: {done.stderr}")
    after = os.times()
    document = json.loads(done.stdout) if done.stdout.startswith(("{", "[")) else None
    return document, after.children_user - before.children_user


def table(folder, name, values):
    path = folder / name
    np.savetxt(path, np.atleast_2d(values), fmt="%.17g", delimiter=",")
    return str(path)


def frontier(options, folder, mean, covariance, upper):
    files = ["--mean", table(folder, "mean.csv", mean), "--cov", table(folder, "cov.csv", covariance)]
    return run(options, "path", "critical-line", *files, "--no-header", "--upper", str(upper), "--json")


def critical_line_speed(options, folder):
    """cvxcla's own benchmark: standard normal means, covariance AAᵀ of a square normal matrix."""
    from cvxcla import CLA

    n = options.assets
    random = np.random.default_rng(1)
    mean, a = random.standard_normal(n), random.standard_normal((n, n))
    covariance = a @ a.T
    for _ in range(3):
        began, worked = time.perf_counter(), time.process_time()
        ones = np.ones(n)
        other = CLA(mean=mean, covariance=covariance, lower_bounds=0 * ones, upper_bounds=ones, a=ones[None], b=np.ones(1))
        theirs, worked = time.perf_counter() - began, time.process_time() - worked
        ours, user = frontier(options, folder, mean, covariance, 1)
        seconds = ours["seconds"]["start"] + ours["seconds"]["path"]
        print(f"critical line, {n} assets: cvxcla {theirs:.3f} s ({worked:.3f} of a processor), {len(other.turning_points)} points; "
              f"pathqp {seconds:.3f} s ({user:.3f} of a processor with reading and certificates), "
              f"{ours['breakpoints']} breakpoints; ratio {theirs / seconds:.1f}")


def critical_line_points(options, folder):
    from pypfopt.cla import CLA

    for seed in range(10):
        random, n = np.random.default_rng(seed), 20
        mean, a = random.uniform(0.02, 0.2, n), random.standard_normal((n, 60)) * 0.1
        covariance = a @ a.T / 60 + np.diag(random.uniform(0.001, 0.01, n))
        upper = 1.0 if seed % 2 == 0 else 0.15
        other = CLA(mean, covariance, weight_bounds=(0, upper))
        other._solve()
        theirs = [np.ravel(w) for w in other.w]
        ours, _ = frontier(options, folder, mean, covariance, upper)
        points = np.array(ours["path"]["columns"])[:n].T
        distance = max(np.abs(points - w).max(1).min() for w in theirs)
        missing = sum(np.abs(np.array(theirs) - x).max(1).min() > 1e-9 for x in points)
        print(f"PyPortfolioOpt, seed {seed}: its {len(theirs)} turning points are ours to {distance:.1e}; it misses {missing}")


def outliers(options, folder):
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import OneClassSVM

    random, n = np.random.default_rng(2), 300
    rows = np.vstack([random.standard_normal((n - 20, 3)), random.uniform(-6, 6, (20, 3))])
    data, path = table(folder, "rows.csv", rows), str(folder / "one.path")
    kernel = rbf_kernel(rows, gamma=0.3)
    run(options, "path", "one-class-svm", "--train", data, "--no-header", "--kernel", "rbf:0.3", "--out", path)
    nus = random.uniform(0.01, 0.99, 50)
    ours, _ = run(options, "at", path, "--json", "--full", "--param", ",".join(map(repr, map(float, nus))))
    below, above = 0.0, 0.0
    for nu, at in zip(nus, ours):
        model = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-12).fit(kernel)
        alpha = np.zeros(n)
        alpha[model.support_] = model.dual_coef_[0] / (nu * n)
        theirs, mine = alpha @ kernel @ alpha / 2, -at["dual_objective"]
        below, above = max(below, (mine - theirs) / mine), max(above, (theirs - mine) / mine)
    print(f"one-class SVM, 50 nu: scikit-learn's dual objective is less by {below:.1e} and more by {above:.1e} at most, relative")


def control(options, folder):
    import daqp

    model = {"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]], "horizon": 10,
             "lower": [-1], "upper": [1]}
    file = folder / "plant.json"
    file.write_text(json.dumps(model))
    a, b, q, r = (np.array(model[name], float) for name in "ABQR")
    n = model["horizon"]
    gamma, psi, h, f = np.zeros((2, n)), np.eye(2), np.kron(np.eye(n), r), np.zeros((n, 2))
    for k in range(n):
        gamma = a @ gamma
        gamma[:, k:k + 1] += b
        psi = a @ psi
        h, f = h + gamma.T @ q @ gamma, f + gamma.T @ q @ psi
    random, difference, excess = np.random.default_rng(0), 0.0, 0.0
    for _ in range(50):
        state = random.uniform([-20, -8], [20, 8])
        c = f @ state
        u, _, flag, _ = daqp.solve(h, c, np.zeros((0, n)), np.ones(n), -np.ones(n), np.zeros(n, dtype=np.int32))
        assert flag == 1
        point = ",".join(repr(float(v)) for v in state)
        ours, _ = run(options, "map", "mpc", "--model", str(file), "--domain=-20:20,-8:8", "--points", "1", "--json",
                      f"--param={point}")
        mine = np.ravel(ours["at"]["inputs"])
        value = [0.5 * x @ h @ x + c @ x for x in (mine, u)]
        difference = max(difference, np.abs(mine - u).max())
        excess = max(excess, abs(value[0] - value[1]) / abs(value[1]))
    print(f"control, 50 states: inputs differ from DAQP's by {difference:.1e}, objectives by {excess:.1e} relative; "
          f"{ours['regions']} regions, covered {ours['covered']}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--binary", default=str(root / "target/release/pathqp"))
    parser.add_argument("--assets", type=int, default=640)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for compare in (critical_line_speed, critical_line_points, outliers, control):
            compare(given, pathlib.Path(name))
