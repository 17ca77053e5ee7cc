"""The models of a fit: the best one for each budget of complexity, and the scores of all."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from sorb._types import Bool, Float
from sorb.learning.fitted_rules import FittedRules
from sorb.rules import ColumnExperience, Condition, RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.rules.scores import sum_votes
from sorb.rules.training_record import TrainingRecord


@dataclass(frozen=True, slots=True, eq=False)
class TimedModel:
    """A model, and the seconds since training began when it was found."""

    model: FittedRules
    seconds: float

    @property
    def complexity(self) -> int:
        """The complexity of the model."""
        return self.model.complexity

    @property
    def objective(self) -> float:
        """The penalised risk of the model."""
        return self.model.objective


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
    reg_lambda : the penalty.
    """

    ensemble: RuleEnsemble
    complexity: int
    train_risk: float
    objective: float
    seconds: float
    reg_lambda: float

    @classmethod
    def of(cls, found: TimedModel, empty: RuleEnsemble) -> Stage:
        """Read a model off its fitted terms."""
        model = found.model
        return cls(
            model.ensemble(empty),
            model.complexity,
            model.risk,
            model.objective,
            found.seconds,
            model.problem.reg_lambda,
        )

    def remember(self, experience: Mapping[str, ColumnExperience], record: TrainingRecord) -> Stage:
        """The same, with what the columns held in training, and what learned it."""
        seen, own = tuple(experience.items()), replace(record, reg_lambda=self.reg_lambda)
        return replace(self, ensemble=replace(self.ensemble, experience=seen, record=own))


class _Sized(Protocol):
    @property
    def complexity(self) -> int: ...

    @property
    def objective(self) -> float: ...


_AnyModel = TypeVar("_AnyModel", bound=_Sized)


@dataclass(slots=True)
class Frontier(Generic[_AnyModel]):
    """Collects models, and keeps those that no other beats within their complexity.

    They have growing complexities and falling objectives.
    """

    models: list[_AnyModel] = field(default_factory=list)

    def improves(self, complexity: float, objective: float) -> bool:
        """Whether no model of at most this complexity is as good."""
        within = stage_within(self.models, complexity)
        return within is None or objective < within.objective

    def add(self, model: _AnyModel) -> None:
        """Add a model that improves, and remove those that it makes superfluous."""
        place = bisect_left(self.models, model.complexity, key=lambda known: known.complexity)
        better = [known for known in self.models[place:] if known.objective < model.objective]
        self.models[place:] = [model, *better]


def stage_within(stages: Sequence[_AnyModel], complexity: float) -> _AnyModel | None:
    """The last of the stages, or of other models by complexity, within a budget of complexity."""
    place = bisect_right(stages, complexity, key=lambda stage: stage.complexity)
    return stages[place - 1] if place else None


def stage_near(stages: Sequence[_AnyModel], complexity: float) -> _AnyModel:
    """The stage or model nearest to a given complexity; the first one only if no other is less.

    Folds and the whole table have models of other complexities: of 3 and 7, the latter is meant if
    6 was the best. The first one has no rules but those that are given.
    """
    if complexity <= stages[0].complexity or len(stages) == 1:
        return stages[0]
    if complexity >= stages[-1].complexity:
        return stages[-1]
    return min(stages[1:], key=lambda stage: abs(stage.complexity - complexity))


def refit_models(
    models: Sequence[FittedRules], reg_lambdas: Sequence[float]
) -> Iterator[list[FittedRules]]:
    """For each model, refit its votes with each penalty; terms that get no vote are dropped."""
    for model in models:
        refitted = []
        for reg_lambda in reg_lambdas:
            refitted.append(model.refit(replace(model.problem, reg_lambda=reg_lambda)))
            if len(refitted[-1].terms) == len(model.terms):
                model = refitted[-1]
        yield refitted


def refit_curve(models: Sequence[TimedModel], reg_lambdas: Sequence[float]) -> list[TimedModel]:
    """Refit the votes of models of growing complexity, each with a penalty of its own.

    Those are left out that are no better, with their penalty, than all smaller ones.
    """
    distinct = sorted(set(reg_lambdas))
    lowest: dict[float, float] = {}
    found: list[TimedModel] = []
    refitted = refit_models([timed.model for timed in models], distinct)
    for timed, own, of_model in zip(models, reg_lambdas, refitted, strict=True):
        for reg_lambda, model in zip(distinct, of_model, strict=True):
            if reg_lambda not in lowest or model.objective < lowest[reg_lambda]:
                lowest[reg_lambda] = model.objective
                if reg_lambda == own:
                    # Larger ones precede it only if it lost terms.
                    while found and found[-1].complexity >= model.complexity:
                        found.pop()
                    found.append(TimedModel(model, timed.seconds))
    return found


def staged_scores(ensembles: Iterable[RuleEnsemble], source: ColumnSource) -> Iterator[Float]:
    """Give the scores of each ensemble; a condition that several share is evaluated once."""
    known: dict[Condition, Bool] = {}
    for ensemble in ensembles:
        for rule in ensemble:
            if rule.condition not in known:
                known[rule.condition] = rule.condition.covers(source)
        covered = (known[rule.condition] for rule in ensemble)
        yield sum_votes(ensemble.offset, ensemble.rules, covered, source.n_rows)
