"""The models of a fit: the best one for each budget of complexity, and the scores of all."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sorb._types import Bool, Float
from sorb.learning.fitted_rules import FittedRules, Problem, Term
from sorb.learning.rows import Rows
from sorb.losses import Loss
from sorb.rules import Condition, Rule, RuleEnsemble
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


def stage_near(stages: Sequence[Stage], complexity: float) -> Stage:
    """The stage whose complexity is nearest to a given one; only for 0 one without rules.

    Folds and the whole table have models of other complexities: of 3 and 7, the latter is meant if
    6 was the best.
    """
    if complexity == 0 or len(stages) == 1:
        return stages[0]
    if complexity >= stages[-1].complexity:
        return stages[-1]
    return min(stages[1:], key=lambda stage: abs(stage.complexity - complexity))


def refit_models(
    rows: Rows, loss: Loss, stages: Iterable[Stage], reg_lambdas: Sequence[float]
) -> Iterator[list[FittedRules]]:
    """For each stage, refit the votes of its rules with each penalty."""
    problems = [Problem.of(rows, loss, reg_lambda) for reg_lambda in reg_lambdas]
    known: dict[tuple[Condition, int], Term] = {}
    for stage in stages:
        terms = tuple(_known_term(rule, rows, known) for rule in stage.ensemble)
        models = [FittedRules.with_terms(problems[0], terms, len(stage.ensemble.offsets))]
        for problem in problems[1:]:
            models.append(models[-1].refit(problem))
        yield models


def refit_stages(
    rows: Rows, stages: Sequence[Stage], reg_lambda: float, empty: RuleEnsemble
) -> list[Stage]:
    """Refit the votes of all stages with a penalty, and keep those that still improve.

    Everything but offset and rules is taken from the empty model.
    """
    frontier = Frontier()
    refitted = refit_models(rows, empty.loss, stages, [reg_lambda])
    for stage, (model,) in zip(stages, refitted, strict=True):
        if frontier.improves(model.complexity, model.objective):
            frontier.add(Stage.of(model, empty, stage.seconds))
    return frontier.stages


def _known_term(rule: Rule, rows: Rows, known: dict[tuple[Condition, int], Term]) -> Term:
    key = rule.condition, rule.output
    if key not in known:
        known[key] = Term.of(rule.condition, rule.output, rows)
    return known[key]


def staged_scores(ensembles: Iterable[RuleEnsemble], source: ColumnSource) -> Iterator[Float]:
    """Give the scores of each ensemble; a condition that several share is evaluated once."""
    known: dict[Condition, Bool] = {}
    for ensemble in ensembles:
        for rule in ensemble:
            if rule.condition not in known:
                known[rule.condition] = rule.condition.covers(source)
        covered = (known[rule.condition] for rule in ensemble)
        yield sum_votes(ensemble.offset, ensemble.rules, covered, source.n_rows)
