#!/usr/bin/env python3
"""`ProbabilitySVC` beside scikit-learn's SVMs with probabilities: the tables of probabilities.md.

    pip install scikit-learn ./python
    probabilities.py DATA [NAME,...]

DATA is a folder with `binary/` and `multiclass/` (LIBSVM text). Five stratified splits (shuffled, seed 0); columns scaled by the training rows to
mean 0 and variance 1; kernel rbf, gamma = "scale". What is chosen is chosen on the training rows by the same five stratified folds, for the log loss: C of
the others among 11 values in half decades from 0.01 to 1000, alpha of ours by its walk. Seconds are processor time of choice and fit, one thread.
"""

import os
import sys
import time
import warnings

os.environ.update(dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], "1"))

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pathqp import ProbabilitySVC

BINARY = ["heart", "diabetes_scale", "australian", "german.numer", "SAheart", "sonar_scale", "ionosphere_scale", "fourclass", "breast-cancer", "bupa"]
# Not looked at before the constants of the method were fixed, as those of several classes.
FURTHER = ["wdbc", "svmguide3", "splice", "ripley_synth.tr", "esl_mixture", "liver-disorders"]
MULTICLASS = ["iris", "wine", "glass.scale", "vehicle"]
COSTS = np.logspace(-2, 3, 11)


def grid(model, name):
    return GridSearchCV(model, {name: COSTS}, scoring="neg_log_loss", cv=5)


def methods():
    """Name and estimator, which chooses for itself."""
    calibrated = {ensemble: CalibratedClassifierCV(SVC(), cv=5, ensemble=ensemble) for ensemble in (True, False)}
    yield "ProbabilitySVC", ProbabilitySVC(cv=5)
    yield "calibrated, five SVMs", grid(calibrated[True], "estimator__C")
    yield "calibrated, one SVM", grid(calibrated[False], "estimator__C")
    yield "SVC(probability=True)", grid(SVC(probability=True, random_state=0), "C")


def measure(X, y):
    """Log loss, error, seconds, disagreements of predict and argmax: one row a split, one column a method."""
    out = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        scaler = StandardScaler().fit(X[train])
        rows, new, row = scaler.transform(X[train]), scaler.transform(X[test]), []
        for _, model in methods():
            start = time.process_time()
            model.fit(rows, y[train])
            seconds = time.process_time() - start
            P, said = model.predict_proba(new), model.predict(new)
            tried = len(model.losses_[0]) if isinstance(model, ProbabilitySVC) else len(COSTS)
            away = (said != model.classes_[P.argmax(axis=1)]).sum()
            row.append((log_loss(y[test], P, labels=model.classes_), (said != y[test]).mean(), seconds, away, tried))
        out.append(row)
    return np.array(out)


def table(folder, names, data):
    heads = [name for name, _ in methods()]
    print("| data | n × d, classes | log loss: " + " | ".join(heads) + " | seconds | | | | alphas |")
    print("|---" * (2 + 2 * len(heads) + 1) + "|")
    means, wrong, errors = [], [], []
    for name in names:
        X, y = load_svmlight_file(os.path.join(data, folder, name + ".svm"))
        X = X.toarray()
        found = measure(X, y)
        mean = found.mean(axis=0)
        means.append(mean)
        wrong.append(found[:, :, 3].sum(axis=0))
        errors.append(mean[:, 1])
        cells = [f"{value:.4f}" for value in mean[:, 0]] + [f"{value:.2f}" for value in mean[:, 2]]
        size = f"{X.shape[0]} × {X.shape[1]}, {len(np.unique(y))}"
        print(f"| {name} | {size} | " + " | ".join(cells) + f" | {mean[0, 4]:.1f} |", flush=True)
    means = np.mean(means, axis=0)
    cells = [f"{value:.4f}" for value in means[:, 0]] + [f"{value:.2f}" for value in means[:, 2]]
    print("| mean | | " + " | ".join(cells) + f" | {means[0, 4]:.1f} |")
    print("\nmean error rates: " + ", ".join(f"{head} {value:.4f}" for head, value in zip(heads, means[:, 1])))
    print("rows where predict is not the most probable class: " + ", ".join(f"{head} {int(value)}" for head, value in zip(heads, np.sum(wrong, axis=0))))
    print()


def main():
    warnings.simplefilter("ignore", FutureWarning)  # SVC(probability=True)
    data, chosen = sys.argv[1], sys.argv[2].split(",") if len(sys.argv) > 2 else BINARY + FURTHER + MULTICLASS
    for folder, names in (("binary", BINARY), ("binary", FURTHER), ("multiclass", MULTICLASS)):
        if here := [name for name in names if name in chosen]:
            table(folder, here, data)


if __name__ == "__main__":
    main()
