"""The artificial example data: python3 data/artificial.py writes them beside this file, the same on every machine."""

import json
import math
from pathlib import Path

HERE = Path(__file__).parent


class Random:
    """Numbers from a linear congruential sequence (Knuth's MMIX constants)."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def normal(self):
        return sum(self.uniform() for _ in range(12)) - 6


def write(name, header, rows):
    lines = [",".join(header)] + [",".join(f"{value:.4f}" for value in row) for row in rows]
    (HERE / name).write_text("\n".join(lines) + "\n")


def waves():
    """y is a sine with noise that grows with x."""
    random = Random(1)
    xs = sorted(6 * random.uniform() for _ in range(100))
    write("waves.csv", ["x", "y"], [[x, math.sin(x) + (0.1 + 0.1 * x) * random.normal()] for x in xs])


def signal():
    """Six levels with noise."""
    random, levels = Random(2), [0, 2, 1, 1.5, -1, 0.5]
    write("signal.csv", ["y"], [[levels[6 * i // 150] + 0.3 * random.normal()] for i in range(150)])


def returns():
    """Ten years of monthly returns of eight assets with one common factor."""
    random, rows = Random(3), []
    for _ in range(120):
        market = 0.006 + 0.04 * random.normal()
        rows.append([0.001 * j + (0.4 + 0.15 * j) * market + (0.01 + 0.008 * j) * random.normal() for j in range(8)])
    write("returns.csv", [f"asset{j + 1}" for j in range(8)], rows)


def mixture():
    """The spectra of six substances at 60 wavelengths, and a mixture of three of them with noise."""
    random, shares, rows = Random(4), [1, 0, 2, 0, 0, 0.5], []
    for i in range(60):
        spectra = [math.exp(-(((i / 59 - (0.1 + 0.16 * j)) / (0.12 + 0.03 * j)) ** 2)) for j in range(6)]
        rows.append(spectra + [sum(s * v for s, v in zip(shares, spectra)) + 0.05 * random.normal()])
    write("mixture.csv", [f"substance{j + 1}" for j in range(6)] + ["mixture"], rows)


def plant():
    """A double integrator with a bounded input."""
    document = {"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]]}
    text = ",\n  ".join(f'"{key}": {json.dumps(value)}' for key, value in {**document, "horizon": 8, "lower": [-1], "upper": [1]}.items())
    (HERE / "plant.json").write_text("{\n  " + text + "\n}\n")


for make in [waves, signal, returns, mixture, plant]:
    make()
