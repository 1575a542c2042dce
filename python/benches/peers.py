"""One fit and 99 values of the parameter against 99 fits of other programs, and what a call from Python costs.

    python python/benches/peers.py [--data ../shared/data] [--repeat 3]

Every line of the table is one run: both sides one after the other, the best of so many repetitions of processor time (user and system)
for each. Loss: the mean, over 99 values, of the other program's objective less ours, relative to ours.
"""

import argparse
import resource
import warnings
from pathlib import Path

import numpy as np

TAUS = np.arange(1, 100) / 100
ROOT = Path(__file__).resolve().parents[2]


def seconds(work, repeat):
    """The least processor time of some calls, and what the last one returned."""
    best, found = np.inf, None
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_SELF)
        found = work()
        after = resource.getrusage(resource.RUSAGE_SELF)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best, found


def scaled(X):
    span = X.max(axis=0) - X.min(axis=0)
    return (X - X.min(axis=0)) / np.where(span > 0, span, 1)


def table(path, response, skip=()):
    import pandas as pd

    frame = pd.read_csv(path)
    y = frame[response].to_numpy(dtype=float)
    X = frame.drop(columns=[response, *skip], errors="ignore").select_dtypes("number").to_numpy(dtype=float)
    return scaled(X), (y - y.mean()) / y.std()


def classifiers(repeat):
    from sklearn.datasets import load_breast_cancer
    from sklearn.svm import LinearSVC

    from pathqp import QuantileSVC

    data = load_breast_cancer()
    pima = np.genfromtxt(ROOT / "data" / "pima.csv", delimiter=",", skip_header=1)
    for name, X, y, lam in [
        ("breast cancer", scaled(data.data), data.target, 1e-2),
        ("breast cancer", scaled(data.data), data.target, 1e-3),
        ("pima", scaled(pima[:, :-1]), pima[:, -1], 1e-3),
    ]:
        n = len(y)
        positive = y == 1

        def ours():
            model = QuantileSVC(lam, bias="augmented").fit(X, y)
            return model.path_.curves(TAUS), model.decision_function(X, quantile=TAUS), len(model.path_.breakpoints)

        def theirs():
            fits = []
            for tau in TAUS:
                # The constant feature of LinearSVC is penalised, as the augmented one is.
                weights = {0: 2 * tau, 1: 2 * (1 - tau)}
                fits.append(LinearSVC(loss="hinge", C=1 / (n * lam), class_weight=weights, max_iter=100_000).fit(X, y))
            return [(fit.coef_[0], fit.intercept_[0]) for fit in fits]

        def objective(w, b, tau):
            f = X @ w + b
            cost = np.where(positive, 2 * (1 - tau), 2 * tau) / n
            return lam / 2 * (w @ w + b * b) + cost @ np.maximum(0, 1 - np.where(positive, f, -f))

        mine, (curves, _, count) = seconds(ours, repeat)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer, fits = seconds(theirs, repeat)
        values = [objective(w, b, tau) for w, b, tau in zip(curves["w"], curves["intercept"], TAUS)]
        others = [objective(w, b, tau) for (w, b), tau in zip(fits, TAUS)]
        loss = np.mean([o / v - 1 for o, v in zip(others, values)])
        yield f"QuantileSVC, {name}, λ = {lam:g}", f"{n} × {X.shape[1]}", count, mine, "LinearSVC", peer, loss


def quantiles(data, repeat):
    from sklearn.linear_model import QuantileRegressor
    from statsmodels.regression.quantile_regression import QuantReg

    from pathqp import KernelQuantileRegressor

    sets = [("engel", "engel.csv", "foodexp"), ("mcycle", "mcycle.csv", "accel")]
    for name, file, response in sets:
        path = data / "regression" / file
        if not path.is_file():
            print(f"skipped: there is no {path}")
            continue
        X, y = table(path, response, skip=("rownames", "Unnamed: 0"))
        n = len(y)
        # So small that the penalty hardly counts: the others have none.
        lam = 1e-4

        def ours():
            model = KernelQuantileRegressor(lam, kernel="linear").fit(X, y)
            return model.predict(X, quantile=TAUS), len(model.path_.breakpoints)

        def with_statsmodels():
            design = np.column_stack([np.ones(n), X])
            fit = QuantReg(y, design)
            return np.column_stack([design @ fit.fit(q=tau, max_iter=5000).params for tau in TAUS])

        def with_sklearn():
            return np.column_stack([QuantileRegressor(quantile=tau, alpha=0).fit(X, y).predict(X) for tau in TAUS])

        def losses(f):
            r = y[:, None] - f
            return np.where(r >= 0, TAUS * r, (TAUS - 1) * r).sum(axis=0)

        mine, (f, count) = seconds(ours, repeat)
        for peer, fit in (("statsmodels QuantReg", with_statsmodels), ("QuantileRegressor", with_sklearn)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                time, g = seconds(fit, 1)
            loss = np.mean(losses(g) / losses(f) - 1)
            yield f"KernelQuantileRegressor (linear), {name}, λ = {lam:g}", f"{n} × {X.shape[1]}", count, mine, peer, time, loss


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    arguments.add_argument("--repeat", type=int, default=3)
    args = arguments.parse_args()
    print("| one fit | n × d | breakpoints | s | 99 fits of | s | ratio | their loss over ours |")
    print("|---|---|---|---|---|---|---|---|")
    for source in (classifiers(args.repeat), quantiles(args.data, args.repeat)):
        for name, size, count, mine, peer, time, loss in source:
            print(f"| {name} | {size} | {count} | {mine:.3f} | {peer} | {time:.3f} | {time / mine:.1f} | {loss:.1e} |", flush=True)


if __name__ == "__main__":
    main()
