"""Engines that hold a table out of reach, and ways to hand one over to each of them."""

import duckdb
import polars as pl
import pytest

ENGINES = ("polars", "duckdb", "dask")


def as_polars(table):
    return pl.from_pandas(table).lazy()


def as_duckdb(table):
    frame = pl.from_pandas(table)  # noqa: F841 (DuckDB finds it by its name)
    return duckdb.sql("SELECT * FROM frame")


def as_dask(table):
    import dask.dataframe as dd

    return dd.from_pandas(table, npartitions=3)


HAND_OVER = {"polars": as_polars, "duckdb": as_duckdb, "dask": as_dask}


@pytest.fixture(scope="module")
def dask_workers():
    """Two worker processes, which compute for everyone who asks for them."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(params=ENGINES)
def hand_over(request):
    """A function that hands a pandas table over to an engine."""
    if request.param == "dask":
        request.getfixturevalue("dask_workers")
    return HAND_OVER[request.param]
