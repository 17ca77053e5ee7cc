"""The rows that a reader can load: all, or a sample of so many as a page has room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sorb._types import Int
from sorb.report.cells import SizeCells
from sorb.report.columns import plain_values
from sorb.report.rows import ReportRows
from sorb.rules import RuleEnsemble
from sorb.rules.labels import Labels
from sorb.rules.prediction import class_labels

__all__ = ["shown_rows"]

MOST_ROWS, LEAST_ROWS, MOST_VALUES = 5000, 100, 8_000


def shown_rows(
    ensemble: RuleEnsemble,
    columns: Sequence[tuple[str, bool]],
    training: ReportRows,
    test: ReportRows | None,
    cells: SizeCells,
) -> dict[str, Any]:
    """Give the `Rows` of the page, those of the test first.

    Parameters
    ----------
    ensemble : the model, which knows what outcomes are called.
    columns : the columns of the page, and whether they hold categories.
    training, test : the rows.
    cells : where they are in the chosen size.
    """
    room = min(MOST_ROWS, max(LEAST_ROWS, MOST_VALUES // (len(columns) + 2)))
    parts = []
    for split, rows, cell in (("test", test, cells.test), ("training", training, cells.training)):
        if rows is not None and cell is not None and room:
            kept = _sample(len(rows), room)
            room -= len(kept)
            parts.append(_part(ensemble, columns, split, rows.take(kept), cell[kept]))
    joined: dict[str, Any] = {
        name: [value for part in parts for value in part[name]]
        for name in ("number", "split", "outcome", "cell")
    }
    joined["values"] = [
        [value for part in parts for value in part["values"][j]] for j in range(len(columns))
    ]
    return joined


def _sample(n_rows: int, most: int) -> Int:
    """Some row numbers drawn at random, always the same ones."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def _part(
    ensemble: RuleEnsemble,
    columns: Sequence[tuple[str, bool]],
    split: str,
    rows: ReportRows,
    cell: Int,
) -> dict[str, Any]:
    if ensemble.loss.has_classes:
        labels = class_labels(ensemble.classes)
        # A single class is number 1 among outcomes.
        outcome = [labels[min(int(k), len(labels) - 1)] for k in rows.y.tolist()]
    else:
        outcome = [int(v) if v.is_integer() else v for v in rows.y.tolist()]
    return {
        "number": rows.numbers.tolist(),
        "split": [split] * len(rows),
        "outcome": outcome,
        "cell": cell.tolist(),
        "values": [_values(rows, name, categorical) for name, categorical in columns],
    }


def _values(rows: ReportRows, name: str, categorical: bool) -> list[Any]:
    if categorical:
        return plain_values(Labels.of(rows.source.labels(name)))
    values = rows.source.take(name).tolist()
    return [None if v != v else int(v) if v.is_integer() and abs(v) < 2**53 else v for v in values]
