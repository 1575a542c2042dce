"""Degenerate linear programs along a cost line, compared with HiGHS (scipy) at 50 positions each.

    python3 benches/lines/degenerate.py BINARY [RANDOM]        assignment 20 x 20, transportation, and RANDOM (1000) random programs with small whole numbers
"""
import json, os, subprocess, sys, tempfile
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
import problems


def assignment(k, random):
    rows = sp.vstack([sp.kron(sp.identity(k), np.ones((1, k))), sp.kron(np.ones((1, k)), sp.identity(k))])
    one, n = np.ones(2 * k), k * k
    p = problems.Problem(f"assignment {k}", sp.csc_matrix((n, n)), random.integers(0, 20, n), rows, one, one, np.zeros(n), np.ones(n))
    return p, random.integers(-10, 11, n)


def transportation(s, d, random):
    supply = random.integers(1, 6, s) * d
    demand = np.full(d, supply.sum() // d)
    demand[: supply.sum() - demand.sum()] += 1
    rows = sp.vstack([sp.kron(sp.identity(s), np.ones((1, d))), sp.kron(np.ones((1, s)), sp.identity(d))])
    b, n = np.concatenate([supply, demand]), s * d
    p = problems.Problem(f"transportation {s} x {d}", sp.csc_matrix((n, n)), random.integers(1, 20, n), rows, b, b, np.zeros(n), np.full(n, np.inf))
    return p, random.integers(-5, 6, n)


def random_program(seed):
    """Rows with small whole numbers, equalities and inequalities through a vertex of the box, many of them at once."""
    random = np.random.default_rng(seed)
    n, m = random.integers(5, 40), random.integers(2, 20)
    A = random.integers(-2, 3, (m, n)) * (random.random((m, n)) < 0.5)
    x, kind = random.integers(0, 3, n), random.integers(0, 3, m)
    b = (A @ x).astype(float)
    rl, ru = np.where(kind == 1, -np.inf, b), np.where(kind == 2, np.inf, b)
    p = problems.Problem(f"random {seed}", sp.csc_matrix((n, n)), random.integers(-3, 4, n), A, rl, ru, np.zeros(n), np.full(n, 2.0))
    return p, random.integers(-6, 7, n)


def highs(p, q):
    A = p.A.tocsr()
    eq = p.rl == p.ru
    up, lo = ~eq & np.isfinite(p.ru), ~eq & np.isfinite(p.rl)
    found = linprog(q, sp.vstack([A[up], -A[lo]]), np.concatenate([p.ru[up], -p.rl[lo]]), A[eq], p.rl[eq], np.column_stack([p.l, p.u]), method="highs")
    return found.fun if found.status == 0 else None


def compare(binary, p, rate):
    zero = lambda v: np.zeros(len(v))
    rates = (np.asarray(rate, float), zero(p.rl), zero(p.ru), zero(p.l), zero(p.u))
    with tempfile.TemporaryDirectory() as folder:
        text, points = os.path.join(folder, "problem"), os.path.join(folder, "points")
        problems.write(p, rates, text)
        done = subprocess.run([binary, text, "--positions", "50", "--points", points], capture_output=True, text=True)
        found = json.loads(done.stdout)
        if found["outcome"] != "complete":
            return found, None
        rows = np.fromfile(points).reshape(-1, 1 + p.n + p.m)[-50:]
    off = 0
    for row in rows:
        q = p.q + row[0] * rates[0]
        best = highs(p, q)
        off = max(off, abs(q @ row[1 : 1 + p.n] - best) / max(1, abs(best)) if best is not None else np.inf)
    worst = problems.check(p, rates, rows, False)
    return found, max(off, *worst)


def main():
    binary, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    random = np.random.default_rng(1)
    for p, rate in [assignment(20, random), transportation(8, 30, random), transportation(20, 20, random)]:
        found, off = compare(binary, p, rate)
        print(p.name, {k: found.get(k) for k in ("outcome", "seconds", "breakpoints", "events", "pivots", "detours", "error")}, "off", off, flush=True)
    bad, worst, breakpoints = [], 0, 0
    for seed in range(count):
        found, off = compare(binary, *random_program(seed))
        breakpoints += found.get("breakpoints", 0)
        if off is None or off > 1e-9:
            bad.append((seed, found["outcome"], off))
        else:
            worst = max(worst, off)
    print(f"random: {count} programs, {breakpoints} breakpoints, largest difference {worst:.1e}, failing {len(bad)}: {bad[:10]}")


if __name__ == "__main__":
    main()
