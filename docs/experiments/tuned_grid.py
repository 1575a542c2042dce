#!/usr/bin/env python3
"""Tuned quantile regression (`pathqp tune kqr`) beside dense grids of lambda that do not use the search: the table of kqr.md.

    pip install numpy
    tuned_grid.py PROGRAM DATA [NAME,...]

For 9 values of tau each fold's lambda-path is followed by itself (`pathqp path kqr --vary lambda`), its predictions on the held-out rows are read at 400 values of lambda from the end of the search
upwards and at the tuned one (`pathqp predict`), and the losses are added up here. *Below* is the least of (best of the grid − tuned)/tuned: where it is negative by more than rounding the search has missed
something. *Recount* is the largest relative difference of the tuned loss from that of the single paths at the same lambda.
"""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
from tables import read

COUNT, FOLDS = 400, 5
TAUS = [0.1 + 0.8 * (k + 1 / math.pi) / 9 for k in range(9)]
SETS = [("mcycle", None, "rbf:2"), ("engel", None, "rbf:0.5"), ("lidar", None, "rbf:2"), ("simulation", None, "rbf:12.5"), ("GAGurine", "GAG", "rbf:2"), ("Boston", None, "linear")]


def simulated(count):
    """Model 1 of Rosset (2008), section 5."""
    random = np.random.default_rng(4)
    x = random.random((2 * count, 1))
    y = 2 * (np.exp(-30 * (x[:, 0] - 0.25) ** 2) + np.sin(np.pi * x[:, 0] ** 2)) + random.standard_normal(2 * count)
    return x, y


def write(file, x, y):
    with open(file, "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow([f"x{j}" for j in range(x.shape[1])] + ["y"])
        rows.writerows([repr(float(value)) for value in row] for row in np.column_stack([x, y]))


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout and done.stderr:
        raise SystemExit(f"{' '.join(command[:3])}: {done.stderr.strip()}")
    return done.stdout


def fits(program, folder, k, kernel, tau, penalties):
    """f on the held-out rows of fold k, one column for each penalty."""
    kept, table = f"{folder}/{k}.path", f"{folder}/{k}.out.csv"
    ends = [repr(float(penalties.min())), repr(float(penalties.max() * 1.01))]
    model = ["kqr", "--kernel", kernel, "--vary", "lambda", "--tau", repr(tau), "--from", ends[0], "--to", ends[1]]
    run([program, "path", *model, "--train", f"{folder}/train{k}.csv", "--out", kept, "--json"])
    values = ",".join(repr(float(penalty)) for penalty in penalties)
    out = run([program, "predict", kept, "--data", f"{folder}/held{k}.csv", "--param", values])
    header, *rows = csv.reader(out.splitlines())
    first = next(j for j, name in enumerate(header) if name.startswith("lambda"))
    return np.array([row[first : first + len(penalties)] for row in rows], dtype=float)


def pinball(tau, r):
    return np.where(r >= 0, tau * r, (tau - 1) * r).sum(axis=0)


def compare(program, name, data, kernel):
    x, y = data
    with tempfile.TemporaryDirectory() as folder:
        question = ["tune", "kqr", "--kernel", kernel, "--param", ",".join(map(repr, TAUS)), "--json"]
        if name == "simulation":
            parts = [(np.arange(len(y)) < 200, np.arange(len(y)) >= 200)]
        else:
            parts = [(np.arange(len(y)) % FOLDS != k, np.arange(len(y)) % FOLDS == k) for k in range(FOLDS)]
        for k, (train, held) in enumerate(parts):
            write(f"{folder}/train{k}.csv", x[train], y[train])
            write(f"{folder}/held{k}.csv", x[held], y[held])
        if len(parts) == 1:
            question += ["--train", f"{folder}/train0.csv", "--validate", f"{folder}/held0.csv"]
        else:
            write(f"{folder}/all.csv", x, y)
            question += ["--train", f"{folder}/all.csv", "--folds", str(FOLDS)]
        found = json.loads(run([program, *question]))
        low = found["lambda"][0]
        finite = [value for piece in found["pieces"] for value in (piece["tuned_from"], piece["tuned_to"]) if value]
        grid = np.geomspace(low, max(1e3 * low, 10 * max(finite)), COUNT)
        above, recounts, at = [], [], []
        for tau, best in zip(TAUS, found["at"]):
            penalties = np.append(grid, best["tuned"] or grid[-1])
            loss = sum(
                pinball(tau, y[held][:, None] - fits(program, folder, k, kernel, tau, penalties))
                for k, (_, held) in enumerate(parts)
            ) / sum(held.sum() for _, held in parts)
            above.append(loss[:-1].min() / best["loss"] - 1)
            if best["tuned"]:
                recounts.append(abs(loss[-1] / best["loss"] - 1))
            at.append((tau, best["tuned"], best["loss"], loss[:-1].min()))
    print(name, at, file=sys.stderr, flush=True)
    middle = at[4]
    return [
        f"{sum(parts[0][0])} + {sum(parts[0][1])} × {x.shape[1]}" if len(parts) == 1 else f"{len(y)} × {x.shape[1]}",
        kernel,
        f"{low:.1e}, {found['end']}",
        "yes" if found["at_end"] else "no",
        f"{found['steps']:,}",
        f"{len(found['pieces']):,}",
        f"{found['stats'].get('holes', 0)}",
        f"{found['recount']['worst']:.0e}",
        f"{middle[2]:.7g} at {middle[1] or math.inf:.3g}",
        f"{min(above):.1e}",
        f"{np.median(above):.1e}",
        f"{max(above):.1e}",
        f"{max(recounts, default=math.nan):.0e} ({len(recounts)})",
        f"{found['seconds']['tune']:.1f}",
    ]


def main():
    program, data = sys.argv[1:3]
    chosen = sys.argv[3].split(",") if len(sys.argv) > 3 else [name for name, _, _ in SETS]
    for name, response, kernel in SETS:
        if name in chosen:
            rows = simulated(200) if name == "simulation" else read(os.path.join(data, name + ".csv"), response)
            print(f"| {name} | " + " | ".join(compare(program, name, rows, kernel)) + " |", flush=True)


if __name__ == "__main__":
    main()
