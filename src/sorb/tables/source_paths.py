"""The files that the sources of a table name: paths, patterns and addresses of databases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path
from urllib.parse import unquote

from sorb.tables.files import STANDARD_INPUT

__all__ = ["database_path", "folder_variables", "matching_paths", "source_paths"]

_DATABASES_IN_FILES = ("duckdb", "sqlite")
# Where standard input may be a file, its path; where there is no such path, it is no file.
_STANDARD_INPUT_PATH = "/dev/stdin"


def source_paths(sources: Sequence[str]) -> list[str]:
    """List the files that are read; refuse one that does not exist, before any of them is opened.

    Examples
    --------
    >>> source_paths(["postgresql://host/clinic"])
    []
    >>> source_paths(["no/such/folder/*.csv"])
    Traceback (most recent call last):
    ...
    FileNotFoundError: no file matches no/such/folder/*.csv
    """
    return [path for source in sources for path in _paths(source)]


def _paths(source: str) -> Iterator[str]:
    if source == STANDARD_INPUT:
        yield _STANDARD_INPUT_PATH
    elif "://" in source:
        path = database_path(source)
        if path is not None:
            yield path
    else:
        for path in matching_paths(source):
            Path(path).stat()
            yield path


def folder_variables(paths: Iterable[str]) -> list[str]:
    """Name the variables by whose values folders are named, such as year=2020 and year=2021.

    Examples
    --------
    >>> folder_variables(["at=home/year=2020/a.csv", "at=home/year=2021/a.csv"])
    ['year']
    """
    values: dict[str, set[str]] = {}
    for path in paths:
        for folder in Path(path).parent.parts:
            name, sign, value = folder.partition("=")
            if name and sign:
                values.setdefault(name, set()).add(value)
    return [name for name, found in values.items() if len(found) > 1]


def matching_paths(source: str) -> list[str]:
    """List the files that match a pattern, in the order of their names; a path is itself."""
    if not has_magic(source) or Path(source).exists():
        return [source]
    paths = sorted(path for path in glob(source, recursive=True) if Path(path).is_file())
    if not paths:
        raise FileNotFoundError(f"no file matches {source}")
    return paths


def database_path(address: str) -> str | None:
    """Give the file that the address of a DuckDB or SQLite database names; None of others.

    Examples
    --------
    >>> [database_path(f"{scheme}:///clinic.db") for scheme in ("sqlite", "postgresql")]
    ['clinic.db', None]
    """
    scheme, _, rest = address.partition("://")
    # sqlite:///here.db is a file in this folder, sqlite:////there/here.db is not.
    return unquote(rest.removeprefix("/")) if scheme in _DATABASES_IN_FILES else None
