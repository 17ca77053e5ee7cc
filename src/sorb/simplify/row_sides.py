"""On which side of a proposition each row is, and which other thresholds leave it there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sorb._types import Bool, Float, Index
from sorb.rules import AnyProposition, Membership, Product, Proposition
from sorb.rules.columns import ColumnSource
from sorb.simplify.digits import roundest

__all__ = ["Gap", "RowSides", "ThresholdProposition"]

# The kinds of propositions that compare a number with a threshold.
ThresholdProposition: TypeAlias = Proposition | Product


@dataclass(frozen=True, slots=True)
class Gap:
    """The thresholds that leave the rows on their sides, and how wide the gap is among the rows.

    Rows are covered from the threshold upwards, so it may be any number above `lower` and not
    above `upper`. For "at most" both are negated, and `sign` is −1.
    """

    lower: float
    upper: float
    relative_width: float
    sign: float = 1.0

    @property
    def roundest(self) -> float:
        """The roundest threshold in the gap."""
        return self.sign * roundest(self.lower, self.upper)


@dataclass(frozen=True, slots=True, eq=False)
class RowSides:
    """Rows, which of them a proposition covers, and how many of them may change side.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.rules.columns import column_source
    >>> rows = column_source(np.array([[30.0], [39.0], [41.0]]), ["age"], ["age"])
    >>> exact = Proposition(("age",), (1.0,), 40.123)
    >>> sides = RowSides.of(exact, rows)
    >>> gap = sides.gap(exact)
    >>> gap.lower, gap.upper, gap.roundest
    (39.0, 41.0, 40.0)
    >>> sides.changed_rows(Proposition(("age",), (1.0,), 39.0))
    array([1])
    """

    source: ColumnSource
    covered: Bool
    changes: int = 0

    @classmethod
    def of(cls, proposition: AnyProposition, source: ColumnSource, changes: int = 0) -> RowSides:
        """Find out which rows a proposition covers."""
        return cls(source, proposition.covers(source), changes)

    def changed_rows(self, proposition: AnyProposition) -> Index:
        """Give the rows that are on another side of another proposition."""
        return np.flatnonzero(proposition.covers(self.source) != self.covered)

    def margin(self, proposition: AnyProposition) -> tuple[float | None, float | None]:
        """Give the nearest row's distance to the threshold, also as a share of the farthest's."""
        if isinstance(proposition, Membership):
            return None, None
        with np.errstate(over="ignore", invalid="ignore"):
            distances = np.abs(proposition.quantity(self.source) - proposition.threshold)
        known = distances[np.isfinite(distances)]
        if not len(known):
            return None, None
        nearest, farthest = float(known.min()), float(known.max())
        return nearest, nearest / farthest if farthest > 0 else 0.0

    def gap(self, proposition: ThresholdProposition) -> Gap | None:
        """Find where the threshold of another proposition may lie; None if nowhere.

        If there is no row on one side, the present threshold bounds the gap on that side: nothing
        in the data says how far it might move.
        """
        product = isinstance(proposition, Product)
        sign = -1.0 if isinstance(proposition, Product) and proposition.at_most else 1.0
        values = sign * proposition.quantity(self.source)
        known = ~np.isnan(values)
        # Tiny weights may turn a number into NaN, or NaN into a number.
        if not known.any() or (self.covered[~known] != proposition.missing).any():
            return None
        values = values[known]
        limits = _limits(values, self.covered[known], self.changes)
        if limits is None:
            return None
        lower, upper = _bound_gap(*limits, sign * proposition.threshold)
        if product:
            lower, upper = _product_limits(lower, upper, sign)
        if not (lower < upper and math.isfinite(lower) and math.isfinite(upper)):
            return None
        return Gap(lower, upper, _relative_width(lower, upper, values, product), sign)


def _limits(values: Float, covered: Bool, allowed: int) -> tuple[float, float] | None:
    """Find the values between which a threshold lets no more rows than allowed change side."""
    if allowed:
        return _tolerant_limits(values, covered, allowed)
    lower = float(values[~covered].max(initial=-math.inf))
    return lower, float(values[covered].min(initial=math.inf))


def _tolerant_limits(values: Float, covered: Bool, allowed: int) -> tuple[float, float] | None:
    """Find the thresholds around the best one for which few enough rows change side."""
    values, covered = _nearest_rows(values, covered, allowed)
    order = np.argsort(values)
    ordered, covered = values[order], covered[order]
    # A threshold right above the first i values loses the covered rows among them, and gains the
    # other rows after them.
    lost = np.concatenate([[0], np.cumsum(covered)])
    gained = np.concatenate([np.cumsum(~covered[::-1])[::-1], [0]])
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


def _nearest_rows(values: Float, covered: Bool, allowed: int) -> tuple[Float, Bool]:
    """Leave out rows that change side only if more rows than allowed change with them."""
    above = _smallest(values[covered], allowed + 1)
    below = -_smallest(-values[~covered], allowed + 1)
    return np.concatenate([above, below]), np.arange(len(above) + len(below)) < len(above)


def _smallest(values: Float, count: int) -> Float:
    return np.partition(values, count - 1)[:count] if count < len(values) else values


def _bound_gap(lower: float, upper: float, threshold: float) -> tuple[float, float]:
    """Let the present threshold bound a gap on a side without rows."""
    if lower == -math.inf:
        lower = math.nextafter(min(threshold, upper), -math.inf)
    if upper == math.inf:
        upper = max(threshold, math.nextafter(lower, math.inf))
    return lower, upper


def _product_limits(lower: float, upper: float, sign: float) -> tuple[float, float]:
    """Leave out thresholds that a product cannot have; tiny products may have become 0."""
    if sign > 0:
        return max(lower, 0.0), upper
    return lower, min(upper, math.nextafter(0.0, -1.0))


def _relative_width(lower: float, upper: float, values: Float, in_logarithms: bool) -> float:
    """Tell how wide a gap is, as a share of the spread of the rows."""
    ends, finite = np.array([lower, upper]), values[np.isfinite(values)]
    if in_logarithms:  # a product is a sum of logarithms
        with np.errstate(divide="ignore"):
            ends, finite = np.log(np.abs(ends)), np.log(np.abs(finite[finite != 0]))
    spread = float(np.ptp(finite / 2)) if len(finite) else 0.0
    width = float(np.ptp(ends / 2))
    return min(1.0, width / spread) if spread > 0 else 1.0
