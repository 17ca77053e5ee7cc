"""How good models are on rows that stay where they are, from sums by the rules that cover them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.learning.lazy_source import LazySource
from sorb.learning.source import Sums
from sorb.measures.cutoff import Cutoff
from sorb.measures.gain import Gain
from sorb.measures.measures import Measures
from sorb.measures.performance import without_rules
from sorb.measures.stage_risks import weigh_classes
from sorb.rules import Condition, RuleEnsemble
from sorb.rules.scores import sum_votes
from sorb.tables.changes import COUNT
from sorb.tables.lazy import total
from sorb.tables.row_groups import number_groups
from sorb.tables.targets import Outcomes

__all__ = ["GroupMeasures", "fit_constant", "measure_groups"]

# So many conditions form some thousand groups at most.
_MOST_CONDITIONS = 20


@dataclass(frozen=True, slots=True)
class GroupMeasures:
    """How good a model is, and how much better than one without rules."""

    measures: Measures
    gain: Gain


def measure_groups(
    source: LazySource,
    ensembles: Sequence[RuleEnsemble],
    baseline: RuleEnsemble,
    cutoff: Cutoff | None = None,
    weighed_by: Any = None,
    together: bool = False,
) -> list[GroupMeasures]:
    """Measure models on all rows of a source, as exactly as on rows in memory.

    If an estimator is given, classes are weighed as in its fit. Intervals allow for rows that
    belong together if these are kept `together`, which takes sums for each group of them.

    Two things cannot be told from sums of outcomes that are numbers: the mean absolute error, and
    the standard error of the gain over the `baseline`, a model without rules. Where weights are no
    copies of rows, intervals take the weights to differ as much under each rule as in each class.
    """
    centre = _Centre.of(source)
    unit = _unit_weights(source)
    found: dict[int, GroupMeasures] = {}
    for part in _parts(ensembles):
        conditions = list(dict.fromkeys(rule.condition for e in part for rule in e))
        sums = source.sums(conditions, centre.shift, together)
        for ensemble in part:
            found[id(ensemble)] = _compare(
                ensemble, baseline, sums, conditions, centre, cutoff, unit, weighed_by
            )
    return [found[id(ensemble)] for ensemble in ensembles]


def fit_constant(source: LazySource, ensemble: RuleEnsemble) -> RuleEnsemble:
    """Give the model without rules that fits all rows of a source best, for the same outcomes."""
    sums = source.sums([], 0.0)
    if sums.labels is None:
        outcomes = Outcomes(sums.outcome / sums.weight, sums.weight, ensemble.loss)
    else:
        outcomes = Outcomes.of(ensemble, sums.labels, sums.weight)
    return without_rules(ensemble, outcomes)


def _unit_weights(source: LazySource) -> dict[Any, float]:
    """The weight of a row of each class, if weights do not count copies of rows.

    The rows of a class then are as many of equal weight as say as much.
    """
    if source.loss is not None or source.columns.counted:
        return {}
    classes = source.count_classes()
    squares = source.squared_weights()
    return {label: squares[label] / count.weight for label, count in classes.items()}


@dataclass(frozen=True, slots=True)
class _Centre:
    """What is subtracted from outcomes that are numbers, and their squared distances from it."""

    shift: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, source: LazySource) -> _Centre:
        columns = source.columns
        if source.loss is None:
            return cls()
        number = columns.columns.number
        y, weight = number(columns.y), None if columns.weight is None else number(columns.weight)
        if columns.exposure:
            exposure = number(columns.exposure)
            y, weight = y / exposure, exposure if weight is None else weight * exposure
        shift = 0.0
        if source.loss.centred:  # as sums of squares would lose digits otherwise
            found = columns.ask("find the mean outcome", {"sum": total(y)})
            shift = float(found["sum"]) / found[COUNT]
        squares = (y - shift) * (y - shift)
        squares = squares if weight is None else squares * weight
        found = columns.ask("add up squared outcomes", {"squares": total(squares)})
        return cls(shift, float(found["squares"]))


def _parts(ensembles: Sequence[RuleEnsemble]) -> Iterator[list[RuleEnsemble]]:
    """Divide models so that each part shares not too many conditions."""
    part: list[RuleEnsemble] = []
    conditions: set[Condition] = set()
    for ensemble in ensembles:
        new = {rule.condition for rule in ensemble}
        if part and len(conditions | new) > _MOST_CONDITIONS:
            yield part
            part, conditions = [], set()
        part.append(ensemble)
        conditions |= new
    yield part


def _compare(
    ensemble: RuleEnsemble,
    baseline: RuleEnsemble,
    sums: Sums,
    conditions: Sequence[Condition],
    centre: _Centre,
    cutoff: Cutoff | None,
    unit: Mapping[Any, float],
    weighed_by: Any,
) -> GroupMeasures:
    scores = _scores(ensemble, sums, conditions)
    constant = _scores(baseline, sums, conditions)
    if sums.labels is not None:
        outcomes = Outcomes.of(ensemble, sums.labels, sums.weight)
        if unit:
            units = np.array([unit[label] for label in sums.labels])
            outcomes = replace(outcomes, count=sums.weight / units)
        outcomes = weigh_classes(outcomes, ensemble, weighed_by)
        whose = None
        if sums.together is not None:
            whose = number_groups(sums.together, len(sums.weight))
        measures = Measures.of(ensemble, scores, outcomes, cutoff, whose)
        return GroupMeasures(measures, Gain.of(outcomes, scores, constant, whose))
    measures, without = (_measure(ensemble, values, sums, centre) for values in (scores, constant))
    return GroupMeasures(measures, Gain(without.risk - measures.risk, None))


def _scores(ensemble: RuleEnsemble, sums: Sums, conditions: Sequence[Condition]) -> Float:
    place = {condition: k for k, condition in enumerate(conditions)}
    covered = (sums.covered[:, place[rule.condition]] for rule in ensemble)
    return sum_votes(ensemble.offset, ensemble.rules, covered, len(sums.weight))


def _measure(ensemble: RuleEnsemble, scores: Float, sums: Sums, centre: _Centre) -> Measures:
    # Each group counts as a row with the mean outcome; then what differs within groups is added.
    # Rounding may have made a mean of outcomes negative that are not.
    lowest = -centre.shift if ensemble.loss.non_negative else -np.inf
    difference = np.maximum(sums.outcome / sums.weight, lowest)
    outcomes = Outcomes(centre.shift + difference, sums.weight, ensemble.loss)
    found = Measures.of(ensemble, scores, outcomes)
    total = float(sums.weight.sum())
    within = sums.constant - float(sums.weight @ ensemble.loss.constant(difference))
    squares = _squared_errors(
        ensemble.loss.mean(scores) - centre.shift, difference, sums.weight, centre.squares
    )
    spread = centre.squares - float(sums.weight @ difference) ** 2 / total
    return replace(
        found,
        risk=found.risk + within / total,
        r2=1 - squares / spread if spread > 0 else None,
        rmse=math.sqrt(max(squares, 0.0) / total),
        mae=None,
        intervals={},
    )


def _squared_errors(expected: Float, difference: Float, weight: Float, squares: float) -> float:
    """The sum of squared errors, from means of groups and the squares of all rows."""
    # Σw(y − m)² = Σwy² − 2mΣwy + m²Σw in each group.
    return squares + float(weight @ (expected * (expected - 2 * difference)))
