"""What a search proposes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sorb.learning.objectives import Objective, SearchInput
from sorb.learning.rows import HalfSpace, Rows
from sorb.rules import Condition


@dataclass(frozen=True, slots=True)
class Candidate:
    """A conjunction of half-spaces of the standardised table, or sets of categories.

    With `whole`, the weights are whole numbers in the user's units. It holds for some of the rows,
    and not for others; `division` is the same number for those candidates, complements included,
    that divide the rows in the same way.
    """

    halves: list[HalfSpace]
    covered: NDArray[np.bool_]
    division: int
    whole: bool = False

    @property
    def complexity(self) -> int:
        """That of a rule with this condition."""
        return 1 + sum([1 + max(1, len(w) + len(named)) for _, w, _, _, named, _ in self.halves])

    def condition(self, rows: Rows) -> Condition:
        """The condition in the user's units."""
        return Condition(tuple(rows.stated(half, self.whole) for half in self.halves))


class Search(Protocol):
    """Proposes conditions for a search_input."""

    def __call__(
        self, search_input: SearchInput, max_weights: int, threads: int
    ) -> list[Candidate]:
        """One condition for each sign of the gradient and each level, as far as there are any."""
        ...

    def best(
        self, search_input: SearchInput, max_weights: int, threads: int
    ) -> tuple[float, Candidate] | None:
        """The one condition that the search would settle for by its objective, with its value."""
        ...


def promise(objective: Objective, candidate: Candidate) -> float:
    """What a condition promises, whichever sign its gradient has."""
    rows = np.flatnonzero(candidate.covered)
    return max(objective.score(rows, 1), objective.score(rows, -1))
