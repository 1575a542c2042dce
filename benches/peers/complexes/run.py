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
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FOLDER = ROOT / "target" / "complexes"


def environment():
    """The Python of a virtual environment that holds the requirements; made when they have changed."""
    python, done = FOLDER / "bin" / "python", FOLDER / "requirements.txt"
    requirements = (HERE / "requirements.txt").read_text()
    if not done.exists() or done.read_text() != requirements:
        print(f"making {FOLDER}", file=sys.stderr)
        venv.create(FOLDER, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", HERE / "requirements.txt"], check=True)
        done.write_text(requirements)
    return str(python)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sizes", default="10,20,30", help="numbers of variables")
    arguments.add_argument("--seconds", default="900", help="give up on a PPOPT run after this long")
    arguments.add_argument("--out", default="-", help="write the table here")
    options = arguments.parse_args()
    python = environment()
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
