"""Which rows train and which validate in each fit of a cross-validation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float, Int
from sorb.learning.bags import observation_counts
from sorb.learning.deadline import seconds_until
from sorb.learning.group_hashes import spread_hashes
from sorb.learning.rows import Rows
from sorb.tables.training import TrainingData

PARTS = ("training", "validation")
# What validates is divided into so many blocks, whose losses tell how much risks vary.
N_BLOCKS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One division of the table into training and validation rows.

    Attributes
    ----------
    training, count : for each row of the table, its weight in training, and the number of rows that
        it counts as there.
    validation, validation_weight : the numbers of the validation rows, and their weights.
    observed : for each observation that validates, the place of its row among those rows.
    block : for each of these observations, its block. One that validates in several folds is always
        in the same block, and so are those of a group: they are not independent.
    repeat : how often the rows had been divided into folds before.
    """

    training: Float
    count: Float
    validation: Int
    validation_weight: Float
    observed: Int
    block: Int
    repeat: int = 0


def random_folds(
    data: TrainingData,
    n_folds: int,
    seed: int,
    n_repeats: int = 1,
    rows: Rows | None = None,
    most: int | None = None,
    deadline: float = math.inf,
) -> list[Fold]:
    """Assign the rows to folds, copies of a row to the same one unless the table is coarse there.

    Rows of the same group are assigned to the same one. With `n_repeats`, this is done as many
    times, independently. There are no more folds than observations, and none if there is only one.
    Distinct `rows` of the data that are known already need not be collected again. No more than
    `most` folds are given, the first ones; after the `deadline` no further one is made.
    """
    rows = Rows.of(data) if rows is None else rows
    folds = []
    for fold in islice(_divide(data, rows, n_folds, seed, n_repeats), most):
        folds.append(fold)
        if not seconds_until(deadline):
            break
    return folds


def _divide(
    data: TrainingData, rows: Rows, n_folds: int, seed: int, n_repeats: int
) -> Iterator[Fold]:
    hashes = _kernels.scramble(rows.draw_hashes, seed)
    for repeat in range(n_repeats):
        shares = _learnable_shares(data, rows, n_folds, hashes)
        if len(shares) > 1:
            yield from _folds_of_shares(len(data.X), rows, shares, repeat)
        hashes = _kernels.scramble(hashes, seed)


def _learnable_shares(
    data: TrainingData, rows: Rows, n_folds: int, hashes: NDArray[np.uint64]
) -> list[Float]:
    """Divide the rows so that the training rows of each fold have what training needs."""
    needed = data.loss.can_learn_from(rows.y)
    strata = None if data.classes is None else rows.y
    shares = validation_shares(rows, n_folds, hashes, strata)
    if not all(needed[share < 1].any() for share in shares):
        # Chance has put all rows that training needs into one fold.
        shares = validation_shares(rows, n_folds, hashes, needed)
    return shares


def _folds_of_shares(
    n_rows: int, rows: Rows, shares: Sequence[Float], repeat: int
) -> Iterator[Fold]:
    observations = observation_counts(rows)
    # Rows are in the order of their hashes, so each block is a random sample of the observations.
    first = np.cumsum(observations) - observations
    if rows.group is not None:  # numbered in the order of their first rows
        first = np.unique(rows.group, return_inverse=True)[1].astype(np.float64)

    def to_table(values: Float) -> Float:
        of_table = np.zeros(n_rows)
        of_table[rows.origin] = values
        return of_table

    for share in shares:
        chosen = share > 0
        number = np.rint(observations * share)[chosen].astype(np.intp)
        observed = np.repeat(np.arange(len(number)), number)
        place = np.arange(len(observed)) - np.repeat(np.cumsum(number) - number, number)
        yield Fold(
            to_table(rows.weight * (1 - share)),
            to_table(np.rint(rows.count * (1 - share))),
            rows.origin[chosen],
            (rows.weight * share)[chosen],
            observed,
            (first[chosen][observed].astype(np.intp) + place) % N_BLOCKS,
            repeat,
        )
        first = first + np.rint(observations * share)


def validation_shares(
    rows: Rows, n_folds: int, hashes: NDArray[np.uint64], strata: NDArray[Any] | None
) -> list[Float]:
    """Divide the rows into folds: for each, the share of each row that validates.

    The hashes say which row goes where. Folds have the same number of observations, and those of
    each stratum are divided equally, too; with groups, this is true of their numbers. A row goes to
    one fold, along with the rest of its group. One that stands for several observations is divided:
    each of them goes where chance puts it. There are no more folds than observations.
    """
    if rows.group is not None:
        return _shares_of_groups(rows.group, n_folds, hashes, strata)
    row, spread = spread_observations(rows, hashes)
    order = np.argsort(spread, kind="stable")
    if strata is not None:
        order = order[np.argsort(strata[row[order]], kind="stable")]
    n_folds, observations = min(n_folds, len(row)), np.bincount(row)
    counts = (np.bincount(row[order[k::n_folds]], minlength=len(rows)) for k in range(n_folds))
    return [count / observations for count in counts]


def spread_observations(rows: Rows, hashes: NDArray[np.uint64]) -> tuple[Int, NDArray[np.uint64]]:
    """The row of each observation, and a hash of its own.

    If the observations of a row were dealt out in turn, all folds would look alike, and noise would
    validate well.
    """
    observations = observation_counts(rows)
    row = np.repeat(np.arange(len(rows)), observations.astype(np.intp))
    copy = np.arange(len(row)) - (np.cumsum(observations) - observations)[row].astype(np.intp)
    return row, spread_hashes(hashes[row], copy)


def _shares_of_groups(
    group: Int, n_folds: int, hashes: NDArray[np.uint64], strata: NDArray[Any] | None
) -> list[Float]:
    """Divide whole groups of rows, so that folds have about equal numbers of them."""
    firsts = np.unique(group)
    order = firsts[np.argsort(hashes[firsts], kind="stable")]
    if strata is not None:
        order = order[np.argsort(rarest_strata(group, strata)[order], kind="stable")]
    n_folds = min(n_folds, len(order))
    fold = np.zeros(len(group), dtype=np.intp)
    fold[order] = np.arange(len(order)) % n_folds
    return [(fold[group] == k).astype(np.float64) for k in range(n_folds)]


def rarest_strata(group: Int, strata: NDArray[Any]) -> Int:
    """For the first row of each group, the rarest of the strata of its rows, as a number."""
    _, stratum, size = np.unique(strata, return_inverse=True, return_counts=True)
    by_rarity = np.argsort(np.argsort(-size, kind="stable"))[stratum]
    rarest = np.zeros(len(group), dtype=np.intp)
    np.maximum.at(rarest, group, by_rarity)
    return rarest


def folds_from_splits(
    data: TrainingData, splits: Iterable[Any], n_rows: int | None = None
) -> list[Fold]:
    """Make folds of the user's pairs of training and validation rows.

    Rows of the same group are not independent of each other; without groups, all rows are. If the
    data are a sample of a table, `n_rows` is the number of rows there, which the splits are about.
    """
    n_rows = len(data.X) if n_rows is None else n_rows
    once = np.ones_like(data.weight) if data.count is None else data.count
    here = np.arange(n_rows) if data.origin is None else data.origin
    block = (here if data.group is None else _ranks_of_groups(data, data.group)) % N_BLOCKS
    folds = []
    for k, split in enumerate(splits):
        counts = [_times(rows, part, k, n_rows)[here] for part, rows in _parts(split, k)]
        weights = [data.weight * count for count in counts]
        for part, weight in zip(PARTS, weights, strict=True):
            if not weight.any():
                raise ValueError(f"cv: the {part} rows of split {k} have no weight")
        training, validation = zip(weights, [once * count for count in counts], strict=True)
        # In canonical order, so that the table's order changes no sum.
        rows = Rows.of(data, *validation)
        observed = np.repeat(np.arange(len(rows)), observation_counts(rows).astype(np.intp))
        of_observed = block[rows.origin][observed]
        folds.append(Fold(*training, rows.origin, rows.weight, observed, of_observed))
    if not folds:
        raise ValueError("cv: there are no splits")
    require_learnable(data, folds)
    return folds


def _ranks_of_groups(data: TrainingData, group: Int) -> Int:
    """The place of the group of each row of the table, in the canonical order of the groups."""
    rows = Rows.of(data)
    assert rows.group is not None
    rank = np.zeros(int(group.max()) + 1, dtype=np.intp)
    rank[group[rows.origin]] = np.unique(rows.group, return_inverse=True)[1]
    return rank[group]


def _parts(split: Any, k: int) -> list[tuple[str, Any]]:
    if isinstance(split, (str, bytes)) or not hasattr(split, "__len__") or len(split) != 2:
        raise ValueError(
            f"cv: split {k} must be a pair of training and validation rows, found {split!r}"
        )
    return list(zip(PARTS, split, strict=True))


def _times(chosen: Any, part: str, k: int, n_rows: int) -> Int:
    """Count how often each row of the table is chosen, by its number, by a mask or by a slice."""
    try:
        # Negative numbers count from the end, as everywhere in Python.
        rows = np.arange(n_rows)[list(chosen) if isinstance(chosen, tuple) else chosen]
    except (IndexError, ValueError, TypeError):
        rows = None
    if rows is None or rows.ndim != 1:
        raise ValueError(
            f"cv: the {part} rows of split {k} must be a list of row numbers from 0 to "
            f"{n_rows - 1}, or of {n_rows} booleans, found {_no_row(chosen, n_rows)}"
        )
    return np.bincount(rows, minlength=n_rows)


def _no_row(chosen: Any, n_rows: int) -> str:
    """Give the first entry that is no row number, or the shape if there is none."""
    entries = np.array(chosen, dtype=object)
    wrong = (v for v in entries.flat if not _is_row(v, n_rows))
    first = next(wrong, None)
    return f"the shape {entries.shape}" if first is None else repr(first)


def _is_row(value: Any, n_rows: int) -> bool:
    return isinstance(value, (int, np.integer)) and bool(-n_rows <= value < n_rows)


def learnable(data: TrainingData, fold: Fold) -> bool:
    """Whether the loss can learn from the training rows of a fold."""
    return bool(data.loss.can_learn_from(data.y)[fold.training > 0].any())


def require_learnable(data: TrainingData, folds: Iterable[Fold]) -> None:
    """Raise a `ValueError` if the loss cannot learn from the training rows of a fold."""
    for k, fold in enumerate(folds):
        data.loss.check_training(data.y, fold.training, f" in the training rows of split {k} of cv")
