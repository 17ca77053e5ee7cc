"""Iterations of the search for a sparse separator against its number of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from sorb.lab.curves import MissingResults
from sorb.lab.figures.picture import Picture, new_figure
from sorb.lab.figures.styles import STYLES, name_label
from sorb.lab.published import compared_datasets
from sorb.lab.statistics import Estimate
from sorb.lab.tables.comparisons import repetitions_note
from sorb.lab.tables.iterations import Counts, present_sections, search_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = {"path": "passes along the path of penalties", "bisection": "midpoints of a bisection"}

TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def iterations_picture(results: pd.DataFrame) -> Picture:
    """Draw the mean number of iterations for each dataset."""
    counts = search_counts(results)
    present = [section for section in present_sections(counts) if section in PANELS]
    if not present:
        raise MissingResults("there are no results for the figure iterations")
    figure = new_figure(4.4 * len(present), 4.4)
    panels = figure.subplots(1, len(present), sharey=True, squeeze=False)[0]
    for axes, section in zip(panels, present, strict=True):
        _draw_panel(axes, section, counts)
    panels[0].set_ylabel("iterations")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5,
                  frameon=False)  # fmt: skip
    return Picture(
        "iterations",
        "Iterations to find a sparse separator",
        "Passes over the rows until the path of penalties has this many columns, and midpoints of "
        "a bisection, each of which is a fit, without the doublings before: means on the first "
        "gradient, with 95 % intervals over repetitions. The scale is logarithmic above 1. "
        + repetitions_note({estimate.repetitions for estimate in counts.values()}),
        figure,
    )


def _draw_panel(axes: Axes, section: str, counts: Counts) -> None:
    from matplotlib.ticker import FixedLocator

    datasets = compared_datasets(dataset for _, dataset, _ in counts)
    for dataset, style in zip(datasets, _styles(len(datasets)), strict=True):
        points = {key[2]: value for key, value in counts.items() if key[:2] == (section, dataset)}
        _draw_dataset(axes, dataset, points, style)
    axes.set_title(PANELS[section], fontsize=9)
    axes.set_xlabel("columns of the separator")
    axes.set_yscale("symlog", linthresh=1, linscale=0.4)  # a bisection may need no iteration
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(FixedLocator(TICKS))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid(color="#e4e4e4", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_dataset(
    axes: Axes, dataset: str, points: dict[int, Estimate], style: dict[str, Any]
) -> None:
    steps = sorted(points)
    axes.errorbar(
        steps,
        [points[step].value for step in steps],
        yerr=[points[step].high - points[step].value for step in steps],
        markersize=4,
        linewidth=1.1,
        elinewidth=0.5,
        label=name_label(dataset),
        **style,
    )


def _styles(count: int) -> list[dict[str, Any]]:
    """Return a style for each dataset; those of the methods are reused."""
    styles = [entry for entry in STYLES.values() if entry[1]]
    styles.append(("#000000", "x", "-"))
    return [
        dict(zip(("color", "marker", "linestyle"), styles[place % len(styles)], strict=True))
        for place in range(count)
    ]
