import pytest

from sorb.tables.databases import PostgresTable, open_address
from sorb.tables.duckdb_engine import open_engine

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
