"""All rows of a table behind two questions: a sample to search in, and sums to fit votes to.

A large table is not searched as a whole. Rules are learned on a sample of it, and their votes are
fitted to all rows, for which the sums of weights and outcomes by group suffice: of the rows that
are covered by the same rules. Whether a row is in the sample depends on its contents and the seed
alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sorb._kernels import Patterns, SparseTable
from sorb._types import Bool, Float, Int, Matrix, Table
from sorb.learning.rows import matrix_source
from sorb.rules import Condition, Label
from sorb.tables.row_keys import LIMIT, KeyColumn, Range, array_keys, key_columns, row_blocks
from sorb.tables.schema import drop_unused_categories
from sorb.tables.sparse_keys import sparse_keys, sparse_ranges
from sorb.tables.sparse_matrices import columns_with_missing
from sorb.tables.training import TrainingData

# Sums are asked for so many groups at a time, by what the sample tells.
MOST_GROUPS = 20_000
# The number of different rows in a table is estimated from so many times the rows of a sample.
_COUNTED = 4
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

    @property
    def complete_columns(self) -> list[str]:
        """The names of the columns in which no value is missing."""
        ...

    @property
    def most_groups(self) -> int:
        """For how many groups to ask at a time."""
        ...

    def sample(self, n_rows: int | None, seed: int) -> TrainingData:
        """About so many different rows; all of them, if there are no more or for None."""
        ...

    def sums(self, conditions: Sequence[Condition], shift: float) -> GroupSums:
        """Add up all rows by the conditions that cover them."""
        ...


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """Which keys are those of a sample: for each class, or for all rows, those below a limit.

    What is drawn more often than the rest has `factors` below 1 to multiply its weight by.
    """

    limits: tuple[int, ...]
    factors: tuple[float, ...]

    @classmethod
    def of(cls, n_rows: int, counts: Sequence[float], share: float) -> SamplingPlan:
        """Plan to draw a share of rows whose classes have these counts, and more of rare ones."""
        least = n_rows / (_RARE * len(counts))
        shares = [min(1.0, max(share, least / count)) for count in counts]
        return cls(tuple(int(LIMIT * s) for s in shares), tuple(share / s for s in shares))


def share_to_draw(n_rows: int, total: float, count_keys: Callable[[int], int]) -> float:
    """The share of so many rows in all to draw, so that about `n_rows` are different.

    `count_keys` counts the different keys below a limit.
    """
    limit = int(LIMIT * min(1.0, _COUNTED * n_rows / total))
    n_keys = count_keys(limit)
    while n_keys < n_rows and limit < LIMIT:
        # Many are copies: so few keys would tell too little.
        limit = min(LIMIT, limit * math.ceil(2 * n_rows / max(n_keys, 1)))
        n_keys = count_keys(limit)
    if n_keys >= limit:
        return n_rows / LIMIT
    # Different rows may have the same key: so many rows are expected to have so many keys.
    distinct = -limit * math.log1p(-n_keys / limit)
    return min(1.0, n_rows * (limit / LIMIT) / max(distinct, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class ArrayTable:
    """A table in memory."""

    data: TrainingData
    most_groups: int = MOST_GROUPS

    @property
    def complete_columns(self) -> list[str]:
        """The names of the columns in which no value is missing."""
        X = self.data.X
        missing = np.zeros(X.shape[1], dtype=np.bool_)
        if isinstance(X, SparseTable):
            missing = columns_with_missing(X)
        else:
            for rows in row_blocks(len(X)):
                missing |= np.isnan(X[rows]).any(axis=0)
        return [
            name for name, has_any in zip(self.data.columns, missing, strict=True) if not has_any
        ]

    def sample(self, n_rows: int | None, seed: int) -> TrainingData:
        """About so many different rows; all of them, if there are no more or for None."""
        data = self.data
        present = data.weight > 0
        # Copies of a row count like rows, so that it does not matter whether they are rows.
        count = np.ones(len(present)) if data.count is None else data.count
        if not present.all():
            count = count * present
        total = float(count.sum())
        if n_rows is None or total <= n_rows:
            return data
        keys = self._keys(count, seed)
        keys[~present] = LIMIT
        share = share_to_draw(n_rows, total, lambda limit: len(np.unique(keys[keys < limit])))
        if share == 1:
            return data
        if data.classes is None:
            plan = SamplingPlan.of(n_rows, [total], share)
            stratum = np.zeros(len(keys), dtype=np.intp)
        else:
            # The index of the only class is 1.
            stratum = np.minimum(data.y, len(data.classes) - 1).astype(np.intp)
            counts = np.bincount(stratum, count, minlength=len(data.classes))
            plan = SamplingPlan.of(n_rows, counts.tolist(), share)
        rows = np.flatnonzero(keys < np.array(plan.limits)[stratum])
        return _take(data, rows, np.array(plan.factors)[stratum[rows]])

    def _keys(self, count: Float, seed: int) -> NDArray[np.uint32]:
        data = self.data
        stats: dict[str, Range | tuple[Label, ...]] = dict(self._ranges(count))
        labels = zip(data.columns, data.schema.categories, strict=True)
        stats.update({name: known for name, known in labels if known is not None})
        place = {name: j for j, name in enumerate(data.columns)}
        columns = {place[name]: column for name, column in key_columns(stats).items()}
        outcome = None
        if data.classes is None:
            y = data.y[count > 0]
            ends = Range(float(y.min()), float(y.max()), float(y.min()))
            column = key_columns({"y": ends}).get("y")
            outcome = None if column is None else (column, data.y)
        if isinstance(data.X, SparseTable):
            return sparse_keys(data.X, columns, seed, outcome)
        values: list[tuple[KeyColumn, Matrix | Float]] = []
        values += [(column, data.X[:, j]) for j, column in columns.items()]
        return array_keys(values if outcome is None else [*values, outcome], seed)

    def _ranges(self, count: Float) -> Iterator[tuple[str, Range]]:
        """The ranges of all columns, as if they held numbers."""
        X = self.data.X
        if isinstance(X, SparseTable):
            ends = zip(*sparse_ranges(X, count), strict=True)
            for name, of_column in zip(self.data.columns, ends, strict=True):
                yield name, Range(*map(float, of_column))
            return
        low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
        total, known = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        plain = bool((count == 1).all())
        for rows in row_blocks(len(X)):
            block, copies = X[rows].astype(np.float64, copy=False), count[rows]
            if not plain:
                block, copies = block[copies > 0], copies[copies > 0]
            # Missing values are ignored.
            np.fmin(low, np.fmin.reduce(block, axis=0, initial=np.inf), out=low)
            np.fmax(high, np.fmax.reduce(block, axis=0, initial=-np.inf), out=high)
            counted = block if plain else copies[:, None] * block
            missing = np.isnan(counted)
            if missing.any():
                counted = np.where(missing, 0.0, counted)
                known -= (missing * copies[:, None]).sum(axis=0)
            total += counted.sum(axis=0)
            known += copies.sum()
        with np.errstate(invalid="ignore"):
            mean = total / known
        for name, *values in zip(self.data.columns, low, high, mean, strict=True):
            yield name, Range(*map(float, values))

    def sums(self, conditions: Sequence[Condition], shift: float) -> GroupSums:
        """Add up all rows by the conditions that cover them."""
        data = self.data
        patterns = Patterns.without_rules(len(data.X), 1)
        for condition in conditions:
            patterns = patterns.split(self._covered_by(condition), 0)
        y = data.y - shift if shift else data.y
        index, n_groups, table = patterns.index, len(patterns.table), patterns.table.astype(bool)
        if data.loss.score_per_class and data.classes is not None:
            n_classes = len(data.classes)
            index = index * n_classes + y.astype(np.int32)
            weight = np.bincount(index, data.weight, n_groups * n_classes).astype(np.float64)
            mean = np.tile(np.arange(n_classes, dtype=np.float64), n_groups)
            table = np.repeat(table, n_classes, axis=0)
        else:
            weight, total = np.zeros(n_groups), np.zeros(n_groups)
            for rows in row_blocks(len(index)):
                here, weights = index[rows], data.weight[rows]
                weight += np.bincount(here, weights, n_groups)
                total += np.bincount(here, weights * y[rows], n_groups)
            mean = np.divide(total, weight, out=np.zeros(n_groups), where=weight > 0)
        covered = {c: np.ascontiguousarray(table[:, k]) for k, c in enumerate(conditions)}
        constant = data.loss.mean_constant(y, data.weight)
        return GroupSums(covered, mean, weight, constant, shift, data.weight_unit)

    def _covered_by(self, condition: Condition) -> Bool:
        X, schema = self.data.X, self.data.schema
        covered = np.empty(len(X), dtype=np.bool_)
        if isinstance(X, SparseTable):
            covered[:] = condition.covers(matrix_source(X, schema))
            return covered
        for rows in row_blocks(len(X)):
            covered[rows] = condition.covers(matrix_source(X[rows], schema))
        return covered


def _take(data: TrainingData, rows: Int, factor: Float) -> TrainingData:
    """Some rows, with their weights multiplied by a factor."""
    X = _take_rows(data.X, rows)
    return replace(
        data,
        X=X,
        y=data.y[rows],
        weight=data.weight[rows] * factor,
        schema=data.schema
        if isinstance(X, SparseTable)
        else drop_unused_categories(X, data.schema, np.ones(len(rows), dtype=np.bool_)),
        count=None if data.count is None else data.count[rows],
        group=None if data.group is None else data.group[rows],
        sampled=True,
        origin=rows,
    )


def _take_rows(table: Table, rows: Int) -> Table:
    if isinstance(table, SparseTable):
        return table.take(rows)
    # Conditions read it by columns.
    X = np.empty((len(rows), table.shape[1]), dtype=table.dtype, order="F")
    for j in range(X.shape[1]):
        X[:, j] = table[rows, j]
    return X
