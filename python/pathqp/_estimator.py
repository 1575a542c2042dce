"""What all estimators that follow a path share."""

import numpy as np
from joblib import cpu_count, effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from ._checks import as_count, as_finite, as_number, shown
from ._data import watcher
from ._names import ENGINE, FormerNames, named_as_here, renamed_params
from ._path import Path, warn_unless_certified
from ._pathqp import InputError, ProblemPath
from ._warn import warn


class PathEstimator(FormerNames, BaseEstimator):
    """Poses a problem, follows its path and keeps it."""

    def set_params(self, **params):
        """Sets parameters by their names; former names are accepted with a ``FutureWarning``.

        Parameters
        ----------
        **params : dict
            Parameters of the constructor.

        Returns
        -------
        self : estimator instance
        """
        return super().set_params(**renamed_params(self, params))

    def _names_of_features(self):
        return getattr(self, "feature_names_in_", None)

    def _follow(self, asked, vary, ends=(None, None), kind=Path, **options):
        """The path of a question, of class ``kind``; warns where it does not reach its end or its certificates do
        not hold.
        """
        names = self._names_of_features()
        if names is not None and asked["names"] is None:
            asked = {**asked, "names": list(map(str, names))}
        inner = followed(self, asked, vary, ends)
        path = kind(inner, ENGINE.get(vary, vary), names=names, classes=getattr(self, "classes_", None), **options)
        if not path.complete:
            warn(f"the path over {path.parameter} ends early: {path.stop}", ConvergenceWarning)
        warn_unless_certified(path._affordable_certificate(), path.parameter)
        return path


def followed(estimator, asked, vary, ends=(None, None), max_events=None):
    """The path of a problem, watched by the estimator's ``progress``."""
    most = _limit(estimator) if max_events is None else as_count("max_events", max_events)
    limits = (threads(estimator), most, _tolerance(estimator))
    report, close = watcher(estimator.progress, type(estimator).__name__)
    try:
        with named_as_here():
            return ProblemPath.follow(asked, vary, ends, limits, report)
    finally:
        close()


def threads(estimator):
    """How many threads ``n_jobs`` means, as in joblib."""
    asked = getattr(estimator, "n_jobs", None)
    if asked is None:
        return effective_n_jobs(None)
    value = as_number("n_jobs", asked)
    if not (np.isfinite(value) and value == int(value) and value != 0):
        raise InputError(f"n_jobs = {shown(asked)}: it must be None or a whole number other than zero, as in joblib")
    # More threads than cores are of no use.
    cores = cpu_count()
    return min(effective_n_jobs(int(np.clip(value, -cores, cores))), cores)


def _limit(estimator):
    """``max_events`` as a number of events, or None."""
    most = getattr(estimator, "max_events", None)
    return None if most is None else as_count("max_events", most)


def _tolerance(estimator):
    """``tolerance`` as a number with whether the path is one of inexact solutions, or None."""
    given, inexact = getattr(estimator, "tolerance", None), bool(getattr(estimator, "inexact", False))
    if given is None:
        if inexact:
            raise InputError("inexact = True needs a tolerance: how large the duality gap may be")
        return None
    value = as_finite("tolerance", given)
    if value < 0:
        raise InputError(f"tolerance = {value}: it must not be negative")
    return value, inexact
