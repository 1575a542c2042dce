"""Moments of a large array: the memory that fitting takes beside the array itself.

    python python/benches/memory.py [--rows 1000000] [--columns 50]
"""

import argparse
import resource
import time

import numpy as np


def peak():
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--columns", type=int, default=50)
    args = arguments.parse_args()
    from pathqp import MomentClassifier

    random = np.random.default_rng(0)
    X = np.empty((args.rows, args.columns))
    for start in range(0, args.rows, 10_000):
        X[start : start + 10_000] = random.standard_normal((min(10_000, args.rows - start), args.columns))
    y = (X[:, 0] + X[:, 1] + 0.5 * random.standard_normal(args.rows) > 0.5).astype(np.int8)
    before, began = peak(), time.perf_counter()
    model = MomentClassifier().fit(X, y)
    took, after = time.perf_counter() - began, peak()
    print(f"array {X.nbytes / 2**20:.0f} MB, peak before {before:.0f} MB, peak after {after:.0f} MB: fitting added {after - before:.0f} MB, {took:.2f} s")
    before, began = peak(), time.perf_counter()
    parts = MomentClassifier()
    for start in range(0, args.rows, 20_000):
        parts.partial_fit(X[start : start + 20_000], y[start : start + 20_000], classes=[0, 1])
    print(f"in 50 parts by partial_fit: added {peak() - before:.0f} MB, {time.perf_counter() - began:.2f} s")
    difference = max(np.abs(a - b).max() for a, b in zip(model.moments_.covariances, parts.moments_.covariances))
    print(f"error {1 - model.score(X[:100_000], y[:100_000]):.4f}, covariances differ by {difference:.1e}")


if __name__ == "__main__":
    main()
