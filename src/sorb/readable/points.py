"""Small integers in the place of weights, and the line that leads from their sum to log-odds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sorb.outcomes import Outcomes

__all__ = ["Line", "integer_scalings", "nearest_line", "refitted_line"]

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Line:
    """The log-odds are the offset plus the slope times the sum of the points."""

    slope: float
    offset: float

    def __call__(self, totals: NDArray[np.int64]) -> Float:
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


def integer_scalings(weights: Sequence[float], max_points: int) -> list[tuple[int, ...]]:
    """Give all that weights become when they are multiplied by a number and rounded.

    The largest gets at most `max_points`, and a common divisor is taken out.

    Examples
    --------
    >>> integer_scalings([1.0, -0.4], 3)
    [(1, 0), (1, -1), (2, -1), (3, -1)]
    """
    relative = np.array(weights) / max(map(abs, weights))
    halves = np.arange(max_points) + 0.5
    with np.errstate(divide="ignore", over="ignore"):
        steps = (halves[:, None] / np.abs(relative)).ravel()
    end = max_points + 0.5
    # Nothing changes between the factors at which one of the products is half an integer.
    edges = np.unique([*steps[(steps >= 0.5) & (steps < end)], end])
    found: dict[tuple[int, ...], None] = {}
    for factor in (edges[1:] + edges[:-1]) / 2:
        points = [int(p) for p in np.rint(factor * relative)]
        divisor = math.gcd(*points)
        found[tuple(p // divisor for p in points)] = None
    return list(found)


def nearest_line(weights: Sequence[float], offset: float, points: Sequence[int]) -> Line:
    """Give the line with the smallest deviation from exact log-odds, whatever rules hold.

    Examples
    --------
    >>> nearest_line([1.0, -0.5], -3.0, [2, -1])
    Line(slope=0.5, offset=-3.0)
    """
    # The log-odds of all combinations of rules span the sum of |weight − slope · point|. That is
    # least at the median of the quotients, each with the weight of its point.
    pairs = sorted((w / p, abs(p)) for w, p in zip(weights, points, strict=True) if p)
    half = sum(size for _, size in pairs) / 2
    heavy = np.cumsum([size for _, size in pairs]) >= half
    slope = pairs[int(np.argmax(heavy))][0]
    errors = (w - slope * p for w, p in zip(weights, points, strict=True))
    return Line(slope, offset + sum(errors) / 2)


def refitted_line(totals: NDArray[np.int64], outcomes: Outcomes, start: Line) -> Line:
    """Fit slope and offset to outcomes by logistic regression.

    One further observation, that the slope at the start is right, keeps it finite where the
    points separate the classes completely.
    """
    distinct, place = np.unique(totals, return_inverse=True)
    weight = np.bincount(place, outcomes.weight)
    positive = np.bincount(place, outcomes.weight * outcomes.y)

    def objective(change: Float) -> tuple[float, Float]:
        scores = (start.offset + change[1]) + start.slope * (1 + change[0]) * distinct
        residual = weight * outcomes.loss.mean(scores) - positive
        value = float(weight @ np.logaddexp(0, scores) - positive @ scores + change[0] ** 2 / 2)
        slope = start.slope * float(residual @ distinct) + change[0]
        return value, np.array([slope, residual.sum()])

    change = minimize(objective, np.zeros(2), jac=True, method="BFGS").x
    return Line(start.slope * float(1 + change[0]), start.offset + float(change[1]))
