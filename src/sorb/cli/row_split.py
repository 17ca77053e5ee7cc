"""The division of rows into training rows and test rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from sorb.cli.fitted_model import new_estimator
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.task import Task
from sorb.learning.held_out import hold_out

__all__ = ["split_rows"]


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
    given = {} if rows.exposure is None else {"exposure": rows.exposure}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the fit warns of, too
        table = new_estimator(task, parameters)._table(
            everything.table, np.array(rows.y), rows.weight, rows.group, **given
        )
    data, together = table.data, parameters.get("near_duplicates") != "apart"
    test = hold_out(data, share, parameters.get("random_state", 0), together)
    training_weight, test_weight = (
        rows.weight * copies / data.count for copies in (data.count - test, test)
    )
    if not test.any():
        return everything, None
    return rows.part(training_weight, columns), rows.part(test_weight, columns)
