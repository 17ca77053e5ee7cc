"""All that the settings knows of the data: distinct rows in an order of their own.

Copies of a row are one row with their total weight, rows of weight zero are none, and the order
hangs on the contents alone. So copies and weights are the same thing, and no order of the table,
nor any shift or stretch of a column, can change what is learned.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float
from sorb.rules import AnyProposition, Condition, Label, Membership, Product, Proposition
from sorb.rules.columns import ColumnSource
from sorb.tables.reading import Schema
from sorb.tables.training import TrainingData

Hashes = NDArray[np.uint64]
# Which values are missing, for some columns of Z.
Missing: TypeAlias = list[tuple[int, NDArray[np.bool_]]]
# Columns of X, the numbers of the categories that they hold, and how many there are.
Sets: TypeAlias = list[tuple[int, NDArray[np.int32], int]]
Meaning: TypeAlias = tuple[Missing, list[tuple[NDArray[np.int32], int]], int, "Float | None"]
# Columns, weights and threshold; which way missing values go; categories, and whether none of them.
HalfSpace: TypeAlias = tuple[list[int], list[float], float, bool, list[int], bool]

_BLOCK = 1 << 17  # numbers compared at once
LARGEST_POWER = 5.0


@dataclass(frozen=True, slots=True)
class Rows:
    """Distinct rows with their weights, standardised columns, and the way back to the user's units.

    Attributes
    ----------
    X : the user's table, as numbers; NaN where a value is missing.
    columns : the names of its columns.
    schema : what the columns mean.
    origin : for each distinct row, a row of X with these contents.
    Z : the distinct rows in Fortran order: the columns of numbers, standardised, those that are
        weighed by their logarithms last; constant columns are all zero, missing values too.
    sources : for each column of Z, its column in X.
    y, weight, hashes : outcome, total weight and hash of each distinct row.
    count : how many rows of the table each distinct row stands for, or what they count as.
    shift : what was taken off all outcomes, so that sums of their squares lose no digits.
    centre, scale : column j of Z is (x − centre_j) / scale_j; x is a column of X or its logarithm.
    missing : which values are missing, for those columns of Z that have any.
    sets : columns of X that hold categories, with the numbers of these. Columns of numbers with
        missing values are among them: their only category is "known".
    """

    X: NDArray[np.floating]
    columns: tuple[str, ...]
    schema: Schema
    origin: NDArray[np.int64]
    Z: NDArray[np.floating]
    sources: tuple[int, ...]
    y: Float
    weight: Float
    count: Float
    hashes: Hashes
    centre: Float
    scale: Float
    shift: float = 0.0
    missing: Missing = field(default_factory=list)
    sets: Sets = field(default_factory=list)

    @classmethod
    def from_table(
        cls,
        X: NDArray[np.floating],
        y: Float,
        weight: Float,
        columns: tuple[str, ...],
        centred: bool = False,
        schema: Schema | None = None,
        count: Float | None = None,
    ) -> Rows:
        """Gather the distinct rows of a table that has no infinite values.

        With `centred` the outcomes are counted from their mean. Columns are plain numbers, unless
        `kinds` says something else, and each row counts as one unless `count` says so.
        """
        schema = schema or Schema.of_numbers(columns)
        present = np.flatnonzero(weight > 0).astype(np.int64, copy=False)
        hashes = _kernels.hash_rows(X, y, present)
        sorting = np.argsort(hashes, kind="stable")
        order, differs = _canonical_order(X, y, present[sorting], hashes[sorting])
        hashes = hashes[sorting]
        first = np.flatnonzero(differs)
        origin = order[first]
        total = np.add.reduceat(weight[order], first)
        sources = _sources(schema)
        missing: Missing = []
        sets: Sets = []
        if schema.plain and not _has_missing(X):
            Z, centre, scale = _kernels.standardise(X, origin, total)
        else:
            values = X[origin]
            missing, sets = _missing(values, sources), _sets(values, schema)
            numbers = _numbers(values, schema, sources, total)
            everything = np.arange(len(origin), dtype=np.int64)
            Z, centre, scale = _kernels.standardise(numbers, everything, total)
        shift = float(np.average(y[origin], weights=total)) if centred else 0.0
        y = y[origin] - shift
        counts = np.ones(len(order)) if count is None else count[order]
        sums = (y, total, np.add.reduceat(counts, first), hashes[first], centre, scale, shift)
        return cls(X, columns, schema, origin, Z, sources, *sums, missing, sets)

    @classmethod
    def of(
        cls, data: TrainingData, weight: Float | None = None, count: Float | None = None
    ) -> Rows:
        """Gather the distinct rows of a training table, with their own weights or other ones."""
        return cls.from_table(
            data.X,
            data.y,
            data.weight if weight is None else weight,
            data.columns,
            centred=data.loss.name == "squared",
            schema=data.schema,
            count=data.count if count is None else count,
        )

    def __len__(self) -> int:
        return len(self.origin)

    def covered_by(self, fact: AnyProposition | Condition) -> NDArray[np.bool_]:
        """Which rows satisfy it, computed just as a prediction computes it."""
        held = fact.covers(opened(self.X, self.schema, self.origin))
        return held if held.ndim else np.full(len(self), held)  # the empty condition knows no rows

    @property
    def n_plain(self) -> int:
        """The number of columns of Z that are not logarithms."""
        return len(self.sources) - len(self.schema.logarithms)

    def meaning(self, whole: bool) -> Meaning | None:
        """What the kernels must know of the columns beyond Z; None if there is nothing."""
        if not (self.missing or self.sets or whole or self.schema.logarithms):
            return None
        categories = [(codes, count) for _, codes, count in self.sets]
        return self.missing, categories, self.n_plain, self.scale if whole else None

    def stated(self, half: HalfSpace, whole: bool) -> AnyProposition:
        """State what a search found on standardised columns in the user's units."""
        support, w, threshold, missing, named, negated = half
        if not w:
            return self._membership(support[0], named, negated, missing)
        if support[0] >= self.n_plain:
            return self._product(support, w, threshold, missing, whole)
        if whole:
            weights = [round(a / self.scale[j]) for a, j in zip(w, support, strict=True)]
            bound = threshold + sum(
                a * float(self.centre[j]) for a, j in zip(weights, support, strict=True)
            )
            return Proposition(self._names(support), tuple(weights), bound, missing)
        return self.proposition(support, w, threshold, missing)

    def _names(self, support: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.columns[self.sources[j]] for j in support)

    def _membership(
        self, place: int, named: Sequence[int], negated: bool, missing: bool
    ) -> Membership:
        j = self.sets[place][0]
        labels = self.schema.categories[j] or ()
        categories = tuple(labels[code] for code in named)
        return Membership(self.columns[j], categories, negated, missing)

    def _product(
        self,
        support: Sequence[int],
        w: Sequence[float],
        threshold: float,
        missing: bool,
        whole: bool,
    ) -> Proposition | Product:
        """State a weighted sum of logarithms as a product of powers."""
        powers = [a / float(self.scale[j]) for a, j in zip(w, support, strict=True)]
        bound = threshold + sum(
            a * float(self.centre[j]) for a, j in zip(powers, support, strict=True)
        )
        if len(support) == 1:
            weight = math.copysign(1.0, powers[0])
            border = weight * math.exp(bound / powers[0])
            return Proposition(self._names(support), (weight,), border, missing)
        unit = math.copysign(1.0, powers[0]) if whole else readable_unit(powers)
        exponents = [round(a / unit) if whole else a / unit for a in powers]
        # What multiplies comes before what divides.
        order = sorted(range(len(support)), key=lambda a: exponents[a] < 0)
        return Product(
            tuple(self._names(support)[a] for a in order),
            tuple(exponents[a] for a in order),
            math.exp(bound / unit),
            at_most=unit < 0,
            missing=missing,
        )

    def proposition(
        self,
        support: Sequence[int],
        w: Sequence[float],
        threshold: float,
        missing: bool = False,
    ) -> Proposition:
        """State w·z ≥ threshold on standardised columns in the user's units.

        The largest weight becomes ±1, unless the units differ so much that another one would
        vanish; then the weights are balanced around 1.
        """
        scales = [float(self.scale[j]) for j in support]
        # Where all gradients are tiny, so may be the weights: their inverse must stay finite.
        power = -math.frexp(max(map(abs, w)))[1]
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
        return Proposition(self._names(support), tuple(weights), bound, missing)


def opened(X: NDArray[np.floating], schema: Schema, rows: NDArray[np.int64]) -> ColumnSource:
    """Open some rows of a matrix for propositions, with the labels of categories."""

    def take(name: str) -> Float:
        return np.asarray(X[rows, schema.names.index(name)], dtype=np.float64)

    def labels(name: str) -> list[Label | None]:
        values, known = take(name), schema.categories[schema.names.index(name)]
        if known is None:
            return [None if math.isnan(value) else value for value in values.tolist()]
        codes = np.where(np.isnan(values), len(known), values).astype(np.intp)
        return np.array([*known, None], dtype=object)[codes].tolist()  # type: ignore[no-any-return]

    return ColumnSource(take, labels, len(rows))


def readable_unit(powers: Sequence[float]) -> float:
    """One of the powers by which to divide all, so that the others are easiest to read.

    Whole numbers are, and small ones; roots are not. Where some would become large, the largest
    is divided by, so that no product leaves the range of the floats.

    Examples
    --------
    >>> from sorb.learning.rows import readable_unit
    >>> readable_unit([0.5, -1.05])
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


def _has_missing(X: NDArray[np.floating]) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        # One pass for the usual case; large numbers may add up to NaN, too.
        return bool(np.isnan(X.sum()) and np.isnan(X).any())


def _sources(columns: Schema) -> tuple[int, ...]:
    """The columns of numbers, those that are weighed by their logarithms last."""
    numbers = [j for j, labels in enumerate(columns.categories) if labels is None]
    plain = [j for j in numbers if j not in columns.logarithms]
    return (*plain, *columns.logarithms)


def _missing(X: NDArray[np.floating], sources: Sequence[int]) -> Missing:
    absent = ((a, np.isnan(X[:, j])) for a, j in enumerate(sources))
    return [(a, gone) for a, gone in absent if gone.any()]


def _sets(X: NDArray[np.floating], schema: Schema) -> Sets:
    sets: Sets = []
    for j, labels in enumerate(schema.categories):
        gone = np.isnan(X[:, j])
        if labels is not None:
            codes = np.where(gone, len(labels), X[:, j]).astype(np.int32)
            sets.append((j, codes, len(labels)))
        elif gone.any():
            sets.append((j, gone.astype(np.int32), 1))
    return sets


def _numbers(
    X: NDArray[np.floating], columns: Schema, sources: Sequence[int], weight: Float
) -> NDArray[np.floating]:
    """The columns of numbers or their logarithms, with the mean in place of missing values."""
    numbers = np.asfortranarray(X[:, list(sources)])
    for a, j in enumerate(sources):
        column = numbers[:, a]
        if j in columns.logarithms:
            np.log(column, out=column)
        missing = np.isnan(column)
        if missing.all():
            column[:] = 0
        elif missing.any():
            column[missing] = np.average(column[~missing], weights=weight[~missing])
    return numbers


def _blocks(n: int, d: int) -> Iterator[slice]:
    """Slices of columns of about `_BLOCK` numbers each."""
    width = max(1, _BLOCK // max(n, 1))
    return (slice(start, min(start + width, d)) for start in range(0, d, width))


def _canonical_order(
    X: NDArray[np.floating], y: Float, order: NDArray[np.int64], hashes: Hashes
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Put rows of the same hash that differ, which is rare, in the order of their contents.

    The rows come in the order of their hashes. Also tells which of them are no copies of the one
    before.
    """
    differs = _differs_from_previous(X, y, order, hashes)
    clash = np.flatnonzero(differs[1:] & (hashes[1:] == hashes[:-1]))
    if not len(clash):
        return order, differs
    order = order.copy()
    for value in np.unique(hashes[clash]):
        start, end = (np.searchsorted(hashes, value, side) for side in ("left", "right"))
        rows = order[start:end]
        order[start:end] = rows[np.lexsort([*X[rows].T[::-1], y[rows]])]
    return order, _differs_from_previous(X, y, order, hashes)


def _differs_from_previous(
    X: NDArray[np.floating], y: Float, order: NDArray[np.int64], hashes: Hashes
) -> NDArray[np.bool_]:
    """Mark each row of the order that is not a copy of the one before it."""
    differs = np.ones(len(order), dtype=np.bool_)
    same = np.flatnonzero(hashes[1:] == hashes[:-1])
    if len(same):
        left, right = order[same], order[same + 1]
        differs[same + 1] = y[left] != y[right]
        for block in _blocks(len(same), X.shape[1]):
            one, other = X[left, block], X[right, block]
            # What is missing in both is the same.
            unlike = (one != other) & ((one == one) | (other == other))
            differs[same + 1] |= unlike.any(axis=1)
    return differs
