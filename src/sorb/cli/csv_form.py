"""How a CSV file is written: what separates its cells, its columns, and where it is broken."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

__all__ = ["CsvForm", "fault"]

SEPARATORS = ",;\t"
SAMPLE_LINES = 50
# The line by which Excel is told the separator.
TOLD = re.compile(r"sep=([^\"\r\n])\r?\n?", re.IGNORECASE)


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Lift the limit of the module csv, which holds for all of its readers."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


@dataclass(frozen=True, slots=True)
class CsvForm:
    r"""How a CSV file is written, found out from its first lines.

    Attributes
    ----------
    columns : tuple of str
        The names in the header.
    separator : str
        What separates the cells.
    before : int
        How many lines come before the header: one if it tells the separator.

    Examples
    --------
    >>> CsvForm.of(["age;bmi\n", "40;25,3\n"])
    CsvForm(columns=('age', 'bmi'), separator=';', before=0)
    """

    columns: tuple[str, ...]
    separator: str
    before: int = 0

    @classmethod
    def of(cls, lines: Iterable[str]) -> CsvForm:
        """Find the separator that divides the first lines into the same number of cells."""
        sample = list(islice(lines, SAMPLE_LINES))
        told = TOLD.fullmatch(sample[0]) if sample else None
        before = 1 if told else 0
        separators = told[1] if told else SEPARATORS
        readings = [_Reading.of(sample[before:], separator) for separator in separators]
        best = max(readings, key=lambda reading: (reading.agrees, reading.width))
        return cls(tuple(best.rows[0]) if best.rows else (), best.separator, before)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What lines hold if their cells are separated by a certain sign."""

    separator: str
    rows: list[list[str]]
    broken: bool

    @classmethod
    @_cells_of_any_length()
    def of(cls, lines: list[str], separator: str) -> _Reading:
        reader = csv.reader(lines, delimiter=separator, strict=True)
        rows, broken = [], False
        try:
            for row in reader:
                rows.append(row)
        except csv.Error:  # a sign between a closing quote and the separator
            # If it is at the end, the sample may just end within a quoted cell.
            broken = reader.line_num < len(lines)
        return cls(separator, [row for row in rows if row], broken)

    @property
    def width(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    @property
    def agrees(self) -> bool:
        """Whether all lines have as many cells as the header, and more than one."""
        regular = all(len(row) == self.width for row in self.rows)
        return self.width > 1 and regular and not self.broken


@_cells_of_any_length()
def fault(lines: Iterable[str], form: CsvForm) -> str | None:
    r"""Tell the first line with too many or too few cells, or whose quote is never closed.

    Examples
    --------
    >>> fault(["a,b\n", "1,2\n", "3\n"], CsvForm(("a", "b"), ","))
    'line 3: 1 cells, but the header has 2'
    >>> fault(["a,b\n", '1,"2\n', "3,4\n"], CsvForm(("a", "b"), ","))
    'line 2: a quote is not closed'
    """
    for first, count, record in _records(islice(lines, form.before, None), form.separator):
        where = f"line {form.before + first}"
        if count not in (0, len(form.columns)):
            hint = " (is a quote not closed?)" if len(record) > 1 else ""
            return f"{where}: {count} cells, but the header has {len(form.columns)}{hint}"
        if not _ends(record, form.separator):
            return f"{where}: a quote is not closed"
    return None


def _records(lines: Iterable[str], separator: str) -> Iterator[tuple[int, int, list[str]]]:
    """Give the first line of each record, how many cells it has, and its lines."""
    record: list[str] = []

    def remembered() -> Iterator[str]:
        for line in lines:
            record.append(line)
            # Python 3.10 refuses the sign of number 0.
            yield line.replace("\0", "")

    first = 1
    for row in csv.reader(remembered(), delimiter=separator):
        yield first, len(row), record
        first += len(record)
        record.clear()


def _ends(record: list[str], separator: str) -> bool:
    """Whether a record is complete; only the last of a file may not be."""
    if len(record) == 1 and record[0].count('"') % 2 == 0:
        return True
    try:
        list(csv.reader(record, delimiter=separator, strict=True))
    except csv.Error as error:
        return "unexpected end" not in str(error)
    return True
