"""Lazy frames: tables in files, databases and clusters that are read only by asking questions.

A frame with the names of its columns comes in; one query finds out what has to be known about them
before anything is learned. Every engine that narwhals understands can answer: DuckDB, polars,
PySpark, Dask and Ibis, which speaks to databases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

from sorb.rules import Label
from sorb.tables import cells
from sorb.tables.changes import CHECKSUM, COUNT, ChangeWatch, label_steps
from sorb.tables.engine import collect
from sorb.tables.expressions import Columns, Expr, as_integer
from sorb.tables.frames import as_narwhals
from sorb.tables.quoting import quote_some
from sorb.tables.row_keys import MISSING_STEP, KeyColumn, KeyPlan, Range, finish_key
from sorb.tables.schema import column_positions

__all__ = ["LazyColumns", "is_lazy", "log_columns"]


def is_lazy(X: Any) -> bool:
    """Whether something is a lazy frame of a library that narwhals understands."""
    return isinstance(as_narwhals(X), nw.LazyFrame)


@dataclass(frozen=True, slots=True, eq=False)
class LazyColumns:
    """A lazy frame, restricted to rows that have any weight, and what its columns are for.

    Attributes
    ----------
    frame : the frame.
    features : the names of the columns to learn from.
    y : the name of the column with the outcomes.
    weight, exposure : the names of the columns with weights and exposures, if there are any.
    columns : the columns as expressions.
    categorical : the features that hold categories.
    labels : the labels of the columns that hold categories or classes.
    watch : notices if the table changes.
    counted : whether a weight is the number of copies of a row, as all of them are whole numbers.
    given : ranges of columns that are given, so that they are only checked.
    """

    frame: nw.LazyFrame[Any]
    features: tuple[str, ...]
    y: str
    weight: str | None
    exposure: str | None
    columns: Columns
    categorical: tuple[str, ...]
    labels: Mapping[str, list[Label]]
    watch: ChangeWatch
    counted: bool = True
    given: Mapping[str, Range] = field(default_factory=dict)
    _known: dict[str, Any] = field(default_factory=dict)

    @property
    def numeric(self) -> list[str]:
        """The features that hold numbers."""
        return [name for name in self.features if name not in self.categorical]

    def ask(self, question: str, *aggregates: Expr) -> dict[str, Any]:
        """Ask for some numbers about all rows, which must not have changed."""
        found = ask(self.frame, question, *aggregates, *self.watch.aggregates)
        self.watch.compare([found[COUNT]], [found[CHECKSUM]])
        return found

    def ranges(self) -> dict[str, Range]:
        """The range of each feature of numbers; refuses infinite values."""
        if "ranges" not in self._known:
            self._read_numbers()
        return self._known["ranges"]  # type: ignore[no-any-return]

    def complete(self) -> list[str]:
        """The features in which no value is missing."""
        if "complete" not in self._known:
            self._read_numbers()
        return self._known["complete"]  # type: ignore[no-any-return]

    def _read_numbers(self) -> None:
        columns, numeric = self.columns, [n for n in self.numeric if n not in self.given]
        given = {name: self.given[name] for name in self.numeric if name in self.given}
        floats = [name for name in self.numeric if columns.types[name].is_float()]
        asked = {
            "low": [columns.number(name).min() for name in numeric],
            "high": [columns.number(name).max() for name in numeric],
            "sum": [self._counted(columns.number(name)).sum() for name in numeric],
            "known": [
                self._counted(as_integer(~columns.number(name).is_null())).sum() for name in numeric
            ],
            "outside": [count_outside(columns.number(name), given[name]) for name in given],
            "infinite": [count(columns.infinite(name)) for name in floats],
            "missing": [count(self._missing(name)) for name in self.features],
        }
        found = self.ask(
            "find the ranges of the columns",
            *(expr.alias(f"{what}{j}") for what in asked for j, expr in enumerate(asked[what])),
            *(expr.alias(name) for name, (expr, _) in self.watch.opening.items()),
        )
        self.watch.compare_opening(found)
        for j, name in enumerate(floats):
            if found[f"infinite{j}"]:
                raise ValueError(
                    f"X contains infinity in column {name!r}, in {int(found[f'infinite{j}'])} "
                    "rows: expected finite numbers, or NaN where a value is missing"
                )
        for j, name in enumerate(given):
            require_inside(name, found[f"outside{j}"], given[name])
        asked_for = {
            name: _range(*(found[f"{what}{j}"] for what in ("low", "high", "sum", "known")))
            for j, name in enumerate(numeric)
        }
        self._known["ranges"] = {name: (asked_for | given)[name] for name in self.numeric}
        self._known["counts"] = {
            **dict.fromkeys(given, 0.0),
            **{name: float(found[f"known{j}"] or 0.0) for j, name in enumerate(numeric)},
        }
        self._known["complete"] = [
            name for j, name in enumerate(self.features) if not found[f"missing{j}"]
        ]

    def counts(self) -> dict[str, float]:
        """How many values the mean of each feature of numbers is of; 0 if its range is given."""
        self.ranges()
        return self._known["counts"]  # type: ignore[no-any-return]

    def _counted(self, value: Expr) -> Expr:
        """A value times the number of copies that its row stands for."""
        if self.weight is None or not self.counted:
            return value
        return value * self.columns.number(self.weight)

    def _missing(self, name: str) -> Expr:
        column = self.columns.label if name in self.categorical else self.columns.number
        return column(name).is_null()

    def between(self, ranges: Mapping[str, Range]) -> set[str]:
        """The columns that have values strictly between two ends."""
        inside = {
            name: (self.columns.number(name) > ends.low) & (self.columns.number(name) < ends.high)
            for name, ends in ranges.items()
        }
        asked = [count(expr).alias(f"between{j}") for j, expr in enumerate(inside.values())]
        found = self.ask("look for values within the ranges of columns", *asked) if asked else {}
        return {name for j, name in enumerate(inside) if found[f"between{j}"]}

    def key(self, plan: KeyPlan, outcome: Expr | None) -> Expr:
        """The key of each row, of its outcome, too, if there is one."""
        # Not a literal: if nothing varies, some engines would give it once, not for each row.
        total = as_integer(nw.col(self.y).is_null()) * 0
        for name, column in plan.columns.items():
            total = total + column.mix(self._steps(name, column))
        if outcome is not None and plan.outcome is not None:
            assert isinstance(plan.outcome.steps, Range)
            total = total + plan.outcome.mix(self._number_steps(outcome, plan.outcome.steps))
        return finish_key(total, plan.seed)  # type: ignore[no-any-return]

    def _steps(self, name: str, column: KeyColumn) -> Expr:
        if isinstance(column.steps, Range):
            return self._number_steps(self.columns.number(name), column.steps)
        return label_steps(self.columns, name, self.labels[name])

    def _number_steps(self, value: Expr, column: Range) -> Expr:
        low, factor = self.columns.constant(column.low), self.columns.constant(column.factor)
        steps = ((value - low) * factor + 0.5).floor()
        return steps.fill_null(float(MISSING_STEP)).cast(nw.Int64)


def most_labels(is_text: bool) -> int | None:
    """How many different labels a column of categories may have; texts are seldom categories."""
    return cells.MOST_CATEGORIES if is_text else None


def require_few_labels(name: str, labels: Sequence[Any], most: int | None) -> None:
    """Refuse texts that are no categories, as too many of them differ."""
    if most is not None and len(labels) > most:
        raise ValueError(
            f"column {name!r} holds more than {most} different texts, such as "
            f"{quote_some(sorted(labels)[:3])}: drop it; or, if these are categories, give "
            "the column a categorical type"
        )


def log_columns(
    wanted: Any,
    features: tuple[str, ...],
    ranges: Mapping[str, Range],
    between: Callable[[Mapping[str, Range]], set[str]],
) -> list[str] | None:
    """The names of the columns that are weighed by their logarithms, as a parameter says.

    `ranges` are those of the features of numbers; `between` gives the features that have values
    strictly between two ends.
    """
    if wanted is None:
        return None
    if isinstance(wanted, str):  # "auto"
        positive = {name: values for name, values in ranges.items() if values.low > 0}
        several = between(positive)
        return [name for name in positive if name in several]
    chosen = [features[j] for j in sorted(column_positions(wanted, features, "log_columns"))]
    for name in chosen:
        if name not in ranges:
            raise ValueError(f"log_columns names {name!r}, which holds categories, not numbers")
        if ranges[name].low <= 0:
            raise ValueError(
                f"log_columns names {name!r}, which holds {ranges[name].low:g}: only positive "
                "numbers have a logarithm, so leave the column out or mark them as missing"
            )
    return chosen


def count_outside(value: Expr, given: Range) -> Expr:
    """Count the values outside of a range."""
    return count((value < given.low) | (value > given.high))


def require_inside(name: str, n_outside: int | None, given: Range) -> None:
    """Refuse values outside of the range that is given for a column."""
    if n_outside:
        raise ValueError(
            f"column {name!r} is outside of the given range, {given.low:g} to {given.high:g}, in "
            f"{int(n_outside)} rows: give a wider one"
        )


def count(answer: Expr) -> Expr:
    """Count the rows for which something is true."""
    return as_integer(answer).sum()


def ask(frame: nw.LazyFrame[Any], question: str, *aggregates: Expr) -> dict[str, Any]:
    """Ask for some numbers about all rows."""
    found = collect(frame, question, lambda rows: rows.select(*aggregates))
    columns = found.to_dict(as_series=False)
    return {name: values[0] for name, values in columns.items()}


def is_missing(label: Any) -> bool:
    """Whether a label is none."""
    return label is None or label != label


def _range(low: Any, high: Any, total: Any, known: Any) -> Range:
    if not known:
        return Range(math.nan, math.nan, math.nan)
    return Range(float(low), float(high), float(total) / float(known))
