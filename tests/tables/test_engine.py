"""Errors of engines, really caused."""

import duckdb
import narwhals as nw
import polars as pl
import pytest

from sorb import LLTBoostClassifier
from sorb.tables.engine import EngineError, collect


def test_a_lost_connection_names_the_question_and_the_engine():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range AS a, range > 5 AS y FROM range(10)")
    frame = connection.table("t")
    connection.close()
    with pytest.raises(EngineError, match=r"DuckDB could not .*: Connection Error"):
        LLTBoostClassifier().fit(frame, "y")


def test_a_file_that_vanished_names_the_question_and_the_engine(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1, 2], "y": [0, 1]}).write_parquet(path)
    frame = nw.from_native(pl.scan_parquet(path))
    frame.collect_schema()
    path.unlink()
    with pytest.raises(EngineError, match=r"^polars could not count the rows: .*then fit again$"):
        collect(frame, "count the rows", lambda rows: rows.select(nw.len()))
