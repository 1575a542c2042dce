#!/usr/bin/env python3
"""Compares whole paths with single solves by LIBLINEAR and LIBSVM, as scikit-learn wraps them.

    python3 benches/peers/run.py --out table.md

Makes a virtual environment with the versions of requirements.txt (in target/peers, once) and runs compare.py in it.
`--help` lists the options.
"""

import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "target" / "peers"


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


if __name__ == "__main__":
    if sys.version_info < (3, 11):
        raise SystemExit("Python 3.11 or later is needed")
    python = environment()
    os.execv(python, [python, str(HERE / "compare.py"), *sys.argv[1:]])
