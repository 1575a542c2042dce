"""What regressions along tau say of the quantiles of one row."""

import numpy as np

from ._checks import as_numbers
from ._data import features
from ._names import renamed


class RowQuantiles:
    """Quantiles of rows as functions of tau; ``_along_tau`` gives the path, and ``predict`` quantiles as they are."""

    @renamed(taus="quantiles")
    def predict_quantiles(self, X, quantiles, *, monotone=True):
        """Predict quantiles of each row at several tau.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        quantiles : array-like of shape (k,)
            Values of tau, from 0 to 1.
        monotone : bool, default=True
            Whether to rearrange the quantiles of each row, exactly and over all tau, so that they do not cross.

        Returns
        -------
        ndarray of shape (m, k)
        """
        taus = as_numbers("quantiles", quantiles)
        return self._along_tau().quantiles(features(self, X), taus, False) if monotone else self.predict(X, taus)

    def cdf(self, X, values):
        """Estimate P(Y <= q|x), the share of tau whose quantile is not above q.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        values : float or array-like of shape (k,)
            q, in units of the response.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several q
        """
        q = as_numbers("values", values)
        found = self._along_tau().quantiles(features(self, X), q, True)
        return found[:, 0] if np.ndim(values) == 0 else found

    def crossings(self, X):
        """Find for each row the ranges of tau in which its quantile decreases.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.

        Returns
        -------
        list of m lists of (from, to, drop)
            The ends of each range of tau, and by how much the quantile decreases there, in units of the response.
        """
        return self._along_tau().falls(features(self, X))
