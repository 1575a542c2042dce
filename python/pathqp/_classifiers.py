"""What the classifiers share."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from ._checks import shown
from ._data import training
from ._machine import KernelMachine
from ._pathqp import InputError


def known_classes(estimator, y, weights=None, binary=False):
    """Labels as places in ``classes_``, which is kept. Rows of weight zero have no say in what the classes are."""
    counted = y if weights is None else y[weights > 0]
    try:
        check_classification_targets(counted)
        kind = type_of_target(counted, input_name="y", raise_unknown=True)
    except ValueError as error:
        raise InputError(str(error)) from None
    if binary and kind != "binary":
        raise InputError(f"Only binary classification is supported. The type of the target is {kind}.")
    estimator.classes_ = np.unique(counted)
    if len(estimator.classes_) < 2:
        raise InputError(f"only one class ({estimator.classes_[0]!r}) in {len(counted)} rows: two classes are needed")
    # A row of weight zero may have another label.
    return np.searchsorted(estimator.classes_, y).clip(max=len(estimator.classes_) - 1)


def signs(estimator, y, weights=None):
    """Labels as -1 and +1; keeps ``classes_``, of which the second is +1."""
    known_classes(estimator, y, weights, binary=True)
    return np.where(y == estimator.classes_[1], 1.0, -1.0)


def by_class(estimator, y, which, weights):
    """The case weights, each times the weight of its class; ``which`` is the place of each row's class."""
    if estimator.class_weight is None:
        return weights
    counted = y if weights is None else y[weights > 0]
    try:
        each = compute_class_weight(estimator.class_weight, classes=estimator.classes_, y=counted)
    except (TypeError, ValueError) as error:
        raise InputError(f"class_weight = {shown(estimator.class_weight)}: {error}") from None
    for name, weight in zip(estimator.classes_, each):
        if not (np.isfinite(weight) and weight > 0):
            name = name.item() if hasattr(name, "item") else name
            raise InputError(f"class_weight[{name!r}] = {weight}: it must be a finite number greater than zero")
    by_row = each[which.astype(int)]
    return by_row if weights is None else weights * by_row


class BinaryMachine(ClassifierMixin, KernelMachine):
    """What the classifiers with a kernel share."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _training(self, X, y, sample_weight):
        X_rows, X, y, weights = training(self, X, y, sample_weight)
        labels = signs(self, y, weights)
        self._positive = labels > 0
        return X_rows, X, labels, by_class(self, y, self._positive, weights)

    def _support(self):
        """Those of the first class before those of the second, as :class:`sklearn.svm.SVC` has them."""
        support, expansion = super()._support()
        return support[np.argsort(self._positive[support], kind="stable")], expansion

    @property
    def n_support_(self):
        """How many support vectors each class has, of shape (2,)."""
        second = int(self._positive[self.support_].sum())
        return np.array([len(self.support_) - second, second], dtype=np.int32)

    def _classes(self, f):
        return self.classes_[(f > 0).astype(int)]

    def _known_signs(self, y):
        """Labels of validation rows as -1 and +1."""
        y = np.asarray(y)
        for row in np.flatnonzero(~np.isin(y, self.classes_))[:1]:
            raise InputError(f"y[{row}] = {y[row]!r}: it must be one of {list(self.classes_)}")
        return np.where(y == self.classes_[1], 1.0, -1.0)
