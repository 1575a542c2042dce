#!/usr/bin/env python3
"""Quantile regression with ever smaller penalties, on a table as it is: the line at tau = 1/2 against the one without a penalty.

    small_penalties.py PROGRAM DATA

DATA holds `regression/engel.csv`. Without a penalty the least sum of |y - wx - b| is found among all lines through two rows, which hold one that is best (Koenker 2005, section 2.2).
"""

import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile


def unpenalised(x, y):
    """(loss, w, b): the line through two rows with the least sum of rho_1/2. It is convex in w for the best b, so that few of the pairs are tried:
    for a slope w the best b is a median of y - wx."""

    def loss(w):
        r = sorted(v - w * u for u, v in zip(x, y))
        b = r[len(r) // 2]
        return sum(abs(v - b) for v in r) / 2, w, b

    slopes = sorted({(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(zip(x, y), 2) if a[0] != b[0]})
    low, high = 0, len(slopes) - 1
    while high - low > 2:
        third = (high - low) // 3
        left, right = loss(slopes[low + third]), loss(slopes[high - third])
        low, high = (low, high - third) if left[0] <= right[0] else (low + third, high)
    return min(loss(w) for w in slopes[low : high + 1])


def row(program, train, penalty):
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "a.path")
        model = ["kqr", "--kernel", "linear", "--lambda", penalty, "--train", train]
        path = subprocess.run([program, "path", *model, "--out", kept, "--json"], capture_output=True, text=True)
        at = subprocess.run([program, "at", kept, "--param", "0.5", "--json"], capture_output=True, text=True)
        check = subprocess.run([program, "check", kept, "--train", train, "--json"], capture_output=True, text=True)
    said = (path.stderr.strip() or at.stderr.strip()).replace("pathqp: ", "")
    found = json.loads(path.stdout) if path.stdout else {}
    [point] = json.loads(at.stdout) if at.stdout else [None]
    return found, point, path.returncode, check.returncode, said


def main():
    program, data = sys.argv[1:]
    train = os.path.join(data, "regression", "engel.csv")
    with open(train) as lines:
        rows = [(float(r["income"]), float(r["foodexp"])) for r in csv.DictReader(lines)]
    loss, w, b = unpenalised(*zip(*rows))
    print(f"Without a penalty: slope {w:.6f}, intercept {b:.4f}, loss {loss:.4f}.\n")
    print("| λ | slope at τ = ½ | intercept | relative gap there | KKT residual there | worst residual of the path | worst gap | status, check | complete | message |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for k in range(3, 13):
        path, point, status, check, said = row(program, train, f"1e-{k}")
        here = ["-"] * 4
        if point:
            constant = point["intercept"]
            here = [f"{point['w'][0]:.6f}", f"{constant:.4f}" if isinstance(constant, float) else str(constant)]
            here += [f"{point['relative_gap']:.1e}", f"{point['kkt_residual']:.1e}"]
        worst = [f"{path[name]:.1e}" if path.get(name) is not None else "-" for name in ("max_kkt_residual", "max_relative_gap")]
        print(f"| 1e-{k} | {' | '.join(here + worst)} | {status}, {check} | {path.get('complete')} | {said} |")


if __name__ == "__main__":
    main()
