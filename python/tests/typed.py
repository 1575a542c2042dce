"""Uses of every public name, for a checker of types: mypy --strict."""

from pathlib import Path as File

import numpy as np

import pathqp

rng = np.random.default_rng(0)
X, y = rng.uniform(0.0, 6.0, (30, 2)), rng.standard_normal(30)
labels = y > 0

svm = pathqp.QuantileSVC(alpha=0.1, kernel="rbf", gamma="scale", class_weight="balanced", n_jobs=-1, progress=True).fit(X, labels)
probabilities: float = float(svm.predict_proba(X)[0, 1])
sure: pathqp.ProbabilitySVC = pathqp.ProbabilitySVC(alphas=[0.1, 0.01], cv=3, n_jobs=2).fit(X, labels, groups=None)
tried: dict[float, float] = sure.losses_[0]
most: float = float(sure.predict_proba(X).max())
rates = svm.rates(X, labels)["tpr"]
at: pathqp.Solution = svm.path_.at(0.5)
residual: float | None = at.kkt_residual
verdict: pathqp.Verdict = svm.path_.certificate(points=10)
page: str = svm.path_.report(File("page.html"), source="rows.csv")
drawn: str = svm.path_.figure(File("path.pdf"), source="rows.csv")
low, high = svm.path_.range

costs = pathqp.CostSensitiveSVC(1.0, 2.0, C_max=3.0).fit(X, labels)
point: pathqp.OperatingPoint = costs.best(X, labels, fpr_at_most=0.1)
curves: pathqp.RocCurves = costs.roc(X, labels, total=2.0)
plane: pathqp.Map = costs.map((0.0, 1.0), (0.0, 1.0))
edge: pathqp.MapEdge = plane.edges[0]
vertex: pathqp.MapVertex = plane.vertices[edge.vertices[0]]
surface: str = plane.figure(row=3) + curves.figure()
number: int | None = plane.locate(0.5, 0.5)

kqr = pathqp.KernelQuantileRegressor(alpha=1.0, quantile=0.3).fit(X, y, sample_weight=np.ones(30))
fan = kqr.predict_quantiles(X, [0.1, 0.9])
tuning: pathqp.Tuning = kqr.tune(cv=3, quantiles=(0.2, 0.8), alphas=(None, 10.0))
tubes = pathqp.PathSVR(C=2.0, vary="C").fit(X, y).predict(X, C=[0.1, 1.0])
outliers = pathqp.OneClassPath(nu=0.2).fit(X).outlier_ranks()
planes = pathqp.NonCrossingQuantileRegressor([0.1, 0.9], alpha=1.0).fit(X, y, sample_weight=np.ones(30)).predict(X)
lasso: float = pathqp.LassoPath(alpha=0.1, tolerance=1e-3).fit(X, y).intercept_
boxed = pathqp.NonNegativeLeastSquares(upper=2.0).fit(X, y, toward=-y).coef_
signal = pathqp.TrendFilter(alpha=0.5, order=1).fit(y).transform([0.1, 1.0])
portfolio: pathqp.Solution | None = pathqp.CriticalLine(upper=[0.9, 0.8]).fit(0.01 * X).max_sharpe()
control = pathqp.ModelPredictiveControl([[1.0]], [[1.0]], [[1.0]], [[1.0]], 3, [-1.0], [1.0]).control([0.5]).inputs
moments: float = pathqp.MomentClassifier("auc", alpha=0.01).fit(X, labels).value_

found: pathqp.Search = pathqp.search(pathqp.KernelQuantileRegressor(), {"alpha": [0.1, 1.0]}, X, y, quantiles=[0.5], cv=3)
best: dict[str, object] = found.best(0.5)
widths: pathqp.Widths = pathqp.tune_widths(pathqp.KernelQuantileRegressor(), [0.5, 1.0], X, y, cv=3)
gamma, alpha, loss = widths.best(0.5)

try:
    svm.path_.at(2.0)
except (pathqp.InputError, pathqp.PathError, pathqp.DataWarning) as error:
    print(error)
