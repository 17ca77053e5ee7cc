"""The groups of rows that belong together, such as the visits of a patient, by any labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sorb._types import Int
from sorb.rules.numbers import is_missing
from sorb.tables.row_values import row_values

__all__ = ["number_groups"]


def number_groups(
    groups: Any, n_rows: int, what: str = "groups", rows: Sequence[int] | None = None
) -> Int:
    """Number the groups, given the label of the group of each row.

    Parameters
    ----------
    groups : the label of each row, of any kind.
    n_rows : the number of rows.
    what : what to call the labels in messages.
    rows : the row numbers to use in messages; 0, 1, … if not given.

    Examples
    --------
    >>> from sorb.tables.row_groups import number_groups
    >>> number_groups(["Ada", "Bo", "Ada"], 3)
    array([0, 1, 0])
    >>> number_groups(["Ada", None, "Ada"], 3)
    Traceback (most recent call last):
    ...
    ValueError: groups is missing in row 1 (1 in all): expected the label of a group in each row, so
    drop these rows, or give each of them a label of its own
    """
    labels = row_values(groups, n_rows, what, "label")
    of_objects = labels.dtype.kind == "O"
    marks = [is_missing(value) for value in labels] if of_objects else labels != labels
    missing = np.flatnonzero(marks)
    if len(missing):
        row = missing[0] if rows is None else rows[missing[0]]
        raise ValueError(
            f"{what} is missing in row {row} ({len(missing)} in all): expected the label of a "
            "group in each row, so drop these rows, or give each of them a label of its own"
        )
    if not of_objects:
        return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)
    values = labels.tolist()
    try:
        numbers = {value: k for k, value in enumerate(dict.fromkeys(values))}
    except TypeError:
        raise ValueError(f"{what} must hold labels such as numbers or texts") from None
    return np.array([numbers[value] for value in values], dtype=np.intp)
