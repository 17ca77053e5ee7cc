"""The style that all pictures share: colours and marks that everyone can tell apart, and layout."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from sorb._extras import install_command
from sorb._types import Float
from sorb.render.plots.labels import escape, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From the palette of Okabe and Ito; line styles, markers and hatches serve readers without colour.
BLACK, BLUE, VERMILION, GREEN = "#000000", "#0072B2", "#D55E00", "#009E73"
ORANGE, SKY, PURPLE, GREY = "#E69F00", "#56B4E9", "#CC79A7", "#777777"
PALE_BLUE, PALE_GREY, HATCH = "#cfe3f1", "#ececec", "///"
DASHED, DOTTED = (0, (4, 1.5)), (0, (1, 1.2))

SERIES: tuple[dict[str, Any], ...] = tuple(
    {"color": color, "marker": marker, "linestyle": style}
    for color, marker, style in (
        (BLUE, "o", "-"),
        (VERMILION, "^", DASHED),
        (GREEN, "s", (0, (5, 1.5, 1, 1.5))),
        (PURPLE, "D", DOTTED),
        (ORANGE, "v", "-"),
        (BLACK, "P", DASHED),
        (SKY, "X", (0, (5, 1.5, 1, 1.5))),
        (GREY, "<", DOTTED),
        (BLUE, ">", DASHED),
        (VERMILION, "*", "-"),
        (GREEN, "p", DOTTED),
        (PURPLE, "h", (0, (5, 1.5, 1, 1.5))),
    )
)

ROW_HEIGHT, LINE_HEIGHT = 0.5, 0.38  # of a row in inches, of a line of its label in rows
CATEGORY_ROOM = 0.3  # in inches
MOST_CATEGORIES = 30  # that are told apart along an axis
LETTERS = 15.0  # in an inch


def new_axes(width: float, height: float, columns: int = 1, **options: Any) -> Any:
    """Create a figure of this size in inches, with one axes or several side by side."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(f"plots are drawn by matplotlib: {install_command('plot')}") from None
    return pyplot.subplots(1, columns, figsize=(width, height), layout="constrained", **options)[1]


@contextmanager
def quiet_layout() -> Iterator[None]:
    """Measure texts without a warning of what the font lacks, which saving the figure gives."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def ensure_size(axes: Axes, width: float, height: float) -> None:
    """Enlarge the figure so that the labels leave the axes at least this many inches."""
    figure: Any = axes.figure
    with quiet_layout():
        outside: Any = axes.get_tightbbox()
    needed = (outside.size - axes.bbox.size) / figure.dpi + np.array([width, height])
    figure.set_size_inches(np.maximum(figure.get_size_inches(), needed))


def tidy(axes: Axes, grid: str = "y") -> None:
    """Remove the frame at the top and right, and draw a faint grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis=grid, color="#dddddd", linewidth=0.7)  # type: ignore[arg-type]


def visible_span(low: float, high: float, parts: int = 1) -> float:
    """Give the length of an axis, or a larger one if its floats are too few to divide it.

    Examples
    --------
    >>> visible_span(2.0, 3.5), visible_span(2.0, 2.0), visible_span(1e17, 1e17)
    (1.5, 1.0, 4e+16)
    """
    largest = max(abs(low), abs(high))
    divisible = high - low > 2 * parts * math.ulp(largest)
    return high - low if divisible else max(1.0, 0.4 * largest)


def row_positions(labels: Sequence[str]) -> tuple[Float, float]:
    """Give the positions of rows whose labels may have several lines, and where the last ends."""
    heights = [max(1.0, LINE_HEIGHT * (label.count("\n") + 1.5)) for label in labels]
    ends = np.cumsum(heights)
    return ends - np.array(heights) / 2, float(ends[-1]) if heights else 1.0


def category_space(categories: Sequence[Any]) -> float:
    """Give the inches that category names need along an axis."""
    return CATEGORY_ROOM * len(categories)


def label_categories(axis: Any, categories: Sequence[str]) -> None:
    """Write categories at the places 0, 1, …, slanted if they do not fit side by side."""
    names = [shorten(category) for category in categories]
    axis.set_ticks(np.arange(len(names)), [escape(name) for name in names])
    longest = max(map(len, names)) + 2
    if axis.axis_name == "x" and longest * len(names) > LETTERS * _inches_across(axis.axes):
        axis.set_tick_params(rotation=45)
        for label in axis.get_ticklabels():
            label.set(ha="right", rotation_mode="anchor")


def align_labels_left(axes: Axes) -> None:
    """Let the labels of rows begin below each other, as conditions of any length are read."""
    labels = axes.get_yticklabels()
    with quiet_layout():
        width = max((label.get_window_extent().width for label in labels), default=0.0)
    for label in labels:
        label.set(ha="left", multialignment="left")
    axes.tick_params(axis="y", pad=4 + 72 * width / axes.figure.dpi)


def _inches_across(axes: Axes) -> float:
    return float(axes.bbox.width / axes.figure.dpi)


def add_legend_below(axes: Axes) -> None:
    """Add the legend below everything else, where it hides nothing."""
    from matplotlib.transforms import ScaledTranslation

    labels = axes.get_legend_handles_labels()[1]
    # The legend may be slightly wider than the axes, and each mark is as wide as a few letters.
    fitting = 1.2 * LETTERS * _inches_across(axes) // (max(map(len, labels)) + 5)
    with quiet_layout():
        written: Any = axes.xaxis.get_tightbbox()
    below = (axes.bbox.y0 - written.y0) / axes.figure.dpi
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=axes.transAxes + ScaledTranslation(0, -below, axes.figure.dpi_scale_trans),
        edgecolor="none",
        ncols=int(min(max(1, fitting), 4)),
    )
