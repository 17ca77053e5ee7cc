"""The thresholds that a page offers for a proposition, at numbers that people write."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sorb._types import Float, Int
from sorb.rules import AnyProposition, Membership, Product, Proposition
from sorb.rules.columns import ColumnSource

__all__ = ["UNKNOWN", "CutProposition", "is_divisible", "roundest"]

# The level of rows whose value is unknown.
UNKNOWN = 255
MOST_CUTS = 20


@dataclass(frozen=True, slots=True, eq=False)
class CutProposition:
    """A proposition with the thresholds on offer, in the order in which fewer and fewer rows pass.

    Attributes
    ----------
    proposition : as the model has it.
    cuts : the thresholds as the model writes them; none for memberships.
    own : the place of that of the model.
    order : the places of all cuts, those to keep longest first.
    """

    proposition: AnyProposition
    cuts: Float
    own: int
    order: tuple[int, ...]

    @classmethod
    def of(cls, proposition: AnyProposition, quantity: Float, most: int) -> CutProposition:
        """Choose at most so many thresholds near quantiles of the quantity in some rows."""
        if isinstance(proposition, Membership):
            return cls(proposition, np.empty(0), 0, ())
        threshold, direction = proposition.threshold, _direction(proposition)
        known = np.sort(direction * quantity[~np.isnan(quantity)])
        places = {_passing(known, direction * threshold): threshold}
        if len(known) and known[0] < known[-1] and most > 1:
            for value in _near_quantiles(proposition, known, most):
                places.setdefault(_passing(known, direction * value), value)
            places.pop(0, None) if threshold != places.get(0) else None
            if threshold != places.get(len(known)):
                places.pop(len(known), None)
        cuts = np.array(sorted(places.values(), key=lambda cut: direction * cut))
        own = int(np.flatnonzero(cuts == threshold)[0])
        cuts, own = _nearest(cuts, own, most)
        return cls(proposition, cuts, own, _spread(len(cuts), own))

    def kept(self, most: int) -> tuple[CutProposition, Int]:
        """The same with fewer cuts, and what becomes of each level."""
        return self._with_cuts(self.order[:most])

    def told(self, levels: Int, n_rows: Int) -> tuple[CutProposition, Int]:
        """The same with cuts that divide so many rows of these levels, each in another way."""
        known = levels != UNKNOWN
        chosen, seen = [], {0, int(n_rows[known].sum())}
        for place in self.order:
            passing = int(n_rows[known & (levels > place)].sum())
            if place == self.own or passing not in seen:
                chosen.append(place)
            seen.add(passing)
        return self._with_cuts(chosen)

    def _with_cuts(self, chosen: Sequence[int]) -> tuple[CutProposition, Int]:
        if not len(self.cuts):
            return self, np.arange(2)
        places = np.sort(np.array(chosen))
        levels = np.searchsorted(places, np.arange(len(self.cuts) + 1), side="left")
        own = int(np.searchsorted(places, self.own))
        fewer = replace(self, cuts=self.cuts[places], own=own, order=_spread(len(places), own))
        return fewer, levels

    def levels(self, source: ColumnSource) -> Int:
        """The number of cuts that each row passes; for memberships, whether it is true."""
        if isinstance(self.proposition, Membership):
            return self.proposition.covers(source).astype(np.uint8)
        quantity = self.proposition.quantity(source)
        direction = _direction(self.proposition)
        found = np.searchsorted(direction * self.cuts, direction * quantity, side="right")
        return np.where(np.isnan(quantity), UNKNOWN, found).astype(np.uint8)

    def at(self, cut: float) -> AnyProposition:
        """The proposition with another threshold, as the model writes it."""
        assert not isinstance(self.proposition, Membership)
        return replace(self.proposition, threshold=float(cut))


def roundest(low: float, high: float) -> float:
    """The number with the fewest digits between two others; ends in 0, or else in 5, or else even.

    Examples
    --------
    >>> roundest(37.2, 41.9), roundest(0.231, 0.262), roundest(-7.4, -6.6), roundest(3.0, 3.0)
    (40.0, 0.25, -7.0, 3.0)
    """
    if not is_divisible(high - low):
        return low
    if low <= 0 <= high:
        return 0.0
    middle = (low + high) / 2
    largest = math.floor(math.log10(max(abs(low), abs(high))))
    for exponent in range(largest, largest - 16, -1):
        for digit in (10, 5, 2, 1):
            # Dividing by a power of ten rounds once; multiplying by 0.1 would round twice.
            value = (
                round(middle / (digit * 10**exponent)) * digit * 10**exponent
                if exponent >= 0
                else round(middle * 10**-exponent / digit) * digit / 10**-exponent
            )
            if low <= value <= high:
                return float(value)
    return middle


def is_divisible(width: float) -> bool:
    """Whether a range of numbers has room for bins and steps, and is finite."""
    return 1e-290 < width < math.inf


def _direction(proposition: Proposition | Product) -> float:
    """−1 if small values pass."""
    return -1.0 if isinstance(proposition, Product) and proposition.at_most else 1.0


def _passing(known: Float, threshold: float) -> int:
    """How many values pass a threshold."""
    return int(len(known) - np.searchsorted(known, threshold, side="left"))


def _near_quantiles(proposition: Proposition | Product, known: Float, most: int) -> list[float]:
    """Round numbers on the printed scale, one in each of some intervals with as many values."""
    unit = proposition.printed_unit
    quantity = known * _direction(proposition)
    finite = quantity[np.isfinite(quantity)] / unit
    if not len(finite):
        return []
    edges = np.unique(np.quantile(finite, np.linspace(0, 1, 2 * most + 1)))
    found = []
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        # Of one column, just as the model computes it for a value that equals the threshold.
        threshold = roundest(low, high) * unit
        if not isinstance(proposition, Product) or threshold > 0:
            found.append(threshold)
    return found


def _nearest(cuts: Float, own: int, most: int) -> tuple[Float, int]:
    """Thin out the cuts evenly, but for the own one."""
    if len(cuts) <= most:
        return cuts, own
    kept = {own, *np.linspace(0, len(cuts) - 1, most).round().astype(int).tolist()}
    if len(kept) > most:
        others = sorted(kept - {own}, key=lambda place: abs(place - own))
        kept -= {others[0]}
    places = sorted(kept)
    return cuts[places], places.index(own)


def _spread(count: int, own: int) -> tuple[int, ...]:
    """The own place first, then always one of those farthest from all before it."""
    order = [own]
    left = set(range(count)) - {own}
    while left:
        farthest = max(left, key=lambda place: (min(abs(place - k) for k in order), -place))
        order.append(farthest)
        left.remove(farthest)
    return tuple(order)
