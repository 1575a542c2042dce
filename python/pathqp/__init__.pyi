"""Types of the public names; a test compares them with the code."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin
from typing_extensions import Self

__version__: str

__all__: list[str]

Kernel = Literal["linear", "rbf", "laplacian", "poly", "precomputed"]
Bias = Literal["intercept", "none", "augmented"] | float
Progress = bool | Callable[[float, int], Any]
Floats = NDArray[np.float64]
#: An array, a data frame or a sparse matrix.
MatrixLike = Any

class SupportsWrite(Protocol):
    def write(self, text: str, /) -> Any: ...

class CostSensitiveSVC(ClassifierMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: Floats
    support_: NDArray[np.int32]
    n_support_: NDArray[np.int32]
    dual_coef_: Floats
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        C_pos: float = ...,
        C_neg: float = ...,
        *,
        C_max: float = ...,
        kernel: Kernel = ...,
        gamma: float | Literal["scale", "auto"] = ...,
        degree: int = ...,
        coef0: float = ...,
        bias: Bias = ...,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = ...,
        n_jobs: int | None = ...,
        max_events: int | None = ...,
        tolerance: float | None = ...,
        inexact: bool = ...,
        progress: Progress = ...,
    ) -> None: ...
    def best(
        self,
        X: MatrixLike | None = ...,
        y: ArrayLike | None = ...,
        *,
        fpr_at_most: float | None = ...,
        cost_ratio: float | None = ...,
        **options: Any,
    ) -> OperatingPoint: ...
    def decision_function(
        self,
        X: MatrixLike,
        C_pos: float | None = ...,
        C_neg: float | None = ...,
        point: OperatingPoint | None = ...,
    ) -> Floats: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def map(self, C_pos: tuple[float, float] = ..., C_neg: tuple[float, float] = ...) -> Map: ...
    def predict(
        self,
        X: MatrixLike,
        C_pos: float | None = ...,
        C_neg: float | None = ...,
        point: OperatingPoint | None = ...,
    ) -> NDArray[Any]: ...
    def roc(
        self,
        X: MatrixLike | None = ...,
        y: ArrayLike | None = ...,
        *,
        cv: int = ...,
        seed: int = ...,
        total: float | None = ...,
        max_total: float = ...,
        multiples: Sequence[float] = ...,
        cost_ratio: float = ...,
    ) -> RocCurves: ...
    def solution(self, C_pos: float, C_neg: float) -> Solution: ...

class Coverage(NamedTuple):
    covered: int
    infeasible: int
    uncovered: int

class CriticalRegions:
    parameters: list[str]
    domain: Floats
    cells: list[tuple[int, Floats, Floats]]
    complete: bool
    def __len__(self) -> int: ...
    def at(self, theta: ArrayLike) -> Solution: ...
    def c_source(self, name: str = ...) -> str: ...
    def certificate(self, points: int = ...) -> Verdict: ...
    def coverage(self, points: int = ..., seed: int = ...) -> Coverage: ...
    def locate(self, theta: ArrayLike) -> int | None: ...

class CriticalLine(BaseEstimator):
    path_: Path
    weights_: Floats
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        lower: float | ArrayLike = ...,
        upper: float | ArrayLike = ...,
        *,
        A: MatrixLike | None = ...,
        row_lower: float | ArrayLike | None = ...,
        row_upper: float | ArrayLike | None = ...,
        periods_per_year: float = ...,
        risk_free_rate: float = ...,
        risk_tolerance: float | None = ...,
        tolerance: float | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def fit(self, X: MatrixLike, y: Any = ...) -> Self: ...
    def fit_moments(self, mean: ArrayLike, covariance: ArrayLike) -> Self: ...
    def fit_prices(self, X: MatrixLike, y: Any = ...) -> Self: ...
    def max_sharpe(self) -> Solution | None: ...
    def plot(self, ax: Any = ...) -> Any: ...
    def predict(self, X: MatrixLike) -> Floats: ...
    def with_return(self, mean: float) -> Solution: ...
    def with_risk(self, risk: float) -> Solution: ...

class DantzigSelector(RegressorMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self, alpha: float = ..., *, alpha_min: float = ..., fit_intercept: bool = ..., progress: Progress = ...
    ) -> None: ...
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self: ...
    def predict(self, X: MatrixLike, alpha: float | ArrayLike | None = ...) -> Floats: ...

class DataWarning(UserWarning): ...
class InputError(ValueError): ...

class KernelQuantileRegressor(RegressorMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: float
    support_: NDArray[np.int32]
    dual_coef_: Floats
    tuning_: Tuning
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: float = ...,
        *,
        quantile: float = ...,
        kernel: Kernel = ...,
        gamma: float | Literal["scale", "auto"] = ...,
        degree: int = ...,
        coef0: float = ...,
        bias: Bias = ...,
        n_jobs: int | None = ...,
        max_events: int | None = ...,
        tolerance: float | None = ...,
        inexact: bool = ...,
        progress: Progress = ...,
    ) -> None: ...
    def cdf(self, X: MatrixLike, values: float | ArrayLike) -> Floats: ...
    def crossings(self, X: MatrixLike) -> list[list[tuple[float, float, float]]]: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def map(self, quantile: tuple[float, float] = ..., alpha: tuple[float, float] = ...) -> Map: ...
    def plot_quantiles(
        self,
        X: MatrixLike,
        y: ArrayLike | None = ...,
        *,
        feature: int | str = ...,
        quantiles: ArrayLike = ...,
        ax: Any = ...,
    ) -> Any: ...
    def predict(self, X: MatrixLike, quantile: float | ArrayLike | None = ...) -> Floats: ...
    def predict_quantiles(self, X: MatrixLike, quantiles: ArrayLike, *, monotone: bool = ...) -> Floats: ...
    def predict_tuned(self, X: MatrixLike, quantile: float | ArrayLike | None = ...) -> Floats: ...
    def tune(
        self,
        validation: tuple[Any, ...] | None = ...,
        *,
        cv: int = ...,
        criterion: Literal["sic", "gacv"] | None = ...,
        quantiles: tuple[float, float] = ...,
        alphas: tuple[float | None, float | None] = ...,
    ) -> Tuning: ...

class L1SVC(ClassifierMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: float = ...,
        *,
        alpha_min: float = ...,
        fit_intercept: bool = ...,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def decision_function(self, X: MatrixLike, alpha: float | ArrayLike | None = ...) -> Floats: ...
    def predict(self, X: MatrixLike, alpha: float | ArrayLike | None = ...) -> NDArray[Any]: ...

class LassoPath(RegressorMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: float = ...,
        *,
        ridge: float = ...,
        A: MatrixLike | None = ...,
        row_lower: float | ArrayLike | None = ...,
        row_upper: float | ArrayLike | None = ...,
        alpha_min: float = ...,
        fit_intercept: bool = ...,
        tolerance: float | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self: ...
    def predict(self, X: MatrixLike, alpha: float | ArrayLike | None = ...) -> Floats: ...

class LinearQuantileRegressor(RegressorMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        quantile: float = ...,
        *,
        alpha: float | None = ...,
        fit_intercept: bool = ...,
        vary: Literal["quantile", "alpha"] = ...,
        max_events: int | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def cdf(self, X: MatrixLike, values: float | ArrayLike) -> Floats: ...
    def crossings(self, X: MatrixLike) -> list[list[tuple[float, float, float]]]: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def goodness_of_fit(self, quantiles: float | ArrayLike | None = ...) -> Any: ...
    def predict(self, X: MatrixLike, value: float | ArrayLike | None = ...) -> Floats: ...
    def predict_quantiles(self, X: MatrixLike, quantiles: ArrayLike, *, monotone: bool = ...) -> Floats: ...
    def summary(
        self, quantile: float | None = ..., *, se: Literal["rank", "iid", "nid"] = ..., alpha: float = ...
    ) -> dict[str, Floats]: ...

class Map:
    parameters: list[str]
    domain: list[list[float]]
    stats: dict[str, Any]
    regions: list[Floats]
    free: NDArray[np.int_]
    edges: list[MapEdge]
    vertices: list[MapVertex]
    def __len__(self) -> int: ...
    def at(self, first: float, second: float) -> Solution: ...
    def certificate(self, points: int = ...) -> Verdict: ...
    def locate(self, first: float, second: float) -> int | None: ...
    def plot(self, color: Literal["free", "objective"] = ..., ax: Any = ..., **options: Any) -> Any: ...
    def figure(self, file: str | PathLike[str] | None = ..., *, row: int | None = ..., source: str = ...) -> str: ...

class MapEdge(NamedTuple):
    events: list[tuple[int, int, int]]
    vertices: list[int]
    regions: tuple[int, int | None]

class MapVertex(NamedTuple):
    at: list[float]
    finite: bool
    edges: list[int]
    regions: list[int]
    events: list[int]

class ModelPredictiveControl(BaseEstimator):
    def __init__(
        self,
        A: ArrayLike,
        B: ArrayLike,
        Q: ArrayLike,
        R: ArrayLike,
        horizon: int,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        P: ArrayLike | None = ...,
        x_min: ArrayLike | None = ...,
        x_max: ArrayLike | None = ...,
        C: ArrayLike | None = ...,
        y_min: ArrayLike | None = ...,
        y_max: ArrayLike | None = ...,
        du_max: ArrayLike | None = ...,
        terminal: ArrayLike | None = ...,
        terminal_max: ArrayLike | None = ...,
        soft: float | None = ...,
        n_jobs: int | None = ...,
        tolerance: float | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def control(self, state: ArrayLike) -> Solution: ...
    def path(self, start: ArrayLike, stop: ArrayLike) -> Path: ...
    def regions(self, domain: ArrayLike) -> CriticalRegions: ...
    def simulate(self, state: ArrayLike, steps: int, disturbance: ArrayLike | None = ...) -> Simulation: ...

class MomentClassifier(ClassifierMixin, BaseEstimator):
    coef_: Floats
    intercept_: Floats
    moments_: Any
    n_iter_: int
    value_: float
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        objective: Literal["zero-one", "auc"] = ...,
        *,
        alpha: float = ...,
        bias: float | None = ...,
        max_iter: int = ...,
    ) -> None: ...
    def decision_function(self, X: MatrixLike) -> Floats: ...
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self: ...
    def fit_batches(
        self, batches: Iterable[Any], classes: ArrayLike, *, label: str | None = ..., n_jobs: int | None = ...
    ) -> Self: ...
    def merge(self, other: MomentClassifier) -> Self: ...
    def partial_fit(self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: MatrixLike) -> NDArray[Any]: ...

class NonCrossingQuantileRegressor(RegressorMixin, BaseEstimator):
    path_: Path
    quantiles_: Floats
    coef_: Floats
    intercept_: Floats
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        quantiles: ArrayLike = ...,
        *,
        alpha: float = ...,
        alpha_min: float = ...,
        fit_intercept: bool = ...,
        max_events: int | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: MatrixLike, alpha: float | ArrayLike | None = ...) -> Floats: ...
    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...

class NonNegativeLeastSquares(RegressorMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: float = ...,
        *,
        s: float = ...,
        lower: float = ...,
        upper: float = ...,
        tolerance: float | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def fit(self, X: MatrixLike, y: ArrayLike, toward: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: MatrixLike, value: float | ArrayLike | None = ...) -> Floats: ...

class OneClassPath(OutlierMixin, BaseEstimator):
    path_: Path
    offset_: float
    coef_: Floats
    intercept_: Floats
    support_: NDArray[np.int32]
    dual_coef_: Floats
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        nu: float = ...,
        *,
        kernel: Kernel = ...,
        gamma: float | Literal["scale", "auto"] = ...,
        degree: int = ...,
        coef0: float = ...,
        n_jobs: int | None = ...,
        max_events: int | None = ...,
        tolerance: float | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def decision_function(self, X: MatrixLike, nu: float | ArrayLike | None = ...) -> Floats: ...
    def fit(self, X: MatrixLike, y: Any = ..., sample_weight: ArrayLike | None = ...) -> Self: ...
    def outlier_ranks(self) -> Floats: ...
    def predict(self, X: MatrixLike, nu: float | ArrayLike | None = ...) -> NDArray[np.int_]: ...
    def score_samples(self, X: MatrixLike, nu: float | ArrayLike | None = ...) -> Floats: ...

class OperatingPoint:
    C_pos: float
    C_neg: float
    shift: float
    fpr: float
    tpr: float
    cost: float | None

class ParametricQP:
    def __init__(
        self,
        H: MatrixLike = ...,
        c: Any = ...,
        *,
        A: MatrixLike = ...,
        lower: Any = ...,
        upper: Any = ...,
        row_lower: Any = ...,
        row_upper: Any = ...,
        Z: MatrixLike = ...,
        n_jobs: int | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def path(self, start: float = ..., stop: float = ..., *, max_events: int | None = ...) -> ProgramPath: ...
    def regions(self, domain: ArrayLike) -> CriticalRegions: ...

class Path:
    parameter: str
    range: tuple[float, float]
    breakpoints: Floats
    events: NDArray[Any]
    stats: dict[str, int]
    stop: str
    complete: bool
    tolerance: float | None
    def at(self, value: float) -> Solution: ...
    def certificate(self, points: int = ...) -> Verdict: ...
    def curves(self, values: ArrayLike | None = ...) -> dict[str, Floats]: ...
    def plot(self, what: Literal["auto", "coefficients", "duals"] = ..., ax: Any = ..., **options: Any) -> Any: ...
    def figure(self, file: str | PathLike[str] | None = ..., *, source: str = ...) -> str: ...
    def report(self, file: str | PathLike[str] | SupportsWrite | None = ..., *, source: str = ...) -> str: ...
    def residual(self, points: int = ...) -> tuple[float, float]: ...

class PathError(RuntimeError): ...

class PathSVR(RegressorMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: Floats
    support_: NDArray[np.int32]
    dual_coef_: Floats
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        C: float = ...,
        *,
        epsilon: float = ...,
        vary: Literal["epsilon", "C"] = ...,
        kernel: Kernel = ...,
        gamma: float | Literal["scale", "auto"] = ...,
        degree: int = ...,
        coef0: float = ...,
        bias: Bias = ...,
        n_jobs: int | None = ...,
        max_events: int | None = ...,
        tolerance: float | None = ...,
        inexact: bool = ...,
        progress: Progress = ...,
    ) -> None: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def map(self, C: tuple[float, float] = ..., epsilon: tuple[float, float] = ...) -> Map: ...
    def predict(
        self, X: MatrixLike, epsilon: float | ArrayLike | None = ..., C: float | ArrayLike | None = ...
    ) -> Floats: ...

class ProgramPath(Path):
    proof: tuple[str, Floats] | None
    def at(self, value: float) -> Solution: ...
    def curves(self, values: ArrayLike | None = ...) -> dict[str, Floats]: ...

class ProbabilitySVC(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    pairs_: list[tuple[int, int]]
    estimators_: list[QuantileSVC]
    alphas_: Floats
    widths_: Floats
    calibration_: Floats
    losses_: list[dict[float, float]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alphas: float | ArrayLike | None = ...,
        *,
        kernel: Kernel = ...,
        gamma: float | Literal["scale", "auto"] = ...,
        degree: int = ...,
        coef0: float = ...,
        bias: Bias = ...,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = ...,
        cv: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        groups: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: MatrixLike) -> NDArray[Any]: ...
    def predict_log_proba(self, X: MatrixLike) -> Floats: ...
    def predict_proba(self, X: MatrixLike) -> Floats: ...

class QuantileSVC(ClassifierMixin, BaseEstimator):
    path_: Path
    coef_: Floats
    intercept_: Floats
    support_: NDArray[np.int32]
    n_support_: NDArray[np.int32]
    dual_coef_: Floats
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: float = ...,
        *,
        kernel: Kernel = ...,
        gamma: float | Literal["scale", "auto"] = ...,
        degree: int = ...,
        coef0: float = ...,
        bias: Bias = ...,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = ...,
        quantile: float = ...,
        n_jobs: int | None = ...,
        max_events: int | None = ...,
        tolerance: float | None = ...,
        inexact: bool = ...,
        progress: Progress = ...,
    ) -> None: ...
    def decision_function(self, X: MatrixLike, quantile: float | ArrayLike | None = ...) -> Floats: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: MatrixLike, quantile: float | ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: MatrixLike) -> Floats: ...
    def rates(self, X: MatrixLike, y: ArrayLike) -> dict[str, Floats]: ...
    def tune(
        self,
        validation: tuple[Any, Any] | None = ...,
        *,
        cv: int = ...,
        alphas: ArrayLike = ...,
        quantiles: tuple[float, float] = ...,
        loss: Literal["cost", "error"] = ...,
    ) -> Tuning: ...

class RocCurves:
    intercept: Floats
    asymmetry: Floats
    both: Floats
    hull: Floats
    area: float
    hull_area: float
    costs: list[float]
    recounted: int
    withdrawn: int
    def best(self, fpr_at_most: float | None = ..., cost_ratio: float | None = ...) -> OperatingPoint: ...
    def plot(self, ax: Any = ...) -> Any: ...
    def figure(self, file: str | PathLike[str] | None = ..., *, source: str = ...) -> str: ...

class Search:
    params: list[dict[str, Any]]
    quantiles: Floats
    fold_losses: Floats
    losses: Floats
    best_index: NDArray[np.intp]
    def best(self, quantile: float) -> dict[str, Any]: ...
    def loss(self, quantile: float) -> float: ...

class Simulation(NamedTuple):
    states: Floats
    inputs: Floats
    costs: Floats

class Solution:
    value: float | tuple[float, ...]
    objective: float | None
    dual_objective: float | None
    w: Floats | None
    intercept: float | tuple[float, float] | Floats | None
    quantiles: Floats | None
    alpha: Floats | None
    free: NDArray[np.uintp] | None
    kkt_residual: float | None
    relative_gap: float | None
    theta: list[float] | None
    mean: float | None
    variance: float | None
    risk: float | None
    sharpe: float | None
    outside: float | None
    fitted: Floats | None
    knots: NDArray[np.uintp] | None
    held: NDArray[np.uintp] | None
    state: Floats | None
    inputs: Floats | None
    states: Floats | None
    cost: float | None
    slack: float | None
    x: Floats | None
    y: Floats | None
    unique: bool | None
    loss: float | None
    region: int | None

class ShapeRegressor(RegressorMixin, BaseEstimator):
    path_: Path
    X_thresholds_: Floats
    y_thresholds_: Floats
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        bound: float = ...,
        *,
        shape: Literal["increasing", "decreasing", "convex", "concave"] = ...,
        tolerance: float | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: MatrixLike, bound: float | ArrayLike | None = ...) -> Floats: ...
    def plot(self, X: MatrixLike, y: ArrayLike, bounds: float | ArrayLike | None = ..., ax: Any = ...) -> Any: ...

class TrendFilter(BaseEstimator):
    path_: Path
    fitted_: Floats
    knots_: NDArray[np.intp]
    alpha_max_: float
    def __init__(
        self,
        alpha: float = ...,
        *,
        order: int = ...,
        edges: ArrayLike | None = ...,
        matrix: ArrayLike | None = ...,
        tolerance: float | None = ...,
        progress: Progress = ...,
    ) -> None: ...
    def fit(self, X: MatrixLike, y: ArrayLike | None = ...) -> Self: ...
    def fit_transform(self, X: MatrixLike, y: ArrayLike | None = ...) -> Floats: ...
    def transform(self, alpha: float | ArrayLike) -> Floats: ...
    def plot(self, alphas: float | ArrayLike | None = ..., ax: Any = ...) -> Any: ...

class Tuning:
    pieces: NDArray[Any]
    complete: bool
    alpha_range: list[float]
    at_end: bool
    end: Literal["interpolation", "precision", "asked", "criterion"]
    recounted: bool
    recount: tuple[int, float]
    def alpha(self, quantile: float | ArrayLike) -> Any: ...
    def loss(self, quantile: float | ArrayLike) -> Any: ...
    def plot(self, ax: Any = ...) -> Any: ...
    def figure(self, file: str | PathLike[str] | None = ...) -> str: ...

class Verdict:
    holds: bool
    kkt_residual: float
    residual_at: float | list[float]
    relative_gap: float
    gap_at: float | list[float]
    points: int
    def failure(self, parameter: str) -> str | None: ...

class Widths:
    gammas: list[float]
    tunings: list[Tuning]
    def best(self, quantile: float) -> tuple[float, float, float]: ...

def search(
    estimator: Any,
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: MatrixLike,
    y: ArrayLike,
    *,
    quantiles: float | ArrayLike,
    cv: Any = ...,
    n_jobs: int | None = ...,
) -> Search: ...
def tune_widths(
    estimator: Any,
    gammas: Sequence[float],
    X: MatrixLike,
    y: ArrayLike,
    *,
    cv: int = ...,
    quantiles: tuple[float, float] = ...,
    alphas: tuple[float | None, float | None] = ...,
    n_jobs: int | None = ...,
) -> Widths: ...
