"""Cross-validation of one parameter: GridSearchCV of scikit-learn against one path for each fold.

    python python/benches/grid_search.py [--data ../shared/data] [--repeat 3]

Both sides use the same five folds and the same problem, and both judge every value of the grid; neither fits again afterwards. Every line is one
run: the least processor time (user and system, one process) of so many repetitions for each side, one after the other.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from peers import ROOT, scaled, seconds, table
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.svm import SVC, SVR

from pathqp import CostSensitiveSVC, PathSVR, QuantileSVC

TAUS = np.arange(1, 100) / 100
COSTS = np.geomspace(1e-2, 10, 31)
WIDTHS = np.linspace(0.02, 1.0, 50)


def grid(model, values, X, y, folds, scoring):
    """The mean score of each value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = GridSearchCV(model, values, cv=folds, scoring=scoring, refit=False).fit(X, y)
    return found.cv_results_["mean_test_score"]


def class_weights(name, X, y, C=1.0):
    """tau, by accuracy; C is that of an SVM whose class weights are 2 tau and 2 (1 - tau)."""
    folds = list(StratifiedKFold(5).split(X, y))
    weights = [{0: 2 * tau, 1: 2 * (1 - tau)} for tau in TAUS]
    exact = {}

    def paths():
        scores = []
        for train, held in folds:
            model = QuantileSVC(1 / (C * len(train))).fit(X[train], y[train])
            scores.append((model.predict(X[held], quantile=TAUS) == y[held][:, None]).mean(axis=0))
            exact[held[0]] = model.rates(X[held], y[held])
        return np.mean(scores, axis=0)

    def everywhere():
        """The best accuracy over all tau, and where."""
        ends = np.unique(np.concatenate([rates["quantile"] for rates in exact.values()]))
        middles = (ends[1:] + ends[:-1]) / 2
        places = [np.clip(np.searchsorted(r["quantile"], middles) - 1, 0, len(r["accuracy"]) - 1) for r in exact.values()]
        accuracy = np.mean([r["accuracy"][k] for r, k in zip(exact.values(), places)], axis=0)
        return f"{accuracy.max():.4f} at τ = {middles[accuracy.argmax()]:.4f}"

    yield name, X.shape, "99 class weights", TAUS, paths, lambda: grid(
        SVC(kernel="linear", C=C), {"class_weight": weights}, X, y, folds, "accuracy"
    ), everywhere


def costs(name, X, y):
    """C, by accuracy."""
    folds = list(StratifiedKFold(5).split(X, y))

    def paths():
        scores = []
        for train, held in folds:
            model = CostSensitiveSVC(C_max=COSTS[-1]).fit(X[train], y[train])
            scores.append([(model.predict(X[held], C, C) == y[held]).mean() for C in COSTS])
        return np.mean(scores, axis=0)

    yield name, X.shape, "31 C", COSTS, paths, lambda: grid(SVC(kernel="linear"), {"C": COSTS}, X, y, folds, "accuracy"), None


def tubes(name, X, y, C=1.0, gamma=10.0):
    """epsilon, by the absolute error."""
    folds = list(KFold(5, shuffle=True, random_state=0).split(X, y))

    def paths():
        scores = []
        for train, held in folds:
            model = PathSVR(C, gamma=gamma).fit(X[train], y[train])
            scores.append(-np.abs(model.predict(X[held], epsilon=WIDTHS) - y[held][:, None]).mean(axis=0))
        return np.mean(scores, axis=0)

    yield name, X.shape, "50 ε", WIDTHS, paths, lambda: grid(
        SVR(C=C, gamma=gamma), {"epsilon": WIDTHS}, X, y, folds, "neg_mean_absolute_error"
    ), None


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    arguments.add_argument("--repeat", type=int, default=3)
    args = arguments.parse_args()
    cancer = load_breast_cancer()
    pima = np.genfromtxt(ROOT / "data" / "pima.csv", delimiter=",", skip_header=1)
    sets = [("breast cancer", scaled(cancer.data), cancer.target), ("pima", scaled(pima[:, :-1]), pima[:, -1].astype(int))]
    lines = [line for one in sets for kind in (class_weights, costs) for line in kind(*one)]
    for name, response in (("engel", "foodexp"), ("mcycle", "accel")):
        path = args.data / "regression" / f"{name}.csv"
        if path.is_file():
            lines += tubes(name, *table(path, response, skip=("rownames", "Unnamed: 0")))
        else:
            print(f"skipped: there is no {path}")
    print("| data | n × d | grid | GridSearchCV s | 5 paths s | ratio | best by the grid | by the paths at its values | scores differ by |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (n, d), label, values, paths, peer, everywhere in lines:
        mine, scores = seconds(paths, args.repeat)
        theirs, others = seconds(peer, args.repeat)
        best = [f"{s.max():.4f} at {values[s.argmax()]:.3g}" for s in (others, scores)]
        print(
            f"| {name} | {n} × {d} | {label} | {theirs:.3f} | {mine:.3f} | {theirs / mine:.1f} | {best[0]} | {best[1]} "
            f"| {np.abs(scores - others).max():.1e} |",
            flush=True,
        )
        if everywhere:
            print(f"  {name}, over all τ: {everywhere()}")


if __name__ == "__main__":
    main()
