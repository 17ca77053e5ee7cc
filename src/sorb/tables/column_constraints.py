"""What users rule out about columns: in which direction a score may not change along one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from sorb.rules import AnyProposition, Condition, Product, Proposition
from sorb.tables.quoting import quote_some
from sorb.tables.schema import Schema

# The least and the largest vote that a rule may have.
VoteRange: TypeAlias = tuple[float, float]

ANY_VOTE: VoteRange = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class ColumnConstraints:
    """What is ruled out about columns; nothing by default.

    Attributes
    ----------
    directions : for columns by name, 1 if the score must not fall as the column grows and all
        others stay as they are, or −1 if it must not rise.
    """

    directions: Mapping[str, int] = field(default_factory=dict)

    def vote_range(self, condition: Condition) -> VoteRange | None:
        """What a rule with this condition may vote; None if there may be no such rule.

        A rule keeps the score monotone in a column if its condition only ever becomes true, or only
        ever false, as the column grows, and the sign of its vote fits. This is so if each of its
        propositions does the same.

        Examples
        --------
        >>> from sorb.rules import Condition, Proposition
        >>> older = Proposition(("age",), (1.0,), 40.0)
        >>> younger = Proposition(("age",), (-1.0,), -60.0)
        >>> rising = ColumnConstraints({"age": 1})
        >>> rising.vote_range(Condition((older,)))
        (0.0, inf)
        >>> rising.vote_range(Condition((younger,)))
        (-inf, 0.0)
        >>> rising.vote_range(Condition((older, younger))) is None
        True
        """
        if not self.directions:
            return ANY_VOTE
        signs = (pair for part in condition.propositions for pair in _signs(part))
        return vote_range({sign * self.directions.get(name, 0) for name, sign in signs})


NO_CONSTRAINTS = ColumnConstraints()


def vote_range(signs: set[int]) -> VoteRange | None:
    """The range of a vote that must have these signs; 0 is no restriction."""
    match sorted(signs - {0}):
        case []:
            return ANY_VOTE
        case [sign]:
            return (0.0, math.inf) if sign > 0 else (-math.inf, 0.0)
        case _:
            return None


def _signs(proposition: AnyProposition) -> Iterator[tuple[str, int]]:
    """For each column of numbers, 1 if the proposition becomes true as it grows, −1 if false."""
    if isinstance(proposition, Proposition):
        for name, weight in zip(proposition.columns, proposition.weights, strict=True):
            yield name, 1 if weight > 0 else -1
    elif isinstance(proposition, Product):
        for name, power in zip(proposition.columns, proposition.powers, strict=True):
            yield name, 1 if (power > 0) != proposition.at_most else -1


def check_directions(monotonic_cst: Any, schema: Schema) -> dict[str, int]:
    """The columns with a direction by name; refuses categories, and what is neither −1, 0 nor 1.

    Examples
    --------
    >>> from sorb.tables.column_constraints import check_directions
    >>> from sorb.tables.schema import Schema
    >>> check_directions([1, 0, -1], Schema.of_numbers(("age", "bmi", "distance")))
    {'age': 1, 'distance': -1}
    """
    if monotonic_cst is None:
        return {}
    if isinstance(monotonic_cst, Mapping):
        given = monotonic_cst
        unknown = [name for name in given if name not in schema.names]
        if unknown:
            raise ValueError(
                f"monotonic_cst names {unknown[0]!r}, which is not a column: there are "
                f"{quote_some(schema.names)}"
            )
    else:
        given = _by_position(monotonic_cst, schema.names)
    for name, direction in given.items():
        if direction not in (-1, 0, 1):
            raise ValueError(
                f"monotonic_cst of column {name!r} must be −1, 0 or 1, found {direction!r}"
            )
        if direction and schema.categories[schema.names.index(name)] is not None:
            raise ValueError(
                f"column {name!r} holds categories, which have no order to be monotone in: give "
                "it no monotonic_cst, or turn it into numbers"
            )
    return {name: int(direction) for name, direction in given.items() if direction}


def _by_position(given: Any, names: Sequence[str]) -> dict[str, Any]:
    values = np.asarray(given).tolist()
    if not isinstance(values, list) or len(values) != len(names):
        raise ValueError(
            f"monotonic_cst must have one entry for each of the {len(names)} columns, or be a "
            f"dict by column name, found {given!r}"
        )
    return dict(zip(names, values, strict=True))
