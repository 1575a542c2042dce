"""Tables of the experiments."""

import csv

import numpy as np


def read(file, response):
    """Standardised features, and the response."""
    with open(file) as lines:
        header, *rows = csv.reader(lines)
    values = np.array(rows, dtype=float)
    k = header.index(response) if response else len(header) - 1
    x = np.delete(values, k, axis=1)
    return (x - x.mean(axis=0)) / x.std(axis=0), values[:, k]
