"""The models of a fit: the best one for each budget of complexity, and the scores of all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sorb._types import Bool, Float
from sorb.learning.fitted_rules import FittedRules
from sorb.rules import Condition, RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.rules.scores import sum_votes


@dataclass(frozen=True, slots=True)
class Stage:
    """The model for all budgets from its own complexity up to that of the next stage.

    Attributes
    ----------
    ensemble : the model.
    complexity : its complexity.
    train_risk : mean loss over the training rows, without the penalty.
    objective : the same with the penalty on the votes: what training minimises.
    seconds : since training began.
    """

    ensemble: RuleEnsemble
    complexity: int
    train_risk: float
    objective: float
    seconds: float

    @classmethod
    def of(cls, model: FittedRules, empty: RuleEnsemble, seconds: float) -> Stage:
        """Read a model off its fitted terms."""
        return cls(model.ensemble(empty), model.complexity, model.risk, model.objective, seconds)


@dataclass(slots=True)
class Frontier:
    """Collects models, and keeps those that no other beats within their complexity.

    The stages have growing complexities and falling objectives.
    """

    stages: list[Stage] = field(default_factory=list)

    def improves(self, complexity: int, objective: float) -> bool:
        """Whether no model of at most this complexity is as good."""
        within = stage_within(self.stages, complexity)
        return within is None or objective < within.objective

    def add(self, stage: Stage) -> None:
        """Add a model that improves, and remove those that it makes superfluous."""
        smaller = [known for known in self.stages if known.complexity < stage.complexity]
        larger = [known for known in self.stages if known.complexity >= stage.complexity]
        better = [known for known in larger if known.objective < stage.objective]
        self.stages[:] = [*smaller, stage, *better]


def stage_within(stages: Sequence[Stage], complexity: float) -> Stage | None:
    """The best of the stages within a budget of complexity."""
    place = bisect_right(stages, complexity, key=lambda stage: stage.complexity)
    return stages[place - 1] if place else None


def staged_scores(ensembles: Iterable[RuleEnsemble], source: ColumnSource) -> Iterator[Float]:
    """Give the scores of each ensemble; a condition that several share is evaluated once."""
    known: dict[Condition, Bool] = {}
    for ensemble in ensembles:
        for rule in ensemble:
            if rule.condition not in known:
                known[rule.condition] = rule.condition.covers(source)
        covered = (known[rule.condition] for rule in ensemble)
        yield sum_votes(ensemble.offset, ensemble.rules, covered, source.n_rows)
