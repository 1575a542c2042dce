"""Maps of two parameters as the estimators keep them."""

from typing import NamedTuple

import numpy as np

from ._checks import as_count, as_number
from ._figures import written
from ._names import ENGINE, named_as_here
from ._path import Solution, Verdict, html_table
from ._pathqp import map_figure


class MapEdge(NamedTuple):
    """An edge of a map.

    Attributes
    ----------
    events : list of (int, int, int)
        What changes from the first region to the second: the variable, and the sign of its multiplier z before and
        after (1 at the lower bound, 0 free, -1 at the upper bound). Empty on the boundary.
    vertices : list of two int
        The vertices at which it begins and ends; the first region is on its left.
    regions : (int, int or None)
        The regions on its two sides; None beyond the boundary of the domain.
    """

    events: list
    vertices: list
    regions: tuple


class MapVertex(NamedTuple):
    """A vertex of a map.

    Attributes
    ----------
    at : list of two float
        The two parameters, or a direction.
    finite : bool
        Whether it is a point; if not, it lies at infinity in the direction ``at``.
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
    """All critical regions of a rectangle in two parameters: in each the solution is one affine function of them.

    Attributes
    ----------
    parameters : list of str
        The names of both.
    domain : list of two pairs of float
        Their ranges.
    stats : dict
        Numbers of regions, edges, vertices and holes, and the covered part of the rectangle (one if nothing is
        missing).
    regions : list of ndarray of shape (corners, 2)
        The corners of the regions, anticlockwise.
    free : ndarray of int
        The number of free variables in each region.
    edges : list of MapEdge
        The sides of the regions; a side that two regions share is listed once.
    vertices : list of MapVertex
        The points where edges end.
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
            If the point lies outside the domain.
        """
        theta = self._point(first, second)
        with named_as_here():
            return Solution(value=tuple(theta), **self._inner.at(theta))

    def certificate(self, points=100):
        """Check the map at the centres of its regions, or of some of them, from the data alone.

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
            What the colours show: the number of free variables of a region, or the objective at its centre.
        ax : matplotlib Axes, default=None
            The axes to draw on; by default those of a new figure.
        **options
            For ``PolyCollection``.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_map

        return plot_map(self, color=color, ax=ax, **options)

    def figure(self, file=None, *, row=None, source="data"):
        """Draw the map as ``pathqp map --plot`` does, without matplotlib.

        The regions have the colours of their numbers of free variables. With ``row`` the dual variable of a row is
        drawn as a surface over the rectangle.

        Parameters
        ----------
        file : str or path, default=None
            The file to write the figure to: .svg, .png (288 pixels an inch) or .pdf.
        row : int, default=None
            The row, counted from 0.
        source : str, default="data"
            The name of the data in the figure's title.

        Returns
        -------
        str
            The figure as SVG.

        Raises
        ------
        InputError
            If the file's name has another ending, or there is no such row.
        """
        row = None if row is None else as_count("row", row)
        return written(file, lambda: map_figure(self._inner, str(source), row))

    def _repr_html_(self):
        ends = zip(self.parameters, self.domain)
        rows = {name: f"from {low:g} to {high:g}" for name, (low, high) in ends}
        rows |= {name: self.stats[name] for name in ("regions", "edges", "vertices")}
        rows["covered"] = f"{self.stats['covered']:.6g} of the rectangle"
        return html_table(rows)

    def __repr__(self):
        return f"Map({' x '.join(self.parameters)}, {len(self)} regions)"
