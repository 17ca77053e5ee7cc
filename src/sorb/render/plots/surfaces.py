"""How regions are drawn: steps over one column, labelled areas over two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sorb._types import Float, Index
from sorb.explanation.explained_quantity import amount
from sorb.render.plots.grid import Side
from sorb.render.plots.labels import escape, outcome_label, shorten
from sorb.render.plots.style import BLACK, BLUE, GREY, PALE_BLUE, SERIES, VERMILION, tidy
from sorb.rules import RuleEnsemble, notation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_LABELS = 24
SMALLEST_LABELLED = 0.035  # the radius of a region that has room for a label, in widths
# One for each style in SERIES.
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "|||", "+++", "ooo", "**", "//..", "--\\\\")
STRIP_HEIGHT = 0.16  # of the rows of one class, in inches


def class_names(ensemble: RuleEnsemble) -> list[str]:
    """Give short names of the classes."""
    numbers = range(len(ensemble.offsets))
    unnamed = numbers if ensemble.loss.score_per_class else ("other", "positive")
    return [shorten(notation.label(label)) for label in ensemble.classes or unnamed]


def draw_line(
    axes: Axes,
    ensemble: RuleEnsemble,
    across: Side,
    outcome: Float,
    rows: Float,
    outcomes: Float | None,
) -> None:
    """Draw what is expected over the values of one column."""
    chances = ensemble.loss.has_classes
    if outcome.ndim == 2:
        _draw_classes(axes, across.places, outcome, class_names(ensemble))
    else:
        label = None if outcomes is None or chances else outcome_label(ensemble)
        axes.step(across.places, outcome, where="mid", linewidth=2, color=BLUE, label=label)
    if outcomes is not None:
        if chances:
            _draw_strokes(axes, rows, outcomes, class_names(ensemble), outcome.ndim == 2)
        else:
            axes.plot(rows, outcomes, ".", color=GREY, alpha=0.6, zorder=1, label="row")
    if chances:
        axes.set_yticks(np.linspace(0, 1, 6))
    tidy(axes)


def _draw_classes(axes: Axes, places: Float, outcome: Float, names: Sequence[str]) -> None:
    """Draw a line for each class, with marks where other lines have none."""
    apart = len(places) // 6
    for k, (line, name, look) in enumerate(zip(outcome.T, names, SERIES, strict=False)):
        axes.step(
            places,
            line,
            where="mid",
            linewidth=2,
            markersize=7,
            markevery=((2 * k + 1) * apart // (2 * len(names)), apart),
            label=escape(f"class {name}"),
            **look,
        )


def _draw_strokes(axes: Axes, x: Float, number: Float, names: Sequence[str], several: bool) -> None:
    """Draw the rows of each class as strokes: of two classes at 0 and 1, else below the lines."""
    heights = -0.07 * np.arange(1, len(names) + 1) if several else np.arange(len(names))
    for k, height in enumerate(heights):
        chosen = x[number == k]
        color = SERIES[k]["color"] if several else (VERMILION, BLUE)[k]
        places = np.full(len(chosen), height)
        axes.plot(chosen, places, linestyle="", marker="|", markersize=9, color=color)
    beside = axes.secondary_yaxis("right")
    beside.set_yticks(heights, [escape(name) for name in names], fontsize="small")
    beside.tick_params(length=0)
    beside.spines[:].set_visible(False)
    place: Any = "bottom" if several else "center"
    beside.set_ylabel("rows of the class", fontsize="small", loc=place)


def draw_surface(
    axes: Axes,
    ensemble: RuleEnsemble,
    sides: Sequence[Side],
    outcome: Float,
    scores: Float,
    rows: Sequence[Float],
    outcomes: Float | None,
) -> None:
    """Draw what the model says over the values of two columns."""
    across, upwards = (part.places for part in sides)
    if outcome.ndim == 3:
        area = scores.argmax(axis=2)
        _fill_classes(axes, across, upwards, area)
        words = class_names(ensemble)
        scale = None
    else:
        distinct, area = np.unique(outcome, return_inverse=True)
        area = area.reshape(outcome.shape)
        scale = _fill_values(axes, ensemble, across, upwards, outcome, scores, outcomes)
        words = [amount(ensemble.loss, float(v)) for v in distinct]
    _draw_borders(axes, across, upwards, area)
    if outcomes is not None:
        _draw_rows(axes, ensemble, rows, outcomes, scale)
    _write_labels(axes, across, upwards, area, words)
    axes.set(xlim=across[[0, -1]], ylim=upwards[[0, -1]])


def _fill_values(
    axes: Axes,
    ensemble: RuleEnsemble,
    across: Float,
    upwards: Float,
    outcome: Float,
    scores: Float,
    outcomes: Float | None,
) -> dict[str, Any]:
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    shades = LinearSegmentedColormap.from_list("pale", ["white", PALE_BLUE, "#5a9bc9"])
    chances = ensemble.loss.has_classes
    # A few extreme outcomes would leave the whole model pale: they are drawn as its extremes.
    low, high = (0.0, 1.0) if chances else (float(outcome.min()), float(outcome.max()))
    scale: dict[str, Any] = {"cmap": shades, "norm": Normalize(low, high)}
    filled = axes.pcolormesh(across, upwards, outcome, rasterized=True, **scale)
    beyond = _beyond(low, high, outcomes)
    axes.figure.colorbar(filled, ax=axes, label=outcome_label(ensemble), extend=beyond)
    if chances and scores.min() <= 0 < scores.max():
        axes.contour(across, upwards, scores > 0, levels=[0.5], colors=BLACK, linewidths=2)
    return scale


def _beyond(low: float, high: float, outcomes: Float | None) -> str:
    """Say on which sides of the model's range there are outcomes."""
    if outcomes is None:
        return "neither"
    sides = bool((outcomes < low).any()), bool((outcomes > high).any())
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get(sides, "neither")


def _fill_classes(axes: Axes, across: Float, upwards: Float, area: Index) -> None:
    for k in np.unique(area):
        color = SERIES[k]["color"]
        filled = axes.contourf(
            across,
            upwards,
            area == k,
            levels=[0.5, 1.5],
            colors=[(color, 0.18)],
            hatches=[HATCHES[k]],
        )
        filled.set(edgecolor=(color, 0.45), linewidth=0)


def _draw_borders(axes: Axes, across: Float, upwards: Float, area: Index) -> None:
    for k in np.unique(area)[1:]:
        axes.contour(
            across, upwards, area >= k, levels=[0.5], colors=GREY, linewidths=0.8, zorder=2
        )


def _draw_rows(
    axes: Axes,
    ensemble: RuleEnsemble,
    rows: Sequence[Float],
    outcomes: Float,
    scale: dict[str, Any] | None,
) -> None:
    x, y = rows
    if not ensemble.loss.has_classes:
        assert scale is not None  # what is expected has been filled in with it
        axes.scatter(
            x,
            y,
            s=16,
            c=outcomes,
            edgecolor=BLACK,
            linewidth=0.5,
            label="row, filled by its outcome",
            **scale,
        )
        return
    names = class_names(ensemble)
    looks = SERIES if len(names) > 2 else (SERIES[1], SERIES[0])
    for k, (name, look) in enumerate(zip(names, looks, strict=False)):
        chosen = outcomes == k
        axes.scatter(
            x[chosen],
            y[chosen],
            s=24,
            color=look["color"],
            marker=look["marker"],
            edgecolor="white",
            linewidth=0.5,
            label=escape(f"row of class {name}"),
        )


def _write_labels(
    axes: Axes, across: Float, upwards: Float, area: Index, words: Sequence[str]
) -> None:
    """Write into each region, at the place farthest from its border, what the model says there."""
    for (row, column), number in _centres(area):
        axes.text(
            across[column],
            upwards[row],
            escape(words[number]),
            ha="center",
            va="center",
            fontsize="small",
            zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        )


def _centres(area: Index) -> list[tuple[tuple[int, int], int]]:
    from scipy import ndimage

    found = []
    for number in np.unique(area):
        regions, n_regions = ndimage.label(area == number)
        # The edge of the picture is a border too.
        depth = ndimage.distance_transform_edt(np.pad(area == number, 1))[1:-1, 1:-1]
        for region in range(1, n_regions + 1):
            depths = np.where(regions == region, depth, 0.0)
            row, column = np.unravel_index(depths.argmax(), depths.shape)
            found.append((float(depths[row, column]), (int(row), int(column)), int(number)))
    least = SMALLEST_LABELLED * len(area)
    largest = sorted(found, key=lambda entry: -entry[0])[:MOST_LABELS]
    return [(place, number) for radius, place, number in largest if radius >= least]
