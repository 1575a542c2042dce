"""Model predictive control."""

from typing import NamedTuple

import numpy as np

from ._checks import as_count, positive, table, vector, whole
from ._data import question
from ._estimator import PathEstimator, followed
from ._path import Path, warn_unless_certified
from ._pathqp import InputError
from ._regions import explored


class Simulation(NamedTuple):
    """The states, inputs and costs of a plant under its controller.

    Attributes
    ----------
    states : ndarray of shape (steps + 1, s)
        The states, including the initial one.
    inputs : ndarray of shape (steps, m)
        The inputs that were applied, one row per step.
    costs : ndarray of shape (steps,)
        The optimal costs that the controller saw from each state.
    """

    states: np.ndarray
    inputs: np.ndarray
    costs: np.ndarray


class ModelPredictiveControl(PathEstimator):
    """Model predictive control of a linear plant with bounds: the optimal inputs along whole lines of initial states,
    or for all of a box of them.

    Minimises ``x_N' P x_N + sum over k < N of (x_k' Q x_k + u_k' R u_k)`` subject to ``x_{k+1} = A x_k + B u_k``,
    ``lower <= u_k <= upper``, and for the states after the first ``x_min <= x_k <= x_max``, ``y_min <= C x_k <= y_max``,
    ``terminal @ x_N <= terminal_max``; inputs change by no more than ``du_max`` from one step to the next.

    Parameters
    ----------
    A : array-like of shape (s, s)
        The matrix A of ``x_{k+1} = A x_k + B u_k``.
    B : array-like of shape (s, m)
        The matrix B.
    Q : array-like of shape (s, s)
        The weights of the states, positive semidefinite.
    R : array-like of shape (m, m)
        The weights of the inputs, positive definite.
    horizon : int
        The number of steps N.
    lower, upper : array-like of shape (m,)
        Bounds of the inputs.
    P : array-like of shape (s, s), default=None
        The weights of the last state; by default Q.
    x_min, x_max : array-like of shape (s,), default=None
        Bounds of the states after the first; infinite entries are no bounds.
    C : array-like of shape (q, s), default=None
        The outputs are ``C x_k``.
    y_min, y_max : array-like of shape (q,), default=None
        Bounds of the outputs.
    du_max : array-like of shape (m,), default=None
        The largest change of each input from one step to the next.
    terminal : array-like of shape (r, s), default=None
        With ``terminal_max`` the constraints ``terminal @ x_N <= terminal_max`` on the last state.
    terminal_max : array-like of shape (r,), default=None
        See ``terminal``.
    soft : float, default=None
        With it the bounds of states, outputs and the last state may be exceeded by ``slack``, the same for all, at this
        cost for a unit. If it is large enough they hold wherever they can be met (Kerrigan and Maciejowski 2000).
    n_jobs : int, default=None
        The number of threads.
    tolerance : float, default=None
        Approximate paths with fewer points; between them the duality gap is at most this, in units of the objective.
        None is exact paths.
    progress : bool or callable, default=False
        True shows a progress bar (by tqdm, if installed); a callable gets the fraction done and the number of events.

    References
    ----------
    Bemporad, Morari, Dua and Pistikopoulos (2002), doi:10.1016/S0005-1098(01)00174-1.
    """

    def __init__(
        self,
        A,
        B,
        Q,
        R,
        horizon,
        lower,
        upper,
        *,
        P=None,
        x_min=None,
        x_max=None,
        C=None,
        y_min=None,
        y_max=None,
        du_max=None,
        terminal=None,
        terminal_max=None,
        soft=None,
        n_jobs=None,
        tolerance=None,
        progress=False,
    ):
        self.A = A
        self.B = B
        self.Q = Q
        self.R = R
        self.horizon = horizon
        self.lower = lower
        self.upper = upper
        self.P = P
        self.x_min = x_min
        self.x_max = x_max
        self.C = C
        self.y_min = y_min
        self.y_max = y_max
        self.du_max = du_max
        self.terminal = terminal
        self.terminal_max = terminal_max
        self.soft = soft
        self.n_jobs = n_jobs
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
            The path over s from 0 (``start``) to 1 (``stop``). Its solutions have ``inputs`` (N, m), ``states`` (N + 1, s) and
            ``cost``.

        Raises
        ------
        InputError
            If a matrix or a state cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        return self._follow(self._question({"from": vector("start", start), "to": vector("stop", stop)}), "s")

    def _question(self, lists):
        matrices, names = ("A", "B", "Q", "R", "P", "C", "terminal"), {"C": "c"}
        given = {name: getattr(self, name) for name in matrices}
        tables = {names.get(name, name): table(name, value).tolist() for name, value in given.items() if value is not None}
        for name in ("lower", "upper", "x_min", "x_max", "y_min", "y_max", "du_max", "terminal_max"):
            if (value := getattr(self, name)) is not None:
                tables[name] = [vector(name, value, infinite=True).tolist()]
        for outputs, ends in (("C", ("y_min", "y_max")), ("terminal", ("terminal_max",))):
            if getattr(self, outputs) is None:
                for name in (name for name in ends if getattr(self, name) is not None):
                    raise InputError(f"{name} bounds {outputs} times the state: give {outputs}")
        if self.terminal is not None and self.terminal_max is None:
            raise InputError("terminal has no bounds: give terminal_max")
        numbers = {"horizon": float(whole(self, "horizon", 1))}
        if self.soft is not None:
            numbers["soft"] = positive(self, "soft")
        lists = {name: values.tolist() for name, values in lists.items()}
        return question("mpc", tables=tables, lists=lists, numbers=numbers)

    def regions(self, domain):
        """Find the explicit controller: the critical regions of a box of states.

        Parameters
        ----------
        domain : array-like of shape (s, 2)
            The range of each state.

        Returns
        -------
        CriticalRegions
            In each region the inputs are one affine function of the state; ``c_source`` returns them as C code.
        """
        return explored(self, self._question({}), domain)

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
            If a matrix or the state cannot be used; the message names it.
        """
        state = vector("state", state)
        # A line of which nothing but the beginning is asked.
        asked = self._question({"from": state, "to": state + max(np.abs(state).max(initial=0.0), 1.0)})
        path = Path(followed(self, asked, "s", max_events=1), "s")
        warn_unless_certified(path.certificate(), "s")
        return path.at(0.0)

    def simulate(self, state, steps, disturbance=None):
        """Simulate the plant under the controller: in every step the first of the optimal inputs is applied.

        Parameters
        ----------
        state : array-like of shape (s,)
            The initial state.
        steps : int
            The number of steps.
        disturbance : array-like of shape (steps, s), default=None
            Added to ``A x + B u`` in every step.

        Returns
        -------
        Simulation
            The states, inputs and costs.

        Raises
        ------
        PathError
            If the bounds cannot be met from a state on the way; ``soft`` bounds can always be met.
        """
        x, steps = vector("state", state), as_count("steps", steps)
        A, B = table("A", self.A), table("B", self.B)
        w = np.zeros((steps, len(A))) if disturbance is None else table("disturbance", disturbance)
        if w.shape != (steps, len(A)):
            raise InputError(f"disturbance has the shape {w.shape}: it must be {(steps, len(A))}")
        states, inputs, costs = [x], [], []
        for k in range(steps):
            found = self.control(x)
            u = found.inputs[0]
            x = A @ x + B @ u + w[k]
            states.append(x)
            inputs.append(u)
            costs.append(found.cost)
        return Simulation(np.array(states), np.array(inputs).reshape(steps, B.shape[1]), np.array(costs))
