"""Test sets as lines: problems from files, what moves, the text that `examples/lines.rs` reads, and an independent check of its points.

A problem is min 1/2 x'Px + q'x  s.t.  rl <= Ax <= ru, l <= x <= u with infinities for missing bounds.
"""
import os
import numpy as np
import scipy.io
import scipy.sparse as sp


class Problem:
    def __init__(self, name, P, q, A, rl, ru, l, u):
        self.name, self.P, self.A = name, sp.csc_matrix(P), sp.csc_matrix(A)
        self.q, self.rl, self.ru, self.l, self.u = (np.asarray(v, float).ravel() for v in (q, rl, ru, l, u))
        self.n, self.m = len(self.q), len(self.rl)


def maros_meszaros(file):
    """The last n rows of A are the boxes."""
    d = scipy.io.loadmat(file)
    n, q = int(d["n"].item()), d["q"].ravel()
    A, l, u = sp.csr_matrix(d["A"]), d["l"].ravel().astype(float), d["u"].ravel().astype(float)
    l[l <= -1e20], u[u >= 1e20] = -np.inf, np.inf
    k = A.shape[0] - n
    assert abs(A[k:] - sp.identity(n)).nnz == 0
    return Problem(os.path.basename(file)[:-4], d["P"], q, A[:k], l[:k], u[:k], l[k:], u[k:])


def mpc(file):
    d = np.load(file, allow_pickle=True)
    get = lambda k: d[k].item() if d[k].dtype == object and d[k].shape == () else d[k]
    P, q, G, h, A, b, lb, ub = (get(k) for k in ("P", "q", "G", "h", "A", "b", "lb", "ub"))
    n = len(np.ravel(q))
    rows, rl, ru = [sp.csc_matrix((0, n))], [], []
    if G is not None:
        rows.append(sp.csc_matrix(G)); ru.append(np.ravel(h)); rl.append(np.full(len(ru[-1]), -np.inf))
    if A is not None:
        rows.append(sp.csc_matrix(A)); rl.append(np.ravel(b)); ru.append(np.ravel(b))
    cat = lambda v: np.concatenate(v) if v else np.zeros(0)
    side = lambda v, none: np.full(n, none) if v is None else np.ravel(v)
    return Problem(os.path.basename(file)[:-4], P, q, sp.vstack(rows), cat(rl), cat(ru), side(lb, -np.inf), side(ub, np.inf))


def line(p, kind):
    """Rates (q, rl, ru, l, u): `costs` moves every cost by up to 10 % (where all are zero, by what H makes of a unit of x); `bounds` moves every finite bound of a
    row or box with room inwards by up to 1 % of its size, and never by more than 1 % of the room."""
    random, none = np.random.default_rng(len(p.name) + p.n), lambda v: np.zeros(len(v))
    if kind == "costs":
        size = np.abs(p.q) if p.q.any() else np.full(p.n, abs(p.P).max() if p.P.nnz else 1.0)
        return 0.1 * size * random.uniform(-1, 1, p.n), none(p.rl), none(p.ru), none(p.l), none(p.u)

    def inwards(l, u):
        with np.errstate(invalid="ignore"):
            room = np.where(np.isfinite(u - l), u - l, np.inf)
        move = lambda b: np.where(np.isfinite(b), 0.01 * np.minimum(np.abs(np.where(np.isfinite(b), b, 0)), room) * random.uniform(0, 1, len(b)), 0)
        return move(l), -move(u)
    (rl, ru), (l, u) = inwards(p.rl, p.ru), inwards(p.l, p.u)
    return none(p.q), rl, ru, l, u


def write(p, rates, file):
    dq, drl, dru, dl, du = rates
    P, A = p.P.tocoo(), p.A.tocoo()
    with open(file, "w") as f:
        put = lambda v: f.write(" ".join(repr(float(x)) for x in v) + "\n")
        f.write(f"{p.n} {p.m}\n")
        for M in (P, A):
            f.write(f"{len(M.data)}\n")
            for i, j, v in zip(M.row, M.col, M.data):
                f.write(f"{i} {j} {float(v)!r}\n")
        for v in (p.q, dq, p.rl, p.ru, drl, dru, p.l, p.u, dl, du):
            put(v)


def check(p, rates, points, back):
    """The worst (primal, dual, gap) of points (t, x, y): violated bounds and rows relative to max(1, the terms of the row), z where there is no bound relative to max(1, its terms),
    sum of z times the distance from its bound relative to max(1, the terms of the objective)."""
    dq, drl, dru, dl, du = rates
    Pa, Aa = abs(p.P), abs(p.A)
    worst = np.zeros(3)
    for row in points.reshape(-1, 1 + p.n + p.m):
        t, x, y = row[0], row[1:1 + p.n], row[1 + p.n:]
        t = 1 - t if back else t
        q, rl, ru, l, u = p.q + t * dq, p.rl + t * drl, p.ru + t * dru, p.l + t * dl, p.u + t * du
        Px, ax = p.P @ x, p.A @ x
        z = Px + q - p.A.T @ y
        v = np.concatenate([x, ax]); w = np.concatenate([z, y])
        lo, hi = np.concatenate([l, rl]), np.concatenate([u, ru])
        size_v = np.maximum(1, np.concatenate([np.abs(x), Aa @ np.abs(x)]))
        size_w = np.maximum(1, np.concatenate([Pa @ np.abs(x) + np.abs(q) + Aa.T @ np.abs(y), np.abs(y)]))
        primal = np.max(np.maximum(lo - v, v - hi) / size_v, initial=0)
        to = np.where(w > 0, lo, hi)
        open_ = ~np.isfinite(to)
        dual = np.max(np.abs(w[open_]) / size_w[open_], initial=0)
        gap = np.sum(np.abs(w[~open_] * (v - to)[~open_]))
        size = max(1, abs(x @ Px) / 2 + max(abs(q @ x), np.sum(np.abs(w[~open_] * to[~open_]))))
        found = np.array([primal, dual, gap / size])
        worst = np.maximum(worst, np.where(np.isfinite(found), found, np.inf))
    return worst
