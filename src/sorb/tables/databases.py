"""Tables of databases, which are only read: DuckDB, SQLite, and PostgreSQL through Ibis."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode

import pyarrow as pa

from sorb._extras import install_command
from sorb.tables.duckdb_engine import Engine, select_columns
from sorb.tables.file_columns import choose_columns, shorten
from sorb.tables.quoting import quote_name, quote_some
from sorb.tables.source_paths import database_path

if TYPE_CHECKING:
    from sorb.tables.large_table import CsvCells, LargeTable

__all__ = ["open_address", "open_database"]

_PIECE = 1 << 16  # rows
_POSTGRES = ("postgres", "postgresql")
# What SQLite calls the types of values, and what holds all of them.
_STORED = {
    frozenset[str](): pa.float64(),
    frozenset({"integer"}): pa.int64(),
    frozenset({"real"}): pa.float64(),
    frozenset({"integer", "real"}): pa.float64(),
    frozenset({"text"}): pa.string(),
}


def open_address(address: str, table: str | None, engine: Engine) -> LargeTable:
    """Open a table of the database at an address such as ``postgresql://host/database``."""
    scheme, _, _ = address.partition("://")
    if scheme in _POSTGRES:
        return PostgresTable(address, table, engine)
    path = database_path(address)
    if path is None:
        raise ValueError(
            f"expected postgresql://…, duckdb://… or sqlite:///…, found {scheme}://…: from other "
            "databases, save the table as Parquet"
        )
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return open_database(scheme, path, table, engine)


def open_database(kind: str, path: str, table: str | None, engine: Engine) -> LargeTable:
    """Open a table of a DuckDB or SQLite file."""
    return (DuckdbTable if kind == "duckdb" else SqliteTable)(path, table, engine)


def _require_table(table: str | None, tables: Sequence[str], where: str) -> str:
    known = f"there are {quote_some(sorted(tables))}" if tables else "there are none"
    if table is None:
        raise ValueError(f"{where} is a database: name one of its tables by --table; {known}")
    if table not in tables:
        raise ValueError(f"{where} has no table {table!r}: {known}")
    return table


class DuckdbTable:
    """A table of a DuckDB file, as described in `sorb.tables.large_table.LargeTable`."""

    def __init__(self, path: str, table: str | None, engine: Engine) -> None:
        self._engine, self._connection = engine, engine.connection
        file = path.replace("'", "''")
        try:
            self._connection.execute(f"ATTACH '{file}' AS source (READ_ONLY)")
        except Exception as error:
            raise ValueError(f"{path}: {shorten(error)}") from None
        found = self._connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source' "
            "UNION SELECT schema_name, view_name FROM duckdb_views() "
            "WHERE database_name = 'source' AND NOT internal"
        ).fetchall()
        names = {t if s == "main" else f"{s}.{t}": (s, t) for s, t in found}
        schema, name = names[_require_table(table, list(names), path)]
        self.where = f"{path}, table {table}"
        self._query = f"FROM source.{quote_name(schema)}.{quote_name(name)}"
        self._rows = self._connection.sql(self._query)
        self.left_out: dict[str, str] = {}
        self.columns = choose_columns(self._rows.columns, None, self.where)

    def frame(self, columns: Sequence[str], cells: CsvCells) -> Any:
        """Give some columns as a lazy frame."""
        return select_columns(self._rows, columns)

    def pieces(self, columns: Sequence[str], cells: CsvCells) -> Iterator[pa.Table]:
        """Read some columns piece by piece, in the order of the table."""
        with self._engine.in_order() as connection:
            reader = select_columns(connection.sql(self._query), columns).to_arrow_reader(_PIECE)
        for batch in reader:
            yield pa.table(batch)


class SqliteTable:
    """A table of an SQLite file, as described in `sorb.tables.large_table.LargeTable`."""

    def __init__(self, path: str, table: str | None, engine: Engine) -> None:
        self._address = f"{Path(path).absolute().as_uri()}?mode=ro"
        self._engine = engine
        with closing(self._connect()) as connection:
            try:
                found = connection.execute(
                    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                ).fetchall()
            except sqlite3.Error as error:
                raise ValueError(f"{path}: {error}") from None
            self._table = quote_name(_require_table(table, [name for (name,) in found], path))
            self.where = f"{path}, table {table}"
            try:
                described = connection.execute(f"SELECT * FROM {self._table} LIMIT 0").description
            except sqlite3.Error as error:  # of a view
                raise ValueError(f"{self.where}: {error}") from None
        self.left_out: dict[str, str] = {}
        self.columns = choose_columns([name for name, *_ in described], None, self.where)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._address, uri=True)

    def frame(self, columns: Sequence[str], cells: CsvCells) -> Any:
        """Give some columns as a lazy frame: of a Parquet file, as DuckDB does not read SQLite."""
        return self._engine.stage(self.pieces(columns, cells))

    def pieces(self, columns: Sequence[str], cells: CsvCells) -> Iterator[pa.Table]:
        """Read some columns piece by piece, in the order of the table."""
        with closing(self._connect()) as connection:
            try:
                yield from self._read(connection, columns)
            except sqlite3.Error as error:
                raise ValueError(f"{self.where}: {error}") from None

    def _read(self, connection: sqlite3.Connection, columns: Sequence[str]) -> Iterator[pa.Table]:
        connection.execute("BEGIN")  # the table is read twice, and must be the same
        schema = pa.schema(self._types(connection, columns))
        yield schema.empty_table()
        connection.text_factory = bytes  # that they are UTF-8 is checked for each column
        names, first_row = ", ".join(map(quote_name, columns)), 0
        cursor = connection.execute(f"SELECT {names} FROM {self._table}")
        while rows := cursor.fetchmany(_PIECE):
            values = zip(schema, zip(*rows, strict=True), strict=True)
            arrays = [self._array(field, column, first_row) for field, column in values]
            yield pa.table(arrays, schema)
            first_row += len(rows)

    def _array(self, field: pa.Field, values: Sequence[Any], first_row: int) -> pa.Array:
        try:
            return pa.array(values, field.type)
        except pa.ArrowInvalid:
            is_text = pa.types.is_string(field.type)
            is_right = _is_unicode if is_text else _is_exact
            row = next(k for k, value in enumerate(values) if not is_right(value))
            found = f"{values[row]!r:.60} in row {first_row + row}"
            reason = (
                f"not text in UTF-8, found {found}: correct it"
                if is_text
                else f"{found} has too many digits for a column with decimal numbers: round it"
            )
            raise ValueError(
                f"{self.where}, column {field.name!r}: {reason}, or leave the column out"
            ) from None

    def _types(self, connection: sqlite3.Connection, columns: Sequence[str]) -> dict[str, Any]:
        """Find out what the columns hold, as any column of SQLite may hold anything."""
        kinds = ("integer", "real", "text", "blob")
        asked = [f"max(typeof({quote_name(c)}) = '{kind}')" for c in columns for kind in kinds]
        found: list[Any] = []
        for start in range(0, len(asked), 1000):
            query = f"SELECT {', '.join(asked[start : start + 1000])} FROM {self._table}"
            found += connection.execute(query).fetchone()
        types = {}
        for k, name in enumerate(columns):
            flags = zip(kinds, found[4 * k : 4 * k + 4], strict=True)
            stored = frozenset(kind for kind, flag in flags if flag)
            if stored not in _STORED:
                raise ValueError(
                    f"{self.where}, column {name!r} holds {' and '.join(sorted(stored))} values: "
                    "expected numbers or texts, so make them all alike, or --ignore the column"
                )
            types[name] = _STORED[stored]
        return types


def _is_exact(number: float | None) -> bool:
    """Whether a number is a float, or an integer within which floats hold all."""
    return not isinstance(number, int) or abs(number) <= 2**53


def _is_unicode(text: bytes | None) -> bool:
    try:
        str(text or b"", "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _without_password(address: str) -> str:
    """The address of a database to print, which names no user either.

    Examples
    --------
    >>> _without_password("postgresql://me:p@ss/word@host/clinic?password=secret&port=5433")
    'postgresql://host/clinic?password=…&port=5433'
    """
    # Up to the last @, as a password may hold others that should have been quoted.
    return re.sub(r"password=[^&]*", "password=…", re.sub(r"://.*@", "://", address))


class PostgresTable:
    """A table of PostgreSQL, as described in `sorb.tables.large_table.LargeTable`."""

    def __init__(self, address: str, table: str | None, engine: Engine) -> None:
        where = _without_password(address)
        try:
            connection = self._connect(address)
            engine.closing.callback(connection.disconnect)
            self._rows = _find_table(connection, table, where)
        except (ValueError, ImportError):
            raise
        except Exception as error:  # of Ibis and of the driver, which have no class in common
            raise ValueError(f"{where}: {shorten(error) or type(error).__name__}") from None
        self.where = f"{where}, table {table}"
        self.left_out: dict[str, str] = {}
        self.columns = choose_columns(list(self._rows.columns), None, self.where)

    def _connect(self, address: str) -> Any:
        try:
            import ibis
            import psycopg  # noqa: F401
        except ImportError as error:
            raise ImportError(
                f"PostgreSQL is asked through Ibis: {install_command('postgres')}"
            ) from error
        return ibis.connect(_with_options(address).replace("postgresql://", "postgres://", 1))

    def frame(self, columns: Sequence[str], cells: CsvCells) -> Any:
        """Give some columns as a lazy frame; UUIDs as texts."""
        chosen = [self._rows[name] for name in columns]
        return self._rows.select(
            *(c.cast("string").name(c.get_name()) if c.type().is_uuid() else c for c in chosen)
        )

    def pieces(self, columns: Sequence[str], cells: CsvCells) -> Iterator[pa.Table]:
        """Read some columns piece by piece, in any order, as the database has none."""
        rows = self.frame(columns, cells)
        # The driver guesses how many decimals there are. Identifiers have none.
        decimals = [c for c, t in rows.schema().items() if t.is_decimal() and t.scale != 0]
        rows = rows.cast(dict.fromkeys(decimals, "float64"))
        for batch in rows.to_pyarrow_batches(chunk_size=_PIECE):
            yield pa.table(batch)


def _find_table(connection: Any, table: str | None, where: str) -> Any:
    """The table of a name, or of the name of a schema, a dot and a name."""
    from ibis.common.exceptions import TableNotFound

    schema, _, name = (table or "").rpartition(".")
    places = [(None, table), (schema, name)] if schema else [(None, table)]
    for database, known in places if table else ():
        # Not by the list of tables, which leaves materialized views out.
        with suppress(TableNotFound):
            return connection.table(known, database=database)
    if schema:
        schemas = connection.list_databases()
        if schema not in schemas:
            raise ValueError(f"{where} has no schema {schema!r}: there are {quote_some(schemas)}")
        where = f"{where}, {schema}"
    tables = connection.list_tables(database=schema or None)
    _require_table(name or None, tables, where)
    raise AssertionError("Ibis lists a table that it does not find")


def _with_options(address: str) -> str:
    """An address that asks for what is needed, besides the options that it has.

    Examples
    --------
    >>> found = _with_options("postgresql://host/clinic?options=-c%20work_mem%3D9MB")
    >>> found.split("options=")[1].split("%20")[::2], found.count("work_mem%3D9MB")
    (['-c', '-c', '-c'], 1)
    """
    base, _, query = address.partition("?")
    fields = parse_qsl(query, keep_blank_values=True)
    given = [value for name, value in fields if name == "options"]
    # Compiling queries that are long takes PostgreSQL longer than answering them.
    options = " ".join(["-c jit=off", *given, "-c default_transaction_read_only=on"])
    others = [field for field in fields if field[0] != "options"]
    return f"{base}?{urlencode([*others, ('options', options)], quote_via=quote)}"
