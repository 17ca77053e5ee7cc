"""The division of a lazy frame into training rows and test rows, by what the rows hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals as nw

from sorb.learning.lazy_source import LazySource
from sorb.rules import Label
from sorb.tables.engine import collect
from sorb.tables.expressions import Expr
from sorb.tables.row_keys import LIMIT, KeyPlan, Range

# Test rows are drawn by other keys than samples, which the seed itself draws.
_SEED = 0x5EED
_SUMS = ("n", "key", "weight", "total")


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Some of the rows of a lazy frame.

    Attributes
    ----------
    source : answers questions about them, and notices if they change.
    n_rows : their number.
    classes : the number of rows of each class; None for a regression.
    """

    source: LazySource
    n_rows: int
    classes: Mapping[Label, int] | None


@dataclass(frozen=True, slots=True, eq=False)
class LazySplit:
    """Training rows and test rows; copies of a row are on the same side.

    Attributes
    ----------
    training, test : the rows; without test rows, None.
    checksum : numbers that change if the table does, sums of floats up to rounding.
    """

    training: Side
    test: Side | None
    checksum: tuple[float, ...] = field(default=())


def split_lazy(source: LazySource, share: float, seed: int) -> LazySplit:
    """Draw about this share of the rows as test rows; their order does not matter."""
    columns, is_regression = source.columns, source.loss is not None
    outcomes = source.check_outcomes()[1] if is_regression else None
    stats: dict[str, Range | list[Label]] = {**columns.ranges()}
    stats |= {name: columns.labels(name) for name in columns.categorical}
    plan = KeyPlan.of(seed + _SEED, stats, outcomes)
    number = columns.columns.number
    outcome = number(columns.y) if is_regression else columns.columns.label(columns.y)
    rate = outcome / number(columns.exposure) if columns.exposure else outcome
    key = columns.key(plan, rate if is_regression else None)
    is_test = key < int(share * LIMIT)
    weight = nw.lit(1.0) if columns.weight is None else number(columns.weight)
    known = [key.alias("key"), is_test.alias("test"), weight.alias("weight")]
    # Outcomes are grouped by if they are classes, and added up if they are numbers.
    groups = ["test"] if is_regression else ["test", "outcome"]
    added = [nw.col("outcome").sum().alias("total")] if is_regression else []
    found = collect(
        columns.frame,
        "divide the rows into training and test rows",
        lambda rows: (
            rows.select(*known, outcome.alias("outcome"))
            .group_by(*groups)
            .agg(nw.len().alias("n"), nw.col("key").sum(), nw.col("weight").sum(), *added)
        ),
    ).rows(named=True)
    checksum = [row[name] for row in sorted(found, key=str) for name in _SUMS if name in row]
    sides = [
        _side(source, key, is_test if tested else ~is_test, found, tested) for tested in (0, 1)
    ]
    training, test = sides
    _require_known_classes(training, test)
    return LazySplit(training, test if test.n_rows else None, tuple(checksum))


def _side(
    source: LazySource, key: Expr, here: Expr, found: list[dict[str, Any]], tested: int
) -> Side:
    rows = [row for row in found if bool(row["test"]) == bool(tested)]
    n_rows = sum(int(row["n"]) for row in rows)
    # What is known about all rows is not known about some of them.
    columns = replace(source.columns, frame=source.columns.frame.filter(here), _known={})
    keyed = LazySource(columns, source.loss, n_rows, key, sum(int(row["key"]) for row in rows))
    if source.loss is not None:
        return Side(keyed, n_rows, None)
    return Side(keyed, n_rows, Counter({row["outcome"]: int(row["n"]) for row in rows}))


def _require_known_classes(training: Side, test: Side) -> None:
    for label in test.classes or ():
        if training.classes is not None and label not in training.classes:
            raise ValueError(
                f"all rows of class {label!r} were drawn as test rows: set fewer rows aside, or "
                "draw others"
            )
