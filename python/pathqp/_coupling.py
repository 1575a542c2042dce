"""From probabilities of pairs of classes to those of all classes."""

import numpy as np


def couple(pairwise):
    """The class probabilities that fit those of all pairs of classes best.

    With r_ij the estimated P(Y = i | x, Y is i or j), p is to satisfy r_ji p_i = r_ij p_j for all pairs. It minimises
    ``1/2 sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2`` subject to ``sum p = 1``. That is p'Qp with
    ``Q_ii = sum_{j != i} r_ji^2`` and ``Q_ij = -r_ji r_ij``, so p and the multiplier b solve ::

        [ Q   e ] [ p ]   [ 0 ]
        [ e'  0 ] [ b ] = [ 1 ]

    The solution is unique where no r is zero, and not negative: signs need no constraint.

    Parameters
    ----------
    pairwise : ndarray of shape (m, K, K)
        r_ij for i != j, between 0 and 1 and not at the ends, with r_ij + r_ji = 1. The diagonal is not looked at.

    Returns
    -------
    ndarray of shape (m, K)
        Each row sums to one.

    References
    ----------
    Wu, Lin and Weng (2004), "Probability estimates for multi-class classification by pairwise coupling", JMLR 5, the
    second approach.
    """
    m, size = pairwise.shape[:2]
    other = np.swapaxes(pairwise, 1, 2)
    diagonal = np.arange(size)
    system = np.ones((m, size + 1, size + 1))
    system[:, size, size] = 0.0
    system[:, :size, :size] = -other * pairwise
    squares = other**2
    squares[:, diagonal, diagonal] = 0.0
    system[:, diagonal, diagonal] = squares.sum(axis=2)
    right = np.zeros((m, size + 1, 1))
    right[:, size] = 1.0
    p = np.linalg.solve(system, right)[:, :size, 0].clip(0.0)  # what is below zero is so by rounding
    return p / p.sum(axis=1, keepdims=True)
