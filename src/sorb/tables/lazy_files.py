"""CSV or Parquet files with the same columns, read as one table that need not fit in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sorb.tables.arrow import replace_columns
from sorb.tables.csv_file import CsvFile
from sorb.tables.csv_kinds import Kind, find_kinds, read_piece
from sorb.tables.duckdb_engine import Engine, select_columns
from sorb.tables.file_columns import choose_columns
from sorb.tables.files import open_file
from sorb.tables.missing_marks import MISSING, empty_exact, empty_missing
from sorb.tables.packed_files import COMPRESSED, ZIP
from sorb.tables.parquet_file import ParquetFile
from sorb.tables.quoting import quote_name, quote_some
from sorb.tables.reading import FIND_OUT, Reading
from sorb.tables.source_paths import matching_paths

if TYPE_CHECKING:
    from sorb.tables.large_table import CsvCells

__all__ = ["open_files"]

_NUMBERS = (Kind.EMPTY, Kind.WHOLE)


def open_files(
    sources: Sequence[str], engine: Engine, reading: Reading = FIND_OUT
) -> CsvFiles | ParquetFiles:
    r"""Open files, and those that match patterns, in the order of their names; they must agree.

    Examples
    --------
    >>> import tempfile
    >>> from sorb.tables.duckdb_engine import open_engine
    >>> from sorb.tables.large_table import CsvCells
    >>> with tempfile.TemporaryDirectory() as folder, open_engine() as engine:
    ...     for k in (1, 2):
    ...         _ = Path(folder, f"{k}.csv").write_text(f"age,bmi\n{k}0,25\n")
    ...     files = open_files([f"{folder}/*.csv"], engine)
    ...     [piece.to_pydict() for piece in files.pieces(["age"], CsvCells())]
    [{'age': [10.0]}, {'age': [20.0]}]
    """
    paths = [path for source in sources for path in matching_paths(source)]
    files = [Path(path).resolve() for path in paths]
    times = Counter(files)
    for path, file in zip(paths, files, strict=True):
        if times[file] > 1:
            raise ValueError(
                f"{path} is named {times[file]} times, so its rows would count {times[file]} times"
            )
    if reading.sheet is not None:
        raise ValueError("--sheet is for a single Excel file, which is read as a whole")
    for path in paths:
        _require_uncompressed(path)
    kinds, readings = {}, {}
    for path in paths:
        with open_file(path, reading) as opened:
            kinds[path] = type(opened)
            readings[path] = opened.settled if isinstance(opened, CsvFile) else reading
            if not isinstance(opened, kinds[paths[0]]):
                raise ValueError(
                    f"{path} is {_name(opened)}, but {paths[0]} is not: name files of one kind"
                )
    others = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
    where = f"{sources[0]}{others}"
    if kinds[paths[0]] is ParquetFile:
        return ParquetFiles(paths, where, engine)
    return CsvFiles(readings, where, engine)


def _name(file: object) -> str:
    return "Parquet" if isinstance(file, ParquetFile) else "CSV"


def _require_uncompressed(path: str) -> None:
    with Path(path).open("rb") as file:
        start = file.read(max(map(len, [ZIP, *COMPRESSED])))
    if start.startswith((ZIP, *COMPRESSED)):
        raise ValueError(
            f"{path} is compressed, as Excel files are too, so it cannot be read in pieces: "
            "decompress it, or save it as CSV"
        )


def _require_same_columns(
    path: str, columns: Sequence[str], first: str, known: Sequence[str]
) -> None:
    for name in known:
        if name not in columns:
            raise ValueError(
                f"{path} has no column {name!r}, which {first} has; it has the columns "
                f"{quote_some(columns)}"
            )
    for name in columns:
        if name not in known:
            raise ValueError(f"{path} has a column {name!r}, which {first} does not have")


class ParquetFiles:
    """Parquet files, as described in `sorb.tables.large_table.LargeTable`."""

    def __init__(self, paths: Sequence[str], where: str, engine: Engine) -> None:
        self.where = where
        self._paths, self._engine = paths, engine
        self.columns: list[str] = []
        self.left_out: dict[str, str] = {}
        # The first file with any values in a column, and their type there.
        known: dict[str, tuple[str, pa.Field]] = {}
        types: dict[str, set[pa.DataType]] = {}
        for path in paths:
            with open_file(path) as file:
                assert isinstance(file, ParquetFile)
                columns, schema = choose_columns(file.columns, None, path), file.schema
                self.left_out |= file.left_out
            self.columns = self.columns or columns
            _require_same_columns(path, columns, paths[0], self.columns)
            for name in columns:
                types.setdefault(name, set()).add(schema.field(name).type)
                if not pa.types.is_null(schema.field(name).type):
                    first, field = known.setdefault(name, (path, schema.field(name)))
                    _require_like(path, schema.field(name), first, field)
        # What DuckDB does not read as pyarrow does.
        self._casts = {n: cast for n, found in types.items() if (cast := _duckdb_cast(n, found))}
        # Where the files differ.
        self._types = {name: _common_type(found) for name, found in types.items() if len(found) > 1}

    def frame(self, columns: Sequence[str], cells: CsvCells) -> Any:
        """Give some columns as a lazy frame."""
        return select_columns(self._engine.scan(self._paths), columns, self._casts)

    def pieces(self, columns: Sequence[str], cells: CsvCells) -> Iterator[pa.Table]:
        """Read some columns piece by piece."""
        for path in self._paths:
            with open_file(path) as file:
                assert isinstance(file, ParquetFile)
                for piece in file.pieces(columns):
                    yield replace_columns(piece, self._alike(piece))

    def _alike(self, piece: pa.Table) -> dict[str, pa.ChunkedArray]:
        changed = {name: kind for name, kind in self._types.items() if name in piece.column_names}
        return {name: piece[name].cast(kind) for name, kind in changed.items()}


class CsvFiles:
    """CSV files, as described in `sorb.tables.large_table.LargeTable`."""

    def __init__(self, readings: Mapping[str, Reading], where: str, engine: Engine) -> None:
        self.where = where
        self._readings, self._engine = readings, engine
        self._paths = list(readings)
        self._marks = readings[self._paths[0]].missing
        self.columns: list[str] = []
        self.left_out: dict[str, str] = {}
        self._commas: dict[str, bool] = {}
        for path in self._paths:
            with self._open(path) as file:
                columns = choose_columns(file.columns, None, path)
                # Each file has a separator of its own.
                self._commas[path] = file.has_decimal_commas
                self.left_out |= file.left_out
            self.columns = self.columns or columns
            _require_same_columns(path, columns, self._paths[0], self.columns)

    @contextmanager
    def _open(self, path: str) -> Iterator[CsvFile]:
        with open_file(path, self._readings[path]) as file:
            assert isinstance(file, CsvFile)
            yield file

    def frame(self, columns: Sequence[str], cells: CsvCells) -> Any:
        """Give some columns as a lazy frame: of a Parquet file, as CSV is slow to ask."""
        kinds: dict[str, Kind] = {}
        for path in self._paths:
            texts = self._texts(path, columns)
            kinds = find_kinds(texts, cells.as_text, self._commas[path], kinds, self._marks)
        if not kinds:
            raise ValueError(f"{self.where} has no rows")
        pieces = (
            read_piece(piece, kinds, self._commas[path], self._marks)
            for path in self._paths
            for piece in self._texts(path, columns)
        )
        return self._engine.stage(pieces)

    def pieces(self, columns: Sequence[str], cells: CsvCells) -> Iterator[pa.Table]:
        """Read some columns piece by piece."""
        for path in self._paths:
            yield from self._pieces_of(path, columns, cells)

    def _pieces_of(self, path: str, columns: Sequence[str], cells: CsvCells) -> Iterator[pa.Table]:
        commas = self._commas[path]
        for piece in self._texts(path, columns):
            kinds = find_kinds(
                [piece], {*cells.as_text, *cells.as_written}, commas, marks=self._marks
            )
            # The next piece may hold others.
            kinds = {n: Kind.NUMBER if k in _NUMBERS else k for n, k in kinds.items()}
            read = read_piece(piece, kinds, commas, self._marks)
            kept = {name: empty_exact(piece[name]) for name in cells.as_written}
            kept |= {
                name: empty_missing(piece[name], (*MISSING, *self._marks.texts(name)))
                for name in cells.as_text
            }
            yield pa.table({name: kept.get(name, read[name]) for name in columns})

    def _texts(self, path: str, columns: Sequence[str]) -> Iterator[pa.Table]:
        with self._open(path) as file:
            yield from file.text_pieces(columns)


def _require_like(path: str, field: pa.Field, first: str, known: pa.Field) -> None:
    if _rough_type(field.type) != _rough_type(known.type):
        raise ValueError(
            f"{path}, column {field.name!r} holds {field.type}, but {known.type} in {first}: "
            "expected the same kind of values in all files"
        )


def _duckdb_cast(name: str, kinds: Collection[pa.DataType]) -> str | None:
    """Give a column the type that it has in memory, if DuckDB gives it another; None if not."""
    if all(map(pa.types.is_null, kinds)):
        return f"{quote_name(name)}::DOUBLE"
    if any(map(pa.types.is_duration, kinds)):  # to DuckDB, these are whole numbers
        return f"to_microseconds({quote_name(name)}::BIGINT)"
    return None


def _common_type(kinds: Collection[pa.DataType]) -> pa.DataType:
    """Find a type that holds all values of some types that are alike."""
    rough = {_rough_type(kind) for kind in kinds if not pa.types.is_null(kind)}
    if rough == {"text"}:
        return pa.string()
    if rough == {"date"}:
        return pa.timestamp("us")
    schemas = [pa.schema({"column": kind}) for kind in kinds]
    return pa.unify_schemas(schemas, promote_options="permissive").field("column").type


def _rough_type(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    if pa.types.is_duration(kind):
        return "duration"
    return "date" if pa.types.is_temporal(kind) else str(kind)
