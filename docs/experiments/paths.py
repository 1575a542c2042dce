#!/usr/bin/env python3
"""The tables of cost-svm.md, kqr.md and svr.md: runs `pathqp path` and `pathqp check --points 1000` and prints one row each.

    paths.py PROGRAM DATA cost-svm|kqr|svr

DATA is a folder with `binary/` (LIBSVM text) and `regression/` (CSV). Seconds are processor time of the whole `pathqp path`.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

COSTS = ["heart_scale", "sonar_scale", "ionosphere_scale", "australian_scale", "breast-cancer_scale", "diabetes_scale"]
TABLES = [("engel", None), ("mcycle", None), ("GAGurine", "GAG"), ("Boston", None), ("lidar", None)]


def run(arguments):
    """The JSON document of a command, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(arguments + ["--json"], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.stderr:
        print(done.stderr.strip(), file=sys.stderr)
    seconds = sum(getattr(after, f) - getattr(before, f) for f in ("ru_utime", "ru_stime"))
    return json.loads(done.stdout), seconds


def row(program, what, train, options):
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "a.path")
        path, seconds = run([program, "path", *what, "--train", train, *options, "--out", kept])
        check, _ = run([program, "check", kept, "--train", train, "--points", "1000"])
    assert path["complete"] and check["passed"], (train, options)
    return path, check, seconds


def cost_svm(program, data):
    print("| data | n × d | kernel | breakpoints | back | events | largest F | largest tied set | seconds | worst KKT residual | points |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in COSTS:
        train = os.path.join(data, "binary", name + ".svm")
        for kernel in ["linear", "rbf:0.5"]:
            fixed = ["--kernel", kernel, "--bias", "intercept", "--vary", "c"]
            path, check, seconds = row(program, ["cost-svm"], train, [*fixed, "--from", "0", "--to", "100"])
            back, _, _ = row(program, ["cost-svm"], train, [*fixed, "--from", "100", "--to", "0"])
            print(
                f"| {name} | {path['n']} × {path['d']} | {kernel} | {path['breakpoints']:,} | {back['breakpoints']:,} | {path['events']:,} "
                f"| {path['max_free']} | {path['stats']['max_tied']} | {seconds:.2f} | {check['max_kkt_residual']:.1e} | {check['points']:,} |"
            )


def kqr(program, data):
    print("| data | n × d | kernel | path | breakpoints | events | jumps | largest F | seconds | worst KKT residual |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, response in TABLES:
        train = os.path.join(data, "regression", name + ".csv")
        for kernel in ["linear", "rbf:0.5"]:
            for line in [["--vary", "tau", "--lambda", "0.1"], ["--vary", "lambda", "--tau", "0.5"], ["--vary", "lambda", "--tau", "0.1"]]:
                options = ["--kernel", kernel, "--scale", "standard", *line] + (["--response", response] if response else [])
                path, check, seconds = row(program, ["kqr"], train, options)
                fixed = ", ".join(f"{k} = {v:g}" for k, v in path["fixed"].items())
                print(
                    f"| {name} | {path['n']} × {path['d']} | {kernel} | {path['vary']} from {path['from']:.3g} to {path['to']:.3g}, {fixed} "
                    f"| {path['breakpoints']:,} | {path['events']:,} | {path['stats']['jumps']} | {path['max_free']} | {seconds:.2f} | {check['max_kkt_residual']:.1e} |"
                )


def head(source, rows, folder):
    """The first rows of a file, in a file of their own."""
    target = os.path.join(folder, os.path.basename(source))
    with open(source) as lines, open(target, "w") as out:
        out.writelines(line for k, line in enumerate(lines) if k < rows + source.endswith(".csv"))
    return target


def half_range(train):
    """Half the range of the responses: the last column of a table, the first of LIBSVM text."""
    with open(train) as lines:
        rows = lines.read().split("\n")[:-1]
    y = [float(row.split(",")[-1]) for row in rows[1:]] if train.endswith(".csv") else [float(row.split()[0]) for row in rows]
    return (max(y) - min(y)) / 2


def svr(program, data):
    print("| data | n × d | kernel | path | breakpoints | events | jumps | largest F | outside | seconds | worst KKT residual |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in ["mcycle.csv", "lidar.csv", "bodyfat.csv", "autompg.csv", "abalone.csv", "cpusmall.svm"]:
            train = head(os.path.join(data, "regression", name), 2000, folder)
            for kernel in ["linear", "rbf:0.5"]:
                model = ["--kernel", kernel, "--scale", "standard"]
                widest, largest = half_range(train), None
                for vary in ["lambda", "epsilon"]:
                    line = ["--lambda", f"{0.01 * largest:g}"] if largest else ["--epsilon", f"{0.1 * widest:g}"]
                    options = [*model, "--vary", vary, *line]
                    path, check, seconds = row(program, ["svr"], train, options)
                    largest = largest or path["to"]
                    fixed = ", ".join(f"{k} = {v:g}" for k, v in path["fixed"].items())
                    outside = path["outside"]["share"]
                    print(
                        f"| {name.split('.')[0]} | {path['n']:,} × {path['d']} | {kernel} | {vary} from {path['from']:.3g} to {path['to']:.3g}, {fixed} "
                        f"| {path['breakpoints']:,} | {path['events']:,} | {path['stats']['jumps']} | {path['max_free']} | {outside[0]:.2f} to {outside[-1]:.2f} "
                        f"| {seconds:.2f} | {check['max_kkt_residual']:.1e} |",
                        flush=True,
                    )


if __name__ == "__main__":
    program, data, table = sys.argv[1:]
    {"cost-svm": cost_svm, "kqr": kqr, "svr": svr}[table](program, data)
