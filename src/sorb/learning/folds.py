"""Which rows train and which validate in each fit of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float, Int
from sorb.learning.bags import observation_counts
from sorb.learning.rows import Rows
from sorb.tables.training import TrainingData

PARTS = ("training", "validation")
# Rows that may validate in several splits are divided into so many blocks.
SHARED_BLOCKS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One division of the table into training and validation rows.

    Attributes
    ----------
    training, count : for each row of the table, its weight in training, and the number of rows that
        it counts as there.
    validation, validation_weight : the numbers of the validation rows, and their weights.
    observations : how many observations each validation row stands for.
    block : the block of each validation row, if the blocks are those of all folds. What validates
        several times, or with others of its group, then counts as one when errors are estimated.
    """

    training: Float
    count: Float
    validation: Int
    validation_weight: Float
    observations: Float
    block: Int | None = None

    @classmethod
    def of(
        cls,
        data: TrainingData,
        training: Float,
        count: Float,
        validation: Float,
        validation_count: Float,
        block: Int | None = None,
    ) -> Fold:
        """Put the validation rows in canonical order, so that the table's order changes no sum.

        `block` is that of each row of the table.
        """
        rows = Rows.of(data, validation, validation_count)
        of_rows = None if block is None else block[rows.origin]
        return cls(training, count, rows.origin, rows.weight, observation_counts(rows), of_rows)


def random_folds(data: TrainingData, n_folds: int, seed: int) -> list[Fold]:
    """Assign the rows to folds, copies of a row to the same one unless the table is coarse there.

    There are no more folds than observations, and none if there is only one.
    """
    rows = Rows.of(data)
    needed = data.loss.can_learn_from(rows.y)
    strata = None if data.classes is None else rows.y
    shares = validation_shares(rows, n_folds, seed, strata)
    if len(shares) < 2:
        return []
    if not all(needed[share < 1].any() for share in shares):
        # Chance has put all rows that training needs into one fold.
        shares = validation_shares(rows, n_folds, seed, needed)

    def to_table(values: Float) -> Float:
        of_table = np.zeros(len(data.X))
        of_table[rows.origin] = values
        return of_table

    return [
        Fold.of(
            data,
            to_table(rows.weight * (1 - share)),
            to_table(np.rint(rows.count * (1 - share))),
            to_table(rows.weight * share),
            to_table(np.rint(rows.count * share)),
        )
        for share in shares
    ]


def validation_shares(
    rows: Rows, n_folds: int, seed: int, strata: NDArray[Any] | None
) -> list[Float]:
    """Divide the rows into folds of equal size: for each, the share of each row that validates.

    The rows of each stratum are divided equally, too. A row goes to one fold, unless it stands for
    several observations: these go to one fold after the other. There are no more folds than
    observations.
    """
    observations = observation_counts(rows)
    order = np.argsort(_kernels.scramble(rows.hashes, seed), kind="stable")
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    repeated = np.repeat(order, observations[order].astype(np.intp))
    n_folds = min(n_folds, len(repeated))
    counts = (np.bincount(repeated[k::n_folds], minlength=len(rows)) for k in range(n_folds))
    return [count / observations for count in counts]


def folds_from_splits(data: TrainingData, splits: Iterable[Any], groups: Any = None) -> list[Fold]:
    """Make folds of the user's pairs of training and validation rows.

    Rows of the same group are not independent of each other; without groups, all rows are.
    """
    once = np.ones_like(data.weight) if data.count is None else data.count
    _, group = np.unique(np.arange(len(data.X)) if groups is None else groups, return_inverse=True)
    block = group % SHARED_BLOCKS
    folds = []
    for k, split in enumerate(splits):
        counts = [_times(rows, part, k, len(data.X)) for part, rows in _parts(split, k)]
        weights = [data.weight * count for count in counts]
        for part, weight in zip(PARTS, weights, strict=True):
            if not weight.any():
                raise ValueError(f"cv: the {part} rows of split {k} have no weight")
        in_training, in_validation = zip(weights, [once * count for count in counts], strict=True)
        folds.append(Fold.of(data, *in_training, *in_validation, block))
    if not folds:
        raise ValueError("cv: there are no splits")
    require_learnable(data, folds)
    return folds


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
