"""Shares of rows, and the intervals within which estimates are likely to be right."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float

__all__ = ["QUANTILE", "Estimate", "estimate_share", "grouped_variance", "wilson"]

QUANTILE = 1.959963984540054  # of the normal distribution, for 95 %


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(share: float, n: float) -> Estimate:
    """Give Wilson's interval for a share of n rows; n need not be whole.

    Examples
    --------
    >>> found = wilson(0.9, 50)
    >>> round(found.low, 3), round(found.high, 3)
    (0.786, 0.957)
    """
    z2 = QUANTILE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = QUANTILE / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # Rounding must not leave the estimate outside.
    return Estimate(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def estimate_share(
    hit: Bool, among: Bool, weight: Float, group: NDArray[np.intp] | None = None
) -> Estimate | None:
    """Estimate which share of some rows are hits, by Wilson's interval; None if there are no rows.

    Rows of the same group may be alike. The interval is then that of as many independent rows as
    would have the same variance, but no more than there are rows.

    Examples
    --------
    >>> hit, among = np.array([True, True, False]), np.array([True, True, False])
    >>> round(estimate_share(hit, among, np.ones(3)).low, 3)
    0.342
    """
    n = float(weight[among].sum())
    if not n:
        return None
    share = min(1.0, float(weight[among & hit].sum()) / n)
    return wilson(share, n if group is None else _independent_rows(hit, among, weight, group))


def _independent_rows(hit: Bool, among: Bool, weight: Float, group: NDArray[np.intp]) -> float:
    """How many independent rows have the variance of a share of rows in groups."""
    n = float(weight[among].sum())
    share = float(weight[among & hit].sum()) / n
    deviation = np.where(among, hit - share, 0.0) / n
    variance = grouped_variance(weight * deviation, group, among & (weight > 0))
    if variance == 0:  # all hits or none: groups of rows say no more than one row each
        return float(min(n, len(np.unique(group[among & (weight > 0)]))))
    return min(n, share * (1 - share) / variance)


def grouped_variance(deviation: Float, group: NDArray[np.intp], among: Bool | None = None) -> float:
    """The variance of a sum of deviations, of which those of the same group may be alike."""
    used = group if among is None else group[among]
    n_groups = len(np.unique(used))
    if n_groups < 2:
        return math.inf
    sums = np.bincount(group, deviation)
    return float(sums @ sums) * n_groups / (n_groups - 1)
