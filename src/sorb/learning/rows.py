"""The data as boosting sees them: distinct rows in canonical order.

Copies of a row become one row with their total weight, rows of weight zero are dropped, and the
order of rows and columns depends on their contents alone. So copies and weights are the same thing,
and neither the order of the table nor constant columns nor shifting or scaling a column can change
what is learned.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._kernels import (
    AllowedSets,
    CategoryColumn,
    CategorySet,
    ColumnInfo,
    HalfSpace,
    SparseTable,
)
from sorb._types import Bool, Float, Int, Matrix, Table
from sorb.learning.deadline import require_time, seconds_until
from sorb.learning.group_hashes import hash_groups
from sorb.rules import AnyProposition, Condition, Membership, Product, Proposition
from sorb.rules.columns import ColumnSource
from sorb.rules.labels import Labels
from sorb.tables.checks import has_missing
from sorb.tables.column_constraints import NO_CONSTRAINTS, ColumnConstraints
from sorb.tables.schema import Schema
from sorb.tables.sparse_matrices import column_of, columns_with_missing, fill_missing
from sorb.tables.training import TrainingData

Hashes = NDArray[np.uint64]

_BLOCK = 1 << 17  # values compared at a time
LARGEST_POWER = 5.0


@dataclass(frozen=True, slots=True)
class Categories:
    """A column of X, and the code of each row's category; `count` itself stands for "missing"."""

    column: int
    codes: NDArray[np.int32]
    count: int


@dataclass(frozen=True, slots=True)
class Rows:
    """Distinct rows with their weights, standardised columns, and the way back to the user's units.

    Attributes
    ----------
    X : the user's table, as numbers; NaN where a value is missing.
    columns : the names of its columns.
    schema : what the columns mean.
    origin : for each distinct row, the number of a row of X with these contents.
    Z : the distinct rows in Fortran order: the numeric columns that vary, standardised, in
        canonical order, those weighed by their logarithms last; missing values are zero. Of a
        sparse X only the values that stand for others than zero are stored.
    sources : for each column of Z, its column in X.
    y, weight, hashes : outcome, total weight and hash of each distinct row.
    count : how many rows of the table each distinct row stands for, or what they count as.
    weight_unit : what a weight of one stands for.
    shift : what was subtracted from all outcomes, so that sums of their squares lose no digits.
    centre, scale : column j of Z is (x − centre_j) / scale_j; x is a column of X or its logarithm.
    missing : which values are missing, for the columns of Z that have any.
    categories : the columns of X that hold categories and vary, in canonical order, with their
        codes. Numeric columns with missing values are among them: their only category is "known".
    group : for each distinct row, the first row of its group; None if there are no groups. With
        groups, copies of a row in different ones are different rows.
    group_hashes : for each distinct row, the hash of its group, if there are groups.
    in_order : whether the distinct rows are those of X, in their order.
    """

    X: Table
    columns: tuple[str, ...]
    schema: Schema
    origin: Int
    Z: Table
    sources: tuple[int, ...]
    y: Float
    weight: Float
    count: Float
    hashes: Hashes
    centre: Float
    scale: Float
    weight_unit: float = 1.0
    shift: float = 0.0
    missing: dict[int, Bool] = field(default_factory=dict)
    categories: list[Categories] = field(default_factory=list)
    group: Int | None = None
    group_hashes: Hashes | None = None
    in_order: bool = False

    @classmethod
    def from_table(
        cls,
        X: Table,
        y: Float,
        weight: Float,
        columns: tuple[str, ...],
        centred: bool = False,
        schema: Schema | None = None,
        count: Float | None = None,
        weight_unit: float = 1.0,
        group: Int | None = None,
        deadline: float = math.inf,
    ) -> Rows:
        """Collect the distinct rows of a table without infinite values.

        With `centred` the mean is subtracted from the outcomes. Columns are plain numbers unless
        `schema` says otherwise, and each row counts as one unless `count` says otherwise. Rows of
        the same `group` belong together. At the `deadline`, `OutOfTimeError` is raised.
        """
        schema = schema or Schema.of_numbers(columns)
        copies = _Copies.find(X, y, weight, group, deadline)
        order, hashes, first, varying = copies.order, copies.hashes, copies.first, copies.varying
        origin = order[first]
        total = _totals(weight[order], first)
        require_time(deadline)
        sources = _sources(schema, varying.tolist())
        missing: dict[int, Bool] = {}
        categories: list[Categories] = []
        Z: Table
        seconds = seconds_until(deadline)
        if isinstance(X, SparseTable):
            means, missing, categories = _missing_in_sparse(X, origin, varying.tolist(), total)
            filled = fill_missing(X, means) if means else X
            Z, centre, scale = _kernels.standardise(filled, origin, varying, total, seconds)
        elif schema.plain and not has_missing(X):
            Z, centre, scale = _kernels.standardise(X, origin, varying, total, seconds)
        else:
            values = X[origin]
            missing = _missing(values, sources)
            categories = _categories(values, schema, varying.tolist())
            numbers = _numbers(values, schema, sources, total)
            rows, kept = (np.arange(size, dtype=np.int64) for size in numbers.shape)
            Z, centre, scale = _kernels.standardise(numbers, rows, kept, total)
        shift = float(np.average(y[origin], weights=total)) if centred else 0.0
        y = y[origin] - shift
        counts = np.ones(len(order)) if count is None else count[order]
        sums = (y, total, np.add.reduceat(counts, first), hashes[first])
        units = (centre, scale, weight_unit, shift)
        distinct = cls(X, columns, schema, origin, Z, sources, *sums, *units, missing, categories)
        return distinct if group is None else distinct.in_groups(group[origin])

    @classmethod
    def of(
        cls,
        data: TrainingData,
        weight: Float | None = None,
        count: Float | None = None,
        deadline: float = math.inf,
    ) -> Rows:
        """Collect the distinct rows of the training data, with their own weights or others."""
        return cls.from_table(
            data.X,
            data.y,
            data.weight if weight is None else weight,
            data.columns,
            centred=data.loss.centred,
            schema=data.schema,
            count=data.count if count is None else count,
            weight_unit=data.weight_unit,
            group=data.group,
            deadline=deadline,
        )

    def __len__(self) -> int:
        return len(self.origin)

    def in_groups(self, group: Int) -> Rows:
        """The same rows, which belong to these groups."""
        number = np.unique(group, return_inverse=True)[1]
        hashes = hash_groups(self.hashes, self.weight, number)[0]
        return replace(self, group=first_of_each(number), group_hashes=hashes[number])

    @property
    def draw_hashes(self) -> Hashes:
        """What decides where each row is drawn: the hash of its group, or its own."""
        return self.hashes if self.group_hashes is None else self.group_hashes

    def take(self, chosen: Int) -> Rows:
        """Some of the rows, in the same units and without their groups."""
        return replace(
            self,
            origin=self.origin[chosen],
            Z=self.Z.take(chosen)
            if isinstance(self.Z, SparseTable)
            else self.Z.T.take(chosen, axis=1).T,
            y=self.y[chosen],
            weight=self.weight[chosen],
            count=self.count[chosen],
            hashes=self.hashes[chosen],
            missing={column: missing[chosen] for column, missing in self.missing.items()},
            categories=[replace(c, codes=c.codes[chosen]) for c in self.categories],
            group=None,
            group_hashes=None,
            in_order=False,
        )

    def without_columns(self) -> Rows:
        """The same rows without what only a search needs, which takes the most memory."""
        nothing = np.empty((len(self), 0), order="F")
        return replace(self, Z=nothing, sources=(), missing={}, categories=[])

    @property
    def mean_weight(self) -> float:
        """The mean weight of what counts as one row."""
        return float(self.weight.sum() / max(self.count.sum(), 1.0))

    def covered_by(self, condition: AnyProposition | Condition) -> Bool:
        """Which rows a condition covers, computed exactly as for a prediction."""
        # A whole column is read faster than most of it, value by value.
        whole = self.in_order or 2 * len(self) > len(self.X)
        covered = condition.covers(
            matrix_source(self.X, self.schema, None if whole else self.origin)
        )
        if not covered.ndim:  # of the empty condition
            return np.full(len(self), covered)
        return covered[self.origin] if whole and not self.in_order else covered

    @property
    def n_plain(self) -> int:
        """The number of columns of Z that are not logarithms."""
        if not self.schema.logarithms:
            return len(self.sources)
        return sum(j not in self.schema.logarithms for j in self.sources)

    def column_info(
        self, whole: bool, constraints: ColumnConstraints = NO_CONSTRAINTS
    ) -> ColumnInfo:
        """What the kernels need to know about the columns besides Z."""
        directions: list[int] = []
        if constraints.directions:
            names = self.names(range(len(self.sources)))
            directions = [constraints.directions.get(name, 0) for name in names]
        return ColumnInfo(
            missing=self.missing,
            categories=[CategoryColumn(c.codes, c.count) for c in self.categories],
            first_logarithm=self.n_plain,
            scale=self.scale if whole else None,
            direction=directions,
            allowed=None if constraints.any_sets else self._allowed_sets(constraints),
        )

    def _allowed_sets(self, constraints: ColumnConstraints) -> AllowedSets:
        """Which columns of Z and of categories may stand together, by the user's columns."""
        names = [
            *self.names(range(len(self.sources))),
            *(self.columns[c.column] for c in self.categories),
        ]
        number = {name: k for k, name in enumerate(dict.fromkeys(names))}
        groups = [[number[n] for n in group if n in number] for group in constraints.groups]
        most = constraints.most_columns or max(1, len(number))
        return AllowedSets([number[name] for name in names], groups, most)

    def to_user_units(self, part: HalfSpace | CategorySet, whole: bool) -> AnyProposition:
        """Translate what a search found on standardised columns to the user's units."""
        if isinstance(part, CategorySet):
            return self._membership(part)
        if part.columns[0] >= self.n_plain:
            return self._product(part, whole)
        if whole:
            return self._whole_sum(part)
        return self.proposition(part.columns, part.weights, part.threshold, part.covers_missing)

    def names(self, support: Sequence[int]) -> tuple[str, ...]:
        """The names of some columns of Z."""
        return tuple(self.columns[self.sources[j]] for j in support)

    def _membership(self, found: CategorySet) -> Membership:
        j = self.categories[found.column].column
        labels = self.schema.categories[j] or ()
        categories = tuple(labels[code] for code in found.categories)
        return Membership(self.columns[j], categories, found.negated, found.covers_missing)

    def _whole_sum(self, half: HalfSpace) -> Proposition:
        """Turn a sum into one whose weights are whole numbers in the user's units."""
        weights = [
            round(a / self.scale[j]) for a, j in zip(half.weights, half.columns, strict=True)
        ]
        bound = half.threshold + self._weighted_centre(half.columns, weights)
        return Proposition(self.names(half.columns), tuple(weights), bound, half.covers_missing)

    def _product(self, half: HalfSpace, whole: bool) -> Proposition | Product:
        """Turn a weighted sum of logarithms into a product of powers."""
        columns, names = half.columns, self.names(half.columns)
        powers = [a / float(self.scale[j]) for a, j in zip(half.weights, columns, strict=True)]
        bound = half.threshold + self._weighted_centre(columns, powers)
        if len(columns) == 1:
            weight = math.copysign(1.0, powers[0])
            border = weight * math.exp(bound / powers[0])
            return Proposition(names, (weight,), border, half.covers_missing)
        unit = math.copysign(1.0, powers[0]) if whole else readable_divisor(powers)
        return Product(
            names,
            tuple(round(a / unit) if whole else a / unit for a in powers),
            math.exp(bound / unit),
            at_most=unit < 0,
            missing=half.covers_missing,
        )

    def _weighted_centre(self, support: Sequence[int], weights: Sequence[float]) -> float:
        total = 0.0
        for a, j in zip(weights, support, strict=True):
            total += a * float(self.centre[j])  # sum() rounds differently in each Python version
        return total

    def proposition(
        self,
        support: Sequence[int],
        w: Sequence[float],
        threshold: float,
        missing: bool = False,
    ) -> Proposition:
        """Translate w·z ≥ threshold on standardised columns to the user's units.

        The largest weight becomes ±1, unless the units differ so much that another one would
        vanish; then the weights are balanced around 1.
        """
        scales = [float(self.scale[j]) for j in support]
        # Tiny gradients may give tiny weights, whose inverses must stay finite, even times a scale.
        power = 1 - math.frexp(max(map(abs, w)))[1]
        w, threshold = [math.ldexp(a, power) for a in w], math.ldexp(threshold, power)
        # In logarithms, since the ratio of two scales may exceed the range of a float.
        sizes = [math.log2(abs(a)) - math.log2(s) for a, s in zip(w, scales, strict=True)]
        top, bottom = max(sizes), min(sizes)
        if top - bottom < 1000:
            largest = sizes.index(top)
            unit = scales[largest] / abs(w[largest])
            weights = [
                a * (scales[largest] / s) / abs(w[largest]) for a, s in zip(w, scales, strict=True)
            ]
        else:
            unit = 2.0 ** (-(top + bottom) / 2)
            weights = [a * (unit / s) for a, s in zip(w, scales, strict=True)]
        bound = threshold * unit
        for a, j in zip(weights, support, strict=True):
            bound += a * float(self.centre[j])
        return Proposition(self.names(support), tuple(weights), bound, missing)


@dataclass(frozen=True, slots=True)
class _Copies:
    """The rows of a table that have any weight, in canonical order, copies side by side.

    Attributes
    ----------
    order : the numbers of these rows.
    hashes : the hash of the contents of each of them.
    first : the places in the order where another row begins, or the same one in another group.
    varying : the columns that vary, in canonical order.
    """

    order: Int
    hashes: Hashes
    first: Int
    varying: Int

    @classmethod
    def find(
        cls, X: Table, y: Float, weight: Float, group: Int | None, deadline: float = math.inf
    ) -> _Copies:
        present = np.flatnonzero(weight > 0).astype(np.int64, copy=False)
        hashes, varying = _kernels.canonical_table(X, y, weight, present, seconds_until(deadline))
        require_time(deadline)
        sorting = np.argsort(hashes, kind="stable")
        hashes = hashes[sorting]
        order, differs = canonical_order(X, y, present[sorting], hashes, varying)
        found = cls(order, hashes, np.flatnonzero(differs), varying)
        return found if group is None else found._apart(weight, group)

    def _apart(self, weight: Float, group: Int) -> _Copies:
        """Sort the copies of each row by their groups, which what they hold puts in order."""
        number = np.unique(group[self.order], return_inverse=True)[1]
        content = np.repeat(np.arange(len(self.first)), np.diff(self.first, append=len(number)))
        sorting = np.lexsort((number, content))
        first = _changes(content[sorting], number[sorting])
        total = _totals(weight[self.order[sorting]], first)
        of_each = sorting[first]
        rank = hash_groups(self.hashes[of_each], total, number[of_each])[1]
        sorting = np.lexsort((rank[number], content))
        first = _changes(content[sorting], number[sorting])
        return replace(self, order=self.order[sorting], first=first)


def _changes(*keys: Int) -> Int:
    """The places where one of some keys differs from its previous value."""
    differs = np.ones(len(keys[0]), dtype=np.bool_)
    differs[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.flatnonzero(differs)


def distinct_numbers(data: TrainingData) -> Int:
    """For each row of the table, the number of its distinct row; -1 for rows of weight zero."""
    found = _Copies.find(data.X, data.y, data.weight, data.group)
    numbers = np.full(len(data.y), -1, dtype=np.intp)
    sizes = np.diff(found.first, append=len(found.order))
    numbers[found.order] = np.repeat(np.arange(len(sizes)), sizes)
    return numbers


def collect_rows(data: TrainingData, deadline: float = math.inf) -> tuple[TrainingData, Rows]:
    """Collect the distinct rows of the data, not in groups; a sample is put into their order.

    This is done in place. Conditions then read its columns from beginning to end. Where a row has
    copies, the order stays, as the user's splits may tell them apart. At the `deadline`,
    `OutOfTimeError` is raised.
    """
    rows = Rows.of(replace(data, group=None), deadline=deadline)
    if not data.sampled or len(rows) < len(data.X):
        return data, rows
    data = replace(data.reorder(rows.origin), weight=rows.weight, count=rows.count)
    return data, replace(rows, X=data.X, origin=np.arange(len(rows)), in_order=True)


def matrix_source(X: Table, schema: Schema, rows: Int | None = None) -> ColumnSource:
    """Let propositions read all or some rows of a matrix, with codes turned into labels."""

    @cache
    def take(name: str) -> Float:
        column = column_of(X, schema.names.index(name))
        return np.ascontiguousarray(column if rows is None else column.take(rows), np.float64)

    def labels(name: str) -> Labels:
        values, known = take(name), schema.categories[schema.names.index(name)]
        if known is None:
            return Labels.of(values)
        return Labels(np.where(np.isnan(values), -1, values).astype(np.intp), known)

    return ColumnSource(take, labels, len(X) if rows is None else len(rows))


def readable_divisor(powers: Sequence[float]) -> float:
    """The one of the powers to divide all by, so that the others are easiest to read.

    Small whole numbers are easy to read, roots are not. No power is chosen that would make another
    one large, so that products stay within the range of floats.

    Examples
    --------
    >>> from sorb.learning.rows import readable_divisor
    >>> readable_divisor([0.5, -1.05])
    0.5
    """

    def effort(unit: float) -> float:
        sizes = [abs(power / unit) for power in powers]
        large = [max(size, 1 / size) for size in sizes]
        roots = sum(size < 1 for size in sizes)
        return sum(abs(size - round(size)) + 0.1 * size for size in large) + 0.1 * roots

    largest = max(map(abs, powers))
    small = [power for power in powers if largest <= LARGEST_POWER * abs(power)]
    return min(small, key=effort)


def first_of_each(group: Int) -> Int:
    """For each row, the number of the first one of its group."""
    _, first, number = np.unique(group, return_index=True, return_inverse=True)
    return np.asarray(first[number])


def _sources(schema: Schema, columns: Sequence[int]) -> tuple[int, ...]:
    """The numeric ones of these columns, those weighed by their logarithms last."""
    numbers = [j for j in columns if schema.categories[j] is None]
    return tuple(sorted(numbers, key=lambda j: j in schema.logarithms))


def _missing(X: Matrix, sources: Sequence[int]) -> dict[int, Bool]:
    columns = ((a, np.isnan(X[:, j])) for a, j in enumerate(sources))
    return {a: missing for a, missing in columns if missing.any()}


def _categories(X: Matrix, schema: Schema, columns: Sequence[int]) -> list[Categories]:
    found = []
    for j in columns:
        labels, missing = schema.categories[j], np.isnan(X[:, j])
        if labels is not None:
            codes = np.where(missing, len(labels), X[:, j]).astype(np.int32)
            found.append(Categories(j, codes, len(labels)))
        elif missing.any():
            found.append(Categories(j, missing.astype(np.int32), 1))
    return found


def _missing_in_sparse(
    X: SparseTable, rows: Int, columns: Sequence[int], weight: Float
) -> tuple[dict[int, float], dict[int, Bool], list[Categories]]:
    """The means of the columns that have missing values, and which of the rows lack them."""
    means: dict[int, float] = {}
    missing: dict[int, Bool] = {}
    categories = []
    has_missing = columns_with_missing(X)
    for a, j in enumerate(columns):
        if not has_missing[j]:
            continue
        values = X.column(j)[rows]
        unknown = np.isnan(values)
        if unknown.any():
            means[j] = _mean(values[~unknown].astype(np.float64), weight[~unknown])
            missing[a] = unknown
            categories.append(Categories(j, unknown.astype(np.int32), 1))
    return means, missing, categories


def _numbers(X: Matrix, schema: Schema, sources: Sequence[int], weight: Float) -> Matrix:
    """The numeric columns or their logarithms, with the mean in place of missing values."""
    numbers = np.asfortranarray(X[:, list(sources)])
    for a, j in enumerate(sources):
        column = numbers[:, a]
        if j in schema.logarithms:
            np.log(column, out=column)
        missing = np.isnan(column)
        if missing.any():
            column[missing] = _mean(column[~missing].astype(np.float64), weight[~missing])
    return numbers


def _mean(values: Float, weight: Float) -> float:
    """The weighted mean, also of numbers at the end of the floats; a constant is its own mean."""
    exponent = math.frexp(np.abs(values).max())[1]
    scaled = np.ldexp(values, -exponent)
    mean = np.clip(np.average(scaled, weights=weight), scaled.min(), scaled.max())
    return math.ldexp(mean, exponent)


def _blocks(n: int, d: int) -> Iterator[slice]:
    """Slices of columns of about `_BLOCK` numbers each."""
    width = max(1, _BLOCK // max(n, 1))
    return (slice(start, min(start + width, d)) for start in range(0, d, width))


def canonical_order(
    X: Table, y: Float, order: Int, hashes: Hashes, columns: Int
) -> tuple[Int, Bool]:
    """Sort differing rows with the same hash, which are rare, by their contents.

    The rows are given in the order of their hashes, and the columns in the order in which to
    compare them. Also says which rows differ from the previous one.
    """
    if isinstance(X, SparseTable):
        return _kernels.canonical_rows(X, y, order, hashes, columns)
    differs = _differs_from_previous(X, y, order, hashes)
    clash = differs[1:] & (hashes[1:] == hashes[:-1])
    if not clash.any():
        return order, differs
    order = order.copy()
    places = np.flatnonzero(np.isin(hashes, hashes[1:][clash]))
    rows = order[places]
    order[places] = rows[np.lexsort([*X[rows].T[columns[::-1]], y[rows], hashes[places]])]
    return order, _differs_from_previous(X, y, order, hashes)


def _totals(weight: Float, first: Int) -> Float:
    """Add up the weights of the copies of each row, whose first one is given.

    The smallest comes first, so that the order of the table does not change how a sum is rounded.
    """
    row = np.repeat(np.arange(len(first)), np.diff(first, append=len(weight)))
    ascending = np.lexsort((weight, row)) if len(first) < len(weight) else slice(None)
    return np.asarray(np.add.reduceat(weight[ascending], first))


def _differs_from_previous(X: Matrix, y: Float, order: Int, hashes: Hashes) -> Bool:
    """Which rows of the order are not a copy of the previous one."""
    differs = np.ones(len(order), dtype=np.bool_)
    same = np.flatnonzero(hashes[1:] == hashes[:-1])
    if len(same):
        left, right = order[same], order[same + 1]
        differs[same + 1] = y[left] != y[right]
        for block in _blocks(len(same), X.shape[1]):
            one, other = X[left, block], X[right, block]
            # Two missing values are the same.
            unlike = (one != other) & ((one == one) | (other == other))
            differs[same + 1] |= unlike.any(axis=1)
    return differs
