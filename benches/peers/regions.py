#!/usr/bin/env python3
"""Critical regions of plants with bounds on their states: pathqp beside PPOPT.

    python3 benches/peers/regions.py target/release/pathqp

Prints the rows of the table of docs/regions.md. Needs numpy and ppopt (1.6.12 was used) in the environment.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from ppopt.mp_solvers.solve_mpqp import mpqp_algorithm, solve_mpqp
from ppopt.mpqp_program import MPQP_Program

TWO = {
    "A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]], "horizon": 5,
    "lower": [-1], "upper": [1], "x_min": [-5, -2], "x_max": [5, 2],
}
THREE = {
    "A": [[1, 1, 0.5], [0, 1, 1], [0, 0, 1]], "B": [[1 / 6], [0.5], [1]], "Q": np.eye(3).tolist(), "R": [[0.5]],
    "horizon": 5, "lower": [-1], "upper": [1], "x_min": [-10, -5, -3], "x_max": [10, 5, 3],
}
PLANTS = [
    ("two integrators", TWO, [(-10, 10), (-5, 5)]),
    ("three integrators", THREE, [(-10, 10), (-5, 5), (-3, 3)]),
]


def condensed(plant, box):
    """The parametric QP in the inputs, as PPOPT takes it: Ax <= b + F theta, A_t theta <= b_t."""
    a, b, q, r = (np.array(plant[key], float) for key in "ABQR")
    s, m = b.shape
    n = plant["horizon"] * m
    h, f = np.kron(np.eye(plant["horizon"]), r), np.zeros((n, s))
    gamma, psi = np.zeros((s, n)), np.eye(s)
    rows, right, moved = [], [], []
    for k in range(plant["horizon"]):
        gamma = a @ gamma
        gamma[:, k * m : (k + 1) * m] += b
        psi = a @ psi
        h += gamma.T @ q @ gamma
        f += gamma.T @ q @ psi
        for key, sign in (("x_max", 1), ("x_min", -1)):
            rows.append(sign * gamma)
            right.append(sign * np.array(plant[key], float))
            moved.append(-sign * psi)
    for key, sign in (("upper", 1), ("lower", -1)):
        rows.append(sign * np.eye(n))
        right.append(sign * np.tile(np.array(plant[key], float), plant["horizon"]))
        moved.append(np.zeros((n, s)))
    ends = np.array([high for _, high in box] + [-low for low, _ in box], float)
    return MPQP_Program(
        A=np.vstack(rows), b=np.concatenate(right).reshape(-1, 1), c=np.zeros((n, 1)), H=f,
        A_t=np.vstack([np.eye(s), -np.eye(s)]), b_t=ends.reshape(-1, 1), F=np.vstack(moved), Q=(h + h.T) / 2,
    )


def example():
    """Spjotvold, Kerrigan, Jones, Tondel and Johansen 2006: several regions beyond one side."""
    a = [[1, 0, -1], [-1, 0, -1], [0, 1, -1], [0, -1, -1], [0.75, 0.64, -1], [-0.75, -0.64, -1]]
    f = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, 0], [-1, 0]]
    return MPQP_Program(
        A=np.array(a, float), b=-np.ones((6, 1)), c=np.zeros((3, 1)), H=np.zeros((3, 2)), F=np.array(f, float),
        A_t=np.vstack([np.eye(2), -np.eye(2)]), b_t=np.full((4, 1), 1.5), Q=np.eye(3),
    )


def theirs(plant, box):
    """The number of regions and the seconds of the faster one of two algorithms."""
    found = []
    for algorithm in (mpqp_algorithm.graph, mpqp_algorithm.geometric):
        began = time.perf_counter()
        solution = solve_mpqp(condensed(plant, box), algorithm)
        found.append((time.perf_counter() - began, len(solution.critical_regions)))
    seconds, regions = min(found)
    return regions, seconds


def ours(program, plant, box):
    """Likewise, with the program's own seconds: reading, regions and the check at random points."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "plant.json"
        file.write_text(json.dumps(plant))
        domain = ",".join(f"{low}:{high}" for low, high in box)
        command = [program, "map", "mpc", "--model", file, f"--domain={domain}", "--json"]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert answer["uncovered"] == 0, answer
    return answer["regions"], answer["seconds"]


if __name__ == "__main__":
    for name, plant, box in PLANTS:
        regions, seconds = ours(sys.argv[1], plant, box)
        expected, peer = theirs(plant, box)
        assert regions == expected, (name, regions, expected)
        print(f"| {name} | {regions} | {peer:.2f} | {seconds:.3f} |")
    algorithms = (mpqp_algorithm.combinatorial, mpqp_algorithm.graph, mpqp_algorithm.geometric)
    print("example:", [len(solve_mpqp(example(), algorithm).critical_regions) for algorithm in algorithms], "regions")
