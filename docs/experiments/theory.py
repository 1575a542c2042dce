#!/usr/bin/env python3
"""Makes the tables and figures of theory.md.

    cargo build --release -p pathqp-cli
    python3 docs/experiments/theory.py target/release/pathqp FOLDER > tables.md

The mixtures lie in docs/experiments/mixtures; FOLDER receives one figure each.
"""

import json
import math
import pathlib
import subprocess
import sys

MIXTURES = pathlib.Path(__file__).parent / "mixtures"
PAIRS = ["pair-0.12", "pair-minus-6", "pair-3", "pair-minus-0.96"]


def theory(program, name, gammas, *options):
    command = [program, "theory", str(MIXTURES / f"{name}.json"), "--gamma", ",".join(gammas), "--json", *options]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {loss["loss"]: loss for loss in report["losses"]}


def away(found, expected):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(found, expected)))


def size(vector):
    return math.sqrt(sum(v * v for v in vector))


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


def first_and_third(program):
    gammas = ["1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6"]
    for name in ["mixtures", "pair-minus-0.96"]:
        loss = theory(program, name, gammas, "--loss", "square")["square"]
        print(f"\nSquare loss, `{name}.json`, A = {loss['a']:.6f}.\n")
        head("γ", "‖w − expansion‖/γ²", "abs(b − expansion)/γ²", "log(v′/u′)", "expansion", "ratio − 1")
        for point in loss["points"]:
            gamma, expansion = point["gamma"], point["expansion"]
            slope = point["log_slope"]
            row(f"{gamma:.0e}", f"{away(point['w'], expansion['w']) / gamma**2:.5f}", f"{abs(point['b'] - expansion['b']) / gamma**2:.5f}",
                f"{slope:.6g}", f"{expansion['log_slope']:.6g}", f"{slope / expansion['log_slope'] - 1:.2e}")


def second_and_fourth(program):
    powers = [10, 20, 40, 80, 160, 280]
    for name in ["mixtures", "pair-minus-0.96"]:
        loss = theory(program, name, [f"1e-{p}" for p in powers], "--loss", "erf")["erf"]
        xi = ", ".join(f"{x:.6f}" for x in loss["xi"])
        print(f"\nErf loss, `{name}.json`, Ã = {loss['a']:.6f}, ξ = ({xi}).\n")
        head("γ", "‖w − expansion‖/‖expansion‖", "b/expansion − 1", "log(v′/u′)", "2Ã log²(1/γ)", "ratio − 1", "2Ã log(1/γ), as printed")
        for point in loss["points"]:
            expansion, slope = point["expansion"], point["log_slope"]
            printed = 2 * loss["a"] * -math.log(point["gamma"])
            row(f"{point['gamma']:.0e}", f"{away(point['w'], expansion['w']) / size(expansion['w']):.4f}", f"{point['b'] / expansion['b'] - 1:+.4f}",
                f"{slope:.6g}", f"{expansion['log_slope']:.6g}", f"{slope / expansion['log_slope'] - 1:+.4f}", f"{printed:.6g}")


def regimes(program, folder):
    gammas = ["0.5", "0.3", "0.1", "0.05", "0.02", "0.01"]
    print("\nTesting asymmetry β(γ); * marks ROC-inconsistent points, - a point at a corner.\n")
    head("classes", "loss", "A or Ã", *[f"γ = {g}" for g in gammas])
    for name in PAIRS + ["mixtures"]:
        figure = folder / f"theory-{name}.svg"
        for loss in theory(program, name, gammas, "--plot", str(figure)).values():
            cells = []
            for point in loss["points"]:
                mark = {True: "", False: "*", None: " -"}[point["consistent"]]
                cells.append(f"{point['beta']:.3g}{mark}")
            row(name, loss["loss"], f"{loss['a']:.4f}", *cells)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    first_and_third(sys.argv[1])
    second_and_fourth(sys.argv[1])
    regimes(sys.argv[1], pathlib.Path(sys.argv[2]))
