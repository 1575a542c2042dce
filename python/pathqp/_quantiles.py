"""Kernel quantile regression at every quantile."""

import warnings

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ._data import features, response, training
from ._machine import KernelMachine
from ._pathqp import InputError
from ._pathqp import tune as find_best


class KernelQuantileRegressor(RegressorMixin, KernelMachine):
    """Kernel quantile regression: one fit gives every quantile tau from 0 to 1.

    Minimises ``sum rho_tau(y_i - f(x_i)) + lam/2 ||f||^2`` for all tau at once; f may have an intercept without penalty.

    Parameters
    ----------
    lam : float, default=1
        The penalty lambda.
    tau : float, default=0.5
        What ``predict`` uses unless told otherwise. Fitting does not depend on it.
    kernel : {"linear", "rbf", "laplacian", "poly", "precomputed"}, default="rbf"
    gamma, degree, coef0, bias, n_threads, max_events, progress
        As in :class:`QuantileSVC`.

    Attributes
    ----------
    path_ : Path
        The solutions for all tau.
    tuning_ : Tuning
        After :meth:`tune`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    Takeuchi, Le, Sears and Smola (2006), "Nonparametric quantile estimation", JMLR 7; Rosset (2008), "Bi-level path following for
    cross validated solution of kernel quantile regression", ICML; Chernozhukov, Fernandez-Val and Galichon (2010),
    doi:10.3982/ECTA7880 (quantiles that do not cross).
    """

    def __init__(
        self,
        lam=1.0,
        *,
        tau=0.5,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        bias="intercept",
        n_threads=1,
        max_events=None,
        progress=False,
    ):
        self.lam = lam
        self.tau = tau
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.n_threads = n_threads
        self.max_events = max_events
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follows the path for all tau.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            With ``kernel="precomputed"`` the n x n kernel matrix.
        y : array-like of shape (n,)
            Finite numbers.
        sample_weight : array-like of shape (n,), optional
            Not negative. A row of weight zero has no say, and is predicted like any other.

        Returns
        -------
        self
        """
        X_rows, X, y, weights = training(self, X, y, sample_weight, numeric=True)
        question = self._question("kqr", X_rows, X, y, weights, {"lambda": float(self.lam)})
        self.path_ = self._follow(question, "tau")
        if hasattr(self, "tuning_"):
            del self.tuning_
        return self

    def predict(self, X, tau=None):
        """f_tau(x): an array of shape (m,), or (m, k) for several tau. Quantiles may cross; see :meth:`predict_quantiles`."""
        return self._values(X, self.tau if tau is None else tau)

    def predict_quantiles(self, X, taus, *, monotone=True):
        """Quantiles of each row at several tau.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
        taus : array-like of shape (k,)
        monotone : bool, default=True
            Rearranges the quantiles of a row, exactly and over all tau, so that they do not cross.

        Returns
        -------
        ndarray of shape (m, k)
        """
        taus = np.ascontiguousarray(np.atleast_1d(taus), dtype=float)
        if not monotone:
            return self._values(X, taus)
        check_is_fitted(self)
        return self.path_._inner.quantiles(features(self, X), taus, False)

    def cdf(self, X, values):
        """P(Y <= q|x), the share of tau with f_tau(x) <= q.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
        values : float or array-like of shape (k,)
            q, in units of the response.

        Returns
        -------
        ndarray of shape (m,), or (m, k) for several q
        """
        check_is_fitted(self)
        q = np.ascontiguousarray(np.atleast_1d(values), dtype=float)
        found = self.path_._inner.quantiles(features(self, X), q, True)
        return found[:, 0] if np.ndim(values) == 0 else found

    def crossings(self, X):
        """For each row the ranges of tau in which f falls: a list of (from, to, drop)."""
        check_is_fitted(self)
        return self.path_._inner.falls(features(self, X))

    def tune(self, validation=None, *, cv=5, criterion=None, taus=(0.1, 0.9), lam=(None, None)):
        """The best penalty lambda*(tau) for every tau of an interval, exactly over all lambda.

        Uses the rows of the last ``fit``.

        Parameters
        ----------
        validation : tuple (X, y) or (X, y, sample_weight), optional
            Rows on which the pinball loss is measured. Without them the training rows are used in ``cv`` folds (row i is held
            out in fold i mod cv).
        cv : int, default=5
        criterion : {"sic", "gacv"}, optional
            A criterion on the training rows instead.
        taus : pair of float, default=(0.1, 0.9)
            The interval, within (0, 1).
        lam : pair of float or None
            The range of lambda; by default from where nothing changes any more, or double precision ends, to infinity. For a criterion, which falls without end
            towards interpolation, from a thousandth of the largest knot in the median over some tau.

        Returns
        -------
        Tuning
            Kept as ``tuning_`` as well.
        """
        check_is_fitted(self)
        judge = int(cv) if criterion is None else str(criterion)
        if validation is not None:
            X, y, *weights = validation
            judge = (features(self, X), response(y).tolist(), *(weights or [None]))
        found = find_best(self.path_._inner, judge, list(map(float, taus)), tuple(lam))
        self.tuning_ = Tuning(found)
        self.tuning_._warn()
        return self.tuning_

    def predict_tuned(self, X, tau=None):
        """f_tau(x) at lambda*(tau), after :meth:`tune`: an array of shape (m,), or (m, k) for several tau."""
        check_is_fitted(self, "tuning_")
        taus = np.atleast_1d(self.tau if tau is None else tau)
        rows = features(self, X)
        columns = [self.path_._inner.tuned_decision(rows, float(t), float(self.tuning_.lam(t))) for t in taus]
        return columns[0] if np.ndim(self.tau if tau is None else tau) == 0 else np.column_stack(columns)

    def map(self, tau=(0.1, 0.9), lam=(0.1, 10.0)):
        """All critical regions of a rectangle in tau and lambda, as a :class:`Map`."""
        return self._explore((tau, lam))

    def plot_quantiles(self, X, y=None, *, feature=0, taus=(0.05, 0.25, 0.5, 0.75, 0.95), ax=None):
        """Draws a fan of quantiles against one feature."""
        from ._plots import plot_fan

        return plot_fan(self, X, y, feature=feature, taus=taus, ax=ax)


class Tuning:
    """lambda*(tau): the penalty with the least validation loss for every tau of an interval.

    Attributes
    ----------
    pieces : structured ndarray
        ``tau_from``, ``tau_to``, ``lam_from``, ``lam_to``, ``loss_from``, ``loss_to``. lambda* is affine on a piece, or infinite:
        f is a sample quantile there.
    complete : bool
        Whether every tau has its lambda*, of all that were asked for, and none lies at an end that was asked for.
    lambda_range : list of two floats
        Where it was searched.
    at_end : bool
        Whether the best loss is attained at an end of that range for some tau.
    end : {"interpolation", "precision", "asked", "criterion"}
        What kind of end the smallest lambda is: nothing changes below it, or double precision does not tell the fits apart, or it was asked for, or it is where a search by a
        criterion ends.
    recounted : bool
        Whether the loss is the same when it is counted again from solutions of their own.
    recount : tuple (points, worst)
        At how many tau that was done (one in each piece), and the largest difference, relative to the loss.
    """

    _NAMES = ("tau_from", "tau_to", "lam_from", "lam_to", "loss_from", "loss_to")

    def __init__(self, found):
        table = np.asarray(found["pieces"])
        self.pieces = np.array([tuple(row) for row in table], dtype=[(name, float) for name in self._NAMES])
        self._losses = np.asarray(found["losses"])
        self.complete, self._searched = found["complete"], found["searched"]
        self.lambda_range = found["lambda_range"]
        self.at_end, self.end = found["at_end"], found["end"]
        self.recounted, self.recount = found["recounted"], found["recount"]
        self._ends = [end for end in found["ends"] if end is not None]

    def _warn(self):
        low, high = self.lambda_range
        if self.at_end and self.end == "asked":
            text = f"the best lambda lies at an end of what was searched ({low:.3g} to {high:.3g}) for some tau: try a wider range of lam"
        elif self.at_end and self.end == "criterion":
            text = f"the best lambda is {low:.3g} for some tau, where a search by a criterion ends unless lam says otherwise: it falls without end towards interpolation"
        elif self.at_end and self.end == "precision":
            text = f"the best lambda is {low:.3g} for some tau: below it double precision does not tell the fits apart"
        else:
            text = None
        texts = [
            text,
            None if self._searched else "lambda* is not known for some tau: parts of the plane of tau and lambda could not be searched",
            None if self.recounted else f"the loss does not stand a recount: it is off by {self.recount[1]:.1e} of itself",
        ]
        for text in filter(None, texts):
            warnings.warn(text, ConvergenceWarning, stacklevel=3)

    def _pieces_at(self, tau):
        tau, pieces = float(tau), self.pieces
        if not (len(pieces) and pieces["tau_from"][0] <= tau <= pieces["tau_to"][-1]):
            ends = (pieces["tau_from"][0], pieces["tau_to"][-1]) if len(pieces) else (np.nan, np.nan)
            raise InputError(f"tau = {tau}: lambda* is known from {ends[0]} to {ends[1]}")
        found = np.flatnonzero((pieces["tau_from"] <= tau) & (tau <= pieces["tau_to"]))
        # In a gap the piece before it.
        return found if len(found) else [max(int(np.searchsorted(pieces["tau_from"], tau)) - 1, 0)]

    def _best(self, tau):
        """lambda* and the loss at tau: where the solution jumps, the better side."""
        sides = [(self._loss_on(k, tau), self._lam_on(k, tau)) for k in self._pieces_at(tau)]
        sides += [(loss, lam) for at, lam, loss in self._ends if at == tau]
        loss, lam = min(sides)
        return lam, loss

    def _lam_on(self, k, tau):
        piece = self.pieces[k]
        if np.isinf(piece["lam_from"]) or np.isinf(piece["lam_to"]):
            return np.inf
        return float(np.interp(tau, [piece["tau_from"], piece["tau_to"]], [piece["lam_from"], piece["lam_to"]]))

    def _loss_on(self, k, tau):
        origin, a, b, c, d, e = self._losses[k]
        s = tau - origin
        return float((a + b * s + c * s * s) / (d + e * s))

    def lam(self, tau):
        """lambda* at tau (a number, or an array of them); may be infinite."""
        if np.ndim(tau):
            return np.array([self.lam(t) for t in tau])
        return self._best(float(tau))[0]

    def loss(self, tau):
        """The least mean validation loss at tau."""
        if np.ndim(tau):
            return np.array([self.loss(t) for t in tau])
        return self._best(float(tau))[1]

    def plot(self, ax=None):
        """Draws lambda* and its loss against tau."""
        from ._plots import plot_tuning

        return plot_tuning(self, ax=ax)
