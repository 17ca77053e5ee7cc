"""What a search proposes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sorb.objectives import Situation
from sorb.rows import Rows
from sorb.rules import Condition

HalfSpace = tuple[list[int], list[float], float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A conjunction of half-spaces (columns, weights, threshold) of the standardised table.

    It holds for some of the rows, and not for others; `division` is the same number for those
    candidates, complements included, that divide the rows in the same way.
    """

    halves: list[HalfSpace]
    members: NDArray[np.bool_]
    division: int

    @property
    def complexity(self) -> int:
        """That of a rule with this condition."""
        return 1 + sum(1 + len(support) for support, _, _ in self.halves)

    def condition(self, rows: Rows) -> Condition:
        """The condition in the user's units."""
        return Condition(tuple(rows.proposition(*half) for half in self.halves))


class Search(Protocol):
    """Proposes conditions for a situation."""

    def __call__(self, situation: Situation, max_weights: int, threads: int) -> list[Candidate]:
        """One condition for each sign of the gradient and each level, as far as there are any."""
        ...
