"""Methods side by side: how well each ranks, and how large its loss is beside that of sorb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sorb.measures.comparison import Comparison
from sorb.render.plots.style import BLUE, DASHED, GREY, new_axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_comparison"]

Mark = tuple[float, float, float]


def plot_comparison(found: Comparison) -> Any:
    """Draw a line for each method, with 95 % intervals: its AUC or R², and its loss against sorb's.

    Methods left of the dashed line in the second picture have a lower loss than sorb.
    """
    names = list(found.methods)
    axes = new_axes(8.5, 1.3 + 0.42 * len(names), columns=2)
    first, second = axes
    _draw(first, names, [_ranking(found, name) for name in names])
    first.set_xlabel("AUC (right is better)" if found.loss.has_classes else "R² (right is better)")
    _draw(second, names, [_against(found, name) for name in names])
    second.axvline(0.0, color=GREY, linewidth=1, linestyle=DASHED, zorder=0)
    second.set_xlabel(f"{found.loss.measure} beyond that of sorb (left is better)")
    second.set_yticklabels([])
    return axes


def _ranking(found: Comparison, name: str) -> Mark | None:
    measures = found.methods[name].measures
    ranking = measures.estimate("r2") if measures.auc is None else measures.auc
    return None if ranking is None else (ranking.value, ranking.low, ranking.high)


def _against(found: Comparison, name: str) -> Mark | None:
    gain = found.methods[name].against_sorb
    if gain is None:
        return 0.0, 0.0, 0.0
    if gain.standard_error is None or not gain.freedom:
        return None
    worse = found.loss.measured(-gain.value)
    half = gain.quantile * found.loss.measured(gain.standard_error)
    return worse, worse - half, worse + half


def _draw(axes: Axes, names: Sequence[str], marks: Sequence[Mark | None]) -> None:
    for place, mark in enumerate(marks):
        if mark is None:
            continue
        value, low, high = mark
        axes.plot([low, high], [place, place], color=BLUE, linewidth=2)
        axes.plot(value, place, color=BLUE, marker="D" if place == 0 else "o", linestyle="")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    tidy(axes)
