"""Tables in CSV, Excel and Parquet files, or on standard input."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from sorb._extras import install_command
from sorb.tables.foreign_files import require_table
from sorb.tables.packed_files import EXCEL, ZIP, largest_content, unpack, zip_kind
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["STANDARD_INPUT", "TableFile", "open_file", "require_pyarrow"]

STANDARD_INPUT = "-"
PARQUET = b"PAR1"


class TableFile(Protocol):
    """A table in a file that is open.

    Attributes
    ----------
    where : str
        What to call the file in messages.
    columns : list of str
        The names of its columns.
    left_out : dict from str to str
        Columns that are left out because they have no name, with the reason.
    """

    where: str
    columns: list[str]
    left_out: dict[str, str]

    def read(
        self,
        columns: Collection[str] | None = None,
        *,
        as_text: Collection[str] = (),
        as_written: Collection[str] = (),
    ) -> pa.Table:
        """Read some columns, or all.

        Parameters
        ----------
        columns : collection of str, optional
            The columns to read, in this order.
        as_text : collection of str, default=()
            Columns of CSV and Excel that hold texts, even if these look like numbers. Parquet knows
            what its columns hold.
        as_written : collection of str, default=()
            Columns of CSV whose cells are kept as they are written, even if they look missing.
        """


@contextmanager
def open_file(source: str, reading: Reading = FIND_OUT) -> Iterator[TableFile]:
    r"""Open a CSV, Excel or Parquet file, which may be compressed, or ``-`` for standard input.

    What the file is depends on its content, not on its name.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sorb.tables.files import open_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "table.csv")
    ...     _ = path.write_text("age;bmi\n40;25,3\n?;27\n")
    ...     with open_file(str(path)) as file:
    ...         file.read().to_pydict()
    {'age': [40, None], 'bmi': [25.3, 27.0]}
    """
    require_pyarrow()
    from sorb.tables.csv_file import CsvFile
    from sorb.tables.excel_file import ExcelFile
    from sorb.tables.parquet_file import ParquetFile

    where = "standard input" if source == STANDARD_INPUT else source
    with _naming(where), _open_bytes(source) as stream:
        largest = largest_content(stream)
        plain = unpack(stream, largest, where)
        start = _peek(plain, max(len(PARQUET), len(ZIP)))
        is_excel = start.startswith(ZIP) and zip_kind(plain) == EXCEL
        if reading.sheet is not None and not is_excel:
            raise ValueError(f"--sheet names a sheet of an Excel file, but {where} is none")
        file: TableFile
        if is_excel:
            file = ExcelFile(plain, where, largest, reading)
        elif start == PARQUET:
            file = ParquetFile(plain, where, largest, reading.missing)
        else:
            require_table(plain, where)
            file = CsvFile(plain, where, reading)
        reading.missing.require_columns(file.columns, where)
        yield file


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Name the file in errors of the system, which does not do so once the file is open."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, where) from error


def require_pyarrow() -> None:
    """Say what to install if pyarrow is missing."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(f"tables are read by pyarrow: {install_command('tables')}") from error


@contextmanager
def _open_bytes(source: str) -> Iterator[IO[bytes]]:
    """Open a file; what cannot be rewound, such as a pipe, is read into memory."""
    if source == STANDARD_INPUT:
        yield io.BytesIO(sys.stdin.buffer.read())
        return
    with Path(source).open("rb") as stream:
        yield stream if stream.seekable() else io.BytesIO(stream.read())


def _peek(stream: IO[bytes], length: int) -> bytes:
    start = stream.read(length)
    stream.seek(0)
    return start
