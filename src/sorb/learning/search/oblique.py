"""The searches of the paper: a chain of conditions for each sign, of growing complexity.

A condition is reached from the one before by one step, of which there are two kinds. Either one of
its propositions is learned again with one more column, or a new one of a single column is added:
then there is one condition for each level of complexity. Or a proposition of any number of columns
is added, and none is ever changed: complexity then grows by leaps. The step with the best objective
wins.
"""

from __future__ import annotations

from dataclasses import dataclass

from sorb import _kernels
from sorb.learning.objectives import Objective, SearchInput, prepare
from sorb.learning.search.candidates import Candidate, promise


@dataclass(frozen=True, slots=True)
class ObliqueSearch:
    """Conditions that weigh columns against each other.

    `objective` chooses among the steps. `cut` says where a proposition's threshold comes from: the
    logistic separator itself ("separator"), or the best threshold along its direction for the
    gradient sum ("gradient_sum") or for the objective ("objective"). With `refine`, propositions
    are learned again as the condition grows; without, they are only ever added. With `whole`, the
    weights are whole numbers up to 5 in the user's units: those nearest to the direction of the
    separator and their neighbours are tried, with their best thresholds, as long as the objective
    grows.
    """

    objective: str
    cut: str
    refine: bool = True
    whole: bool = False

    def __call__(
        self, search_input: SearchInput, max_weights: int, threads: int
    ) -> list[Candidate]:
        """One condition for each sign of the gradient and each step, as far as there are any."""
        objective = prepare(self.objective, search_input)
        cutter = self._cutter(objective, search_input)
        chains = _kernels.oblique_levels(
            search_input.rows.Z,
            objective.arrays,
            None if cutter is None else cutter.arrays,
            search_input.weighted_gradient,
            max_weights,
            self.refine,
            threads,
            search_input.rows.meaning(self.whole),
        )
        return [Candidate(*level, self.whole) for chain in chains for level in chain]

    def best(
        self, search_input: SearchInput, max_weights: int, threads: int
    ) -> tuple[float, Candidate] | None:
        """The condition with the best objective, of all signs and levels."""
        objective = prepare(self.objective, search_input)
        found = self(search_input, max_weights, threads)
        return max(
            ((promise(objective, candidate), candidate) for candidate in found),
            key=lambda pair: pair[0],
            default=None,
        )

    def _cutter(self, objective: Objective, search_input: SearchInput) -> Objective | None:
        if self.cut == "separator":
            return None
        return objective if self.cut == "objective" else prepare(self.cut, search_input)
