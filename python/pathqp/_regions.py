"""Critical regions in any number of parameters, as Python has them."""

from typing import NamedTuple

import numpy as np

from ._checks import as_count, as_numbers
from ._data import watcher
from ._estimator import threads
from ._names import ENGINE, named_as_here
from ._path import Solution, Verdict, html_table
from ._pathqp import InputError
from ._pathqp import Regions as InnerRegions


class Coverage(NamedTuple):
    """How many of some random points of a box are covered.

    Attributes
    ----------
    covered : int
        The number of points in a region.
    infeasible : int
        The number of points with a proof that they have no solution.
    uncovered : int
        The number of other points: zero unless regions are missing.
    """

    covered: int
    infeasible: int
    uncovered: int


class CriticalRegions:
    """All critical regions of a box of parameters: the solution is one affine function in each.

    Attributes
    ----------
    parameters : list of str
        The names of the p parameters.
    domain : ndarray of shape (p, 2)
        Their ranges.
    cells : list of (int, ndarray of shape (sides, p), ndarray of shape (sides,))
        Polyhedra: the region each of them belongs to, and G and g of ``G theta <= g``. A region is one cell, unless
        multipliers are not unique there.
    complete : bool
        Whether the search was finished. :meth:`coverage` measures what it has covered.
    """

    def __init__(self, inner):
        self._inner = inner

    parameters = property(lambda self: [ENGINE.get(name, name) for name in self._inner.parameters])
    domain = property(lambda self: np.array(self._inner.domain))
    cells = property(lambda self: self._inner.cells())
    complete = property(lambda self: self._inner.complete)

    def __len__(self):
        return len(self._inner)

    def _point(self, theta):
        point = as_numbers("theta", theta)
        if len(point) != len(self.parameters):
            raise InputError(f"theta has {len(point)} entries: it must have {len(self.parameters)}")
        return point.tolist()

    def locate(self, theta):
        """Find the number of the region of a point.

        Parameters
        ----------
        theta : array-like of shape (p,)
            The point.

        Returns
        -------
        int or None
            None if the point lies outside the domain, or there is no solution.
        """
        return self._inner.locate(self._point(theta))

    def at(self, theta):
        """Compute the solution at a point.

        Parameters
        ----------
        theta : array-like of shape (p,)
            The point.

        Returns
        -------
        Solution
            With its certificate and its region.

        Raises
        ------
        InputError
            If the point lies outside the domain, or there is no solution.
        """
        point = self._point(theta)
        with named_as_here():
            return Solution(value=tuple(point), **self._inner.at(point))

    def coverage(self, points=1000, seed=1):
        """Count how many random points are covered.

        Parameters
        ----------
        points : int, default=1000
            How many points.
        seed : int, default=1
            The seed of the random points.

        Returns
        -------
        Coverage
        """
        return Coverage(*self._inner.coverage(as_count("points", points, 1), as_count("seed", seed)))

    def certificate(self, points=100):
        """Check the solutions at the centres of the cells, or of some of them, from the data alone.

        Parameters
        ----------
        points : int, default=100
            The largest number of cells.

        Returns
        -------
        Verdict
            The worst of their certificates.
        """
        return Verdict(**self._inner.certificate(as_count("points", points, 1)))

    def c_source(self, name="controller"):
        """Return the regions as C99 source code that needs only ``math.h``.

        Parameters
        ----------
        name : str, default="controller"
            The function is ``int NAME_control(const double state[p], double input[m])``: it returns the number of the
            cell, -1 outside of the domain, and -2 where there is no solution. The inputs are the first ones of a
            controller, and all of x of any other program.

        Returns
        -------
        str
        """
        return self._inner.controller(str(name))

    def _repr_html_(self):
        ends = zip(self.parameters, self.domain)
        rows = {name: f"from {low:g} to {high:g}" for name, (low, high) in ends}
        return html_table(rows | {"regions": len(self)})

    def __repr__(self):
        return f"CriticalRegions({' x '.join(self.parameters)}, {len(self)} regions)"


def explored(estimator, asked, domain):
    """The critical regions of a question on a box, watched by the estimator's ``progress``."""
    try:
        ranges = np.atleast_2d(np.asarray(domain, dtype=float))
    except (TypeError, ValueError):
        raise InputError("domain must be a list of pairs of numbers, one for each parameter") from None
    if ranges.ndim != 2 or ranges.shape[1] != 2:
        raise InputError(f"domain has the shape {ranges.shape}: it must have a pair of numbers for each parameter")
    report, close = watcher(estimator.progress, type(estimator).__name__)
    try:
        with named_as_here():
            return CriticalRegions(InnerRegions.explore(asked, ranges.tolist(), threads(estimator), report))
    finally:
        close()
