"""How good models are on rows that stay where they are, from sums by the rules that cover them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sorb._types import Float
from sorb.cli.measures import Measures
from sorb.learning.lazy_source import LazySource
from sorb.learning.source import Sums
from sorb.rules import Condition, RuleEnsemble
from sorb.rules.scores import sum_votes
from sorb.tables.changes import COUNT
from sorb.tables.lazy import total

__all__ = ["measure_groups"]

# So many conditions form some thousand groups at most.
_MOST_CONDITIONS = 20


def measure_groups(source: LazySource, ensembles: Sequence[RuleEnsemble]) -> list[Measures]:
    """Measure models on all rows of a source, as exactly as on rows in memory."""
    centre = _Centre.of(source)
    found: dict[int, Measures] = {}
    for part in _parts(ensembles):
        conditions = list(dict.fromkeys(rule.condition for e in part for rule in e))
        sums = source.sums(conditions, centre.shift)
        for ensemble in part:
            found[id(ensemble)] = _measure(ensemble, sums, conditions, centre)
    return [found[id(ensemble)] for ensemble in ensembles]


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


def _measure(
    ensemble: RuleEnsemble, sums: Sums, conditions: Sequence[Condition], centre: _Centre
) -> Measures:
    place = {condition: k for k, condition in enumerate(conditions)}
    covered = (sums.covered[:, place[rule.condition]] for rule in ensemble)
    scores = sum_votes(ensemble.offset, ensemble.rules, covered, len(sums.weight))
    if sums.labels is not None:
        return Measures.of(ensemble, scores, sums.labels, sums.weight)
    # Each group counts as a row with the mean outcome; then what differs within groups is added.
    # Rounding may have made a mean of outcomes negative that are not.
    lowest = -centre.shift if ensemble.loss.non_negative else -np.inf
    difference = np.maximum(sums.outcome / sums.weight, lowest)
    found = Measures.of(ensemble, scores, centre.shift + difference, sums.weight)
    within = sums.constant - float(sums.weight @ ensemble.loss.constant(difference))
    expected = ensemble.loss.mean(scores) - centre.shift
    return replace(
        found,
        risk=found.risk + within / float(sums.weight.sum()),
        r2=_r2(expected, difference, sums.weight, centre.squares),
    )


def _r2(expected: Float, difference: Float, weight: Float, squares: float) -> float | None:
    """The explained share of the variance, from distances of groups and squares of all rows."""
    total = squares - float(weight @ difference) ** 2 / float(weight.sum())
    if total <= 0:
        return None
    # Σw(y − m)² = Σwy² − 2mΣwy + m²Σw in each group.
    return 1 - (squares + float(weight @ (expected * (expected - 2 * difference)))) / total
