"""A table in a sheet of an Excel file (.xlsx)."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Sequence
from typing import IO, Any

import pyarrow as pa

from sorb._extras import install_command
from sorb.tables.arrow import replace_columns, require_known_types
from sorb.tables.csv_header import has_header
from sorb.tables.excel_header import Merged, find_header
from sorb.tables.file_columns import choose_columns, name_columns, require_rows
from sorb.tables.missing_marks import MISSING, empty_marked
from sorb.tables.number_texts import read_numbers
from sorb.tables.packed_files import require_unpacked_size
from sorb.tables.quoting import quote_some
from sorb.tables.reading import Reading

__all__ = ["ExcelFile"]

SAMPLE_ROWS = 50
LARGEST_WHOLE = 2**53
# What Python reads from cells, and the type of a column of it.
_TYPES: dict[type, Any] = {
    bool: pa.bool_(),
    float: pa.float64(),
    datetime.date: pa.timestamp("us"),
    datetime.datetime: pa.timestamp("us"),
    datetime.time: pa.time64("us"),
    datetime.timedelta: pa.duration("us"),
}


class ExcelFile:
    """A table in a sheet of an Excel file, as described in `sorb.tables.files.TableFile`.

    A formula is the value that was computed when the file was saved; an error such as #N/A is
    missing. Cells that are merged all have the value of the first one. Rows without any value, and
    titles above the header, do not count.
    """

    def __init__(self, stream: IO[bytes], where: str, largest: int, reading: Reading) -> None:
        require_unpacked_size(stream, largest, where)
        cells, merged, self.where = _read_sheet(stream, where, reading)
        if not any(map(_has_values, cells)):
            raise ValueError(f"{self.where} is empty")
        header = find_header(cells, merged)
        below = [row for row in cells[header.end :] if _has_values(row)]
        names = [" ".join(map(_text, parts)) for parts in header.names]
        sample = [names, *(list(map(_text, row)) for row in below[:SAMPLE_ROWS])]
        if has_header(sample, self.where, reading):
            useless = [k for k in range(len(names)) if all(_is_empty(row[k]) for row in below)]
            named, left_out = name_columns(names, useless)
        else:
            below = [row for row in cells[header.start :] if _has_values(row)]
            named, left_out = [f"x{k}" for k in range(len(names))], {}
        kept = [k for k, name in enumerate(named) if name not in left_out]
        # Cells without a name and without values are only formatted.
        self.left_out = {n: r for n, r in left_out.items() if n == named[0] and _any(below, 0)}
        self.columns = [named[k] for k in kept]
        self._places, self._rows = kept, below
        self._commas, self._marks = bool(reading.decimal_commas), reading.missing

    def read(
        self,
        columns: Collection[str] | None = None,
        *,
        as_text: Collection[str] = (),
        as_written: Collection[str] = (),
    ) -> pa.Table:
        """Read some columns, or all."""
        chosen = choose_columns(self.columns, columns, self.where)
        require_rows(len(self._rows), self.where)
        texts = {*as_text, *as_written}
        table = pa.table({n: self._column(n, n in texts, n in as_written) for n in chosen})
        unread = [n for n in chosen if pa.types.is_string(table[n].type) and n not in texts]
        numbers = {name: read_numbers(table[name], self._commas) for name in unread}
        read = empty_marked(replace_columns(table, numbers), self._marks, kept=as_written)
        return require_known_types(read, self.where)

    def _column(self, name: str, as_text: bool, as_written: bool) -> pa.Array:
        place = self._places[self.columns.index(name)]
        marks = {""} if as_written else {*MISSING, *self._marks.texts(name)}
        cells = (row[place] for row in self._rows)
        values = [None if isinstance(v, str) and v.strip() in marks else v for v in cells]
        kinds = {_TYPES.get(type(value)) for value in values if value is not None}
        if as_text or len(kinds) != 1 or None in kinds:
            return pa.array([None if v is None else _text(v) for v in values], pa.string())
        [kind] = kinds
        if kind == pa.float64() and all(map(_is_whole, filter(None, values))):
            kind = pa.int64()
            values = [None if value is None else int(value) for value in values]
        elif pa.types.is_timestamp(kind):
            values = [None if value is None else _moment(value) for value in values]
        return pa.array(values, kind)


def _read_sheet(
    stream: IO[bytes], where: str, reading: Reading
) -> tuple[list[list[Any]], list[Merged], str]:
    """Read the cells of a sheet and which are merged, and say what to call it."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum
    except ImportError as error:
        raise ImportError(
            f"Excel files are read by python-calamine: {install_command('excel')}"
        ) from error
    try:
        workbook = CalamineWorkbook.from_object(stream)
        sheets = [s for s in workbook.sheets_metadata if s.typ == SheetTypeEnum.WorkSheet]
        visible = [s.name for s in sheets if s.visible == SheetVisibleEnum.Visible]
        name = _choose_sheet([s.name for s in sheets], visible, where, reading)
        sheet = workbook.get_sheet_by_name(name)
        cells = sheet.to_python(skip_empty_area=False)
    except CalamineError as error:
        raise ValueError(f"{where} cannot be read as an Excel file: {error}") from None
    merged = [Merged(*first, *last) for first, last in sheet.merged_cell_ranges or ()]
    width = max(map(len, cells), default=0)
    filled = [[*row, *[""] * (width - len(row))] for row in cells]
    for area in merged:
        area.fill(filled)
    return filled, merged, where if len(sheets) == 1 else f"{where}, sheet {name!r}"


def _choose_sheet(
    known: Sequence[str], visible: Sequence[str], where: str, reading: Reading
) -> str:
    if reading.sheet is not None:
        if reading.sheet not in known:
            raise ValueError(
                f"{where} has no sheet {reading.sheet!r}: there are {quote_some(known)}"
            )
        return reading.sheet
    name, *others = visible or known or [""]
    if not name:
        raise ValueError(f"{where} has no sheet with cells")
    if others:
        reading.tell(
            f"{where} has {len(others) + 1} sheets: the first, {name!r}, is read, not "
            f"{quote_some(others)}; --sheet names another"
        )
    return name


def _has_values(row: Iterable[Any]) -> bool:
    return not all(map(_is_empty, row))


def _any(rows: Iterable[Sequence[Any]], place: int) -> bool:
    return not all(_is_empty(row[place]) for row in rows)


def _is_empty(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _is_whole(value: float) -> bool:
    return value.is_integer() and abs(value) <= LARGEST_WHOLE


def _moment(value: datetime.date) -> datetime.datetime:
    if isinstance(value, datetime.datetime):
        return value
    return datetime.datetime.combine(value, datetime.time())


def _text(value: Any) -> str:
    """Write a value as it would be in CSV."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if _is_whole(value) else repr(value)
    return value.strip() if isinstance(value, str) else str(value)
