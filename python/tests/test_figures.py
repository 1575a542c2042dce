"""Figures that the command line draws too: the same, to the last byte."""

import pickle

import numpy as np
import pandas as pd
import pytest
from test_report import CASES, ids, labelled, posed, table

from pathqp import CostSensitiveSVC, InputError, KernelQuantileRegressor, LassoPath, PathSVR, QuantileSVC

ENDING = "{}: figures are written as .svg, .png or .pdf; choose one of these endings"


@pytest.mark.parametrize("problem, model, options, data, value, tolerance", CASES, ids=ids)
def test_paths(problem, model, options, data, value, tolerance, command, tmp_path):
    asked, file, follow = posed(problem, model, options, data, tmp_path)
    command(*asked, "--plot", tmp_path / "theirs.svg")
    path = follow(model)
    drawn = path.figure(tmp_path / "mine.svg", source=str(file))
    theirs = (tmp_path / "theirs.svg").read_text()
    assert theirs.startswith("<svg") and drawn == path.figure(source=file) == (tmp_path / "mine.svg").read_text() == theirs


def test_approximate_paths(command, tmp_path):
    asked, file, follow = posed("lasso", LassoPath(), "--bias intercept", table, tmp_path)
    command(*asked, "--tolerance", "1.0", "--plot", tmp_path / "theirs.svg")
    assert follow(LassoPath(tolerance=1.0)).figure(source=file) == (tmp_path / "theirs.svg").read_text()


@pytest.mark.parametrize("ending, begins", [("png", b"\x89PNG"), ("PDF", b"%PDF"), ("", b"<svg")])
def test_other_forms(ending, begins, command, tmp_path):
    asked, file, follow = posed("kqr", KernelQuantileRegressor(0.5, gamma=2.0), "--kernel rbf:2 --lambda 0.5", table, tmp_path)
    mine, theirs = (tmp_path / f"{name}.{ending}".rstrip(".") for name in ("mine", "theirs"))
    command(*asked, "--plot", theirs)
    svg = follow(KernelQuantileRegressor(0.5, gamma=2.0)).figure(str(mine), source=file)
    assert mine.read_bytes() == theirs.read_bytes() and mine.read_bytes().startswith(begins)
    assert svg.startswith("<svg")


def worded():
    X, y = labelled()
    return X, y.map({0.0: "early", 1.0: "late"})


def test_labels_that_are_words(command, tmp_path):
    model = QuantileSVC(1e-2)
    asked, file, follow = posed("quantile-svm", model, "--lambda 1e-2 --bias intercept", worded, tmp_path)
    kept, page, theirs = tmp_path / "kept.path", tmp_path / "page.html", tmp_path / "theirs.svg"
    command(*asked, "--out", kept, "--plot", theirs)
    command("report", kept, "--train", file, "--out", page)
    path = follow(model)
    assert path.report(source=file.name) == page.read_text() and '"late"' in page.read_text()
    assert path.figure(source=file.name) == theirs.read_text() and "class +1" in theirs.read_text()


@pytest.mark.parametrize("row", [None, 3])
def test_maps(row, command, tmp_path):
    cases = [
        ("cost-svm", CostSensitiveSVC(), "--bias intercept", labelled, {"C_pos": (0.0, 2.0), "C_neg": (0.0, 3.0)}, "0:2,0:3"),
        ("svr", PathSVR(gamma=2.0), "--kernel rbf:2", table, {"C": (0.0, 0.5), "epsilon": (20.0, 60.0)}, "0:0.5,20:60"),
    ]
    for problem, model, options, data, ranges, domain in cases:
        X, y = data()
        file, theirs, mine = tmp_path / f"{problem}.csv", tmp_path / "theirs.svg", tmp_path / "mine.png"
        X.assign(response=y).to_csv(file, index=False, float_format="%.17g")
        shown = [] if row is None else ["--color", f"alpha:{row + 1}"]
        command("map", problem, "--train", file, *options.split(), "--domain", domain, "--plot", theirs, *shown)
        found = model.fit(X, y).map(**ranges)
        assert found.figure(mine, row=row, source=file) == theirs.read_text()
        assert mine.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match="row = 70: the map has 70 rows"):
        found.figure(row=70)


def test_roc_curves(command, tmp_path):
    X, y = labelled()
    file, theirs = tmp_path / "train.csv", tmp_path / "theirs.svg"
    X.assign(response=y).to_csv(file, index=False, float_format="%.17g")
    command("roc", "--train", file, "--test", file, "--plot", theirs)
    curves = CostSensitiveSVC().fit(X, y).roc(X, y)
    assert curves.figure(source=file) == theirs.read_text()


def test_what_is_refused(tmp_path):
    path = LassoPath().fit(*table()).path_
    for name in ("figure.jpg", "figure.svgz", "my.figure"):
        file = tmp_path / name
        with pytest.raises(InputError) as caught:
            path.figure(file)
        assert str(caught.value) == ENDING.format(file) and not file.exists()
    with pytest.raises(OSError, match="folder"):
        path.figure(tmp_path / "folder" / "figure.svg")
    with pytest.raises(TypeError):
        path.figure(3)


def test_names_in_the_figure_stay_names():
    X = np.random.default_rng(0).standard_normal((20, 2))
    svg = LassoPath().fit(pd.DataFrame(X, columns=["<b>", "a & b"]), X[:, 0]).path_.figure(source="</svg>")
    assert "<b>" not in svg and "&lt;b&gt;" in svg and svg.count("</svg>") == 1


TUNED = [
    ("kqr", "--folds 3 --kernel rbf:2 --from 0.3 --to 0.7", lambda X, y: KernelQuantileRegressor(gamma=2.0).fit(X, y).tune(cv=3, quantiles=(0.3, 0.7))),
    ("kqr", "--criterion sic --kernel rbf:2 --from 0.3 --to 0.7", lambda X, y: KernelQuantileRegressor(gamma=2.0).fit(X, y).tune(criterion="sic", quantiles=(0.3, 0.7))),
    ("quantile-svm", "--folds 3 --grid 0.3,0.03,0.003", lambda X, y: QuantileSVC().fit(X, y).tune(cv=3, alphas=[0.3, 0.03, 0.003])),
    ("quantile-svm", "--folds 3 --grid 1,0.1 --loss error", lambda X, y: QuantileSVC().fit(X, y).tune(cv=3, alphas=[1, 0.1], loss="error")),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("problem, options, tune", TUNED)
def test_what_was_tuned(problem, options, tune, command, tmp_path):
    X, y = labelled() if problem == "quantile-svm" else table()
    file, theirs, mine = tmp_path / "train.csv", tmp_path / "theirs.svg", tmp_path / "mine.pdf"
    X.assign(response=y).to_csv(file, index=False, float_format="%.17g")
    command("tune", problem, "--train", file, *options.split(), "--plot", theirs)
    # Of what was kept and is read again, without the data.
    tuned = pickle.loads(pickle.dumps(tune(X, y)))
    assert tuned.figure(mine) == tuned.figure() == theirs.read_text()
    assert mine.read_bytes().startswith(b"%PDF")
    with pytest.raises(InputError, match=ENDING.format("tuned.gif")):
        tuned.figure("tuned.gif")
