"""The two search strategies side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sorb.lab.figures.picture import Picture, new_figure
from sorb.lab.figures.styles import name_label, style_of
from sorb.lab.statistics import Estimate
from sorb.lab.tables.comparisons import strategies_table
from sorb.lab.tables.table import TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = {
    "average test risk": "average test risk (1 = without rules)",
    "complexity for 50 %": "complexity for half the risk",
}


def strategies_picture(results: pd.DataFrame) -> Picture:
    """Draw average risk and needed complexity of both strategies for each dataset."""
    table = strategies_table(results)
    sections = dict(table.sections())
    figure = new_figure(8.4, 1.4 + 0.3 * len(sections["average test risk"]))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (section, label) in zip(panels, PANELS.items(), strict=True):
        _draw(axes, sections[section], table.columns)
        axes.set_xlabel(label)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2,
                  frameon=False)  # fmt: skip
    return Picture(
        "strategies",
        "Two search strategies",
        f"A complexity that is not reached is left out. {table.caption}",
        figure,
    )


def _draw(axes: Axes, rows: Sequence[TableRow], methods: Sequence[str]) -> None:
    for place, method in enumerate(methods):
        shift = 0.12 * (2 * place - 1)
        points = [row.cells[place].ours for row in rows]
        axes.errorbar(
            [_finite(point, "value") for point in points],
            [height + shift for height in range(len(rows))],
            xerr=[_distances(points, "low"), _distances(points, "high")],
            markersize=5,
            elinewidth=0.8,
            label=name_label(method),
            **{**style_of(method), "linestyle": ""},
        )
    axes.set_yticks(range(len(rows)), [name_label(row.label) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.grid(axis="x", color="#e4e4e4", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _finite(point: Any, name: str) -> float:
    value = getattr(point, name) if isinstance(point, Estimate) else np.nan
    return float(value) if np.isfinite(value) else np.nan


def _distances(points: Sequence[Any], side: str) -> list[float]:
    """Return the lengths of the error bars; 0 without a finite end."""
    return list(np.nan_to_num([abs(_finite(p, side) - _finite(p, "value")) for p in points]))
