"""Whether a table changes while it is read: every answer brings a count of the rows and a checksum.

The checksum of a row is made of all of its values that are used: of their places in the ranges of
their columns, times any numbers, the sum is turned into an integer of 51 bits. The checksum of the
table is the sum of their squares modulo a prime, which neither the order of the rows nor their
partition changes. Checksums of different engines may differ.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Any

import narwhals as nw

from sorb.rules import Label
from sorb.tables.expressions import Columns, Expr, join
from sorb.tables.row_keys import LIMIT, MISSING_STEP, Range, label_step

__all__ = [
    "CHECKSUM",
    "COUNT",
    "PREFIX",
    "ChangeWatch",
    "TableChangedError",
    "add_integers",
    "bounded",
    "changed_table",
    "label_steps",
    "row_place",
]

# What the names of columns that are added to a lazy frame for a while begin with.
PREFIX = "sorb "
# The columns of an answer with the number of rows and the checksum.
COUNT, CHECKSUM = f"{PREFIX}count", f"{PREFIX}checksum"

# The mean over the columns of a row is divided into so many steps.
_STEPS = 2.0**51
# No mean is beyond it while the table does not change, and an integer of 64 bits holds its steps.
_MOST_MEAN = 2.0**10
# The place of a missing value, which no value has while the table does not change.
_MISSING = 1.25
# The step of a label that the table did not have at first; those of others are less.
_NEW_LABEL_STEP = MISSING_STEP + 1


class TableChangedError(RuntimeError):
    """A table that was read twice did not hold the same rows."""


@dataclass(slots=True, eq=False)
class ChangeWatch:
    """Compares what every answer tells about the rows.

    Attributes
    ----------
    place : the number that the checksum of a row is made of, see `row_place`.
    opening : what was found out before there was a checksum, to be found again with the first one.
    """

    place: Expr
    opening: Mapping[str, Any]
    _seen: tuple[int, int] | None = field(default=None, init=False)

    @property
    def layers(self) -> list[list[Expr]]:
        """The layers of columns that add the checksum of each row."""
        place, step = nw.col(CHECKSUM), nw.col(CHECKSUM)
        steps = (bounded(place, _MOST_MEAN) * _STEPS).floor().cast(nw.Int64) % LIMIT
        # A square, so that it matters which values are in the same row.
        square = step * step % LIMIT
        # Not all at once, as some engines compute an expression as often as it is used.
        return [[expr.alias(CHECKSUM)] for expr in (self.place, steps, square)]

    def compare(self, counts: Sequence[Any], checksums: Sequence[Any]) -> int:
        """Refuse a table that changed, given counts and checksums of all its parts; count rows."""
        n_rows, checksum = add_integers(counts), add_integers(checksums)
        if self._seen is None:
            self._seen = (n_rows, checksum)
        elif self._seen != (n_rows, checksum):
            before = self._seen[0]
            raise changed_table("" if before == n_rows else f": first {before} rows, then {n_rows}")
        return n_rows

    def compare_opening(self, found: Mapping[str, Any]) -> None:
        """Refuse a table that changed before there was a checksum."""
        if any(_known(found[name]) != _known(value) for name, value in self.opening.items()):
            raise changed_table()


def bounded(value: Expr, most: float) -> Expr:
    """A number, but `most` if it is missing, NaN or beyond it.

    Only a table that changes has NaN or numbers beyond, and no engine may fail before that is
    noticed: databases refuse to turn them into integers.
    """
    # To some engines NaN is larger than any number, to others no comparison with it holds.
    return nw.when(value.is_between(-most, most)).then(value).otherwise(nw.lit(most))


def row_place(
    columns: Columns, numbers: Mapping[str, Range], labels: Mapping[str, Sequence[Label]]
) -> Expr:
    """What is different in different rows with columns of numbers, in these ranges, and labels."""
    parts = [_number_part(columns, name, found) for name, found in numbers.items()]
    parts += [
        label_steps(columns, name, known).cast(nw.Float64)
        * columns.constant(_multiplier(f"label {name}") / MISSING_STEP)
        for name, known in labels.items()
    ]
    return join(parts, add) * (1.0 / len(parts))


def label_steps(columns: Columns, name: str, labels: Sequence[Label]) -> Expr:
    """The step of the label of each row."""
    label = columns.label(name)
    new = nw.when(label.is_null()).then(nw.lit(MISSING_STEP)).otherwise(nw.lit(_NEW_LABEL_STEP))
    # A row has at most one of the known labels, whose difference is the only one that is not 0.
    differences = (
        nw.when(label == value).then(nw.lit(label_step(value) - _NEW_LABEL_STEP))
        for value in labels
    )
    # Each by itself: Ibis takes their sum for 64 bits already, and PostgreSQL does not.
    parts = [new, *(each.otherwise(nw.lit(0)) for each in differences)]
    return join([part.cast(nw.Int64) for part in parts], add)


def _number_part(columns: Columns, name: str, found: Range) -> Expr:
    low = found.low if math.isfinite(found.low) else 0.0
    multiplier = _multiplier(f"number {name}")
    factor = columns.constant(multiplier / _width(found))
    place = (columns.number(name) - columns.constant(low)) * factor
    return columns.fill_missing(place, name, _MISSING * multiplier)


def _width(found: Range) -> float:
    """The width of a range, and of something like it for a column that is constant."""
    for width in (found.high - found.low, abs(found.low)):
        if math.isfinite(2 / width if width > 0 else math.nan) and math.isfinite(width):
            return width
    return 1.0


def _multiplier(text: str) -> float:
    """Any number from 1 to 2."""
    return 1.0 + zlib.crc32(text.encode("utf-8", "surrogatepass")) / 2**32


def add_integers(values: Iterable[Any]) -> int:
    """The sum of integers, which are missing if there is no row."""
    return sum(int(value) for value in values if value is not None and value == value)


def _known(value: Any) -> float:
    """A number that is missing if there is no row."""
    return 0.0 if value is None or value != value else float(value)


def changed_table(detail: str = "") -> TableChangedError:
    """The error that a table changed."""
    return TableChangedError(
        f"the table changed while it was read{detail}; fit again, on a table that does not change"
    )
