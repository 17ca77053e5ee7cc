"""Sums and comparisons in the notation that most languages share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sorb.export.program import Comparison, Step, Term
from sorb.rules import Label

__all__ = ["Syntax", "all_joined", "check_name", "comment_text"]


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language writes its numbers, columns, products and conjunctions."""

    number: Callable[[float], str]
    column: Callable[[str], str]
    all_of: Callable[[Sequence[str]], str]
    product: Callable[[str, str], str] = "{} * {}".format

    def condition(self, step: Step) -> str:
        """Write what must hold for a step; it has at least one test."""
        return self.all_of([self.comparison(test) for test in step.tests])

    def comparison(self, test: Comparison) -> str:
        """Write a sum from left to right, and what it is compared with."""
        first, *others = test.terms
        total = ("-" if first.factor < 0 else "") + self._term(first)
        for term in others:
            # Subtracting a product rounds like adding its negative.
            total += f" {'-' if term.factor < 0 else '+'} {self._term(term)}"
        return f"{total} {test.relation} {self.number(test.threshold)}"

    def _term(self, term: Term) -> str:
        factor = abs(term.factor)
        column = self.column(term.column)
        return column if factor == 1 else self.product(self.number(factor), column)


def all_joined(word: str) -> Callable[[Sequence[str]], str]:
    """Join tests by a word that binds weaker than a comparison."""
    return lambda tests: f" {word} ".join(tests)


def check_name(name: str) -> str:
    """Refuse what is no name of a function in any of the languages.

    Examples
    --------
    >>> check_name("2 risks")
    Traceback (most recent call last):
    ...
    ValueError: name must be made of letters, digits and underscores, found '2 risks'
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name must be made of letters, digits and underscores, found {name!r}")
    return name


def comment_text(text: Label) -> str:
    r"""Write a name or a label for a comment, as in JSON, so that it cannot end the comment.

    Examples
    --------
    >>> print(comment_text('the "best" */ größe'))
    "the \"best\" *\u002f gr\u00f6\u00dfe"
    """
    return json.dumps(text).replace("/", "\\u002f")
