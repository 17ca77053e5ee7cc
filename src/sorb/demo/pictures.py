"""The demo's pictures, legible in print and without colour vision."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sorb.demo.examples import BORDER, SIDE, Example, ExampleSplit
from sorb.demo.measures import MAX_COMPLEXITY, SEARCHES, SPLITS, Result, RiskCurve
from sorb.render.plots.style import BLUE, DASHED, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_curves", "draw_regions"]

LINES: dict[str, dict[str, Any]] = {
    "oblique": {"color": BLUE, "linestyle": "-"},
    "axis": {"color": VERMILION, "linestyle": DASHED},
}
POINTS: dict[str, dict[str, Any]] = {
    "lower": {"facecolor": VERMILION, "marker": "^", "s": 22},
    "upper": {"facecolor": BLUE, "marker": "o", "s": 16},
}
REGIONS = {"lower": ("#fbe6da", "///"), "upper": ("#dcebf5", "")}
HATCH, DARK = "#efc3a8", "#444444"


def draw_curves(path: Path, example: Example, curves: Mapping[str, RiskCurve]) -> None:
    """Draw the risk on test rows against complexity."""
    figure = _figure(6.4, 4.4)
    axes = figure.subplots()
    for search, curve in curves.items():
        look = LINES[search]
        axes.step(
            curve.complexity,
            curve.share,
            where="post",
            linewidth=2.2,
            label=f"{SEARCHES[search]} rules",
            **look,
        )
        low, high = curve.share - curve.error, curve.share + curve.error
        axes.fill_between(
            curve.complexity, low, high, step="post", color=look["color"], alpha=0.15, linewidth=0
        )
    axes.set(
        title=f"{example.title}: loss on test rows against complexity",
        xlabel="complexity of the model: rules + propositions + coefficients",
        ylabel="loss as a share of the baseline",
        xlim=(0, MAX_COMPLEXITY),
        ylim=(0, 1.05),
    )
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(edgecolor="none")
    caption = f"Mean of {SPLITS} random splits; the bands show ± one standard error."
    figure.supxlabel(caption, fontsize=9)
    figure.savefig(path, dpi=150)


def draw_regions(path: Path, split: ExampleSplit, results: Mapping[str, Result]) -> None:
    """Draw the regions of each model of the two-dimensional example."""
    figure = _figure(9.6, 5.8)
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, (search, result) in zip(panels, results.items(), strict=True):
        count = len(result.ensemble)
        _draw_model(axes, result)
        _draw_points(axes, split)
        axes.plot([BORDER - SIDE, SIDE], [SIDE, BORDER - SIDE], "k--", linewidth=2)
        axes.set(
            title=f"{SEARCHES[search]}: {count} rule{'' if count == 1 else 's'}, complexity "
            f"{result.ensemble.complexity}, accuracy {result.score:.2f}",
            xlabel="x1",
            ylabel="x2",
            xlim=(0, SIDE),
            ylim=(0, SIDE),
            aspect="equal",
        )
        axes.label_outer()
    figure.legend(handles=_keys(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, dpi=150)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _draw_model(axes: Axes, result: Result) -> None:
    side = np.linspace(0, SIDE, 801)
    x1, x2 = np.meshgrid(side, side)
    points = pd.DataFrame({"x1": x1.ravel(), "x2": x2.ravel()})
    upper = (result.model.predict(points) == "upper").reshape(x1.shape)
    colors, hatches = zip(*(REGIONS[label] for label in ("lower", "upper")), strict=True)
    levels = [-0.5, 0.5, 1.5]
    filled = axes.contourf(x1, x2, upper, levels=levels, colors=colors, hatches=hatches)
    filled.set(edgecolor=HATCH, linewidth=0)
    axes.contour(x1, x2, upper, levels=[0.5], colors=DARK, linewidths=1.2)


def _draw_points(axes: Axes, split: ExampleSplit) -> None:
    for label, look in POINTS.items():
        chosen = split.X_test[split.y_test == label]
        axes.scatter(chosen["x1"], chosen["x2"], edgecolor="white", linewidth=0.4, **look)


def _keys() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    keys: list[Any] = []
    for label, look in POINTS.items():
        marker = {"marker": look["marker"], "color": look["facecolor"], "linestyle": ""}
        color, hatch = REGIONS[label]
        region = Patch(facecolor=color, hatch=hatch, edgecolor=HATCH, linewidth=0)
        region.set_label(f"predicted: {label}")
        keys += [
            Line2D([], [], label=f"test row labelled {label}", **marker),
            region,
        ]
    true = Line2D([], [], color="black", linestyle="--", linewidth=2, label="the true border")
    found = Line2D([], [], color=DARK, linewidth=1.2, label="the model's border")
    return [*keys, true, found]
