"""A question to Dask ends with one clear error if no worker can answer it."""

import time

import dask.dataframe as dd
import narwhals as nw
import pandas as pd
import pytest

from engines.conftest import ENGINES
from engines.hand_over import dask_workers
from sorb.tables import dask_engine
from sorb.tables.engine import EngineError, collect


@pytest.fixture
def patience(monkeypatch):
    """A function that says for how many seconds workers are waited for."""

    def set_patience(seconds):
        monkeypatch.setattr(dask_engine, "_STEP", seconds / 5)
        monkeypatch.setattr(dask_engine, "_PATIENCE", seconds)

    return set_patience


def ask(seconds=0.0):
    """Ask for a sum, which takes some time; negative numbers fail."""

    def slowly(part):
        if seconds < 0:
            raise ValueError("no sum")
        time.sleep(seconds)
        return part

    frame = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0, 3.0]}), npartitions=1)
    frame = frame.map_partitions(slowly, meta={"a": float})
    add = nw.col("a").sum()
    return collect(nw.from_native(frame), "add", lambda rows: rows.select(add)).rows()


def test_workers_that_are_paused_for_memory_are_not_waited_for(patience):
    patience(1.0)
    # This process alone takes more.
    workers = dask_workers(memory_limit="40MB", n_workers=1, processes=False)
    with workers as client:
        while {w["status"] for w in client.scheduler_info()["workers"].values()} != {"paused"}:
            time.sleep(0.05)
        with pytest.raises(EngineError, match="1 of 1 are paused"):
            ask()


def test_workers_that_are_gone_are_not_waited_for(patience):
    patience(1.0)
    with dask_workers(n_workers=1, processes=False) as client:
        client.cluster.scale(0)
        with pytest.raises(EngineError, match="there are no workers"):
            ask()


@pytest.mark.skipif("spark" not in ENGINES, reason="make test-engines runs it: it takes long")
def test_a_worker_that_takes_longer_is_waited_for(patience, dask):
    patience(10.0)
    assert ask(seconds=15.0) == [(6.0,)]


def test_an_error_of_a_task_is_told(dask):
    with pytest.raises(EngineError, match=r"Dask could not add: .*no sum"):
        ask(seconds=-1.0)
