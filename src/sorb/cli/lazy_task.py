"""The task of a lazy frame, detected from its target without reading it."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from sorb.cli.task import DetectedTask, Task, detect_task, regression
from sorb.tables.engine import collect
from sorb.tables.expressions import Columns

__all__ = ["detect_lazy_task"]

# More values are no classes.
MOST_VALUES = 1000


def detect_lazy_task(
    frame: nw.LazyFrame[Any], target: str, dtype: Any, n_rows: int, requested: Task | None
) -> DetectedTask:
    """Detect the task as `detect_task` does; refuse outcomes that are all the same.

    `frame` holds the rows whose outcome is known, and `dtype` is the type of the outcomes.
    """
    if dtype.is_numeric() and requested is not Task.classification:
        low, high, few = _extremes(frame, target, dtype)
        if low == high:
            raise ValueError(f"{target} is {low:g} in all rows: there is nothing to predict")
        if not few:
            return regression(target, low, high)
    label = Columns({target: dtype}).label(target).alias("label")
    found = collect(
        frame,
        "find the classes",
        lambda rows: rows.select(label).unique().head(MOST_VALUES + 1),
    )
    values = found["label"].to_list()
    if len(values) == 1:
        raise ValueError(f"{target} is {values[0]!r} in all rows: there is nothing to predict")
    return detect_task(target, values, requested, n_rows)


def _extremes(frame: nw.LazyFrame[Any], target: str, dtype: Any) -> tuple[float, float, bool]:
    """The least and the largest outcome, and whether they are whole numbers that are few."""
    y = Columns({target: dtype}).number(target)
    asked = [
        y.min().alias("low"),
        y.max().alias("high"),
        (y.floor() < y).cast(nw.Int64).sum().alias("broken"),
    ]
    found = collect(frame, "find the range of the outcomes", lambda rows: rows.select(*asked))
    low, high = float(found["low"][0]), float(found["high"][0])
    if found["broken"][0] or high - low <= MOST_VALUES:
        return low, high, not found["broken"][0]
    between = ((y > low) & (y < high)).cast(nw.Int64).sum().alias("between")
    others = collect(frame, "look for more outcomes", lambda rows: rows.select(between))
    return low, high, not others["between"][0]
