import sqlite3
import sys
from contextlib import closing

import duckdb
import pytest
import typer
from cli.peak_memory import ROWS, obeys_limit

from sorb.cli.memory_limit import MB, parse_memory, plan_memory, require_memory, used_memory


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 5e8), ("2gb", 2e9), ("1.5 GiB", 1.5 * 2**30), ("700 MiB", 700 * 2**20)],
)
def test_sizes(text, size):
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "2", "GB", "-1GB", "2GBs", "1e3MB"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(typer.BadParameter, match="--memory needs a size such as"):
        parse_memory(text)


def test_more_memory_gives_more_rows_up_to_the_usual_number():
    used = used_memory()
    plans = [plan_memory(used + extra * MB, 500, 1, None) for extra in (600, 900, 100_000)]
    rows = [plan.search_rows for plan in plans]
    assert rows[0] < rows[1] < rows[2] == 20_000
    assert all(
        0 < plan.engine < used + extra * MB
        for plan, extra in zip(plans, (600, 900, 10**5), strict=True)
    )


def test_too_little_is_refused_with_what_is_needed():
    with pytest.raises(typer.BadParameter, match=r"is too little: [0-9]+MB are needed") as refusal:
        plan_memory(100 * MB, 10, 1, None)
    needed = int(str(refusal.value).split(": ")[1].split("MB")[0])
    assert plan_memory((needed + 20) * MB, 10, 1, None).search_rows >= 2000
    with pytest.raises(typer.BadParameter, match="is too little"):
        require_memory(50 * MB, 10)


def test_without_a_limit_the_user_decides():
    assert plan_memory(None, 10, 1, 77).search_rows == 77


COLUMNS = 20


def write_parquet(rows, folder):
    rows.write_parquet(str(folder / "t.parquet"))
    return [folder / "t.parquet"]


def write_csv(rows, folder):
    rows.write_csv(str(folder / "t.csv"))
    return [folder / "t.csv"]


def write_sqlite(rows, folder):
    with closing(sqlite3.connect(folder / "t.db")) as database:
        names = ", ".join(rows.columns)
        database.execute(f"CREATE TABLE t ({names})")
        marks = ", ".join("?" * len(rows.columns))
        answer = duckdb.execute(rows.sql_query())
        while some := answer.fetchmany(10_000):
            database.executemany(f"INSERT INTO t VALUES ({marks})", some)
        database.commit()
    return [folder / "t.db", "--table", "t"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak")
@pytest.mark.parametrize("write", [write_parquet, write_csv, write_sqlite])
@pytest.mark.parametrize("limit", ["480MB", "1GB"] if ROWS > 10**6 else ["480MB"])
def test_the_limit_is_obeyed(limit, write, tmp_path):
    columns = ", ".join(f"random() AS x{j}" for j in range(COLUMNS))
    duckdb.execute("SET threads = 1")
    rows = duckdb.sql(f"SELECT {columns} FROM range({ROWS})")
    table = write(rows.project("*, (x0 + x1 > 1 AND x2 < 0.9)::INT AS ill"), tmp_path)
    assert obeys_limit(table, limit, tmp_path)
