"""What users rule out about columns: directions, columns that may not meet, and prices."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from sorb.rules import AnyProposition, Condition, Product, Proposition
from sorb.tables.quoting import quote_some
from sorb.tables.schema import Schema, column_positions

# The least and the largest vote that a rule may have.
VoteRange: TypeAlias = tuple[float, float]

ANY_VOTE: VoteRange = (-math.inf, math.inf)
# The largest finite price: budgets of complexity, which are counted one by one, include prices.
LARGEST_PRICE = 1000.0
# A search of its own for each of so many groups of columns, or different prices, is worth its time.
_MOST_SEARCHES = 6


@dataclass(frozen=True, slots=True)
class ColumnConstraints:
    """What is ruled out about columns; nothing by default.

    Attributes
    ----------
    directions : for columns by name, 1 if the score must not fall as the column grows and all
        others stay as they are, or −1 if it must not rise.
    groups : if there are any, the columns of a rule are all in one of them.
    most_columns : that a rule may use; None for any number.
    prices : what it costs a model to use some columns, in units of complexity.
    """

    directions: Mapping[str, int] = field(default_factory=dict)
    groups: tuple[frozenset[str], ...] = ()
    most_columns: int | None = None
    prices: Mapping[str, float] = field(default_factory=dict)

    @property
    def any_sets(self) -> bool:
        """Whether a rule may use any columns together."""
        return not self.groups and self.most_columns is None

    def allows(self, columns: Collection[str]) -> bool:
        """Whether a rule may use these columns together."""
        return (self.most_columns is None or len(columns) <= self.most_columns) and (
            not self.groups or any(group.issuperset(columns) for group in self.groups)
        )

    def price(self, columns: Iterable[str], paid: Collection[str] = ()) -> float:
        """What columns cost, each of them once, but for those that are paid for."""
        if not self.prices:
            return 0.0
        return math.fsum(self.prices.get(name, 0.0) for name in {*columns}.difference(paid))

    def searches(self, names: Collection[str], paid: Collection[str]) -> list[ColumnConstraints]:
        """The constraints to search with, one after the other, so that no good rule stays unseen.

        A search follows its first column. So each group has a search of its own, if there are few,
        and so have the columns below each price: a dear column must not hide a cheap one that is
        nearly as good.
        """
        by_group = [self]
        if 1 < len(self.groups) <= _MOST_SEARCHES:
            by_group = [replace(self, groups=(group,)) for group in self.groups]
        unpaid = {name: p for name, p in self.prices.items() if name in names and name not in paid}
        levels = sorted(set(unpaid.values()))
        # Columns of these prices, and dearer ones, are left out; those without a price never are.
        left_out = levels[:: math.ceil(len(levels) / _MOST_SEARCHES) or 1]
        barred = [frozenset(n for n, p in unpaid.items() if p >= level) for level in left_out]
        if math.inf not in levels:
            barred.append(frozenset())
        elif math.inf not in left_out:
            barred.append(frozenset(n for n, p in unpaid.items() if p == math.inf))
        return [each._without(some, names) for each in by_group for some in barred]

    def _without(self, barred: frozenset[str], names: Collection[str]) -> ColumnConstraints:
        """Rule out some of the columns of a table altogether."""
        if not barred:
            return self
        groups = self.groups or (frozenset(names),)
        return replace(self, groups=tuple(group - barred for group in groups))

    @property
    def mirrored(self) -> ColumnConstraints:
        """The same for the score with the other sign."""
        directions = {name: -direction for name, direction in self.directions.items()}
        return replace(self, directions=directions)

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
        if not self.allows(condition.columns):
            return None
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


def check_groups(interaction_cst: Any, names: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """The groups of columns that may stand together, by name; columns in none are one more group.

    Examples
    --------
    >>> from sorb.tables.column_constraints import check_groups
    >>> [sorted(group) for group in check_groups([[0, "bmi"]], ("age", "bmi", "sex", "town"))]
    [['age', 'bmi'], ['sex', 'town']]
    """
    if interaction_cst is None or isinstance(interaction_cst, str):
        return ()
    groups = []
    for group in interaction_cst:
        if isinstance(group, (str, Mapping)) or not np.iterable(group):
            raise ValueError(
                'interaction_cst must be "pairwise", "no_interactions" or a list of groups of '
                f"columns, such as [[0, 1], [2, 3]]; found {group!r} in place of a group"
            )
        positions = column_positions(group, names, "interaction_cst")
        groups.append(frozenset(names[j] for j in positions))
    rest = frozenset(names).difference(*groups)
    return (*groups, rest) if rest else tuple(groups)


def check_prices(column_prices: Any, names: tuple[str, ...]) -> dict[str, float]:
    """The columns that have a price.

    Examples
    --------
    >>> from sorb.tables.column_constraints import check_prices
    >>> check_prices({"crp": 5, "age": 0}, ("age", "crp"))
    {'crp': 5.0}
    """
    if column_prices is None:
        return {}
    for name, price in column_prices.items():
        if name not in names:
            raise ValueError(
                f"column_prices names {name!r}, which is not a column: there are "
                f"{quote_some(names)}"
            )
        if not _is_price(price):
            raise ValueError(
                f"the price of column {name!r} must be from 0 to {LARGEST_PRICE:g}, or infinite so "
                f"that it is never used, found {price!r}"
            )
    return {name: float(price) for name, price in column_prices.items() if price}


def _is_price(price: Any) -> bool:
    if isinstance(price, bool) or not isinstance(price, Real):
        return False
    return 0 <= float(price) <= LARGEST_PRICE or price == math.inf


def _by_position(given: Any, names: Sequence[str]) -> dict[str, Any]:
    values = np.asarray(given).tolist()
    if not isinstance(values, list) or len(values) != len(names):
        raise ValueError(
            f"monotonic_cst must have one entry for each of the {len(names)} columns, or be a "
            f"dict by column name, found {given!r}"
        )
    return dict(zip(names, values, strict=True))
