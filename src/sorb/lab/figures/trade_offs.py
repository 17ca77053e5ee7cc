"""Risk against complexity, a panel for each dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sorb.lab.curves import (
    Measure,
    MissingResults,
    PenaltyChoice,
    TradeOffCurve,
    TradeOffCurves,
    trade_off_curves,
)
from sorb.lab.figures.picture import Picture, new_figure
from sorb.lab.figures.styles import name_label, style_of
from sorb.lab.published import compared_datasets, ordered_methods
from sorb.lab.statistics import MAX_COMPLEXITY, mean_curve
from sorb.lab.tables.comparisons import BRIEFLY, CHOSEN, MEASURES, repetitions_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 4
HIGHEST = 1.3  # models that are worse than this need not be visible
MOST_MARKS = 20  # of a curve; more would hide it
OUTSIDE = 1e6  # where those are drawn whose risk is too large to draw, even infinite


def trade_off_picture(
    results: pd.DataFrame, name: str, choice: PenaltyChoice, measure: Measure
) -> Picture:
    """Draw the mean risk or error of each method against its mean complexity."""
    found = trade_off_curves(results, choice, measure)
    datasets = compared_datasets(dataset for dataset, _ in found)
    if not datasets:
        raise MissingResults(f"there are no results for the figure {name}")
    methods = ordered_methods(method for dataset, method in found if dataset in datasets)
    what = MEASURES[measure]
    columns = min(COLUMNS, len(datasets))
    rows = -(-len(datasets) // columns)
    figure = new_figure(2.7 * columns + 0.5, 2.3 * rows + 1.0)
    panels = figure.subplots(rows, columns, squeeze=False).flatten()
    for axes, dataset in zip(panels, datasets, strict=False):
        _draw(axes, dataset, methods, found)
    for axes in panels[len(datasets) :]:
        axes.set_visible(False)
    figure.supxlabel("complexity: rules + propositions + weights")
    figure.supylabel(f"test {what} (1 = without rules)")
    figure.legend(handles=_keys(methods), loc="outside upper center", ncols=7, frameon=False)
    counts = {len(found[key]) for key in found if key[0] in datasets}
    return Picture(
        name,
        f"Test {what} against complexity, {BRIEFLY[choice]}",
        f"Means over repetitions for each size of model, up to a mean complexity of "
        f"{MAX_COMPLEXITY}, with 95 % intervals in both directions. A method without a complexity "
        f"is a horizontal line. {CHOSEN[choice]} {repetitions_note(counts)}",
        figure,
    )


def _draw(axes: Axes, dataset: str, methods: Sequence[str], found: TradeOffCurves) -> None:
    highest = 0.0
    for place, method in enumerate(methods):
        repetitions = found.get((dataset, method), ())
        if repetitions:
            highest = max(highest, _draw_method(axes, repetitions, style_of(method, place)))
    axes.set_title(name_label(dataset), fontsize=9)
    axes.set_xlim(0, MAX_COMPLEXITY * 1.03)
    axes.set_ylim(0, min(HIGHEST, highest * 1.1) or 1)
    axes.grid(color="#e4e4e4", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_method(axes: Axes, repetitions: Sequence[TradeOffCurve], style: dict[str, Any]) -> float:
    """Draw a curve with its intervals, and return its highest value."""
    mean = mean_curve(repetitions)
    if not len(mean.value):
        return 0.0
    if not all(curve.is_sized for curve in repetitions):
        level = float(mean.value.min())
        axes.axhline(level, linewidth=1.4, **{**style, "marker": ""})
        return level
    order = np.argsort(mean.complexity, kind="stable")  # sizes need not come in this order
    every = -(-len(order) // MOST_MARKS)
    axes.errorbar(
        mean.complexity[order],
        np.minimum(mean.value[order], OUTSIDE),
        xerr=mean.complexity_margin[order],
        yerr=np.nan_to_num(np.minimum(mean.value_margin[order], OUTSIDE)),
        markersize=3.2,
        linewidth=1.1,
        elinewidth=0.5,
        errorevery=every,
        markevery=every,
        **style,
    )
    return float(mean.value.max())


def _keys(methods: Sequence[str]) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], label=name_label(method), markersize=5, **style_of(method, place))
        for place, method in enumerate(methods)
    ]
