"""The division of rows into training rows and test rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from sorb.cli.fitted_model import new_estimator
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.task import Task
from sorb.learning.held_out import divide, hold_out
from sorb.tables.training import TrainingData

__all__ = ["fold_rows", "split_rows"]


def split_rows(
    rows: LabelledRows,
    task: Task,
    columns: Sequence[str],
    parameters: dict[str, Any],
    share: float,
) -> tuple[LabelledRows, LabelledRows | None]:
    """Draw the training rows and the test rows, as the parameters of an estimator see them.

    What belongs together is on the same side. A row with a weight that means several observations
    may be on both, with a part of its weight each.
    """
    everything = rows.part(rows.weight, columns)
    if not share:
        return everything, None
    data, together = _read(everything, task, parameters)
    assert data.count is not None  # each row stands for some copies
    test = hold_out(data, share, parameters.get("random_state", 0), together)
    training_weight, test_weight = (
        rows.weight * copies / data.count for copies in (data.count - test, test)
    )
    if not test.any():
        return everything, None
    return rows.part(training_weight, columns), rows.part(test_weight, columns)


def fold_rows(
    rows: LabelledRows,
    task: Task,
    columns: Sequence[str],
    parameters: dict[str, Any],
    n_folds: int,
) -> list[tuple[LabelledRows, LabelledRows]]:
    """Divide the rows into folds: each holds the test rows once, the others the training rows.

    What belongs together is in the same fold.
    """
    data, together = _read(rows.part(rows.weight, columns), task, parameters)
    # Over an exposure, the weights are multiplied by it.
    unit = data.weight_unit / (1.0 if rows.exposure is None else rows.exposure)
    found = []
    for fold in divide(data, n_folds, parameters.get("random_state", 0), together):
        test = np.zeros(len(rows.y))
        test[fold.validation] = fold.validation_weight
        found.append((rows.part(fold.training * unit, columns), rows.part(test * unit, columns)))
    if len(found) < n_folds or any(
        {*part.y} != {*rows.y} for part, _ in found if data.classes is not None
    ):
        raise ValueError(
            f"--cv {n_folds} leaves folds without a class, as there are too few rows of it"
        )
    return found


def _read(rows: LabelledRows, task: Task, parameters: dict[str, Any]) -> tuple[TrainingData, bool]:
    """Read rows as an estimator does, and say whether near-copies stay together."""
    given = {} if rows.exposure is None else {"exposure": rows.exposure}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the fit warns of, too
        table = new_estimator(task, parameters)._table(
            rows.table, np.array(rows.y), rows.weight, rows.group, **given
        )
    return table.data, parameters.get("near_duplicates") != "apart"
