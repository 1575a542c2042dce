"""One peer on one problem at one tolerance, τ after τ, in a process of its own.

    python solve.py PROBLEM FILE TOLERANCE FIRST LIMIT

PROBLEM and FIRST are places in the lists of problems.py. Prints one JSON document a line and τ. A fit that takes longer
than LIMIT seconds ends the process with SIGALRM, also inside the C++ code: `compare.py` sees that and goes on with the next τ.
"""

import json
import pathlib
import signal
import sys
import time
import warnings

import numpy as np
from problems import PROBLEMS, TAUS, load
from sklearn.svm import SVC, LinearSVC

ITERATIONS = 100_000_000
REPEATS, ENOUGH = 25, 1.0  # at most so many fits at one τ, none begun after so many seconds


def memory(field):
    """A field of this process's status, in MB: VmHWM is the peak, VmRSS what is resident now."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))


def estimator(problem, n, tau, tolerance):
    """The peer, not yet fitted."""
    common = {"C": problem.cost_of(n), "class_weight": {1: 1 - tau, -1: tau}, "tol": tolerance}
    if problem.peer == "LIBLINEAR":
        loss = {"loss": "hinge", "dual": True, "fit_intercept": False}
        return LinearSVC(max_iter=ITERATIONS, random_state=0, **loss, **common)
    if problem.gamma is None:
        return SVC(kernel="linear", **common)
    return SVC(kernel="rbf", gamma=problem.gamma, **common)


def solution(problem, model, columns):
    """w or the coefficients of the expansion, and the constant."""
    if problem.peer == "LIBLINEAR":
        return model.coef_[0, :columns], model.coef_[0, columns]
    if problem.gamma is None:
        return model.coef_[0], model.intercept_[0]
    expansion = np.zeros(model.shape_fit_[0])
    expansion[model.support_] = model.dual_coef_[0]
    return expansion, model.intercept_[0]


def fits(model, features, labels, limit):
    """The seconds of repeated fits."""
    seconds = []
    while len(seconds) < REPEATS and sum(seconds) < ENOUGH:
        signal.setitimer(signal.ITIMER_REAL, limit)
        began = time.perf_counter()
        model.fit(features, labels)
        seconds.append(time.perf_counter() - began)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return seconds


def main():
    """All τ from FIRST on."""
    problem, tolerance, first, limit = PROBLEMS[int(sys.argv[1])], float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    features, labels = load(pathlib.Path(sys.argv[2]), problem.scale)
    columns = features.shape[1]
    if problem.peer == "LIBLINEAR":
        features = np.hstack([features, np.ones((len(labels), 1))])
    # A solve that runs out of iterations is reported as such, by `converged`.
    warnings.simplefilter("ignore")
    before = memory("VmRSS")
    for tau in TAUS[first:]:
        # What a fit takes at least: checks, copies, one iteration.
        first_iteration = estimator(problem, len(labels), tau, tolerance).set_params(max_iter=1)
        fixed = min(fits(first_iteration, features, labels, limit))
        model = estimator(problem, len(labels), tau, tolerance)
        seconds = fits(model, features, labels, limit)
        iterations = int(np.max(model.n_iter_))
        w, constant = solution(problem, model, columns)
        line = {
            "tau": tau,
            "seconds": seconds,
            "fixed": fixed,
            "iterations": iterations,
            "converged": iterations < ITERATIONS and getattr(model, "fit_status_", 0) == 0,
            "solution": w.tolist(),
            "constant": float(constant),
            "before": before,
            "peak": memory("VmHWM"),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
