"""Any parametric quadratic or linear program."""

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._checks import as_number, as_numbers
from ._data import question
from ._estimator import followed
from ._path import Path, Solution, warn_unless_certified
from ._pathqp import InputError, Rows
from ._regions import explored
from ._tables import bounds, matrix, moving, rates
from ._warn import warn


class ProgramPath(Path):
    """The solutions of a program along t; see :class:`Path`."""

    @property
    def proof(self):
        """Why there is no solution beyond the end of a path that stopped early; None of a complete one.

        Returns
        -------
        tuple (kind, ndarray) or None
            ``("infeasible", w)`` with a weight for each row: for no x within its bounds does ``w @ (A @ x)`` satisfy the bounds of the rows. ``("unbounded", d)``
            with a direction of x in the way of which there is no bound, along which the objective falls.
        """
        return self._inner.proof

    def at(self, value):
        """Compute the solution at t.

        Parameters
        ----------
        value : float
            t.

        Returns
        -------
        Solution
            With ``x``, the multipliers ``y`` of the rows, and its certificate.

        Raises
        ------
        InputError
            If the path does not cover t.
        """
        return Solution(**self._inner.at(as_number("t", value)))

    def curves(self, values=None):
        """Compute the solutions at several t at once.

        Parameters
        ----------
        values : array-like of shape (k,), default=None
            By default both ends of the path and the breakpoints between them.

        Returns
        -------
        dict
            ``values`` (k,), ``x`` (k, n) and ``y`` (k, m).
        """
        values = self._places() if values is None else as_numbers("values", values)
        return {"values": values, **self._inner.curves(values)}


class ParametricQP:
    """A convex quadratic or linear program whose linear terms and bounds depend on t, or on several parameters.

    Minimises ``1/2 x' H x + c(t)' x`` subject to ``row_lower(t) <= A x <= row_upper(t)`` and ``lower(t) <= x <= upper(t)``. A tuple
    ``(value, rate)`` of two arrays or numbers is ``value + t rate``; anything else is constant. With a rate for
    each of p parameters, ``(value, rate 1, ..., rate p)``, the program has critical regions (:meth:`regions`) instead
    of paths.

    Parameters
    ----------
    H : array-like or sparse matrix of shape (n, n), default=None
        Symmetric and positive semidefinite; None is zero, a linear program.
    c : array-like of shape (n,), or tuple of two
        The linear term; required.
    A : array-like or sparse matrix of shape (m, n), default=None
        The rows.
    lower, upper : float, array-like of shape (n,), or tuple of two, default=None
        Bounds of x; infinite entries are no bounds.
    row_lower, row_upper : float, array-like of shape (m,), or tuple of two, default=None
        Bounds of A x; equal ones are equalities.
    Z : array-like or sparse matrix of shape (n, d), default=None
        A factor of H, given instead of it: ``H = Z Z'``.
    n_jobs : int, default=None
        The number of threads.
    progress : bool or callable, default=False
        As in :class:`QuantileSVC`.
    """

    def __init__(
        self,
        H=None,
        c=None,
        *,
        A=None,
        lower=None,
        upper=None,
        row_lower=None,
        row_upper=None,
        Z=None,
        n_jobs=None,
        progress=False,
    ):
        if c is None:
            raise InputError("c is missing: give the linear term, an array or a tuple (value, rate)")
        if H is not None and Z is not None:
            raise InputError("H and Z are both given: give one of them")
        self.progress = progress
        self.n_jobs = n_jobs
        p = self._parameters = rates(c, lower, upper, row_lower, row_upper)
        sizes = [np.size(part) for part in (c if isinstance(c, tuple) else (c,))]
        n = max(sizes, default=0)
        self._tables = {"c": Rows.dense(np.column_stack(moving("c", c, n, p)), False)}
        for name, given, shape in (("h", H, (n, n)), ("z", Z, (n, None))):
            if given is not None:
                self._tables[name] = matrix(name.upper(), given, shape)
        self._tables["rows"] = matrix("A", A if A is not None else np.zeros((0, n)), (None, n))
        m = self._tables["rows"].shape[0]
        sides = (("lower", lower, n), ("upper", upper, n), ("row_lower", row_lower, m), ("row_upper", row_upper, m))
        for name, bound, count in sides:
            if bound is not None:
                self._tables[name] = bounds(name, bound, count, p)
        if m == 0 and (row_lower is not None or row_upper is not None):
            raise InputError("row_lower and row_upper are bounds of A x: give A")

    def path(self, start=0.0, stop=1.0, *, max_events=None):
        """Follow the solutions for all t from ``start`` to ``stop``.

        Parameters
        ----------
        start : float, default=0
            Where the path begins.
        stop : float, default=1
            Where it ends; it may be smaller than ``start``, or infinite.
        max_events : int, default=None
            The largest number of events (changes of the active set); the path ends there. None is no limit.

        Returns
        -------
        ProgramPath
            If there is no solution beyond some t, the path ends there, with a warning, and ``proof`` says why.

        Raises
        ------
        PathError
            If there is no solution at ``start``.
        """
        if self._parameters > 1:
            raise InputError(f"there are rates by {self._parameters} parameters: a path has one; use regions")
        numbers = {"from": as_number("start", start), "to": as_number("stop", stop)}
        asked = question("qp", tables=self._tables, numbers=numbers)
        path = ProgramPath(followed(self, asked, "t", max_events=max_events), "t")
        if path.stop in ("infeasible", "unbounded"):
            text = f"the program is {path.stop} beyond t = {path.range[1]:g}: the path ends there"
            warn(text, ConvergenceWarning)
        warn_unless_certified(path.certificate(), "t")
        return path

    def regions(self, domain):
        """Find all critical regions of a box of parameters: in each region x is one affine function of the parameters.

        Parameters
        ----------
        domain : array-like of shape (p, 2)
            The range of each parameter; one pair where there is one.

        Returns
        -------
        CriticalRegions

        Raises
        ------
        InputError
            If the domain has another shape or no interior, or the program has no solution anywhere in it.
        """
        return explored(self, question("qp", tables=self._tables), domain)
