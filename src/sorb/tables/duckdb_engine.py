"""DuckDB within limits: for tables in files that do not fit in memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sorb._extras import install_command
from sorb.tables.quoting import quote_name
from sorb.tables.scratch import scratch_folder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Engine", "open_engine", "select_columns"]

_STAGED_ROWS = 1 << 17


@dataclass(slots=True, eq=False)
class Engine:
    """A DuckDB database in memory, opened when it is needed, and a folder for what does not fit.

    Attributes
    ----------
    folder : for temporary files.
    threads : the threads that DuckDB may use.
    closing : what is closed with it.
    """

    folder: Path
    threads: int
    closing: ExitStack = field(default_factory=ExitStack)
    _memory: int | None = field(default=None, init=False)
    _connection: Any = field(default=None, init=False)

    @property
    def connection(self) -> Any:
        """The connection to it."""
        if self._connection is None:
            self._connection = _duckdb().connect(config=self._settings())
            self.closing.callback(self._connection.close)
            self._connection.execute("SET enable_progress_bar = true")
            self._connection.execute("SET enable_progress_bar_print = false")
            self.limit_memory(self._memory)
        return self._connection

    def limit_memory(self, memory: int | None) -> None:
        """Let DuckDB use so many bytes from now on, even if it is open; None changes nothing."""
        self._memory = memory
        if memory is not None and self._connection is not None:
            self._connection.execute(f"SET memory_limit = '{memory}B'")

    @contextmanager
    def in_order(self) -> Iterator[Any]:
        """Give a connection whose queries that start meanwhile keep the order of the rows.

        That takes memory, and it is a setting of all connections.
        """
        connection = self.connection.cursor()
        self.closing.callback(connection.close)
        self.connection.execute("SET preserve_insertion_order = true")
        try:
            yield connection
        finally:
            self.connection.execute("SET preserve_insertion_order = false")

    def progress(self) -> float:
        """The share of the rows that the running query has read; negative if it is unknown."""
        return -1.0 if self._connection is None else self._connection.query_progress() / 100

    def _settings(self) -> dict[str, str]:
        return {
            "threads": str(self.threads),
            "temp_directory": str(self.folder / "duckdb"),
            "preserve_insertion_order": "false",
            # Nothing is downloaded.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }

    def scan(self, paths: Sequence[str | Path]) -> Any:
        """The rows of Parquet files with the same columns, as a lazy frame."""
        # DuckDB would take a name such as p[1].parquet for a pattern.
        names = [escape(str(path)) for path in paths]
        # The columns are those in the files: of year=2020/p.parquet it would add or replace one.
        return self.connection.read_parquet(names, union_by_name=True, hive_partitioning=False)

    def stage(self, pieces: Iterable[pa.Table]) -> Any:
        """Write pieces of a table to a temporary file, and give its rows as a lazy frame."""
        import pyarrow.parquet as pq

        path = self.folder / "staged.parquet"
        writer = None
        try:
            for piece in pieces:
                with _telling_of_folder():
                    if writer is None:
                        writer = pq.ParquetWriter(path, piece.schema, compression="zstd")
                    writer.write_table(piece, _STAGED_ROWS)
        finally:
            if writer is not None:
                with _telling_of_folder():
                    writer.close()
        return self.scan([path])


def select_columns(
    rows: Any, columns: Sequence[str], casts: Mapping[str, str] | None = None
) -> Any:
    """Some columns of a relation; UUIDs become texts, as nothing else can be done with them.

    `casts` are expressions of SQL for columns that are needed as another type.
    """
    kinds = dict(zip(rows.columns, map(str, rows.types), strict=True))
    quoted = {name: quote_name(name) for name in columns}
    uuids = {name: f"{q}::VARCHAR" for name, q in quoted.items() if kinds[name] == "UUID"}
    expressions = {**quoted, **uuids, **(casts or {})}
    return rows.project(", ".join(f"{expressions[n]} AS {q}" for n, q in quoted.items()))


@contextmanager
def _telling_of_folder() -> Iterator[None]:
    """Say where a temporary file could not be written, and how to choose another folder."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise OSError(
            f"the temporary copy of the table could not be written to {tempfile.gettempdir()}: "
            f"{reason}; set TMPDIR to a folder with more room"
        ) from error


@contextmanager
def open_engine(threads: int = 1) -> Iterator[Engine]:
    """Give an engine whose temporary files are removed in the end.

    Examples
    --------
    >>> import pyarrow as pa
    >>> with open_engine() as engine:
    ...     engine.stage([pa.table({"age": [40, 50]})]).fetchall()
    [(40,), (50,)]
    """
    with scratch_folder() as folder:
        engine = Engine(folder, threads)
        with engine.closing:
            yield engine


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise ImportError(
            f"tables larger than memory are read by DuckDB: {install_command('databases')}"
        ) from error
    return duckdb
