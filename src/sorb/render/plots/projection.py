"""The quantity that a proposition compares, and its threshold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float
from sorb.render.plots.labels import DIGITS, LABEL_WIDTH, LONGEST_WORD, escape, quantity, wrap
from sorb.render.plots.style import (
    BLACK,
    BLUE,
    DASHED,
    MOST_CATEGORIES,
    PALE_GREY,
    align_labels_left,
    category_space,
    ensure_size,
    label_categories,
    new_axes,
    visible_span,
)
from sorb.rules import AnyProposition, Membership, Product, Proposition, notation
from sorb.rules.columns import ColumnSource, TableLike, column_source
from sorb.tables.exposure import row_exposure
from sorb.tables.targets import require_numbers
from sorb.tables.weights import row_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_projection"]


N_BINS, MOST_OUTCOMES, MANY_TIMES = 40, 8, 10.0
LOGARITHMS = (math.log(5e-324), math.log(1e308))  # of the ends of a logarithmic axis
STRIP, LINE = 0.85, 0.19  # the height of a strip, and of a line of its label, in inches


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """The quantity of a proposition for each row (NaN if unknown), and the cut, its threshold.

    `above` says which side of the cut is covered. With `ticks`, the values are the places of
    categories; those at the places `rest` stand for several, for which there is no room.
    """

    values: Float
    cut: float
    above: bool
    label: str
    logarithmic: bool = False
    ticks: tuple[str, ...] = ()
    rest: tuple[int, ...] = ()


def plot_projection(
    proposition: AnyProposition,
    X: TableLike,
    y: Any,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    columns: Sequence[str] | None = None,
    units: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the distribution of the quantity of a proposition, for each outcome, and its cut.

    The quantity is the weighted sum, the product, or the category. The proposition covers the
    shaded side. Numeric outcomes with many values are divided at their median. Rows without a
    quantity, because a value is missing, are counted at the side, with whether they are covered.
    Of more than 30 categories, the most frequent ones are drawn, on both sides of the cut, and the
    others have only their share of the rows written at their place.

    Parameters
    ----------
    proposition : Proposition, Product or Membership
        For example ``ensemble[0].condition.propositions[0]``.
    X : array or DataFrame
        A table.
    y : array-like
        The outcomes of its rows: classes or numbers.
    sample_weight : array-like, optional
        The weights of its rows: a weight of k counts as k rows.
    exposure : array-like, optional
        What the outcomes accumulated over, such as years: rows are then told apart by their rates.
    columns : sequence of str, optional
        The names of an array's columns, in order. A DataFrame names its own.
    units : mapping from str to str, optional
        The units of columns.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> taller = Proposition(("height", "width"), (2.0, -1.0), 1.0)
    >>> table = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 1.0]])
    >>> ax = plot_projection(taller, table, ["flat", "tall", "tall"], columns=("height", "width"))
    >>> print(ax.get_xlabel())
    2 height − width
    """
    source = column_source(X, proposition.columns, columns)
    weight = row_weights(sample_weight, source.n_rows)
    found = _projection(proposition, source, weight, units or {})
    covered = proposition.covers(source)
    values = _on_its_side(found, covered)
    strips = _by_outcome(y, weight, exposure)
    labels = [
        _strip_label(name, weight * chosen, covered, np.isnan(values), proposition)
        for name, chosen in strips
    ]
    height = max(STRIP, LINE * max(label.count("\n") + 1 for label in labels)) * len(strips)
    width = max(5.0, category_space(found.ticks))
    axes = new_axes(1.6 + width, 1.5 + height) if ax is None else ax
    edges = _edges(found, weight > 0)
    _shade(axes, found, edges)
    for place, (_, chosen) in enumerate(strips):
        known = chosen & ~np.isnan(values)
        _draw_strip(axes, found, values[known], weight[known], edges, place)
    axes.set_yticks(np.arange(len(strips)) - 0.35, labels)
    align_labels_left(axes)
    axes.set_ylim(len(strips) - 0.9, -1.15)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel(escape(wrap(found.label, LABEL_WIDTH)))
    if found.ticks:
        label_categories(axes.xaxis, found.ticks)
    if ax is None:
        ensure_size(axes, 0.8 * width, height)
    return axes


def _projection(
    proposition: AnyProposition, source: ColumnSource, weight: Float, units: Mapping[str, str]
) -> Projection:
    if isinstance(proposition, Membership):
        return _categories(proposition, source, weight)
    label = _left_side(proposition, units)
    if isinstance(proposition, Product):
        values = proposition.quantity(source)
        above = not proposition.at_most
        return Projection(values, proposition.threshold, above, label, logarithmic=True)
    # As it is printed: scaled, unless it reads as it is stored, and without a leading minus.
    scale = math.copysign(1.0, proposition.weights[0])
    if proposition.tokens(DIGITS) != proposition.tokens(None):
        scale *= max(map(abs, proposition.weights))
    values = proposition.quantity(source) / scale
    return Projection(values, proposition.threshold / scale, scale > 0, label)


def _left_side(proposition: Proposition | Product, units: Mapping[str, str]) -> str:
    tokens = proposition.tokens(DIGITS, units)
    relation = next(k for k, token in enumerate(tokens) if token.kind == "relation")
    unit = "".join(token.text.strip() for token in tokens if token.kind == "unit")
    return notation.join_tokens(tokens[:relation]) + (f" ({unit})" if unit else "")


def _categories(proposition: Membership, source: ColumnSource, weight: Float) -> Projection:
    """Put the categories of the set before the others, and more frequent ones first."""
    labels = source.labels(proposition.column)
    name = notation.name(proposition.column)
    if not proposition.categories:
        missing = np.array([label is None for label in labels], dtype=np.float64)
        return Projection(missing, 0.5, proposition.missing, name, ticks=("measured", "missing"))
    frequency: Counter[Any] = Counter()
    for label, share in zip(labels, weight.tolist(), strict=True):
        if label is not None and share > 0:
            frequency[label] += share
    wanted = set(proposition.categories)
    sides = [
        [label for label, _ in frequency.most_common() if (label in wanted) == inside]
        for inside in (True, False)
    ]
    room = _divide_room(*map(len, sides))
    place: dict[Any, float] = {}
    ticks: list[str] = []
    rest: list[int] = []
    for side, places in zip(sides, room, strict=True):
        start = len(ticks)
        place |= {label: float(start + min(k, places - 1)) for k, label in enumerate(side)}
        ticks += map(notation.label, side[:places])
        if len(side) > places:
            ticks[-1] = f"{len(side) - places + 1} more"
            rest.append(len(ticks) - 1)
    values = np.array([place.get(label, math.nan) for label in labels])
    return Projection(
        values, room[0] - 0.5, proposition.negated, name, ticks=tuple(ticks), rest=tuple(rest)
    )


def _divide_room(inside: int, outside: int) -> tuple[int, int]:
    """Divide the places along the axis among the categories of the set and the others.

    Examples
    --------
    >>> _divide_room(3, 4), _divide_room(3, 84), _divide_room(84, 3), _divide_room(40, 47)
    ((3, 4), (3, 27), (27, 3), (15, 15))
    """
    first = min(inside, max(MOST_CATEGORIES // 2, MOST_CATEGORIES - outside))
    return first, min(outside, MOST_CATEGORIES - first)


def _by_outcome(outcomes: Any, weight: Float, exposure: Any) -> list[tuple[str, Bool]]:
    """Divide the rows that have a weight by outcome; numbers with many values at their median."""
    y, word = np.asarray(outcomes), "outcome"
    if y.shape != weight.shape:
        raise ValueError(
            f"y must hold one outcome for each of the {len(weight)} rows, found shape {y.shape}"
        )
    if exposure is not None:
        require_numbers(outcomes)
        y, word = y.astype(np.float64) / row_exposure(exposure, len(y)), "rate"
    counted = weight > 0
    distinct = sorted(set(y[counted].tolist()), key=lambda label: (str(type(label)), label))
    if len(distinct) <= MOST_OUTCOMES:
        return [(notation.label(label), counted & (y == label)) for label in distinct]
    if y.dtype.kind not in "fiu":
        raise ValueError(f"y must have at most {MOST_OUTCOMES} classes, found {len(distinct)}")
    middle = _median(y[counted], weight[counted])
    written = notation.number(middle, DIGITS)
    # If half of all outcomes are the lowest one, nothing is below the median.
    lowest = middle == y[counted].min()
    below, signs = (y <= middle, "=>") if lowest else (y < middle, "<≥")
    sides = zip(signs, (below, ~below), strict=True)
    return [(f"{word} {sign} {written}", counted & side) for sign, side in sides]


def _median(y: NDArray[Any], weight: Float) -> float:
    order = np.argsort(y)
    reached = np.cumsum(weight[order])
    # Where half of the weight ends and the other half begins: the same value, or two.
    lower, upper = (np.searchsorted(reached, reached[-1] / 2, side) for side in ("left", "right"))
    return (float(y[order[lower]]) + float(y[order[upper]])) / 2


def _edges(found: Projection, counted: Bool) -> Float:
    """Divide the axis into bins with an edge at the cut, so that no bar is on both sides of it."""
    if found.ticks:
        return np.arange(len(found.ticks) + 1, dtype=np.float64) - 0.5
    scaled, cut = found.values[counted & np.isfinite(found.values)], found.cut
    if found.logarithmic:
        scaled, cut = np.log(scaled[scaled > 0]), math.log(cut)
    low, high = min(scaled.min(initial=cut), cut), max(scaled.max(initial=cut), cut)
    width = visible_span(low, high, N_BINS) / N_BINS
    below, above = (math.floor(part / width) + 1 for part in (cut - low, high - cut))
    steps = width * np.arange(-below, above + 1)
    edges = np.exp(np.clip(cut + steps, *LOGARITHMS)) if found.logarithmic else cut + steps
    edges[below] = found.cut
    return np.asarray(edges, dtype=np.float64)


def _on_its_side(found: Projection, covered: Bool) -> Float:
    """Keep rows that are on the cut, or within rounding of it, on their side."""
    below = np.minimum(found.values, math.nextafter(found.cut, -math.inf))
    return np.where(covered == found.above, np.maximum(found.values, found.cut), below)


def _shade(axes: Axes, found: Projection, edges: Float) -> None:
    axes.set_xlim(edges[0], edges[-1])
    if found.logarithmic:
        _scale_by_factors(axes, many=bool(edges[-1] / MANY_TIMES > edges[0]))
    side = (found.cut, edges[-1]) if found.above else (edges[0], found.cut)
    axes.axvspan(*side, color=PALE_GREY, zorder=0)
    axes.axvline(found.cut, color=BLACK, linestyle=DASHED, linewidth=1.2)
    if not found.ticks:
        _name_cut(axes, found.cut)
    sides = ("left", "right") if found.above else ("right", "left")
    for words, place in zip(("not covered", "covered"), sides, strict=True):
        axes.set_title(words, loc=place, fontsize="medium")  # type: ignore[arg-type]


def _name_cut(axes: Axes, cut: float) -> None:
    axes.annotate(
        f"cut at {notation.number(cut, DIGITS + 1)}",
        (cut, 1),
        (0, -9),
        xycoords=axes.get_xaxis_transform(),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize="small",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )


def _scale_by_factors(axes: Axes, many: bool) -> None:
    """Make the axis logarithmic, and write numbers as rules print them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)) if many else MaxNLocator(6))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: notation.number(value, DIGITS)))


def _draw_strip(
    axes: Axes, found: Projection, values: Float, weight: Float, edges: Float, place: int
) -> None:
    """Draw a histogram on a line of its own, scaled to its highest bar."""
    heights = np.histogram(values, edges, weights=weight)[0]
    for k in found.rest:
        # As high as many categories together, a bar would dwarf those of single ones.
        share = 100 * heights[k] / (heights.sum() or 1.0)
        axes.text(k, place - 0.06, f"{share:.0f}\n%", ha="center", va="bottom", fontsize="small")
    heights[list(found.rest)] = 0.0
    tops = 0.8 * heights / (heights.max() or 1.0)
    axes.bar(
        (edges[:-1] + edges[1:]) / 2,
        -tops,
        (0.7 if found.ticks else 1.0) * np.diff(edges),
        bottom=place,
        color=BLUE,
        edgecolor="white",
        linewidth=0.4,
    )
    axes.axhline(place, color=BLACK, linewidth=0.8)


def _strip_label(
    name: str, weight: Float, covered: Bool, unknown: Bool, proposition: AnyProposition
) -> str:
    share = np.average(covered, weights=weight)
    lines = [name, quantity(weight.sum(), "row"), f"{100 * share:.0f} % covered"]
    missing = float(weight[unknown].sum())
    if missing:
        why = "not positive or missing" if isinstance(proposition, Product) else "missing"
        where = "covered" if proposition.missing else "not covered"
        lines.append(f"{notation.number(missing, DIGITS)} {why}: {where}")
    return escape("\n".join(wrap(line, LONGEST_WORD) for line in lines))
