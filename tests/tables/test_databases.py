import sqlite3

import duckdb
import pytest

from sorb.tables.databases import PostgresTable, open_address, open_database
from sorb.tables.duckdb_engine import open_engine
from sorb.tables.large_table import CsvCells

ADDRESSES = {
    "plain": "postgresql://me:secret@host/clinic",
    "with signs that should be quoted": "postgresql://me:my@secret/word@host/clinic",
    "as a parameter": "postgresql://host/clinic?user=me&password=secret&port=5433",
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_no_password_is_printed(name, monkeypatch):
    def refuse(self, address):
        raise OSError("no connection")

    monkeypatch.setattr(PostgresTable, "_connect", refuse)
    with open_engine() as engine, pytest.raises(ValueError, match="no connection") as told:
        open_address(ADDRESSES[name], "patients", engine)
    assert "secret" not in str(told.value)
    assert "host/clinic" in str(told.value)


def test_pieces_of_duckdb_come_in_order_and_leave_the_settings_as_they_are(tmp_path):
    path = str(tmp_path / "t.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT range AS k FROM range(300_000)")
    with open_engine(threads=2) as engine:
        table = open_database("duckdb", path, "t", engine)
        found = []
        for piece in table.pieces(["k"], CsvCells()):
            found += piece["k"].to_pylist()
            asked = engine.connection.execute("SELECT current_setting('preserve_insertion_order')")
            assert asked.fetchone() == (False,)
    assert found == list(range(300_000))


def test_an_integer_among_decimals_of_sqlite_that_has_too_many_digits_is_named(tmp_path):
    path = str(tmp_path / "t.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (size REAL, code)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1.5, 1.5), (2, 2**63 - 1)])
    connection.close()
    with open_engine() as engine:
        table = open_database("sqlite", path, "t", engine)
        assert [piece.num_rows for piece in table.pieces(["size"], CsvCells())] == [0, 2]
        with pytest.raises(ValueError, match="column 'code': 9223372036854775807 in row 1 has too"):
            list(table.pieces(["code"], CsvCells()))
