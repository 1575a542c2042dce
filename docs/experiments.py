#!/usr/bin/env python3
"""Makes the table of experiments.md.

    cargo build --release -p pathqp-cli
    python3 docs/experiments.py target/release/pathqp FOLDER > table.md

FOLDER holds the LIBSVM files named below. Each path is followed both ways; the certificate is recomputed from the data at
both sides of every event, at every midpoint and at 1,000 random values.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

# file, lambda, kernel, bias, scaling
RUNS = [
    ("pima.svm", "1e-3", "linear", "augmented", "minmax"),
    ("pima.svm", "1e-3", "linear", "intercept", "minmax"),
    ("german.numer_scale.svm", "1e-3", "linear", "augmented", "none"),
    ("spambase.svm", "1e-3", "linear", "augmented", "minmax"),
    ("splice.svm", "1e-2", "linear", "augmented", "none"),
    ("a1a.svm", "1e-3", "linear", "augmented", "none"),
    ("w1a.svm", "1e-3", "linear", "augmented", "none"),
    ("mushrooms.svm", "1e-3", "linear", "augmented", "none"),
    ("heart_scale.svm", "1e-2", "rbf:0.5", "intercept", "none"),
    ("svmguide1.svm", "1e-3", "rbf:0.5", "intercept", "minmax"),
    ("svmguide1.svm", "1e-3", "rbf:0.5", "intercept", "none"),
]
COLUMNS = "data | n × d | λ | kernel | bias | breakpoints | events | largest tied set | largest F | worst KKT residual | backwards"
RANDOM = "1000"


def run(*command):
    """Standard output of a command, which may fail its certificate."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    sys.stderr.write(done.stderr)
    return done.stdout


def breakpoints(file):
    """The values of the parameter at which the sign pattern of z changes, increasing."""
    path = json.loads(pathlib.Path(file).read_text())["solution"]["line"]["path"]
    (origin,), (direction,) = path["origin"], path["direction"]
    return sorted(origin + direction * s["t"] for s in path["segments"] if s["breakpoint"])


def compare(forwards, backwards):
    """How well two lists agree."""
    if len(forwards) != len(backwards):
        return f"{len(backwards):,}"
    worst = max((abs(a - b) for a, b in zip(forwards, backwards)), default=0.0)
    return f"equal, {worst:.0e}"


def row(program, folder, data, penalty, kernel, bias, scaling, temporary):
    train = str(folder / data)
    question = ["quantile-svm", "--train", train, "--lambda", penalty, "--kernel", kernel, "--bias", bias, "--scale", scaling]
    there, back = f"{temporary}/there.json", f"{temporary}/back.json"
    report = json.loads(run(program, "path", *question, "--out", there, "--json"))
    run(program, "path", *question, "--from", "1", "--to", "0", "--out", back, "--json")
    check = json.loads(run(program, "check", there, "--train", train, "--points", RANDOM, "--json"))
    sys.stderr.write(f"{data}: {report['seconds']}, complete {report['complete']}, check {check['passed']}\n")
    cells = [
        data.removesuffix(".svm") + {"none": "", "minmax": ", min-max"}[scaling],
        f"{report['n']:,} × {report['d']}",
        penalty,
        kernel,
        bias,
        f"{report['breakpoints']:,}",
        f"{report['events']:,}",
        f"{report['stats']['max_tied']:,}",
        f"{report['max_free']:,}",
        f"{check['max_kkt_residual']:.1e}" + ("" if report["complete"] and check["passed"] else " (FAILED)"),
        compare(breakpoints(there), breakpoints(back)),
    ]
    return "| " + " | ".join(cells) + " |"


def main():
    program, folder, only = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    print(f"| {COLUMNS} |")
    print("|---" * (COLUMNS.count("|") + 1) + "|")
    with tempfile.TemporaryDirectory() as temporary:
        for data, *settings in RUNS:
            if not only or data in only:
                print(row(program, folder, data, *settings, temporary), flush=True)


if __name__ == "__main__":
    main()
