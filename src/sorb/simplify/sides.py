"""On which side of a proposition each row stands, and which other numbers leave it there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float
from sorb.rules import AnyProposition, Membership, Product, Proposition
from sorb.rules.columns import ColumnSource
from sorb.simplify.digits import roundest

__all__ = ["Bordered", "Gap", "Sides"]


# The kinds that compare a number with a threshold.
Bordered: TypeAlias = Proposition | Product


@dataclass(frozen=True, slots=True)
class Gap:
    """The thresholds that leave the rows on their sides, and how wide that is among the rows.

    Rows hold from the threshold on upwards, so it may be any number above `lower` and not above
    `upper`. For "at most" both are negated, and so is the `sign`.
    """

    lower: float
    upper: float
    relative_width: float
    sign: float = 1.0

    @property
    def roundest(self) -> float:
        """The roundest threshold there."""
        return self.sign * roundest(self.lower, self.upper)


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The rows, for which of them a proposition holds, and how many of them may change side.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.rules.columns import column_source
    >>> rows = column_source(np.array([[30.0], [39.0], [41.0]]), ["age"], ["age"])
    >>> exact = Proposition(("age",), (1.0,), 40.123)
    >>> sides = Sides.of(exact, rows)
    >>> gap = sides.gap(exact)
    >>> gap.lower, gap.upper, gap.roundest
    (39.0, 41.0, 40.0)
    >>> sides.changed(Proposition(("age",), (1.0,), 39.0))
    array([1])
    """

    source: ColumnSource
    holds: Bool
    changes: int = 0

    @classmethod
    def of(cls, proposition: AnyProposition, source: ColumnSource, changes: int = 0) -> Sides:
        """Ask a proposition about all rows."""
        return cls(source, proposition.covers(source), changes)

    def changed(self, proposition: AnyProposition) -> NDArray[np.intp]:
        """Give the rows for which another proposition says something else."""
        return np.flatnonzero(proposition.covers(self.source) != self.holds)

    def margin(self, proposition: AnyProposition) -> tuple[float | None, float | None]:
        """Give the distance of the nearest row to the border, and as a share of the farthest's."""
        if isinstance(proposition, Membership):
            return None, None
        with np.errstate(over="ignore", invalid="ignore"):
            distances = np.abs(self.values(proposition) - proposition.threshold)
        known = distances[np.isfinite(distances)]
        if not len(known):
            return None, None
        nearest, farthest = float(known.min()), float(known.max())
        return nearest, nearest / farthest if farthest > 0 else 0.0

    def values(self, proposition: Bordered) -> Float:
        """Give what is compared with the threshold, just as the proposition computes it."""
        if isinstance(proposition, Product):
            return proposition.values(self.source)
        return proposition.sums(self.source)

    def gap(self, proposition: Bordered) -> Gap | None:
        """Find where the threshold of another proposition may lie; None if nowhere.

        If no row stands on one side, its present threshold limits the gap on that side: nothing
        in the data says how far it might move.
        """
        sign = -1.0 if isinstance(proposition, Product) and proposition.at_most else 1.0
        values = sign * self.values(proposition)
        known = ~np.isnan(values)
        # Tiny weights may turn a value into NaN that was none, and the other way round.
        if not known.any() or (self.holds[~known] != proposition.missing).any():
            return None
        values, holds = values[known], self.holds[known]
        limits = (
            _tolerant_limits(values, holds, self.changes)
            if self.changes
            else _limits(values, holds)
        )
        if limits is None:
            return None
        lower, upper = _closed(*limits, sign * proposition.threshold)
        if isinstance(proposition, Product):
            lower, upper = _positive(lower, upper, sign)
        if not (lower < upper and math.isfinite(lower) and math.isfinite(upper)):
            return None
        in_logarithms = isinstance(proposition, Product)
        return Gap(lower, upper, _relative_width(lower, upper, values, in_logarithms), sign)


def _limits(values: Float, holds: Bool) -> tuple[float, float] | None:
    lower = float(values[~holds].max(initial=-math.inf))
    return lower, float(values[holds].min(initial=math.inf))


def _tolerant_limits(values: Float, holds: Bool, allowed: int) -> tuple[float, float] | None:
    """Find the thresholds around the best one for which few enough rows change side."""
    values, holds = _near_the_border(values, holds, allowed)
    order = np.argsort(values)
    ordered, holds = values[order], holds[order]
    # A threshold right above the first i values loses the rows among them that hold, and gains
    # the rows after them that do not.
    lost = np.concatenate([[0], np.cumsum(holds)])
    gained = np.concatenate([np.cumsum(~holds[::-1])[::-1], [0]])
    # No threshold lies between equal values.
    edges = np.flatnonzero(np.concatenate([[True], ordered[1:] > ordered[:-1], [True]]))
    changes = (lost + gained)[edges]
    best = int(changes.argmin())
    if changes[best] > allowed:
        return None
    refused = np.flatnonzero(changes > allowed)
    first = int(refused[refused < best].max(initial=-1)) + 1
    last = int(refused[refused > best].min(initial=len(edges))) - 1
    bounded = np.concatenate([[-math.inf], ordered, [math.inf]])
    return float(bounded[edges[first]]), float(bounded[edges[last] + 1])


def _near_the_border(values: Float, holds: Bool, allowed: int) -> tuple[Float, Bool]:
    """Leave out rows that are on the wrong side only where too many others are there already."""
    inside = _smallest(values[holds], allowed + 1)
    outside = -_smallest(-values[~holds], allowed + 1)
    return np.concatenate([inside, outside]), np.arange(len(inside) + len(outside)) < len(inside)


def _smallest(values: Float, count: int) -> Float:
    return np.partition(values, count - 1)[:count] if count < len(values) else values


def _closed(lower: float, upper: float, threshold: float) -> tuple[float, float]:
    if lower == -math.inf:
        lower = math.nextafter(min(threshold, upper), -math.inf)
    if upper == math.inf:
        upper = max(threshold, math.nextafter(lower, math.inf))
    return lower, upper


def _positive(lower: float, upper: float, sign: float) -> tuple[float, float]:
    """Leave out thresholds that a product cannot have; tiny products may have become 0."""
    if sign > 0:
        return max(lower, 0.0), upper
    return lower, min(upper, math.nextafter(0.0, -1.0))


def _relative_width(lower: float, upper: float, values: Float, in_logarithms: bool) -> float:
    """Tell how wide a gap is, as a share of how far the rows are spread."""
    ends, finite = np.array([lower, upper]), values[np.isfinite(values)]
    if in_logarithms:  # a product is a sum of logarithms
        with np.errstate(divide="ignore"):
            ends, finite = np.log(np.abs(ends)), np.log(np.abs(finite[finite != 0]))
    spread = float(np.ptp(finite / 2)) if len(finite) else 0.0
    width = float(np.ptp(ends / 2))
    return min(1.0, width / spread) if spread > 0 else 1.0
