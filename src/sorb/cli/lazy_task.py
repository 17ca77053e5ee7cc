"""The task of a lazy frame, detected from its target without reading it."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from sorb.cli.asked_table import AskedTable
from sorb.cli.task import DetectedTask, Task, detect_task, regression
from sorb.tables.engine import collect
from sorb.tables.expressions import Expr
from sorb.tables.lazy import Aggregate, ask, count

__all__ = ["detect_lazy_task"]

# More values are no classes.
MOST_VALUES = 1000


def detect_lazy_task(
    table: AskedTable,
    target: str,
    n_rows: int,
    requested: Task | None,
    exposure: str | None = None,
) -> DetectedTask:
    """Detect the task as `detect_task` does; refuse outcomes that are all the same.

    They may be, if they are of different exposures. `table` holds the `n_rows` rows that are used,
    all of them with an outcome.
    """
    frame, cells = table.frame, table.cells
    if cells.types[target].is_numeric() and requested is not Task.classification:
        low, high, few = _extremes(frame, cells.number(target))
        if low == high and not _varies(table, exposure):
            raise ValueError(f"{target} is {low:g} in all rows: there is nothing to predict")
        if low == high or not few:
            return regression(target, low, high)
    label = cells.label(target).alias("label")
    found = collect(
        frame,
        "find the classes",
        lambda rows: rows.select(label).unique().head(MOST_VALUES + 1),
    )
    values = found["label"].to_list()
    if len(values) == 1:
        raise ValueError(f"{target} is {values[0]!r} in all rows: there is nothing to predict")
    return detect_task(target, values, requested, n_rows)


def _varies(table: AskedTable, column: str | None) -> bool:
    """Whether a column, if there is one, holds different numbers."""
    if column is None:
        return False
    value = table.cells.number(column)
    asked = {"low": Aggregate(value, "min"), "high": Aggregate(value, "max")}
    found = ask(table.frame, "find the range of the exposures", asked)
    return bool(found["low"] != found["high"])


def _extremes(frame: nw.LazyFrame[Any], y: Expr) -> tuple[float, float, bool]:
    """The least and the largest outcome, and whether they are whole numbers that are few."""
    broken = (y.floor() < y).fill_null(value=False)
    asked = {"low": Aggregate(y, "min"), "high": Aggregate(y, "max"), "broken": count(broken)}
    found = ask(frame, "find the range of the outcomes", asked)
    low, high = float(found["low"]), float(found["high"])
    if found["broken"] or high - low <= MOST_VALUES:
        return low, high, not found["broken"]
    between = count(((y > low) & (y < high)).fill_null(value=False))
    return low, high, not ask(frame, "look for more outcomes", {"between": between})["between"]
