"""What columns hold in the rows that a model is trained on, which it remembers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from sorb.rules import ColumnExperience, Label
from sorb.tables.row_keys import row_blocks
from sorb.tables.sparse_matrices import column_of
from sorb.tables.training import TrainingData

__all__ = ["column_experience", "experience_of_categories", "experience_of_numbers"]

# Categories that take more characters are not remembered, so that model files stay small.
_MOST_CHARACTERS = 100_000
_BESIDE_A_LABEL = 10  # quotation marks, comma and indent


def column_experience(data: TrainingData, names: Collection[str]) -> dict[str, ColumnExperience]:
    """What some columns of a table in memory hold, in the rows that have any weight."""
    present = data.weight > 0
    place = {name: j for j, name in enumerate(data.columns)}
    columns = {name: column_of(data.X, place[name]) for name in names}
    low, high = dict.fromkeys(names, math.inf), dict.fromkeys(names, -math.inf)
    missing = dict.fromkeys(names, False)
    for rows in row_blocks(len(present)):
        for name, column in columns.items():
            values = column[rows][present[rows]]
            low[name] = min(low[name], float(np.fmin.reduce(values, initial=math.inf)))
            high[name] = max(high[name], float(np.fmax.reduce(values, initial=-math.inf)))
            missing[name] = missing[name] or bool(np.isnan(values).any())
    labels = data.schema.labels
    return {
        name: experience_of_categories(missing[name], labels[name])
        if name in labels
        else experience_of_numbers(missing[name], low[name], high[name])
        for name in names
    }


def experience_of_numbers(missing: bool, low: float, high: float) -> ColumnExperience:
    """What a column of numbers held; the ends are no range if it never held any.

    Examples
    --------
    >>> experience_of_numbers(True, math.nan, math.nan)
    ColumnExperience(missing=True, range=None, categories=None)
    """
    return ColumnExperience(missing, (low, high) if low <= high else None)


def experience_of_categories(missing: bool, labels: Sequence[Label]) -> ColumnExperience:
    """What a column of categories held, if it is short enough to be kept in a model file."""
    size = sum(len(str(label)) + _BESIDE_A_LABEL for label in labels)
    kept = tuple(sorted(labels, key=_order)) if size <= _MOST_CHARACTERS else None
    return ColumnExperience(missing, categories=kept)


def _order(label: Label) -> tuple[bool, Label]:
    return isinstance(label, str), label
