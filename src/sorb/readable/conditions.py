"""Conditions in fewer digits that say the same about every row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sorb.readable.digits import (
    MOST_DIGITS,
    neighbours,
    proposition_digits,
    roundest,
    significant_digits,
)
from sorb.readable.sides import Gap, Sides
from sorb.rules import Condition, Proposition

__all__ = ["shorter_condition", "shorter_proposition"]

# How many half-rounded directions are followed at a time.
BEAM = 12
# A weight gets its fewest digits, or up to so many more where that leaves the others more room.
MORE_DIGITS = 2


def shorter_condition(condition: Condition, sides: Sequence[Sides]) -> Condition:
    """Write the propositions of a condition in the fewest digits found, until nothing changes.

    A proposition stays as it is if its shorter form would follow from another one or contradict
    it, because the condition would then not be made of the same propositions.
    """
    while True:
        before = condition
        for i, rows in enumerate(sides):
            propositions = list(condition.propositions)
            propositions[i] = shorter_proposition(propositions[i], rows)
            condition = _same_parts(propositions) or condition
        if condition == before:
            return condition


def _same_parts(propositions: Sequence[Proposition]) -> Condition | None:
    try:
        condition = Condition(tuple(propositions))
    except ValueError:  # two of them exclude each other
        return None
    return condition if len(condition.propositions) == len(propositions) else None


def shorter_proposition(proposition: Proposition, sides: Sides) -> Proposition:
    """Give a proposition of strictly fewer digits that leaves the rows on their sides, or itself.

    Examples
    --------
    >>> import numpy as np
    >>> table = {"a": np.array([1.0, 2.0, 4.0]), "b": np.array([3.0, 1.0, 1.0])}
    >>> exact = Proposition(("a", "b"), (1.2345, -0.4321), 1.9876)
    >>> print(shorter_proposition(exact, Sides.of(exact, table.__getitem__)))
    a − 0.4 b ≥ 0.7
    """
    best, rank = proposition, (proposition_digits(proposition), -1, 0.0)
    # Rows change side only if that saves digits.
    for allowed in sorted({0, sides.changes}):
        for found, gap in _candidates(proposition, replace(sides, changes=allowed)):
            changed = len(sides.changed(found))
            found_rank = (proposition_digits(found), changed, -gap.relative_width)
            if found_rank < rank and changed <= allowed:
                best, rank = found, found_rank
    return best


def _candidates(proposition: Proposition, sides: Sides) -> Iterator[tuple[Proposition, Gap]]:
    for weights, threshold in _directions(proposition, sides):
        gap = sides.gap(weights, threshold)
        if gap is not None:
            border = roundest(gap.lower, gap.upper)
            yield replace(proposition, weights=weights, threshold=border), gap


def _directions(
    proposition: Proposition, sides: Sides
) -> Iterator[tuple[tuple[float, ...], float]]:
    """Give the weights as they are, and rounded after the largest has become 1."""
    yield proposition.weights, proposition.threshold
    largest = max(map(abs, proposition.weights))
    scaled = tuple(weight / largest for weight in proposition.weights)
    threshold = proposition.threshold / largest
    # The division may leave the range of a float.
    if 0 in scaled or not math.isfinite(threshold):
        return
    for weights in _rounded(_Direction(scaled), sides, threshold):
        yield weights, threshold


@dataclass(frozen=True, slots=True)
class _Direction:
    """Weights of which some are rounded, and what that promises: lower is better."""

    weights: tuple[float, ...]
    digits: int = 0
    promise: float = 0.0

    def rounded(self, j: int, value: float, gap: Gap, remaining: int) -> _Direction:
        """Set weight j; the narrower the gap, the more digits each of the others will need."""
        weights = (*self.weights[:j], value, *self.weights[j + 1 :])
        digits = self.digits + significant_digits(value)
        need = max(1.0, -math.log10(gap.relative_width)) if gap.relative_width > 0 else MOST_DIGITS
        return _Direction(weights, digits, digits + need * remaining)


def _rounded(start: _Direction, sides: Sides, threshold: float) -> list[tuple[float, ...]]:
    """Round one weight after the other, and follow the directions that promise most."""
    beam = [start]
    free = [j for j, weight in enumerate(start.weights) if abs(weight) != 1]
    for done, j in enumerate(free):
        remaining = len(free) - done
        found = {
            child.weights: child
            for direction in beam
            for child in _children(direction, j, remaining, sides, threshold)
        }
        beam = sorted(found.values(), key=lambda direction: direction.promise)[:BEAM]
    return [direction.weights for direction in beam]


def _children(
    direction: _Direction, j: int, remaining: int, sides: Sides, threshold: float
) -> Iterator[_Direction]:
    # The weights that separate the rows as they are separated now are a convex set. So if the next
    # shorter numbers above and below are both outside of it, all of that length are.
    present, last = direction.weights[j], MOST_DIGITS
    for digits in range(1, MOST_DIGITS + 1):
        if digits > last:
            return
        for value in neighbours(present, digits):
            weights = (*direction.weights[:j], value, *direction.weights[j + 1 :])
            gap = sides.gap(weights, threshold) if 0 < abs(value) <= 1 else None
            if gap is not None:
                last = min(last, digits + MORE_DIGITS)
                yield direction.rounded(j, value, gap, remaining)
