"""Lazy frames: tables in files, databases and clusters that are read only by asking questions.

A frame with the names of its columns comes in; one query finds out what has to be known about them
before anything is learned. Every engine that narwhals understands can answer: DuckDB, polars,
PySpark, Dask and Ibis, which speaks to databases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals as nw

from sorb.rules import Label
from sorb.tables.changes import CHECKSUM, COUNT, ChangeWatch, label_steps
from sorb.tables.engine import Query, collect
from sorb.tables.expressions import Columns, Expr, add_layers, as_integer
from sorb.tables.frames import as_narwhals
from sorb.tables.quoting import quote_some
from sorb.tables.row_keys import Range
from sorb.tables.schema import column_positions
from sorb.tables.text_kinds import MOST_CATEGORIES

__all__ = ["LazyColumns", "Numbers", "is_lazy", "log_columns"]


def is_lazy(X: Any) -> bool:
    """Whether something is a lazy frame of a library that narwhals understands."""
    return isinstance(as_narwhals(X), nw.LazyFrame)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The features of numbers, and those in which values are missing.

    Attributes
    ----------
    ranges : the range of each feature of numbers.
    counts : how many values the mean of each range is of; 0 if the range is given.
    incomplete : the features, of any kind, in which values are missing.
    """

    ranges: Mapping[str, Range]
    counts: Mapping[str, float]
    incomplete: frozenset[str]


@dataclass(frozen=True, eq=False)  # without slots, to keep what was found
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
    classes : the number of rows of each class, of rows without one, too; empty for a regression.
    given : ranges of columns that are given, so that they are only checked.
    origins : a number near the values of each column of numbers.
    group : the name of the column with the groups of rows that belong together, if there is one.
    left_out : the features that no rule could use, which are empty numbers here, and why.
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
    classes: Mapping[Any, int] = field(default_factory=dict)
    given: Mapping[str, Range] = field(default_factory=dict)
    origins: Mapping[str, float] = field(default_factory=dict)
    group: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def numeric(self) -> list[str]:
        """The features that hold numbers."""
        return [name for name in self.features if name not in self.categorical]

    def ask(self, question: str, asked: Mapping[str, Aggregate]) -> dict[str, Any]:
        """Ask for some numbers about all rows, which must not have changed."""
        checksum = {CHECKSUM: total(nw.col(CHECKSUM))}
        found = ask(self.frame, question, {**asked, **checksum}, self.watch.layers)
        self.watch.compare([found[COUNT]], [found[CHECKSUM]])
        return found

    @cached_property
    def numbers(self) -> Numbers:
        """What the features hold; refuses infinite values."""
        columns, numeric = self.columns, [n for n in self.numeric if n not in self.given]
        given = {name: self.given[name] for name in self.numeric if name in self.given}
        fields = [name for name in (self.y, self.weight, self.exposure) if name]
        asked = describe(columns, [n for n in (*self.features, *fields) if n not in self.labels])
        asked |= describe_weights(columns, self.weight)
        for name in numeric:
            number = asked[f"low {name}"].value
            above = number - columns.constant(self.origins[name])
            asked[f"above {name}"] = total(self._counted(above))
            if self._copies is not None:
                asked[f"copies {name}"] = total(self._counted(as_integer(~number.is_null())))
        for name, labels in self.labels.items():
            asked[f"known {name}"] = Aggregate(columns.label(name), "count")
            asked[f"steps {name}"] = total(label_steps(columns, name, labels))
        for name in given:
            asked[f"outside {name}"] = count_outside(columns.number(name), given[name])
        floats = [name for name in self.features if columns.holds_nan(name)]
        with_infinite = [name for name in floats if name not in columns.complete]
        asked |= {f"infinite {name}": count(columns.infinite(name)) for name in with_infinite}
        found = self.ask("find the ranges of the columns", asked)
        self.watch.compare_opening(found)
        for name in with_infinite:
            if found[f"infinite {name}"]:
                raise ValueError(
                    f"X contains infinity in column {name!r}, in {int(found[f'infinite {name}'])} "
                    "rows: expected finite numbers, or NaN where a value is missing"
                )
        for name in given:
            require_inside(name, found[f"outside {name}"], given[name])
        known = "known" if self._copies is None else "copies"
        counts = {name: float(found[f"{known} {name}"] or 0.0) for name in numeric}
        ranges = {name: self._range(name, found, n) for name, n in counts.items()}
        return Numbers(
            {name: (ranges | given)[name] for name in self.numeric},
            {**dict.fromkeys(given, 0.0), **counts},
            frozenset(name for name in self.features if found[f"known {name}"] != found[COUNT]),
        )

    def _range(self, name: str, found: Mapping[str, Any], count: float) -> Range:
        if not count:
            return Range(math.nan, math.nan)
        low, high, above = (float(found[f"{what} {name}"]) for what in ("low", "high", "above"))
        return Range(low, high, above / count + (self.origins[name] - low))

    @property
    def _copies(self) -> Expr | None:
        """How many copies each row stands for."""
        name = self.weight if self.counted else None
        return None if name is None else self.columns.number(name)

    def _counted(self, value: Expr) -> Expr:
        """A value times the number of copies that its row stands for."""
        return value if self._copies is None else value * self._copies

    def between(self, ranges: Mapping[str, Range]) -> set[str]:
        """The columns that have values strictly between two ends."""
        inside = {
            name: (self.columns.number(name) > ends.low) & (self.columns.number(name) < ends.high)
            for name, ends in ranges.items()
        }
        asked = {name: count(expr) for name, expr in inside.items()}
        found = self.ask("look for values within the ranges of columns", asked) if asked else {}
        return {name for name in inside if found[name]}


def most_labels(is_text: bool) -> int | None:
    """How many different labels a column of categories may have; texts are seldom categories."""
    return MOST_CATEGORIES if is_text else None


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


def count_outside(value: Expr, given: Range) -> Aggregate:
    """Count the values outside of a range."""
    return count((value < given.low) | (value > given.high))


def require_inside(name: str, n_outside: int | None, given: Range) -> None:
    """Refuse values outside of the range that is given for a column."""
    if n_outside:
        raise ValueError(
            f"column {name!r} is outside of the given range, {given.low:g} to {given.high:g}, in "
            f"{int(n_outside)} rows: give a wider one"
        )


def describe(columns: Columns, names: Sequence[str]) -> dict[str, Aggregate]:
    """Ask for the ends of columns of numbers, and how many numbers are known."""
    columns = replace(columns, complete=frozenset())  # not known yet, or to be found again
    asked = {}
    for name in names:
        number = columns.number(name)
        asked[f"low {name}"] = Aggregate(number, "min")
        asked[f"high {name}"] = Aggregate(number, "max")
        asked[f"known {name}"] = Aggregate(number, "count")
    return asked


NEGATIVE, BROKEN = "negative weights", "broken weights"


def describe_weights(columns: Columns, name: str | None) -> dict[str, Aggregate]:
    """Ask how many weights are negative, or no whole numbers."""
    if name is None:
        return {}
    weight = columns.number(name)
    return {
        NEGATIVE: count((weight < 0).fill_null(value=False)),
        BROKEN: count((weight.floor() < weight).fill_null(value=False)),
    }


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate:
    """A number about all rows: the "min", "max", "sum" or "count" of known values of each."""

    value: Expr
    how: str


def total(value: Expr) -> Aggregate:
    """Add up a value of all rows."""
    return Aggregate(value, "sum")


def count(answer: Expr) -> Aggregate:
    """Count the rows for which something is true."""
    return total(as_integer(answer))


# How to make one of the answers about parts of the rows.
_MERGE = {"min": "min", "max": "max", "sum": "sum", "count": "sum"}


def ask(
    frame: nw.LazyFrame[Any],
    question: str,
    asked: Mapping[str, Aggregate],
    layers: Sequence[Sequence[Expr]] = (),
) -> dict[str, Any]:
    """Ask for some numbers about all rows, with layers of columns more, and count the rows."""
    # Each value once, whatever is asked about it.
    values = {id(each.value): each.value for each in asked.values()}
    chosen = [value.alias(f"value {key}") for key, value in values.items()]
    numbers = [
        getattr(nw.col(f"value {id(each.value)}"), each.how)().alias(name)
        for name, each in asked.items()
    ]
    merged = [getattr(nw.col(name), _MERGE[each.how])() for name, each in asked.items()]

    def query(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        rows = add_layers(rows, layers)
        return (rows.select(*chosen) if chosen else rows).select(nw.len().alias(COUNT), *numbers)

    found = collect(
        frame, question, query, lambda parts: parts.select(nw.col(COUNT).sum(), *merged)
    )
    columns = found.to_dict(as_series=False)
    numbers_found = {name: values[0] if values else None for name, values in columns.items()}
    return {**numbers_found, COUNT: int(numbers_found[COUNT] or 0)}


def add_up(
    frame: nw.LazyFrame[Any],
    question: str,
    query: Query,
    by: Sequence[str],
    added: Sequence[str] = (),
    most: int | None = None,
) -> nw.DataFrame[Any]:
    """Count the rows of each group of a query's rows, and add up some columns; give some groups."""

    def sums(*names: str) -> list[Expr]:
        return [nw.col(*names).sum()] if names else []

    def groups(rows: nw.LazyFrame[Any], *numbers: Expr) -> nw.LazyFrame[Any]:
        found = rows.group_by(*by).agg(*numbers)
        return found if most is None else found.head(most)

    return collect(
        frame,
        question,
        lambda rows: groups(query(rows), nw.len().alias(COUNT), *sums(*added)),
        lambda parts: groups(parts, *sums(COUNT, *added)),
    )


def is_missing(label: Any) -> bool:
    """Whether a label is none."""
    return label is None or label != label
