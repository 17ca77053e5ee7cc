"""Conditions in fewer digits that say the same about every row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sorb.rules import AnyProposition, Condition, Membership, Product
from sorb.simplify.digits import MOST_DIGITS, neighbours, proposition_digits, significant_digits
from sorb.simplify.sides import Bordered, Gap, Sides

__all__ = ["shorter_condition", "shorter_proposition"]

# How many half-rounded directions are followed at a time.
BEAM = 12
# A weight gets its fewest digits, or up to so many more where that leaves the others more room.
MORE_DIGITS = 2
# Higher powers are no easier to read than broken ones.
LARGEST_POWER = 5.0
# The logarithm of the largest float, less a little.
LARGEST_LOG = 700.0


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


def _same_parts(propositions: Sequence[AnyProposition]) -> Condition | None:
    try:
        condition = Condition(tuple(propositions))
    except ValueError:  # two of them exclude each other
        return None
    return condition if len(condition.propositions) == len(propositions) else None


def shorter_proposition(proposition: AnyProposition, sides: Sides) -> AnyProposition:
    """Give a proposition of strictly fewer digits that leaves the rows on their sides, or itself.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.rules import Proposition
    >>> from sorb.rules.columns import column_source
    >>> table = np.array([[1.0, 3.0], [2.0, 1.0], [4.0, 1.0]])
    >>> rows = column_source(table, ["a", "b"], ["a", "b"])
    >>> exact = Proposition(("a", "b"), (1.2345, -0.4321), 1.9876)
    >>> print(shorter_proposition(exact, Sides.of(exact, rows)))
    a − 0.4 b ≥ 0.7
    >>> ratio = Product(("a", "b"), (0.512, -1.021), 1.2345)
    >>> print(shorter_proposition(ratio, Sides.of(ratio, rows)))
    a / b ≥ 1
    """
    if isinstance(proposition, Membership):
        return proposition
    best: Bordered = proposition
    rank = (_effort(proposition), -1, 0.0)
    # Rows change side only if that saves digits.
    for allowed in sorted({0, sides.changes}):
        digits = proposition_digits(best)
        for found, gap in _candidates(proposition, replace(sides, changes=allowed)):
            changed = len(sides.changed(found))
            found_rank = (_effort(found), changed, -gap.relative_width)
            if found_rank < rank and proposition_digits(found) < digits and changed <= allowed:
                best, rank = found, found_rank
    return best


def _effort(proposition: Bordered) -> int:
    """Count the digits, and one for each broken power: a square is easier than a root."""
    return proposition_digits(proposition) + _broken_powers(proposition)


def _broken_powers(proposition: Bordered) -> int:
    powers = proposition.powers if isinstance(proposition, Product) else ()
    return sum(not power.is_integer() for power in powers)


def _candidates(proposition: Bordered, sides: Sides) -> Iterator[tuple[Bordered, Gap]]:
    for direction in _directions(proposition, sides):
        gap = sides.gap(direction)
        if gap is not None:
            yield replace(direction, threshold=gap.roundest), gap


def _directions(proposition: Bordered, sides: Sides) -> Iterator[Bordered]:
    """Give a proposition as it is, and with rounded weights or powers after it was scaled."""
    yield proposition
    for scaled in _scaled(proposition):
        yield from _rounded(scaled, sides)


def _scaled(proposition: Bordered) -> Iterator[Bordered]:
    """Make the largest weight 1, or one power after the other."""
    if isinstance(proposition, Product):
        if _broken_powers(proposition):
            yield from _scaled_powers(proposition)
        return
    largest = max(map(abs, proposition.weights))
    weights = tuple(weight / largest for weight in proposition.weights)
    threshold = proposition.threshold / largest
    # The division may leave the range of a float.
    if 0 not in weights and math.isfinite(threshold):
        yield replace(proposition, weights=weights, threshold=threshold)


def _scaled_powers(product: Product) -> Iterator[Product]:
    for unit in dict.fromkeys(map(abs, product.powers)):
        powers = tuple(power / unit for power in product.powers)
        exponent = math.log(product.threshold) / unit
        if (
            0 not in powers
            and max(map(abs, powers)) <= LARGEST_POWER
            and abs(exponent) < LARGEST_LOG
        ):
            yield replace(product, powers=powers, threshold=math.exp(exponent))


def _numbers(proposition: Bordered) -> tuple[float, ...]:
    return proposition.powers if isinstance(proposition, Product) else proposition.weights


def _with_number(proposition: Bordered, j: int, value: float) -> Bordered:
    present = _numbers(proposition)
    numbers = (*present[:j], value, *present[j + 1 :])
    if isinstance(proposition, Product):
        return replace(proposition, powers=numbers)
    return replace(proposition, weights=numbers)


@dataclass(frozen=True, slots=True)
class _Step:
    """A proposition of which some numbers are rounded, and what that promises: lower is better."""

    proposition: Bordered
    digits: int = 0
    promise: float = 0.0

    def after(self, rounded: Bordered, value: float, gap: Gap, remaining: int) -> _Step:
        """Round a number; the narrower the gap, the more digits each of the others will need."""
        digits = self.digits + significant_digits(value)
        need = max(1.0, -math.log10(gap.relative_width)) if gap.relative_width > 0 else MOST_DIGITS
        return _Step(rounded, digits, digits + need * remaining)


def _rounded(start: Bordered, sides: Sides) -> list[Bordered]:
    """Round one number after the other, and follow the propositions that promise most."""
    beam = [_Step(start)]
    free = [j for j, number in enumerate(_numbers(start)) if abs(number) != 1]
    for done, j in enumerate(free):
        remaining = len(free) - done
        found = {
            _numbers(child.proposition): child
            for step in beam
            for child in _children(step, j, remaining, sides)
        }
        beam = sorted(found.values(), key=lambda step: step.promise)[:BEAM]
    return [step.proposition for step in beam]


def _children(step: _Step, j: int, remaining: int, sides: Sides) -> Iterator[_Step]:
    # The weights that separate the rows as they are separated now are a convex set, and so are the
    # powers. So if the next shorter numbers above and below are both outside of it, all of that
    # length are.
    present, last = _numbers(step.proposition)[j], MOST_DIGITS
    largest = LARGEST_POWER if isinstance(step.proposition, Product) else 1.0
    for digits in range(1, MOST_DIGITS + 1):
        if digits > last:
            return
        for value in neighbours(present, digits):
            if not 0 < abs(value) <= largest:
                continue
            rounded = _with_number(step.proposition, j, value)
            gap = sides.gap(rounded)
            if gap is not None:
                last = min(last, digits + MORE_DIGITS)
                yield step.after(rounded, value, gap, remaining)
