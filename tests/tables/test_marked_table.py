import sqlite3
from contextlib import closing

import duckdb
import narwhals as nw
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sorb.tables.duckdb_engine import open_engine
from sorb.tables.large_table import CsvCells, open_large
from sorb.tables.reading import MissingMarks, Reading

MARKS = MissingMarks(("-999", "unknown"), {"ward": ("9",), "size": ("-1",)})
ROWS = [(40, 1.5, "f", "9"), (-999, -1.0, "unknown", "A"), (9, -999.0, "9", "unknown")]
NAMES = ["age", "size", "sex", "ward"]
EXPECTED = {
    "age": [40, None, 9],
    "size": [1.5, None, None],
    "sex": ["f", None, "9"],
    "ward": [None, "A", None],
}


def write_csv(path):
    path.write_text("\n".join(",".join(map(str, row)) for row in [NAMES, *ROWS]))


def write_parquet(path):
    pq.write_table(
        pa.table(dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))), path
    )


def write_sqlite(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (age INTEGER, size REAL, sex TEXT, ward TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
        connection.commit()


def write_duckdb(path):
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TYPE place AS ENUM ('9', 'A', 'unknown')")
        connection.execute("CREATE TABLE t (age BIGINT, size DECIMAL(9, 2), sex TEXT, ward place)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)


@pytest.mark.parametrize(
    ("write", "table"),
    [(write_csv, None), (write_parquet, None), (write_sqlite, "t"), (write_duckdb, "t")],
)
def test_marks_are_missing_wherever_a_table_is(write, table, tmp_path):
    write(tmp_path / "t.file")
    with open_engine() as engine:
        found = open_large([str(tmp_path / "t.file")], table, engine, Reading(missing=MARKS))
        asked = nw.from_native(found.frame(NAMES, CsvCells(["ward"]))).collect().to_arrow()
        pieces = pa.concat_tables(found.pieces(NAMES, CsvCells(["ward"])))
    assert asked.to_pydict() == EXPECTED
    assert pieces.to_pydict() == EXPECTED


def test_marks_for_a_column_that_is_not_there_are_refused(tmp_path):
    write_csv(tmp_path / "t.csv")
    marks = Reading(missing=MissingMarks((), {"agee": ("9",)}))
    with open_engine() as engine, pytest.raises(ValueError, match="no column 'agee' for --missing"):
        open_large([str(tmp_path / "t.csv")], None, engine, marks)
