"""The best penalty for every quantile."""

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._figures import written
from ._names import FormerNames, renamed
from ._pathqp import InputError, tuning_figure
from ._warn import warn


class Tuning(FormerNames):
    """The penalty alpha*(tau) with the least validation loss for every tau of an interval.

    Attributes
    ----------
    pieces : structured ndarray
        ``quantile_from``, ``quantile_to``, ``alpha_from``, ``alpha_to``, ``loss_from``, ``loss_to``. alpha* is affine
        on a piece, or infinite: f is a sample quantile there. The former names ``tau_from``, ``tau_to``, ``lam_from``
        and ``lam_to`` are accepted too.
    complete : bool
        Whether alpha* was found for every tau of the interval, and never lies at an end of ``alphas`` that was given.
    alpha_range : list of two floats
        The range that was searched.
    at_end : bool
        Whether the best loss is attained at an end of that range for some tau.
    end : {"interpolation", "precision", "asked", "criterion"}
        What the smallest alpha of the range is: the solution does not change below it, or double precision does not
        resolve it below, or it was given, or a search by a criterion ends there.
    recounted : bool
        Whether the loss is the same when it is recomputed from separate solutions.
    recount : tuple (points, worst)
        At how many tau it was recomputed (one in each piece), and the largest difference, relative to the loss.
    """

    _former = {"lam": "alpha", "lambda_range": "alpha_range"}

    #: The fields of ``pieces``, the former ones as titles.
    _FIELDS = np.dtype(
        [
            (("tau_from", "quantile_from"), float),
            (("tau_to", "quantile_to"), float),
            (("lam_from", "alpha_from"), float),
            (("lam_to", "alpha_to"), float),
            ("loss_from", float),
            ("loss_to", float),
        ]
    )

    def __init__(self, found):
        table = np.asarray(found["pieces"])
        self.pieces = np.array([tuple(row) for row in table], dtype=self._FIELDS)
        self._losses = np.asarray(found["losses"])
        self.complete, self._searched = found["complete"], found["searched"]
        self.alpha_range = found["lambda_range"]
        self.at_end, self.end = found["at_end"], found["end"]
        self.recounted, self.recount = found["recounted"], found["recount"]
        self._figure = found["figure"]
        self._ends = [end for end in found["ends"] if end is not None]

    def _warn(self):
        low, high = self.alpha_range
        ends = {
            "asked": f"the best alpha is an end of the range that was searched ({low:.3g} to {high:.3g}) for some tau: "
            "try a wider range of alphas",
            "criterion": f"the best alpha is {low:.3g} for some tau, the smallest that is searched by default: the "
            "criterion decreases without end towards interpolation; set alphas to search further",
            "precision": f"the best alpha is {low:.3g} for some tau: below it the fits cannot be told apart in double "
            "precision",
        }
        if self.at_end and self.end in ends:
            warn(ends[self.end], ConvergenceWarning)
        if not self._searched:
            warn(
                "alpha* is unknown for some tau: parts of the plane of tau and alpha were not searched",
                ConvergenceWarning,
            )
        if not self.recounted:
            worst = self.recount[1]
            warn(f"the loss recomputed from separate solutions differs by {worst:.1e} of itself", ConvergenceWarning)

    def _pieces_at(self, tau):
        tau, pieces = float(tau), self.pieces
        if not (len(pieces) and pieces["quantile_from"][0] <= tau <= pieces["quantile_to"][-1]):
            ends = (pieces["quantile_from"][0], pieces["quantile_to"][-1]) if len(pieces) else (np.nan, np.nan)
            raise InputError(f"quantile = {tau}: alpha* is known from {ends[0]} to {ends[1]}")
        found = np.flatnonzero((pieces["quantile_from"] <= tau) & (tau <= pieces["quantile_to"]))
        # In a gap the piece before it.
        return found if len(found) else [max(int(np.searchsorted(pieces["quantile_from"], tau)) - 1, 0)]

    def _best(self, tau):
        """alpha* and the loss at tau: where the solution jumps, the better side."""
        sides = [(self._loss_on(k, tau), self._alpha_on(k, tau)) for k in self._pieces_at(tau)]
        sides += [(loss, alpha) for at, alpha, loss in self._ends if at == tau]
        loss, alpha = min(sides)
        return alpha, loss

    def _alpha_on(self, k, tau):
        piece = self.pieces[k]
        if np.isinf(piece["alpha_from"]) or np.isinf(piece["alpha_to"]):
            return np.inf
        return float(
            np.interp(tau, [piece["quantile_from"], piece["quantile_to"]], [piece["alpha_from"], piece["alpha_to"]])
        )

    def _loss_on(self, k, tau):
        origin, a, b, c, d, e = self._losses[k]
        s = tau - origin
        return float((a + b * s + c * s * s) / (d + e * s))

    @renamed(tau="quantile")
    def alpha(self, quantile):
        """Look up alpha*.

        Parameters
        ----------
        quantile : float or array-like of shape (k,)
            tau, in the interval that was tuned.

        Returns
        -------
        float, or ndarray of shape (k,)
            alpha*, which may be infinite.

        Raises
        ------
        InputError
            If tau lies outside the interval.
        """
        if np.ndim(quantile):
            return np.array([self.alpha(tau) for tau in quantile])
        return self._best(float(quantile))[0]

    @renamed(tau="quantile")
    def loss(self, quantile):
        """Look up the least mean validation loss.

        Parameters
        ----------
        quantile : float or array-like of shape (k,)
            tau, in the interval that was tuned.

        Returns
        -------
        float, or ndarray of shape (k,)

        Raises
        ------
        InputError
            If tau lies outside the interval.
        """
        if np.ndim(quantile):
            return np.array([self.loss(tau) for tau in quantile])
        return self._best(float(quantile))[1]

    def __repr__(self):
        low, high = (
            (self.pieces["quantile_from"][0], self.pieces["quantile_to"][-1]) if len(self.pieces) else (np.nan, np.nan)
        )
        return f"Tuning(quantile from {low:g} to {high:g}, {len(self.pieces)} pieces)"

    def plot(self, ax=None):
        """Draw alpha* and its loss against tau.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_tuning

        return plot_tuning(self, ax=ax)

    def figure(self, file=None):
        """Draw alpha* and its loss as ``pathqp tune --plot`` does, without matplotlib.

        Further panels have the loss on the rows held out, against alpha at five tau or for each of ``alphas`` that were
        given, and the quantiles of a single feature.

        Parameters
        ----------
        file : str or path, default=None
            The file to write the figure to: .svg, .png (288 pixels an inch) or .pdf.

        Returns
        -------
        str
            The figure as SVG.

        Raises
        ------
        InputError
            If the file's name has another ending.
        """
        return written(file, lambda: tuning_figure(vars(self).get("_figure", b"")))
