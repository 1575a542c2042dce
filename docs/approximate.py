#!/usr/bin/env python3
"""Makes the table of the section "Approximate paths" of experiments.md, and that of "Without the exact path".

    cargo build --release -p pathqp-cli
    python3 docs/approximate.py target/release/pathqp FOLDER > table.md

FOLDER holds pima.svm and spambase.svm. The tolerance is given relative to the objective at tau = 1/2. Every path is checked from
the data, with 1,000 random values. The times are the least of three runs.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

DATA = ["pima.svm", "spambase.svm"]
RELATIVE = ["1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6"]
MODEL = ["--lambda", "1e-3", "--bias", "augmented", "--scale", "minmax", "--json"]
COLUMNS = "data | E relative | E | stored points | times √E | entries of x_F | largest bound | largest gap found | approximating: s | checking: s"
WITHOUT = "data | E relative | stored points, exact | stored points, inexact | largest gap found | exact path and approximating: s | inexact: s"
WITHOUT_RELATIVE = ["1e-1", "1e-2", "1e-3", "1e-4"]
RUNS = 3


def run(*command):
    """The JSON document that a command prints; it must succeed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def free(file):
    """The number of entries of x_F that a path keeps."""
    return len(json.loads(pathlib.Path(file).read_text())["solution"]["line"]["path"]["x"])


def row(program, train, relative, objective, file):
    tolerance = float(relative) * objective
    question = [program, "path", "quantile-svm", "--train", train, *MODEL, "--tolerance", str(tolerance), "--out", file]
    reports = [run(*question) for _ in range(RUNS)]
    check = [program, "check", file, "--train", train, "--points", "1000", "--json"]
    checks = [run(*check) for _ in range(RUNS)]
    points = reports[0]["breakpoints"] + 2
    return [
        pathlib.Path(train).stem,
        relative,
        f"{tolerance:.2e}",
        f"{points:,}",
        f"{points * tolerance ** 0.5:.2f}",
        f"{free(file):,}",
        f"{checks[0]['max_gap_bound'] / tolerance:.3f} E",
        f"{checks[0]['max_gap'] / tolerance:.3f} E",
        f"{min(r['seconds']['approximate'] for r in reports):.3f}",
        f"{min(c['seconds'] for c in checks):.3f}",
    ]


def without(program, train, relative, objective, file):
    """The same path from inexact solutions, without an exact one."""
    tolerance = float(relative) * objective
    question = [program, "path", "quantile-svm", "--train", train, *MODEL, "--tolerance", str(tolerance)]
    selected = [run(*question) for _ in range(RUNS)]
    found = [run(*question, "--inexact", "--out", file) for _ in range(RUNS)]
    check = run(program, "check", file, "--train", train, "--points", "1000", "--json")
    seconds = [min(sum(r["seconds"].get(part, 0) for part in ("start", "path", "approximate")) for r in runs) for runs in (selected, found)]
    if "approximate" in found[0]["seconds"]:
        raise SystemExit(f"{train}, {relative}: the exact path was followed after all")
    return [
        pathlib.Path(train).stem,
        relative,
        f"{selected[0]['breakpoints'] + 2:,}",
        f"{found[0]['breakpoints'] + 2:,}",
        f"{check['max_gap'] / tolerance:.3f} E",
        f"{seconds[0]:.3f}",
        f"{seconds[1]:.3f}",
    ]


def table(program, folder, columns, relatives, of):
    """Prints a table: a row for every data set and relative tolerance."""
    print(f"| {columns} |")
    print("|---" * (columns.count("|") + 1) + "|")
    with tempfile.TemporaryDirectory() as temporary:
        for data in DATA:
            train, file = str(folder / data), f"{temporary}/path.json"
            exact = run(program, "path", "quantile-svm", "--train", train, *MODEL, "--out", file)
            objective = run(program, "at", file, "--param", "0.5", "--json")[0]["objective"]
            sys.stderr.write(f"{data}: {exact['breakpoints']} breakpoints, {free(file)} entries, objective {objective}, {exact['seconds']}\n")
            for relative in relatives:
                print("| " + " | ".join(of(program, train, relative, objective, file)) + " |", flush=True)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    table(program, folder, COLUMNS, RELATIVE, row)
    print()
    table(program, folder, WITHOUT, WITHOUT_RELATIVE, without)


if __name__ == "__main__":
    main()
