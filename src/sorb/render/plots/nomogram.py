"""Nomograms: a scorecard as axes from which points, total and probability can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logit

from sorb.render.plots.labels import escape, shorten, wrap
from sorb.render.plots.style import BLACK, GREY, LINE_HEIGHT, ROW_HEIGHT, ensure_size, new_axes
from sorb.rules import notation
from sorb.simplify import Scorecard
from sorb.simplify.card_lines import CardLine
from sorb.simplify.card_totals import percentage

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_nomogram"]

WIDTH, LABEL = 5.0, 46  # of the axes in inches, of the label of a line in characters
PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
APART = 0.05  # of two written numbers, as a share of the width
FAINT = "#cccccc"


def plot_nomogram(card: Scorecard, ax: Axes | None = None) -> Axes:
    """Draw a scorecard as a nomogram.

    Each line has an axis from "no" to "yes", whose points are read on the axis at the top. Their
    total leads, on the two axes at the bottom, to the probability.

    Parameters
    ----------
    card : Scorecard
        The card, as `RuleEnsemble.scorecard` makes it.
    ax : Axes, optional
        Where to draw; on a new figure by default.

    Returns
    -------
    Axes
        The axes.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> card = RuleEnsemble(-2.97, (old,), ("age",), "logistic").scorecard()
    >>> axes = plot_nomogram(card)
    >>> [label.get_text() for label in axes.get_yticklabels()][:2]
    ['Points', 'age ≥ 40']
    """
    labels = [_line_label(card, line) for line in card.lines]
    heights = [max(ROW_HEIGHT, LINE_HEIGHT * ROW_HEIGHT * (t.count("\n") + 2)) for t in labels]
    places = [0.0, *(ROW_HEIGHT + np.cumsum(heights) - np.array(heights) / 2).tolist()]
    bottom = places[-1] + heights[-1] / 2
    places += [bottom + ROW_HEIGHT, bottom + 2.4 * ROW_HEIGHT]
    axes = new_axes(WIDTH + 2.5, places[-1] + 1.0) if ax is None else ax
    most = max(card.points)
    axes.set(xlim=(-0.03, 1.03), ylim=(places[-1] + 0.5, -0.4))
    _axis(axes, places[0], [(t / most, str(t)) for t in _round_steps(0, most)])
    for place, line in zip(places[1:], card.lines, strict=False):
        _answer_axis(axes, place, places[0], line.points / most)
    axes.axhline(bottom + 0.25 * ROW_HEIGHT, color=FAINT, linewidth=0.8)
    _total_axes(axes, card, places[-2], places[-1])
    name = "Score" if card.scale else "Total"
    about = escape(wrap(shorten(f"Probability of {card.positive}", 120), 28))
    axes.set_yticks(places, ["Points", *labels, name, about])
    axes.set_xticks([])
    if any(line.marked for line in card.lines):
        axes.set_xlabel("* also for a missing value", fontsize=8, loc="left")
    axes.tick_params(axis="y", length=0)
    axes.spines[:].set_visible(False)
    ensure_size(axes, WIDTH, places[-1] + 0.9)
    return axes


def _line_label(card: Scorecard, line: CardLine) -> str:
    word, parts = line.statement(dict(card.model.units))
    first, *others = map(notation.join_tokens, parts)
    written = [first, *(f"{word} {part}" for part in others)]
    return escape("\n".join(wrap(shorten(part, 240), LABEL) for part in written))


def _answer_axis(axes: Axes, place: float, top: float, end: float) -> None:
    axes.plot([end, end], [top, place], color=FAINT, linewidth=0.7, zorder=0)
    axes.plot([0, end], [place, place], color=BLACK, linewidth=1)
    axes.plot([0], [place], "o", markerfacecolor="white", markeredgecolor=BLACK, markersize=5)
    axes.plot([end], [place], "o", color=BLACK, markersize=5)
    for x, answer in ((0.0, "no"), (end, "yes")):
        axes.annotate(
            answer, (x, place), (0, -5), textcoords="offset points", ha="center", va="top",
            fontsize=8, color=GREY if answer == "no" else BLACK,
        )  # fmt: skip


def _total_axes(axes: Axes, card: Scorecard, total_place: float, place: float) -> None:
    """Draw the totals, and below each the probability that belongs to it."""
    low, high = card.start, card.start + sum(card.points)
    span = high - low
    _axis(axes, total_place, [((t - low) / span, str(t)) for t in _round_steps(low, high)])
    at = [((logit(p) - card.line.offset) / card.line.slope, percentage(p)) for p in PROBABILITIES]
    inside = [((t - low) / span, text) for t, text in at if low <= t <= high]
    ends = [(x, percentage(p)) for x, (_, p) in zip((0.0, 1.0), _ends(card), strict=True)]
    # The probabilities at both ends are always written; others if there is room.
    ticks = list(ends)
    for x, text in sorted(inside):
        if all(abs(x - other) > 2 * APART for other, _ in ticks):
            ticks.append((x, text.replace(".0 %", " %")))
    _axis(axes, place, sorted(ticks))


def _ends(card: Scorecard) -> tuple[tuple[int, float], tuple[int, float]]:
    table = card.table
    return table[0], table[-1]


def _axis(axes: Axes, place: float, ticks: Sequence[tuple[float, str]]) -> None:
    axes.plot([0, 1], [place, place], color=BLACK, linewidth=1.2)
    for x, text in ticks:
        axes.plot([x, x], [place, place + 0.07], color=BLACK, linewidth=1)
        axes.annotate(
            text.replace("-", notation.MINUS), (x, place + 0.07), (0, -2),
            textcoords="offset points", ha="center", va="top", fontsize=8,
        )  # fmt: skip


def _round_steps(low: int, high: int) -> list[int]:
    """Give about ten round numbers from `low` to `high`, and both of these.

    Examples
    --------
    >>> _round_steps(0, 7), _round_steps(444, 625)
    ([0, 1, 2, 3, 4, 5, 6, 7], [444, 460, 480, 500, 520, 540, 560, 580, 600, 625])
    """
    steps = (unit * factor for unit in (10**k for k in range(9)) for factor in (1, 2, 5))
    step = next(s for s in steps if (high - low) / s <= 1 / APART / 1.8)
    middle = range(-(-low // step) * step, high + 1, step)
    room = APART * (high - low) if step > 1 else 0
    return [low, *(t for t in middle if low + room < t < high - room), high]
