"""Least squares paths of columns in different units, against rational arithmetic.

    python benches/peers/units.py target/release/pathqp [problems of each kind]

Every kind is a family of random problems. Each is written as a table, followed by `pathqp path`, and compared at every knot it returned and between every two of them (laws
are affine there, so that the table says what the path is) with the exact solution at that penalty: all data are taken as the doubles they are, a set of coefficients that
are not zero is solved for in fractions, and accepted if it satisfies every optimality condition exactly; where the path's own set does not, all of them are tried.

refused: an exit status other than 0. wrong: exit status 0 and a fit that is off by more than 1e-8 of the response's length (from its mean, with an intercept).
"""

import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np

WRONG = 1e-8


def solve(matrix, rhs):
    """The solution of a small system in fractions; none if it is singular."""
    n = len(rhs)
    rows = [list(row) + [value] for row, value in zip(matrix, rhs)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k])]
    return [row[n] for row in rows]


class Exact:
    """min 1/2 w'Gw - g'w + penalty * sum |w| over all w, or over w >= 0."""

    def __init__(self, x, y, intercept, mean, positive):
        rows = [[Fraction(float(v)) for v in row] for row in x]
        response = [Fraction(float(v)) for v in y]
        columns = [list(column) for column in zip(*rows)]
        if intercept:
            centre = lambda v: [value - sum(v) / len(v) for value in v]
            columns, response = [centre(column) for column in columns], centre(response)
        size = Fraction(len(y) if mean else 1)
        dot = lambda a, b: sum(p * q for p, q in zip(a, b))
        self.gram = [[dot(a, b) / size for b in columns] for a in columns]
        self.right = [dot(a, response) / size for a in columns]
        self.square = dot(response, response) / size
        self.positive = positive

    def candidate(self, signs, penalty):
        """The solution with these signs, if it is one."""
        free = [j for j, sign in enumerate(signs) if sign]
        found = solve([[self.gram[j][k] for k in free] for j in free], [self.right[j] - penalty * signs[j] for j in free])
        if found is None or any(value * signs[j] < 0 for value, j in zip(found, free)):
            return None
        w = [Fraction(0)] * len(signs)
        for j, value in zip(free, found):
            w[j] = value
        for j in range(len(signs)):
            force = self.right[j] - sum(a * b for a, b in zip(self.gram[j], w))
            if not signs[j] and (force > penalty or (force < -penalty and not self.positive)):
                return None
        return w

    def solution(self, penalty, near):
        kinds = (0, 1) if self.positive else (0, 1, -1)
        signs = [1 if v > 0 else (-1 if v < 0 and not self.positive else 0) for v in near]
        patterns = itertools.chain([signs], itertools.product(kinds, repeat=len(signs)))
        return next(w for w in (self.candidate(list(pattern), penalty) for pattern in patterns) if w is not None)

    def error(self, w, exact):
        """The length of X(w - exact), relative to that of the response."""
        off = [Fraction(a) - b for a, b in zip(w, exact)]
        square = sum(a * b * g for a, row in zip(off, self.gram) for b, g in zip(off, row))
        return math.sqrt(square / self.square) if self.square else 0.0


def places(series, d):
    """(penalty, w) at every knot and between every two."""
    values, columns = series["values"], series["columns"][:d]
    knots = [(Fraction(value), [Fraction(column[k]) for column in columns]) for k, value in enumerate(values)]
    between = []
    for (a, v), (b, w) in zip(knots, knots[1:]):
        between.append(((a + b) / 2, [(p + q) / 2 for p, q in zip(v, w)]))
    return knots + between


def judge(program, problem, x, y, intercept, folder):
    file = folder / "table.csv"
    names = [f"x{j}" for j in range(x.shape[1])] + ["y"]
    lines = [",".join(names)] + [",".join(repr(float(v)) for v in [*row, value]) for row, value in zip(x, y)]
    file.write_text("\n".join(lines) + "\n")
    command = [program, "path", problem, "--train", file, "--response", "y", "--json"]
    command += ["--bias", "intercept" if intercept else "none"] if problem == "lasso" else []
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if ran.returncode:
        return None, ran.stderr.strip()
    exact = Exact(x, y, intercept, problem == "lasso", problem == "nnls")
    found = places(json.loads(ran.stdout)["path"], x.shape[1])
    return max(exact.error(w, exact.solution(penalty, w)) for penalty, w in found), ""


def powers(random, d, decades):
    """d scales, the first and the last so many decades apart."""
    exponents = np.concatenate([[0.0, decades], random.uniform(0, decades, max(d - 2, 0))])[:d]
    return 10.0 ** random.permutation(exponents)


def normal(n, d, decades):
    return lambda random: (random.normal(size=(n, d)) * powers(random, d, decades), random.normal(size=n), False)


def integers(decades):
    def make(random):
        x = random.integers(-9, 10, size=(2, 2)).astype(float)
        x[:, 1] *= 10.0**decades
        return x, random.integers(-9, 10, size=2).astype(float), False

    return make


def cents(n):
    """Income in cents, age, an owner or not, a share, and what is spent."""

    def make(random):
        income = np.round(np.exp(random.normal(11.8, 0.6, n))) * 100
        age, owner = random.integers(18, 81, n).astype(float), random.integers(0, 2, n).astype(float)
        share = np.round(random.uniform(0, 1, n), 2)
        spent = 5 + 1e-6 * income + 0.15 * age + 3 * owner + 2 * share + random.normal(0, 1.5, n)
        return np.column_stack([income, age, owner, share]), np.round(spent, 1), True

    return make


def kinds():
    for decades in (0, 4, 5, 6, 8, 10, 12):
        yield f"nnls 6 x 4, columns 1e{decades} apart", "nnls", normal(6, 4, decades)
    yield "nnls, integers 2 x 2, columns 1e4 apart", "nnls", integers(4)
    for decades in (4, 5, 8, 10):
        yield f"lasso 5 x 2, columns 1e{decades} apart", "lasso", normal(5, 2, decades)
    for decades in (4, 10):
        yield f"lasso 10 x 4, columns 1e{decades} apart", "lasso", normal(10, 4, decades)
    for n in (30, 200, 1000):
        yield f"lasso, income in cents, n = {n}", "lasso", cents(n)


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    print("| problems | refused | wrong | worst fit |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, problem, make in kinds():
            random = np.random.default_rng(1)
            refused, wrong, worst, said = 0, 0, 0.0, ""
            for _ in range(count):
                error, message = judge(program, problem, *make(random), pathlib.Path(folder))
                refused += error is None
                wrong += error is not None and error > WRONG
                worst, said = max(worst, error or 0.0), said or message
            print(f"| {name} | {refused} | {wrong} | {worst:.1e} |", said, flush=True)


main()
