"""The SVM with a cost for each class, and its ROC curves."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._checks import as_count, as_finite, as_number, as_numbers, not_negative
from ._classifiers import BinaryMachine
from ._data import features
from ._figures import written
from ._names import FormerNames, named_as_here, renamed
from ._path import Solution, html_table
from ._pathqp import InputError, function_at, roc_figure
from ._pathqp import roc as find_roc

_FORMER = {"c_pos": "C_pos", "c_neg": "C_neg"}


def _share(cost_ratio):
    """C+ as a part of C+ + C-."""
    ratio = as_finite("cost_ratio", cost_ratio)
    if ratio < 0:
        raise InputError(f"cost_ratio = {ratio}: it must not be negative")
    return ratio / (1.0 + ratio)


@dataclass(frozen=True)
class OperatingPoint(FormerNames):
    """A classifier chosen from ROC curves.

    Attributes
    ----------
    C_pos, C_neg : float
        The costs it is trained with.
    shift : float
        What is added to its decision values.
    fpr, tpr : float
        Its false and true positive rates on the validation rows.
    cost : float or None
        The mean cost per row, with C+ + C- = 2; None if it was not chosen by cost.
    """

    _former = _FORMER

    C_pos: float
    C_neg: float
    shift: float
    fpr: float
    tpr: float
    cost: float | None = None


class RocCurves:
    """ROC curves on validation rows: varying the intercept, the training asymmetry or both, and their convex hull.

    Attributes
    ----------
    intercept, asymmetry, both, hull : ndarray of shape (k, 2)
        Points (FPR, TPR) where the intercept varies, where the proportion of the training costs does, and where both
        do. ``hull`` is the upper convex hull of the points of all lines that were followed.
    area, hull_area : float
        The areas below ``intercept`` and below ``hull``.
    costs : list of two floats
        The costs (C+, C-) of the curve ``intercept``.
    recounted, withdrawn : int
        How many points were counted again from their own classifiers before they were returned, and how many of them
        were left out because they were wrong.
    """

    def __init__(self, found):
        self.__dict__.update(found)

    def best(self, fpr_at_most=None, cost_ratio=None):
        """Choose the classifier with the largest TPR at a bound on the FPR, or with the least cost at a ratio C+/C-
        of costs.

        Parameters
        ----------
        fpr_at_most : float, default=None
            The largest false positive rate that is allowed.
        cost_ratio : float, default=None
            What a false negative costs, in false positives. Exactly one of the two is given.

        Returns
        -------
        OperatingPoint
            Its costs, its shift and its rates.

        Raises
        ------
        InputError
            If both or neither of the two are given, or no classifier has so low a rate.
        """
        if (fpr_at_most is None) == (cost_ratio is None):
            raise InputError("give either fpr_at_most or cost_ratio")
        cost = None
        if cost_ratio is None:
            fpr_at_most = as_number("fpr_at_most", fpr_at_most)
            allowed = self.staircase_choices[self.staircase_choices[:, 0] <= fpr_at_most]
            if not len(allowed):
                raise InputError(f"fpr_at_most = {fpr_at_most}: no classifier has so few false positives")
            row = allowed[-1]
        else:
            gamma, (negatives, positives) = _share(cost_ratio), self.totals
            misses, alarms = positives - self.hull_choices[:, 3], self.hull_choices[:, 2]
            costs = (2.0 * gamma * misses + 2.0 * (1.0 - gamma) * alarms) / (positives + negatives)
            row, cost = self.hull_choices[np.argmin(costs)], float(costs.min())
        fpr, tpr, _, _, total, c_pos, shift = map(float, row)
        return OperatingPoint(C_pos=c_pos, C_neg=total - c_pos, shift=shift, fpr=fpr, tpr=tpr, cost=cost)

    def _repr_html_(self):
        rows = {
            "AUC of the intercept": f"{self.area:.4f}",
            "area below the hull": f"{self.hull_area:.4f}",
            "corners of the hull": len(self.hull),
            "costs (C+, C-) of the intercept": ", ".join(f"{cost:g}" for cost in self.costs),
            "recounted": f"{self.recounted} points, {self.withdrawn} withdrawn",
        }
        return html_table(rows)

    def __repr__(self):
        return f"RocCurves(area={self.area:.4f}, hull_area={self.hull_area:.4f}, {len(self.hull)} corners of the hull)"

    def plot(self, ax=None):
        """Draw the curves with their hull.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import plot_roc

        return plot_roc(self, ax=ax)

    def figure(self, file=None, *, source="data"):
        """Draw the curves as ``pathqp roc --plot`` does, without matplotlib.

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
            If the file's name has another ending.
        """
        curves = [self.intercept, self.asymmetry, self.both, self.hull]
        return written(file, lambda: roc_figure(curves, str(source), self._model))


class CostSensitiveSVC(BinaryMachine):
    """The SVM with a cost for each class: one fit gives the solution for every pair of costs.

    Minimises ``1/2 ||f||^2 + C+ sum+ xi + C- sum- xi``. Fitting follows the ray through (``C_pos``, ``C_neg``), that
    is all costs in this proportion. Any other pair of costs is reached exactly by a further path from the nearest
    solution of the ray.

    Parameters
    ----------
    C_pos, C_neg : float, default=1
        The costs of a loss in the class +1 (the second of ``classes_``) and in the other one: those that ``predict``
        and ``coef_`` use unless told otherwise, and the direction of the ray.
    C_max : float, default=2
        The ray is followed to this multiple of (``C_pos``, ``C_neg``); infinity is allowed.
    kernel, gamma, degree, coef0, bias, class_weight, n_jobs, max_events, tolerance, inexact, progress
        As in :class:`QuantileSVC`.

    Attributes
    ----------
    path_ : Path
        Over C, the multiple of (``C_pos``, ``C_neg``).
    coef_ : ndarray of shape (1, d)
        The weights of the features at ``C_pos`` and ``C_neg``, with a linear kernel.
    intercept_ : ndarray of shape (1,)
        The constant of f there.
    support_ : ndarray of shape (n_SV,)
        The indices of the training rows with a nonzero dual coefficient, those of the first class first.
    n_support_ : ndarray of shape (2,)
        How many support vectors each class has.
    dual_coef_ : ndarray of shape (1, n_SV)
        Their coefficients: ``f(x) = sum dual_coef_[0, i] k(x_i, x) + intercept_``.
    classes_ : ndarray of shape (2,)
        The labels in sorted order; the second is +1.
    n_features_in_ : int
        The number of features d.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has names and all are strings.

    References
    ----------
    Bach, Heckerman and Horvitz (2006), "Considering cost asymmetry in learning classifiers", JMLR 7.
    """

    _former = {**_FORMER, "c_max": "C_max", "n_threads": "n_jobs"}

    def __init__(
        self,
        C_pos=1.0,
        C_neg=1.0,
        *,
        C_max=2.0,
        kernel="linear",
        gamma="scale",
        degree=3,
        coef0=0.0,
        bias="intercept",
        class_weight=None,
        n_jobs=None,
        max_events=None,
        tolerance=None,
        inexact=False,
        progress=False,
    ):
        self.C_pos = C_pos
        self.C_neg = C_neg
        self.C_max = C_max
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.max_events = max_events
        self.tolerance = tolerance
        self.inexact = inexact
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Follow the ray.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The training rows. With ``kernel="precomputed"`` the n x n kernel matrix.
        y : array-like of shape (n,)
            Two classes; the second in sorted order is +1.
        sample_weight : array-like of shape (n,), default=None
            Case weights, not negative. Rows of weight zero are ignored in fitting.

        Returns
        -------
        self : CostSensitiveSVC
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter, a row or a weight cannot be used; the message names it.
        PathError
            If the path cannot be followed.
        """
        direction = tuple(not_negative(self, name) for name in ("C_pos", "C_neg"))
        if not max(direction) > 0:
            raise InputError("C_pos = 0.0, C_neg = 0.0: at least one cost must be greater than zero")
        X_rows, X, y, weights = self._training(X, y, sample_weight)
        asked = self._question("cost-svm", X_rows, X, y, weights, {}, direction)
        end = as_number("C_max", self.C_max)
        if not end > 0:
            raise InputError(f"C_max = {end}: it must be greater than zero, since a path from 0 to 0 has no length")
        self.path_ = self._follow(asked, "c", (0.0, end))
        return self

    def _costs(self, C_pos, C_neg):
        """The pair of costs that is meant."""
        given = {"C_pos": self.C_pos if C_pos is None else C_pos, "C_neg": self.C_neg if C_neg is None else C_neg}
        return [as_number(name, value) for name, value in given.items()]

    def _function(self):
        check_is_fitted(self)
        return function_at(self.path_._inner, self._costs(None, None))

    @renamed(**_FORMER)
    def decision_function(self, X, C_pos=None, C_neg=None, point=None):
        """Compute f(x) at a pair of costs, or of an :class:`OperatingPoint`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        C_pos, C_neg : float, default=None
            The costs; those of the estimator unless given.
        point : OperatingPoint, default=None
            A choice of :meth:`best`, in place of costs.

        Returns
        -------
        ndarray of shape (m,)
            Positive for the second class.
        """
        check_is_fitted(self)
        if point is not None:
            C_pos, C_neg = point.C_pos, point.C_neg
        with named_as_here():
            f = self.path_._inner.decision_at(features(self, X), self._costs(C_pos, C_neg))
        return f if point is None else f + point.shift

    @renamed(**_FORMER)
    def predict(self, X, C_pos=None, C_neg=None, point=None):
        """Predict the class of each row at a pair of costs, or of an :class:`OperatingPoint`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows.
        C_pos, C_neg : float, default=None
            The costs; those of the estimator unless given.
        point : OperatingPoint, default=None
            A choice of :meth:`best`, in place of costs.

        Returns
        -------
        ndarray of shape (m,)
            Labels of ``classes_``.
        """
        return self._classes(self.decision_function(X, C_pos=C_pos, C_neg=C_neg, point=point))

    @renamed(**_FORMER)
    def solution(self, C_pos, C_neg):
        """Compute the solution at any pair of costs.

        Parameters
        ----------
        C_pos, C_neg : float
            The costs.

        Returns
        -------
        Solution
            With its certificate.

        Raises
        ------
        InputError
            If a cost is negative or not a number.
        """
        check_is_fitted(self)
        theta = self._costs(C_pos, C_neg)
        return Solution(value=tuple(theta), **self.path_._inner.solve(theta))

    def roc(
        self, X=None, y=None, *, cv=5, seed=0, total=None, max_total=100.0, multiples=(1.0, 10.0, 0.1), cost_ratio=1.0
    ):
        """Compute ROC curves varying the intercept, the training asymmetry and both, exactly.

        Parameters
        ----------
        X, y : array-like of shape (m, d) and (m,), default=None
            Rows to validate on. Without them the training rows are used in ``cv`` folds.
        cv, seed : int, default=5, 0
            The number of folds, and the seed of their permutation.
        total : float, default=None
            C+ + C- of the first line; by default the best one with balanced costs up to ``max_total``.
        max_total : float, default=100
            The largest sum of costs that is looked at.
        multiples : sequence of float
            The multiples of that sum whose lines are followed.
        cost_ratio : float, default=1
            C+/C- by which the best sum is chosen.

        Returns
        -------
        RocCurves
            The curves, and the classifiers behind their points.

        Raises
        ------
        InputError
            If rows, labels or the number of folds cannot be used.
        """
        check_is_fitted(self)
        judge = (
            (as_count("cv", cv, 2), as_count("seed", seed))
            if X is None
            else (features(self, X), self._known_signs(y).tolist())
        )
        gamma = _share(cost_ratio)
        total = None if total is None else as_number("total", total)
        lines, most = as_numbers("multiples", multiples).tolist(), as_number("max_total", max_total)
        found = find_roc(self.path_._inner, judge, lines, total, most, gamma)
        return RocCurves(found)

    def best(self, X=None, y=None, *, fpr_at_most=None, cost_ratio=None, **options):
        """Choose the best classifier for a bound on the FPR or a ratio of costs: :meth:`roc` and
        :meth:`RocCurves.best` in one.

        Parameters
        ----------
        X, y : array-like of shape (m, d) and (m,), default=None
            Rows to validate on. Without them the training rows are used in folds.
        fpr_at_most, cost_ratio : float, default=None
            As in :meth:`RocCurves.best`.
        **options
            Of :meth:`roc`.

        Returns
        -------
        OperatingPoint
            For ``predict`` and ``decision_function``.
        """
        return self.roc(X, y, **options).best(fpr_at_most=fpr_at_most, cost_ratio=cost_ratio)

    @renamed(**_FORMER)
    def map(self, C_pos=(0.0, 1.0), C_neg=(0.0, 1.0)):
        """Find all critical regions of a rectangle of costs.

        Parameters
        ----------
        C_pos, C_neg : pair of float, default=(0, 1)
            The sides of the rectangle.

        Returns
        -------
        Map
            The number of regions grows quickly with the number of rows.
        """
        return self._explore((C_pos, C_neg))
