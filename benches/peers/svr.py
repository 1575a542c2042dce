"""One point of ε-SVR, by `pathqp solve` and by LIBSVM as scikit-learn wraps it, in one run.

    target/peers/bin/python benches/peers/svr.py DATA.svm [DATA.csv …] --program target/release/pathqp
    target/peers/bin/python benches/peers/svr.py DATA.svm [DATA.csv …] --points 60

With `--points N` it looks at N random (C, ε) on the first 2,000 rows instead: is pathqp's objective between LIBSVM's dual and primal ones (at tolerance 1e-9)? C even on a logarithmic scale between
0.01 and 100, ε uniform between zero and half of the widest tube.

C = 1, ε = 0.1, exp(−γ‖x − z‖²) with γ = 1/d, the first n rows, features scaled to mean zero and variance one. Both read the same scaled rows from a file. The
objective of both is ½‖f‖² + C Σ max(0, |Y − f| − ε), LIBSVM's computed here from its coefficients; its gap is that over pathqp's, relative.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

for variable in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
from sklearn.datasets import load_svmlight_file  # noqa: E402
from sklearn.metrics.pairwise import rbf_kernel  # noqa: E402
from sklearn.svm import SVR  # noqa: E402

COST, EPSILON = 1.0, 0.1
SIZES = (500, 1000, 2000, 5000)
TOLERANCE = 1e-6
POINTS_ROWS, POINTS_TOLERANCE = 2000, 1e-9


def load(file):
    """Features and responses of a LIBSVM file, or of a CSV file (numbers only, the last column is the response)."""
    if file.suffix == ".svm":
        features, responses = load_svmlight_file(str(file))
        return features.toarray(), responses
    table = np.genfromtxt(file, delimiter=",", skip_header=1)
    table = table[:, ~np.isnan(table).any(axis=0)]
    return table[:, :-1], table[:, -1]


def scaled(features):
    """Mean zero, variance one; columns that do not vary are zero."""
    spread = features.std(axis=0)
    return (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1)


def write(file, features, responses):
    """A CSV file from which the same numbers are read."""
    names = [f"x{j}" for j in range(features.shape[1])] + ["y"]
    lines = [",".join(repr(float(v)) for v in (*row, y)) for row, y in zip(features, responses)]
    file.write_text("\n".join([",".join(names), *lines]) + "\n")


def by_pathqp(program, file, gamma, cost=COST, epsilon=EPSILON, times=3):
    """The fastest of several reports."""
    command = [program, "solve", "svr", "--train", file, "--kernel", f"rbf:{gamma!r}", "--c", repr(cost)]
    command += ["--epsilon", repr(epsilon), "--json"]
    runs = [json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout) for _ in range(times)]
    return min(runs, key=lambda report: sum(report["start"]["seconds"].values()))


def by_libsvm(features, responses, gamma, cost=COST, epsilon=EPSILON, tolerance=TOLERANCE, times=3):
    """The fastest of several fits: seconds, objective and dual objective."""
    model = SVR(kernel="rbf", gamma=gamma, C=cost, epsilon=epsilon, tol=tolerance, cache_size=1024)
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        model.fit(features, responses)
        seconds.append(time.perf_counter() - began)
    beta = np.zeros(len(responses))
    beta[model.support_] = model.dual_coef_[0]
    part = rbf_kernel(features, features, gamma=gamma) @ beta
    off = np.abs(responses - part - model.intercept_[0])
    square = 0.5 * beta @ part
    primal, dual = square + cost * np.maximum(0, off - epsilon).sum(), beta @ responses - square - epsilon * np.abs(beta).sum()
    return min(seconds), primal, dual


def random_points(program, file, count):
    """How far below LIBSVM's primal objective and above its dual one pathqp's lies at random points, relative to it; the largest KKT residual."""
    random = np.random.default_rng(count)
    features, responses = load(file)
    rows, y, gamma = scaled(features[:POINTS_ROWS]), responses[:POINTS_ROWS], 1.0 / features.shape[1]
    below, above, residuals, events = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        train = pathlib.Path(folder) / "train.csv"
        write(train, rows, y)
        for _ in range(count):
            cost, epsilon = float(10 ** random.uniform(-2, 2)), float(random.uniform(0, (y.max() - y.min()) / 4))
            report = by_pathqp(program, str(train), gamma, cost, epsilon, 1)
            _, primal, dual = by_libsvm(rows, y, gamma, cost, epsilon, POINTS_TOLERANCE, 1)
            below.append((primal - report["objective"]) / report["objective"])
            above.append((report["objective"] - dual) / report["objective"])
            residuals.append(report["kkt_residual"])
            events.append(report["start"]["events"])
    cells = [file.stem, len(y), count, *(f"{v:.1e}" for gaps in (below, above) for v in (min(gaps), max(gaps))), f"{max(residuals):.1e}", max(events)]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    """All files, all sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--program", default="target/release/pathqp")
    parser.add_argument("--points", type=int)
    arguments = parser.parse_args()
    if arguments.points:
        print("| data | n | points | below primal, least | largest | above dual, least | largest | KKT residual | most events |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        for file in arguments.files:
            random_points(arguments.program, file, arguments.points)
        return
    print("| data | n | LIBSVM, s | guess, s | start, s | certificate, s | ratio | iterations | events | KKT residual | LIBSVM's gap |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for file in arguments.files:
        features, responses = load(file)
        for n in (n for n in SIZES if n <= len(responses)):
            rows, y, gamma = scaled(features[:n]), responses[:n], 1.0 / features.shape[1]
            with tempfile.TemporaryDirectory() as folder:
                train = pathlib.Path(folder) / "train.csv"
                write(train, rows, y)
                report = by_pathqp(arguments.program, str(train), gamma)
            seconds, objective, _ = by_libsvm(rows, y, gamma)
            start, own = report["start"], report["start"]["seconds"]
            gap = (objective - report["objective"]) / report["objective"]
            cells = [file.stem, n, f"{seconds:.3f}", *(f"{own[k]:.3f}" for k in ("guess", "start", "certificate"))]
            cells += [f"{sum(own.values()) / seconds:.2f}", start["iterations"], start["events"]]
            print("| " + " | ".join(map(str, [*cells, f"{report['kkt_residual']:.0e}", f"{gap:.0e}"])) + " |", flush=True)


if __name__ == "__main__":
    main()
