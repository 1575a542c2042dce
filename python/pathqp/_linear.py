"""What the estimators with coefficients share."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._checks import as_numbers, not_negative
from ._data import features
from ._estimator import PathEstimator
from ._pathqp import InputError


class Coefficients(PathEstimator):
    """An estimator whose solutions are coefficients w and perhaps an intercept."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _value(self):
        """The value of what varies that ``predict`` uses unless told otherwise."""
        return getattr(self, self.path_.parameter)

    def _least_alpha(self):
        """``alpha_min``, where the path over alpha ends; ``alpha`` must not be below it."""
        least = not_negative(self, "alpha_min")
        if not_negative(self, "alpha") < least:
            raise InputError(f"alpha = {self.alpha}: it must not be below alpha_min = {self.alpha_min}")
        return least

    def _curves(self, values):
        check_is_fitted(self)
        return self.path_.curves(as_numbers(self.path_.parameter, values))

    def _predict(self, X, value):
        """Xw + intercept at one value (m,), or several values (m, k)."""
        check_is_fitted(self)
        features(self, X)
        value = self._value() if value is None else value
        found = self._curves(value)
        X = X if hasattr(X, "tocsr") else np.asarray(X, dtype=float)
        y = np.asarray(X @ found["w"].T) + found.get("intercept", 0.0)
        return y[:, 0] if np.ndim(value) == 0 else y


class LinearPath(RegressorMixin, Coefficients):
    """A regression whose solutions are coefficients w and perhaps an intercept."""

    @property
    def coef_(self):
        """The coefficients, of shape (d,)."""
        check_is_fitted(self)
        return self._curves(self._value())["w"][0]

    @property
    def intercept_(self):
        """The intercept; zero if there is none."""
        check_is_fitted(self)
        return float(self._curves(self._value()).get("intercept", [0.0])[0])
