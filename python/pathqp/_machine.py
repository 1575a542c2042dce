"""What the estimators on kernel machines share."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ._data import bias_pair, features, followed, kernel_text, question, watcher
from ._path import Map, Path, Verdict, warn_unless_certified
from ._pathqp import InputError
from ._pathqp import Map as InnerMap


class KernelMachine(BaseEstimator):
    """Poses a problem, follows its path and keeps it."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _question(self, problem, rows, X, response, weights, fixed, direction=None):
        kernel = kernel_text(self.kernel, self.gamma, self.degree, self.coef0, X, weights)
        given = {"weights": weights, "kernel": kernel, "bias": bias_pair(self.bias), "fixed": fixed, "direction": direction}
        return question(problem, rows, response, **given)

    def _follow(self, asked, vary, ends=(None, None)):
        """The path of a problem; keeps its coefficients' names, and warns when it does not reach its end."""
        inner = followed(self, asked, vary, ends, (int(self.n_threads), self.max_events, None))
        path = Path(inner, _PYTHON.get(vary, vary), names=getattr(self, "feature_names_in_", None))
        if not path.complete:
            warnings.warn(f"the {path.parameter}-path ends early: {path.stop}", ConvergenceWarning, stacklevel=3)
        warn_unless_certified(Verdict(**path._inner.certificate()), path.parameter, stacklevel=3)
        return path

    def _explore(self, domain, by_cost=False):
        """The map of a rectangle for the problem of the path."""
        check_is_fitted(self)
        report, close = watcher(self.progress, type(self).__name__)
        domain = [[float(end) for end in ends] for ends in domain]
        try:
            found = Map(InnerMap.explore(self.path_._inner, domain, by_cost, int(self.n_threads), report))
        finally:
            close()
        warn_unless_certified(found.certificate(), ", ".join(found.parameters), stacklevel=3)
        return found

    def _values(self, X, value):
        """f at rows and one value (m,), or several values (m, k)."""
        check_is_fitted(self)
        rows = features(self, X)
        values = np.ascontiguousarray(np.atleast_1d(value), dtype=float)
        if values.ndim != 1:
            raise InputError(f"a value or a list of values is expected, not an array of shape {values.shape}")
        f = self.path_._inner.decision(rows, values)
        return f[:, 0] if np.ndim(value) == 0 else f


_PYTHON = {"lambda": "lam", "c": "C", "c-pos": "c_pos", "c-neg": "c_neg"}
