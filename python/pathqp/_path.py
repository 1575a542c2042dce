"""Paths and maps as the estimators keep them."""

import warnings
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._pathqp import REMEDY, TOLERANCE


@dataclass(frozen=True)
class Solution:
    """The solution at one value of the parameter.

    What a problem does not have is None.

    Attributes
    ----------
    value : float or tuple
        The value of the parameter that varies; of a map the pair of both.
    objective, dual_objective : float
        In the form of the paper that the problem comes from.
    w : ndarray of shape (d,)
        Weights of the features (linear kernels), coefficients or portfolio weights.
    intercept : float or tuple of two floats
        The constant of f; both ends of its interval where it is not unique.
    alpha : ndarray
        Dual variables, in the paper's scale.
    free : ndarray of int
        Indices of the variables strictly between their bounds.
    kkt_residual, relative_gap : float
        The certificate, from the data alone: the scaled residual of the optimality conditions, and the duality gap relative to the
        terms of the objective.
    theta : list of float
        The problem's own parameters.
    mean, variance, risk, sharpe : float
        Of a portfolio; risk is the standard deviation.
    outside : float
        The share of training rows outside of the tube.
    fitted, knots : ndarray
        The fitted signal, and the rows of D, from zero, where its differences are not zero.
    state, inputs, states, cost : ndarray, ndarray of shape (N, m), ndarray of shape (N + 1, s), float
        The initial state, and what a controlled plant does from it.
    x, y : ndarray of shape (n,) and (m,)
        Of a program: the variables, and the multipliers of its rows.
    unique : bool
        Whether the coefficients are the only solution.
    loss : float
        The mean loss, without the penalty.
    region : int
        Of a map: the number of the critical region.
    """

    value: Any
    objective: float | None = None
    dual_objective: float | None = None
    w: np.ndarray | None = None
    intercept: Any = None
    alpha: np.ndarray | None = None
    free: np.ndarray | None = None
    kkt_residual: float | None = None
    relative_gap: float | None = None
    theta: list | None = None
    mean: float | None = None
    variance: float | None = None
    risk: float | None = None
    sharpe: float | None = None
    outside: float | None = None
    fitted: np.ndarray | None = None
    knots: np.ndarray | None = None
    state: np.ndarray | None = None
    inputs: np.ndarray | None = None
    states: np.ndarray | None = None
    cost: float | None = None
    x: np.ndarray | None = None
    y: np.ndarray | None = None
    unique: bool | None = None
    loss: float | None = None
    region: int | None = None

    def __repr__(self):
        def shown(value):
            return f"array of {value.size}" if isinstance(value, np.ndarray) else repr(value)

        found = ((f.name, getattr(self, f.name)) for f in fields(self))
        return f"Solution({', '.join(f'{name}={shown(value)}' for name, value in found if value is not None)})"


@dataclass(frozen=True)
class Verdict:
    """What the certificates of a path or a map say together, computed from the data alone.

    Attributes
    ----------
    holds : bool
        Whether neither number exceeds 1e-9. An answer of which this is false is not to be trusted.
    kkt_residual : float
        The largest scaled residual of the optimality conditions.
    residual_at : float or tuple
        The parameter, or both of a map, at which it is.
    relative_gap : float
        The largest duality gap, relative to the size of the objective.
    gap_at : float or tuple
    points : int
        How many certificates there are.
    """

    holds: bool
    kkt_residual: float
    residual_at: Any
    relative_gap: float
    gap_at: Any
    points: int

    def failure(self, parameter):
        """What does not hold, in a sentence; None if all does."""
        if self.holds:
            return None
        by_gap = self.kkt_residual <= TOLERANCE
        what, size, at = (
            ("relative duality gap", self.relative_gap, self.gap_at)
            if by_gap
            else ("KKT residual", self.kkt_residual, self.residual_at)
        )
        place = ", ".join(f"{v:g}" for v in np.atleast_1d(at))
        return f"the {what} at {parameter} = {place} is {size:.1e}, above {TOLERANCE:g}; {REMEDY}"


def warn_unless_certified(verdict, parameter, stacklevel):
    """Warns where the certificates of what was fitted do not hold."""
    text = verdict.failure(parameter)
    if text is not None:
        warnings.warn(f"the certificate fails: {text}", ConvergenceWarning, stacklevel=stacklevel + 1)


#: What problems call by another name than solutions do here; t is the value itself.
NAMES = {"x": "w", "weights": "w", "return": "mean"}


def renamed(values):
    """Values by the names that solutions have here."""
    return {NAMES.get(name, name): value for name, value in values.items() if name != "t"}


#: The statuses of a variable, as numbers.
STATUS = {-1: "lower", 0: "free", 1: "upper"}


class Path:
    """The solutions for all values of one parameter.

    Attributes
    ----------
    parameter : str
        What varies.
    range : tuple of float
        Where the path begins and ends, in the order in which it was followed; the end may be infinite.
    breakpoints : ndarray
        The values at which the sign pattern of the multipliers changes, rising. They are the same whichever of several
        solutions was followed.
    events : structured ndarray
        All changes of the active set: ``value``, ``variable``, ``status`` (after it: -1 at its lower bound, 0 free, 1 at
        its upper bound), ``breakpoint`` (whether the sign pattern changes there).
    stats : dict
        Counters of the work done.
    complete : bool
        Whether the path goes as far as it was asked for.
    """

    def __init__(self, inner, parameter, names=None, unit="w"):
        self._inner = inner
        self.parameter = parameter
        self._names = names
        self._unit = unit

    @property
    def range(self):
        return tuple(self._inner.range)

    @property
    def breakpoints(self):
        return np.sort(self._inner.breakpoints)

    @property
    def events(self):
        value, variable, status, breakpoint = self._inner.changes()
        kinds = [("value", float), ("variable", int), ("status", np.int8), ("breakpoint", bool)]
        out = np.empty(len(value), dtype=kinds)
        for name, column in zip(out.dtype.names, (value, variable, status, breakpoint)):
            out[name] = column
        return out

    @property
    def stats(self):
        return self._inner.stats

    @property
    def stop(self):
        """Why it ended: target, infeasible, unbounded, diverges, max-events.

        A path that diverges has been followed for ever: some variable grows without end.
        """
        return self._inner.stop

    @property
    def complete(self):
        return self.stop in ("target", "diverges")

    def at(self, value):
        """The solution at a value of the parameter.

        Parameters
        ----------
        value : float

        Returns
        -------
        Solution

        Raises
        ------
        InputError
            For a value that the path does not cover.
        """
        return Solution(**renamed(self._inner.at(float(value))))

    def certificate(self, points=1000):
        """The verdict on the path at (at most) so many of its events.

        Returns
        -------
        Verdict
        """
        return Verdict(**self._inner.certificate(int(points)))

    def residual(self, points=1000):
        """The largest scaled residual of the optimality conditions at (at most) so many of the path's events, and where it is."""
        verdict = self.certificate(points)
        return verdict.kkt_residual, verdict.residual_at

    def curves(self, values=None):
        """Solutions at several values at once.

        Parameters
        ----------
        values : array-like of shape (k,), optional
            By default both ends of the path and the breakpoints between them.

        Returns
        -------
        dict
            ``values`` (k,) and, as far as the problem has them, ``w`` (k, d), ``alpha`` (k, n), ``intercept`` (k,), ``mean``
            and ``variance`` (k,).
        """
        values = self._places() if values is None else np.ascontiguousarray(values, dtype=float)
        return {"values": values, **renamed(self._inner.curves(values))}

    def _places(self):
        ends = [end for end in self.range if np.isfinite(end)]
        return np.unique(np.concatenate([ends, self._inner.breakpoints]))

    def plot(self, what="auto", ax=None, **options):
        """Draws coefficients or dual variables against the parameter.

        Parameters
        ----------
        what : {"auto", "coefficients", "duals"}
            By default coefficients where the problem has them.
        ax : matplotlib Axes, optional
        **options
            For ``Axes.plot``.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_path

        return plot_path(self, what=what, ax=ax, **options)

    def _repr_html_(self):
        low, high = self.range
        rows = {
            "parameter": f"{self.parameter} from {low:g} to {high:g}",
            "breakpoints": len(self._inner.breakpoints),
            "events": self.stats["events"],
            "most free": self.stats["max_free"],
            "ended": self.stop,
        }
        cells = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
        return f"<table>{cells}</table>"

    def __repr__(self):
        low, high = self.range
        count = len(self._inner.breakpoints)
        return f"Path({self.parameter} from {low:g} to {high:g}, {count} breakpoints, {self.stop})"


class PenaltyPath(Path):
    """A path over a penalty above whose largest value nothing changes; see :class:`Path`."""

    def _on_path(self, values):
        first, last = self.range
        return np.where(np.isfinite(values), np.minimum(values, first), values) if first >= last else values

    def at(self, value):
        """The solution at a penalty; above the largest one it is the solution there."""
        found = renamed(self._inner.at(float(self._on_path(float(value)))))
        return Solution(**{**found, "value": float(value)})

    def curves(self, values=None):
        """Solutions at several penalties at once; see :meth:`Path.curves`."""
        values = self._places() if values is None else np.ascontiguousarray(values, dtype=float)
        return {"values": values, **renamed(self._inner.curves(np.ascontiguousarray(self._on_path(values))))}


class MapEdge(NamedTuple):
    """An edge of a map.

    Attributes
    ----------
    events : list of (int, int, int)
        What happens from the first region to the second: the variable, and the sign of its z before and after (1 at the lower bound, 0 free, -1 at the
        upper bound). Empty on the boundary.
    vertices : list of two int
        Where it begins and ends, with the first region to the left.
    regions : (int, int or None)
        The regions beside it; None on the boundary.
    """

    events: list
    vertices: list
    regions: tuple


class MapVertex(NamedTuple):
    """A vertex of a map.

    Attributes
    ----------
    at : list of two float
        Both parameters there, or a direction.
    finite : bool
        Whether it is a point; otherwise it lies at infinity in that direction.
    edges : list of int
        The edges that end there, anticlockwise.
    regions : list of int
        The regions between them.
    events : list of int
        The variables that change at its edges.
    """

    at: list
    finite: bool
    edges: list
    regions: list
    events: list


class Map:
    """All critical regions of a rectangle in two parameters: in each one law holds.

    Attributes
    ----------
    parameters : list of str
        The names of both.
    domain : list of two pairs of float
    stats : dict
        Numbers of regions, edges, vertices and holes, and the covered part of the rectangle (one if nothing is missing).
    regions : list of ndarray of shape (corners, 2)
        The corners of the regions, anticlockwise.
    free : ndarray of int
        The number of free variables in each region.
    edges : list of MapEdge
        The sides of the regions, common ones once.
    vertices : list of MapVertex
        Where edges end.
    """

    def __init__(self, inner):
        self._inner = inner

    edges = property(lambda self: [MapEdge(*parts) for parts in self._inner.edges()])
    vertices = property(lambda self: [MapVertex(*parts) for parts in self._inner.vertices()])
    parameters = property(lambda self: self._inner.parameters)
    domain = property(lambda self: self._inner.domain)
    stats = property(lambda self: self._inner.stats)
    regions = property(lambda self: [corners for corners, _ in self._inner.regions()])
    free = property(lambda self: np.array([free for _, free in self._inner.regions()]))

    def __len__(self):
        return len(self._inner)

    def locate(self, first, second):
        """The number of the region of a point; None outside the domain."""
        return self._inner.locate([float(first), float(second)])

    def at(self, first, second):
        """The solution at a point, with its certificate."""
        theta = [float(first), float(second)]
        return Solution(value=tuple(theta), **self._inner.at(theta))

    def certificate(self, points=100):
        """The verdict on the map at the centres of (at most) so many regions.

        Returns
        -------
        Verdict
        """
        return Verdict(**self._inner.certificate(int(points)))

    def plot(self, color="free", ax=None, **options):
        """Draws the regions, coloured by ``"free"`` (their numbers of free variables) or by the objective (``"objective"``)."""
        from ._plots import plot_map

        return plot_map(self, color=color, ax=ax, **options)

    def __repr__(self):
        return f"Map({' x '.join(self.parameters)}, {len(self)} regions)"
