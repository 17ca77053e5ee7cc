"""Integers made of the labels of a column, by the engine itself: there may be millions."""

from __future__ import annotations

from hashlib import md5
from typing import Any, cast

import narwhals as nw

__all__ = ["add_label_numbers"]

# How each database makes a number of 48 bits of the first digits of a checksum, all the same one.
_DUCKDB = "CAST('0x' || substr(md5(CAST({column} AS VARCHAR)), 1, 12) AS BIGINT)"
_POSTGRESQL = "CAST(('x' || substr(md5(CAST({column} AS TEXT)), 1, 12))::bit(48) AS BIGINT)"


def add_label_numbers(frame: nw.LazyFrame[Any], column: str, name: str) -> nw.LazyFrame[Any]:
    """Add a column with a number for each label; different ones nearly always differ.

    On Spark, the labels stand for themselves.

    Examples
    --------
    >>> import duckdb
    >>> frame = nw.from_native(duckdb.sql("SELECT unnest(['Ada', 'Bo', 'Ada']) AS patient"))
    >>> numbers = add_label_numbers(frame, "patient", "number").collect()["number"].to_list()
    >>> [number == numbers[0] for number in numbers]
    [True, False, True]
    """
    rows = nw.to_native(frame)
    if frame.implementation.is_polars():
        import polars as pl

        # The same in every process, though not in every version of polars.
        return cast(
            nw.LazyFrame[Any],
            nw.from_native(rows.with_columns(pl.col(column).hash(0).alias(name))),
        )
    if frame.implementation.is_dask():
        numbers = rows[column].map_partitions(_numbers_of, meta=(column, "Int64"))
        return cast(nw.LazyFrame[Any], nw.from_native(rows.assign(**{name: numbers})))
    if not (frame.implementation.is_ibis() or frame.implementation.is_duckdb()):
        return frame.with_columns(nw.col(column).alias(name))
    quoted, alias = (f'"{text.replace(chr(34), 2 * chr(34))}"' for text in (column, name))
    if frame.implementation.is_ibis():
        number = _POSTGRESQL.format(column=quoted)
        query = f"SELECT *, {number} AS {alias} FROM ({rows.compile()}) AS labelled"
        # Without a schema, Ibis would make a view in the database to find it out.
        found = rows.get_backend().sql(query, schema={**rows.schema(), name: "int64"})
    else:
        found = rows.project(f"*, {_DUCKDB.format(column=quoted)} AS {alias}")
    return cast(nw.LazyFrame[Any], nw.from_native(found))


def _numbers_of(labels: Any) -> Any:
    """Number the labels of a partition, a pandas Series, as the databases do."""
    known = {
        label: int(md5(str(label).encode(), usedforsecurity=False).hexdigest()[:12], 16)
        for label in labels.dropna().unique()
    }
    return labels.astype(object).map(known).astype("Int64")
