"""Names of parameters: those of today, and the former ones for one release."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pathqp
from pathqp import (
    CostSensitiveSVC,
    CriticalLine,
    KernelQuantileRegressor,
    LinearQuantileRegressor,
    MomentClassifier,
    NonNegativeLeastSquares,
    OneClassPath,
    PathSVR,
    QuantileSVC,
    TrendFilter,
    search,
    tune_widths,
)

FORMER = [
    (QuantileSVC, {"lam": 0.05, "tau": 0.3, "n_threads": 2}, {"alpha": 0.05, "quantile": 0.3, "n_jobs": 2}),
    (CostSensitiveSVC, {"c_pos": 0.5, "c_neg": 2.0, "c_max": 3.0, "n_threads": 1}, {"C_pos": 0.5, "C_neg": 2.0, "C_max": 3.0, "n_jobs": 1}),
    (KernelQuantileRegressor, {"lam": 0.05, "tau": 0.3, "n_threads": 2}, {"alpha": 0.05, "quantile": 0.3, "n_jobs": 2}),
    (LinearQuantileRegressor, {"tau": 0.3, "l1": 0.5}, {"quantile": 0.3, "alpha": 0.5}),
    (PathSVR, {"n_threads": 2}, {"n_jobs": 2}),
    (OneClassPath, {"n_threads": 2}, {"n_jobs": 2}),
    (NonNegativeLeastSquares, {"lam": 0.5}, {"alpha": 0.5}),
    (TrendFilter, {"lam": 0.5}, {"alpha": 0.5}),
    (CriticalLine, {"risk_free": 0.01, "t": 0.5}, {"risk_free_rate": 0.01, "risk_tolerance": 0.5}),
    (MomentClassifier, {"lam": 0.5}, {"alpha": 0.5}),
]


def estimators():
    return [getattr(pathqp, name) for name in pathqp.__all__ if hasattr(getattr(pathqp, name), "get_params")]


def is_about(warning, old, new):
    return warning.category is FutureWarning and str(warning.message).startswith(f"{old} is now called {new};")


@pytest.mark.parametrize("kind, former, today", FORMER, ids=lambda value: getattr(value, "__name__", ""))
def test_former_names_are_accepted_and_told(kind, former, today):
    expected = kind(**today)
    for make in (lambda: kind(**former), lambda: kind().set_params(**former)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = make()
        assert model.get_params() == expected.get_params()
        assert [w.filename for w in caught] == [__file__] * len(former), "the warning is about the line that uses the name"
        assert all(is_about(w, old, new) for w, (old, new) in zip(caught, zip(former, today), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy = pickle.loads(pickle.dumps(clone(model)))
        assert copy.get_params() == expected.get_params()
        assert not set(former) & set(model.get_params()) and not set(former) & set(vars(model))
    for (old, value), new in zip(former.items(), today):
        with pytest.warns(FutureWarning, match=f"^{old} is now called {new};"):
            assert getattr(model, old) == value
        with pytest.warns(FutureWarning, match=f"^{old} is now called {new};"):
            setattr(model, old, 7)
        assert model.get_params()[new] == 7
        with pytest.raises(TypeError, match=new), pytest.warns(FutureWarning):
            kind(**{old: 1, new: 1})


def test_every_table_of_names_leads_to_parameters():
    """No estimator has a former name that leads nowhere, or one that is a name of today."""
    for kind in estimators():
        today = set(kind._get_param_names())
        for old, new in getattr(kind, "_former", {}).items():
            assert old not in today and (new in today or new.endswith("_")), (kind, old, new)
    assert {kind for kind, _, _ in FORMER} == {kind for kind in estimators() if getattr(kind, "_former", {})}


def test_what_was_pickled_before_is_read(cancer):
    X, y = cancer[0][:60], cancer[1][:60]
    model = QuantileSVC(alpha=0.05, quantile=0.3).fit(X, y)
    state = model.__getstate__()
    former = {"alpha": "lam", "quantile": "tau", "n_jobs": "n_threads"}
    old = QuantileSVC.__new__(QuantileSVC)
    old.__setstate__({former.get(name, name): value for name, value in state.items()})
    assert old.get_params() == model.get_params() and np.array_equal(old.decision_function(X), model.decision_function(X))


def test_former_arguments_of_methods(curve, cancer):
    X, y = cancer[0][:80], cancer[1][:80]
    svm, costs = QuantileSVC(alpha=0.05).fit(X, y), CostSensitiveSVC().fit(X, y)
    kqr = KernelQuantileRegressor(gamma=1.0).fit(curve[0][:12], curve[1][:12])
    tuning = kqr.tune(cv=3, quantiles=(0.4, 0.6))
    rows = curve[0][:5]
    signal = TrendFilter().fit(curve[1])
    pairs = [
        (lambda: svm.decision_function(X, tau=0.3), lambda: svm.decision_function(X, quantile=0.3)),
        (lambda: svm.predict(X, tau=[0.3, 0.6]), lambda: svm.predict(X, quantile=[0.3, 0.6])),
        (lambda: svm.rates(X, y)["tau"], lambda: svm.rates(X, y)["quantile"]),
        (lambda: costs.decision_function(X, c_pos=0.2), lambda: costs.decision_function(X, C_pos=0.2)),
        (lambda: costs.predict(X, c_neg=0.2), lambda: costs.predict(X, C_neg=0.2)),
        (lambda: costs.solution(C_pos=1.0, c_neg=0.2).alpha, lambda: costs.solution(1.0, 0.2).alpha),
        (lambda: kqr.predict(rows, tau=0.3), lambda: kqr.predict(rows, quantile=0.3)),
        (lambda: kqr.predict_quantiles(rows, taus=[0.3]), lambda: kqr.predict_quantiles(rows, [0.3])),
        (lambda: kqr.tune(cv=3, taus=(0.4, 0.6)).pieces["alpha_from"], lambda: tuning.pieces["alpha_from"]),
        (lambda: kqr.predict_tuned(rows, tau=0.5), lambda: kqr.predict_tuned(rows, quantile=0.5)),
        (lambda: kqr.map(tau=(0.4, 0.6), alpha=(0.5, 1.0)).free, lambda: kqr.map((0.4, 0.6), (0.5, 1.0)).free),
        (lambda: tuning.lam(0.5), lambda: tuning.alpha(0.5)),
        (lambda: tuning.loss(tau=0.5), lambda: tuning.loss(0.5)),
        (lambda: tuning.lambda_range, lambda: tuning.alpha_range),
        (lambda: signal.transform(lam=0.5), lambda: signal.transform(0.5)),
        (lambda: signal.lam_max_, lambda: signal.alpha_max_),
    ]
    for former, today in pairs:
        with pytest.warns(FutureWarning, match="is now called"):
            found = former()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.array_equal(found, today())
    assert np.array_equal(tuning.pieces["lam_from"], tuning.pieces["alpha_from"])
    point = costs.best(X, y, fpr_at_most=0.5, total=1.0)
    with pytest.warns(FutureWarning, match="c_pos is now called C_pos"):
        assert point.c_pos == point.C_pos


def test_former_names_in_grids(curve):
    X, y = curve
    options = {"quantiles": [0.5], "cv": 2}
    with pytest.warns(FutureWarning, match="lam is now called alpha"):
        found = search(KernelQuantileRegressor(), {"lam": [0.1, 1.0]}, X, y, **options)
    again = search(KernelQuantileRegressor(), {"alpha": [0.1, 1.0]}, X, y, **options)
    assert np.array_equal(found.losses, again.losses)
    with pytest.warns(FutureWarning, match="taus is now called quantiles"):
        assert search(KernelQuantileRegressor(), {"alpha": [0.1]}, X, y, taus=[0.5], cv=2).quantiles == [0.5]
    with pytest.warns(FutureWarning, match="taus is now called quantiles"):
        assert found.taus == [0.5]
    with pytest.warns(FutureWarning, match="lam is now called alphas"):
        tune_widths(KernelQuantileRegressor(), [1.0], X[:20], y[:20], cv=2, quantiles=(0.4, 0.5), lam=(0.5, 1.0))
    model = make_pipeline(StandardScaler(), KernelQuantileRegressor())
    with pytest.warns(FutureWarning, match="lam is now called alpha"):
        GridSearchCV(model, {"kernelquantileregressor__lam": [0.1, 1]}, cv=2).fit(X, y)


def test_a_subclass_with_parameters_of_its_own(cancer):
    class Mine(QuantileSVC):
        def __init__(self, alpha=1.0, *, strength=2.0):
            super().__init__(alpha=alpha, quantile=0.3)
            self.strength = strength

    model = clone(Mine(strength=3.0))
    assert model.strength == 3.0 and model.quantile == 0.3
    assert model.fit(*cancer).predict(cancer[0]).shape == cancer[1].shape


def test_threads_are_those_of_joblib(cancer):
    X, y = cancer
    paths = [QuantileSVC(alpha=0.05, n_jobs=n).fit(X, y).path_ for n in (None, 1, 2, -1)]
    assert all(np.array_equal(path.breakpoints, paths[0].breakpoints) for path in paths)
    with pytest.raises(ValueError, match="n_jobs"):
        QuantileSVC(n_jobs=0).fit(X, y)
