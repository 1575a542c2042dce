"""Model predictive control."""

import numpy as np

from ._checks import table, vector, whole
from ._data import question
from ._estimator import PathEstimator


class ModelPredictiveControl(PathEstimator):
    """Model predictive control of a linear plant with bounds on its inputs: the optimal inputs along whole lines of
    initial states.

    Minimises ``x_N' P x_N + sum over k < N of (x_k' Q x_k + u_k' R u_k)`` subject to ``x_{k+1} = A x_k + B u_k`` and
    ``lower <= u_k <= upper``.

    Parameters
    ----------
    A : array-like of shape (s, s)
        How the state changes by itself.
    B : array-like of shape (s, m)
        How the inputs change it.
    Q : array-like of shape (s, s)
        The cost of states.
    R : array-like of shape (m, m)
        The cost of inputs; positive definite.
    horizon : int
        The number of steps N.
    lower, upper : array-like of shape (m,)
        Bounds of the inputs.
    P : array-like of shape (s, s), default=None
        The cost of the last state; Q unless given.
    tolerance : float, default=None
        Keeps approximate paths with fewer points, whose duality gap is at most this everywhere, in units of the
        objective.
    progress : bool or callable, default=False
        True shows a bar (of tqdm, if installed); a callable gets the part done (0 to 1) and the number of events.

    References
    ----------
    Bemporad, Morari, Dua and Pistikopoulos (2002), doi:10.1016/S0005-1098(01)00174-1.
    """

    def __init__(self, A, B, Q, R, horizon, lower, upper, *, P=None, tolerance=None, progress=False):
        self.A = A
        self.B = B
        self.Q = Q
        self.R = R
        self.horizon = horizon
        self.lower = lower
        self.upper = upper
        self.P = P
        self.tolerance = tolerance
        self.progress = progress

    def path(self, start, stop):
        """Follow the inputs for every initial state on the line from one state to another.

        Parameters
        ----------
        start, stop : array-like of shape (s,)
            Two different states.

        Returns
        -------
        Path
            Over s from 0 (``start``) to 1 (``stop``). Its solutions have ``inputs`` (N, m), ``states`` (N + 1, s) and
            ``cost``.

        Raises
        ------
        InputError
            For matrices or states that cannot be used.
        PathError
            For a path that cannot be followed.
        """
        given = {name: getattr(self, name) for name in ("A", "B", "Q", "R", "P")}
        tables = {name: table(name, value).tolist() for name, value in given.items() if value is not None}
        tables |= {name: [vector(name, getattr(self, name), infinite=True).tolist()] for name in ("lower", "upper")}
        lists = {"from": vector("start", start).tolist(), "to": vector("stop", stop).tolist()}
        asked = question("mpc", tables=tables, lists=lists, numbers={"horizon": float(whole(self, "horizon", 1))})
        return self._follow(asked, "s")

    def control(self, state):
        """Compute the optimal inputs from one state.

        Parameters
        ----------
        state : array-like of shape (s,)
            The initial state.

        Returns
        -------
        Solution
            With ``inputs`` (N, m), ``states`` (N + 1, s) and ``cost``.

        Raises
        ------
        InputError
            For matrices or a state that cannot be used.
        """
        state = vector("state", state)
        beside = state + np.maximum(np.abs(state).max(initial=0.0), 1.0)
        return self.path(state, beside).at(0.0)
