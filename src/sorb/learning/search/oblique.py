"""The searches of the paper: a chain of conditions for each sign, of growing complexity.

Each condition is one step away from the previous one, and the step with the best objective wins.
When refining, a step either learns one of the propositions again with one more column, or adds a
new proposition of a single column, so there is one condition for each level of complexity.
Otherwise a step adds a proposition of any number of columns and never changes one, so complexity
grows by leaps.
"""

from __future__ import annotations

from dataclasses import dataclass

from sorb import _kernels
from sorb._kernels import Steps
from sorb.learning.objectives import Objective, SearchInput, prepare
from sorb.learning.search.candidates import Candidate, objective_value


@dataclass(frozen=True, slots=True)
class ObliqueSearch:
    """Conditions that weigh columns against each other.

    `objective` chooses among the steps. `cut` says where a proposition's threshold comes from: the
    logistic separator itself ("separator"), or the best threshold along its direction for the
    gradient sum ("gradient_sum") or for the objective ("objective"). With `refine`, propositions
    are learned again as the condition grows; without it, they are only added. With `whole`, the
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
        """Up to one condition for each sign of the gradient and each step."""
        objective = prepare(self.objective, search_input)
        cutter = self._cutter(objective, search_input)
        chains = _kernels.oblique_levels(
            search_input.rows.Z,
            objective,
            cutter,
            search_input.weighted_gradient,
            max_weights,
            Steps.refine if self.refine else Steps.append,
            threads,
            search_input.column_info(self.whole),
            search_input.seconds,
        )
        return [Candidate.of(level, self.whole) for chain in chains for level in chain]

    def best(
        self, search_input: SearchInput, max_weights: int, max_complexity: float, threads: int
    ) -> tuple[float, Candidate] | None:
        """The condition with the best objective, over all signs and levels."""
        objective = prepare(self.objective, search_input)
        found = self(search_input, max_weights, threads)
        simple = (candidate for candidate in found if candidate.complexity <= max_complexity)
        return max(
            ((objective_value(objective, candidate), candidate) for candidate in simple),
            key=lambda pair: pair[0],
            default=None,
        )

    def _cutter(self, objective: Objective, search_input: SearchInput) -> Objective | None:
        if self.cut == "separator":
            return None
        return objective if self.cut == "objective" else prepare(self.cut, search_input)
