"""Lines through test sets of quadratic programs, followed, certified and checked; beside them one solve each by other solvers.

    cargo build --release --example lines
    python3 benches/lines/run.py BINARY DATA [--set maros_meszaros|mpc] [--only NAME,...] [--lines costs,bounds] [--dense] [--seconds 60] [--memory 4] [--out FILE.jsonl] [--solvers clarabel,...]
    python3 benches/lines/run.py --table FILE.jsonl

DATA has the folders `maros_meszaros` (.mat) and `mpc` (.npz). One line of JSON a problem and line goes to FILE; what is there already is not run again. Another solver takes a few lines in solvers.py.
"""
import argparse, glob, json, os, resource, subprocess, sys, tempfile, time
import numpy as np
import problems

TOLERANCE = 1e-9


def judged(found, worst):
    """complete: to the end of the line, or to where a proof shows that there is no solution beyond; wrong: whatever is not within the tolerance."""
    if found["outcome"] == "declined":
        return "declined"
    bad = [v for v in (found["residual"], found["gap"], *worst) if v is None or not v <= TOLERANCE]
    if bad or (found["outcome"] in ("infeasible", "unbounded") and not (found["proof"] or 0) > 0):
        return "wrong"
    return "complete"


def follow(binary, p, kind, back, limits):
    seconds, memory = limits
    rates = problems.line(p, kind)
    with tempfile.TemporaryDirectory() as folder:
        text, points = os.path.join(folder, "problem"), os.path.join(folder, "points")
        problems.write(p, rates, text)
        command = [binary, text, "--points", points] + (["--back"] if back else [])
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (memory << 30, memory << 30))
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            return {"verdict": "declined", "error": f"more than {seconds} s"}
        if done.returncode != 0:
            return {"verdict": "declined", "error": (done.stderr.strip().splitlines() or ["no output"])[0][:200]}
        found = json.loads(done.stdout)
        worst = [0, 0, 0]
        if os.path.exists(points):
            worst = [float(v) for v in problems.check(p, rates, np.fromfile(points), back)]
        return {**found, "primal": worst[0], "dual": worst[1], "own_gap": worst[2], "verdict": judged(found, worst)}


def problems_of(arguments):
    for name in arguments.set.split(","):
        read, ext = (problems.maros_meszaros, "mat") if name == "maros_meszaros" else (problems.mpc, "npz")
        files = sorted(glob.glob(os.path.join(arguments.data, name, f"*.{ext}")), key=os.path.getsize)
        for file in files:
            if arguments.only and os.path.basename(file)[: -len(ext) - 1] not in arguments.only.split(","):
                continue
            p = read(file)
            if not arguments.dense or (p.n <= 1000 and p.m + p.n <= 1000):
                yield name, p


def known(file):
    if not file or not os.path.exists(file):
        return []
    return [json.loads(text) for text in open(file)]


def run(arguments):
    done = {(r["set"], r["problem"], r["line"]) for r in known(arguments.out)}
    out = open(arguments.out, "a") if arguments.out else sys.stdout

    def tell(record):
        print(json.dumps(record), file=out, flush=True)
        if arguments.out:
            print(record["set"], record["problem"], record["line"], record.get("verdict"), record.get("seconds"), record.get("error", ""), flush=True)
    for name, p in problems_of(arguments):
        about = {"set": name, "problem": p.name, "n": p.n, "m": p.m}
        for kind in filter(None, arguments.lines.split(",")):
            back = kind.endswith("-back")
            if (name, p.name, kind) not in done:
                tell({**about, "line": kind, **follow(arguments.binary, p, kind.removesuffix("-back"), back, (arguments.seconds, arguments.memory))})
        for solver in filter(None, arguments.solvers.split(",")):
            if (name, p.name, solver) not in done:
                import solvers
                tell({**about, "line": solver, **solvers.timed(solver, p, arguments.seconds)})


def table(records):
    lines = list(dict.fromkeys(r["line"] for r in records))
    print("| set | line | complete | declined | wrong | median s | sum s |\n|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(r["set"] for r in records):
        for kind in lines:
            of = [r for r in records if r["set"] == name and r["line"] == kind]
            if of:
                count = lambda verdict: sum(r["verdict"] == verdict for r in of)
                times = [r["seconds"] for r in of if r["verdict"] == "complete"]
                print(f"| {name} | {kind} | {count('complete')} of {len(of)} | {count('declined')} | {count('wrong')} | {np.median(times or [0]):.3f} | {sum(times):.1f} |")
    print()
    for r in records:
        if r["verdict"] != "complete":
            print(f"{r['set']} {r['problem']} {r['line']}: {r['verdict']}, {r.get('error') or [r.get(k) for k in ('outcome', 'end', 'proof', 'residual', 'gap', 'primal', 'dual', 'own_gap')]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?")
    parser.add_argument("data", nargs="?")
    parser.add_argument("--set", default="maros_meszaros")
    parser.add_argument("--only")
    parser.add_argument("--lines", default="costs,costs-back,bounds,bounds-back")
    parser.add_argument("--dense", action="store_true", help="only problems with at most 1,000 variables and as many rows, boxes among them (62 of Maros-Meszaros)")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--memory", type=int, default=4, help="GiB")
    parser.add_argument("--out")
    parser.add_argument("--solvers", default="")
    parser.add_argument("--table")
    arguments = parser.parse_args()
    if arguments.table:
        table(known(arguments.table))
    else:
        run(arguments)
