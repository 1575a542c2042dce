"""A path of about a second: the time of the call from Python against that which the command line reports for the same path.

    python python/benches/overhead.py [--binary target/release/pathqp] [--repeat 5]

The command line's figure is its time for posing, the start and the path, without reading and certificates. Both sides take turns.
"""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def user():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime + resource.getrusage(resource.RUSAGE_SELF).ru_stime


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "pathqp")
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--rows", type=int, default=4000)
    args = arguments.parse_args()
    import time

    from pathqp import QuantileSVC

    random = np.random.default_rng(0)
    X = random.standard_normal((args.rows, 30))
    y = (X[:, 0] + 2 * random.standard_normal(args.rows) > 0).astype(int)
    with tempfile.TemporaryDirectory() as folder:
        train = Path(folder) / "train.csv"
        header = ",".join([*(f"x{j}" for j in range(30)), "y"])
        np.savetxt(train, np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt="%.17g")
        command = [args.binary, "path", "quantile-svm", "--train", train, "--lambda", "1e-3", "--bias", "intercept", "--json"]
        ours, theirs = [], []
        for _ in range(args.repeat):
            known = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            theirs.append(known["seconds"]["start"] + known["seconds"]["path"])
            began, processor = time.perf_counter(), user()
            model = QuantileSVC(alpha=1e-3).fit(X, y)
            ours.append((time.perf_counter() - began, user() - processor))
    assert len(model.path_.breakpoints) == known["breakpoints"]
    mine, best = min(wall for wall, _ in ours), min(theirs)
    print(f"{len(model.path_.breakpoints)} breakpoints; Python {mine:.3f} s (processor {min(p for _, p in ours):.3f} s), command line {best:.3f} s: {100 * (mine / best - 1):+.1f} %")
    print("all:", [round(wall, 3) for wall, _ in ours], [round(t, 3) for t in theirs])


if __name__ == "__main__":
    main()
