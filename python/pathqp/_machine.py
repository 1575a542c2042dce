"""What the estimators on kernel machines share."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._checks import as_number, as_numbers
from ._data import bias_pair, features, kernel_text, question, watcher
from ._estimator import PathEstimator, threads
from ._map import Map
from ._names import named_as_here
from ._path import warn_unless_certified
from ._pathqp import Map as InnerMap
from ._pathqp import function


class KernelMachine(PathEstimator):
    """An estimator whose solutions are functions of rows by a kernel."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _question(self, problem, rows, X, response, weights, fixed, direction=None):
        kernel = kernel_text(self.kernel, self.gamma, self.degree, self.coef0)
        given = {
            "weights": weights,
            "kernel": kernel,
            "bias": bias_pair(self.bias),
            "fixed": fixed,
            "direction": direction,
        }
        return question(problem, rows, response, **given)

    def _explore(self, domain, by_cost=False):
        """The map of a rectangle for the problem of the path."""
        check_is_fitted(self)
        report, close = watcher(self.progress, type(self).__name__)
        domain = [[as_number("an end of the rectangle", end) for end in ends] for ends in domain]
        try:
            with named_as_here():
                found = Map(InnerMap.explore(self.path_._inner, domain, by_cost, threads(self), report))
        finally:
            close()
        warn_unless_certified(found.certificate(), ", ".join(found.parameters))
        return found

    def _values(self, X, value):
        """f at rows and one value (m,), or several values (m, k)."""
        check_is_fitted(self)
        rows = features(self, X)
        values = as_numbers(self.path_.parameter, value)
        with named_as_here():
            f = self.path_._inner.decision(rows, values)
        return f[:, 0] if np.ndim(value) == 0 else f

    def _function(self):
        """f where ``predict`` has it unless told otherwise: an expansion (n,), weights (d,) or None, and a constant."""
        check_is_fitted(self)
        with named_as_here():
            return function(self.path_._inner, as_number(self.path_.parameter, self._value()))

    def _value(self):
        """The value of what varies that ``predict`` uses unless told otherwise."""
        return getattr(self, self.path_.parameter)

    def _weights(self):
        _, weights, _ = self._function()
        if weights is None:
            raise AttributeError("coef_ is only available with a linear kernel")
        return weights

    def _support(self):
        """The rows with an entry in the expansion, in the order of ``support_``, and all entries."""
        expansion, _, _ = self._function()
        return np.flatnonzero(expansion).astype(np.int32), expansion

    @property
    def coef_(self):
        """The weights of the features, of shape (1, d)."""
        return self._weights()[None, :]

    @property
    def intercept_(self):
        """The constant of f, of shape (1,)."""
        return np.array([self._function()[2]])

    @property
    def support_(self):
        """The indices of the training rows with a nonzero dual coefficient, of shape (n_SV,)."""
        return self._support()[0]

    @property
    def dual_coef_(self):
        """Their coefficients in f = sum dual_coef_[0, i] k(x_i, .) + intercept_, of shape (1, n_SV)."""
        support, expansion = self._support()
        return expansion[support][None, :]
