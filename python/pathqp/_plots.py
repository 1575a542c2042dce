"""Figures, one call each. matplotlib is imported when the first one is drawn."""

import numpy as np

from ._pathqp import InputError

_LABELS = {
    "quantile": "quantile τ",
    "epsilon": "ε",
    "alpha": "penalty α",
    "C_pos": "C₊",
    "C_neg": "C₋",
    "nu": "ν",
    "risk_tolerance": "risk tolerance t",
}
#: The fits of a signal that are drawn by default, by the part of the breakpoints that lie before each.
_SIGNAL_PARTS = (0.5, 0.8, 0.95, 1.0)
#: More curves than this get no legend.
_MOST_NAMED = 12
#: Curves that are not straight on their axes are drawn through points no further apart than one of so many parts of
#: the axis.
_PARTS = 400


def _axes(ax):
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'pathqp[plot]'") from error
    return plt.subplots(layout="constrained")[1]


def _label(name):
    return _LABELS.get(name, name)


def _between(axis, values):
    """``values`` (rising) with others between them, so that no two neighbours are further apart than a part of the
    axis as it is scaled.
    """
    scale = axis.get_transform()
    places = scale.transform(values)
    # A logarithmic axis has no zero; matplotlib puts it at 10⁻¹⁰⁰⁰.
    known = np.isfinite(places) & ((values > 0) | (axis.get_scale() != "log"))
    if known.sum() < 2:
        return values
    ends = places[known]
    steps = np.ceil(np.diff(ends) / np.ptp(ends) * _PARTS).astype(int)
    more = [np.linspace(a, b, n, endpoint=False)[1:] for a, b, n in zip(ends[:-1], ends[1:], steps) if n > 1]
    inside = scale.inverted().transform(np.concatenate(more)) if more else []
    # The way to the axis and back must not leave the path.
    return np.union1d(values, np.clip(inside, values[0], values[-1]))


def plot_path(path, what="auto", ax=None, **options):
    """Coefficients or dual variables against the parameter; see :meth:`Path.plot`."""
    if what not in ("auto", "coefficients", "duals"):
        raise InputError(f"what = {what!r}: it must be auto, coefficients or duals")
    values = path._places()
    known = path.curves(values[:1])
    if what == "coefficients" and known.get("w") is None:
        raise InputError("there are no coefficients: the kernel is not linear")
    duals = what == "duals" or known.get("w") is None
    if duals and known.get("alpha") is None:
        raise InputError("this path has no dual variables")
    ax = _axes(ax)
    positive = values[values > 0]
    if path.parameter in ("alpha", "risk_tolerance") and len(positive) > 2 and positive[-1] > 30 * positive[0]:
        ax.set_xscale("symlog", linthresh=positive[0])
    # Between breakpoints all curves are affine in the parameter: straight lines, on a linear axis.
    found = path.curves(values if ax.get_xscale() == "linear" else _between(ax.xaxis, values))
    values, weights = found["values"], found.get("w")
    if duals:
        unit, label = path._inner.dual_unit
        ax.plot(values, found["alpha"] * unit, **{"color": "C0", "linewidth": 0.5, "alpha": 0.5, **options})
        ax.set_ylabel(f"dual variables {label}")
    else:
        lines = ax.plot(values, weights, **{"linewidth": 1.0, **options})
        ax.set_ylabel("weights" if path.parameter == "risk_tolerance" else "coefficients w")
        names = path._names if path._names is not None else [f"x{j}" for j in range(weights.shape[1])]
        if len(names) != weights.shape[1] or "quantiles" in found:
            names = dict(path._inner.columns)["w"]
        if len(lines) <= _MOST_NAMED:
            ax.legend(lines, names, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.set_xlabel(_label(path.parameter))
    ax.margins(x=0)
    ax.set_title(f"{len(path.breakpoints)} breakpoints")
    return ax


def plot_roc(curves, ax=None):
    """ROC curves with the hull; see :meth:`RocCurves.plot`."""
    ax = _axes(ax)
    drawn = [
        ("intercept", f"varying the intercept, AUC {curves.area:.4f}", "C0"),
        ("asymmetry", "varying the training asymmetry", "C1"),
        ("both", "varying both", "C2"),
    ]
    for name, label, color in drawn:
        points = getattr(curves, name)
        ax.plot(points[:, 0], points[:, 1], color=color, linewidth=1.2, label=label, drawstyle="default")
    ax.plot(curves.hull[:, 0], curves.hull[:, 1], "k--", linewidth=1.0, label=f"hull, area {curves.hull_area:.4f}")
    ax.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    ax.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(0, 1), ylim=(0, 1.005), aspect="equal")
    ax.legend(loc="lower right", fontsize="small")
    return ax


def plot_fan(estimator, X, y=None, *, feature=0, quantiles=(0.05, 0.25, 0.5, 0.75, 0.95), ax=None):
    """Quantiles of a regressor against one feature; see :meth:`KernelQuantileRegressor.plot_quantiles`."""
    ax = _axes(ax)
    names = getattr(estimator, "feature_names_in_", None)
    j = list(names).index(feature) if isinstance(feature, str) else int(feature)
    table = np.asarray(X, dtype=float)
    low, high = table[:, j].min(), table[:, j].max()
    grid = np.tile(np.median(table, axis=0), (200, 1))
    grid[:, j] = np.linspace(low, high, len(grid))
    if names is not None:
        import pandas as pd

        grid = pd.DataFrame(grid, columns=names)
    taus = np.sort(np.asarray(quantiles, dtype=float))
    quantiles = estimator.predict_quantiles(grid, taus)
    places = np.linspace(low, high, 200)
    bands = len(taus) // 2
    for k in range(bands):
        label = f"{taus[k]:g} to {taus[-1 - k]:g}"
        ax.fill_between(
            places,
            quantiles[:, k],
            quantiles[:, -1 - k],
            color="C0",
            alpha=0.6 / (bands + 1) + 0.05,
            label=label,
            linewidth=0,
        )
    ax.plot(places, quantiles, color="C0", linewidth=0.8)
    if len(taus) % 2:
        ax.plot(places, quantiles[:, bands], color="C3", linewidth=1.5, label=f"τ = {taus[bands]:g}")
    if y is not None:
        ax.plot(table[:, j], np.asarray(y), ".", color="0.35", markersize=3, zorder=0)
    ax.set_xlabel(str(names[j]) if names is not None else f"x{j}")
    ax.set_ylabel("quantiles of the response")
    ax.margins(x=0)
    ax.legend(fontsize="small", loc="best", title="quantiles τ")
    return ax


def plot_signal(path, x, y, values=None, label="", ax=None):
    """Observed values and the fits at some values of the parameter; see :meth:`TrendFilter.plot`.

    ``x`` and ``y`` are (n,); the fits have one value at each of the distinct ``x``.
    """
    if values is None:
        places = path._places()
        values = np.unique(places[[int(part * (len(places) - 1)) for part in _SIGNAL_PARTS]])
    values = np.atleast_1d(np.asarray(values, dtype=float))
    if len(values) > _MOST_NAMED:
        raise InputError(f"{len(values)} values of {path.parameter}: at most {_MOST_NAMED} fits can be told apart")
    fits, ax = path.curves(values)["fitted"], _axes(ax)
    ax.plot(x, y, ".", color="0.55", markersize=4, zorder=0, label="data")
    for value, fit in zip(values, fits):
        ax.plot(np.unique(x), fit, linewidth=1.2, label=f"{_label(path.parameter)} = {value:.3g}")
    ax.set(xlabel=label, ylabel="fitted")
    ax.margins(x=0)
    ax.legend(fontsize="small", loc="best")
    return ax


def plot_frontier(path, alone, names, best, risk_free_rate, ax=None):
    """Efficient portfolios in the plane of risk and return; see :meth:`CriticalLine.plot`."""
    ax = _axes(ax)
    places = path._places()
    # Between breakpoints the return is affine in t and the variance quadratic: a hyperbola.
    between = [np.linspace(a, b, 33) for a, b in zip(places[:-1], places[1:])]
    found = path.curves(np.unique(np.concatenate([places, *between])))
    ax.plot(found["risk"], found["mean"], color="C0", linewidth=1.5, label="efficient portfolios")
    bends = path.curves(places)
    ax.plot(bends["risk"], bends["mean"], ".", color="C0", markersize=4, label="breakpoints")
    ax.plot(alone[1], alone[0], "o", color="0.45", markersize=4, label="assets")
    if len(names) <= _MOST_NAMED:
        for name, mean, risk in zip(names, *alone):
            ax.annotate(str(name), (risk, mean), xytext=(4, 3), textcoords="offset points", fontsize="small", color="0.35")
    if best is not None:
        ax.plot(best.risk, best.mean, "*", color="C1", markersize=9, label=f"largest Sharpe ratio, {best.sharpe:.3g}")
        ax.axline((0.0, risk_free_rate), (best.risk, best.mean), color="C1", linewidth=0.8, zorder=0)
    ax.set_xlim(left=0.0)
    ax.set(xlabel="risk (standard deviation of the return)", ylabel="mean return")
    ax.legend(fontsize="small", loc="best")
    return ax


def plot_map(found, color="free", ax=None, **options):
    """The critical regions of a map; see :meth:`Map.plot`."""
    if color not in ("free", "objective"):
        raise InputError(f"color = {color!r}: it must be free or objective")
    ax = _axes(ax)
    from matplotlib.collections import PolyCollection

    regions = found.regions
    if color == "free":
        shades, label = found.free, "free variables"
    else:
        shades, label = [found.at(*corners.mean(axis=0)).objective for corners in regions], "objective"
    settings = {"edgecolors": "white", "linewidths": 0.3 if len(regions) < 5000 else 0.0, "cmap": "viridis", **options}
    polygons = ax.add_collection(PolyCollection(regions, array=np.asarray(shades, dtype=float), **settings))
    (left, right), (bottom, top) = found.domain
    ax.set(xlim=(left, right), ylim=(bottom, top))
    ax.set(
        xlabel=_label(found.parameters[0]), ylabel=_label(found.parameters[1]), title=f"{len(regions)} critical regions"
    )
    ax.figure.colorbar(polygons, ax=ax, label=label)
    return ax


def plot_tuning(tuning, ax=None):
    """alpha* and its loss against tau; see :meth:`Tuning.plot`."""
    ax = _axes(ax)
    pieces = tuning.pieces
    finite = np.isfinite(pieces["alpha_from"]) & np.isfinite(pieces["alpha_to"])
    ax.set(xlabel="τ", ylabel="α*(τ)")
    if finite.any():
        ax.set_yscale("log")
    # Affine in τ, which is no straight line where the axis of α is logarithmic: α = a + s(b − a) at points that are
    # even in log α, and in τ.
    even = np.linspace(0.0, 1.0, 1 + _PARTS // 4)
    for piece in pieces[finite]:
        (start, end), (a, b) = (piece["quantile_from"], piece["quantile_to"]), (piece["alpha_from"], piece["alpha_to"])
        shares = even
        if a > 0 and b > 0 and a != b:
            shares = np.union1d(even, np.clip((a * (b / a) ** even - a) / (b - a), 0.0, 1.0))
        ax.plot(start + shares * (end - start), a + shares * (b - a), color="C0", linewidth=1.5)
    ax.yaxis.label.set_color("C0")
    other = ax.twinx()
    places = np.linspace(pieces["quantile_from"][0], pieces["quantile_to"][-1], 400)
    other.plot(places, tuning.loss(places), color="C1", linewidth=1.0)
    other.set_ylabel("validation loss", color="C1")
    ax.margins(x=0)
    return ax
