"""The problems that are compared, their data, and their objective.

*Here* (adapters/src/quantile_svm.rs): λ/2 ‖f‖² + Σ cᵢ(τ) max(0, 1 − yᵢ f(xᵢ)), cᵢ = 2(1 − τ)/n for yᵢ = +1, 2τ/n for yᵢ = −1.
*LIBLINEAR and LIBSVM*: ½ ‖f‖² + C Σ vᵢ max(0, 1 − yᵢ f(xᵢ)), with vᵢ the weight of the class of i.

Divided by λ the first is the second with

    C = 2/(nλ),    v = 1 − τ for yᵢ = +1,    v = τ for yᵢ = −1,

which is how Yu, Vishwanathan and Zhang (2009, footnote 4) called LIBLINEAR: `-c 1/(nλ) -w1 2−2τ -w-1 2τ`.
"""

import csv
import dataclasses
import pathlib

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel
from tables import RANGES

ROOT = pathlib.Path(__file__).resolve().parents[2]
TAUS = [i / 10 for i in range(1, 10)]


@dataclasses.dataclass(frozen=True)
class Problem:
    """A quantile SVM on one file, and the solver that it is compared with."""

    name: str
    peer: str  # LIBLINEAR or LIBSVM
    penalty: float | None  # λ; None: the λ that corresponds to `cost`
    cost: float | None = None  # C
    gamma: float | None = None  # of the kernel exp(−γ‖x − z‖²); None: linear
    scale: str = "minmax"
    ranges: tuple = ((0.0, 1.0),)  # the paths to follow, in τ
    tolerances: tuple = (1e-3, 1e-6)
    goals: dict = dataclasses.field(default_factory=dict)  # tolerance → the largest path / solve that is aimed at

    @property
    def bias(self):
        """LIBLINEAR penalises the constant like any other feature, LIBSVM does not."""
        return "augmented" if self.peer == "LIBLINEAR" else "intercept"

    @property
    def kernel(self):
        """As pathqp names it."""
        return "linear" if self.gamma is None else f"rbf:{self.gamma}"

    def lambda_of(self, n):
        """λ = 2/(nC)."""
        return self.penalty if self.penalty else 2 / (n * self.cost)

    def cost_of(self, n):
        """C = 2/(nλ)."""
        return self.cost if self.cost else 2 / (n * self.penalty)

    def title(self, n):
        """For the tables."""
        strength = f"λ = {self.penalty:g}" if self.penalty else f"λ = {self.lambda_of(n):.2g} (C = {self.cost:g})"
        return f"{self.name}, {self.kernel}, {self.bias}, {strength}"


GOALS = {1e-3: 20, 1e-6: 5}
PROBLEMS = [
    Problem("pima", "LIBLINEAR", 1e-3, ranges=RANGES, goals=GOALS),
    Problem("spambase", "LIBLINEAR", 1e-3, ranges=RANGES, goals=GOALS),
    Problem("pima", "LIBLINEAR", None, cost=1000.0, ranges=RANGES),
    # At tolerance 1e-6 one solve takes LIBLINEAR up to a minute, nine of them too long for this script.
    Problem("spambase", "LIBLINEAR", None, cost=1000.0, ranges=RANGES, tolerances=(1e-3,)),
    Problem("pima", "LIBSVM", 1e-3),
    Problem("heart_scale", "LIBSVM", 1e-2, gamma=0.5, scale="none"),
    Problem("svmguide1", "LIBSVM", 1e-3, gamma=0.5),
]


def data_file(name, folder):
    """The file of a data set, or None. Pima is also part of the project."""
    for file in [folder / f"{name}.svm"] + [ROOT / "data" / "pima.csv"] * (name == "pima"):
        if file.exists():
            return file
    return None


def load(file, scale):
    """Features (n × d) scaled as pathqp scales them, and labels ±1, the larger one as +1."""
    if file.suffix == ".csv":
        table = np.array(list(csv.reader(file.open()))[1:], dtype=float)
        features, labels = table[:, :-1], table[:, -1]
    else:
        features, labels = load_svmlight_file(str(file))
        features = features.toarray()
    if scale == "minmax":
        low, high = features.min(axis=0), features.max(axis=0)
        features = (features - low) / np.where(high > low, high - low, 1.0)
    return features, np.where(labels == labels.max(), 1.0, -1.0)


class Objective:
    """λ/2 ‖f‖² + Σ cᵢ(τ) max(0, 1 − yᵢ f(xᵢ)), computed from w or from the expansion of f."""

    def __init__(self, problem, features, labels):
        self.problem, self.features, self.labels = problem, features, labels
        self.penalty = problem.lambda_of(len(labels))
        self.kernel = None if problem.gamma is None else rbf_kernel(features, gamma=problem.gamma)

    def at(self, tau, solution, constant):
        """`solution` is w (d entries), or with a kernel the coefficients of k(xᵢ, ·) in f (n entries)."""
        solution = np.asarray(solution)
        if self.kernel is None:
            f, square = self.features @ solution, solution @ solution
        else:
            f = self.kernel @ solution
            square = solution @ f
        if self.problem.bias == "augmented":
            square += constant**2
        costs = 2 * np.where(self.labels > 0, 1 - tau, tau) / len(self.labels)
        losses = np.maximum(0.0, 1 - self.labels * (f + constant))
        return float(self.penalty / 2 * square + costs @ losses)
