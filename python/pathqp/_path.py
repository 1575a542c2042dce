"""Paths and maps as the estimators keep them."""

from dataclasses import dataclass, fields
from html import escape
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._checks import as_count, as_number, as_numbers
from ._figures import written
from ._names import named_as_here
from ._pathqp import REMEDY, TOLERANCE, gap_allowed, path_figure, report
from ._warn import warn


@dataclass(frozen=True)
class Solution:
    """The solution at one value of the parameter.

    Attributes that a problem does not have are None.

    Attributes
    ----------
    value : float or tuple
        The value of the parameter that varies; for maps and critical regions the values of all parameters.
    objective, dual_objective : float
        The primal and the dual objective, in the form in which the estimator's docstring gives it.
    w : ndarray of shape (d,), or (K, d) for K quantiles
        Weights of the features (linear kernels), coefficients or portfolio weights.
    intercept : float, tuple of two floats, or ndarray of shape (K,) for K quantiles
        The constant of f; both ends of its interval if it is not unique.
    quantiles : ndarray of shape (K,)
        The levels of planes that do not cross.
    alpha : ndarray
        The dual variables. (The penalty ``alpha`` of an estimator is ``value``.)
    free : ndarray of int
        Indices of the variables strictly between their bounds.
    kkt_residual, relative_gap : float
        The certificate, from the data alone: the scaled residual of the optimality conditions, and the duality gap
        relative to the terms of the objective.
    theta : list of float
        The parameters theta of the quadratic program.
    mean, variance, risk, sharpe : float
        Expected return, variance, standard deviation and Sharpe ratio of a portfolio.
    outside : float
        The share of training rows outside the tube.
    fitted, knots : ndarray
        The fitted signal, and the rows of D, from zero, where its differences are not zero.
    held : ndarray of int
        The neighbouring pairs or triples, from zero, at which a fit is held at the bound of its slope or curvature.
    state, inputs, states, cost : ndarray, ndarray of shape (N, m), ndarray of shape (N + 1, s), float
        The initial state of a plant, its optimal inputs, the states that follow and the cost.
    slack : float
        By how much soft bounds of a plant are exceeded, in the units of the bounds.
    x, y : ndarray of shape (n,) and (m,)
        The variables of a program, and the multipliers of its rows.
    unique : bool
        Whether the coefficients are unique.
    loss : float
        The mean loss over the rows, without the penalty.
    region : int
        The number of the region, in maps and critical regions.
    """

    value: Any
    objective: float | None = None
    dual_objective: float | None = None
    w: np.ndarray | None = None
    intercept: Any = None
    quantiles: np.ndarray | None = None
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
    held: np.ndarray | None = None
    state: np.ndarray | None = None
    inputs: np.ndarray | None = None
    states: np.ndarray | None = None
    cost: float | None = None
    slack: float | None = None
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
    """The worst certificate of a path or a map, computed from the data alone.

    Attributes
    ----------
    holds : bool
        Whether neither number exceeds 1e-9. If it is false, do not trust the solution.
    kkt_residual : float
        The largest scaled residual of the optimality conditions.
    residual_at : float or tuple
        The value of the parameter, or of both parameters of a map, at which it occurs.
    relative_gap : float
        The largest duality gap, relative to the size of the objective.
    gap_at : float or tuple
        The same for the gap.
    points : int
        The number of certificates that were computed.
    """

    holds: bool
    kkt_residual: float
    residual_at: Any
    relative_gap: float
    gap_at: Any
    points: int

    def failure(self, parameter):
        """Describe what does not hold.

        Parameters
        ----------
        parameter : str
            The name of the parameter in the sentence.

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
NAMES = {"x": "w", "weights": "w", "return": "mean", "taus": "quantiles"}


def renamed_values(values):
    """Values by the names that solutions have here."""
    return {NAMES.get(name, name): value for name, value in values.items() if name != "t"}


#: The statuses of a variable, as numbers.
STATUS = {-1: "lower", 0: "free", 1: "upper"}


def html_table(rows):
    """Names and values as a table of HTML."""
    cell = "<tr><th style='text-align:left'>{}</th><td>{}</td></tr>"
    return (
        f"<table>{''.join(cell.format(escape(str(name)), escape(str(value))) for name, value in rows.items())}</table>"
    )


class Path:
    """The solutions for all values of one parameter.

    Attributes
    ----------
    parameter : str
        The parameter that varies, by its name in the estimator.
    range : tuple of float
        Where the path begins and ends, in the order in which it was followed; the end may be infinite.
    breakpoints : ndarray
        The values, in increasing order, at which the sign pattern of the multipliers changes. They do not depend on
        which of several solutions was followed.
    events : structured ndarray
        All changes of the active set: ``value``, ``variable``, ``status`` (after it: -1 at its lower bound, 0 free, 1
        at its upper bound), ``breakpoint`` (whether the sign pattern changes there).
    stats : dict
        Counters of the work done.
    stop : {"target", "infeasible", "unbounded", "diverges", "max-events"}
        Why the path ended. A path that diverges has no end: some variable grows without bound.
    complete : bool
        Whether the path reaches the end that was asked for.
    tolerance : float or None
        The largest duality gap between the stored points of an approximate path, in units of the objective; None for
        an exact path.
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
            The value. Above the first value of a path over a penalty the solution is the one at that value.

        Returns
        -------
        Solution
            With its certificate.

        Raises
        ------
        InputError
            If the path does not cover the value.
        """
        with named_as_here():
            return Solution(**renamed_values(self._inner.at(as_number(self.parameter, value))))

    def certificate(self, points=1000):
        """Check the path at its events, or at some of them, from the data alone.

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
        """Compute the largest scaled residual of the optimality conditions at the path's events, or at some of them.

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
            By default the two ends of the path and the breakpoints between them.

        Returns
        -------
        dict
            ``values`` (k,) and, as far as the problem has them, ``w`` (k, d), ``alpha`` (k, n), ``intercept`` (k,),
            ``mean`` and ``variance`` (k,). With K quantiles ``w`` is (k, K d), those of the first one first, and
            ``intercept`` (k, K).

        Raises
        ------
        InputError
            If the path does not cover the value.
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
            What to draw; by default coefficients if the problem has them.
        ax : matplotlib Axes, default=None
            The axes to draw on; by default those of a new figure.
        **options
            For ``Axes.plot``.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_path

        return plot_path(self, what=what, ax=ax, **options)

    def report(self, file=None, *, source="data"):
        """Write a page on which the path is explored: one HTML file that needs no network.

        ``pathqp report`` writes the same page for the same path.

        Parameters
        ----------
        file : str, path or file object, default=None
            The file to write the page to.
        source : str, default="data"
            The name of the data on the page.

        Returns
        -------
        str
            The page.

        Raises
        ------
        InputError
            If the path has no length, or its page would be larger than 5 MB.
        """
        page = report(self._inner, str(source), self._labels())
        if file is None:
            return page
        if hasattr(file, "write"):
            file.write(page)
        else:
            with open(file, "w", encoding="utf-8", newline="") as out:
                out.write(page)
        return page

    def figure(self, file=None, *, source="data"):
        """Draw the path as ``pathqp path --plot`` does, without matplotlib.

        The figure has weights and dual variables against the parameter, the efficient frontier of portfolios, or the
        fits of a signal. :meth:`plot` draws on axes of matplotlib, together with other things.

        Parameters
        ----------
        file : str or path, default=None
            The file to write the figure to: .svg, .png (288 pixels an inch) or .pdf.
        source : str, default="data"
            The name of the data in the figure's title.

        Returns
        -------
        str
            The figure as SVG.

        Raises
        ------
        InputError
            If the file's name has another ending, or the path has no solution.
        """
        return written(file, lambda: path_figure(self._inner, str(source), self._labels()))

    def _labels(self):
        """The two labels as a data file has them: numbers or words."""
        if self._classes is None:
            return None
        numeric = np.asarray(self._classes).dtype.kind in "fiub"
        return tuple(map(float if numeric else str, self._classes))

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
