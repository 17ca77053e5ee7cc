"""What each rule adds for one row, from the offset to the total."""

from __future__ import annotations

import math
from collections.abc import Callable
from sys import float_info
from typing import TYPE_CHECKING, Any

import numpy as np

from sorb._types import Float
from sorb.explanation import RowExplanation
from sorb.explanation.explained_quantity import ExplainedQuantity, amount, percent
from sorb.losses import Readout
from sorb.render.plots.labels import (
    DIGITS,
    FIXED_SPACE,
    LABEL_WIDTH,
    condition_label,
    escape,
    outcome_label,
    quantity,
    score_label,
    wrap,
)
from sorb.render.plots.style import (
    BLACK,
    BLUE,
    GREY,
    HATCH,
    ROW_HEIGHT,
    VERMILION,
    align_labels_left,
    ensure_size,
    new_axes,
    row_positions,
    tidy,
    visible_span,
)
from sorb.rules import notation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_contributions"]


PERCENT_TICKS = (0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 30, 40, 50)
THICKNESS, TITLE_WIDTH = 0.55, 46
CLOSEST_TICKS = 0.13  # as a share of the width of the axis


def plot_contributions(row: RowExplanation, *, ax: Axes | None = None) -> Axes:
    """Draw what each rule adds for one row, from the offset above to the total below.

    The rules that cover the row are ordered by the size of what they add. With two classes, a
    second axis at the top shows the probabilities that belong to the log-odds; with more, the
    picture shows the probability of the predicted class instead.

    Parameters
    ----------
    row : RowExplanation
        The explanation of a row: ``model.explain(X)[0]``.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> from sorb.explanation import Explanation
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> ensemble = RuleEnsemble(-2.97, (old,), ("age",), "logistic", ("well", "ill"))
    >>> ax = plot_contributions(Explanation.of(ensemble, np.array([[55.0]]))[0])
    >>> ax.get_title(loc="left")
    'The probability of ill: from 4.9 % to 24 %'
    """
    quantity, several = ExplainedQuantity.of(row), row.ensemble.loss.score_per_class
    start = 100 * quantity.start if several else float(row.ensemble.offset)  # type: ignore[arg-type]
    added = 100 * quantity.added if several else row.contributions
    covering = np.flatnonzero(row.covered)
    order = covering[np.argsort(-np.abs(added[covering]), kind="stable")]
    labels = ["to begin with", *(_label(row, int(k)) for k in order), _last_label(row)]
    place, end = row_positions(labels)
    axes = new_axes(7.2, 1.4 + ROW_HEIGHT * end) if ax is None else ax
    axes.set_ylim(end, 0)
    _draw(axes, start, added[order], place, several)
    axes.set_yticks(place, labels)
    align_labels_left(axes)
    shown = escape(wrap(f"{quantity.name[4:]} in %", LABEL_WIDTH))
    axes.set_xlabel(shown if several else score_label(row.ensemble))
    _add_outcomes(axes, row)
    axes.set_title(_title(row, quantity), loc="left", fontsize="medium")
    if ax is None:
        ensure_size(axes, 3.4, ROW_HEIGHT * end)
    return axes


def _draw(axes: Axes, start: float, added: Float, place: Float, percentages: bool) -> None:
    reached = np.concatenate([[start], start + np.cumsum(added)])
    low, high = float(reached.min()), float(reached.max())
    room = 0.28 * visible_span(low, high)  # for a number of three digits beside the last bar
    axes.set_xlim(low - room, high + room)
    for before, after, where in zip(reached[:-1], reached[1:], place[1:-1], strict=True):
        _draw_bar(axes, before, after, where, percentages)
    # Each bar begins where the one above it ends.
    for value, upper, lower in zip(reached, place[:-1], place[1:], strict=True):
        ends = [upper - THICKNESS / 2, lower + THICKNESS / 2]
        axes.plot([value, value], ends, color=GREY, linewidth=0.8, linestyle=":")
    for value, where in ((start, place[0]), (reached[-1], place[-1])):
        axes.plot(value, where, marker="D", color=BLACK, markersize=7)
        axes.annotate(
            _level(value, percentages),
            (value, where),
            (8, 0),
            textcoords="offset points",
            va="center",
        )
    tidy(axes, "x")


def _draw_bar(axes: Axes, before: float, after: float, place: float, percentages: bool) -> None:
    raises = after >= before
    style: dict[str, Any] = {"color": BLUE} if raises else {"facecolor": "white"}
    style |= {} if raises else {"edgecolor": VERMILION, "hatch": HATCH}
    axes.barh(place, after - before, left=before, height=THICKNESS, **style)
    axes.annotate(
        _step(after - before, percentages),
        (after, place),
        (4 if raises else -4, 0),
        textcoords="offset points",
        ha="left" if raises else "right",
        va="center",
    )


def _step(value: float, percentages: bool) -> str:
    if not percentages:
        return notation.signed(value, DIGITS)
    return f"{round(value, 1) + 0.0:+.1f}".replace("-", notation.MINUS)


def _level(value: float, percentages: bool) -> str:
    return percent(value / 100) if percentages else notation.number(value, DIGITS)


def _label(row: RowExplanation, number: int) -> str:
    ensemble = row.ensemble
    digits, units = ensemble.shown_digits(), dict(ensemble.units)
    condition = condition_label(ensemble[number].condition, digits, units)
    return f"rule {number + 1}: {condition}"


def _last_label(row: RowExplanation) -> str:
    others = int((~row.covered).sum())
    if not others:
        return "in total"
    verb = "does" if others == 1 else "do"
    return f"in total\n({quantity(others, 'rule')} {verb} not cover the row)"


def _title(row: RowExplanation, quantity: ExplainedQuantity) -> str:
    start, end = (amount(row.ensemble.loss, value) for value in (quantity.start, quantity.end))
    change = f"from {start} to {end}".replace(" ", FIXED_SPACE)
    written = f"{quantity.name[0].upper()}{quantity.name[1:]}: {change}"
    return escape(wrap(written, TITLE_WIDTH).replace(FIXED_SPACE, " "))


def _add_outcomes(axes: Axes, row: RowExplanation) -> None:
    """Add an axis at the top that shows what is expected at the scores below."""
    low, high = axes.get_xlim()
    candidates = row.ensemble.loss.by_readout(TICKS, "drawn")(low, high)
    if not candidates:
        return
    ticks: list[tuple[float, str]] = []
    for place, label in candidates:
        near = ticks and place - ticks[-1][0] < CLOSEST_TICKS * (high - low)
        if low <= place <= high and not near:
            ticks.append((place, label))
    above = axes.secondary_xaxis("top")
    above.set_xticks([place for place, _ in ticks], [label for _, label in ticks])
    above.set_xlabel(outcome_label(row.ensemble))


def _percentages(low: float, high: float) -> list[tuple[float, str]]:
    rising = [(math.log(p / (100 - p)), f"{p:g} %") for p in PERCENT_TICKS]
    falling = [(-math.log(p / (100 - p)), f"{100 - p:g} %") for p in reversed(PERCENT_TICKS[:-1])]
    return [*rising, *falling]


def _amounts(low: float, high: float) -> list[tuple[float, str]]:
    first, last = math.floor(low / math.log(10)), math.ceil(high / math.log(10))
    # No tick is where the amount is beyond the floats.
    powers = range(max(first, float_info.min_10_exp), min(last, float_info.max_10_exp - 1) + 1)
    values = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    return [(math.log(value), notation.number(value, DIGITS)) for value in values]


def _no_ticks(low: float, high: float) -> list[tuple[float, str]]:
    return []


# Ticks for the expected outcome on the upper axis, unless the lower axis shows it already.
TICKS: dict[Readout, Callable[[float, float], list[tuple[float, str]]]] = {
    Readout.IDENTITY: _no_ticks,
    Readout.EXPONENTIAL: _amounts,
    Readout.SIGMOID: _percentages,
    Readout.SOFTMAX: _no_ticks,
}
