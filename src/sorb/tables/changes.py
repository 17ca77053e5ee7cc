"""Whether a table changes while it is read: every answer brings a count of the rows and a checksum.

The checksum of a row is made of all of its values that are used, to 51 bits of each column's range,
by integer arithmetic. That of the table is their sum, which neither the order of the rows nor their
partition changes. Checksums of different engines may differ.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

from sorb.rules import Label
from sorb.tables.expressions import Columns, Expr
from sorb.tables.row_keys import LIMIT, MISSING_STEP, Range, label_step

__all__ = [
    "CHECKSUM",
    "COUNT",
    "ChangeWatch",
    "TableChangedError",
    "changed_table",
    "label_steps",
    "row_checksum",
]

# The columns of an answer with the number of rows and the checksum.
COUNT, CHECKSUM = "sorb count", "sorb checksum"

# The ranges of columns of numbers are divided into so many steps.
_STEPS = 2.0**51
# The step of a missing value, which no value has while the table does not change, …
_MISSING = 1.25 * _STEPS
# … and of values that are far from the range that the table first had.
_MOST_STEPS = 2.0 * _STEPS
# What is less than LIMIT is multiplied by numbers that have so many bits, …
_BITS = 27
# … so that the sum over so many columns fits in 64 bits.
_COLUMNS_AT_A_TIME = 16
# The step of a label that the table did not have at first; those of others are less.
_NEW_LABEL_STEP = MISSING_STEP + 1


class TableChangedError(RuntimeError):
    """A table that was read twice did not hold the same rows."""


@dataclass(slots=True, eq=False)
class ChangeWatch:
    """Compares what every answer tells about the rows.

    Attributes
    ----------
    row : the checksum of a row, as an expression.
    opening : what was found out before there was a checksum: questions to be asked again, and what
        was answered.
    """

    row: Expr
    opening: Mapping[str, tuple[Expr, int]]
    _seen: tuple[int, int] | None = field(default=None, init=False)

    @property
    def aggregates(self) -> list[Expr]:
        """What to ask about all rows."""
        return [nw.len().alias(COUNT), self.row.sum().alias(CHECKSUM)]

    def compare(self, counts: Sequence[Any], checksums: Sequence[Any]) -> int:
        """Refuse a table that changed, given counts and checksums of all its parts; count rows."""
        n_rows, checksum = _total(counts), _total(checksums)
        if self._seen is None:
            self._seen = (n_rows, checksum)
        elif self._seen != (n_rows, checksum):
            before = self._seen[0]
            raise changed_table("" if before == n_rows else f": first {before} rows, then {n_rows}")
        return n_rows

    def compare_opening(self, found: Mapping[str, Any]) -> None:
        """Refuse a table that changed before there was a checksum."""
        if any(_total([found[name]]) != value for name, (_, value) in self.opening.items()):
            raise changed_table()


def row_checksum(
    columns: Columns, numbers: Mapping[str, Range], labels: Mapping[str, Sequence[Label]]
) -> Expr:
    """The checksum of a row with columns of numbers, in these ranges, and of labels."""
    parts = [_number_part(columns, name, found) for name, found in numbers.items()]
    parts += [
        label_steps(columns, name, known) * _multiplier(f"label {name}")
        for name, known in labels.items()
    ]
    total: Expr | None = None
    for start in range(0, len(parts), _COLUMNS_AT_A_TIME):
        for part in parts[start : start + _COLUMNS_AT_A_TIME]:
            total = part if total is None else total + part
        assert total is not None
        total = total % LIMIT
    assert total is not None  # there are outcomes at least
    # A square, so that it matters which values are in the same row.
    return total * total % LIMIT


def label_steps(columns: Columns, name: str, labels: Sequence[Label]) -> Expr:
    """The step of the label of each row."""
    label = columns.label(name)
    step = nw.when(label.is_null()).then(nw.lit(MISSING_STEP)).otherwise(nw.lit(_NEW_LABEL_STEP))
    for value in labels:
        step = nw.when(label == value).then(nw.lit(label_step(value))).otherwise(step)
    return step.cast(nw.Int64)


def _number_part(columns: Columns, name: str, found: Range) -> Expr:
    low = found.low if math.isfinite(found.low) else 0.0
    place = (columns.number(name) - columns.constant(low)) * columns.constant(_factor(found))
    # Each expression is used once, as some engines compute it as often as it is used.
    step = place.fill_null(_MISSING).clip(-_MOST_STEPS, _MOST_STEPS).floor().cast(nw.Int64)
    return step % LIMIT * _multiplier(f"number {name}")


def _factor(found: Range) -> float:
    """The number of steps for each unit of a column, also of one that is constant."""
    for width in (found.high - found.low, abs(found.low)):
        factor = _STEPS / width if width > 0 else math.nan
        if math.isfinite(factor) and factor > 0:
            return factor
    return _STEPS


def _multiplier(text: str) -> int:
    """Any odd number."""
    number: int = zlib.crc32(text.encode("utf-8", "surrogatepass")) % 2**_BITS
    return number | 1


def _total(values: Sequence[Any]) -> int:
    """The sum of integers, which is missing if there is no row."""
    return sum(int(value) for value in values if value is not None and value == value)


def changed_table(detail: str = "") -> TableChangedError:
    """The error that a table changed."""
    return TableChangedError(
        f"the table changed while it was read{detail}; fit again, on a table that does not change"
    )
