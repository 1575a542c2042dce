"""Times whole paths and single solves in one run, and writes the tables. Started by run.py."""

import argparse
import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
import tempfile
import time

# Before numpy is imported, here and in every process that is started.
for variable in ("OMP", "OPENBLAS", "MKL", "RAYON"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
import sklearn  # noqa: E402
from problems import PROBLEMS, ROOT, TAUS, Objective, data_file, load  # noqa: E402
from tables import Tables  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
REPEATS, ENOUGH = 25, 10.0  # a path is followed at most so often, not again after so many seconds
PRODUCTS = 200  # so often the product that gives w is computed
ROUNDING = 1e-9  # of an objective, relative: what two sums of n terms may differ by


def say(text):
    """Progress."""
    print(text, file=sys.stderr, flush=True)


def peak_now(process):
    """VmHWM of a process in MB, 0 when it is gone."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)


def peak(command, limit):
    """Runs a command; its peak memory in MB, or None if it takes longer than `limit` seconds.

    The peak is read from /proc while the command runs: what the system tells at its end may be the peak of the process that
    started it.
    """
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline, largest = time.monotonic() + limit, 0.0
    while process.poll() is None:
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            return None
        largest = max(largest, peak_now(process.pid))
        time.sleep(0.001)
    return largest


def follow(program, problem, file, penalty, ends, limit, kept):
    """The fastest report on one range of τ, with `all` times and the `peak` memory; None if it takes too long."""
    command = [program, "path", "quantile-svm", "--train", file, "--lambda", repr(penalty), "--kernel", problem.kernel]
    command += ["--bias", problem.bias, "--scale", problem.scale, "--from", str(ends[0]), "--to", str(ends[1])]
    command += ["--json", "--out", kept]
    memory = peak(command, limit)
    if memory is None:
        return None
    reports, began = [], time.monotonic()
    while len(reports) < REPEATS and time.monotonic() < began + ENOUGH:
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        reports.append(json.loads(done.stdout))
    for report in reports:
        report["taken"] = report["seconds"]["start"] + report["seconds"]["path"]
    best = min(reports, key=lambda report: report["taken"])
    if not best["complete"]:
        raise SystemExit(f"{problem.name}: the path is not complete")
    return {**best, "all": [report["taken"] for report in reports], "peak": memory}


def path_objectives(program, problem, objective, kept):
    """A path's objectives at TAUS, computed from w or α and compared with what pathqp prints."""
    full = [] if problem.gamma is None else ["--full"]
    command = [program, "at", kept, "--param", ",".join(map(str, TAUS)), "--json", *full]
    values = []
    for point in json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout):
        constant = point["intercept"]
        constant = constant[0] if isinstance(constant, list) else constant
        if problem.gamma is None:
            solution = point["w"]
        else:
            solution = np.array(point["alpha"]) * objective.labels / objective.penalty
        value = objective.at(point["param"]["tau"], solution, constant)
        if abs(value - point["objective"]) > ROUNDING * value:
            raise SystemExit(f"{problem.name}: objective {value} from the solution, {point['objective']} printed")
        values.append(value)
    return values


def solve(problem, file, tolerance, limit):
    """What solve.py printed, one entry a τ; None where the limit was reached."""
    results = []
    while len(results) < len(TAUS):
        command = [sys.executable, HERE / "solve.py", PROBLEMS.index(problem), file, tolerance, len(results), limit]
        child = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True)
        results += map(json.loads, child.stdout.splitlines())
        if child.returncode == -signal.SIGALRM:
            results.append(None)
        elif child.returncode != 0:
            raise SystemExit(f"{problem.name}: solve.py ended with {child.returncode}")
    return results


def relative_gaps(title, objective, results, ours):
    """(theirs − ours)/ours at every τ that was solved."""
    gaps = []
    for result, here in zip(results, ours, strict=True):
        if result is not None:
            gaps.append((objective.at(result["tau"], result["solution"], result["constant"]) - here) / here)
    if min(gaps, default=0.0) < -ROUNDING:
        raise SystemExit(f"{title}: the objective of the path is not the smallest, by {-min(gaps):.1e}")
    return gaps


def product_time(features, labels):
    """Seconds that w = Xᵀ(α ∘ y)/λ takes numpy, all αᵢ ≠ 0; the best of many."""
    seconds = []
    for _ in range(PRODUCTS):
        began = time.perf_counter()
        features.T @ labels
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def compare(problem, options, tables):
    """All rows of one problem. Returns the mean solve at each tolerance, and the seconds that w takes; None without data."""
    file = data_file(problem.name, options.data)
    if file is None:
        say(f"{problem.name}: no such data in {options.data}, skipped")
        return None
    features, labels = load(file, problem.scale)
    objective = Objective(problem, features, labels)
    title = problem.title(len(labels))
    reports = {}
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder) / "kept.path"
        for ends in problem.ranges:
            say(f"{title}: path from {ends[0]} to {ends[1]}")
            report = follow(options.pathqp, problem, file, objective.penalty, ends, options.limit, kept)
            tables.add_path(title, ends, report, options.limit)
            if report is not None:
                reports[ends] = report
        if not reports:
            return None
        ours = path_objectives(options.pathqp, problem, objective, kept)
    means = {}
    for tolerance in problem.tolerances:
        say(f"{title}: {problem.peer} at {tolerance:g}")
        results = solve(problem, file, tolerance, options.limit)
        gaps = relative_gaps(title, objective, results, ours)
        means[tolerance] = tables.add_solves(problem, title, tolerance, results, gaps, reports, options.limit)
        tables.add_memory(problem, title, tolerance, results, reports)
    return means, product_time(features, labels)


def recovery_time(folder, name):
    """Seconds of one evaluation of a path, as the benchmark `path` left them in criterion's folder, or None."""
    file = folder / "path" / f"{name}.svm recover one tau" / "new" / "estimates.json"
    if not file.exists():
        return None
    estimates = json.loads(file.read_text())
    return (estimates["slope"] or estimates["mean"])["point_estimate"] * 1e-9


def recover(options, compared, tables):
    """The rows of the recovery, measured by the project's own benchmark."""
    if options.criterion is None:
        say("recovery of one tau")
        command = ["cargo", "bench", "-p", "pathqp", "--bench", "path", "--", "recover one tau"]
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    for problem, result in compared:
        seconds = recovery_time(options.criterion or TARGET / "criterion", problem.name)
        if problem.goals and result is not None and seconds is not None:
            means, product = result
            for tolerance, mean in means.items():
                tables.add_recovery(problem, seconds, product, tolerance, mean)


def build(options):
    """The program, where it is missing, and the benchmark of the recovery, unless its results are given."""
    if options.pathqp is None:
        options.pathqp = TARGET / "release" / "pathqp"
        if not options.pathqp.exists():
            subprocess.run(["cargo", "build", "--release", "-p", "pathqp-cli"], cwd=ROOT, check=True)
    options.pathqp = options.pathqp.resolve()
    if options.criterion is None:
        subprocess.run(["cargo", "bench", "-p", "pathqp", "--bench", "path", "--no-run"], cwd=ROOT, check=True)


def circumstances(program):
    """Versions and processor."""
    version = subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.strip()
    with open("/proc/cpuinfo") as processors:
        names = [line.split(":")[1].strip() for line in processors if line.startswith("model name")]
    processor = f"{(names or [platform.machine()])[0]}, one core of {os.cpu_count()}"
    return f"{version}; scikit-learn {sklearn.__version__}, numpy {np.__version__}, Python {platform.python_version()}; {processor}"


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(prog="run.py", description="Whole paths against single solves by LIBLINEAR and LIBSVM.")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the file for the tables")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data/binary", help="folder of the LIBSVM files")
    parser.add_argument("--pathqp", type=pathlib.Path, help="the program [default: the release build, made if missing]")
    parser.add_argument("--criterion", type=pathlib.Path, help="read the recovery from this folder of an earlier cargo bench")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds that a solve or a path may take [default: 120]")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="the core [default: the last one]")
    return parser.parse_args()


def main():
    """All problems, then the tables."""
    options = arguments()
    build(options)
    os.sched_setaffinity(0, {options.core})
    began, load_before, tables = time.monotonic(), os.getloadavg()[0], Tables()
    compared = [(problem, compare(problem, options, tables)) for problem in PROBLEMS]
    recover(options, compared, tables)
    loads = f"load average {load_before:.1f} before, {os.getloadavg()[0]:.1f} after"
    text = f"{circumstances(options.pathqp)}; {loads}.\n\n{tables.markdown()}"
    options.out.write_text(text)
    print(text)
    say(f"{time.monotonic() - began:.0f} s; the tables are in {options.out}")


if __name__ == "__main__":
    main()
