"""The one way to ask an engine about a lazy frame: by name, with one kind of error if it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, TypeAlias, cast

import narwhals as nw

__all__ = [
    "EngineError",
    "Query",
    "collect",
    "column_types",
    "compute_once",
    "watching",
    "write_once",
]

Query: TypeAlias = Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]
Watch: TypeAlias = Callable[[str], AbstractContextManager[None]]

# How much of an engine's own message is repeated; the rest is in the exception that caused it.
_MOST_TEXT = 300
# What DuckDB raises on Ctrl-C.
_DUCKDB_CTRL_C = "Query interrupted"
_NAMES = {"polars": "polars", "duckdb": "DuckDB", "dask": "Dask", "pyspark": "Spark"}
# A limit of rows that no table reaches.
_ALL_ROWS = 2**62
_watch: ContextVar[Watch] = ContextVar("watch", default=lambda question: nullcontext())


class EngineError(RuntimeError):
    """An engine failed to answer a question about a lazy frame."""


def collect(
    frame: nw.LazyFrame[Any], question: str, query: Query, merge: Query | None = None
) -> nw.DataFrame[Any]:
    """Ask the engine of a frame a question: bring the rows of a query on it to memory.

    Parameters
    ----------
    frame : the frame.
    question : what is asked, as in "could not …".
    query : makes the frame of the answer.
    merge : makes the answer of answers about parts of the rows, one below the other. With it, Dask
        is asked about each partition. Both functions are sent to its workers then.

    Examples
    --------
    >>> import polars as pl
    >>> ages = nw.from_native(pl.LazyFrame({"age": [30, 50]}))
    >>> collect(ages, "find the oldest", lambda rows: rows.select(nw.col("age").max())).rows()
    [(50,)]
    """
    try:
        with _watch.get()(question):
            if frame.implementation.is_dask():
                from sorb.tables.dask_engine import collect_dask

                return collect_dask(frame, query, merge)
            return query(frame).collect()
    except Exception as error:
        if str(error) == _DUCKDB_CTRL_C or "KeyboardInterrupt" in str(error):
            raise KeyboardInterrupt from error
        raise _engine_error(frame, question, error) from error


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Enter a context of the user's for each question that is asked here.

    Examples
    --------
    >>> import polars as pl
    >>> ages = nw.from_native(pl.LazyFrame({"age": [30, 50]}))
    >>> asked = []
    >>> with watching(lambda question: nullcontext(asked.append(question))):
    ...     _ = collect(ages, "find the oldest", lambda rows: rows.select(nw.col("age").max()))
    >>> asked
    ['find the oldest']
    """
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def column_types(frame: nw.LazyFrame[Any]) -> dict[str, Any]:
    """Ask the engine of a frame for the names and types of its columns."""
    question = "read the names and types of the columns"
    try:
        return dict(frame.collect_schema())
    except Exception as error:
        raise _engine_error(frame, question, error) from error


def compute_once(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Have each column of some rows computed once, however often it is used.

    PostgreSQL puts what a column is computed from wherever the column is used, hundreds of times
    if there are several layers of columns, but not into rows that are limited.
    """
    return rows.head(_ALL_ROWS) if _ibis_backend(rows) == "postgres" else rows


def write_once(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Have the query of some rows written once, not for each question about them.

    Ibis may take seconds to write what many columns are computed from.
    """
    if not rows.implementation.is_ibis():
        return rows
    table = nw.to_native(rows)
    written = table.get_backend().sql(str(table.compile()), schema=table.schema())
    return cast(nw.LazyFrame[Any], nw.from_native(written))


def _engine_error(frame: nw.LazyFrame[Any], question: str, error: Exception) -> EngineError:
    text = " ".join(str(error).split()) or type(error).__name__
    if len(text) > _MOST_TEXT:
        text = f"{text[:_MOST_TEXT]} …"
    return EngineError(
        f"{_engine_name(frame)} could not {question}: {text}. Nothing was learned; see that the "
        "engine runs, has the memory it needs and can still read the table, then fit again"
    )


def _engine_name(frame: nw.LazyFrame[Any]) -> str:
    backend = _ibis_backend(frame)
    if backend is not None:
        return f"{backend} (through Ibis)"
    name = str(frame.implementation.value)
    return _NAMES.get(name, name)


def _ibis_backend(frame: nw.LazyFrame[Any]) -> str | None:
    """The name of the backend of a table of Ibis; None for other frames."""
    if not frame.implementation.is_ibis():
        return None
    try:
        return str(nw.to_native(frame).get_backend().name)
    except Exception:  # it is bound to none, and asking it will tell
        return "no backend"
