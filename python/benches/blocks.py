"""Moments of a Dask array whose blocks are made when they are asked for: the memory that it takes, which is not that of the array.

    python python/benches/blocks.py [--rows 1000000] [--columns 50] [--block 20000]
"""

import argparse
import resource
import time

import dask
import dask.array as da

from pathqp import MomentClassifier


def peak():
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--columns", type=int, default=50)
    arguments.add_argument("--block", type=int, default=20_000)
    args = arguments.parse_args()
    dask.config.set(scheduler="synchronous")
    X = da.random.default_rng(0).standard_normal((args.rows, args.columns), chunks=(args.block, args.columns))
    y = (X[:, 0] + X[:, 1] > 0.5).astype("int8")
    MomentClassifier().fit_batches([(X.blocks[0], y.blocks[0])], [0, 1])
    before, began = peak(), time.perf_counter()
    model = MomentClassifier().fit_batches(zip(X.blocks, y.blocks), [0, 1])
    print(f"array of {X.nbytes / 2**20:.0f} MB in {X.numblocks[0]} blocks: peak {before:.0f} MB after one block, {peak():.0f} MB after all")
    print(f"{sum(model.moments_.counts)} rows, {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main()
