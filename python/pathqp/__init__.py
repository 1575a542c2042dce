"""Exact solution paths: every threshold, cost, quantile or penalty from one fit.

Each estimator follows the whole solution path of its problem when it is fitted, and answers for any value of the
parameter afterwards: ``QuantileSVC`` (the quantile parameter tau), ``ProbabilitySVC`` (its probabilities), ``CostSensitiveSVC`` (the costs of both classes),
``KernelQuantileRegressor`` (tau), ``PathSVR`` (epsilon or C), ``LassoPath`` (the penalty), ``CriticalLine`` (the
trade-off of return and variance), ``OneClassPath`` (the share of outliers), ``NonNegativeLeastSquares`` (a penalty,
or a line of responses), ``TrendFilter`` (the penalty on differences), ``ModelPredictiveControl`` (the initial
state), ``LinearQuantileRegressor`` (tau or a penalty), ``DantzigSelector`` (the bound), ``L1SVC`` (the penalty),
``NonCrossingQuantileRegressor`` (the penalty), ``ShapeRegressor`` (a bound on slope or curvature) and ``ParametricQP`` (t, of any program). ``MomentClassifier``
fits from the classes' means and covariances and has no path.
"""

from ._control import ModelPredictiveControl, Simulation
from ._cost_svc import CostSensitiveSVC, OperatingPoint, RocCurves
from ._dantzig import DantzigSelector
from ._data import DataWarning
from ._l1_svc import L1SVC
from ._lasso import LassoPath
from ._linear_quantiles import LinearQuantileRegressor
from ._map import Map, MapEdge, MapVertex
from ._moments import MomentClassifier
from ._nnls import NonNegativeLeastSquares
from ._one_class import OneClassPath
from ._path import Path, Solution, Verdict
from ._pathqp import InputError, PathError, __version__
from ._portfolio import CriticalLine
from ._probability_svc import ProbabilitySVC
from ._program import ParametricQP, ProgramPath
from ._quantile_planes import NonCrossingQuantileRegressor
from ._quantile_svc import QuantileSVC
from ._quantiles import KernelQuantileRegressor
from ._regions import Coverage, CriticalRegions
from ._search import Search, Widths, search, tune_widths
from ._shape import ShapeRegressor
from ._svr import PathSVR
from ._trend import TrendFilter
from ._tuning import Tuning

__all__ = [
    "CostSensitiveSVC",
    "Coverage",
    "CriticalLine",
    "CriticalRegions",
    "DantzigSelector",
    "DataWarning",
    "InputError",
    "KernelQuantileRegressor",
    "L1SVC",
    "LassoPath",
    "LinearQuantileRegressor",
    "Map",
    "MapEdge",
    "MapVertex",
    "ModelPredictiveControl",
    "MomentClassifier",
    "NonCrossingQuantileRegressor",
    "NonNegativeLeastSquares",
    "OneClassPath",
    "OperatingPoint",
    "ParametricQP",
    "Path",
    "PathError",
    "PathSVR",
    "ProbabilitySVC",
    "ProgramPath",
    "QuantileSVC",
    "RocCurves",
    "Search",
    "ShapeRegressor",
    "Simulation",
    "Solution",
    "TrendFilter",
    "Tuning",
    "Verdict",
    "Widths",
    "__version__",
    "search",
    "tune_widths",
]
