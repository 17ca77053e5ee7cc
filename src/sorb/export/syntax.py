"""Conditions in the notation that most programming languages share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from sorb._types import assert_never
from sorb.export.program import (
    OPPOSITE,
    CategoryTest,
    Comparison,
    CompiledProposition,
    CompiledRule,
    Factor,
    ProductComparison,
    SumComparison,
    Term,
)
from sorb.rules import Label

__all__ = [
    "Syntax",
    "check_name",
    "comment_text",
    "join_with",
    "nan_comparison",
    "null_category_test",
]


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language writes numbers, columns, arithmetic and propositions.

    `column` and `positive` write the value of a column as a number, and as a positive number.
    `compare` writes a comparison whose sum or product is already written; `category_test` writes
    a test of categories. `power` writes a power that is not a repeated product, `times` a product
    that is rounded, and `over` a quotient whose divisor may be zero, if the sign / will not do.
    """

    number: Callable[[float], str]
    column: Callable[[str], str]
    positive: Callable[[str], str]
    compare: Callable[[Comparison, str], str]
    category_test: Callable[[CategoryTest], str]
    all_of: Callable[[Sequence[str]], str]
    power: Callable[[str, str], str]
    times: Callable[[str, str], str] = "{} * {}".format
    over: Callable[[str, str], str] | None = None

    def condition(self, rule: CompiledRule) -> str:
        """Write the condition of a rule that has at least one proposition."""
        return self.all_of([self.proposition(part) for part in rule.propositions])

    def proposition(self, proposition: CompiledProposition) -> str:
        """Write one proposition."""
        match proposition:
            case SumComparison():
                return self.compare(proposition, self.sum(proposition))
            case ProductComparison():
                return self.compare(proposition, self.product(proposition))
            case CategoryTest():
                return self.category_test(proposition)
            case _:
                return assert_never(proposition)

    def sum(self, comparison: SumComparison) -> str:
        """Write a sum from left to right."""
        first, *others = comparison.terms
        total = ("-" if first.factor < 0 else "") + self._term(first)
        for term in others:
            # Subtracting a product rounds like adding its negative.
            total += f" {'-' if term.factor < 0 else '+'} {self._term(term)}"
        return total

    def _term(self, term: Term) -> str:
        factor = abs(term.factor)
        column = self.column(term.column)
        return column if factor == 1 else self.times(self.number(factor), column)

    def product(self, comparison: ProductComparison) -> str:
        """Write a product from left to right; each power is computed before it is multiplied."""
        first, *others = comparison.factors
        total = self._divide(self.number(1.0), first) if first.divides else self._power(first)
        for factor in others:
            if factor.divides:
                total = self._divide(total, factor)
            else:
                total = f"{total} * {self._in_brackets(factor)}"
        return total

    def _divide(self, total: str, factor: Factor) -> str:
        # A positive number is not zero, but its power may be too small for a float64.
        if self.over is None or factor.power == 1:
            return f"{total} / {self._in_brackets(factor)}"
        return self.over(total, self._power(factor))

    def _in_brackets(self, factor: Factor) -> str:
        text = self._power(factor)
        return text if factor.repetitions in (None, 1) else f"({text})"

    def _power(self, factor: Factor) -> str:
        value = self.positive(factor.column)
        if factor.repetitions is None:
            return self.power(value, self.number(factor.power))
        return " * ".join([value] * factor.repetitions)


def nan_comparison(
    number: Callable[[float], str], negation: Callable[[str], str]
) -> Callable[[Comparison, str], str]:
    """Compare in a language where missing values are NaN, for which every comparison is false."""

    def compare(comparison: Comparison, value: str) -> str:
        threshold = number(comparison.threshold)
        if comparison.missing:
            return negation(f"{value} {OPPOSITE[comparison.relation]} {threshold}")
        return f"{value} {comparison.relation} {threshold}"

    return compare


def null_category_test(
    test: CategoryTest, found: str, is_null: str, is_known: str, either: str, both: str
) -> str:
    """Test categories in a language where missing values are null, which is in no list.

    `found` asks whether the value is among the categories, or is not if the test is negated;
    `either` and `both` are the operators "or" and "and".
    """
    if not test.categories:
        return is_null if test.missing else is_known
    if test.missing == test.negated:
        return found
    return f"({is_null} {either} {found})" if test.missing else f"{is_known} {both} {found}"


def join_with(operator: str) -> Callable[[Sequence[str]], str]:
    """Join propositions by an operator that binds more weakly than a comparison."""
    return lambda propositions: f" {operator} ".join(propositions)


def check_name(name: str, reserved: Collection[str], language: str) -> str:
    """Raise an error if a function cannot have this name; `reserved` are the language's own words.

    Examples
    --------
    >>> check_name("2 risks", (), "C")
    Traceback (most recent call last):
    ...
    ValueError: name must be made of letters, digits and underscores, and not start with a digit,
    found '2 risks'
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(
            "name must be made of letters, digits and underscores, and not start with a digit, "
            f"found {name!r}"
        )
    if name in reserved:
        raise ValueError(f"name must not be a reserved word of {language}, found {name!r}")
    return name


def comment_text(text: Label) -> str:
    r"""Write a name or a label for a comment, in JSON, so that it cannot end the comment.

    Examples
    --------
    >>> print(comment_text('the "best" */ größe'))
    "the \"best\" *\u002f gr\u00f6\u00dfe"
    """
    return json.dumps(text).replace("/", "\\u002f")
