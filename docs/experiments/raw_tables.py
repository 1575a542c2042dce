#!/usr/bin/env python3
"""Tables as they are, with defaults: `pathqp path` on every file of a folder, without scaling and with `--scale standard`, and `pathqp check` of what was kept.

    raw_tables.py run PROGRAM DATA RESULTS [--further] [--timeout S] [--largest KB] [--match TEXT] [--again failed|timeout|all]
    raw_tables.py table RESULTS             the result as a table of Markdown, and what failed
    raw_tables.py failures RESULTS          one line for each run that failed

DATA is a folder with `binary/` (LIBSVM text) and `regression/` (CSV with a header, or LIBSVM text), gzipped or not; files of more than KB kilobytes (400) are left out.
RESULTS collects one JSON document a line, the newest of a run counts; what is there is not run again unless `--again` says so. One process at a time; S is processor time
of each of the two commands of a run (120).
--further runs other commands: the problems and kernels that the first ones leave out.
A run is *certified* if the path is complete, `path` and `check` end with status 0, and residual and relative gap of both are at most 1e-9.
"""

import argparse
import glob
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile

LIMIT = 1e-9
SCALES = ["none", "standard"]
RUNS = {
    "regression": [
        "path kqr --kernel linear --lambda 1e-3",
        "path kqr --kernel rbf:0.5 --lambda 1e-2",
        "path svr --kernel rbf:0.5 --c 10",
        "path lasso --bias intercept",
    ],
    "binary": ["path quantile-svm --lambda 1e-3", "path cost-svm --to 100 --bias intercept"],
}
FURTHER = {
    "regression": [
        "path quantile-regression",
        "path quantile-regression --l1 1",
        "path dantzig",
        "path svr --vary c --epsilon 0.1",
        "path svr --lambda 1e-2",
        "path nnls",
        "path lasso --alpha 0.1 --l1-ratio 0.5",
        "path one-class-svm",
    ],
    "binary": [
        "path l1-svm",
        "path one-class-svm",
        "path cost-svm --kernel rbf --to 10",
        "path quantile-svm --kernel rbf --lambda 1e-3",
    ],
}
# The responses of tables in which it is not the last column.
RESPONSES = {
    "autompg": "mpg", "barro": "y.net", "BigMac2003": "BigMac", "birthwt": "bwt", "bodyfat": "siri", "cpus": "perf", "crabs": "CW", "fat": "brozek",
    "ftcollinssnow": "Late", "geyser": "waiting", "Hitters": "Salary", "Mammals": "speed", "ozone111": "ozone", "ozone330": "O3", "prostate": "lpsa",
    "snowgeese": "photo", "stackloss": "STACKLOSS", "UN3": "Fertility",
}  # fmt: skip


def size(path):
    """Bytes of text: gzip keeps the length of what it packed in its last four bytes."""
    if not path.endswith(".gz"):
        return os.path.getsize(path)
    with open(path, "rb") as packed:
        packed.seek(-4, os.SEEK_END)
        return int.from_bytes(packed.read(4), "little")


def questions(data, largest, runs):
    """(command without file, folder, file, scale) of all runs, short files first."""
    for folder, commands in runs.items():
        files = [f for f in glob.glob(os.path.join(data, folder, "*")) if os.path.getsize(f) <= 1000 * largest]
        for file in sorted(files, key=lambda f: (size(f), f)):
            for command in commands:
                for scale in SCALES:
                    yield command, folder, file, scale


def document(text):
    """The JSON document in what was printed; the empty one if there is none."""
    try:
        return json.loads(text)
    except ValueError:
        return {}


def call(arguments, timeout):
    """Exit status (None: timed out), JSON document, last line of stderr, seconds of processor time, which do not depend on what else runs."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(timeout), int(timeout) + 5))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(arguments, capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = sum(getattr(after, name) - getattr(before, name) for name in ("ru_utime", "ru_stime"))
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, {}, "", seconds
    return done.returncode, document(done.stdout), (done.stderr.strip().split("\n") or [""])[-1], seconds


def run(program, command, folder, file, scale, timeout):
    """One run: the path, and the check of what it kept."""
    name = os.path.basename(file)
    response = RESPONSES.get(name.split(".")[0]) if name.endswith(".csv") else None
    options = ["--train", file] + (["--response", response] if response else []) + (["--scale", scale] if scale != "none" else [])
    result = {"command": command, "file": name, "folder": folder, "scale": scale, "options": options}
    with tempfile.TemporaryDirectory() as work:
        kept = os.path.join(work, "a.path")
        keep = [] if "lasso" in command else ["--out", kept]
        status, path, message, seconds = call([program, *command.split(), *options, "--json", *keep], timeout)
        result |= {"status": status, "message": message, "seconds": round(seconds, 3), "complete": path.get("complete"), "rows": path.get("rows", path.get("n"))}
        result |= {"breakpoints": path.get("breakpoints"), "kkt": path.get("max_kkt_residual", path.get("residual")), "gap": path.get("max_relative_gap")}
        if fit := path.get("fit"):
            result["gap"] = abs(fit["objective"] - fit["dual_objective"]) / max(abs(fit["objective"]), 1e-300)
        if keep and os.path.exists(kept) and status in (0, 3):
            status, check, message, seconds = call([program, "check", kept, "--train", file, "--json"], timeout)
            result |= {"check": status, "check_message": message, "check_seconds": round(seconds, 3)}
            result |= {"check_kkt": check.get("max_kkt_residual"), "check_gap": check.get("max_relative_gap")}
    return result


def verdict(result):
    """certified, refused (a question that the program rightly declines), failed or timeout."""
    if result["status"] == 2:
        return "refused"
    if result["status"] is None or ("check" in result and result["check"] is None):
        return "timeout"
    numbers = [result.get(k) for k in ("kkt", "gap", "check_kkt", "check_gap")]
    sound = result["status"] == 0 and result["complete"] and result.get("check", 0) == 0
    return "certified" if sound and all(v is None or v <= LIMIT for v in numbers) else "failed"


def read(path):
    """The newest result of each run."""
    results = {}
    if os.path.exists(path):
        with open(path) as lines:
            for line in lines:
                result = json.loads(line)
                results[result["command"], result["file"], result["scale"]] = result
    return results


def sweep(arguments):
    known = read(arguments.results)
    for command, folder, file, scale in questions(arguments.data, arguments.largest, FURTHER if arguments.further else RUNS):
        before = known.get((command, os.path.basename(file), scale))
        if arguments.match not in f"{command} {file} {scale}":
            continue
        if before and arguments.again != "all" and verdict(before) != arguments.again:
            continue
        result = run(arguments.program, command, folder, file, scale, arguments.timeout)
        with open(arguments.results, "a") as out:
            out.write(json.dumps(result) + "\n")
        print(verdict(result), one_line(result), flush=True)


def number(value):
    return "-" if value is None else f"{value:.1e}"


def one_line(result):
    words = f"pathqp {result['command']} {' '.join(result['options'])}"
    exits = "timeout" if result["status"] is None else f"exit {result['status']}"
    if "check" in result:
        exits += ", check " + ("timeout" if result["check"] is None else f"exit {result['check']}")
    figures = f"kkt {number(result.get('kkt'))} gap {number(result.get('gap'))} check kkt {number(result.get('check_kkt'))} gap {number(result.get('check_gap'))}"
    message = result["message"] or result.get("check_message") or ""
    return f"{words} | {exits} | complete {result['complete']} | {figures} | {result['seconds']:.1f} s | {message}"


def failures(arguments):
    for result in read(arguments.results).values():
        if verdict(result) in ("failed", "timeout"):
            print("undecided (time)" if verdict(result) == "timeout" else verdict(result), one_line(result))


def table(arguments):
    results = list(read(arguments.results).values())
    print("| command | scaling | runs | certified | refused | failed | timed out | worst residual | worst gap | slowest, s |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    known = {r["command"] for r in results}
    for command in [c for runs in (RUNS, FURTHER) for folder in ("binary", "regression") for c in runs[folder] if c in known]:
        for scale in SCALES:
            mine = [r for r in results if (r["command"], r["scale"]) == (command, scale)]
            good = [r for r in mine if verdict(r) == "certified"]
            worst = [max((r[k] for r in good for k in keys if r.get(k) is not None), default=None) for keys in (("kkt", "check_kkt"), ("gap", "check_gap"))]
            counts = " | ".join(str(sum(verdict(r) == v for r in mine)) for v in ("certified", "refused", "failed", "timeout"))
            slowest = max((r["seconds"] for r in good), default=0.0)
            print(f"| `{command}` | {scale} | {len(mine)} | {counts} | {number(worst[0])} | {number(worst[1])} | {slowest:.1f} |")
    print("\n| verdict | command | file | scaling | status, check | max_kkt_residual | max_relative_gap | message |")
    print("|---|---|---|---|---|---|---|---|")
    for r in sorted(results, key=lambda r: (verdict(r), r["command"], r["file"], r["scale"])):
        if verdict(r) != "certified":
            worst = [max((r[k] for k in keys if r.get(k) is not None), default=None) for keys in (("kkt", "check_kkt"), ("gap", "check_gap"))]
            message = (r["message"] or r.get("check_message") or "").replace(os.path.dirname(r["options"][1]) + "/", "").replace("|", "\\|")
            print(f"| {verdict(r)} | `{r['command']}` | {r['file']} | {r['scale']} | {r['status']}, {r.get('check', '-')} | {number(worst[0])} | {number(worst[1])} | {message} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    modes = parser.add_subparsers(required=True)
    running = modes.add_parser("run")
    for name in ("program", "data", "results"):
        running.add_argument(name)
    running.add_argument("--timeout", type=float, default=120.0)
    running.add_argument("--largest", type=float, default=400.0)
    running.add_argument("--match", default="")
    running.add_argument("--further", action="store_true")
    running.add_argument("--again", choices=["failed", "timeout", "refused", "all"])
    running.set_defaults(mode=sweep)
    for name, mode in (("table", table), ("failures", failures)):
        one = modes.add_parser(name)
        one.add_argument("results")
        one.set_defaults(mode=mode)
    arguments = parser.parse_args()
    arguments.mode(arguments)


if __name__ == "__main__":
    sys.exit(main())
