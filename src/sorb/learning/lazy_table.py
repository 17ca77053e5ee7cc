"""Tables out of reach behind the two questions of the learner, answered by their sources."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from sorb._types import Float
from sorb.learning.federation import pool_outcomes
from sorb.learning.source import SAMPLE_WEIGHT, Draw, OutcomeCount, Source, key_plan
from sorb.learning.whole_table import (
    MOST_GROUPS,
    GroupSums,
    plan_sample,
)
from sorb.losses import Loss
from sorb.rules import ColumnExperience, Condition
from sorb.tables.changes import changed_table
from sorb.tables.column_experience import experience_of_categories, experience_of_numbers
from sorb.tables.quoting import quote_some
from sorb.tables.row_groups import number_groups
from sorb.tables.row_keys import Range
from sorb.tables.training import TrainingData
from sorb.tables.weights import class_factors

# If rows have more copies than this, they are counted before they are read.
_FEW_COPIES = 1.5
# If all rows are to be read, as most are copies, so many times the rows of a sample may differ.
_MOST_ROWS = 4


class Reader(Protocol):
    """Makes training data of rows that are in memory; classes have the weights that are given."""

    def __call__(
        self, X: Any, y: Any, weight: Any, exposure: Any, class_weight: Mapping[Any, float] | None
    ) -> TrainingData:
        """Check and read them."""
        ...


@dataclass(slots=True, eq=False)
class LazyTable:
    """A table that is read only by asking its source for a sample and for sums.

    Attributes
    ----------
    source : answers questions about the rows.
    read : makes training data of the rows of a sample.
    loss : that of a regression; None if the outcomes are classes.
    class_weight : the weights of classes that the user wants.
    n_rows : the number of all rows, when a sample has been taken.
    hidden : how many rows were not told by their own groups, for each set of conditions.
    """

    source: Source
    read: Reader
    loss: Loss | None = None
    class_weight: Any = None
    n_rows: int = 0
    hidden: dict[frozenset[Condition], int] = field(default_factory=dict)
    _sample: TrainingData | None = None
    _has_copies: bool = False
    _factors: dict[Any, float] = field(default_factory=dict)
    _totals: dict[Any, float] = field(default_factory=dict)

    def experience(self, names: Collection[str]) -> dict[str, ColumnExperience]:
        """What some columns hold in the rows that have any weight.

        Extremes and rare categories are facts about single rows: a source that tells no sums of few
        rows does not want them in a model.
        """
        source, numbers = self.source, self.source.numbers()
        private = source.description.min_rows > 1
        found = {}
        for name in names:
            missing = name in numbers.incomplete
            if private:
                found[name] = ColumnExperience(missing)
            elif name in source.description.categorical:
                found[name] = experience_of_categories(missing, source.labels(name))
            else:
                ends = numbers.ranges[name]
                found[name] = experience_of_numbers(missing, ends.low, ends.high)
        return found

    @property
    def most_groups(self) -> int:
        """For how many groups to ask at a time: as few as possible if small ones are not told."""
        return MOST_GROUPS if self.source.description.min_rows == 1 else 1

    @property
    def data(self) -> TrainingData:
        """The sample, when it has been taken."""
        assert self._sample is not None
        return self._sample

    def sample(self, n_rows: int | None, seed: int, deadline: float = math.inf) -> TrainingData:
        """About so many different rows; all of them, if there are no more or for None."""
        source, searched = self.source, self.source.searched
        source.numbers()  # refuses infinite values before anything else is asked
        counts, outcomes = self._count_outcomes()
        total = sum(counts.values())
        draw, factors, most = None, dict.fromkeys(counts, 1.0), None
        if n_rows is not None and total > n_rows:
            has_copies: dict[int, bool] = {}

            def count_keys(digits: int, limit: int) -> list[int]:
                found = searched.count_keys(key_plan(source, seed, outcomes, digits), limit)
                n_keys = [len(found.keys.get(label, ())) for label in counts]
                has_copies[digits] = found.n_rows > _FEW_COPIES * sum(n_keys)
                return n_keys

            plan = plan_sample(n_rows, total, count_keys)
            if plan is None:
                self._has_copies, most = True, _MOST_ROWS * n_rows
            else:
                self._has_copies = has_copies[plan.digits]
                limits = dict(zip(counts, plan.limits, strict=True))
                factors = dict(zip(counts, plan.factors, strict=True))
                draw = Draw(key_plan(source, seed, outcomes, plan.digits), limits)
        data = self._read(draw, factors, most)
        sampled = draw is not None or searched is not source
        self._sample = replace(data, sampled=sampled, class_shares=self._class_shares(data))
        return self._sample

    def _count_outcomes(self) -> tuple[dict[Any, float], Range | None]:
        """Count the rows to search in, those of each class, and find the class weights.

        Weights that are whole numbers count as copies. For a regression, also give the range of the
        outcomes.
        """
        source, searched = self.source, self.source.searched
        if self.loss is not None:
            count, outcomes = source.check_outcomes()
            self._require_rows(count.n_rows)
            self.n_rows = count.n_rows
            if searched is not source:
                count, others = searched.check_outcomes()
                self._require_rows(count.n_rows)
                outcomes = pool_outcomes([outcomes, others])
            return {None: self._copies(count)}, outcomes
        found = source.count_classes()
        self._require_rows(len(found))
        self.n_rows = sum(count.n_rows for count in found.values())
        counts = {label: found[label] for label in sorted(found, key=_order)}
        totals = np.array([count.weight for count in counts.values()])
        known = class_factors(self.class_weight, np.array(list(counts)), totals)
        self._factors = dict(zip(counts, known.tolist(), strict=True))
        self._totals = dict(zip(counts, totals.tolist(), strict=True))
        if searched is not source:
            found = searched.count_classes()
            _require_same_classes(set(counts), set(found))
            counts = {label: found[label] for label in counts}
        return {label: self._copies(count) for label, count in counts.items()}, None

    def _class_shares(self, data: TrainingData) -> Float | None:
        """The share of each class before the user's weights of classes."""
        if self.class_weight is None or data.classes is None:
            return None
        totals = np.array([self._totals[label] for label in data.classes.tolist()])
        return np.asarray(totals / totals.sum())

    def _copies(self, count: OutcomeCount) -> float:
        return count.weight if self.source.searched.description.counted else count.n_rows

    def _require_rows(self, count: int) -> None:
        weight = self.source.description.weight
        if not count:
            raise ValueError(
                "expected at least one row"
                if weight is None
                else f"sample_weight, column {weight!r}, must be positive in at least one row"
            )

    def _read(
        self, draw: Draw | None, factors: Mapping[Any, float], most: int | None
    ) -> TrainingData:
        """Bring rows to memory, copies of a row only once if there are many."""
        known = self.source.description
        rows = self.source.searched.rows(draw, self._has_copies, most)
        name = known.weight or (SAMPLE_WEIGHT if self._has_copies else None)
        weight = None if name is None else rows.get_column(name).to_numpy()
        exposure = None if known.exposure is None else rows.get_column(known.exposure).to_numpy()
        classes = {label: factor * factors[label] for label, factor in self._factors.items()}
        data = self.read(
            rows.select(*known.features).to_native(),
            rows.get_column(known.y).to_native(),
            weight,
            exposure,
            classes or None,
        )
        if known.group is None:
            return data
        return replace(data, group=number_groups(rows.get_column(known.group), len(data.y)))

    def sums(self, conditions: Sequence[Condition], shift: float) -> GroupSums:
        """Add up all rows by the conditions that cover them."""
        assert self._sample is not None
        unit = self._sample.weight_unit
        found = self.source.sums(conditions, shift)
        self.hidden[frozenset(conditions)] = found.hidden
        covered = {c: np.ascontiguousarray(found.covered[:, k]) for k, c in enumerate(conditions)}
        weight: Float = found.weight
        if found.labels is None or self._sample.classes is None:
            constant = found.constant / float(weight.sum())
            y = found.outcome / weight
        else:
            index = {label: float(k) for k, label in enumerate(self._sample.classes.tolist())}
            if len(index) == 1:
                index = dict.fromkeys(index, 1.0)
            if not index.keys() >= set(found.labels):
                raise changed_table()
            weight = weight * [self._factors[label] for label in found.labels]
            y, constant = np.array([index[label] for label in found.labels]), 0.0
        return GroupSums(covered, y, weight / unit, constant, shift, unit)


def _require_same_classes(classes: set[Any], searched: set[Any]) -> None:
    unseen, unknown = classes - searched, searched - classes
    if unseen:
        raise ValueError(
            f"no row of class {quote_some(sorted(unseen, key=_order))} is there to search rules "
            "in: let a site that has some share rows, or give a search_table that has some"
        )
    if unknown:
        raise ValueError(
            f"search_table holds class {quote_some(sorted(unknown, key=_order))}, which no site "
            "has: leave these rows out"
        )


def _order(label: Any) -> tuple[str, Any]:
    """Sort labels of any kinds."""
    return (type(label).__name__ if isinstance(label, str) else "", label)
