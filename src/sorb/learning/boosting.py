"""The one boosting loop: it grows a model, and keeps the best one for each budget of complexity.

In each round, conditions are searched for on the training rows of a bag, its validation rows select
the one worth its complexity, and all votes are refitted on all rows. Then the least useful rules
are revisited: they are learned again, now that all others are there. At the end rules are removed,
one after the other. Of all models on the way, and of small ones with the candidates that were not
selected, the frontier keeps the best for each complexity.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np

from sorb._kernels import OutOfTimeError
from sorb.learning.bags import Bag, Bags, all_rows
from sorb.learning.fitted_rules import FittedRules, KnownTerms, Problem, Term
from sorb.learning.proposals import Proposal, Proposer, is_near_copy, judge
from sorb.learning.rows import Rows
from sorb.learning.search import AxisSearch, Search
from sorb.learning.selection import Selection
from sorb.learning.stages import Frontier, Stage, TimedModel
from sorb.losses import Loss
from sorb.rules import RuleEnsemble
from sorb.tables.column_constraints import ANY_VOTE, NO_CONSTRAINTS, ColumnConstraints
from sorb.tables.training import TrainingData

# The kernels count in 32 bits.
_MOST_WEIGHTS = 2**31 - 1
# A bag can be unlucky: only after this many bags without a candidate does training end.
_BAGS_PER_ROUND = 3
# So does training if rules only take each other's place for so many rounds.
_IDLE_ROUNDS = 3
# Models of up to this many rules are made of every candidate, not only of the one that is selected:
# growth alone would leave gaps between small complexities.
_FEW_RULES = 3
# The complexity of a rule with one proposition of one column.
_LEAST_COMPLEXITY = 3
# It knows about the offset and the penalty, so that the best cut comes out.
_SINGLE_CUT = AxisSearch("refitted")


@dataclass(frozen=True, slots=True)
class Limits:
    """Where boosting ends."""

    max_rules: int | None = None
    max_complexity: int | None = None
    max_rule_complexity: int = 5
    max_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class BoostingSettings:
    """The exchangeable parts of boosting.

    Without a `selection`, no rows are left out for validation: the search sees all of them, and the
    condition with the best objective is taken. `revisits` is the number of rules that are learned
    again after each new one. With `small_models`, the best cut of a single column is tried first,
    every candidate is tried in models of up to three rules, and rules are removed one by one at the
    end. Rules for the same output that are validated differ in at least the share `min_difference`
    of the rows. A search looks at about `search_rows` rows of a bag at most. With `from_zero`, the
    first rule is searched for as if there were no offset yet. All rules obey the `constraints`.
    """

    loss: Loss
    search: Search
    selection: Selection | None
    reg_lambda: float
    seed: int
    limits: Limits
    revisits: int = 0
    small_models: bool = False
    min_difference: float = 0.0
    n_threads: int = 1
    search_rows: int | None = None
    from_zero: bool = False
    constraints: ColumnConstraints = NO_CONSTRAINTS


def first_model(data: TrainingData) -> RuleEnsemble:
    """The model to start from, without rules but those that are given; boosting fits its votes."""
    labels = None if data.classes is None else tuple(data.classes.tolist())
    offset = (0.0,) * len(labels or ()) if data.loss.score_per_class else 0.0
    return RuleEnsemble(
        offset,
        data.given,
        data.columns,
        data.loss,
        labels,
        data.units,
        data.per_exposure,
    )


@dataclass(frozen=True, slots=True)
class GrownModels:
    """What a growth leaves behind, so that another one can go on.

    Attributes
    ----------
    last : the model that has grown.
    stages : the best models for each complexity, candidates of any size included.
    largest_selected : the complexity of the largest model that validation selected.
    """

    last: RuleEnsemble
    stages: Sequence[Stage]
    largest_selected: int

    @classmethod
    def of(cls, stages: Sequence[Stage]) -> GrownModels:
        """Go on from stages of which none was selected."""
        return cls(stages[-1].ensemble, stages, _LEAST_COMPLEXITY)

    @property
    def selected(self) -> list[Stage]:
        """The stages but for larger candidates, which only their training risk supports."""
        return [stage for stage in self.stages if stage.complexity <= self.largest_selected]

    @property
    def size(self) -> tuple[int, int]:
        """The largest number of rules and complexity of the models, but for larger candidates."""
        stages = self.selected
        n_rules = max(len(self.last), *(len(stage.ensemble) for stage in stages))
        return n_rules, max(self.last.complexity, stages[-1].complexity)


@dataclass(slots=True)
class Growth:
    """A model that grows, and everything that changes while it does.

    Attributes
    ----------
    rows : the training rows.
    settings : the parts of the method.
    first : the model to start from.
    model : what has grown so far.
    frontier : the best models for each complexity.
    bags : draws training and validation rows.
    rounding : a risk that rounding alone explains.
    largest_selected : the complexity of the largest model that validation selected.
    seconds_before : the time that earlier training took.
    idle_rounds : how many rounds, up to the last one, have not led to more rules than ever before.
    """

    rows: Rows
    settings: BoostingSettings
    first: RuleEnsemble
    model: FittedRules
    frontier: Frontier[TimedModel]
    bags: Bags
    rounding: float
    largest_selected: int = _LEAST_COMPLEXITY
    seconds_before: float = 0.0
    idle_rounds: int = 0
    # Looked up when it is called, so that tests can have a clock of their own.
    started: float = field(default_factory=lambda: time.perf_counter())

    @classmethod
    def begin(cls, rows: Rows, settings: BoostingSettings, first: RuleEnsemble) -> Growth:
        """Start from the given rules, or without any."""
        problem = Problem.of(
            rows, settings.loss, settings.reg_lambda, settings.n_threads, settings.constraints
        )
        vote_range = settings.constraints.vote_range
        terms = tuple(
            Term.of(rule.condition, rule.output, rows, vote_range(rule.condition) or ANY_VOTE)
            for rule in first
        )
        model = FittedRules.with_terms(problem, terms, len(first.offsets))
        rounding = settings.loss.rounding(rows.y, rows.weight, rows.shift)
        growth = cls(rows, settings, first, model, Frontier(), Bags.of(rows), rounding)
        growth.largest_selected = max(_LEAST_COMPLEXITY, model.complexity)
        growth._keep(model)
        return growth

    @classmethod
    def resume(
        cls,
        rows: Rows,
        settings: BoostingSettings,
        first: RuleEnsemble,
        grown: GrownModels,
    ) -> Growth:
        """Go on where an earlier growth ended.

        All votes are refitted, since the rows or the penalty may be others.
        """
        growth = cls.begin(rows, settings, first)
        problem = growth.model.problem
        growth.frontier = Frontier()
        known: KnownTerms = {}
        read = partial(FittedRules.from_ensemble, problem, rows, known=known)
        for stage in grown.stages:
            growth._keep(read(stage.ensemble), stage.seconds)
        growth._change_to(read(grown.last))
        growth.largest_selected = grown.largest_selected
        growth.seconds_before = max(stage.seconds for stage in grown.stages)
        return growth

    @property
    def seconds(self) -> float:
        """The time since training began."""
        return self.seconds_before + time.perf_counter() - self.started

    def run(self, report: Callable[[Growth], None] = lambda growth: None) -> None:
        """Grow until a limit is reached, nothing more is found, or only rounding is left to learn.

        `report` is called after each rule.
        """
        with suppress(OutOfTimeError):
            if self.settings.small_models and not self._learned(self.model):
                self._try_single_cuts()
            most = len(self.model.terms)
            while self._within_limits() and self.model.risk > self.rounding:
                if not self._add_rule():
                    break
                self._revisit_rules()
                report(self)
                # A new rule may leave another one no vote of the sign that it must have.
                self.idle_rounds = 0 if len(self.model.terms) > most else self.idle_rounds + 1
                if self.idle_rounds >= _IDLE_ROUNDS:
                    break
                most = max(most, len(self.model.terms))
        if self.settings.small_models:
            self._remove_rules()

    @property
    def models(self) -> list[TimedModel]:
        """The best models for each complexity, up to that of the largest selected one.

        Larger ones are candidates that only their training risk supports.
        """
        return [kept for kept in self.frontier.models if kept.complexity <= self.largest_selected]

    @property
    def stages(self) -> list[Stage]:
        """The same models in the user's units."""
        return [Stage.of(kept, self.first) for kept in self.models]

    @property
    def last(self) -> RuleEnsemble:
        """The model that has grown so far; the best one of its complexity may be another."""
        return self.model.ensemble(self.first)

    @property
    def grown(self) -> GrownModels:
        """What is needed to go on later."""
        stages = [Stage.of(kept, self.first) for kept in self.frontier.models]
        return GrownModels(self.last, stages, self.largest_selected)

    def _keep(self, model: FittedRules, seconds: float | None = None) -> None:
        if self._improves(model.complexity, model.objective):
            found_at = self.seconds if seconds is None else seconds
            self.frontier.add(TimedModel(model.without_patterns(), found_at))

    def _improves(self, complexity: float, objective: float) -> bool:
        return self.frontier.improves(complexity, max(objective, self.rounding))

    def _within_limits(self) -> bool:
        limits = self.settings.limits
        return (
            (limits.max_rules is None or len(self.model.terms) < limits.max_rules)
            and self._complexity_left(self.model) >= _LEAST_COMPLEXITY
            and time.perf_counter() < self._deadline
        )

    @property
    def lacks_time(self) -> bool:
        """Whether the time was over before there was any rule."""
        return len(self.models) == 1 and time.perf_counter() >= self._deadline

    def extend(self, seconds: float) -> None:
        """Allow so many seconds from now on."""
        limits = replace(self.settings.limits, max_seconds=self.seconds + seconds)
        self.settings = replace(self.settings, limits=limits)

    @property
    def _deadline(self) -> float:
        """When the time is over, by the performance counter."""
        most = self.settings.limits.max_seconds
        return math.inf if most is None else self.started + most - self.seconds_before

    def _complexity_left(self, model: FittedRules) -> float:
        """The complexity that one more rule may have."""
        most = self.settings.limits.max_complexity
        return float("inf") if most is None else most - model.complexity

    def _proposer(self, model: FittedRules) -> Proposer:
        settings, left = self.settings, self._complexity_left(model)
        # A rule of k weights in one proposition has complexity k + 2.
        most = int(min(settings.limits.max_rule_complexity, _MOST_WEIGHTS, left - 2))
        return Proposer(
            self.rows,
            settings.search,
            most,
            left,
            settings.n_threads,
            settings.from_zero,
            settings.search_rows,
            self._deadline,
            settings.constraints,
        )

    def _try_single_cuts(self) -> None:
        """Let the curve begin with the best comparison of one column with one threshold."""
        left = self._complexity_left(self.model)
        if left < _LEAST_COMPLEXITY or self.settings.limits.max_rules == 0:
            return
        proposer = self._proposer(self.model)
        proposer = replace(proposer, search=_SINGLE_CUT, max_weights=1, from_zero=False)
        proposals = proposer(self.model, all_rows(self.rows))
        self._keep_each(self.model, proposals, partial(self._new_term, self.model))

    def _keep_each(
        self,
        model: FittedRules,
        proposals: Sequence[Proposal],
        new_term: Callable[[Proposal], Term | None],
    ) -> None:
        """Keep the models that each proposal would make of this one, where they are the best."""
        objectives = model.objectives_with([(p.covered, p.output, p.votes) for p in proposals])
        # Terms take most of the time. From the best on, few are made of proposals that do not last.
        for k in np.argsort(objectives, kind="stable").tolist():
            complexity = model.complexity + proposals[k].complexity
            if not self._improves(complexity, float(objectives[k])):
                continue
            term = new_term(proposals[k])
            if term is not None:
                self._keep(model.add(term))

    def _new_term(self, model: FittedRules, proposal: Proposal) -> Term | None:
        """The term of a proposal; None if it divides no rows, or if it is a near-copy."""
        term = proposal.term(self.rows)
        if term is None or is_near_copy(term, model, self.settings.min_difference):
            return None
        return term

    def _add_rule(self) -> bool:
        """Add the rule worth its complexity; False if none is found."""
        if self.settings.selection is None:
            best = self._proposer(self.model).best(self.model)
            term = None if best is None else best.term(self.rows)
            larger = None if term is None else _add(self.model, term)
            return larger is not None and self._change_to(larger)
        number = len(self.model.terms) + self.idle_rounds
        for bag in self.bags.for_round(self.settings.seed, number, _BAGS_PER_ROUND):
            larger = self._best_addition(self.model, bag, self.settings.selection)
            if larger is not None:
                return self._change_to(larger)
        return False

    def _change_to(self, model: FittedRules) -> bool:
        self.model = model
        self.largest_selected = max(self.largest_selected, model.complexity)
        self._keep(model)
        return True

    def _best_addition(
        self, model: FittedRules, bag: Bag, selection: Selection, old: Term | None = None
    ) -> FittedRules | None:
        """Add the term that is worth most on a bag; None if there is none, or an old one is."""
        proposals = self._proposer(model)(model, bag)
        # The one that is worth most is often among those that small models are made of.
        new_term = cache(partial(self._new_term, model))
        if self.settings.small_models and len(self._learned(model)) < _FEW_RULES:
            self._keep_each(model, proposals, new_term)
        choices: list[Proposal | Term] = [*([] if old is None else [old]), *proposals]
        if not choices:
            return None
        before, after = judge(model, bag, choices)
        for k in selection(before, after, [_cost(choice, model) for choice in choices]):
            choice = choices[k]
            if isinstance(choice, Term):
                return None
            term = new_term(choice)
            larger = None if term is None else _add(model, term)
            if larger is not None:
                return larger
        return None

    def _revisit_rules(self) -> None:
        """Learn the least useful rules again, one after the other."""
        selection, count = self.settings.selection, self.settings.revisits
        if selection is None or not count or len(self.model.terms) < 2:
            return
        terms = self.model.terms
        learned = self._learned(self.model)
        order = np.argsort(self.model.usefulness()[learned], kind="stable")
        visited = [terms[learned[k]] for k in order[:count]]
        for bag, old in zip(
            self.bags.for_revisits(self.settings.seed, len(terms), count), visited, strict=False
        ):
            if old not in self.model.terms:  # the others left it no vote
                continue
            others = self.model.drop(self.model.terms.index(old))
            changed = self._best_addition(others, bag, selection, old)
            if changed is not None:
                self._change_to(changed)

    def _remove_rules(self) -> None:
        """Remove the least useful rule, again and again, for the sake of smaller models."""
        model = self.model
        while learned := self._learned(model):
            model = model.drop(learned[int(np.argmin(model.usefulness()[learned]))])
            self._keep(model)

    def _learned(self, model: FittedRules) -> list[int]:
        """The places of the terms that were not given."""
        given = {(rule.condition, rule.output) for rule in self.first}
        pairs = [(term.condition, term.output) for term in model.terms]
        return [k for k, pair in enumerate(pairs) if pair not in given]


def _cost(choice: Proposal | Term, model: FittedRules) -> float:
    """What a choice would add to the complexity of the model, prices included."""
    return choice.complexity if isinstance(choice, Proposal) else model.cost_of(choice)


def _add(model: FittedRules, term: Term) -> FittedRules | None:
    """Add a term; None if all rows leave it no vote, whatever a bag says."""
    larger = model.add(term)
    return larger if term in larger.terms else None
