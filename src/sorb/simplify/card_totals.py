"""The table of a scorecard: each total of points, its probability, and what was observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sorb._types import Int
from sorb.losses import Loss
from sorb.rules.notation import MINUS, number
from sorb.simplify.points import LogOddsLine
from sorb.tables.targets import Outcomes

__all__ = [
    "ObservedTotal",
    "TotalLine",
    "observe_totals",
    "percentage",
    "possible_totals",
    "total_lines",
]

MOST_LINES = 24  # what fits on half a page
LEAST_ROWS = 10  # of a share that is printed as a percentage


@dataclass(frozen=True, slots=True)
class ObservedTotal:
    """The rows that have a total: the sum of their weights, and that of the positive ones."""

    total: int
    rows: float
    positive: float


@dataclass(frozen=True, slots=True)
class TotalLine:
    """A line of the table: one total, or a range of totals.

    Attributes
    ----------
    lowest, highest : int
        The first and the last total of the line that is possible.
    probabilities : tuple of float
        The probabilities of the positive class that belong to these two.
    lines : int
        On how many lines, from this one on, too few rows stand to tell their shares apart; 0 if
        this line belongs to an earlier one. 1 if there are no rows.
    rows : float or None
        How many rows of the table stand on these lines, if rows are known.
    share : float or None
        The share of them that is positive; None if there are no rows.
    """

    lowest: int
    highest: int
    probabilities: tuple[float, float]
    lines: int = 1
    rows: float | None = None
    share: float | None = None

    @property
    def total(self) -> str:
        """The total, or the range of totals."""
        low, high = (str(t).replace("-", MINUS) for t in (self.lowest, self.highest))
        return low if low == high else f"{low}–{high}"

    @property
    def probability(self) -> str:
        """The probability, or the range of probabilities."""
        low, high = (percentage(p) for p in sorted(self.probabilities))
        return low if low == high else f"{low.removesuffix(' %')}–{high}"

    @property
    def observed(self) -> str:
        """The share of the positive class, and of how many rows; of few rows, how many are."""
        if not self.lines or self.rows is None:
            return ""
        if not self.rows or self.share is None:
            return "no rows"
        rows = number(float(self.rows), 4)
        if self.rows < LEAST_ROWS:
            return f"{number(float(self.share * self.rows), 4)} of {rows}"
        return f"{percentage(self.share, exact=True)} of {rows}"


def percentage(probability: float, exact: bool = False) -> str:
    """Write a probability; only if it is `exact`, it may be 0 % or 100 %.

    Examples
    --------
    >>> percentage(0.0469), percentage(1e-9), percentage(0.0, exact=True)
    ('4.7 %', '<0.1 %', '0 %')
    """
    if exact and probability in (0.0, 1.0):
        return f"{100 * probability:.0f} %"
    if probability < 0.0005:
        return "<0.1 %"
    if probability >= 0.9995:
        return ">99.9 %"
    return f"{100 * probability:.1f} %"


def possible_totals(points: Iterable[int], start: int = 0) -> tuple[int, ...]:
    """Give the totals that some of the points can add up to, in order.

    Examples
    --------
    >>> possible_totals([2, 3], start=10)
    (10, 12, 13, 15)
    """
    reached = np.ones(1, dtype=np.bool_)
    for more in points:
        longer = np.zeros(len(reached) + more, dtype=np.bool_)
        longer[: len(reached)] = reached
        longer[more:] |= reached
        reached = longer
    return tuple((np.flatnonzero(reached) + start).tolist())


def observe_totals(totals: Int, outcomes: Outcomes) -> tuple[ObservedTotal, ...]:
    """Count the rows of each total, and the positive ones among them."""
    found, place = np.unique(totals, return_inverse=True)
    rows = np.bincount(place, outcomes.weight, len(found))
    positive = np.bincount(place, outcomes.weight * outcomes.y, len(found))
    columns = (found.tolist(), rows.tolist(), positive.tolist())
    return tuple(ObservedTotal(*row) for row in zip(*columns, strict=True) if row[1])


def total_lines(
    totals: Sequence[int],
    log_odds: LogOddsLine,
    loss: Loss,
    observed: Sequence[ObservedTotal] | None = None,
) -> list[TotalLine]:
    """Divide the possible totals into lines, and lines with few rows into groups.

    There is a line for each total, or for each range of 2, 5, 10, 20, … if these would be too many.

    Examples
    --------
    >>> from sorb.losses import Logistic
    >>> rows = [ObservedTotal(0, 30.0, 3.0), ObservedTotal(2, 9.0, 5.0), ObservedTotal(3, 2.0, 2.0)]
    >>> scale = LogOddsLine(1.0, -2.0)
    >>> for line in total_lines([0, 1, 2, 3], scale, Logistic(), rows):
    ...     print(line.total, line.probability, line.lines, line.observed)
    0 11.9 % 1 10.0 % of 30
    1 26.9 % 3 63.6 % of 11
    2 50.0 % 0
    3 73.1 % 0
    """
    step = next(s for s in _steps() if len({t // s for t in totals}) <= MOST_LINES)
    lowest = {total // step: total for total in reversed(totals)}
    highest = {total // step: total for total in totals}
    probability = dict(zip(totals, loss.mean(log_odds(np.array(totals))).tolist(), strict=True))
    lines = [
        TotalLine(lowest[k], top, (probability[lowest[k]], probability[top]))
        for k, top in highest.items()
    ]
    return lines if observed is None else _with_shares(lines, observed)


def _with_shares(lines: Sequence[TotalLine], observed: Sequence[ObservedTotal]) -> list[TotalLine]:
    """Write the share of each group of lines on its first one."""
    found: list[TotalLine] = []
    for group in _groups([_sums(line, observed) for line in lines]):
        rows, positive = (sum(part) for part in zip(*(sums for _, sums in group), strict=True))
        share = positive / rows if rows else None
        for k, (place, _) in enumerate(group):
            here = 0 if k else len(group)
            found.append(replace(lines[place], lines=here, rows=rows, share=share))
    return found


def _sums(line: TotalLine, observed: Sequence[ObservedTotal]) -> tuple[float, float]:
    rows = [o for o in observed if line.lowest <= o.total <= line.highest]
    return sum(o.rows for o in rows), sum(o.positive for o in rows)


def _groups(
    sums: Sequence[tuple[float, float]],
) -> list[list[tuple[int, tuple[float, float]]]]:
    """Group neighbours with few rows, until there are enough; the others stand alone."""
    groups: list[list[tuple[int, tuple[float, float]]]] = []
    found = float(LEAST_ROWS)  # in the group that is open
    for place, (rows, positive) in enumerate(sums):
        if found >= LEAST_ROWS or rows >= LEAST_ROWS:
            groups.append([])
            found = 0.0
        groups[-1].append((place, (rows, positive)))
        found += rows
    return groups


def _steps() -> Iterator[int]:
    unit = 1
    while True:
        yield from (unit, 2 * unit, 5 * unit)
        unit *= 10
