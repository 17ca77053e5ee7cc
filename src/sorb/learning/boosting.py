"""The one boosting loop.

Each round the gradient is searched for conditions on a bag of rows, the rows out of the bag choose
the one worth its complexity, and all weights are refitted on all rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sorb import _kernels
from sorb._types import Float
from sorb.learning.bags import Bag, Bags, all_rows
from sorb.learning.objectives import SearchInput
from sorb.learning.refit import Patterns, refit, validation_risks
from sorb.learning.rows import Rows
from sorb.learning.search import Candidate, Search
from sorb.learning.selection import Selection
from sorb.losses import Loss
from sorb.rules import Rule, RuleEnsemble
from sorb.tables.training import TrainingData


@dataclass(frozen=True, slots=True)
class Stage:
    """The model after one round.

    Attributes
    ----------
    ensemble : the model.
    train_risk : mean loss over the training rows, without the penalty.
    validation_risk : mean loss over the rows out of the bag that chose the newest rule, with
        weights fitted to the rows in the bag; not a number for the model without rules.
    seconds : since training began.
    """

    ensemble: RuleEnsemble
    train_risk: float
    validation_risk: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Limits:
    """Where boosting ends."""

    max_rules: int
    max_complexity: int | None = None
    max_rule_complexity: int = 5
    max_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class BoostingSettings:
    """The exchangeable parts of boosting.

    Without a `selection`, no rows are left out for validation: all of them are searched, and the
    condition with the best objective is taken. With `from_zero` the first rule is searched for as
    if there were no offset yet.
    """

    loss: Loss
    search: Search
    selection: Selection | None
    reg_lambda: float
    seed: int
    limits: Limits
    n_threads: int = 1
    from_zero: bool = False


@dataclass(slots=True)
class _State:
    """All that changes while boosting."""

    ensemble: RuleEnsemble
    patterns: Patterns
    theta: Float
    stages: list[Stage]
    divisions: set[tuple[int, int | None]] = field(
        default_factory=set
    )  # of each rule, with its output
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started


def constant_model(data: TrainingData, rows: Rows) -> RuleEnsemble:
    """Give the best model without rules."""
    labels = None if data.classes is None else tuple(data.classes.tolist())
    scores = data.loss.best_constant(rows.y, rows.weight, len(labels or ()))
    scores += rows.shift
    offset = tuple(scores.tolist()) if data.loss.multiclass else float(scores[0])
    return RuleEnsemble(
        offset,
        (),
        data.columns,
        data.loss.name,  # type: ignore[arg-type]
        labels,
        data.units,
    )


def boost(
    rows: Rows,
    settings: BoostingSettings,
    start: RuleEnsemble,
    report: Callable[[Stage], None] = lambda stage: None,
    earlier: Sequence[Stage] = (),
) -> list[Stage]:
    """Add rules to an ensemble until a limit is reached or no candidate helps.

    Parameters
    ----------
    rows : the training rows.
    settings : the parts of the method.
    start : the ensemble to begin with; its rules stay, its weights are refitted.
    report : called with each new stage, so that whoever is interrupted has the stages so far.
    earlier : the stages by which `start` was reached, if it was trained before.

    Returns
    -------
    stages : one for each number of rules, from the ensemble without rules on.
    """
    state = _begin(rows, settings, start, earlier)
    report(state.stages[-1])
    draws = Bags.of(rows)
    while _within(settings.limits, state) and _round(rows, settings, state, draws):
        report(state.stages[-1])
    return state.stages


def _begin(
    rows: Rows, settings: BoostingSettings, start: RuleEnsemble, earlier: Sequence[Stage]
) -> _State:
    n_outputs = len(start.offset) if isinstance(start.offset, tuple) else 1
    patterns = Patterns.without_rules(len(rows), n_outputs)
    theta = settings.loss.best_constant(rows.y, rows.weight, n_outputs)
    state = _State(start, patterns, theta, list(earlier))
    for rule in start:
        # Step by step as it was learned, so that going on later gives the very same numbers.
        theta = refit(settings.loss, patterns, rows.y, rows.weight, settings.reg_lambda, theta)[0]
        covered = rows.covered_by(rule.condition)
        state.divisions.add((rule.output, _kernels.division(covered)))
        patterns = patterns.split(covered, rule.output)
        theta = np.append(theta, 0.0)
    _refit(rows, settings, state, start.rules, patterns, theta, float("nan"))
    if earlier:
        state.stages.pop()
        state.started -= earlier[-1].seconds
    return state


def _within(limits: Limits, state: _State) -> bool:
    return len(state.ensemble) < limits.max_rules and (
        limits.max_seconds is None or state.seconds < limits.max_seconds
    )


def _round(rows: Rows, settings: BoostingSettings, state: _State, draws: Bags) -> bool:
    """Add one rule; False if none helps."""
    if settings.selection is None:
        promising = _promising(rows, settings, state)
        return promising is not None and _add(rows, settings, state, *promising, float("nan"))
    for bag in draws.of_round(settings.seed, len(state.ensemble)):
        found = _candidates(rows, settings, state, bag)
        winner = _judge(rows, settings, settings.selection, state, bag, found)
        if winner is not None and _add(rows, settings, state, *winner):
            return True
    return False


def _promising(
    rows: Rows, settings: BoostingSettings, state: _State
) -> tuple[Candidate, int] | None:
    """What the search settles for on all rows, for the output where that promises most."""
    room, budget = _room(settings.limits, state), _budget(settings.limits, state)
    best: tuple[float, Candidate, int] | None = None
    for output, search_input in enumerate(_search_inputs(rows, settings, state, all_rows(rows))):
        found = settings.search.best(search_input, room, settings.n_threads) if room > 0 else None
        if found is None or found[1].complexity > budget:
            continue
        if (output, found[1].division) not in state.divisions and (not best or found[0] > best[0]):
            best = (*found, output)
    return best[1:] if best else None


def _add(
    rows: Rows,
    settings: BoostingSettings,
    state: _State,
    candidate: Candidate,
    output: int,
    risk: float,
) -> bool:
    """Add a rule, stated in the user's units; False if rounding leaves it nothing to divide."""
    try:
        condition = candidate.condition(rows)
    except (ValueError, OverflowError):  # beyond the floats, or a contradiction made by rounding
        return False
    covered = rows.covered_by(condition)
    division = _kernels.division(covered)
    if division is None:
        return False
    rules = (*state.ensemble.rules, Rule(condition, 0.0, output))
    patterns = state.patterns.split(covered, output)
    _refit(rows, settings, state, rules, patterns, np.append(state.theta, 0.0), risk)
    state.divisions.add((output, division))
    return True


def _refit(
    rows: Rows,
    settings: BoostingSettings,
    state: _State,
    rules: tuple[Rule, ...],
    patterns: Patterns,
    start: Float,
    validation_risk: float,
) -> None:
    """Refit all weights on all rows and make that the new state, at once."""
    theta, train_risk = refit(
        settings.loss, patterns, rows.y, rows.weight, settings.reg_lambda, start
    )
    k = patterns.n_outputs
    offset = tuple(theta[:k].tolist()) if k > 1 else float(theta[0]) + rows.shift
    weighted = tuple(
        Rule(rule.condition, weight, rule.output)
        for rule, weight in zip(rules, theta[k:].tolist(), strict=True)
    )
    ensemble = replace(state.ensemble, offset=offset, rules=weighted)
    stage = Stage(ensemble, train_risk, validation_risk, state.seconds)
    state.ensemble, state.patterns, state.theta = ensemble, patterns, theta
    state.stages.append(stage)


def _candidates(
    rows: Rows, settings: BoostingSettings, state: _State, bag: Bag
) -> list[tuple[Candidate, int]]:
    """Search for each output; of conditions that divide the rows alike keep the simplest.

    One that divides them like an old rule for the same output is of no use.
    """
    room, budget = _room(settings.limits, state), _budget(settings.limits, state)
    if room < 1:
        return []
    distinct: dict[tuple[int, int], tuple[Candidate, int]] = {}
    for output, search_input in enumerate(_search_inputs(rows, settings, state, bag)):
        for candidate in settings.search(search_input, room, settings.n_threads):
            # A condition and its complement are the same to the refit, as the offset is free.
            key = (output, candidate.division)
            known = distinct.get(key)
            if candidate.complexity > budget or key in state.divisions:
                continue
            if known is None or candidate.complexity < known[0].complexity:
                distinct[key] = (candidate, output)
    return list(distinct.values())


def _search_inputs(
    rows: Rows, settings: BoostingSettings, state: _State, bag: Bag
) -> Iterator[SearchInput]:
    blank = settings.from_zero and not len(state.ensemble)
    # Scores count from the shift of the outcomes: without an offset a row's score is zero.
    theta = np.full_like(state.theta, -rows.shift) if blank else state.theta
    mean = settings.loss.mean(state.patterns.scores(theta))
    curvature = settings.loss.variance(mean)
    index = state.patterns.index
    for output in range(state.patterns.n_outputs):
        weighted_gradient = mean[:, output][index]
        weighted_gradient -= rows.y == output if settings.loss.multiclass else rows.y
        weighted_gradient *= bag.training
        yield SearchInput(
            rows,
            bag.training,
            weighted_gradient,
            index,
            state.patterns.table,
            curvature[:, output],
            settings.reg_lambda,
        )


def _budget(limits: Limits, state: _State) -> float:
    """The complexity that is left for one more rule."""
    if limits.max_complexity is None:
        return float("inf")
    return limits.max_complexity - state.ensemble.complexity


def _room(limits: Limits, state: _State) -> int:
    """The number of weights that one more rule may have."""
    # A rule of k weights in one proposition has complexity k + 2.
    return int(min(limits.max_rule_complexity, _budget(limits, state) - 2))


def _judge(
    rows: Rows,
    settings: BoostingSettings,
    selection: Selection,
    state: _State,
    bag: Bag,
    found: list[tuple[Candidate, int]],
) -> tuple[Candidate, int, float] | None:
    """The candidate worth its complexity on the rows out of the bag, with its risk there."""
    if not found:
        return None
    # The gain is measured against the old rules with weights fitted to the same rows.
    before, after = validation_risks(
        settings.loss,
        state.patterns,
        rows.y,
        bag.training,
        bag.validation,
        settings.reg_lambda,
        state.theta,
        [(candidate.covered, output) for candidate, output in found],
    )
    winner = selection(before, after, [candidate.complexity for candidate, _ in found])
    return None if winner is None else (*found[winner], float(after[winner]))
