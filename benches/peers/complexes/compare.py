"""PPOPT on the problems of `benches/complex.rs`: called by run.py."""

import json
import multiprocessing
import pathlib
import sys
import time

import numpy
from ppopt.mp_solvers.solve_mpqp import mpqp_algorithm, solve_mpqp
from ppopt.mpqp_program import MPQP_Program

ALGORITHMS = {
    "geometric": mpqp_algorithm.geometric,
    "graph": mpqp_algorithm.graph,
    "combinatorial": mpqp_algorithm.combinatorial,
}


def program(problem):
    """min ½xᵀHx + (c₀ + θ₁c₁ + θ₂c₂)ᵀx over −½ ≤ x ≤ ½, θ ∈ [−1, 1]², in PPOPT's letters."""
    h = numpy.array(problem["h"])
    c = [numpy.array(part).reshape(-1, 1) for part in problem["c"]]
    n = len(h)
    box = numpy.vstack([numpy.eye(n), -numpy.eye(n)])
    half = numpy.full((2 * n, 1), 0.5)
    domain = numpy.vstack([numpy.eye(2), -numpy.eye(2)])
    return MPQP_Program(box, half, c[0], numpy.hstack(c[1:]), h, domain, numpy.ones((4, 1)), numpy.zeros((2 * n, 2)))


def solve(problem, name, results):
    """Puts the seconds and the number of regions into `results`."""
    start = time.perf_counter()
    solution = solve_mpqp(program(problem), ALGORITHMS[name])
    results.put((time.perf_counter() - start, len(solution.critical_regions)))


def limited(problem, name, seconds):
    """`solve` in its own process; none if it takes too long."""
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=solve, args=(problem, name, results))
    process.start()
    try:
        return results.get(timeout=seconds)
    except Exception:
        return None
    finally:
        process.terminate()
        process.join()


def main():
    folder, sizes, limit, out = pathlib.Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]
    ours = {}
    for line in (folder / "ours.md").read_text().splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        ours[int(cells[0])] = (int(cells[1]), float(cells[5]))
    lines = ["| n | program | regions | seconds | seconds / pathqp's |", "|---|---|---|---|---|"]
    for n in map(int, sizes.split(",")):
        problem = json.loads((folder / f"boxes_{n}.json").read_text())
        regions, seconds = ours[n]
        lines.append(f"| {n} | pathqp | {regions} | {seconds:.4f} | |")
        for name in ALGORITHMS:
            if name == "combinatorial" and n > 10:
                continue
            result = limited(problem, name, limit)
            if result is None:
                lines.append(f"| {n} | PPOPT, {name} | | more than {limit:.0f} | more than {limit / seconds:,.0f} |")
            else:
                lines.append(f"| {n} | PPOPT, {name} | {result[1]} | {result[0]:.1f} | {result[0] / seconds:,.0f} |")
            print(lines[-1], file=sys.stderr)
    table = "\n".join(lines) + "\n"
    sys.stdout.write(table) if out == "-" else pathlib.Path(out).write_text(table)


if __name__ == "__main__":
    main()
