"""Sums over the rows that agree on all propositions of a model: all that votes are fitted to.

Rows that pass the same cuts of all propositions are one cell. They are alike to every model that
has these propositions with thresholds among the cuts, so the sums of their weights and outcomes
are as good as the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float, Int
from sorb.losses import Loss
from sorb.report.cuts import MOST_CUTS, UNKNOWN, CutProposition
from sorb.report.rows import ReportRows
from sorb.rules import AnyProposition, RuleEnsemble

__all__ = [
    "Budget",
    "SizeCells",
    "covered_cells",
    "distinct_propositions",
    "row_sums",
    "size_cells",
    "truth_in_cells",
]

LEVEL_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# How many cuts a proposition may have, tried in this order until the cells are few enough.
_FEWER_CUTS = (MOST_CUTS, 14, 10, 7, 5, 4, 3, 2, 1)
# Up to this share of the rows may be moved to other cells because theirs have too few rows.
_MOST_SMALL = 0.02
_DIGITS = 13  # of a sum, counted from the largest one: rounding loses more
_FEW_DECIMALS = 4  # of outcomes


@dataclass(frozen=True, slots=True)
class Budget:
    """How many sums a page has room for: one for each cell and fold, and those of subgroups.

    No sum is over fewer rows than `least`.
    """

    entries: int
    cuts: int
    subgroup_entries: int
    least: int = 1

    def halved(self) -> Budget:
        """Half as many sums, where they are no short whole numbers."""
        return replace(self, entries=self.entries // 2, subgroup_entries=self.subgroup_entries // 2)


@dataclass(frozen=True, slots=True, eq=False)
class SizeCells:
    """The cells of a model.

    Attributes
    ----------
    propositions : with the cuts on offer.
    levels : of each proposition (second axis) in each cell (first axis).
    training, test : the cell of each row.
    n_folds : the number of folds; 1 if there are none.
    shift : what outcomes are counted from.
    """

    propositions: tuple[CutProposition, ...]
    levels: NDArray[np.uint8]
    training: Int
    test: Int | None
    n_folds: int
    shift: float

    @property
    def signs(self) -> list[str]:
        """For each proposition, a text with one character for each cell."""
        table = np.array([*LEVEL_SIGNS, "?"])
        place = np.where(self.levels == UNKNOWN, len(LEVEL_SIGNS), self.levels)
        return ["".join(table[column].tolist()) for column in place.T]


def distinct_propositions(ensemble: RuleEnsemble) -> tuple[AnyProposition, ...]:
    """The propositions of a model, each once, in the order of first use."""
    return tuple(dict.fromkeys(p for rule in ensemble for p in rule.condition.propositions))


def size_cells(
    ensemble: RuleEnsemble,
    training: ReportRows,
    test: ReportRows | None,
    fold: Int,
    budget: Budget,
) -> SizeCells:
    """Find the cells of a model, with as many cuts and folds as the budget allows."""
    propositions = [
        CutProposition.of(p, _quantity(p, training), budget.cuts)
        for p in distinct_propositions(ensemble)
    ]
    parts = [training] if test is None else [training, test]
    levels = np.empty((sum(map(len, parts)), len(propositions)), dtype=np.uint8, order="F")
    for j, proposition in enumerate(propositions):
        levels[:, j] = np.concatenate([proposition.levels(part.source) for part in parts])
    cell, first = _number(levels)
    cells = levels[first]
    found = _fitting(ensemble, propositions, cells, cell[: len(training)], fold, budget)
    cell = found.merged[cell]
    of_parts = [
        _merge_small(found.cells, part, budget.least)
        for part in np.split(cell, [len(training)])[: len(parts)]
    ]
    # Nothing tells that a combination occurs that too few rows have.
    used, cell = np.unique(np.concatenate(of_parts), return_inverse=True)
    n_rows = np.bincount(cell[: len(training)], minlength=len(used))
    told = _told(found.propositions, found.cells[used], n_rows)
    cell = told.merged[cell]
    return SizeCells(
        told.propositions,
        told.cells,
        cell[: len(training)],
        None if test is None else cell[len(training) :],
        int(fold.max(initial=0)) + 1 if found.folds else 1,
        _shift(training),
    )


def _quantity(proposition: AnyProposition, rows: ReportRows) -> Float:
    quantity = getattr(proposition, "quantity", None)
    return np.empty(0) if quantity is None else quantity(rows.source)


@dataclass(frozen=True, slots=True, eq=False)
class _Merged:
    """Fewer propositions' cuts, the levels of the cells that are left, and where each cell went."""

    propositions: tuple[CutProposition, ...]
    cells: NDArray[np.uint8]
    merged: Int
    folds: bool


def _fitting(
    ensemble: RuleEnsemble,
    propositions: Sequence[CutProposition],
    cells: NDArray[np.uint8],
    training: Int,
    fold: Int,
    budget: Budget,
) -> _Merged:
    """Merge cells until there are few enough: first fewer cuts, then fewer folds.

    The last resort are cells of rows that the same rules cover, whatever the propositions say. A
    model without thresholds to move is fitted as exactly as ever.
    """
    n_folds = int(fold.max(initial=0)) + 1
    pairs = np.unique(training * n_folds + fold)
    for most in _FEWER_CUTS:
        if most > budget.cuts:
            continue
        kept = [proposition.kept(most) for proposition in propositions]
        lookups = [levels for _, levels in kept]
        fewer = _coarse(cells, lookups)
        merged, first = _number(fewer)
        entries = len(np.unique(merged[pairs // n_folds] * n_folds + pairs % n_folds))
        found = _Merged(tuple(p for p, _ in kept), fewer[first], merged, True)
        if entries <= budget.entries and _small(merged[training], budget.least) <= _MOST_SMALL:
            return found
    by_rules, first = _number(
        covered_cells(ensemble, found.propositions, found.cells).astype(np.uint8)
    )
    merged = by_rules[found.merged]
    entries = len(np.unique(merged[pairs // n_folds] * n_folds + pairs % n_folds))
    folds = entries <= budget.entries
    return _Merged(found.propositions, found.cells[first], merged, folds)


def _told(propositions: Sequence[CutProposition], cells: NDArray[np.uint8], n_rows: Int) -> _Merged:
    """Leave out cuts that all rows pass, or none, since some were moved: no vote fits to these."""
    kept = [p.told(levels, n_rows) for p, levels in zip(propositions, cells.T, strict=True)]
    fewer = _coarse(cells, [lookup for _, lookup in kept])
    merged, first = _number(fewer)
    return _Merged(tuple(p for p, _ in kept), fewer[first], merged, True)


def _small(cell: Int, least: int) -> float:
    """The share of the rows that are in cells with fewer rows than `least`."""
    counts = np.bincount(cell)
    return float(counts[counts < least].sum()) / len(cell)


def _merge_small(levels: NDArray[np.uint8], cell: Int, least: int) -> Int:
    """Move the rows of cells with too few rows to the cell whose levels differ least.

    Without a cell that has enough rows, all are moved to the largest one.
    """
    counts = np.bincount(cell, minlength=len(levels))
    small = np.flatnonzero((counts > 0) & (counts < least))
    large = np.flatnonzero(counts >= least)
    if not len(small):
        return cell
    if not len(large):
        large = np.array([counts.argmax()])
    moved = np.arange(len(levels))
    for k in small.tolist():
        moved[k] = large[(levels[large] != levels[k]).sum(axis=1).argmin()]
    return moved[cell]


def _coarse(cells: NDArray[np.uint8], lookups: Sequence[Int]) -> NDArray[np.uint8]:
    fewer = np.empty_like(cells, order="F")
    for j, lookup in enumerate(lookups):
        table = np.full(UNKNOWN + 1, UNKNOWN, dtype=np.uint8)
        table[: len(lookup)] = lookup
        fewer[:, j] = table[cells[:, j]]
    return fewer


def covered_cells(
    ensemble: RuleEnsemble, propositions: Sequence[CutProposition], levels: NDArray[np.uint8]
) -> Bool:
    """Which rules (second axis) cover which cells."""
    truths = {
        cut.proposition: truth_in_cells(cut, levels[:, j]) for j, cut in enumerate(propositions)
    }
    covered = np.ones((len(levels), len(ensemble)), dtype=np.bool_)
    for k, rule in enumerate(ensemble):
        for proposition in rule.condition.propositions:
            covered[:, k] &= truths[proposition]
    return covered


def truth_in_cells(cut: CutProposition, levels: NDArray[np.uint8]) -> Bool:
    """Where a proposition is true, by its levels."""
    return np.where(levels == UNKNOWN, cut.proposition.missing, levels > cut.own)


def _number(levels: NDArray[np.uint8]) -> tuple[Int, Int]:
    """Number the different rows of a table; also give the first row of each."""
    n_rows, n_columns = levels.shape
    if not n_columns:
        return np.zeros(n_rows, dtype=np.intp), np.zeros(1, dtype=np.intp)
    for seed in count():
        # Sorting one hash of a row is faster than sorting its columns.
        words = np.random.default_rng(seed).integers(
            2**64, size=(n_columns, UNKNOWN + 1), dtype=np.uint64
        )
        key = np.zeros(n_rows, dtype=np.uint64)
        for column, word in zip(levels.T, words, strict=True):
            key ^= word[column]
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        if all((column[first][number] == column).all() for column in levels.T):
            break  # no two different rows have the same hash
    return number.astype(np.intp), first


def _shift(rows: ReportRows) -> float:
    """A short number near the mean, from which outcomes are counted so that squares lose no digits.

    It has no more decimals than the outcomes, if they have few, so that sums of them have no more.
    """
    if not rows.outcomes.loss.centred:
        return 0.0
    mean = float(f"{np.average(rows.y, weights=rows.weight):.4g}")
    for decimals in range(_FEW_DECIMALS + 1):
        if (rows.y.round(decimals) == rows.y).all():
            return round(mean, decimals)
    return mean


def row_sums(
    rows: ReportRows, cell: Int, shift: float, n_classes: int, fold: Int | None = None
) -> dict[str, Any]:
    """Sum up rows by cell, and by fold if there are folds: `Sums` of the page."""
    n_folds = 1 if fold is None else int(fold.max(initial=0)) + 1
    key, place = np.unique(cell if fold is None else cell * n_folds + fold, return_inverse=True)
    sums: dict[str, Any] = {"cell": (key // n_folds).tolist()}
    if fold is not None:
        sums["fold"] = (key % n_folds).tolist()
    size = len(key)
    sums["n"] = np.bincount(place, minlength=size).tolist()
    if not (rows.weight == 1).all():
        sums["w"] = plain_numbers(np.bincount(place, rows.weight, size))
    return sums | _outcome_sums(rows, place, size, shift, n_classes)


def _outcome_sums(
    rows: ReportRows, place: Int, size: int, shift: float, n_classes: int
) -> dict[str, Any]:
    loss: Loss = rows.outcomes.loss
    if loss.score_per_class:
        return {
            "by_class": [
                plain_numbers(np.bincount(place, rows.weight * (rows.y == k), size))
                for k in range(n_classes)
            ]
        }
    y = rows.y - shift
    sums: dict[str, Any] = {"wy": plain_numbers(np.bincount(place, rows.weight * y, size))}
    if not loss.has_classes:
        sums["constant"] = math.fsum((rows.weight * loss.constant(y)).tolist())
    return sums


def plain_numbers(values: NDArray[Any], digits: int = _DIGITS) -> list[float | int]:
    """Sums as short numbers: what rounding had left of digits is dropped.

    Examples
    --------
    >>> plain_numbers(np.array([0.1 + 0.2, 4.0, -0.0]))
    [0.3, 4, 0]
    """
    values = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(values).max(initial=0.0))
    if largest:
        decimals = digits - math.ceil(math.log10(largest))
        values = np.round(values, decimals) if abs(decimals) < 300 else values
    return [int(v) if v.is_integer() and abs(v) < 2**53 else v for v in values.tolist()]
