"""Conditions in fewer digits that cover the same rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sorb.rules import AnyProposition, Condition, Membership, Product
from sorb.simplify.digits import MOST_DIGITS, neighbours, proposition_digits, significant_digits
from sorb.simplify.row_sides import Gap, RowSides, ThresholdProposition

__all__ = ["condition_of_all", "shorten_condition", "shorten_proposition"]

# How many partly rounded propositions are followed at the same time.
BEAM = 12
# A weight gets as few digits as possible, or up to this many more if that leaves the other
# weights more room.
MORE_DIGITS = 2
# Higher powers are no easier to read than fractional ones.
LARGEST_POWER = 5.0
# A little less than the logarithm of the largest float.
LARGEST_LOG = 700.0


def shorten_condition(condition: Condition, sides: Sequence[RowSides]) -> Condition:
    """Write the propositions of a condition in the fewest digits found, until nothing changes.

    A proposition stays as it is if its shorter form would follow from another one or contradict
    it, because the condition would then lose a proposition.
    """
    while True:
        before = condition
        for i, rows in enumerate(sides):
            propositions = list(condition.propositions)
            propositions[i] = shorten_proposition(propositions[i], rows)
            condition = condition_of_all(propositions) or condition
        if condition == before:
            return condition


def condition_of_all(propositions: Sequence[AnyProposition]) -> Condition | None:
    """Build a condition, unless a proposition contradicts another one or follows from it."""
    try:
        condition = Condition(tuple(propositions))
    except ValueError:  # two of them exclude each other
        return None
    return condition if len(condition.propositions) == len(propositions) else None


def shorten_proposition(proposition: AnyProposition, sides: RowSides) -> AnyProposition:
    """Give a proposition of strictly fewer digits that leaves the rows on their sides, or itself.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.rules import Proposition
    >>> from sorb.rules.columns import column_source
    >>> table = np.array([[1.0, 3.0], [2.0, 1.0], [4.0, 1.0]])
    >>> rows = column_source(table, ["a", "b"], ["a", "b"])
    >>> exact = Proposition(("a", "b"), (1.2345, -0.4321), 1.9876)
    >>> print(shorten_proposition(exact, RowSides.of(exact, rows)))
    a − 0.4 b ≥ 0.7
    >>> ratio = Product(("a", "b"), (0.512, -1.021), 1.2345)
    >>> print(shorten_proposition(ratio, RowSides.of(ratio, rows)))
    a / b ≥ 1
    """
    if isinstance(proposition, Membership):
        return proposition
    best: ThresholdProposition = proposition
    rank = (_effort(proposition), -1, 0.0)
    # Let rows change side only if that saves digits.
    for allowed in sorted({0, sides.changes}):
        digits = proposition_digits(best)
        for found, gap in _candidates(proposition, replace(sides, changes=allowed)):
            changed = len(sides.changed_rows(found))
            found_rank = (_effort(found), changed, -gap.relative_width)
            if found_rank < rank and proposition_digits(found) < digits and changed <= allowed:
                best, rank = found, found_rank
    return best


def _effort(proposition: ThresholdProposition) -> int:
    """Count the digits, and one for each fractional power: squares are easier than roots."""
    return proposition_digits(proposition) + _fractional_powers(proposition)


def _fractional_powers(proposition: ThresholdProposition) -> int:
    powers = proposition.powers if isinstance(proposition, Product) else ()
    return sum(not power.is_integer() for power in powers)


def _candidates(
    proposition: ThresholdProposition, sides: RowSides
) -> Iterator[tuple[ThresholdProposition, Gap]]:
    for direction in _directions(proposition, sides):
        gap = sides.gap(direction)
        if gap is not None:
            yield replace(direction, threshold=gap.roundest), gap


def _directions(
    proposition: ThresholdProposition, sides: RowSides
) -> Iterator[ThresholdProposition]:
    """Give a proposition as it is, and scaled with rounded weights or powers."""
    yield proposition
    for scaled in _scalings(proposition):
        yield from _roundings(scaled, sides)


def _scalings(proposition: ThresholdProposition) -> Iterator[ThresholdProposition]:
    """Scale a proposition so that its largest weight is 1, or one power after the other."""
    if isinstance(proposition, Product):
        if _fractional_powers(proposition):
            yield from _power_scalings(proposition)
        return
    largest = max(map(abs, proposition.weights))
    weights = tuple(weight / largest for weight in proposition.weights)
    threshold = proposition.threshold / largest
    # The division may overflow or underflow.
    if 0 not in weights and math.isfinite(threshold):
        yield replace(proposition, weights=weights, threshold=threshold)


def _power_scalings(product: Product) -> Iterator[Product]:
    for unit in dict.fromkeys(map(abs, product.powers)):
        powers = tuple(power / unit for power in product.powers)
        exponent = math.log(product.threshold) / unit
        if (
            0 not in powers
            and max(map(abs, powers)) <= LARGEST_POWER
            and abs(exponent) < LARGEST_LOG
        ):
            yield replace(product, powers=powers, threshold=math.exp(exponent))


def _numbers(proposition: ThresholdProposition) -> tuple[float, ...]:
    return proposition.powers if isinstance(proposition, Product) else proposition.weights


def _with_number(proposition: ThresholdProposition, j: int, value: float) -> ThresholdProposition:
    present = _numbers(proposition)
    numbers = (*present[:j], value, *present[j + 1 :])
    if isinstance(proposition, Product):
        return replace(proposition, powers=numbers)
    return replace(proposition, weights=numbers)


@dataclass(frozen=True, slots=True)
class _Step:
    """A proposition with some rounded numbers, and the digits it is expected to need in total."""

    proposition: ThresholdProposition
    digits: int = 0
    expected_digits: float = 0.0

    def after(self, rounded: ThresholdProposition, value: float, gap: Gap, remaining: int) -> _Step:
        """Round a number; the narrower the gap, the more digits the other numbers will need."""
        digits = self.digits + significant_digits(value)
        need = max(1.0, -math.log10(gap.relative_width)) if gap.relative_width > 0 else MOST_DIGITS
        return _Step(rounded, digits, digits + need * remaining)


def _roundings(start: ThresholdProposition, sides: RowSides) -> list[ThresholdProposition]:
    """Round one number after the other, and follow the most promising propositions."""
    beam = [_Step(start)]
    free = [j for j, number in enumerate(_numbers(start)) if abs(number) != 1]
    for done, j in enumerate(free):
        remaining = len(free) - done
        found = {
            _numbers(child.proposition): child
            for step in beam
            for child in _continuations(step, j, remaining, sides)
        }
        beam = sorted(found.values(), key=lambda step: step.expected_digits)[:BEAM]
    return [step.proposition for step in beam]


def _continuations(step: _Step, j: int, remaining: int, sides: RowSides) -> Iterator[_Step]:
    # The weights that separate the rows as they are separated now form a convex set, and so do the
    # powers. If the next shorter numbers above and below are both outside of it, then so are all
    # numbers of that length.
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
