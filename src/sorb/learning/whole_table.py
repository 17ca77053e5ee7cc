"""All rows of a table behind two questions: a sample to search in, and sums to fit votes to.

A large table is not searched as a whole. Rules are learned on a sample of it, and their votes are
fitted to all rows, for which the sums of weights and outcomes by group suffice: of the rows that
are covered by the same rules. Whether a row is in the sample depends on its contents and the seed
alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._kernels import Patterns, SparseTable
from sorb._types import Bool, Float, Int
from sorb.learning.deadline import require_time, seconds_until
from sorb.learning.rows import matrix_source
from sorb.rules import ColumnExperience, Condition, Label
from sorb.tables.column_experience import column_experience
from sorb.tables.row_keys import (
    LIMIT,
    MOST_DIGITS,
    KeyColumn,
    Range,
    array_keys,
    key_columns,
    row_blocks,
)
from sorb.tables.schema import drop_unused_categories
from sorb.tables.sparse_keys import sparse_keys, sparse_ranges
from sorb.tables.training import TrainingData

# Sums are asked for so many groups at a time, by what the sample tells.
MOST_GROUPS = 20_000
# The number of different rows in a table is estimated from so many times the rows of a sample.
_COUNTED = 4
# So few keys do not tell how many digits are needed.
_FEW_KEYS = 100
# If a class would have fewer rows in a sample than one in so many for each class, more are drawn.
_RARE = 10


@dataclass(frozen=True, slots=True, eq=False)
class GroupSums:
    """The rows of a table, added up by groups of rows that the same conditions cover.

    Attributes
    ----------
    covered : for each condition, which groups it covers.
    y : the mean outcome of each group, less the shift; for several classes, that of all its rows.
    weight : the weight of each group.
    constant : the part of the mean loss that no score can change.
    shift : what was subtracted from all outcomes.
    weight_unit : what a weight of one stands for.
    """

    covered: dict[Condition, Bool]
    y: Float
    weight: Float
    constant: float
    shift: float
    weight_unit: float


class WholeTable(Protocol):
    """All rows of a table, wherever they are."""

    def experience(self, names: Collection[str]) -> dict[str, ColumnExperience]:
        """What some columns hold in the rows that have any weight."""
        ...

    @property
    def n_rows(self) -> int:
        """The number of rows that have any weight, when they have been counted."""
        ...

    @property
    def most_groups(self) -> int:
        """For how many groups to ask at a time."""
        ...

    @property
    def data(self) -> TrainingData:
        """What is in memory: all rows, or a sample when it has been taken."""
        ...

    def sample(self, n_rows: int | None, seed: int, deadline: float = math.inf) -> TrainingData:
        """About so many different rows; all of them, if there are no more or for None.

        If the table is in memory, `OutOfTimeError` is raised at the `deadline`. Otherwise what
        follows needs all answers.
        """
        ...

    def sums(self, conditions: Sequence[Condition], shift: float) -> GroupSums:
        """Add up all rows by the conditions that cover them."""
        ...


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """Which keys are those of a sample: for each class, or for all rows, those below a limit.

    What is drawn more often than the rest has `factors` below 1 to multiply its weight by. Keys are
    made of so many `digits`.
    """

    limits: tuple[int, ...]
    factors: tuple[float, ...]
    digits: int = 1

    @classmethod
    def of(cls, n_rows: int, distinct: Sequence[float], digits: int = 1) -> SamplingPlan | None:
        """Plan to draw so many different rows, of classes that have so many, and more of rare ones.

        None if there are no more. A class of which none has been seen is drawn as a whole.
        """
        share = n_rows / max(sum(distinct), 1.0)
        if share >= 1:
            return None
        least = n_rows / (_RARE * len(distinct))
        shares = [min(1.0, max(share, least / count)) if count else 1.0 for count in distinct]
        limits = tuple(int(LIMIT * each) for each in shares)
        return cls(limits, tuple(share / each for each in shares), digits)


# Counts the different keys below a limit, those of each class, given the number of digits.
CountKeys: TypeAlias = Callable[[int, int], Sequence[int]]


def plan_sample(n_rows: int, total: float, count_keys: CountKeys) -> SamplingPlan | None:
    """Plan to draw about `n_rows` different rows out of a total; None if there are no more."""
    # At least 1, or else it could not grow: the total of large weights is larger than any key.
    limit = max(1, int(LIMIT * min(1.0, _COUNTED * n_rows / total)))
    digits, counts = _choose_digits(limit, total, count_keys)
    while sum(counts) < n_rows and limit < LIMIT:
        # Many are copies: so few keys would tell too little.
        few = sum(counts)
        limit = min(LIMIT, limit * math.ceil(2 * n_rows / max(few, 1)))
        if few < _FEW_KEYS:
            digits, counts = _choose_digits(limit, total, count_keys)
        else:
            counts = count_keys(digits, limit)
    return SamplingPlan.of(n_rows, [_count_rows(n, limit) for n in counts], digits)


def _choose_digits(limit: int, total: float, count_keys: CountKeys) -> tuple[int, Sequence[int]]:
    """How many digits tell rows apart, and the different keys below a limit.

    Rows that more digits would tell apart have one key: all of them are drawn, or none.
    """
    first = count_keys(1, limit)
    if not _are_fewer(first, [limit * -math.expm1(-total / LIMIT)]):
        return 1, first
    finest = count_keys(MOST_DIGITS, limit)
    if not _are_fewer(first, finest):
        return 1, first
    finer = count_keys(2, limit)
    return (MOST_DIGITS, finest) if _are_fewer(finer, finest) else (2, finer)


def _are_fewer(some: Sequence[float], others: Sequence[float]) -> bool:
    """Whether there are fewer keys than others by more than chance: four standard errors."""
    few, many = sum(some), sum(others)
    return many - few > 4 * math.sqrt(many + few)


def _count_rows(n_keys: int, limit: int) -> float:
    """How many different rows a table is expected to have, if so many keys are below a limit.

    Different rows may have the same key.
    """
    return -LIMIT * math.log1p(-min(n_keys, limit - 1) / limit)


@dataclass(slots=True, eq=False)
class ArrayTable:
    """A table in memory.

    When a sample has been taken, what is only needed for sums is kept in fewer bytes.
    """

    data: TrainingData
    most_groups: int = MOST_GROUPS

    @property
    def n_rows(self) -> int:
        """The number of rows that have any weight."""
        return int(np.count_nonzero(self.data.weight))

    def experience(self, names: Collection[str]) -> dict[str, ColumnExperience]:
        """What some columns hold in the rows that have any weight."""
        return column_experience(self.data, names)

    def sample(self, n_rows: int | None, seed: int, deadline: float = math.inf) -> TrainingData:
        """About so many different rows; all of them, if there are no more or for None."""
        require_time(deadline)
        data = self.data
        present = data.weight > 0
        # Copies of a row count like rows, so that it does not matter whether they are rows.
        count = np.ones(len(present)) if data.count is None else data.count
        if not present.all():
            count = count * present
        total = float(count.sum())
        if n_rows is None or total <= n_rows:
            return data
        columns, outcome = self._key_columns(count, deadline)

        @cache
        def keys(digits: int) -> NDArray[np.uint32]:
            found = self._keys(columns, outcome, seed, digits, deadline)
            found[~present] = LIMIT
            return found

        def count_keys(digits: int, limit: int) -> list[int]:
            below = np.flatnonzero(keys(digits) < limit)
            return _count_distinct(keys(digits)[below], self._stratum(below), self._n_strata)

        plan = plan_sample(n_rows, total, count_keys)
        if plan is None:
            return data
        limits, found = np.array(plan.limits), keys(plan.digits)
        drawn = [
            some.start + np.flatnonzero(found[some] < limits[self._stratum(some)])
            for some in row_blocks(len(found))
        ]
        rows = np.concatenate(drawn)
        require_time(deadline)
        sample = data.take(rows)
        schema = data.schema
        if not isinstance(sample.X, SparseTable):
            schema = drop_unused_categories(sample.X, schema, np.ones(len(rows), dtype=np.bool_))
        weight = sample.weight * np.array(plan.factors)[self._stratum(rows)]
        self.data = _shrink(data)
        return replace(sample, weight=weight, schema=schema, sampled=True, origin=rows)

    @property
    def _n_strata(self) -> int:
        return 1 if self.data.classes is None else len(self.data.classes)

    def _stratum(self, rows: slice | Int) -> Int:
        """The class of some rows; 0 for a regression."""
        # The index of the only class is 1.
        last = self._n_strata - 1
        y = self.data.y[rows]
        return np.minimum(y, last).astype(np.intp) if last else np.zeros(len(y), dtype=np.intp)

    def _key_columns(
        self, count: Float, deadline: float
    ) -> tuple[dict[int, KeyColumn], tuple[KeyColumn, Float] | None]:
        """How the columns, by their positions, and the outcomes of a regression add to keys."""
        data = self.data
        stats: dict[str, Range | tuple[Label, ...]] = dict(self._ranges(count, deadline))
        labels = zip(data.columns, data.schema.categories, strict=True)
        stats.update({name: known for name, known in labels if known is not None})
        place = {name: j for j, name in enumerate(data.columns)}
        columns = {place[name]: column for name, column in key_columns(stats).items()}
        outcome = None
        if data.classes is None:
            low, high = (
                float(end[0]) for end in _kernels.column_ranges(data.y[:, None], count)[:2]
            )
            column = key_columns({"y": Range(low, high)}).get("y")
            outcome = None if column is None else (column, data.y)
        return columns, outcome

    def _keys(
        self,
        columns: dict[int, KeyColumn],
        outcome: tuple[KeyColumn, Float] | None,
        seed: int,
        digits: int,
        deadline: float,
    ) -> NDArray[np.uint32]:
        X = self.data.X
        if isinstance(X, SparseTable):
            return sparse_keys(X, columns, seed, outcome, digits)
        return array_keys(X, columns, seed, outcome, digits, partial(require_time, deadline))

    def _ranges(self, count: Float, deadline: float) -> Iterator[tuple[str, Range]]:
        """The ranges of all columns, as if they held numbers."""
        if isinstance(self.data.X, SparseTable):
            found = sparse_ranges(self.data.X, count)
        else:
            counts = None if (count == 1).all() else count
            seconds = seconds_until(deadline)
            found = _kernels.column_ranges(self.data.X, counts, seconds)
        for name, *values in zip(self.data.columns, *found, strict=True):
            yield name, Range(*map(float, values))

    def sums(self, conditions: Sequence[Condition], shift: float) -> GroupSums:
        """Add up all rows by the conditions that cover them."""
        data = self.data
        patterns = self._patterns(conditions)
        index, n_groups, table = patterns.index, len(patterns.table), patterns.table.astype(bool)
        # What is counted apart within each group: the classes, if there are several.
        n_parts = len(data.classes) if data.loss.score_per_class and data.classes is not None else 1
        weight, total = np.zeros(n_groups * n_parts), np.zeros(n_groups * n_parts)
        for rows in row_blocks(len(index)):
            here, weights, y = index[rows], data.weight[rows], data.y[rows] - shift
            if n_parts > 1:
                here = here * n_parts + y.astype(np.int32)
            weight += np.bincount(here, weights, len(weight))
            total += np.bincount(here, weights * y, len(weight))
        mean = np.divide(total, weight, out=np.zeros(len(weight)), where=weight > 0)
        if n_parts > 1:
            mean = np.tile(np.arange(n_parts, dtype=np.float64), n_groups)
            table = np.repeat(table, n_parts, axis=0)
        covered = {c: np.ascontiguousarray(table[:, k]) for k, c in enumerate(conditions)}
        constant = data.loss.mean_constant(data.y - shift if shift else data.y, data.weight)
        return GroupSums(covered, mean, weight, constant, shift, data.weight_unit)

    def _patterns(self, conditions: Sequence[Condition]) -> Patterns:
        """Which of the conditions cover each row; the table is read once."""
        X, schema = self.data.X, self.data.schema
        patterns = Patterns.without_rules(len(X), 1)
        if isinstance(X, SparseTable):
            for condition in conditions:
                answer = np.empty(len(X), dtype=np.bool_)
                answer[:] = condition.covers(matrix_source(X, schema))
                patterns = patterns.split(answer, 0)
            return patterns
        # A bit for each condition and row.
        packed = np.empty((math.ceil(len(conditions) / 8), len(X)), dtype=np.uint8)
        for rows in row_blocks(len(X)):
            block = matrix_source(X[rows], schema)
            covered = np.empty((len(conditions), block.n_rows), dtype=np.bool_)
            for k, condition in enumerate(conditions):
                covered[k] = condition.covers(block)
            packed[:, rows] = np.packbits(covered, axis=0)
        for k in range(len(conditions)):
            patterns = patterns.split(packed[k // 8] & (128 >> k % 8) != 0, 0)
        return patterns


def _shrink(data: TrainingData) -> TrainingData:
    """The same rows, with few bytes for weights that are all one and for the indices of classes."""
    weight, y = data.weight, data.y
    if (weight == 1).all():
        weight = np.broadcast_to(1.0, weight.shape)
    if data.classes is not None and len(data.classes) <= np.iinfo(np.uint8).max:
        y = y.astype(np.uint8)
    return replace(data, y=y, weight=weight, count=None)


def _count_distinct(keys: NDArray[np.uint32], stratum: Int, n_strata: int) -> list[int]:
    """The number of different keys in each stratum."""
    ordered = np.sort(keys * np.int64(n_strata) + stratum)
    first = np.diff(ordered, prepend=-1) != 0
    counts = np.bincount(ordered[first] % n_strata, minlength=n_strata)
    return [int(count) for count in counts]
