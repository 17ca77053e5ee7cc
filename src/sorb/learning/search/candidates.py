"""What a search proposes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sorb._kernels import CategorySet, HalfSpace, Level
from sorb._types import Bool
from sorb.learning.objectives import Objective, SearchInput
from sorb.learning.rows import Rows
from sorb.rules import Condition
from sorb.tables.column_constraints import ANY_VOTE, ColumnConstraints, VoteRange, vote_range


@dataclass(frozen=True, slots=True)
class Candidate:
    """A conjunction of half-spaces of the standardised table, or sets of categories.

    With `whole`, the weights are whole numbers in the user's units. It covers some of the rows and
    not others; candidates that divide the rows in the same way, complements included, have the same
    `division`. `complexity` is that of a rule with this condition.
    """

    parts: list[HalfSpace | CategorySet]
    covered: Bool
    division: int
    complexity: int
    whole: bool = False

    @classmethod
    def of(cls, level: Level, whole: bool = False) -> Candidate:
        """What a kernel found."""
        return cls(level.parts, level.covered, level.division, level.complexity, whole)

    def condition(self, rows: Rows) -> Condition:
        """The condition in the user's units."""
        return Condition(tuple(rows.to_user_units(part, self.whole) for part in self.parts))

    def columns(self, rows: Rows) -> set[str]:
        """The user's columns in its condition."""
        found: set[str] = set()
        for part in self.parts:
            if isinstance(part, HalfSpace):
                found.update(rows.names(part.columns))
            else:
                found.add(rows.columns[rows.categories[part.column].column])
        return found

    def votes(self, rows: Rows, constraints: ColumnConstraints) -> VoteRange:
        """What a rule with this condition may vote: with one sign only, or anything."""
        if not constraints.directions:
            return ANY_VOTE
        signs = {
            (1 if weight > 0 else -1) * constraints.directions.get(name, 0)
            for part in self.parts
            if isinstance(part, HalfSpace)
            for name, weight in zip(rows.names(part.columns), part.weights, strict=True)
        }
        found = vote_range(signs)
        assert found is not None  # all parts were found for gradients of one sign
        return found


class Search(Protocol):
    """Proposes conditions for a search input."""

    def __call__(
        self, search_input: SearchInput, max_weights: int, threads: int
    ) -> list[Candidate]:
        """Up to one condition for each sign of the gradient and each level of complexity."""
        ...

    def best(
        self, search_input: SearchInput, max_weights: int, max_complexity: float, threads: int
    ) -> tuple[float, Candidate] | None:
        """The best value of the search's own objective, and the condition that has it.

        None of more than `max_complexity` is considered.
        """
        ...


def objective_value(objective: Objective, candidate: Candidate) -> float:
    """The objective of a candidate, for the better sign of the gradient."""
    rows = np.flatnonzero(candidate.covered)
    return max(objective.score(rows, 1), objective.score(rows, -1))
