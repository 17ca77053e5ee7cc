"""Engines that hold a table out of reach, and ways to hand one over to each of them.

The environment variable SORB_ENGINES says which ones: `make test-engines` names those that need
more than Python packages.
"""

import os

import pytest

from engines import hand_over as ways

ENGINES = tuple(os.environ.get("SORB_ENGINES", "polars duckdb dask").split())


@pytest.fixture(scope="session")
def dask():
    with ways.dask_workers() as client:
        yield client


@pytest.fixture(scope="session")
def spark():
    with ways.spark_cluster() as session:
        yield session


@pytest.fixture(scope="session")
def postgres():
    with ways.postgres_database() as database:
        yield database


@pytest.fixture
def hand_over(request, tmp_path):
    """A function that hands a pandas table over to an engine, the parameter."""
    match request.param:
        case "polars":
            return ways.to_polars
        case "duckdb":
            return ways.to_duckdb
        case "ibis":
            return lambda table: ways.to_ibis(table, tmp_path)
        case "dask":
            request.getfixturevalue("dask")
            return ways.to_dask
        case "spark":
            session = request.getfixturevalue("spark")
            return lambda table: ways.to_spark(session, table, tmp_path)
        case "postgres":
            database = request.getfixturevalue("postgres")
            return database.hand_over


def pytest_generate_tests(metafunc):
    """Run a test that asks for `hand_over` on all engines, unless it names some itself."""
    if "hand_over" in metafunc.fixturenames and not any(
        "hand_over" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")
    ):
        metafunc.parametrize("hand_over", ENGINES, indirect=True)
