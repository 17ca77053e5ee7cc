"""Ways to hand a pandas table over to an engine, which are started here."""

import os
import sys
from contextlib import contextmanager
from itertools import count, pairwise

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from export.postgres_server import running_server


def to_polars(table):
    return pl.from_pandas(table).lazy()


def to_duckdb(table):
    frame = pl.from_pandas(table)  # noqa: F841 (DuckDB finds it by its name)
    return duckdb.sql("SELECT * FROM frame")


def to_ibis(table, folder):
    import ibis

    path = folder / f"table {len(list(folder.iterdir()))}.parquet"
    table.to_parquet(path, index=False)
    return ibis.duckdb.connect().read_parquet(path)


def to_dask(table):
    import dask.dataframe as dd

    return dd.from_pandas(table, npartitions=3)


@contextmanager
def dask_workers(**options):
    """Two worker processes, which compute for everyone who asks for them."""
    import distributed

    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True} | options
    with (
        distributed.LocalCluster(dashboard_address=":0", **settings) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def to_spark(session, table, folder):
    """Write files of very different sizes, one without rows, and let Spark read them."""
    ends = [0, len(table) // 100, len(table) // 100, len(table) // 3, len(table)]
    whole = pa.Table.from_pandas(table, preserve_index=False)
    path = folder / f"table {len(list(folder.iterdir()))}"
    path.mkdir()
    for part, (start, end) in enumerate(pairwise(ends)):
        pa.parquet.write_table(whole[start:end], path / f"{part}.parquet")
    return session.read.parquet(str(path))


@contextmanager
def spark_cluster(memory="1g", **settings):
    """A session on a cluster of two worker processes with one core each."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local-cluster[2,1,{_megabytes(memory)}]")
    options = {
        "spark.executor.memory": memory,
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        **settings,
    }
    for key, value in options.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


def _megabytes(memory):
    return int(memory[:-1]) * {"m": 1, "g": 1024}[memory[-1]]


class Database:
    """A PostgreSQL database with one connection to write tables, and one that may only read."""

    def __init__(self, server):
        self.server = server
        self._writing = self.connect(read_only=False)
        self.reading = self.connect()
        self._names = (f"table_{k}" for k in count())

    def connect(self, read_only=True):
        import ibis

        setting = "-c default_transaction_read_only=on" if read_only else None
        return ibis.postgres.connect(
            host=str(self.server.folder),
            user=self.server.user,
            database=self.server.database,
            options=setting,
        )

    def write(self, table):
        """Write a table, with NaN where a pandas table has NaN; give its name."""
        name = next(self._names)
        columns = {key: pa.array(table[key], from_pandas=_is_nullable(table[key])) for key in table}
        self._writing.create_table(name, pa.table(columns))
        return name

    def close(self):
        self._writing.disconnect()
        self.reading.disconnect()

    def hand_over(self, table):
        return self.reading.table(self.write(table))


def _is_nullable(column):
    return not isinstance(column.dtype, np.dtype)


@contextmanager
def postgres_database():
    with running_server() as server:
        database = Database(server)
        yield database
        database.close()
