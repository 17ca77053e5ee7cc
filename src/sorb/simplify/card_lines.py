"""The lines of a scorecard: points for the rows that a condition covers, or for all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sorb._types import Bool
from sorb.rules import AnyProposition, Condition, Membership
from sorb.rules.columns import ColumnSource
from sorb.rules.labels import Labels
from sorb.rules.notation import IF, Token, Tokens, join_tokens
from sorb.rules.proposition_text import AND, or_missing

__all__ = ["CardLine", "may_be_marked", "opposite_tokens"]

EITHER, MARK = Token("word", "  or  "), Token("word", " *")
OPPOSITE = {" ≥ ": " < ", " ≤ ": " > "}


@dataclass(frozen=True, slots=True)
class CardLine:
    """Points for the rows that a condition covers or, if turned, for those it does not.

    Attributes
    ----------
    condition : Condition
        The condition of the rule.
    points : int
        What it adds to the total: at least 1.
    turned : bool
        Whether the points are for the rows that the condition does not cover.
    marked : bool
        Whether the points are also for rows with a missing value, but none of the given rows has
        one, so that a mark says so.

    Examples
    --------
    >>> from sorb.rules import Proposition
    >>> old, heavy = (Proposition((c,), (1.0,), 40.0) for c in ("age", "bmi"))
    >>> for propositions in ((old,), (old, heavy)):
    ...     print(CardLine(Condition(propositions), 2, turned=True))
    2  if  age < 40 or age missing
    2  if  age < 40  or  bmi < 40  or  age or bmi missing
    """

    condition: Condition
    points: int
    turned: bool = False
    marked: bool = False

    def earns(self, covered: Bool) -> Bool:
        """Tell which rows get the points, given which ones the condition covers."""
        return ~covered if self.turned else covered

    def tokens(self, units: Mapping[str, str] | None = None) -> Tokens:
        """Give what must be true for the points, as tokens with all digits."""
        if not self.turned:
            return self.condition.tokens(None, units)
        propositions = self.condition.propositions
        if len(propositions) == 1 and not self.marked:
            return opposite_tokens(propositions[0], units)
        # Not all of them are true where the opposite of one is; what is missing comes last.
        parts = [opposite_tokens(_known_opposite(p), units) for p in propositions]
        if self.marked:
            parts[-1] += (MARK,)
        elif unknown := _unknown_columns(self.condition):
            parts.append(or_missing(unknown)[1:])
        return tuple(token for part in parts for token in (EITHER, *part))[1:]

    def statement(self, units: Mapping[str, str] | None = None) -> tuple[str, list[Tokens]]:
        """Give the same as comparisons, and the word between them: "and", or "or".

        Examples
        --------
        >>> from sorb.rules import Proposition
        >>> old, heavy = (Proposition((c,), (1.0,), 40.0) for c in ("age", "bmi"))
        >>> word, parts = CardLine(Condition((old, heavy)), 2, turned=True).statement()
        >>> word, [join_tokens(part) for part in parts]
        ('or', ['age < 40', 'bmi < 40', 'age or bmi missing'])
        """
        between = EITHER if self.turned else AND
        parts: list[Tokens] = [()]
        for token in self.tokens(units):
            if token == between:
                parts.append(())
            else:
                parts[-1] += (token,)
        return between.text.strip(), parts

    def clause(self, units: Mapping[str, str] | None = None) -> Tokens:
        """Give the same behind "if"."""
        return (IF, *self.tokens(units))

    def __str__(self) -> str:
        return f"{self.points}  {join_tokens(self.clause())}"


def may_be_marked(condition: Condition, source: ColumnSource, rows: Bool) -> bool:
    """Whether turning a condition gives points for missing values that none of the rows has."""
    if any(_asks_if_missing(proposition) for proposition in condition.propositions):
        return False
    asked = [p for p in condition.propositions if not p.missing]
    return bool(asked) and not any(_is_unknown(p, source)[rows].any() for p in asked)


def _asks_if_missing(proposition: AnyProposition) -> bool:
    return isinstance(proposition, Membership) and not proposition.categories


def _is_unknown(proposition: AnyProposition, source: ColumnSource) -> Bool:
    if isinstance(proposition, Membership):
        return Labels.of(source.labels(proposition.column)).codes < 0
    return np.isnan(proposition.quantity(source))


def _known_opposite(proposition: AnyProposition) -> AnyProposition:
    """Give what to print the opposite of, so that it does not say that missing values count."""
    if _asks_if_missing(proposition):
        return proposition
    return replace(proposition, missing=True)


def _unknown_columns(condition: Condition) -> tuple[str, ...]:
    """The columns whose missing values make a condition false."""
    asked = (p for p in condition.propositions if not p.missing and not _asks_if_missing(p))
    return tuple(dict.fromkeys(name for p in asked for name in p.columns))


def opposite_tokens(proposition: AnyProposition, units: Mapping[str, str] | None = None) -> Tokens:
    """Print the opposite of a proposition, which is true exactly where the proposition is not.

    Examples
    --------
    >>> group = Membership("group", ("A", "B"), missing=True)
    >>> join_tokens(opposite_tokens(group))
    'group not in {A, B}'
    """
    missing = not proposition.missing
    if isinstance(proposition, Membership):
        other = replace(proposition, negated=not proposition.negated, missing=missing)
        return other.tokens(None, units)
    printed = replace(proposition, missing=missing).tokens(None, units)
    bound = next(k for k, token in enumerate(printed) if token.kind == "relation")
    relation = Token("relation", OPPOSITE[printed[bound].text])
    return (*printed[:bound], relation, *printed[bound + 1 :])
