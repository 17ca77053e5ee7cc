"""Tests in the notation that most languages share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

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

__all__ = ["Syntax", "all_joined", "check_name", "comment_text", "nan_comparison"]


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language writes numbers, columns, arithmetic and tests.

    `column` and `positive` write the value of a column as a number, and as a positive number.
    `compare` writes how the value of a sum or product, given as text, is compared; `member` writes
    a test of categories. `power` writes a power that is no product, `times` a product whose result
    is rounded, and `over` a quotient whose divisor may be zero, where the sign / will not do.
    """

    number: Callable[[float], str]
    column: Callable[[str], str]
    positive: Callable[[str], str]
    compare: Callable[[Comparison, str], str]
    member: Callable[[CategoryTest], str]
    all_of: Callable[[Sequence[str]], str]
    power: Callable[[str, str], str]
    times: Callable[[str, str], str] = "{} * {}".format
    over: Callable[[str, str], str] | None = None

    def condition(self, rule: CompiledRule) -> str:
        """Write what must hold for a step; it has at least one test."""
        return self.all_of([self.test(test) for test in rule.propositions])

    def test(self, test: CompiledProposition) -> str:
        """Write one test."""
        if isinstance(test, CategoryTest):
            return self.member(test)
        value = self.sum(test) if isinstance(test, SumComparison) else self.product(test)
        return self.compare(test, value)

    def sum(self, test: SumComparison) -> str:
        """Write a sum from left to right."""
        first, *others = test.terms
        total = ("-" if first.factor < 0 else "") + self._term(first)
        for term in others:
            # Subtracting a product rounds like adding its negative.
            total += f" {'-' if term.factor < 0 else '+'} {self._term(term)}"
        return total

    def _term(self, term: Term) -> str:
        factor = abs(term.factor)
        column = self.column(term.column)
        return column if factor == 1 else self.times(self.number(factor), column)

    def product(self, test: ProductComparison) -> str:
        """Write a product from left to right, each power formed before it is multiplied by."""
        first, *others = test.factors
        total = self._divided(self.number(1.0), first) if first.divides else self._power(first)
        for factor in others:
            if factor.divides:
                total = self._divided(total, factor)
            else:
                total = f"{total} * {self._enclosed(factor)}"
        return total

    def _divided(self, total: str, factor: Factor) -> str:
        # A positive number is not zero, but its power may be so small that it becomes zero.
        if self.over is None or factor.power == 1:
            return f"{total} / {self._enclosed(factor)}"
        return self.over(total, self._power(factor))

    def _enclosed(self, factor: Factor) -> str:
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
    """Compare as in languages where NaN stands for what is missing, and fails every comparison."""

    def compare(test: Comparison, value: str) -> str:
        threshold = number(test.threshold)
        if test.missing:
            return negation(f"{value} {OPPOSITE[test.relation]} {threshold}")
        return f"{value} {test.relation} {threshold}"

    return compare


def all_joined(word: str) -> Callable[[Sequence[str]], str]:
    """Join tests by a word that binds weaker than a comparison."""
    return lambda tests: f" {word} ".join(tests)


def check_name(name: str, words: Collection[str], language: str) -> str:
    """Refuse what is no name for a function; `words` are names that a language has itself.

    Examples
    --------
    >>> check_name("2 risks", (), "C")
    Traceback (most recent call last):
    ...
    ValueError: name must be made of letters, digits and underscores, found '2 risks'
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name must be made of letters, digits and underscores, found {name!r}")
    if name in words:
        raise ValueError(f"name must not be a word of {language} itself, found {name!r}")
    return name


def comment_text(text: Label) -> str:
    r"""Write a name or a label for a comment, as in JSON, so that it cannot end the comment.

    Examples
    --------
    >>> print(comment_text('the "best" */ größe'))
    "the \"best\" *\u002f gr\u00f6\u00dfe"
    """
    return json.dumps(text).replace("/", "\\u002f")
