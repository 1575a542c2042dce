#!/usr/bin/env python3
"""Makes the tables of moments.md.

    cargo build --release -p pathqp-cli
    cargo build --release -p pathqp-moments --example artificial
    python3 docs/experiments/moments.py real target/release/pathqp DATA [NAME,... [REPEATS]]   tables 4.5 and 4.6
    python3 docs/experiments/moments.py stream target/release/pathqp                           rows read in parts
    target/release/examples/artificial table 20                                        tables 4.2 and 4.3
    target/release/examples/artificial cost                                            an evaluation against n

DATA holds the LIBSVM files named below. numpy, scipy and scikit-learn are needed. Five-fold cross-validation, repeated REPEATS (four) times; the features
are scaled to [-1, 1] beforehand, sparse ones by their largest size so that they stay sparse.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

# name, file below DATA, the label that is +1 against the rest (none: two labels), the number of features
SETS = [
    ("fourclass", "binary/fourclass_scale.svm", None, None),
    ("svmguide1", "binary/svmguide1.svm", None, None),
    ("diabetes", "binary/diabetes_scale.svm", None, None),
    ("vowel", "multiclass/vowel.train.svm", 1, None),
    ("magic04", "binary/magic04.svm.gz", None, None),
    ("letter", "multiclass/letter.scale.svm.gz", 1, None),
    ("segment", "multiclass/segment.scale.svm", 1, None),
    ("svmguide3", "binary/svmguide3.svm", None, None),
    ("german", "binary/german.numer_scale.svm", None, None),
    ("satimage", "multiclass/satimage.svm.gz", 4, None),
    ("sonar", "binary/sonar_scale.svm", None, None),
    ("a9a", "binary/a9a.svm.gz", None, 123),
    ("w8a", "binary/w8a.svm.gz", None, 300),
    ("digits 0", "multiclass/digits.svm", 0, None),
    ("mnist 0", "multiclass/mnist_t10k.svm.gz", 0, None),
    ("covtype sample", "binary/covtype_sample.svm", None, None),
    ("colon-cancer", "binary/colon-cancer.svm.gz", None, None),
]


def load(folder, file, positive, features):
    import numpy
    import scipy.sparse
    from sklearn.datasets import load_svmlight_file

    x, y = load_svmlight_file(str(pathlib.Path(folder) / file), n_features=features)
    y = numpy.where(y == (max(y) if positive is None else positive), 1, -1)
    if x.nnz <= x.shape[0] * x.shape[1] / 3:
        largest = numpy.abs(x).max(axis=0).toarray().ravel()
        return (x @ scipy.sparse.diags(1 / numpy.where(largest > 0, largest, 1))).tocsr(), y
    x = x.toarray()
    low, high = x.min(axis=0), x.max(axis=0)
    return (2 * x - low - high) / numpy.where(high > low, high - low, 1), y


def write(file, x, y):
    from sklearn.datasets import dump_svmlight_file

    dump_svmlight_file(x, y, file, zero_based=False)


def run(program, objective, bias, folder, d):
    command = [program, "moments", "--objective", objective, "--train", f"{folder}/train.svm", "--test", f"{folder}/test.svm"]
    command += ["--features", str(d), "--bias", bias, "--compare", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def peers(train, test):
    """scikit-learn's logistic regression, with the penalty of ours and an intercept, and its LDA: (scores, seconds) each."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression

    logistic = LogisticRegression(C=0.5, max_iter=500)
    dense = lambda x: x.toarray() if hasattr(x, "toarray") else x
    found = {}
    for name, model, form in [("sklearn logistic", logistic, lambda x: x), ("sklearn LDA", LinearDiscriminantAnalysis(), dense)]:
        clock = time.process_time()
        model.fit(form(train[0]), train[1])
        seconds = time.process_time() - clock
        found[name] = (model.decision_function(form(test[0])), seconds)
    return found


def real(program, folder, names, repeats):
    import numpy
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    tables = {"accuracy": [], "auc": []}
    for name, file, positive, features in SETS:
        if names and name not in names:
            continue
        x, y = load(folder, file, positive, features)
        n, d = x.shape
        seen = {"accuracy": {}, "auc": {}}

        def note(kind, method, **values):
            for key, value in values.items():
                seen[kind].setdefault((method, key), []).append(value)

        for repeat in range(repeats):
            for train, test in StratifiedKFold(5, shuffle=True, random_state=repeat).split(x, y):
                with tempfile.TemporaryDirectory() as temporary:
                    write(f"{temporary}/train.svm", x[train], y[train])
                    write(f"{temporary}/test.svm", x[test], y[test])
                    for bias, mark in [("none", ""), ("augmented", " +1")]:
                        report = run(program, "zero-one", bias, temporary, d)
                        seconds = report["seconds"]
                        note("accuracy", "F01" + mark, q=1 - report["test"]["error"], s=seconds["optimise"], m=seconds["moments"], i=report["iterations"])
                        for other in report["compare"]:
                            if other["name"] == "logistic" or bias == "none":
                                mark_other = mark if other["name"] == "logistic" else ""
                                note("accuracy", other["name"] + mark_other, q=1 - other["test"]["error"], s=other["seconds"], i=other.get("iterations") or 0)
                    report = run(program, "auc", "none", temporary, d)
                    seconds = report["seconds"]
                    note("auc", "Frank", q=report["test"]["auc"], s=seconds["optimise"], m=seconds["moments"], i=report["iterations"])
                    for other in report["compare"]:
                        note("auc", other["name"], q=other["test"]["auc"], s=other["seconds"], i=other.get("iterations") or 0)
                    for method, (scores, seconds) in peers((x[train], y[train]), (x[test], y[test])).items():
                        note("accuracy", method, q=numpy.mean(numpy.where(scores > 0, 1, -1) == y[test]), s=seconds)
                        note("auc", method, q=roc_auc_score(y[test], scores), s=seconds)

        def cell(kind, method, key, form):
            values = seen[kind].get((method, key))
            return form.format(numpy.mean(values), numpy.std(values, ddof=1)) if values else "-"

        quality, mean, time_form = "{0:.4f} ± {1:.4f}", "{0:.1f}", "{0:.4f}"
        head = [name, f"{n:,} × {d}", f"{numpy.mean(y > 0):.2f}"]
        row = list(head)
        for method in ["F01", "F01 +1", "logistic", "logistic +1", "lda", "sklearn logistic", "sklearn LDA"]:
            row.append(cell("accuracy", method, "q", quality))
        row += [cell("accuracy", "F01", "i", mean), cell("accuracy", "logistic", "i", mean)]
        row += [cell("accuracy", "F01", "m", time_form), cell("accuracy", "F01", "s", time_form)]
        row += [cell("accuracy", m, "s", time_form) for m in ["logistic", "sklearn logistic", "sklearn LDA"]]
        tables["accuracy"].append(row)
        row = list(head)
        for method in ["Frank", "pairwise-hinge", "lda", "sklearn logistic", "sklearn LDA"]:
            row.append(cell("auc", method, "q", quality))
        row += [cell("auc", "Frank", "i", mean), cell("auc", "pairwise-hinge", "i", mean)]
        row += [cell("auc", "Frank", "m", time_form), cell("auc", "Frank", "s", time_form), cell("auc", "pairwise-hinge", "s", time_form)]
        tables["auc"].append(row)
        for kind in tables:
            print(kind, "| " + " | ".join(tables[kind][-1]) + " |", flush=True)


def rows(n, file):
    """Writes n labelled rows of 20 features."""
    import numpy

    random = numpy.random.default_rng(n)
    y = random.integers(0, 2, n)
    x = random.normal(size=(n, 20)) + 0.3 * y[:, None]
    header = ",".join(f"x{j}" for j in range(20)) + ",y"
    numpy.savetxt(file, numpy.column_stack([x, y]), fmt="%.9g", delimiter=",", header=header, comments="")


def stream(program):
    """Peak memory and processor seconds of moments of 20 features from a file, in parts and at once. The rows are written by another process, because
    the peak of a child is at least the memory of its parent."""
    print("| n | file, MB | in parts: peak MB | s | at once: peak MB | s | same w |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        for n in [10_000, 100_000, 1_000_000]:
            file = f"{temporary}/{n}.csv"
            subprocess.run([sys.executable, __file__, "rows", str(n), file], check=True)
            cells, weights = [], []
            for option in [["--stream"], []]:
                command = [program, "moments", "--objective", "zero-one", "--bias", "augmented", "--train", file, "--json"] + option
                process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                out = process.stdout.read()
                _, status, usage = os.wait4(process.pid, 0)
                assert status == 0
                cells += [f"{usage.ru_maxrss / 1024:.0f}", f"{usage.ru_utime + usage.ru_stime:.2f}"]
                weights.append(json.loads(out)["w"])
            difference = max(abs(a - b) for a, b in zip(*weights))
            size = pathlib.Path(file).stat().st_size / 1e6
            print(f"| {n:,} | {size:.0f} | {' | '.join(cells)} | to {difference:.0e} |", flush=True)
            pathlib.Path(file).unlink()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["real"]:
        names = sys.argv[4].split(",") if len(sys.argv) > 4 else []
        real(sys.argv[2], sys.argv[3], names, int(sys.argv[5]) if len(sys.argv) > 5 else 4)
    elif sys.argv[1:2] == ["stream"]:
        stream(sys.argv[2])
    elif sys.argv[1:2] == ["rows"]:
        rows(int(sys.argv[2]), sys.argv[3])
    else:
        raise SystemExit(__doc__)
