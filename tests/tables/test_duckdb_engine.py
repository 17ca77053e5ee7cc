import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sorb.tables.duckdb_engine import open_engine

STAGE = """
import random
import pyarrow as pa
from sorb.tables.duckdb_engine import open_engine
try:
    with open_engine() as engine:
        engine.stage([pa.table({"age": [random.random() for _ in range(10_000)]})])
except OSError as error:
    print(error)
"""


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


def test_names_of_folders_are_no_columns(tmp_path):
    (tmp_path / "year=2020" / "month=1").mkdir(parents=True)
    path = tmp_path / "year=2020" / "month=1" / "p.parquet"
    pq.write_table(pa.table({"year": [1999]}), path)
    with open_engine() as engine:
        found = engine.scan([path])
        assert (found.columns, found.fetchall()) == (["year"], [(1999,)])


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_a_temporary_file_that_cannot_be_written_is_told_with_its_folder(tmp_path):
    # As large as a file may become, for this process alone.
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"
    staged = f"{limited}\n{STAGE}"
    done = subprocess.run(
        [sys.executable, "-c", staged],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == (
        f"the temporary copy of the table could not be written to {tmp_path}: File too large; set "
        "TMPDIR to a folder with more room\n"
    )
    assert list(tmp_path.iterdir()) == []
