"""Small whole points instead of votes, and the line that leads from their total to log-odds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float, Int
from sorb.tables.targets import Outcomes

__all__ = ["LogOddsLine", "group_outcomes", "integer_scalings", "nearest_lines", "refit_line"]


# Newton's method ends when a step would lower the mean loss by no more than this.
PRECISION = 1e-12
MOST_STEPS = 100
# A probability that rounds to 0 or 1 would leave the step unbounded.
LEAST_CURVATURE = 1e-12


@dataclass(frozen=True, slots=True)
class LogOddsLine:
    """Log-odds as a line: the offset plus the slope times the total of the points."""

    slope: float
    offset: float

    def __call__(self, totals: Int) -> Float:
        """Give the log-odds."""
        return np.asarray(self.offset + self.slope * totals)

    def deviation(self, votes: Sequence[float], offset: float, points: Sequence[int]) -> float:
        """Give the largest difference from the exact log-odds, whichever rules cover a row.

        Examples
        --------
        >>> LogOddsLine(0.5, -3.0).deviation([1.25, -0.75], -3.0, [2, -1])
        0.25
        """
        errors = [vote - self.slope * p for vote, p in zip(votes, points, strict=True)]
        shift = offset - self.offset
        highest = shift + sum(e for e in errors if e > 0)
        lowest = shift + sum(e for e in errors if e < 0)
        return max(abs(highest), abs(lowest))

    def exact_up_to(self, largest_total: int) -> LogOddsLine:
        """Shorten slope and offset, so that sums of points up to this total are never rounded.

        The log-odds are then the same bit for bit, in whatever order the points are added.

        Examples
        --------
        >>> line = LogOddsLine(0.1, -1.3).exact_up_to(10)
        >>> line.offset + 3 * line.slope + 7 * line.slope == line(10)
        np.True_
        >>> line.slope
        0.09999999999999964
        """
        bound = abs(self.offset) + abs(self.slope) * largest_total
        if not math.isfinite(2 * bound):
            return self
        unit = 2 * math.ulp(bound)
        shorter = LogOddsLine(round(self.slope / unit) * unit, round(self.offset / unit) * unit)
        # Beside an offset of another size, the slope may have no digits left.
        kept = math.isclose(shorter.slope, self.slope, rel_tol=1e-9)
        return shorter if kept else self


def integer_scalings(votes: Sequence[float], max_points: int) -> Int:
    """Give, as rows, all results of multiplying the votes by a factor and rounding them.

    The largest vote gets at most `max_points`, and common divisors are cancelled.

    Examples
    --------
    >>> integer_scalings([1.0, -0.4], 3).tolist()
    [[1, 0], [1, -1], [2, -1], [3, -1]]
    """
    relative = np.array(votes) / max(map(abs, votes))
    halves = np.arange(max_points) + 0.5
    with np.errstate(divide="ignore", over="ignore"):
        steps = (halves[:, None] / np.abs(relative)).ravel()
    end = max_points + 0.5
    # Points change only at factors for which one of the products is half an integer.
    edges = np.unique(np.append(steps, end).clip(max=end))
    factors = (edges[1:] + edges[:-1]) / 2
    points = np.rint(factors[:, None] * relative).astype(np.int64)
    points //= np.gcd.reduce(points, axis=1, keepdims=True)
    _, first = np.unique(points, axis=0, return_index=True)
    return np.asarray(points[np.sort(first)])


def nearest_lines(
    votes: Sequence[float], offset: float, points: Int
) -> tuple[list[LogOddsLine], Float]:
    """Give for each row of points the line with the smallest deviation, and this deviation.

    The deviation is the largest difference from the exact log-odds, whichever rules cover a row.

    Examples
    --------
    >>> nearest_lines([1.0, -0.5], -3.0, np.array([[2, -1]]))
    ([LogOddsLine(slope=0.5, offset=-3.0)], array([0.]))
    """
    # Over all combinations of rules, the error in the log-odds spans Σ|vote − slope · points|. It
    # is least at the median of the quotients vote / points, weighted by |points|.
    exact, sizes = np.array(votes), np.abs(points)
    quotients = np.divide(exact, points, out=np.full(points.shape, np.inf), where=sizes > 0)
    order = np.argsort(quotients, axis=1)
    below = np.cumsum(np.take_along_axis(sizes, order, axis=1), axis=1)
    median = np.argmax(2 * below >= below[:, -1:], axis=1)
    rows = np.arange(len(points))
    slopes = quotients[rows, order[rows, median]]
    errors = exact - slopes[:, None] * points
    offsets = offset + errors.sum(axis=1) / 2
    lines = [LogOddsLine(*pair) for pair in zip(slopes.tolist(), offsets.tolist(), strict=True)]
    return lines, np.abs(errors).sum(axis=1) / 2


def group_outcomes(group: NDArray[np.integer[Any]], outcomes: Outcomes) -> Outcomes:
    """Combine the rows of each group into one, with the share of the second class as its outcome.

    The logistic loss is linear in the outcome, so the risk stays the same if all rows of a group
    have the same log-odds.

    Examples
    --------
    >>> from sorb.losses import Logistic
    >>> rows = Outcomes(np.array([1.0, 0.0, 1.0]), np.array([1.0, 3.0, 2.0]), Logistic())
    >>> group_outcomes(np.array([0, 0, 1]), rows).y
    array([0.25, 1.  ])
    """
    weight = np.bincount(group, outcomes.weight).astype(np.float64)
    share = np.bincount(group, outcomes.weight * outcomes.y) / weight
    return Outcomes(share, weight, outcomes.loss)


def refit_line(totals: Int, outcomes: Outcomes, start: LogOddsLine) -> LogOddsLine:
    """Fit slope and offset to outcomes by logistic regression.

    A penalty on the relative change of the slope keeps it finite if the points separate the
    classes completely.
    """
    change: Float = np.zeros(2)  # of the slope, as a share of it, and of the offset
    terms = np.asarray(start.slope * totals, dtype=np.float64)

    def line(change: Float) -> LogOddsLine:
        return LogOddsLine(start.slope * float(1 + change[0]), start.offset + float(change[1]))

    def value(change: Float) -> float:
        losses = outcomes.loss.value(outcomes.y, line(change)(totals))
        return float(outcomes.weight @ losses + change[0] ** 2 / 2)

    present = value(change)
    for _ in range(MOST_STEPS):
        step, gain = _newton_step(terms, line(change)(totals), outcomes, change[0])
        if gain <= PRECISION * outcomes.weight.sum():
            return line(change + step)
        while (found := value(change + step)) > present - gain / 8:
            step, gain = step / 2, gain / 2
        change, present = change + step, found
    return line(change)


def _newton_step(
    terms: Float, scores: Float, outcomes: Outcomes, change: float
) -> tuple[Float, float]:
    """Give the step to the minimum of the parabola at the scores, and twice what it gains."""
    # Large terms are measured in a unit of their size, so that no square is beyond the floats.
    unit = 2.0 ** max(0, math.frexp(np.abs(terms).max())[1])
    terms = terms / unit
    weighted_gradient = outcomes.weight * outcomes.loss.gradient(outcomes.y, scores)
    curvature = outcomes.weight * np.maximum(outcomes.loss.information(scores), LEAST_CURVATURE)
    gradient = np.array([weighted_gradient @ terms + change / unit, weighted_gradient.sum()])
    mixed = curvature @ terms
    hessian = np.array([[curvature @ terms**2 + unit**-2, mixed], [mixed, curvature.sum()]])
    step = -np.linalg.solve(hessian, gradient)
    return step / [unit, 1.0], -float(gradient @ step)
