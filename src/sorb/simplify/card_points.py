"""How the points of a scorecard are chosen: to be near the votes, to fit rows, or by a scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sorb._types import Bool, Int
from sorb.learning.refit import Patterns
from sorb.simplify.card_scale import OddsScale
from sorb.simplify.points import (
    LogOddsLine,
    group_outcomes,
    integer_scalings,
    nearest_lines,
    refit_line,
)
from sorb.tables.targets import Outcomes

__all__ = ["SignedPoints", "add_points", "fitted_points", "nearest_points", "scaled_points"]


@dataclass(frozen=True, slots=True)
class SignedPoints:
    """Whole points with the signs of the votes, and the log-odds that belong to their totals."""

    points: tuple[int, ...]
    line: LogOddsLine


def nearest_points(votes: Sequence[float], offset: float, max_points: int) -> SignedPoints:
    """Choose the points whose log-odds deviate least from the exact ones in the worst case.

    Examples
    --------
    >>> nearest_points([1.5, -1.0], -2.0, max_points=4).points
    (3, -2)
    """
    scalings = integer_scalings(votes, max_points)
    lines, deviations = nearest_lines(votes, offset, scalings)
    best = int(np.argmin(deviations))
    return SignedPoints(tuple(scalings[best].tolist()), lines[best])


def fitted_points(
    votes: Sequence[float], offset: float, max_points: int, covered: Bool, outcomes: Outcomes
) -> SignedPoints:
    """Choose the points with the lowest risk on given rows, after a refit of the line to them.

    A refit that turns the line round, so that more points mean less, is not considered.
    """
    scalings = integer_scalings(votes, max_points)
    starts, _ = nearest_lines(votes, offset, scalings)
    patterns, shares = _patterns(covered, outcomes)
    found, risks = [], []
    for points, start in zip(scalings, starts, strict=True):
        totals, group = np.unique(add_points(patterns, points), return_inverse=True)
        alike = group_outcomes(group, shares)
        line = refit_line(totals, alike, start)
        if line.slope > 0:
            found.append(SignedPoints(tuple(points.tolist()), line))
            risks.append(alike.risk(line(totals)))
    if not found:
        raise ValueError(
            "the rows contradict the model: the more likely it finds the second class, the rarer "
            "that class is among them; give the rows that it was learned from, or none"
        )
    return found[int(np.argmin(risks))]


def scaled_points(votes: Sequence[float], offset: float, scale: OddsScale) -> SignedPoints:
    """Round the votes to whole points of a scale, without any choice.

    The offset is in the middle of what rounding may do to the log-odds, so that it does least in
    the worst case.
    """
    points, slope = scale.points(votes), scale.line.slope
    errors = [vote - slope * p for vote, p in zip(votes, points, strict=True)]
    return SignedPoints(points, LogOddsLine(slope, offset + sum(errors) / 2))


def add_points(covered: Bool | Int, points: Sequence[int] | Int) -> Int:
    """Add up the points of the rules that cover each row."""
    return covered.astype(np.int64, copy=False) @ np.array(points, dtype=np.int64)


def _patterns(covered: Bool, outcomes: Outcomes) -> tuple[Int, Outcomes]:
    """Combine rows that the same rules cover, and leave out rows of weight 0."""
    counted = outcomes.weight > 0
    patterns = Patterns.without_rules(int(counted.sum()), 1)
    for rows in covered[counted].T:
        patterns = patterns.split(np.ascontiguousarray(rows), 0)
    known = outcomes.take(np.flatnonzero(counted))
    return patterns.table.astype(np.int64), group_outcomes(patterns.index, known)
