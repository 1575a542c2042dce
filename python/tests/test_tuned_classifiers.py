"""The best penalty for every asymmetry of costs, against another program's SVMs at single ones."""

import json

import numpy as np
import pytest
from sklearn.svm import SVC

import pathqp

ALPHAS = [0.3, 0.03, 0.003]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((90, 2))
    y = (X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.7 * rng.standard_normal(90) > 0.3).astype(int)
    return X, y


def costs(y, predicted, tau, loss):
    """Those of all rows."""
    wrong = predicted != y
    return wrong * (1.0 if loss == "error" else np.where(y == 1, 2 * (1 - tau), 2 * tau))


def by_svc(X, y, parts, tau, alpha, loss):
    """The mean loss of scikit-learn's SVMs on the rows held out."""
    found = []
    for train, held in parts:
        weights = {1: 2 * (1 - tau), 0: 2 * tau}
        svm = SVC(C=1 / (len(train) * alpha), gamma=0.5, class_weight=weights, tol=1e-10).fit(X[train], y[train])
        found.append(costs(y[held], svm.predict(X[held]), tau, loss))
    return np.concatenate(found).mean()


@pytest.mark.parametrize("loss", ["cost", "error"])
@pytest.mark.parametrize("how", ["folds", "validation"])
def test_the_best_alpha_is_that_of_single_svms(data, loss, how):
    X, y = data
    rows = np.arange(len(y))
    if how == "folds":
        parts = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
        model = pathqp.QuantileSVC(kernel="rbf", gamma=0.5).fit(X, y)
        tuning = model.tune(cv=3, alphas=ALPHAS, loss=loss)
    else:
        parts = [(rows[:60], rows[60:])]
        model = pathqp.QuantileSVC(kernel="rbf", gamma=0.5).fit(X[:60], y[:60])
        tuning = model.tune((X[60:], y[60:]), alphas=ALPHAS, loss=loss)
    assert tuning.recounted and tuning.pieces["quantile_from"][0] == 0 and tuning.pieces["quantile_to"][-1] == 1
    for tau in (np.arange(12) + 0.413) / 12:
        losses = [by_svc(X, y, parts, tau, alpha, loss) for alpha in ALPHAS]
        assert tuning.loss(tau) == pytest.approx(min(losses), abs=1e-9)
        assert losses[ALPHAS.index(tuning.alpha(tau))] == pytest.approx(min(losses), abs=1e-9)


def test_the_command_line_has_the_same_pieces(data, tmp_path, command):
    X, y = data
    table = "\n".join(",".join(map(repr, map(float, row))) for row in np.column_stack([X, y]))
    (tmp_path / "rows.csv").write_text(f"a,b,y\n{table}\n")
    options = ["--train", tmp_path / "rows.csv", "--folds", 3, "--kernel", "rbf:0.5", "--grid", "0.3,0.03,0.003"]
    told = json.loads(command("tune", "quantile-svm", *options, "--json"))
    tuning = pathqp.QuantileSVC(kernel="rbf", gamma=0.5).fit(X, y).tune(cv=3, alphas=ALPHAS)
    pieces = [tuple(piece[name] for name in ("from", "to", "tuned_from", "tuned_to", "loss_from", "loss_to")) for piece in told["pieces"]]
    assert pieces == [tuple(piece) for piece in tuning.pieces]
    # The costs of the other problem are those of the first one, read from the other side; here with 60 rows to train on in each fold.
    options[-1] = ",".join(str(1 / (60 * alpha)) for alpha in ALPHAS)
    other = json.loads(command("tune", "cost-svm", *options, "--param", "0.3,0.6", "--json"))
    for at in other["at"]:
        assert at["loss"] == pytest.approx(tuning.loss(1 - at["param"]), abs=1e-9)


def test_what_cannot_be_tuned_is_named(data):
    model = pathqp.QuantileSVC().fit(*data)
    for options, words in [
        ({"loss": "hinge"}, "loss = 'hinge': it must be cost or error"),
        ({"cv": 1}, "cv = 1"),
        ({"alphas": [0.0]}, "alpha"),
        ({"alphas": []}, "alphas = "),
        ({"quantiles": (0.5,)}, "quantiles has 1 entries"),
        ({"quantiles": (0.5, 0.2)}, "quantiles = 0.2"),
        ({"validation": (data[0][:3], [0, 1, 2])}, r"y\[2\]"),
    ]:
        with pytest.raises(pathqp.InputError, match=words):
            model.tune(**options)
