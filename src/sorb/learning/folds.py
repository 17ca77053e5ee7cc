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


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One division of the table into training and validation rows.

    Attributes
    ----------
    training, count : for each row of the table, its weight in training, and the number of rows that
        it counts as there.
    validation, validation_weight : the numbers of the validation rows, and their weights.
    """

    training: Float
    count: Float
    validation: Int
    validation_weight: Float

    @classmethod
    def of(cls, data: TrainingData, training: Float, count: Float, validation: Float) -> Fold:
        """Put the validation rows in canonical order, so that the table's order changes no sum."""
        rows = Rows.of(data, validation)
        return cls(training, count, rows.origin, rows.weight)


def random_folds(data: TrainingData, n_folds: int, seed: int) -> list[Fold]:
    """Assign the rows to folds, copies of a row to the same one unless the table is coarse there.

    There are no more folds than rows, and none if there is only one row.
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

    folds = [
        Fold.of(
            data,
            to_table(rows.weight * (1 - share)),
            to_table(np.rint(rows.count * (1 - share))),
            to_table(rows.weight * share),
        )
        for share in shares
    ]
    _require_learnable(data, folds)
    return folds


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


def folds_from_splits(data: TrainingData, splits: Iterable[tuple[Any, Any]]) -> list[Fold]:
    """Make folds of the user's pairs of training and validation rows."""
    everything = np.arange(len(data.X))

    def times(chosen: Any) -> Int:
        # Indexing also accepts masks and negative numbers.
        return np.bincount(everything[chosen], minlength=len(everything))

    folds = []
    for k, (training, validation) in enumerate(splits):
        weights = [data.weight * times(chosen) for chosen in (training, validation)]
        for part, weight in zip(("training", "validation"), weights, strict=True):
            if not weight.any():
                raise ValueError(f"cv: the {part} rows of split {k} have no weight")
        once = np.ones_like(data.weight) if data.count is None else data.count
        folds.append(Fold.of(data, weights[0], once * times(training), weights[1]))
    if not folds:
        raise ValueError("cv: there are no splits")
    _require_learnable(data, folds)
    return folds


def _require_learnable(data: TrainingData, folds: Iterable[Fold]) -> None:
    for k, fold in enumerate(folds):
        data.loss.check_training(data.y, fold.training, f" in the training rows of split {k} of cv")
