"""Least squares in boxes beside scipy's nnls and lsq_linear at 50 random parameters.

    python least_squares.py PATHQP
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import lsq_linear, nnls

N, D = 40, 15


def path(program, folder, a, b, other, box):
    file, table = folder / "data.csv", folder / "path.csv"
    names = ",".join([f"a{j}" for j in range(D)] + ["other", "b"])
    np.savetxt(file, np.column_stack([a, other, b]), delimiter=",", header=names, comments="", fmt="%.17g")
    command = [program, "path", "nnls", "--train", file, "--toward", "other", "--json", "--out", table]
    report = subprocess.run(command + box, check=True, capture_output=True)
    values = np.loadtxt(table, delimiter=",", skiprows=1)
    return values[:, 0], values[:, 1:], json.loads(report.stdout)["max_kkt_residual"]


def main():
    random = np.random.default_rng(1)
    for name, lower, upper in [("nnls", 0.0, np.inf), ("lsq_linear", -0.1, 0.2)]:
        worst, certificate = 0.0, 0.0
        for _ in range(50):
            a = random.standard_normal((N, D)) + 0.3
            b, other = random.standard_normal(N) + 0.5, random.standard_normal(N) + 0.5
            with tempfile.TemporaryDirectory() as folder:
                box = [f"--lower={lower}", f"--upper={upper}"]
                s, x, residual = path(sys.argv[1], Path(folder), a, b, other, box)
            at = random.uniform()
            mine = np.array([np.interp(at, s, column) for column in x.T])
            target = b + at * (other - b)
            if name == "nnls":
                theirs = nnls(a, target)[0]
            else:
                theirs = lsq_linear(a, target, (lower, upper), method="bvls", tol=1e-15).x
            worst = max(worst, np.abs(mine - theirs).max() / np.abs(theirs).max())
            certificate = max(certificate, residual)
        print(f"{name}: at 50 parameters x differs by {worst:.1e} (relative), certificate {certificate:.1e}", flush=True)


if __name__ == "__main__":
    main()
