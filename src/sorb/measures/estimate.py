"""Shares of rows, and the intervals within which estimates are likely to be right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from sorb._types import Bool, Float
from sorb.tables.weights import copy_counts

__all__ = [
    "LEAST_UNITS",
    "QUANTILE",
    "Estimate",
    "Units",
    "add_freedom",
    "estimate_share",
    "student_quantile",
    "wilson",
]

LEAST_UNITS = 1 + 1e-9  # to see a variance
LEVEL = 0.975  # of both sides of an interval of 95 %
QUANTILE = 1.959963984540054  # of the normal distribution, at this level


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(share: float, n: float) -> Estimate:
    """Give Wilson's interval for a share of n rows; n need not be whole, and 0 tells nothing.

    Examples
    --------
    >>> found = wilson(0.9, 50)
    >>> round(found.low, 3), round(found.high, 3)
    (0.786, 0.957)
    """
    if not n:
        return Estimate(share, 0.0, 1.0)
    z2 = QUANTILE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = QUANTILE / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # Rounding must not leave the estimate outside.
    return Estimate(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def estimate_share(
    hit: Bool,
    among: Bool,
    weight: Float,
    group: NDArray[np.intp] | None = None,
    count: Float | None = None,
) -> Estimate | None:
    """Estimate which share of some rows are hits, by Wilson's interval; None if there are no rows.

    It is the interval of as many independent rows of equal weight as would have the same variance,
    but no more than there are rows. Rows of the same group may be alike; the variance is then known
    from the groups alone, so that fewer groups give a wider interval, as in Student's.

    Parameters
    ----------
    hit, among : which rows are hits, and the rows that are asked about.
    weight : the weight of each row.
    group : the number of the group that the row belongs to, if there are groups.
    count : how many rows each stands for; by default what the weights say.

    Examples
    --------
    >>> hit, among = np.array([True, True, False]), np.array([True, True, False])
    >>> round(estimate_share(hit, among, np.ones(3)).low, 3)
    0.342
    """
    rows = np.flatnonzero(among & (weight > 0))
    if not len(rows):
        return None
    units = Units.of(weight, group, count).take(rows)
    part = weight[rows] / weight[rows].sum()
    hits = hit[rows]
    # Rounding must not make all hits less than all.
    share = float(hits[0]) if (hits == hits[0]).all() else float(part @ hits)
    deviation = part * (hits - share)
    n = _independent_rows(share, part, deviation, units)
    return wilson(share, min(float(units.count.sum()), n))


def _independent_rows(share: float, part: Float, deviation: Float, units: Units) -> float:
    """How many independent rows of equal weight have the variance of a share."""
    n_units, variance = units.number(part), units.variance(deviation)
    if not variance:  # all hits or none
        return n_units
    if units.group is None:
        return share * (1 - share) / variance
    if n_units < LEAST_UNITS:
        return 0.0
    few = QUANTILE / student_quantile(n_units - 1)
    return few**2 * share * (1 - share) / variance * (n_units - 1) / n_units


def student_quantile(freedom: float) -> float:
    """How many standard errors a 95 % interval has on each side; without freedom, any number.

    Examples
    --------
    >>> round(student_quantile(5.0), 3), student_quantile(math.inf) == QUANTILE
    (2.571, True)
    """
    if not freedom:
        return math.inf
    return QUANTILE if math.isinf(freedom) else float(stdtrit(freedom, LEVEL))


def add_freedom(variances: Sequence[float], freedoms: Sequence[float]) -> float:
    """Give the degrees of freedom of a sum of variances, after Welch and Satterthwaite.

    Examples
    --------
    >>> add_freedom([1.0, 1.0], [10.0, 10.0]), add_freedom([1.0, 0.0], [10.0, 99.0])
    (20.0, 10.0)
    """
    total = sum(variances)
    if not total or not math.isfinite(total):
        return math.inf
    parts = zip(variances, freedoms, strict=True)
    return 1 / sum((part / total) ** 2 / free for part, free in parts if part)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is independent of each other: rows, of which some stand for several, or groups of rows.

    Attributes
    ----------
    count : how many rows each row stands for.
    group : the number of the group of each row, if there are groups.

    Examples
    --------
    >>> twice, apart = Units.of(np.array([2.0, 1.0])), Units.of(np.array([0.2, 0.1]))
    >>> round(twice.number(np.array([2.0, 1.0])), 3), round(apart.number(np.array([2.0, 1.0])), 3)
    (3.0, 1.8)
    """

    count: Float
    group: NDArray[np.intp] | None

    @classmethod
    def of(
        cls, weight: Float, group: NDArray[np.intp] | None = None, count: Float | None = None
    ) -> Units:
        """Take weights that are all whole numbers for copies, unless the counts are given."""
        return cls(copy_counts(weight) if count is None else count, group)

    def take(self, rows: NDArray[np.intp]) -> Units:
        """Select some of the rows."""
        return Units(self.count[rows], None if self.group is None else self.group[rows])

    def variance(self, deviation: Float) -> float:
        """The variance of the sum of the deviations, each of which is around 0."""
        if self.group is not None:
            return float(np.sum(np.bincount(self.group, deviation) ** 2))
        # Each of c rows has a c-th of the deviation.
        used = np.flatnonzero(deviation)
        return float(np.sum(deviation[used] ** 2 / self.count[used]))

    def number(self, weight: Float) -> float:
        """How many there are, or how many of equal weight say as much if their weights differ."""
        return 1 / self.variance(weight / weight.sum())

    def correction(self, weight: Float) -> float:
        """What to multiply a variance around the mean with, n / (n − 1); infinite for one unit."""
        n = self.number(weight)
        return n / (n - 1) if n > LEAST_UNITS else math.inf
