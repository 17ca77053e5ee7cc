"""How many digits of a model are printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from sorb.rules.notation import plain_number
from sorb.rules.propositions import AnyProposition, Product, Proposition

__all__ = ["Digits", "automatic_digits"]

# How many significant digits to print: None means all, "auto" is for `automatic_digits` to choose.
Digits: TypeAlias = int | Literal["auto"] | None

# With "auto", numbers are cut to the first of these, unless all of them have no more digits than
# the second: those of a simplified model are short, and learned ones have nearly twice as many.
FEWEST, MOST = 3, 8


def automatic_digits(votes: Sequence[float], propositions: Iterable[AnyProposition]) -> int:
    """Give the fewest digits that show all numbers in full, or 3 if 8 digits are not enough.

    Examples
    --------
    >>> automatic_digits([0.12345], ()), automatic_digits([1 / 3], ())
    (5, 3)
    """
    numbers = [*votes, *(number for p in propositions for number in _numbers(p))]
    enough = (digits for digits in range(FEWEST, MOST + 1) if _show_in_full(numbers, digits))
    return next(enough, FEWEST)


def _numbers(proposition: AnyProposition) -> tuple[float, ...]:
    if isinstance(proposition, Proposition):
        return (*proposition.weights, proposition.threshold)
    return (*proposition.powers, proposition.threshold) if isinstance(proposition, Product) else ()


def _show_in_full(numbers: Sequence[float], digits: int) -> bool:
    return all(float(plain_number(value, digits)) == value for value in numbers)
