"""Values on which a model speaks without experience: unlike all that its training held."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from sorb._types import Bool, Float, Index
from sorb.rules import notation
from sorb.rules.columns import ColumnSource
from sorb.rules.experience import ColumnExperience
from sorb.rules.labels import NO_CATEGORY, Labels

__all__ = ["OutsideTraining", "OutsideValues", "find_outside_training", "outside_values"]

Kind: TypeAlias = Literal["infinite", "missing", "category", "range"]

LONGEST = 60  # of a category in a sentence


@dataclass(frozen=True, slots=True)
class OutsideValues:
    """Values of one column that its training never held, all of one kind.

    Attributes
    ----------
    column : the column.
    kind : "infinite"; "missing", where no value ever was; "category", a new one; or "range",
        numbers below the least or above the largest one.
    count : how many rows have such a value.
    first_row : the first of them, counted from 0.
    example : its value.
    range : the least and the largest number in training, if the kind is "range".
    """

    column: str
    kind: Kind
    count: int
    first_row: int
    example: Any
    range: tuple[float, float] | None = None

    def __str__(self) -> str:
        return self.describe(f" in row {self.first_row} ({self.count} in all)")

    def describe(self, where: str = "") -> str:
        """Say in a sentence what is unlike the training, and where.

        Examples
        --------
        >>> OutsideValues("age", "range", 1, 0, 7.0, (18.0, 84.0)).describe()
        "column 'age' is 7, outside of 18 to 84 in training"
        >>> OutsideValues("income", "range", 1, 0, 99999999.0, (0.5, 8e5)).describe()
        "column 'income' is 99999999, outside of 0.5 to 800000 in training"
        """
        column = f"column {self.column!r}"
        if self.kind == "infinite":
            return f"{column} is infinite{where}"
        if self.kind == "missing":
            return f"{column} is missing{where}, but never was in training"
        if self.kind == "category":
            found = "no category" if self.example is NO_CATEGORY else _shorten(repr(self.example))
            return f"{column} holds {found}{where}, never seen in training"
        assert self.range is not None
        # All digits, so that the value is found in the table.
        numbers = (self.example, *self.range)
        value, low, high = (notation.plain_number(float(x), None) for x in numbers)
        return f"{column} is {value}{where}, outside of {low} to {high} in training"


@dataclass(frozen=True, slots=True, eq=False)
class OutsideTraining:
    """Which rows of a table have values that training never held, and which values these are.

    Attributes
    ----------
    n_rows : the number of rows of the table.
    values : what was found, in the order of the columns.
    places : for each of the values, the rows that have them.
    unknown : the columns of which nobody knows what values they held in training.
    """

    n_rows: int
    values: tuple[OutsideValues, ...]
    places: tuple[Index, ...]
    unknown: tuple[str, ...] = ()

    @property
    def rows(self) -> Bool:
        """Whether each row has such a value."""
        found = np.zeros(self.n_rows, dtype=np.bool_)
        for rows in self.places:
            found[rows] = True
        return found

    def columns(self) -> list[tuple[str, ...]]:
        """Name the columns of each row in which it has such a value."""
        found: list[tuple[str, ...]] = [()] * self.n_rows
        for values, rows in zip(self.values, self.places, strict=True):
            for row in rows.tolist():
                found[row] = (*found[row], values.column)
        return found

    def __str__(self) -> str:
        count = int(np.count_nonzero(self.rows))
        if count:
            verb = "is" if count == 1 else "are"
            first = f"{count} of {self.n_rows} rows {verb} outside of the training:"
        elif self.unknown:
            first = f"nothing in {self.n_rows} rows is known to be unlike the training"
        else:
            first = f"all {self.n_rows} rows are like those of the training"
        lines = [first, *map(str, self.values)]
        if self.unknown:
            names = ", ".join(map(repr, self.unknown))
            lines.append(f"the model does not remember what it was trained on in {names}")
        return "\n  ".join(lines)

    def __repr__(self) -> str:
        return str(self)


def find_outside_training(
    source: ColumnSource,
    columns: Collection[str],
    weighed: Collection[str],
    experience: Mapping[str, ColumnExperience],
) -> OutsideTraining:
    """Find the values of some columns that training never held, and infinite ones in weighed ones.

    Of columns without experience, only infinite numbers are found.
    """
    found = [
        each
        for name in columns
        for each in outside_values(source, name, name in weighed, experience.get(name))
    ]
    places = tuple(rows for _, rows in found)
    unknown = tuple(n for n in columns if n not in experience or not experience[n].knows_values)
    return OutsideTraining(source.n_rows, tuple(v for v, _ in found), places, unknown)


def outside_values(
    source: ColumnSource, name: str, weighed: bool, seen: ColumnExperience | None
) -> Iterator[tuple[OutsideValues, Index]]:
    """Find such values in one column, each with its rows."""
    if weighed or (seen is not None and seen.range is not None):
        yield from _numbers(source.take(name), name, seen, source.finite)
    elif seen is not None:
        yield from _labels(Labels.of(source.labels(name)), name, seen)


def _numbers(
    values: Float, name: str, seen: ColumnExperience | None, finite: bool
) -> Iterator[tuple[OutsideValues, Index]]:
    if not finite:
        yield from _where(np.isinf(values), values, name, "infinite")
    if not finite and seen is not None and not seen.missing:
        yield from _where(np.isnan(values), values, name, "missing")
    if seen is not None and seen.range is not None:
        low, high = seen.range
        outside = ((values < low) | (values > high)) & np.isfinite(values)
        yield from _where(outside, values, name, "range", seen.range)


def _labels(
    labels: Labels, name: str, seen: ColumnExperience
) -> Iterator[tuple[OutsideValues, Index]]:
    if not seen.missing:
        yield from _where(labels.codes < 0, labels, name, "missing")
    if seen.categories is not None:
        known = frozenset(seen.categories)
        new = [code for code, label in enumerate(labels.values) if label not in known]
        if new:
            yield from _where(np.isin(labels.codes, new), labels, name, "category")


def _where(
    outside: Bool,
    values: Float | Labels,
    name: str,
    kind: Kind,
    ends: tuple[float, float] | None = None,
) -> Iterator[tuple[OutsideValues, Index]]:
    rows = np.flatnonzero(outside)
    if len(rows):
        first = int(rows[0])
        yield OutsideValues(name, kind, len(rows), first, values[first], ends), rows


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
