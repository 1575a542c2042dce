#!/usr/bin/env python3
"""Compares whole paths with single solves by LIBLINEAR and LIBSVM, as scikit-learn wraps them.

    python3 benches/peers/run.py --out table.md

Makes a virtual environment with the versions of requirements.txt (in target/peers, once) and runs compare.py in it.
`--help` lists the options.
"""

import os
import pathlib
import sys

from environment import python_in

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "target" / "peers"


if __name__ == "__main__":
    if sys.version_info < (3, 11):
        raise SystemExit("Python 3.11 or later is needed")
    python = python_in(FOLDER, HERE / "requirements.txt")
    os.execv(python, [python, str(HERE / "compare.py"), *sys.argv[1:]])
