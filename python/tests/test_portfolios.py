"""Portfolios: labels, targets at the ends, the largest Sharpe ratio where all lose, prices."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest

from pathqp import CriticalLine, DataWarning, InputError

MEAN = pd.Series({"a": 0.01, "b": 0.03, "c": 0.02})
COV = pd.DataFrame([[0.01, 0.002, 0.0], [0.002, 0.09, 0.01], [0.0, 0.01, 0.04]], index=list("abc"), columns=list("abc"))
FREE = [0.609919571045576, 0.140750670241287, 0.249329758713137]
BOUND = [0.73125, 0.16875, 0.1]


def weights(model, t=0.5):
    return dict(zip(model.feature_names_in_, model.path_.at(t).w))


def test_moments_and_bounds_are_matched_by_label():
    upper = pd.Series({"c": 0.1, "a": 1.0, "b": 1.0})
    for order, columns, mean in itertools.product(itertools.permutations("abc"), itertools.permutations("abc"), ("abc", "cab")):
        cov = COV.loc[list(order), list(columns)]
        model = CriticalLine(risk_tolerance=0.5).fit_moments(MEAN[list(mean)], cov)
        assert list(model.feature_names_in_) == list(mean) and model.n_features_in_ == 3
        assert np.allclose([weights(model)[name] for name in "abc"], FREE, atol=1e-12)
        assert np.array_equal(model.weights_, model.path_.at(0.5).w)
        model = CriticalLine(upper=upper, lower=pd.Series(0.0, index=list("bca"))).fit_moments(MEAN[list(mean)], cov)
        assert np.allclose([weights(model)[name] for name in "abc"], BOUND, atol=1e-12)


def test_tables_without_labels_go_by_position():
    mean, cov = MEAN.to_numpy(), COV.to_numpy()
    model = CriticalLine(risk_tolerance=0.5).fit_moments(mean, cov)
    assert np.allclose(model.weights_, FREE, atol=1e-12) and not hasattr(model, "feature_names_in_")
    # The first table with labels sets the order, for those before it too.
    cab = COV.loc[list("cab"), list("cab")]
    model = CriticalLine().fit_moments([0.02, 0.01, 0.03], cab)
    assert list(model.feature_names_in_) == list("cab")
    assert np.allclose([weights(model)[name] for name in "abc"], FREE, atol=1e-12)
    # Labels of the rows or of the columns alone are those of both.
    for one in (cab.reset_index(drop=True), cab.T.reset_index(drop=True).T):
        model = CriticalLine().fit_moments(MEAN, one)
        assert np.allclose(model.path_.at(0.5).w, FREE, atol=1e-12)
    # pandas' own numbering is none, other numbers are labels.
    plain = CriticalLine().fit_moments(pd.Series(mean), pd.DataFrame(cov))
    assert not hasattr(plain, "feature_names_in_") and np.allclose(plain.path_.at(0.5).w, FREE, atol=1e-12)
    numbers = {"a": 7, "b": 3, "c": 5}
    model = CriticalLine(upper=pd.Series({5: 0.1, 7: 1.0, 3: 1.0})).fit_moments(MEAN.rename(numbers), cab.rename(numbers).rename(columns=numbers))
    assert np.allclose(model.path_.at(0.5).w, BOUND, atol=1e-12) and not hasattr(model, "feature_names_in_")
    # Bounds alone.
    bounds = {"lower": pd.Series({"x": 0.0, "y": 0.0, "z": 0.0}), "upper": pd.Series({"z": 0.1, "x": 1.0, "y": 1.0})}
    assert np.allclose(CriticalLine(**bounds).fit_moments(mean, cov).path_.at(0.5).w, BOUND, atol=1e-12)
    # Fitted again without labels there are none.
    assert not hasattr(CriticalLine().fit_moments(MEAN, COV).fit_moments(mean, cov), "feature_names_in_")


def test_returns_and_bounds():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(0.01 + 0.05 * rng.standard_normal((60, 4)), columns=list("wxyz"))
    upper = pd.Series({"z": 0.1, "y": 0.4, "x": 1.0, "w": 0.2})
    model = CriticalLine(upper=upper).fit(X)
    other = CriticalLine(upper=[0.2, 1.0, 0.4, 0.1]).fit(X.to_numpy())
    assert np.array_equal(model.path_.breakpoints, other.path_.breakpoints)
    again = CriticalLine(upper=upper).fit_moments(X.mean(), X.cov().loc[list("zwyx")])
    assert np.allclose(again.path_.at(0.3).w, model.path_.at(0.3).w, atol=1e-9)
    assert np.allclose(again.predict(X), X @ again.weights_)
    assert model.path_.residual()[0] < 1e-9
    for point in (model.path_.at(0.0), model.path_.at(0.3), model.with_return(model.path_.at(0.1).mean)):
        assert point.kkt_residual < 1e-9 and point.relative_gap < 1e-9
    with pytest.raises(InputError, match=r"labels of upper are not those of the columns of X, missing: \['z'\], unknown: \['v'\]"):
        CriticalLine(upper=upper.rename({"z": "v"})).fit(X)


def test_labels_that_differ_are_named():
    renamed = COV.rename(columns={"c": "d"})
    with pytest.raises(InputError, match=r"the columns of covariance are not those of mean, missing: \['c'\], unknown: \['d'\]"):
        CriticalLine().fit_moments(MEAN, renamed)
    with pytest.raises(InputError, match="the rows of covariance"):
        CriticalLine().fit_moments(MEAN, renamed.T)
    with pytest.raises(InputError, match=r"upper are not those of mean, missing: \['b'\]"):
        CriticalLine(upper=pd.Series({"c": 1.0, "a": 1.0})).fit_moments(MEAN, COV)
    with pytest.raises(InputError, match="'a' occurs twice"):
        CriticalLine().fit_moments(MEAN.rename({"b": "a"}), COV)
    with pytest.raises(InputError, match=r"lower has the shape \(2,\)"):
        CriticalLine(lower=[0.0, 0.1]).fit_moments(MEAN, COV)


def test_the_largest_sharpe_ratio_where_all_lose():
    cov = [[0.01, 0, 0], [0, 0.09, 0.01], [0, 0.01, 0.25]]
    with pytest.warns(DataWarning, match="no portfolio returns more than the risk-free 0.*-0.01.*corner"):
        model = CriticalLine().fit_moments([-0.010, -0.012, -0.018], cov)
    assert np.array_equal(model.weights_, [0, 0, 1])
    with pytest.warns(DataWarning):
        best = model.max_sharpe()
    assert np.isclose(best.sharpe, -0.036) and np.isnan(best.value)
    with pytest.warns(DataWarning, match="risk-free 0.011"):
        assert np.isclose(CriticalLine(risk_free_rate=0.011).fit_moments([0.001, 0.0008, 0.0002], cov).max_sharpe().sharpe, -0.0216)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CriticalLine().fit_moments([0.001, 0.0008, 0.0002], cov).max_sharpe().sharpe > 0
        CriticalLine(risk_tolerance=1.0).fit_moments([-0.010, -0.012, -0.018], cov)
    with pytest.warns(DataWarning, match="grows towards"):
        free = CriticalLine(lower=-np.inf, upper=np.inf, risk_free_rate=1.0).fit_moments([0.01, 0.02, 0.03], cov)
    # Without an answer, the least variance.
    assert np.array_equal(free.weights_, free.path_.at(0.0).w)


def test_random_losses_against_all_portfolios():
    rng = np.random.default_rng(54)
    for trial in range(60):
        d = 2 + trial % 4
        A = rng.standard_normal((d, d + 2))
        cov, mean, upper = A @ A.T * 0.01, -0.01 * rng.uniform(0.2, 2, d), [1.0, 0.6, 1.2 / d + 0.1][trial % 3]
        with pytest.warns(DataWarning):
            best = CriticalLine(upper=upper).fit_moments(mean, cov).max_sharpe()
        assert np.isclose(best.w.sum(), 1) and best.w.max() <= upper + 1e-12 and best.w.min() >= -1e-12
        W = rng.dirichlet(np.full(d, 0.3), 3000)
        W = W[W.max(axis=1) <= upper]
        assert (W @ mean / np.sqrt(np.einsum("ij,jk,ik->i", W, cov, W)) <= best.sharpe + 1e-12).all()


def test_targets_at_the_ends():
    cov = np.diag([0.01, 0.09, 0.16, 0.04])
    cov[0, 1] = cov[1, 0] = 0.002
    cov[1, 2] = cov[2, 1] = 0.01
    model = CriticalLine(lower=-1.0).fit_moments([0.01, 0.03, 0.03, 0.02], cov)
    found = model.with_return(0.05)
    assert np.array_equal(found.w, [-1, 1, 1, 0]) and np.isclose(found.variance, 0.276, atol=1e-15)
    with pytest.raises(InputError, match=r"the return 0.0500001: choose one from 0\.01\d* to 0.04999"):
        model.with_return(0.0500001)
    rng = np.random.default_rng(56)
    for trial in range(100):
        d = 2 + trial % 8
        mean, A = np.round(rng.normal(0.005, 0.02, d), 6), rng.standard_normal((d, d + 1))
        model = CriticalLine(lower=-1.0, upper=1.0).fit_moments(mean, A @ A.T)
        last = model.path_.at(1e9)
        for target in (mean @ last.w, last.w @ mean, model.path_.curves()["mean"].max(), np.round(mean @ last.w, 12)):
            assert np.isclose(model.with_return(target).mean, target, rtol=0, atol=1e-15)


def test_prices_are_noticed():
    rng = np.random.default_rng(3)
    returns = 0.001 + 0.02 * rng.standard_normal((250, 3))
    prices = 100 * np.cumprod(1 + returns, axis=0)
    with pytest.warns(DataWarning, match="looks like prices and not like returns: every value is positive"):
        CriticalLine().fit(prices)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        model = CriticalLine().fit_prices(pd.DataFrame(prices, columns=["x", "y", "z"]))
        same = CriticalLine().fit(prices[1:] / prices[:-1] - 1)
    assert list(model.feature_names_in_) == ["x", "y", "z"]
    assert np.allclose(model.path_.at(0.01).w, same.path_.at(0.01).w, atol=1e-9)
    prices[4, 1] = -1.0
    with pytest.raises(InputError, match="row 4, column 1"):
        CriticalLine().fit_prices(prices)


def test_the_frontier_is_drawn_with_its_assets():
    import matplotlib

    matplotlib.use("Agg")
    rng = np.random.default_rng(3)
    prices = pd.DataFrame(np.cumprod(1 + rng.normal(0.01, 0.04, (61, 4)), axis=0), columns=list("abcd"))
    model = CriticalLine(periods_per_year=12, risk_free_rate=0.01).fit_prices(prices)
    best = model.max_sharpe()
    assert best.risk == pytest.approx(np.sqrt(best.variance)) and best.sharpe == pytest.approx((best.mean - 0.01) / best.risk)
    returns = prices.pct_change().dropna()
    ax = model.plot()
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert np.allclose(lines["assets"].get_ydata(), 12 * returns.mean())
    assert np.allclose(lines["assets"].get_xdata(), np.sqrt(12) * returns.std())
    # No asset lies beyond the frontier: where a portfolio has its return, it has no more risk.
    risks, means = lines["efficient portfolios"].get_data()
    for mean, risk in zip(12 * returns.mean(), np.sqrt(12) * returns.std()):
        if means.min() <= mean <= means.max():
            assert model.with_return(mean).risk <= risk * (1 + 1e-9)
    assert np.all(np.diff(risks) >= -1e-12) and {text.get_text() for text in ax.texts} == set("abcd")
    moments = CriticalLine(risk_free_rate=0.01).fit_moments(12 * returns.mean(), 12 * returns.cov())
    again = {line.get_label(): line for line in moments.plot().get_lines()}
    assert np.allclose(again["assets"].get_xdata(), lines["assets"].get_xdata())
    assert np.allclose(again["efficient portfolios"].get_xdata()[[0, -1]], risks[[0, -1]])
