"""Habits of Python: names, pickles, pipelines, errors, signals, progress."""

import doctest
import importlib
import importlib.util
import os
import pickle
import re
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import pathqp
from conftest import ROOT
from pathqp import (
    CostSensitiveSVC,
    CriticalLine,
    InputError,
    KernelQuantileRegressor,
    LassoPath,
    MomentClassifier,
    PathSVR,
    QuantileSVC,
    ShapeRegressor,
    TrendFilter,
)


def classifiers():
    return [QuantileSVC(alpha=0.05), CostSensitiveSVC(), MomentClassifier()]


def regressors():
    return [KernelQuantileRegressor(), PathSVR(), LassoPath()]


def target(model, X, y):
    """Labels for a classifier, numbers without ties for a regressor."""
    return y if is_classifier(model) else X.sum(axis=1) + np.sin(np.arange(len(y)))


def answer(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


@pytest.mark.parametrize("model", classifiers() + regressors() + [CriticalLine()], ids=lambda m: type(m).__name__)
def test_pickles_answer_alike(model, cancer):
    X, y = cancer[0][:150], cancer[1][:150]
    model = clone(model).fit(X, target(model, X, y))
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(answer(model, X), answer(copied, X))
    if hasattr(model, "path_"):
        assert np.array_equal(model.path_.breakpoints, copied.path_.breakpoints)
        assert repr(copied.path_) == repr(model.path_)
    if isinstance(model, CostSensitiveSVC):
        assert np.array_equal(model.decision_function(X, 0.2, 0.7), copied.decision_function(X, 0.2, 0.7))
    if isinstance(model, MomentClassifier):
        assert copied.moments_.counts == model.moments_.counts


def test_maps_are_pickled(curve):
    found = KernelQuantileRegressor(gamma=1.0).fit(curve[0][:10], curve[1][:10]).map(alpha=(0.1, 1.0))
    copied = pickle.loads(pickle.dumps(found))
    assert np.array_equal(found.at(0.5, 0.5).alpha, copied.at(0.5, 0.5).alpha) and len(found) == len(copied)


def test_damaged_pickles_are_refused(cancer):
    inner = QuantileSVC(alpha=0.1).fit(cancer[0][:50], cancer[1][:50]).path_._inner
    restore, (data,) = inner.__reduce__()
    for damaged in (b"", data[:-3], data[: len(data) // 2], bytes(len(data))):
        with pytest.raises(InputError):
            restore(damaged)


@pytest.mark.parametrize("model", classifiers(), ids=lambda m: type(m).__name__)
def test_pipelines_and_folds(model, cancer):
    X, y = cancer
    scores = cross_val_score(make_pipeline(MinMaxScaler(), model), X, y, cv=3)
    assert scores.min() > 0.85


def test_grid_search(curve):
    X, y = curve
    folds = KFold(4, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), KernelQuantileRegressor())
    search = GridSearchCV(model, {"kernelquantileregressor__alpha": [0.1, 1, 10]}, cv=folds)
    assert search.fit(X, y).best_score_ > 0.3


def test_names_are_kept(cancer):
    X, y = cancer
    frame = pd.DataFrame(X[:, :3], columns=["radius", "texture", "perimeter"])
    for model in classifiers() + regressors():
        t = target(model, X, y)
        model.fit(frame, t)
        assert list(model.feature_names_in_) == list(frame.columns)
        assert np.array_equal(answer(model, frame), answer(clone(model).fit(frame.to_numpy(), t), frame.to_numpy()))
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame.rename(columns={"radius": "other"}))
    labels = np.where(y == 1, "benign", "malign")
    assert set(QuantileSVC(alpha=0.05).fit(frame, labels).predict(frame)) <= {"benign", "malign"}


@pytest.mark.parametrize("value, text", [(np.nan, "contains NaN"), (np.inf, "contains inf"), (1e200, "square")])
def test_errors_name_row_and_column(value, text, cancer):
    X, y = cancer[0][:50].copy(), cancer[1][:50]
    X[7, 2] = value
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    for model in classifiers() + regressors():
        with pytest.raises(ValueError, match=rf"{text}.*X\[7, 2\].*row 7, column 2"):
            clone(model).fit(X, y)
        with pytest.raises(InputError, match="'f2'"):
            clone(model).fit(frame, y)
        fitted = clone(model).fit(cancer[0][:50], y)
        if not (isinstance(model, MomentClassifier) and np.isfinite(value)):
            with pytest.raises(InputError, match=r"X\[7, 2\]"):
                fitted.predict(X)
    with pytest.raises(InputError, match=r"X\[7, 2\]"):
        CriticalLine().fit(X)


def test_errors_name_rows_of_responses_and_weights(cancer):
    X, y = cancer[0][:50], cancer[1][:50].astype(float)
    bad = y.copy()
    bad[11] = np.inf
    for model in regressors():
        with pytest.raises(InputError, match=r"y\[11\]"):
            clone(model).fit(X, bad)
    weights = np.ones(50)
    weights[4] = -1
    with pytest.raises(InputError, match=r"sample_weight\[4\]"):
        QuantileSVC().fit(X, y, sample_weight=weights)
    with pytest.raises(InputError, match=r"y\[1\]"):
        QuantileSVC().fit(X, y).rates(X[:3], [0, 2, 1])
    with pytest.raises(InputError, match="one class"):
        QuantileSVC().fit(X, np.ones(50))


@pytest.mark.parametrize(
    "model, text",
    [
        (QuantileSVC(alpha=0.0), "alpha = 0"),
        (QuantileSVC(alpha=np.nan), "alpha = nan"),
        (QuantileSVC(kernel="linnear"), "kernel = 'linnear'"),
        (QuantileSVC(kernel="rbf", gamma=-1), "gamma = -1"),
        (QuantileSVC(bias="no"), "bias = no"),
        (QuantileSVC(bias=0.0), "augmented bias 0"),
        (CostSensitiveSVC(C_pos=-1), "C_pos = -1"),
        (CostSensitiveSVC(C_max=0.0), "no length"),
        (PathSVR(vary="gamma"), "vary"),
        (LassoPath(ridge=-1.0), "ridge = -1"),
        (LassoPath(alpha=0.1, alpha_min=0.2), "alpha_min"),
        (MomentClassifier("error"), "objective = error"),
        (MomentClassifier(alpha=-1), "alpha = -1"),
        (CriticalLine(upper=0.001), "bounds sum"),
    ],
)
def test_errors_name_parameters(model, text, cancer):
    with pytest.raises(InputError, match=text):
        model.fit(cancer[0][:60], cancer[1][:60])


@pytest.mark.parametrize("order", ["C", "F"])
def test_inputs_are_copied(order, cancer):
    X, y = np.array(cancer[0], order=order), cancer[1].copy()
    model = QuantileSVC(alpha=0.05).fit(X, y)
    kept = cancer[0]
    before = model.decision_function(kept, quantile=0.3)
    X[:] = np.nan
    y[:] = 0
    assert np.array_equal(model.decision_function(kept, quantile=0.3), before)
    assert model.path_.at(0.3).kkt_residual < 1e-9


def test_inputs_are_not_changed(cancer):
    X, y = cancer[0].copy(), cancer[1].copy()
    X.flags.writeable = y.flags.writeable = False
    for model in classifiers() + regressors():
        model.fit(X, target(model, cancer[0], y))
        model.predict(X)
    assert np.array_equal(X, cancer[0])


def long_problem():
    """A path that takes some seconds."""
    random = np.random.default_rng(0)
    X = random.standard_normal((3000, 40))
    return X, (X[:, 0] + 2 * random.standard_normal(3000) > 0).astype(int)


def test_progress_is_told():
    seen = []
    X, y = long_problem()
    QuantileSVC(alpha=1e-3, progress=lambda part, events: seen.append((part, events))).fit(X[:1500], y[:1500])
    parts = [part for part, _ in seen]
    assert len(seen) >= 2 and all(0 <= part <= 1 for part in parts) and parts[-1] > parts[0]


def test_a_callback_ends_the_path():
    class Enough(Exception):
        pass

    def stop(part, events):
        raise Enough

    with pytest.raises(Enough):
        QuantileSVC(alpha=1e-3, progress=stop).fit(*long_problem())


def test_tqdm_shows_a_bar(capsys):
    X, y = long_problem()
    QuantileSVC(alpha=1e-3, progress=True).fit(X[:1500], y[:1500])
    assert "QuantileSVC" in capsys.readouterr().err


def test_ctrl_c_ends_the_path():
    X, y = long_problem()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    # A process that was started in the background may ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    began = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(20):
                QuantileSVC(alpha=1e-4).fit(X, y)
        assert time.monotonic() - began < 5
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_run_meanwhile():
    X, y = long_problem()
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    QuantileSVC(alpha=1e-3).fit(X[:1500], y[:1500])
    ended = time.monotonic()
    done.set()
    thread.join()
    during = [t for t in ticks if began < t < ended]
    assert len(during) > 0.2 * (ended - began) / 0.01


def test_threads_fit_at_the_same_time(cancer):
    models = [QuantileSVC(alpha=lam) for lam in (0.01, 0.02, 0.05, 0.1)]
    threads = [threading.Thread(target=model.fit, args=cancer) for model in models]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for model in models:
        assert np.array_equal(model.path_.breakpoints, clone(model).fit(*cancer).path_.breakpoints)


def test_figures_are_drawn(cancer, curve, tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    X, y = cancer
    svm = QuantileSVC(alpha=1e-2).fit(X, y)
    kqr = KernelQuantileRegressor(0.1, gamma=1.0).fit(*curve)
    costs = CostSensitiveSVC().fit(X[::2], y[::2])
    axes = [
        svm.path_.plot(),
        svm.path_.plot("duals"),
        LassoPath().fit(X, target(LassoPath(), X, y)).path_.plot(),
        CriticalLine().fit(X[:, :8]).path_.plot(),
        kqr.plot_quantiles(*curve),
        kqr.tune(quantiles=(0.3, 0.7), cv=3).plot(),
        costs.roc(X[1::2], y[1::2], total=1.0).plot(),
        KernelQuantileRegressor(gamma=1.0).fit(curve[0][:10], curve[1][:10]).map(alpha=(0.1, 1.0)).plot(),
    ]
    for k, ax in enumerate(axes):
        assert ax.get_xlabel() and ax.get_ylabel() and ax.has_data()
        ax.figure.savefig(tmp_path / f"{k}.png")
    with pytest.raises(InputError, match="no coefficients"):
        kqr.path_.plot("coefficients")


def test_figures_of_signals_show_the_fits():
    import matplotlib

    matplotlib.use("Agg")
    y = np.repeat([1.0, 4.0, 2.0], 6) + np.tile([0.1, -0.2, 0.0], 6)
    trend = TrendFilter(0.5).fit(y)
    first, *lines = trend.plot([0.2, 3.0]).get_lines()
    assert np.array_equal(first.get_ydata(), y)
    assert np.array_equal([line.get_ydata() for line in lines], trend.transform([0.2, 3.0]))
    assert [line.get_label() for line in lines] == ["penalty α = 0.2", "penalty α = 3"]
    assert 2 <= len(trend.plot().get_lines()) <= 5
    x = np.repeat([0.0, 1.0, 2.5, 4.0], 2)
    shape = ShapeRegressor().fit(x, y[:8])
    first, *lines = shape.plot(x, y[:8], [-1.0, 0.0]).get_lines()
    assert np.array_equal(first.get_xdata(), x) and np.array_equal(first.get_ydata(), y[:8])
    for line, bound in zip(lines, [-1.0, 0.0]):
        assert np.array_equal(line.get_xdata(), shape.X_thresholds_)
        assert np.allclose(line.get_ydata(), shape.predict(shape.X_thresholds_, bound), rtol=0, atol=1e-12)
    with pytest.raises(InputError, match="13 values"):
        trend.plot(np.arange(13.0))
    with pytest.raises(InputError, match="other values"):
        shape.plot(x[:-2], y[:6])


def drawn(ax, line, places):
    """What a line of a figure shows at places of its axis, from 0 to 1, and the values that they stand for."""
    scale = ax.xaxis.get_transform()
    x, y = line.get_data()
    ends = scale.transform(np.array(ax.get_xlim()))
    at = ends[0] + places * (ends[1] - ends[0])
    return scale.inverted().transform(at), np.interp(at, scale.transform(np.asarray(x, dtype=float)), y)


def test_figures_are_drawn_through_the_curve(cancer):
    """What is affine between breakpoints is no straight line on an axis that is logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = cancer
    lasso, costs = LassoPath().fit(X, target(LassoPath(), X, y)).path_, CostSensitiveSVC().fit(X[::2], y[::2]).path_
    logarithmic = plt.subplots()[1]
    logarithmic.set_xscale("log")
    figures = [(lasso.plot(), lasso), (costs.plot(ax=logarithmic), costs)]
    assert figures[0][0].get_xscale() == "symlog"
    for ax, path in figures:
        lines = [line for line in ax.get_lines() if len(line.get_xdata()) > 2]
        assert lines
        shown = np.array([drawn(ax, line, np.linspace(0.001, 0.999, 1500))[1] for line in lines]).T
        values = drawn(ax, lines[0], np.linspace(0.001, 0.999, 1500))[0]
        inside = (values >= min(path.range)) & (values <= max(path.range))
        exact = path.curves(values[inside])["w"]
        assert inside.mean() > 0.5 and np.abs(shown[inside] - exact).max() < 2e-3 * np.ptp(exact)
        plt.close(ax.figure)


def blocks(page):
    """The programs of a page, with the headings above them."""
    text = (ROOT / page).read_text()
    found = re.finditer(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)
    return [(page, re.findall(r"^##? (.*)$", text[: block.start()], flags=re.M)[-1], block[1]) for block in found]


PAGES = ["README.md", "python/README.md"]
PAGES += [f"docs/{name}.md" for name in ("python", "grid-search", "programs", "migration", "cookbook")]
PAGES += sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "problems").glob("*.md"))


@pytest.mark.parametrize("page, title, code", [block for page in PAGES for block in blocks(page)], ids=lambda text: text.split("\n")[0][:40])
def test_pages_run_as_written(page, title, code, tmp_path, monkeypatch, capsys):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    exec(compile(code, f"{page}, {title}", "exec"), {})
    assert capsys.readouterr().out
    assert "savefig" not in code or list(tmp_path.glob("*.png"))


def test_every_page_has_its_programs():
    assert [len(blocks(page)) for page in PAGES[:2]] == [1, 1]
    titles = " ".join(title for _, title, _ in blocks("docs/python.md"))
    for name in pathqp.__all__:
        if hasattr(getattr(pathqp, name), "fit"):
            assert f"{name}:" in titles


def test_the_page_of_names_is_that_of_the_code():
    spec = importlib.util.spec_from_file_location("api", ROOT / "python" / "api.py")
    api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(api)
    assert (ROOT / "docs" / "python-api.md").read_text() == api.page(), "run python python/api.py > docs/python-api.md"
    # What the classes say of themselves is there once they are fitted.
    X, y = [[0.0], [1.0], [2.0], [3.5]], [0, 0, 1, 1]
    for name in pathqp.__all__:
        if hasattr(getattr(pathqp, name), "fit"):
            kind = getattr(pathqp, name)
            # Each class of y has two rows.
            model = kind(**({"cv": 2} if name == "ProbabilitySVC" else {})).fit(X, y)
            for line in api.attributes(type(model)):
                for attribute in line.split(" :")[0].split(", "):
                    # Only linear kernels have weights of the features.
                    absent = ("tuning_", "feature_names_in_") + (("coef_",) if getattr(model, "kernel", "linear") != "linear" else ())
                    assert hasattr(model, attribute) or attribute in absent, f"{name}.{attribute}"
            for method, found in api.methods(type(model)).items():
                assert found.__doc__, f"{name}.{method} says nothing"


def test_examples_in_docstrings():
    for module in ("_classifiers", "_cost_svc", "_probability_svc", "_quantile_svc", "_quantiles", "_svr", "_lasso", "_portfolio", "_moments", "_path", "_map", "_tuning", "_search"):
        assert doctest.testmod(importlib.import_module(f"pathqp.{module}")).failed == 0


def test_version_is_a_version():
    assert pathqp.__version__.count(".") == 2


def test_a_path_is_shown_in_a_notebook():
    path = pathqp.NonNegativeLeastSquares().fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1.0, 2.0, 3.0]).path_
    shown = path._repr_html_()
    assert "alpha from" in shown and f"<td>{len(path.breakpoints)}</td>" in shown and "target" in shown
