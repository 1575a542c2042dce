"""What fitted estimators keep, with the shapes and signs of scikit-learn's own."""

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Lasso, LinearRegression, QuantileRegressor
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR, OneClassSVM
from sklearn.utils.class_weight import compute_class_weight

from pathqp import (
    CostSensitiveSVC,
    InputError,
    KernelQuantileRegressor,
    LassoPath,
    NonNegativeLeastSquares,
    OneClassPath,
    PathSVR,
    QuantileSVC,
)


def compare(model, peer, scale=1.0, names=("coef_", "intercept_", "dual_coef_"), atol=1e-4):
    """Whether attributes have the same shapes, kinds and, to the peer's tolerance, values."""
    for name in names:
        mine, theirs = getattr(model, name), np.asarray(getattr(peer, name)) * scale
        assert np.shape(mine) == theirs.shape, name
        assert np.abs(mine - theirs).max() < atol * max(1.0, np.abs(theirs).max()), name
    assert model.n_features_in_ == peer.n_features_in_


def same_support(model, peer):
    assert np.array_equal(model.support_, peer.support_) and model.support_.dtype == peer.support_.dtype


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_classifiers_are_svc(cancer, kernel):
    X, y = cancer
    names = ("coef_", "intercept_", "dual_coef_") if kernel == "linear" else ("intercept_", "dual_coef_")
    options = {"kernel": kernel, "gamma": 0.5}
    # SVC leaves the two classes in the order of classes_, and so do we.
    costs = CostSensitiveSVC(0.3, 2.2, C_max=1.0, **options).fit(X, y)
    peer = SVC(C=1.0, class_weight={1: 0.3, 0: 2.2}, tol=1e-9, **options).fit(X, y)
    compare(costs, peer, names=names)
    same_support(costs, peer)
    assert np.array_equal(costs.n_support_, peer.n_support_) and costs.n_support_.dtype == peer.n_support_.dtype
    svm = QuantileSVC(alpha=1e-2, quantile=0.3, **options).fit(X, y)
    peer = SVC(C=1 / (1e-2 * len(y)), class_weight={1: 1.4, 0: 0.6}, tol=1e-9, **options).fit(X, y)
    compare(svm, peer, names=names)
    same_support(svm, peer)


@pytest.mark.parametrize("weight", ["balanced", {"malign": 3.0, "benign": 0.5}])
@pytest.mark.parametrize("sampled", [False, True])
def test_class_weights_are_those_of_svc(cancer, weight, sampled):
    X, y = cancer[0], np.where(cancer[1] == 1, "benign", "malign")
    sample_weight = np.random.default_rng(4).uniform(0.5, 2.0, len(y)) if sampled else None
    peer = SVC(kernel="linear", C=0.7, class_weight=weight, tol=1e-9).fit(X, y, sample_weight=sample_weight)
    costs = CostSensitiveSVC(0.7, 0.7, class_weight=weight).fit(X, y, sample_weight=sample_weight)
    compare(costs, peer)
    # The losses of the quantile SVM are means: those of all rows, however heavy.
    by_class = compute_class_weight(weight, classes=np.unique(y), y=y)[(y == "malign").astype(int)]
    total = (by_class if sample_weight is None else by_class * sample_weight).sum()
    compare(QuantileSVC(alpha=1 / (0.7 * total), class_weight=weight).fit(X, y, sample_weight=sample_weight), peer)


@pytest.mark.parametrize("weight", [{0: -1.0, 1: 1.0}, {0: np.nan, 1: 1.0}, {0: 0.0, 1: 1.0}])
def test_class_weights_that_cannot_be_are_named(cancer, weight):
    with pytest.raises(InputError, match=r"class_weight\[0\] = "):
        QuantileSVC(class_weight=weight).fit(*cancer)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("vary", ["epsilon", "C"])
def test_tubes_are_svr(curve, kernel, vary):
    X, y = curve
    options = {"kernel": kernel, "gamma": 0.5, "C": 2.0, "epsilon": 0.2}
    model, peer = PathSVR(vary=vary, **options).fit(X, y), SVR(tol=1e-10, **options).fit(X, y)
    compare(model, peer, names=("coef_", "intercept_", "dual_coef_") if kernel == "linear" else ("intercept_", "dual_coef_"))
    same_support(model, peer)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_outliers_are_those_of_one_class_svm(cancer, kernel):
    X, nu = cancer[0][:200], 0.2713
    model = OneClassPath(nu=nu, kernel=kernel, gamma=0.5).fit(X)
    peer = OneClassSVM(nu=nu, kernel=kernel, gamma=0.5, tol=1e-10).fit(X)
    # Its dual variables have the sum nu n, ours one.
    scale = 1 / (nu * len(X))
    compare(model, peer, scale, ("coef_", "intercept_", "dual_coef_") if kernel == "linear" else ("intercept_", "dual_coef_"))
    same_support(model, peer)
    assert np.isclose(model.offset_, peer.offset_[0] * scale, atol=1e-6) and model.offset_ == -model.intercept_[0]
    assert np.isclose(model.dual_coef_.sum(), 1.0)
    assert np.array_equal(model.predict(X), np.where(model.decision_function(X) < -1e-12, -1, 1))


def test_quantiles_are_the_quantile_regressor(curve):
    X, y = curve
    model = KernelQuantileRegressor(alpha=1e-6, kernel="linear", quantile=0.31).fit(X, y)
    compare(model, QuantileRegressor(quantile=0.31, alpha=0.0).fit(X, y), names=("coef_", "intercept_"), atol=1e-3)
    assert isinstance(model.intercept_, float)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    "model",
    [QuantileSVC(alpha=0.01), CostSensitiveSVC(0.7, 1.3), KernelQuantileRegressor(), PathSVR(), PathSVR(vary="C"), OneClassPath(nu=0.3)],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'vary', '')}",
)
def test_f_is_its_expansion(cancer, model, kernel):
    """f(x) = sum dual_coef_ k(x_i, x) + intercept_, and for linear kernels coef_ x + intercept_, whatever the estimator."""
    X, y = cancer[0][:120], cancer[1][:120]
    y = y if hasattr(model, "predict_proba") or isinstance(model, CostSensitiveSVC) else X[:, 0] + np.sin(np.arange(120))
    model = clone(model).set_params(kernel=kernel, gamma=0.7).fit(X, y)
    f = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
    gram = X[model.support_] @ X.T if kernel == "linear" else rbf_kernel(X[model.support_], X, gamma=0.7)
    assert np.abs(model.dual_coef_[0] @ gram + model.intercept_ - f).max() < 1e-9 * max(1.0, np.abs(f).max())
    assert model.dual_coef_.all()
    if kernel == "linear":
        assert np.abs(X @ np.ravel(model.coef_) + model.intercept_ - f).max() < 1e-9 * max(1.0, np.abs(f).max())
    else:
        with pytest.raises(AttributeError, match="linear"):
            model.coef_
        assert not hasattr(model, "coef_")


def test_attributes_follow_the_parameter(cancer):
    X, y = cancer
    model = QuantileSVC(alpha=1e-2).fit(X, y)
    model.set_params(quantile=0.8)
    assert np.array_equal(model.coef_[0], model.path_.at(0.8).w)
    with pytest.raises(NotFittedError):
        QuantileSVC().coef_


def test_the_lasso_is_the_lasso():
    X, y = load_diabetes(return_X_y=True)
    model, peer = LassoPath(alpha=0.5).fit(X, y), Lasso(alpha=0.5, tol=1e-12, max_iter=100_000).fit(X, y)
    compare(model, peer, names=("coef_", "intercept_"))
    assert isinstance(model.intercept_, float) and np.array_equal(model.coef_ != 0, peer.coef_ != 0)
    plain = LassoPath(alpha=0.5, fit_intercept=False).fit(X, y)
    compare(plain, Lasso(alpha=0.5, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, y), names=("coef_", "intercept_"))
    assert plain.intercept_ == 0.0


def test_least_squares_are_nnls():
    X, y = load_diabetes(return_X_y=True)
    model = NonNegativeLeastSquares().fit(X, y)
    compare(model, LinearRegression(positive=True, fit_intercept=False).fit(X, y), names=("coef_", "intercept_"))
    assert np.abs(model.coef_ - nnls(X, y)[0]).max() < 1e-8 * np.abs(model.coef_).max()
