#!/usr/bin/env python3
"""Compares the complex of a parametric box QP with PPOPT's, in one run on the same problems.

    python3 benches/peers/complexes/run.py [--sizes 10,20,30] [--out table.md]

Makes a virtual environment with the versions of requirements.txt (in target/complexes, once), lets the benchmark `complex` write
its problems and time itself on them, and solves the same problems with PPOPT's algorithms.
"""

import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from environment import python_in

ROOT = HERE.parents[2]
FOLDER = ROOT / "target" / "complexes"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sizes", default="10,20,30", help="numbers of variables")
    arguments.add_argument("--seconds", default="900", help="give up on a PPOPT run after this long")
    arguments.add_argument("--out", default="-", help="write the table here")
    options = arguments.parse_args()
    python = python_in(FOLDER, HERE / "requirements.txt")
    problems = FOLDER / "problems"
    problems.mkdir(exist_ok=True)
    single = os.environ | {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
    bench = ["cargo", "bench", "--quiet", "-p", "pathqp", "--bench", "complex", "--", "write", str(problems)]
    ours = subprocess.run(bench, cwd=ROOT, env=single, check=True, stdout=subprocess.PIPE, text=True).stdout
    (problems / "ours.md").write_text(ours)
    script = [python, str(HERE / "compare.py"), str(problems), options.sizes, options.seconds, options.out]
    subprocess.run(script, env=single, check=True)


if __name__ == "__main__":
    main()
