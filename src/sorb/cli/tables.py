"""Tables from CSV and Parquet files or from standard input, and tables written to files."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from sorb.cli.arguments import DecimalSign, names, require_names
from sorb.cli.csv_form import CsvForm, fault

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "MISSING",
    "POINT_ZERO",
    "STANDARD_INPUT",
    "as_categories",
    "as_texts",
    "cells",
    "is_number",
    "is_text",
    "read_table",
    "with_columns",
    "write_table",
]

STANDARD_INPUT = "-"
PARQUET = b"PAR1"
COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
MISSING = ("", "?", "NA", "<NA>", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
# What pandas calls the row numbers of a table.
ROW_NUMBERS = re.compile(r"__index_level_\d+__")
LONGEST_REASON = 200
BLOCK = 1 << 20
# How whole numbers are written by programs in which those beside missing values are none.
POINT_ZERO = re.compile(r"^([+-]?\d+)\.0+$")


def read_table(
    source: str,
    wanted: Mapping[str, str] | None = None,
    as_text: Sequence[str] = (),
    passed_on: Collection[str] = (),
    decimal: DecimalSign | None = None,
) -> pa.Table:
    """Read a table: all columns that have a name, or those that are wanted.

    Parameters
    ----------
    source : str
        A file, or ``-`` for standard input.
    wanted : mapping from str to str, optional
        The columns to read, and what each is for, which is said if it is not there.
    as_text : sequence of str, default=()
        Columns of CSV, or lists of them with commas, that are texts, also if these look like
        numbers. Parquet knows what its columns are.
    passed_on : collection of str, default=()
        Columns of CSV whose cells are taken as they are written, also if they look missing.
    decimal : DecimalSign, optional
        Whether numbers of CSV may have a decimal comma; if None, they may where semicolons or tabs
        separate the cells.
    """
    _require_pyarrow()
    where = "standard input" if source == STANDARD_INPUT else source
    with _opened(source) as stream:
        plain = _decompressed(stream, where)
        is_parquet = _starts(plain, len(PARQUET)) == PARQUET
        if is_parquet:
            table = _parquet(plain, where, wanted)
        else:
            table = _csv(plain, where, wanted, as_text, passed_on, decimal)
    if not table.num_rows:
        raise ValueError(f"{where} has no rows")
    return table


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError('tables are read by pyarrow: pip install "sorb[tables]"') from error


@contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    """Open a file; what cannot be gone back in, such as a pipe, is kept."""
    if source == STANDARD_INPUT:
        yield io.BytesIO(sys.stdin.buffer.read())
        return
    with Path(source).open("rb") as stream:
        yield stream if stream.seekable() else io.BytesIO(stream.read())


def _starts(stream: IO[bytes], length: int) -> bytes:
    start = stream.read(length)
    stream.seek(0)
    return start


def _decompressed(stream: IO[bytes], where: str) -> IO[bytes]:
    import pyarrow as pa

    start = _starts(stream, max(map(len, COMPRESSED)))
    for magic, codec in COMPRESSED.items():
        if start.startswith(magic):
            try:
                return io.BytesIO(pa.CompressedInputStream(stream, codec).read())
            except OSError as error:
                raise ValueError(f"{where} cannot be decompressed: {error}") from None
    return stream


def _parquet(stream: IO[bytes], where: str, wanted: Mapping[str, str] | None) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(stream)
        columns = _chosen(file.schema_arrow.names, wanted, where)
        return _known_types(file.read(columns=columns).select(columns), where)
    except pa.ArrowException as error:
        raise ValueError(f"{where}: {_short(error)}") from None


def _csv(
    stream: IO[bytes],
    where: str,
    wanted: Mapping[str, str] | None,
    as_text: Sequence[str],
    passed_on: Collection[str],
    decimal: DecimalSign | None,
) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    from sorb.cli.written_numbers import as_numbers

    form = _csv_form(stream, where)
    columns = _chosen(form.columns, wanted, where)
    texts = {*names(as_text, form.columns), *passed_on}
    conversion = arrow_csv.ConvertOptions(
        include_columns=columns,
        column_types={name: pa.string() for name in columns if name in texts},
        null_values=list(MISSING),
    )
    parsing = arrow_csv.ParseOptions(delimiter=form.separator, newlines_in_values=True)
    reading = arrow_csv.ReadOptions(skip_rows=form.before)
    _require_closed_quotes(stream, form, where)
    try:
        table = arrow_csv.read_csv(stream, reading, parsing, conversion)
    except pa.ArrowInvalid as error:
        found = _fault(stream, form)
        raise ValueError(f"{where}, {found}" if found else f"{where}: {_short(error)}") from None
    commas = form.separator != "," if decimal is None else decimal is DecimalSign.comma
    read = table.columns
    for place, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_string(column.type):
            known = _without_marks(column, ("",) if name in passed_on else MISSING)
            read[place] = known if name in texts else as_numbers(known, commas)
    return _known_types(pa.table(read, table.column_names) if read else table, where)


def _csv_form(stream: IO[bytes], where: str) -> CsvForm:
    lines = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        form = CsvForm.of(lines)
    except UnicodeDecodeError:
        raise ValueError(f"{where} is neither Parquet nor CSV in UTF-8: save it as one") from None
    finally:
        lines.detach().seek(0)
    if not form.columns:
        raise ValueError(f"{where} is empty")
    return form


def _require_closed_quotes(stream: IO[bytes], form: CsvForm, where: str) -> None:
    """Refuse a file in which all that follows an open quote would be a single cell."""
    count = sum(part.count(b'"') for part in iter(lambda: stream.read(BLOCK), b""))
    stream.seek(0)
    found = _fault(stream, form) if count % 2 else None
    if found:
        raise ValueError(f"{where}, {found}")


def _fault(stream: IO[bytes], form: CsvForm) -> str | None:
    stream.seek(0)
    lines = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="", errors="replace")
    try:
        return fault(lines, form)
    finally:
        lines.detach().seek(0)


def _without_marks(column: pa.ChunkedArray, marks: Sequence[str]) -> pa.ChunkedArray:
    """Empty the cells of a column of texts that mark what is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.is_in(column, pa.array(marks)), None, column)


def _chosen(present: Sequence[str], wanted: Mapping[str, str] | None, where: str) -> list[str]:
    """Choose the columns to read; a column without a name holds the numbers of the rows."""
    named = [name for name in present if name and not ROW_NUMBERS.fullmatch(name)]
    for name, purpose in (wanted or {}).items():
        require_names([name], named, where, purpose)
    chosen = named if wanted is None else list(wanted)
    count = Counter(named)
    for name in chosen:
        if count[name] > 1:
            raise ValueError(f"{where} has two columns {name!r}: rename one of them")
    return chosen


def _known_types(table: pa.Table, where: str) -> pa.Table:
    """Take empty columns for missing numbers, and refuse what is no text, number or date."""
    import pyarrow as pa

    columns = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        kind = field.type
        if str(kind) in ("binary", "large_binary", "binary_view"):
            raise ValueError(f"{where}, column {field.name!r}: not a text in UTF-8")
        if pa.types.is_nested(kind):
            raise ValueError(f"{where}, column {field.name!r}: a {kind} is not one value")
        if column.null_count == len(column):
            columns[field.name] = pa.nulls(len(column), pa.float64())
        elif str(kind) == "string_view":
            columns[field.name] = column.cast(pa.string())
        else:
            columns[field.name] = column
    return pa.table(columns) if columns else table


def _short(error: Exception) -> str:
    reason = str(error)
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"


def is_number(table: pa.Table, name: str) -> bool:
    """Whether a column holds numbers, or truth values, which are 0 and 1."""
    import pyarrow as pa

    kind = table.schema.field(name).type
    known = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(is_kind(kind) for is_kind in known)


def is_text(table: pa.Table, name: str) -> bool:
    """Whether a column holds texts."""
    import pyarrow as pa

    kind = table.schema.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def with_columns(table: pa.Table, changed: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    """Put others in the place of some columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"a": [1, 2], "b": [3, 4]})
    >>> with_columns(table, {"a": table["b"]}).to_pydict()
    {'a': [3, 4], 'b': [3, 4]}
    """
    import pyarrow as pa

    if not changed:
        return table
    present = zip(table.column_names, table.columns, strict=True)
    return pa.table([changed.get(name, column) for name, column in present], table.column_names)


def as_texts(table: pa.Table, columns: Collection[str]) -> pa.Table:
    """Write the values of some columns as texts, which they are in CSV."""
    import pyarrow as pa

    return with_columns(table, {name: table[name].cast(pa.string()) for name in columns})


def as_categories(table: pa.Table, columns: Collection[str]) -> pa.Table:
    """Write the whole numbers among the texts of some columns alike: 5 and 5.0 as 5.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_categories(pa.table({"zip": ["20095.0", "01234", "x"]}), ["zip"])["zip"].to_pylist()
    ['20095', '01234', 'x']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    def written(column: pa.ChunkedArray) -> pa.ChunkedArray:
        return pc.replace_substring_regex(column.cast(pa.string()), POINT_ZERO.pattern, r"\1")

    texts = [name for name in columns if is_text(table, name)]
    return with_columns(table, {name: written(table[name]) for name in texts})


def cells(table: pa.Table, name: str) -> list[Any]:
    """Give the values of a column, None where one is missing."""
    # NaN is the only value that differs from itself.
    return [value if value == value else None for value in table[name].to_pylist()]


def write_table(columns: Mapping[str, Sequence[Any]], out: Path | None) -> None:
    """Write columns of equal length as CSV to a file or standard output, or to a Parquet file."""
    if out is not None and out.suffix.lower() in (".parquet", ".pq"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({name: list(column) for name, column in columns.items()}), out)
        return
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*map(_written_once, columns.values()), strict=True))
    if out is None:
        sys.stdout.write(text.getvalue())
    else:
        out.write_text(text.getvalue(), encoding="utf-8", newline="")


def _written_once(column: Sequence[Any]) -> Sequence[Any]:
    """Write each number once, as rules give the same one to many rows and writing takes time."""
    if not isinstance(column[0], float):
        return column
    written = {value: None if value is None else repr(value) for value in set(column)}
    return [written[value] for value in column]
