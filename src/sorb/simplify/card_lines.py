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
from sorb.rules.proposition_text import AND

__all__ = ["CardLine", "may_be_marked", "opposite_tokens"]

UNLESS, MARK = Token("word", "unless  "), Token("word", " *")
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
    2  unless  age ≥ 40  and  bmi ≥ 40
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
        if len(self.condition.propositions) == 1:
            proposition = self.condition.propositions[0]
            if self.marked:
                return (*opposite_tokens(replace(proposition, missing=True), units), MARK)
            return opposite_tokens(proposition, units)
        return (UNLESS, *self.condition.tokens(None, units))

    def statement(self, units: Mapping[str, str] | None = None) -> tuple[str, list[Tokens]]:
        """Give the same as a statement that is true or not: how it starts, and its comparisons.

        Examples
        --------
        >>> from sorb.rules import Proposition
        >>> old, heavy = (Proposition((c,), (1.0,), 40.0) for c in ("age", "bmi"))
        >>> start, parts = CardLine(Condition((old, heavy)), 2, turned=True).statement()
        >>> start, [join_tokens(part) for part in parts]
        ('not both ', ['age ≥ 40', 'bmi ≥ 40'])
        """
        tokens = self.tokens(units)
        negated = tokens[0] == UNLESS
        parts: list[Tokens] = [()]
        for token in tokens[negated:]:
            if token == AND:
                parts.append(())
            else:
                parts[-1] += (token,)
        starts = {1: "not ", 2: "not both "}
        return starts.get(len(parts), "not all of ") if negated else "", parts

    def clause(self, units: Mapping[str, str] | None = None) -> Tokens:
        """Give the same behind "if" or "unless"."""
        tokens = self.tokens(units)
        return tokens if tokens[0] == UNLESS else (IF, *tokens)

    def __str__(self) -> str:
        return f"{self.points}  {join_tokens(self.clause())}"


def may_be_marked(condition: Condition, source: ColumnSource, rows: Bool) -> bool:
    """Whether turning a condition gives points for missing values that none of the rows has."""
    if len(condition.propositions) != 1 or condition.propositions[0].missing:
        return False
    proposition = condition.propositions[0]
    if isinstance(proposition, Membership):
        unknown = Labels.of(source.labels(proposition.column)).codes < 0
        return bool(proposition.categories) and not unknown[rows].any()
    return not np.isnan(proposition.quantity(source))[rows].any()


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
