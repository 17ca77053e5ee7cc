import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sorb.tables.duckdb_engine import open_engine


def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path):
    for name, age in (("p[1]*.parquet", 40), ("p1.parquet", 50), ("p1*.parquet", 60)):
        pq.write_table(pa.table({"age": [age]}), tmp_path / name)
    with open_engine() as engine:
        assert engine.scan([tmp_path / "p[1]*.parquet"]).fetchall() == [(40,)]


@pytest.mark.parametrize("is_open", [False, True])
def test_memory_is_limited_whether_the_engine_is_open_or_not(is_open):
    with open_engine() as engine:
        if is_open:
            engine.connection.execute("SELECT 1")
        engine.limit_memory(100 * 2**20)
        found = engine.connection.execute("SELECT current_setting('memory_limit')").fetchone()
    assert found == ("100.0 MiB",)
