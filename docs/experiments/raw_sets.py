#!/usr/bin/env python3
"""The data sets that scikit-learn brings, as they are, with the defaults of every estimator: who ends early, warns or raises.

    raw_sets.py [--match TEXT] [--timeout S] [--all]

Two classes: breast_cancer and all pairs of classes of iris, wine and digits. Responses: diabetes (raw and as scikit-learn scales it) and the columns of linnerud.
A fit is *certified* if it raises and warns nothing and residual and relative gap are at most 1e-9 at 200 of its events and 50 places between them.
Prints a table; each fit runs in a process of its own and is given up after S seconds (60).
"""

import argparse
import itertools
import multiprocessing
import sys
import time
import warnings

import numpy as np
from pathqp import CostSensitiveSVC, KernelQuantileRegressor, LassoPath, PathSVR, QuantileSVC
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_linnerud, load_wine

LIMIT = 1e-9


def classes():
    """(name, X, y) of two classes each."""
    yield "breast_cancer", *load_breast_cancer(return_X_y=True)
    for load in (load_iris, load_wine, load_digits):
        X, y = load(return_X_y=True)
        for pair in itertools.combinations(np.unique(y), 2):
            kept = np.isin(y, pair)
            yield f"{load.__name__[5:]} {pair[0]}/{pair[1]}", X[kept], y[kept]


def responses():
    """(name, X, y) with numbers to predict."""
    yield "diabetes", *load_diabetes(return_X_y=True)
    yield "diabetes raw", *load_diabetes(return_X_y=True, scaled=False)
    data = load_linnerud()
    for k, name in enumerate(data.target_names):
        yield f"linnerud {name}", data.data, data.target[:, k]


def fits():
    for estimator in (QuantileSVC, CostSensitiveSVC):
        yield from ((estimator, *data) for data in classes())
    for estimator in (PathSVR, LassoPath, KernelQuantileRegressor):
        yield from ((estimator, *data) for data in responses())


def lasso_residual(model, X, y, alpha):
    """How far the optimality conditions of the lasso are missed: |g| <= alpha for g = X'r/n, and g = alpha sign(w) where w is not zero, each in
    units of what g would be if the column were the response."""
    X, y = X - X.mean(axis=0), y - y.mean()
    w = model.path_.at(alpha).w
    g = X.T @ (y - X @ w) / len(y)
    missed = np.where(w == 0.0, np.abs(g) - alpha, np.abs(g - alpha * np.sign(w)))
    return float((missed / (np.linalg.norm(X, axis=0) * np.linalg.norm(y) / len(y))).max(initial=0.0))


def certificates(model, X, y, points=200, between=50):
    """The largest residual and the largest relative gap along the path of a model."""
    path = model.path_
    places = np.unique(np.concatenate([path.events["value"], [end for end in path.range if np.isfinite(end)]]))
    middles = (places[1:] + places[:-1]) / 2
    chosen = [a[np.unique(np.linspace(0, len(a) - 1, count).astype(int))] for a, count in ((places, points), (middles, between)) if len(a)]
    chosen = np.clip(np.concatenate(chosen), min(path.range), max(path.range))
    if isinstance(model, LassoPath):
        return [max(lasso_residual(model, X, y, value) for value in chosen), np.nan]
    found = [path.at(value) for value in chosen]
    worst = [np.array([getattr(s, name) for s in found if getattr(s, name) is not None], float) for name in ("kkt_residual", "relative_gap")]
    return [float(np.abs(w).max()) if len(w) else np.nan for w in worst]


def judge(estimator, X, y):
    """What came of a fit: a verdict, both certificates, and what was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            model = estimator().fit(X, y)
            residual, gap = certificates(model, X, y)
        except Exception as error:  # whatever comes out is what is looked for
            return "raised", np.nan, np.nan, f"{type(error).__name__}: {error}"
    text = "; ".join(str(w.message) for w in said)
    sound = model.path_.complete or model.path_.stop == "diverges"
    if text or not sound:
        return "warned", residual, gap, text or model.path_.stop
    good = max(residual, np.nan_to_num(gap)) <= LIMIT
    return ("certified" if good else "uncertified"), residual, gap, ""


def apart(data, timeout):
    """A fit in a process of its own."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=lambda: there.send(judge(*data)))
    process.start()
    answer = here.recv() if here.poll(timeout) else ("timed out", np.nan, np.nan, "")
    process.kill()
    process.join()
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--match", default="")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--all", action="store_true", help="rows of the certified fits too")
    arguments = parser.parse_args()
    counts, worst = {}, {}
    print("| estimator | data | n × d | verdict | residual | gap | seconds | message |")
    print("|---|---|---|---|---|---|---|---|")
    for estimator, name, X, y in fits():
        if arguments.match not in f"{estimator.__name__} {name}":
            continue
        began = time.time()
        verdict, residual, gap, message = apart((estimator, X, y), arguments.timeout)
        key = estimator.__name__
        counts.setdefault(key, {}).setdefault(verdict, []).append(name)
        if verdict == "certified":
            worst[key] = np.fmax(worst.get(key, [np.nan, np.nan]), [residual, gap])
        if arguments.all or verdict != "certified":
            size = f"{X.shape[0]} × {X.shape[1]}"
            print(f"| {key} | {name} | {size} | {verdict} | {residual:.1e} | {gap:.1e} | {time.time() - began:.1f} | {message} |", flush=True)
    print("\n| estimator | fits | certified | the others | worst residual | worst gap |")
    print("|---|---|---|---|---|---|")
    for key, found in counts.items():
        others = ", ".join(f"{len(names)} {verdict}" for verdict, names in found.items() if verdict != "certified")
        figures = " | ".join(f"{v:.1e}" for v in worst.get(key, [np.nan, np.nan]))
        print(f"| `{key}` | {sum(map(len, found.values()))} | {len(found.get('certified', []))} | {others or 'none'} | {figures} |")


if __name__ == "__main__":
    sys.exit(main())
