"""How a CSV file is written: what separates its cells, its decimal sign, and its columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

__all__ = ["CsvForm", "ragged_line"]

SEPARATORS = ",;\t"
SAMPLE_LINES = 50
COMMA_NUMBER = re.compile(r"\s*[+-]?\d+,\d+\s*")
POINT_NUMBER = re.compile(r"\s*[+-]?\d+\.\d+\s*")


@dataclass(frozen=True, slots=True)
class CsvForm:
    r"""How a CSV file is written, found out from its first lines.

    Examples
    --------
    >>> CsvForm.of(["age;bmi\n", "40;25,3\n"])
    CsvForm(columns=('age', 'bmi'), separator=';', decimal=',')
    """

    columns: tuple[str, ...]
    separator: str
    decimal: str

    @classmethod
    def of(cls, lines: Iterable[str]) -> CsvForm:
        """Find the separator that divides the first lines into the same number of cells."""
        sample = list(islice(lines, SAMPLE_LINES))
        readings = [_Reading.of(sample, separator) for separator in SEPARATORS]
        best = max(readings, key=lambda reading: (reading.agrees, reading.width))
        decimal = "," if best.separator != "," and _has_decimal_commas(best.rows) else "."
        return cls(tuple(best.rows[0]) if best.rows else (), best.separator, decimal)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What lines hold if their cells are separated by a certain sign."""

    separator: str
    rows: list[list[str]]
    broken: bool

    @classmethod
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


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    cells = [cell for row in rows[1:] for cell in row]
    return any(map(COMMA_NUMBER.fullmatch, cells)) and not any(map(POINT_NUMBER.fullmatch, cells))


def ragged_line(lines: Iterable[str], form: CsvForm) -> tuple[int, int] | None:
    r"""Find the first line with too many or too few cells: its number, and how many it has.

    Examples
    --------
    >>> ragged_line(["a,b\n", "1,2\n", "3\n"], CsvForm(("a", "b"), ",", "."))
    (3, 1)
    """
    reader = csv.reader(lines, delimiter=form.separator)
    for row in reader:
        if row and len(row) != len(form.columns):
            return reader.line_num, len(row)
    return None
