"""The one boosting loop.

In each round, conditions are searched for on the training rows of a bag, its validation rows select
the one worth its complexity, and all votes are refitted on all rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from sorb import _kernels
from sorb._types import Float
from sorb.learning.bags import Bag, Bags, all_rows
from sorb.learning.objectives import SearchInput
from sorb.learning.refit import Patterns, refit, validation_risks
from sorb.learning.rows import Rows
from sorb.learning.search import Candidate, Search
from sorb.learning.selection import Selection
from sorb.learning.stages import Stage
from sorb.losses import Loss
from sorb.rules import Rule, RuleEnsemble
from sorb.tables.training import TrainingData

# The kernels count in 32 bits.
_MOST_WEIGHTS = 2**31 - 1


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

    Without a `selection`, no rows are left out for validation: the search sees all of them, and the
    condition with the best objective is taken. With `from_zero`, the first rule is searched for as
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
    """Everything that changes while boosting."""

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


def empty_model(data: TrainingData) -> RuleEnsemble:
    """The model without rules to start from; boosting fits its offset."""
    labels = None if data.classes is None else tuple(data.classes.tolist())
    offset = (0.0,) * len(labels or ()) if data.loss.score_per_class else 0.0
    return RuleEnsemble(
        offset,
        (),
        data.columns,
        data.loss,
        labels,
        data.units,
        data.per_exposure,
    )


def boost(
    rows: Rows,
    settings: BoostingSettings,
    start: RuleEnsemble,
    report: Callable[[Stage], None] = lambda stage: None,
    earlier: Sequence[Stage] = (),
) -> list[Stage]:
    """Add rules until a limit is reached, no candidate helps, or only rounding is left to learn.

    Parameters
    ----------
    rows : the training rows.
    settings : the parts of the method.
    start : the ensemble to start from; its rules stay, its offset and votes are refitted.
    report : called with each new stage, so that the stages survive an interruption.
    earlier : the stages that led to `start`, if it was trained before.

    Returns
    -------
    stages : one for each number of rules, starting with the ensemble without rules.
    """
    state = _initial_state(rows, settings, start, earlier)
    report(state.stages[-1])
    bags = Bags.of(rows)
    rounding = settings.loss.rounding(rows.y, rows.weight, rows.shift)
    while _within_limits(settings.limits, state) and state.stages[-1].train_risk > rounding:
        if not _run_round(rows, settings, state, bags):
            break
        report(state.stages[-1])
    return state.stages


def _initial_state(
    rows: Rows, settings: BoostingSettings, start: RuleEnsemble, earlier: Sequence[Stage]
) -> _State:
    n_outputs = len(start.offsets)
    patterns = Patterns.without_rules(len(rows), n_outputs)
    theta = settings.loss.best_constant(rows.y, rows.weight, n_outputs)
    state = _State(start, patterns, theta, list(earlier))
    penalty = rows.scale_penalty(settings.reg_lambda)
    for rule in start:
        # Rule by rule, as it was learned, so that a warm start gives the very same numbers.
        theta = refit(settings.loss, patterns, rows.y, rows.weight, penalty, theta)[0]
        covered = rows.covered_by(rule.condition)
        state.divisions.add((rule.output, _kernels.division(covered)))
        patterns = patterns.split(covered, rule.output)
        theta = np.append(theta, 0.0)
    _refit(rows, settings, state, start.rules, patterns, theta, float("nan"))
    if earlier:
        refitted, last = state.stages.pop(), earlier[-1]
        state.stages[-1] = replace(last, ensemble=refitted.ensemble, train_risk=refitted.train_risk)
        state.started -= last.seconds
    return state


def _within_limits(limits: Limits, state: _State) -> bool:
    return (
        len(state.ensemble) < limits.max_rules
        and _max_weights(limits, state) > 0
        and (limits.max_seconds is None or state.stages[-1].seconds < limits.max_seconds)
    )


def _run_round(rows: Rows, settings: BoostingSettings, state: _State, bags: Bags) -> bool:
    """Add one rule; False if none helps."""
    if settings.selection is None:
        best = _best_on_all_rows(rows, settings, state)
        return best is not None and _add_rule(rows, settings, state, *best, float("nan"))
    for bag in bags.for_round(settings.seed, len(state.ensemble)):
        candidates = _candidates(rows, settings, state, bag)
        winner = _select(rows, settings, settings.selection, state, bag, candidates)
        if winner is not None and _add_rule(rows, settings, state, *winner):
            return True
    return False


def _best_on_all_rows(
    rows: Rows, settings: BoostingSettings, state: _State
) -> tuple[Candidate, int] | None:
    """The condition with the best objective on all rows, over all outputs."""
    max_weights = _max_weights(settings.limits, state)
    complexity_left = _complexity_left(settings.limits, state)
    best: tuple[float, Candidate, int] | None = None
    for output, search_input in enumerate(_search_inputs(rows, settings, state, all_rows(rows))):
        found = settings.search.best(search_input, max_weights, complexity_left, settings.n_threads)
        if found is None or (output, found[1].division) in state.divisions:
            continue
        if best is None or found[0] > best[0]:
            best = (*found, output)
    return best[1:] if best else None


def _add_rule(
    rows: Rows,
    settings: BoostingSettings,
    state: _State,
    candidate: Candidate,
    output: int,
    risk: float,
) -> bool:
    """Add a rule in the user's units; False if, after rounding, it divides no rows."""
    try:
        condition = candidate.condition(rows)
    except (ValueError, OverflowError):  # beyond the floats, or contradictory after rounding
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
    """Refit all votes on all rows; only then does the state change."""
    penalty = rows.scale_penalty(settings.reg_lambda)
    theta, train_risk = refit(settings.loss, patterns, rows.y, rows.weight, penalty, start)
    k = patterns.n_outputs
    offset = tuple(theta[:k].tolist()) if k > 1 else float(theta[0]) + rows.shift
    voting = tuple(
        Rule(rule.condition, vote, rule.output)
        for rule, vote in zip(rules, theta[k:].tolist(), strict=True)
    )
    ensemble = replace(state.ensemble, offset=offset, rules=voting)
    stage = Stage(ensemble, train_risk, validation_risk, state.seconds)
    state.ensemble, state.patterns, state.theta = ensemble, patterns, theta
    state.stages.append(stage)


def _candidates(
    rows: Rows, settings: BoostingSettings, state: _State, bag: Bag
) -> list[tuple[Candidate, int]]:
    """Search for each output; of conditions that divide the rows alike, keep the simplest.

    A condition that divides them like an existing rule for the same output is useless.
    """
    max_weights = _max_weights(settings.limits, state)
    complexity_left = _complexity_left(settings.limits, state)
    distinct: dict[tuple[int, int], tuple[Candidate, int]] = {}
    for output, search_input in enumerate(_search_inputs(rows, settings, state, bag)):
        for candidate in settings.search(search_input, max_weights, settings.n_threads):
            # A condition and its complement are the same to the refit, as the offset is free.
            key = (output, candidate.division)
            known = distinct.get(key)
            if candidate.complexity > complexity_left or key in state.divisions:
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
    scores, index = state.patterns.scores(theta), state.patterns.index
    gradients = settings.loss.gradients_by_output(scores, index, rows.y)
    for output, weighted_gradient in enumerate(gradients):
        weighted_gradient *= bag.training
        yield SearchInput(
            rows,
            bag.training,
            weighted_gradient,
            index,
            state.patterns.table,
            partial(_curvature, settings.loss, scores, output),
            rows.scale_penalty(settings.reg_lambda),
            rows.mean_weight,
        )


def _curvature(loss: Loss, scores: Float, output: int) -> Float:
    return loss.information(scores)[:, output]


def _complexity_left(limits: Limits, state: _State) -> float:
    """The complexity that one more rule may have."""
    if limits.max_complexity is None:
        return float("inf")
    return limits.max_complexity - state.ensemble.complexity


def _max_weights(limits: Limits, state: _State) -> int:
    """The number of weights that one more rule may have."""
    # A rule of k weights in one proposition has complexity k + 2.
    most = min(limits.max_rule_complexity, _MOST_WEIGHTS)
    return int(min(most, _complexity_left(limits, state) - 2))


def _select(
    rows: Rows,
    settings: BoostingSettings,
    selection: Selection,
    state: _State,
    bag: Bag,
    candidates: list[tuple[Candidate, int]],
) -> tuple[Candidate, int, float] | None:
    """The candidate worth its complexity on the validation rows, with its risk there."""
    if not candidates:
        return None
    # The gain is measured against the existing rules with votes fitted to the same rows.
    before, after = validation_risks(
        settings.loss,
        state.patterns,
        rows.y,
        bag.training,
        bag.validation,
        rows.scale_penalty(settings.reg_lambda),
        state.theta,
        [(candidate.covered, output) for candidate, output in candidates],
    )
    winner = selection(before, after, [candidate.complexity for candidate, _ in candidates])
    return None if winner is None else (*candidates[winner], float(after[winner]))
