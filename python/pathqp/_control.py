"""Model predictive control."""

import numpy as np
from sklearn.base import BaseEstimator

from ._data import followed, question
from ._path import Path, warn_unless_certified
from ._pathqp import InputError


class ModelPredictiveControl(BaseEstimator):
    """Model predictive control of a linear plant with bounds on its inputs: the optimal inputs along whole lines of initial states.

    Minimises ``x_N' P x_N + sum over k < N of (x_k' Q x_k + u_k' R u_k)`` subject to ``x_{k+1} = A x_k + B u_k`` and
    ``lower <= u_k <= upper``.

    Parameters
    ----------
    A : array-like of shape (s, s)
    B : array-like of shape (s, m)
    Q : array-like of shape (s, s)
    R : array-like of shape (m, m)
    horizon : int
        N.
    lower, upper : array-like of shape (m,)
    P : array-like of shape (s, s), optional
        Q if it is left out.
    progress : bool or callable, default=False

    References
    ----------
    Bemporad, Morari, Dua and Pistikopoulos (2002), doi:10.1016/S0005-1098(01)00174-1.
    """

    def __init__(self, A, B, Q, R, horizon, lower, upper, *, P=None, progress=False):
        self.A = A
        self.B = B
        self.Q = Q
        self.R = R
        self.horizon = horizon
        self.lower = lower
        self.upper = upper
        self.P = P
        self.progress = progress

    def path(self, start, stop):
        """The inputs for every initial state on the line from one state to another.

        Parameters
        ----------
        start, stop : array-like of shape (s,)
            Two different states.

        Returns
        -------
        Path
            Over s from 0 (``start``) to 1 (``stop``). Its solutions have ``inputs`` (N, m), ``states`` (N + 1, s) and ``cost``.
        """
        matrices = {name: getattr(self, name) for name in ("A", "B", "Q", "R", "P")}
        tables = {name: self._table(name, value) for name, value in matrices.items() if value is not None}
        tables |= {name: [np.atleast_1d(np.asarray(getattr(self, name), dtype=float)).tolist()] for name in ("lower", "upper")}
        lists = {"from": np.atleast_1d(np.asarray(start, dtype=float)).tolist(), "to": np.atleast_1d(np.asarray(stop, dtype=float)).tolist()}
        asked = question("mpc", tables=tables, lists=lists, numbers={"horizon": float(self.horizon)})
        path = Path(followed(self, asked, "s"), "s")
        warn_unless_certified(path.certificate(), "s", stacklevel=2)
        return path

    def control(self, state):
        """The optimal inputs from one state: a solution with ``inputs``, ``states`` and ``cost``.

        Parameters
        ----------
        state : array-like of shape (s,)
        """
        state = np.atleast_1d(np.asarray(state, dtype=float))
        beside = state + np.maximum(np.abs(state).max(initial=0.0), 1.0)
        return self.path(state, beside).at(0.0)

    @staticmethod
    def _table(name, value):
        table = np.atleast_2d(np.asarray(value, dtype=float))
        if table.ndim != 2 or not np.isfinite(table).all():
            raise InputError(f"{name} must be a matrix of finite numbers")
        return table.tolist()
