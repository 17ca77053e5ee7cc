"""Engines with a table of patients, and what can go wrong with each of them, really caused."""

import os
import resource
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import polars as pl

from engines import hand_over as ways

N_ROWS = 100_000
# How much memory a process may still get that runs out of it.
_LITTLE_MEMORY = 4_000_000


def patients():
    rng = np.random.default_rng(0)
    age, bmi = rng.integers(20, 85, N_ROWS), rng.normal(27, 4.5, N_ROWS)
    group = rng.choice(["A", "AB", "B", "O"], N_ROWS)
    ill = rng.random(N_ROWS) < np.where((age / 10 + bmi / 5 > 11) | (group == "O"), 0.6, 0.2)
    columns = {"row": np.arange(N_ROWS), "age": age, "bmi": bmi, "group": group, "ill": ill}
    return pl.DataFrame(columns)


# Small changes, as SQL and as a table: two labels swapped, a value changed a little, a row less.
def _places(table):
    ill = table["ill"].to_numpy()
    return int(np.flatnonzero(ill)[7]), int(np.flatnonzero(~ill)[7])


CHANGES = ("swapped labels", "another value", "a row less")


def changed(table, change):
    one, other = _places(table)
    row = pl.col("row")
    match change:
        case "swapped labels":
            return table.with_columns(ill=pl.col("ill") ^ row.is_in([one, other]))
        case "another value":
            return table.with_columns(
                bmi=pl.col("bmi") + pl.when(row == one).then(1e-7).otherwise(0.0)
            )
        case "a row less":
            return table.filter(row != one)


def change_statement(table, change):
    one, other = _places(table)
    match change:
        case "swapped labels":
            return f"UPDATE patients SET ill = NOT ill WHERE row IN ({one}, {other})"
        case "another value":
            return f"UPDATE patients SET bmi = bmi + 1e-7 WHERE row = {one}"
        case "a row less":
            return f"DELETE FROM patients WHERE row = {one}"


def write_parts(table, folder, ends):
    """Write a file for each part between two ends."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for k, (start, end) in enumerate(pairwise(ends)):
        table[start:end].write_parquet(folder / f"{k}.parquet")


class Engine:
    """An engine that reads files; `frame` is its table, each fault is a method."""

    faults = ("changing table", "vanished file", "empty partition", "unequal partitions")

    def __init__(self, folder):
        self.folder, self.table = Path(folder), patients()
        self.parts = self.folder / "parts"
        self.stack = ExitStack()
        self.even = np.linspace(0, N_ROWS, 5).astype(int).tolist()

    def start(self):
        """Start what must run, or see that it runs again."""

    def restore(self, fault):
        """Make good what a fault has left."""

    def stop(self):
        self.stack.close()

    def prepare(self, fault, rng):
        """Make the table that a fit is to read."""
        ends = self.even
        if fault == "empty partition":
            cut = int(rng.integers(0, N_ROWS))
            ends = [0, cut, cut, N_ROWS]
        if fault == "unequal partitions":
            ends = [0, *sorted(rng.integers(0, 50, 3).tolist()), N_ROWS]
        write_parts(self.table, self.parts, ends)

    def cause(self, fault, rng, change):
        """Cause a fault, from another thread than the one that fits; give what it was."""
        match fault:
            case "changing table":
                new = self.folder / "new.parquet"
                part = self.table[self.even[0] : self.even[1]]
                changed(part, change).write_parquet(new)
                os.replace(new, self.parts / "0.parquet")
            case "vanished file":
                (self.parts / f"{rng.integers(4)}.parquet").unlink()

    def changed_table(self, change):
        first = self.table[: self.even[1]]
        return pl.concat([changed(first, change), self.table[self.even[1] :]])


class Polars(Engine):
    def frame(self):
        return pl.scan_parquet(self.parts / "*.parquet").drop("row")


class DuckDB(Engine):
    faults = (
        "changing table",
        "lost connection",
        "out of memory",
        "vanished file",
        "empty partition",
        "unequal partitions",
    )

    def prepare(self, fault, rng):
        super().prepare(fault, rng)
        self.in_table = fault == "changing table"
        self.connection = duckdb.connect()
        self.other = self.connection.cursor()
        self.connection.execute("SET threads = 2")
        if self.in_table:
            self.connection.execute(f"CREATE TABLE patients AS FROM '{self.parts}/*.parquet'")

    def frame(self):
        source = "patients" if self.in_table else f"'{self.parts}/*.parquet'"
        return self.connection.sql(f"SELECT * EXCLUDE row FROM {source}")

    def cause(self, fault, rng, change):
        match fault:
            case "changing table":
                self.other.execute(change_statement(self.table[: self.even[1]], change))
            case "lost connection":
                self._close()
            case "out of memory":
                self._starve()
            case _:
                super().cause(fault, rng, change)

    def _starve(self):
        """Set the lowest limit that there is; DuckDB refuses one below what it holds."""
        for megabytes in range(1, 200):
            with suppress(duckdb.OutOfMemoryException):
                return self.other.execute(f"SET memory_limit = '{megabytes}MB'")
        raise RuntimeError("there is no lower limit")

    def _close(self):
        while True:
            self.connection.interrupt()
            try:
                return self.connection.close()
            except duckdb.Error:  # it is still answering
                time.sleep(0.001)


class Dask(Engine):
    faults = (
        "killed worker",
        "out of memory",
        "lost connection",
        "changing table",
        "vanished file",
        "empty partition",
        "unequal partitions",
    )
    client = None

    def start(self):
        if self.client is not None:
            try:
                self.client.wait_for_workers(2, timeout=20)
            except TimeoutError:  # not every killed worker is replaced
                self.close()
        if self.client is None:
            self.client = self.stack.enter_context(ways.dask_workers(memory_limit="1GB"))
            # A worker without memory shall fail at a question, not at its first import.
            for name in ("dask.dataframe", "pyarrow.parquet", "sorb.tables.lazy"):
                self.client.run(import_module, name)

    def close(self):
        with suppress(Exception):  # Dask trips over workers that are gone
            self.stack.close()
        self.client = None

    def frame(self):
        import dask.dataframe as dd

        return dd.read_parquet(self.parts).drop(columns="row")

    def _pids(self):
        return [worker.process.pid for worker in self.client.cluster.workers.values()]

    def cause(self, fault, rng, change):
        match fault:
            case "killed worker":
                os.kill(rng.choice(self._pids()), signal.SIGKILL)
            case "out of memory":
                for pid in self._pids():
                    starve(pid)
            case "lost connection":
                self.client.loop.add_callback(self.client.scheduler_comm.comm.abort)
            case _:
                super().cause(fault, rng, change)

    def restore(self, fault):
        if fault in ("out of memory", "lost connection"):
            self.close()


def starve(pid):
    """Let a process have hardly more memory than it has now."""
    process = Path(f"/proc/{pid}")
    pages = int((process / "statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + _LITTLE_MEMORY
    # Its owner may do so, and not even root where containers forbid it.
    is_mine = process.stat().st_uid == os.getuid()
    as_owner = [] if is_mine else ["runuser", "-u", process.owner(), "--"]
    subprocess.run([*as_owner, "prlimit", f"--pid={pid}", f"--as={limit}:"], check=True)


class Spark(Engine):
    faults = (
        "killed worker",
        "out of memory",
        "lost connection",
        "changing table",
        "vanished file",
        "empty partition",
        "unequal partitions",
    )
    session = None

    def start(self):
        if self.session is None:
            self.session = self.stack.enter_context(ways.spark_cluster("600m"))
        self.session.range(10).count()

    def frame(self):
        return self.session.read.parquet(str(self.parts)).drop("row")

    def _pids(self, what):
        found = subprocess.run(["pgrep", "-f", what], capture_output=True, text=True).stdout
        return [pid for pid in map(int, found.split()) if _is_descendant(pid)]

    def cause(self, fault, rng, change):
        executors = self._pids("CoarseGrainedExecutorBackend")
        match fault:
            case "killed worker":
                os.kill(int(rng.choice(executors)), signal.SIGKILL)
            case "out of memory":
                for pid in executors:
                    starve(pid)
            case "lost connection":
                for pid in self._pids("org.apache.spark.deploy.SparkSubmit"):
                    os.kill(pid, signal.SIGKILL)
            case _:
                super().cause(fault, rng, change)

    def restore(self, fault):
        if fault == "lost connection":
            from pyspark import SparkContext

            self.stack.pop_all()
            self.session = None
            SparkContext._gateway.shutdown()
            SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None


def _is_descendant(pid):
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return False


class Postgres(Engine):
    faults = (
        "killed worker",
        "out of memory",
        "lost connection",
        "restarted server",
        "changing table",
        "empty partition",
        "unequal partitions",
    )
    server = None

    def start(self):
        if self.server is None:
            self.server = self.stack.enter_context(ways.running_server())

    def prepare(self, fault, rng):
        super().prepare(fault, rng)
        kinds = 'row bigint, age bigint, bmi double precision, "group" text, ill boolean'
        self.wait()
        self.server("DROP TABLE IF EXISTS patients")
        self.server(f"CREATE TABLE patients ({kinds}) PARTITION BY RANGE (row)")
        cuts = [0, 10, 20, N_ROWS] if "partition" in fault else [0, N_ROWS]
        for start, end in pairwise([*cuts, 2 * N_ROWS]):  # the last one is empty
            part = f"part_{start} PARTITION OF patients FOR VALUES"
            self.server(f"CREATE TABLE {part} FROM ({start}) TO ({end})")
        path = self.server.folder / "patients.csv"
        self.table.write_csv(path)
        self.server(f"COPY patients FROM '{path}' CSV HEADER; ANALYZE patients")
        self.database = ways.Database(self.server)

    def wait(self):
        for _ in range(100):
            try:
                return self.server("SELECT 1")
            except subprocess.CalledProcessError:
                time.sleep(0.2)
        raise RuntimeError("the server does not come back")

    def frame(self):
        return self.database.reading.table("patients").drop("row")

    def cause(self, fault, rng, change):
        pid = self.pid
        match fault:
            case "killed worker":
                os.kill(pid, signal.SIGKILL)
            case "out of memory":
                starve(pid)
            case "lost connection":
                self.server(f"SELECT pg_terminate_backend({pid})")
            case "restarted server":
                self.server.stop()
                self.server.start()
            case "changing table":
                self.server(change_statement(self.table[: self.even[1]], change))

    @property
    def pid(self):
        return self.database.reading.con.info.backend_pid

    def restore(self, fault):
        with suppress(Exception):  # it may be closed already
            self.database.close()


ENGINES = {
    "polars": Polars,
    "DuckDB": DuckDB,
    "Dask": Dask,
    "Spark": Spark,
    "PostgreSQL": Postgres,
}
