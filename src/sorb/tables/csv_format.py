"""How a CSV file is written: its separator, its columns, its records, and where it is broken."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from operator import itemgetter

__all__ = ["CsvFormat", "find_fault", "find_record"]

SEPARATORS = ",;\t|"
SAMPLE_LINES = 50
# A first line that tells Excel the separator, which pyarrow wants in ASCII.
SEPARATOR_LINE = re.compile(r"sep=([^\"\r\n\x80-\U0010ffff])\r?\n?", re.IGNORECASE)
LINE_ENDS = "\r\n"


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Lift the size limit of the module csv, which is the same for all of its readers."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


@dataclass(frozen=True, slots=True)
class CsvFormat:
    r"""How a CSV file is written, detected from its first lines.

    Attributes
    ----------
    columns : tuple of str
        The names in the header; none if the file is empty, or the quotes of the header are wrong.
    separator : str
        What separates the cells.
    before : int
        The number of lines before the header: one that names the separator, and empty ones.
    has_header : bool
        Whether there is a header; otherwise its line is the first row.
    sample : list of list of str
        The cells of the first lines, the header among them.

    Examples
    --------
    >>> CsvFormat.of(["age;bmi\n", "40;25,3\n"])
    CsvFormat(columns=('age', 'bmi'), separator=';', before=0, has_header=True)
    """

    columns: tuple[str, ...]
    separator: str
    before: int = 0
    has_header: bool = True
    sample: list[list[str]] = field(default_factory=list, compare=False, repr=False)

    @classmethod
    def of(cls, lines: Iterable[str]) -> CsvFormat:
        """Find the separator that splits all first lines into the same number of cells."""
        sample = list(islice(lines, SAMPLE_LINES))
        declared = SEPARATOR_LINE.fullmatch(sample[0]) if sample else None
        separators = declared[1] if declared else SEPARATORS
        before = 1 if declared else 0
        before += sum(1 for _ in takewhile(_is_empty, sample[before:]))
        attempts = [_Attempt.of(sample[before:], separator) for separator in separators]
        best = max(attempts, key=lambda attempt: (attempt.agrees, attempt.width))
        columns = tuple(best.rows[0]) if best.rows else ()
        return cls(columns, best.separator, before, sample=best.rows)

    def without_header(self) -> CsvFormat:
        """Call the columns x0, x1, …, and their names the first row."""
        columns = tuple(f"x{k}" for k in range(len(self.columns)))
        return replace(self, columns=columns, has_header=False)

    @property
    def empty_lines_are_rows(self) -> bool:
        """Whether an empty line is a row whose only cell is missing."""
        return len(self.columns) == 1


def _is_empty(line: str) -> bool:
    return not line.strip(LINE_ENDS)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What the lines hold if their cells are separated by a certain character."""

    separator: str
    rows: list[list[str]]
    broken: bool

    @classmethod
    @_cells_of_any_length()
    def of(cls, lines: list[str], separator: str) -> _Attempt:
        reader = csv.reader(lines, delimiter=separator, strict=True)
        rows, broken = [], False
        try:
            for row in reader:
                rows.append(row)
        except csv.Error:  # a character between a closing quote and the separator
            # At the end, the sample may merely stop inside a quoted cell.
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
def find_fault(lines: Iterable[str], csv_format: CsvFormat) -> str | None:
    r"""Describe the first line with too many or too few cells, or whose quote is never closed.

    Examples
    --------
    >>> find_fault(["a,b\n", "1,2\n", "3\n"], CsvFormat(("a", "b"), ","))
    'line 3: expected 2 cells, as in the header, found 1'
    >>> find_fault(["a,b\n", '1,"2\n', "3,4\n"], CsvFormat(("a", "b"), ","))
    'line 2: a quote is not closed'
    """
    expected = len(csv_format.columns)
    for line, row, record in _records(lines, csv_format):
        where, count = f"line {line}", len(row)
        if count not in (0, expected):
            hint = " (is a quote not closed?)" if len(record) > 1 else ""
            line_one = "header" if csv_format.has_header else "first line"
            return f"{where}: expected {expected} cells, as in the {line_one}, found {count}{hint}"
        if not _is_complete(record, csv_format.separator):
            return f"{where}: a quote is not closed"
    return None


@_cells_of_any_length()
def find_record(lines: Iterable[str], csv_format: CsvFormat, row: int) -> tuple[int, list[str]]:
    r"""Find a row below the header: its first line, and its cells as they are written.

    Examples
    --------
    >>> find_record(["a,b\n", "1,2\n", "\n", "3,x\n"], CsvFormat(("a", "b"), ","), 1)
    (4, ['3', 'x'])
    """
    empty = [""] if csv_format.empty_lines_are_rows else []
    records = ((line, cells or empty) for line, cells, _ in _records(lines, csv_format))
    first = 1 if csv_format.has_header else 0
    return next(islice(filter(itemgetter(1), records), first + row, None))


def _records(
    lines: Iterable[str], csv_format: CsvFormat
) -> Iterator[tuple[int, list[str], list[str]]]:
    """Give the first line number of each record, its cells, and its lines."""
    record: list[str] = []

    def remember() -> Iterator[str]:
        for line in islice(lines, csv_format.before, None):
            record.append(line)
            # Python 3.10 refuses the null character.
            yield line.replace("\0", "")

    first = 1 + csv_format.before
    for row in csv.reader(remember(), delimiter=csv_format.separator):
        yield first, row, record
        first += len(record)
        record.clear()


def _is_complete(record: list[str], separator: str) -> bool:
    """Whether a record is complete; only the last one of a file may be incomplete."""
    if len(record) == 1 and record[0].count('"') % 2 == 0:
        return True
    try:
        list(csv.reader(record, delimiter=separator, strict=True))
    except csv.Error as error:
        return "unexpected end" not in str(error)
    return True
