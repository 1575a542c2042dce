"""What the classifiers share."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from ._data import training
from ._machine import KernelMachine
from ._pathqp import InputError


def signs(estimator, y, weights=None):
    """Labels as -1 and +1; keeps ``classes_``, of which the second is +1. Rows of weight zero have no say in what the classes are."""
    counted = y if weights is None else y[weights > 0]
    check_classification_targets(counted)
    kind = type_of_target(counted, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise InputError(f"Only binary classification is supported. The type of the target is {kind}.")
    estimator.classes_ = np.unique(counted)
    if len(estimator.classes_) < 2:
        raise InputError(f"only one class ({estimator.classes_[0]!r}) in {len(counted)} rows: two classes are needed")
    return np.where(y == estimator.classes_[1], 1.0, -1.0)


class BinaryMachine(ClassifierMixin, KernelMachine):
    """What both classifiers share."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _training(self, X, y, sample_weight):
        X_rows, X, y, weights = training(self, X, y, sample_weight)
        return X_rows, X, signs(self, y, weights), weights

    def _classes(self, f):
        return self.classes_[(f > 0).astype(int)]

    def _known_signs(self, y):
        """Labels of validation rows as -1 and +1."""
        y = np.asarray(y)
        for row in np.flatnonzero(~np.isin(y, self.classes_))[:1]:
            raise InputError(f"y[{row}] = {y[row]!r}: it must be one of {list(self.classes_)}")
        return np.where(y == self.classes_[1], 1.0, -1.0)
