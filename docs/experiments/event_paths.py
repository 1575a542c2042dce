#!/usr/bin/env python3
"""Draws event-paths.png and multipliers.png of plane.md, after Figures 1 and 2 of Wesierski, "Exploring the entire
regularization path for the asymmetric cost linear support vector machine".

    pip install ./python matplotlib
    python3 docs/experiments/event_paths.py FOLDER [sector.svm.gz]

The files are written to FOLDER; experiment (iv) needs the file of the LIBSVM collection.
"""

import pathlib
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from pathqp import CostSensitiveSVC
from sklearn.datasets import load_svmlight_file

plt.rcParams.update({"font.size": 7, "axes.titlesize": 8, "axes.labelsize": 8})

# The constant feature of all experiments.
B = 0.01
# Colour-blind safe (Okabe and Ito 2008): two for layers in turn, two for the kinds of events, one for centres.
LAYERS, ENTERS, SATURATES = ("#a6cee3", "#b2df8a"), "#0072b2", "#d55e00"


def fitted(gram, labels):
    return CostSensitiveSVC(kernel="precomputed", bias="none").fit(gram + B * B, labels)


def normal(rows, positive, columns, apart, seed):
    """The inner products of normal rows, by blocks of columns; the classes lie 2 * apart from each other in each."""
    random, gram = np.random.default_rng(seed), np.zeros((rows, rows))
    labels = np.where(np.arange(rows) < positive, 1, -1)
    for start in range(0, columns, 10_000):
        block = random.standard_normal((rows, min(10_000, columns - start))) + apart * labels[:, None]
        gram += block @ block.T
    return gram, labels


def sparse(file):
    """Ten rows of the class of the first one, and forty of others."""
    features, classes = load_svmlight_file(file)
    same = np.flatnonzero(classes == classes[0])[:10]
    other = np.flatnonzero(classes != classes[0])[::97][:40]
    chosen = features[np.concatenate([same, other])]
    return (chosen @ chosen.T).toarray(), np.repeat([1, -1], [len(same), len(other)])


def layers(edges, first):
    """The layer of each region: the number of edges to be crossed from the region at the origin."""
    near = defaultdict(set)
    for edge in edges:
        if edge.regions[1] is not None:
            near[edge.regions[0]].add(edge.regions[1])
            near[edge.regions[1]].add(edge.regions[0])
    found, front = {first: 0}, [first]
    while front:
        front = [k for j in front for k in near[j] - found.keys() if found.setdefault(k, found[j] + 1)]
    return found


def drawn(ax, found, colours, width=0.2):
    """The regions."""
    ax.add_collection(PolyCollection(found.regions, facecolors=colours, edgecolors="black", linewidths=width, rasterized=True))
    (left, right), (bottom, top) = found.domain
    ax.set(xlim=(left, right), ylim=(bottom, top), xlabel="$C_+$", ylabel="$C_-$")


def event_paths(ax, found, rows):
    """The edges where one of the rows enters the margin or leaves it: at f = 1 (t = 0 there), and where its multiplier is C (t = 1)."""
    vertices, edges = found.vertices, found.edges
    for bound, colour, name in [(1, ENTERS, "$t = 0$: $\\alpha_i$ leaves 0"), (-1, SATURATES, "$t = 1$: $\\alpha_i$ reaches $C$")]:
        lines = [
            [vertices[k].at for k in edge.vertices]
            for edge in edges
            if any(i in rows and bound in signs for i, *signs in edge.events)
        ]
        ax.add_collection(LineCollection(lines, colors=colour, linewidths=1.2, label=name))
    ax.legend(loc="upper right", fontsize=6, framealpha=1.0)


def figure_1(folder, maps):
    figure, axes = plt.subplots(2, 2, figsize=(7.0, 6.6), layout="constrained")
    places = {"i": axes[0, 0], "ii": axes[1, 0], "iii": axes[1, 1], "iv": axes[0, 1]}
    for name, ax in places.items():
        if name not in maps:
            ax.set_axis_off()
            continue
        found = maps[name]
        ax.set_title(f"({name}) {len(found.regions):,} regions")
        if name == "ii":
            depth = layers(found.edges, found.locate(0.0, 0.0))
            drawn(ax, found, [LAYERS[depth.get(k, 0) % 2] for k in range(len(found.regions))], 0.1)
            event_paths(ax, found, {6, 30, 60, 85})
        else:
            drawn(ax, found, "white")
        if name == "i":
            centres = np.array([corners.mean(axis=0) for corners in found.regions])
            ax.plot(*centres.T, ".", color=SATURATES, markersize=1.5)
    figure.savefig(folder / "event-paths.png", dpi=130)


def figure_2(folder, found):
    """The multipliers of four rows, affine on each region."""
    rows = [0, 5, 15, 40]
    figure, axes = plt.subplots(2, 2, figsize=(7.0, 6.0), layout="constrained")
    edge = 201
    (_, right), (_, top) = found.domain
    places = [np.linspace(0.0, side, edge) for side in (right, top)]
    alpha = np.array([[found.at(a, b).alpha[rows] for a in places[0]] for b in places[1]])
    for k, (row, ax) in enumerate(zip(rows, axes.flat)):
        shades = ax.pcolormesh(*places, alpha[:, :, k], cmap="viridis", shading="gouraud", rasterized=True)
        event_paths(ax, found, {row})
        sign = "+" if row < 10 else "-"
        ax.set_title(f"$\\alpha_{{{row + 1}}}$ (class {sign}1)")
        ax.set(xlabel="$C_+$", ylabel="$C_-$")
        figure.colorbar(shades, ax=ax)
    figure.savefig(folder / "multipliers.png", dpi=130)


def main(folder, sector=None):
    folder = pathlib.Path(folder)
    maps = {}
    for name, data, side in [
        # A million features: nearly all happens at costs near 1e-6.
        ("i", normal(50, 25, 1_000_000, 0.0, 1), (0.994e-6, 1.006e-6)),
        ("ii", normal(100, 50, 2, 0.5, 2), (0.0, 0.25)),
        ("iii", normal(100, 50, 100, 0.0, 3), (0.0, 0.2)),
    ]:
        maps[name] = fitted(*data).map(side, side)
        print(f"({name}) {maps[name].stats}")
    if sector:
        maps["iv"] = fitted(*sparse(sector)).map((0.0, 0.06), (0.0, 0.06))
        print(f"(iv) {maps['iv'].stats}")
        figure_2(folder, maps["iv"])
    figure_1(folder, maps)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
