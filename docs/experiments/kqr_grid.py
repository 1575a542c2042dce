#!/usr/bin/env python3
"""The bi-level path with five folds (what `pathqp tune kqr --folds 5` does) beside a grid search of the same problem with an interior-point solver (clarabel): the table of kqr.md.

    pip install numpy scipy clarabel
    cargo build --release -p pathqp-adapters --example kqr_grid
    kqr_grid.py target/release/examples/kqr_grid DATA [NAME,... [EVERY]]

The grid has 50 values of tau in [0.1, 0.9] and 50 of lambda, evenly on a logarithmic scale from the smallest lambda on the bi-level path to 10^4 times it. It would be 12,500 solves: at every EVERY-th (12) value of both the five folds are solved, and the seconds multiplied. The solver
gets the dual problem of Rosset (2008) with the values of the kernel at hand (which is not counted):

    minimise  x'Kx/(2 lambda) - y'x   subject to  sum x = 0,  tau - 1 <= x <= tau.

The losses of the whole grid are those of the exact lambda-paths. Where the solver was run its loss is compared with them. Seconds are processor time.
"""

import csv
import os
import resource
import subprocess
import sys
import tempfile

import clarabel
import numpy as np
import scipy.sparse as sparse
from tables import read

COUNT, FOLDS = 50, 5
SETS = [("mcycle", None, 2.0), ("GAGurine", "GAG", 2.0), ("lidar", None, 2.0), ("engel", None, 0.5), ("Boston", None, 0.1)]


def processor(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def run(command):
    before = processor(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.stderr:
        print(done.stderr.strip(), file=sys.stderr, flush=True)
    return done.stdout, processor(resource.RUSAGE_CHILDREN) - before


def solve(k, y, tau, penalty):
    """x and the intercept."""
    n = len(y)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    rows = sparse.vstack([np.ones((1, n)), sparse.identity(n), -sparse.identity(n)]).tocsc()
    bound = np.concatenate([[0.0], np.full(n, tau), np.full(n, 1 - tau)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)]
    done = clarabel.DefaultSolver(sparse.triu(k / penalty).tocsc(), -y, rows, bound, cones, settings).solve()
    return np.array(done.x), done.z[0]


def pinball(tau, r):
    return np.where(r >= 0, tau * r, (tau - 1) * r).sum()


def compare(example, file, response, gamma, every):
    x, y = read(file, response)
    n, d = x.shape
    taus = 0.1 + 0.8 * np.arange(COUNT) / (COUNT - 1)
    with tempfile.TemporaryDirectory() as folder:
        train = f"{folder}/train.csv"
        with open(train, "w", newline="") as out:
            rows = csv.writer(out)
            rows.writerow([f"x{j}" for j in range(d)] + ["y"])
            rows.writerows([repr(float(value)) for value in row] for row in np.column_stack([x, y]))
        question = [example, train, f"rbf:{gamma}", str(FOLDS)]
        out, ours = run(question)
        counters, losses = [line.split() for line in out.splitlines()]
        regions, pieces, complete = int(counters[0]), int(counters[1]), counters[2]
        low, _, at_smallest = [float(word) for word in counters[3:]]
        best = np.array(losses, dtype=float)
        high = 1e4 * low
        out, paths = run(question + [repr(low), repr(high)])
    grid = np.array([line.split() for line in out.splitlines()], dtype=float)
    lambdas = low * (high / low) ** (np.arange(COUNT) / (COUNT - 1))
    full = np.exp(-gamma * ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2))
    spent, solves, differences = 0.0, 0, []
    for i in range(every // 2, COUNT, every):
        for j in range(every // 2, COUNT, every):
            loss = 0.0
            for fold in range(FOLDS):
                held = np.arange(n) % FOLDS == fold
                before = processor(resource.RUSAGE_SELF)
                alpha, intercept = solve(full[np.ix_(~held, ~held)], y[~held], taus[i], lambdas[j])
                fit = full[np.ix_(held, ~held)] @ alpha / lambdas[j] + intercept
                loss += pinball(taus[i], y[held] - fit) / n
                spent += processor(resource.RUSAGE_SELF) - before
                solves += 1
            differences.append(abs(loss / grid[i, j] - 1))
    estimate = spent / solves * COUNT * COUNT * FOLDS
    above = grid.min(axis=1) / best - 1
    assert above.min() >= -1e-9, above.min()
    at = [f"{best[k]:.6g} / {grid[k].min():.6g}" for k in (0, 24, 49)]
    cells = [f"{n} × {d}", f"rbf:{gamma:g}", f"{low:.1e} to {high:.1e}", f"{regions:,}", f"{pieces:,}", complete, f"{at_smallest:.2f}", *at]
    cells += [f"{np.median(above):.1e}", f"{above.max():.1e}", f"{max(differences):.0e}"]
    return cells + [f"{ours:.1f}", f"{spent:.1f} ({solves})", f"{estimate:.0f}", f"{paths:.1f}"]


def main():
    example, data = sys.argv[1:3]
    chosen = sys.argv[3].split(",") if len(sys.argv) > 3 else [name for name, _, _ in SETS]
    every = int(sys.argv[4]) if len(sys.argv) > 4 else 12
    for name, response, gamma in SETS:
        if name in chosen:
            cells = compare(example, os.path.join(data, name + ".csv"), response, gamma, every)
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
