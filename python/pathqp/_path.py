"""Paths and maps as the estimators keep them."""

from dataclasses import dataclass, fields
from html import escape
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._checks import as_count, as_number, as_numbers
from ._names import ENGINE, named_as_here
from ._pathqp import REMEDY, TOLERANCE, gap_allowed, report
from ._warn import warn


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
        Dual variables, in the paper's scale (a penalty of that name is ``value``).
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
        The share of training rows outside the tube.
    fitted, knots : ndarray
        The fitted signal, and the rows of D, from zero, where its differences are not zero.
    state, inputs, states, cost : ndarray, ndarray of shape (N, m), ndarray of shape (N + 1, s), float
        The initial state, and what a controlled plant does from it.
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
        Where that is.
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
        """Say what does not hold.

        Parameters
        ----------
        parameter : str
            What to call the parameter.

        Returns
        -------
        str or None
            A sentence; None if all holds.
        """
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


def warn_unless_certified(verdict, parameter):
    """Warns where the certificates of what was fitted do not hold."""
    text = verdict.failure(parameter)
    if text is not None:
        warn(f"the certificate fails: {text}", ConvergenceWarning)


#: What problems call by another name than solutions do here; t is the value itself.
NAMES = {"x": "w", "weights": "w", "return": "mean"}


def renamed_values(values):
    """Values by the names that solutions have here."""
    return {NAMES.get(name, name): value for name, value in values.items() if name != "t"}


#: The statuses of a variable, as numbers.
STATUS = {-1: "lower", 0: "free", 1: "upper"}


def html_table(rows):
    """Names and values as a table of HTML."""
    cell = "<tr><th style='text-align:left'>{}</th><td>{}</td></tr>"
    return f"<table>{''.join(cell.format(escape(str(name)), escape(str(value))) for name, value in rows.items())}</table>"


class Path:
    """The solutions for all values of one parameter.

    Attributes
    ----------
    parameter : str
        What varies, by the name of the estimator's parameter.
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
    stop : {"target", "infeasible", "unbounded", "diverges", "max-events"}
        Why it ended. A path that diverges was followed without end: some variable grows beyond all bounds.
    complete : bool
        Whether the path goes as far as it was asked for.
    tolerance : float or None
        The duality gap allowed between the stored points of an approximate path, in units of the objective; None of an exact one.
    """

    def __init__(self, inner, parameter, names=None, classes=None):
        self._inner = inner
        self.parameter = parameter
        self._names = names
        self._classes = classes

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
        return self._inner.stop

    @property
    def complete(self):
        return self.stop in ("target", "diverges")

    @property
    def tolerance(self):
        return gap_allowed(self._inner)

    def at(self, value):
        """Compute the solution at a value of the parameter.

        Parameters
        ----------
        value : float
            The value. Beyond the first value of a path over a penalty the solution is the one there.

        Returns
        -------
        Solution
            With its certificate.

        Raises
        ------
        InputError
            For a value that the path does not cover.
        """
        with named_as_here():
            return Solution(**renamed_values(self._inner.at(as_number(self.parameter, value))))

    def certificate(self, points=1000):
        """Check the path at (at most) so many of its events, from the data alone.

        Parameters
        ----------
        points : int, default=1000
            The largest number of events.

        Returns
        -------
        Verdict
            The worst of their certificates.
        """
        return Verdict(**self._inner.certificate(as_count("points", points, 1)))

    def _affordable_certificate(self):
        """The same at as many events as are checked in little time."""
        return Verdict(**self._inner.certificate())

    def residual(self, points=1000):
        """Compute the largest scaled residual of the optimality conditions at (at most) so many of the path's events.

        Parameters
        ----------
        points : int, default=1000
            The largest number of events.

        Returns
        -------
        residual : float
            The largest residual.
        value : float
            The value of the parameter where it is.
        """
        verdict = self.certificate(points)
        return verdict.kkt_residual, verdict.residual_at

    def curves(self, values=None):
        """Compute the solutions at several values at once.

        Parameters
        ----------
        values : array-like of shape (k,), default=None
            By default both ends of the path and the breakpoints between them.

        Returns
        -------
        dict
            ``values`` (k,) and, as far as the problem has them, ``w`` (k, d), ``alpha`` (k, n), ``intercept`` (k,), ``mean``
            and ``variance`` (k,).

        Raises
        ------
        InputError
            For a value that the path does not cover.
        """
        values = self._places() if values is None else as_numbers("values", values)
        with named_as_here():
            return {"values": values, **renamed_values(self._inner.curves(values))}

    def _places(self):
        ends = [end for end in self.range if np.isfinite(end)]
        return np.unique(np.concatenate([ends, self._inner.breakpoints]))

    def plot(self, what="auto", ax=None, **options):
        """Draw coefficients or dual variables against the parameter.

        Parameters
        ----------
        what : {"auto", "coefficients", "duals"}, default="auto"
            By default coefficients where the problem has them.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure unless given.
        **options
            For ``Axes.plot``.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_path

        return plot_path(self, what=what, ax=ax, **options)

    def report(self, file=None, *, source="data"):
        """Write the page on which the path is explored: one HTML file that needs nothing from anywhere else.

        It is the page that ``pathqp report`` writes of the same path.

        Parameters
        ----------
        file : str, path or file object, default=None
            Where to write it.
        source : str, default="data"
            What the page calls the data.

        Returns
        -------
        str
            The page.

        Raises
        ------
        InputError
            For a path of no length, and for one whose page would be larger than 5 MB.
        """
        classes = self._classes
        numeric = classes is not None and np.asarray(classes).dtype.kind in "fiub"
        page = report(self._inner, str(source), tuple(map(float, classes)) if numeric else None)
        if file is None:
            return page
        if hasattr(file, "write"):
            file.write(page)
        else:
            with open(file, "w", encoding="utf-8", newline="") as out:
                out.write(page)
        return page

    def _repr_html_(self):
        low, high = self.range
        rows = {
            "parameter": f"{self.parameter} from {low:g} to {high:g}",
            "breakpoints": len(self._inner.breakpoints),
            "events": self.stats["events"],
            "most free variables": self.stats["max_free"],
            "ended": self.stop,
        }
        if self.tolerance is not None:
            rows["approximate"] = f"duality gap of {self.tolerance:g} at most"
        return html_table(rows)

    def __repr__(self):
        low, high = self.range
        count = len(self._inner.breakpoints)
        return f"Path({self.parameter} from {low:g} to {high:g}, {count} breakpoints, {self.stop})"


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
        Their ranges.
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
    parameters = property(lambda self: [ENGINE.get(name, name) for name in self._inner.parameters])
    domain = property(lambda self: self._inner.domain)
    stats = property(lambda self: self._inner.stats)
    regions = property(lambda self: [corners for corners, _ in self._inner.regions()])
    free = property(lambda self: np.array([free for _, free in self._inner.regions()]))

    def __len__(self):
        return len(self._inner)

    def _point(self, first, second):
        return [as_number(name, value) for name, value in zip(self.parameters, (first, second))]

    def locate(self, first, second):
        """Find the number of the region of a point.

        Parameters
        ----------
        first, second : float
            The point, in the order of ``parameters``.

        Returns
        -------
        int or None
            None outside the domain.
        """
        return self._inner.locate(self._point(first, second))

    def at(self, first, second):
        """Compute the solution at a point.

        Parameters
        ----------
        first, second : float
            The point, in the order of ``parameters``.

        Returns
        -------
        Solution
            With its certificate and its region.

        Raises
        ------
        InputError
            For a point outside the domain.
        """
        theta = self._point(first, second)
        with named_as_here():
            return Solution(value=tuple(theta), **self._inner.at(theta))

    def certificate(self, points=100):
        """Check the map at the centres of (at most) so many regions, from the data alone.

        Parameters
        ----------
        points : int, default=100
            The largest number of regions.

        Returns
        -------
        Verdict
            The worst of their certificates.
        """
        return Verdict(**self._inner.certificate(as_count("points", points, 1)))

    def plot(self, color="free", ax=None, **options):
        """Draw the regions.

        Parameters
        ----------
        color : {"free", "objective"}, default="free"
            Whether colours show the number of free variables, or the objective in the middle.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure unless given.
        **options
            For ``PolyCollection``.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_map

        return plot_map(self, color=color, ax=ax, **options)

    def _repr_html_(self):
        ends = zip(self.parameters, self.domain)
        rows = {name: f"from {low:g} to {high:g}" for name, (low, high) in ends}
        rows |= {name: self.stats[name] for name in ("regions", "edges", "vertices")}
        rows["covered"] = f"{self.stats['covered']:.6g} of the rectangle"
        return html_table(rows)

    def __repr__(self):
        return f"Map({' x '.join(self.parameters)}, {len(self)} regions)"
