"""scikit-learn's own checks of its conventions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import pathqp

ESTIMATORS = [
    pathqp.QuantileSVC(),
    pathqp.QuantileSVC(kernel="rbf", alpha=0.01, bias="augmented"),
    pathqp.ProbabilitySVC(cv=3),
    pathqp.ProbabilitySVC(alphas=[0.1, 0.01], kernel="linear", bias="augmented", cv=2),
    pathqp.CostSensitiveSVC(),
    pathqp.KernelQuantileRegressor(),
    pathqp.PathSVR(),
    pathqp.PathSVR(vary="C"),
    pathqp.LassoPath(),
    pathqp.DantzigSelector(),
    pathqp.L1SVC(),
    pathqp.NonCrossingQuantileRegressor(alpha=1.0),
    pathqp.MomentClassifier(),
    pathqp.CriticalLine(),
    pathqp.NonNegativeLeastSquares(),
    pathqp.OneClassPath(),
]


def expected_failures(estimator):
    """The order of rows by f at one tau is another one than that by their probability, which comes from all tau. Planes
    predict a column a level, and the checks expect one number a row.
    """
    if isinstance(estimator, pathqp.QuantileSVC):
        return {"check_decision_proba_consistency": "f at one tau and P(Y = 1|x) from all tau order rows differently"}
    if isinstance(estimator, pathqp.NonCrossingQuantileRegressor):
        checks = ("check_regressors_train", "check_estimator_sparse_array", "check_estimator_sparse_matrix")
        return dict.fromkeys(checks, "a prediction has one column a level")
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_conventions(estimator, check):
    check(estimator)
