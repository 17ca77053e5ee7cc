"""Small integers in the place of weights, and the line that leads from their sum to log-odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float, Int
from sorb.tables.targets import Outcomes

__all__ = ["Line", "grouped", "integer_scalings", "nearest_lines", "refitted_line"]


# Newton's method ends with a step that would lower the mean loss by no more than this.
PRECISION = 1e-12
MOST_STEPS = 100
# A probability that rounds to 0 or 1 would leave a step without any bound.
LEAST_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Line:
    """The log-odds are the offset plus the slope times the sum of the points."""

    slope: float
    offset: float

    def __call__(self, totals: Int) -> Float:
        """Give the log-odds."""
        return np.asarray(self.offset + self.slope * totals)

    def deviation(self, weights: Sequence[float], offset: float, points: Sequence[int]) -> float:
        """Give the largest difference to exact log-odds, whatever rules hold.

        Examples
        --------
        >>> Line(0.5, -3.0).deviation([1.25, -0.75], -3.0, [2, -1])
        0.25
        """
        errors = [w - self.slope * p for w, p in zip(weights, points, strict=True)]
        shift = offset - self.offset
        highest = shift + sum(e for e in errors if e > 0)
        lowest = shift + sum(e for e in errors if e < 0)
        return max(abs(highest), abs(lowest))


def integer_scalings(weights: Sequence[float], max_points: int) -> Int:
    """Give all that weights become when they are multiplied by a number and rounded, as rows.

    The largest gets at most `max_points`, and a common divisor is taken out.

    Examples
    --------
    >>> integer_scalings([1.0, -0.4], 3).tolist()
    [[1, 0], [1, -1], [2, -1], [3, -1]]
    """
    relative = np.array(weights) / max(map(abs, weights))
    halves = np.arange(max_points) + 0.5
    with np.errstate(divide="ignore", over="ignore"):
        steps = (halves[:, None] / np.abs(relative)).ravel()
    end = max_points + 0.5
    # Nothing changes between the factors at which one of the products is half an integer.
    edges = np.unique(np.append(steps[(steps >= 0.5) & (steps < end)], end))
    factors = (edges[1:] + edges[:-1]) / 2
    points = np.rint(factors[:, None] * relative).astype(np.int64)
    points //= np.gcd.reduce(points, axis=1, keepdims=True)
    _, first = np.unique(points, axis=0, return_index=True)
    return np.asarray(points[np.sort(first)])


def nearest_lines(weights: Sequence[float], offset: float, points: Int) -> tuple[list[Line], Float]:
    """Give for each row of points the line with the smallest deviation, and this deviation.

    It is the largest difference to exact log-odds, whatever rules hold.

    Examples
    --------
    >>> nearest_lines([1.0, -0.5], -3.0, np.array([[2, -1]]))
    ([Line(slope=0.5, offset=-3.0)], array([0.]))
    """
    # The log-odds of all combinations of rules span the sum of |weight − slope · point|. That is
    # least at the median of the quotients, each with the weight of its point.
    exact, sizes = np.array(weights), np.abs(points)
    quotients = np.divide(exact, points, out=np.full(points.shape, np.inf), where=sizes > 0)
    order = np.argsort(quotients, axis=1)
    below = np.cumsum(np.take_along_axis(sizes, order, axis=1), axis=1)
    median = np.argmax(2 * below >= below[:, -1:], axis=1)
    rows = np.arange(len(points))
    slopes = quotients[rows, order[rows, median]]
    errors = exact - slopes[:, None] * points
    offsets = offset + errors.sum(axis=1) / 2
    lines = [Line(*pair) for pair in zip(slopes.tolist(), offsets.tolist(), strict=True)]
    return lines, np.abs(errors).sum(axis=1) / 2


def grouped(place: NDArray[np.integer[Any]], outcomes: Outcomes) -> Outcomes:
    """Count the rows of each place as one, with the share of the second class as its outcome.

    A logistic loss is linear in the outcome, so the risk stays the same where all rows of a place
    have the same log-odds.

    Examples
    --------
    >>> from sorb.losses import Logistic
    >>> rows = Outcomes(np.array([1.0, 0.0, 1.0]), np.array([1.0, 3.0, 2.0]), Logistic())
    >>> grouped(np.array([0, 0, 1]), rows).y
    array([0.25, 1.  ])
    """
    weight = np.bincount(place, outcomes.weight).astype(np.float64)
    share = np.bincount(place, outcomes.weight * outcomes.y) / weight
    return replace(outcomes, y=share, weight=weight)


def refitted_line(totals: Int, outcomes: Outcomes, start: Line) -> Line:
    """Fit slope and offset to outcomes by logistic regression.

    One further observation, that the slope at the start is right, keeps it finite where the
    points separate the classes completely.
    """
    change = np.zeros(2)  # of the slope, as a share of it, and of the offset
    terms = np.asarray(start.slope * totals, dtype=np.float64)

    def line(change: Float) -> Line:
        return Line(start.slope * float(1 + change[0]), start.offset + float(change[1]))

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
    """Give the step to the least of the parabola at the scores, and twice what that gains."""
    residual = outcomes.weight * outcomes.loss.gradient(outcomes.y, scores)
    variance = outcomes.weight * np.maximum(outcomes.loss.information(scores), LEAST_VARIANCE)
    gradient = np.array([residual @ terms + change, residual.sum()])
    mixed = variance @ terms
    hessian = np.array([[variance @ terms**2 + 1, mixed], [mixed, variance.sum()]])
    step = -np.linalg.solve(hessian, gradient)
    return step, -float(gradient @ step)
