"""The division of a lazy frame into training rows and test rows, by what the rows hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw

from sorb.learning.lazy_source import LazySource
from sorb.learning.source import key_plan
from sorb.rules import Label
from sorb.tables.changes import CHECKSUM, COUNT, ChangeWatch
from sorb.tables.engine import collect, write_once
from sorb.tables.expressions import Expr, add_layers, as_integer
from sorb.tables.label_keys import add_label_numbers
from sorb.tables.lazy import LazyColumns, add_up
from sorb.tables.row_keys import LIMIT, MOST_DIGITS, finish_key

# The column with the key of each row, for a while.
_KEY = "sorb test key"
# Test rows are drawn by other keys than samples, which the seed itself draws.
_SEED = 0x5EED


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Some of the rows of a lazy frame.

    Attributes
    ----------
    source : answers questions about them, and notices if they change.
    n_rows : their number.
    n_groups : the number of their groups, if there are groups.
    classes : the number of rows of each class; None for a regression.
    """

    source: LazySource
    n_rows: int
    classes: Mapping[Label, int] | None
    n_groups: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LazySplit:
    """Training rows and test rows; copies of a row, or rows of a group, are on the same side.

    Attributes
    ----------
    training, test : the rows; without test rows, None.
    checksum : a sum over all rows that changes if one of them does.
    """

    training: Side
    test: Side | None
    checksum: int


def split_lazy(source: LazySource, share: float, seed: int) -> LazySplit:
    """Draw about this share of the rows as test rows; their order does not matter."""
    columns = source.columns
    is_test = nw.col(_KEY) < int(share * LIMIT)
    for keyed in _keyed_frames(source, seed + _SEED):
        found = _count(source, keyed, is_test)
        counts = [sum(row[COUNT] for row in found if row["test"] == k) for k in (0, 1)]
        if _is_share(counts[1], sum(counts), share):
            break
    names = list(columns.columns.types)
    frames = [columns.frame] * 2
    if counts[1]:  # otherwise all rows are training rows, and need no keys
        frames = [keyed.filter(here).select(*names) for here in (~is_test, is_test)]
    training, test = (
        _side(source, frame, [row for row in found if row["test"] == k])
        for k, frame in enumerate(frames)
    )
    _require_known_classes(training, test)
    checksum = sum(int(row[CHECKSUM]) for row in found)
    return LazySplit(training, test if test.n_rows else None, checksum)


def _keyed_frames(source: LazySource, seed: int) -> Iterator[nw.LazyFrame[Any]]:
    """The rows with their keys, and again with keys that tell more of them apart."""
    columns = source.columns
    if columns.group is not None:
        keyed = add_label_numbers(columns.frame, columns.group, _KEY)
        key = finish_key(nw.col(_KEY) % LIMIT, seed)
        yield write_once(keyed.with_columns(key.alias(_KEY)))
        return
    outcomes = None if source.loss is None else source.check_outcomes()[1]
    # Few digits, as they are computed for every question; more where they tell too few rows apart.
    for digits in (1, MOST_DIGITS):
        plan = key_plan(source, seed, outcomes, digits)
        yield write_once(add_layers(columns.frame, source.key_layers(plan, _KEY)))


def _count(source: LazySource, keyed: nw.LazyFrame[Any], is_test: Expr) -> list[dict[str, Any]]:
    """Count the rows of each class and side, with checksums."""
    columns = source.columns
    label = [] if source.loss else [columns.columns.label(columns.y).alias("label")]
    known = [as_integer(is_test).alias("test"), nw.col(CHECKSUM), *label]
    checksums = columns.watch.layers
    return add_up(
        keyed,
        "divide the rows into training and test rows",
        lambda rows: add_layers(rows, checksums).select(*known),
        ["test", *(["label"] if label else [])],
        [CHECKSUM],
    ).rows(named=True)


def _is_share(n_test: int, n_rows: int, share: float) -> bool:
    """Whether so many test rows differ from a share only by chance, by four standard errors."""
    return abs(n_test - share * n_rows) <= 4 * math.sqrt(share * (1 - share) * n_rows)


def _side(source: LazySource, frame: nw.LazyFrame[Any], found: list[dict[str, Any]]) -> Side:
    # What is known about all rows is not known about some of them.
    watch = ChangeWatch(source.columns.watch.place, {})
    n_rows = watch.compare([row[COUNT] for row in found], [row[CHECKSUM] for row in found])
    classes = None if source.loss else {row["label"]: int(row[COUNT]) for row in found}
    columns = replace(source.columns, frame=frame, watch=watch, classes=classes or {})
    return Side(LazySource(columns, source.loss), n_rows, classes, _count_groups(columns))


def _count_groups(columns: LazyColumns) -> int | None:
    group = columns.group
    if group is None:
        return None
    found = collect(
        columns.frame,
        "count the groups",
        lambda rows: rows.select(group).unique().select(nw.len()),
    )
    return int(found.item())


def _require_known_classes(training: Side, test: Side) -> None:
    for label in test.classes or ():
        if training.classes is not None and label not in training.classes:
            raise ValueError(
                f"all rows of class {label!r} were drawn as test rows: set fewer rows aside, or "
                "draw others"
            )
