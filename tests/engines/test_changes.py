"""A table that changes between any two questions of a fit is noticed."""

import os
from contextlib import contextmanager

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest

from engines.conftest import ENGINES
from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.tables.changes import TableChangedError
from sorb.tables.engine import EngineError, watching

# Row 3 is blue and of class A, row 4 is of class B.
CHANGES = {
    "labels": "UPDATE t SET y = CASE WHEN y = 'A' THEN 'B' ELSE 'A' END WHERE id IN (3, 4)",
    "a value": "UPDATE t SET a = a + 1e-9 WHERE id = 3",
    "a category": "UPDATE t SET g = 'red' WHERE id = 3",
    "a new category": "UPDATE t SET g = 'grey' WHERE id = 3",
    "a missing value": "UPDATE t SET a = NULL WHERE id = 3",
    "a NaN": "UPDATE t SET a = 'NaN' WHERE id = 3",
    "a NaN for a constant": "UPDATE t SET c = 'NaN' WHERE id = 3",
    "a value far away": "UPDATE t SET a = 1e300 WHERE id = 3",
    "a constant": "UPDATE t SET c = 8.0 WHERE id = 3",
    "a weight": "UPDATE t SET w = w + 1 WHERE id = 3",
    "values of a column": "UPDATE t SET b = CASE WHEN id = 3 THEN 4 ELSE 3 END WHERE id IN (3, 4)",
    "a row": "DELETE FROM t WHERE id = 3",
    "an exposure": "UPDATE t SET e = e * 1.0000001 WHERE id = 3",
    "an outcome": "UPDATE t SET n = n + 1 WHERE id = 3",
}
REGRESSION = {"an exposure", "an outcome"}


def table():
    n, rng = 400, np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.5, "A", "B")
    y[3], y[4] = "A", "B"
    g = rng.choice(["blue", "red", "white"], n)
    g[3] = "blue"
    a = rng.normal(size=n)
    columns = {"id": np.arange(n), "a": a, "b": np.arange(n), "g": g, "y": y}
    columns |= {"c": np.full(n, 7.0), "w": rng.integers(1, 4, n), "e": rng.uniform(1, 2, n)}
    return pl.DataFrame(columns | {"n": rng.poisson(np.exp(a))})


class InDuckDB:
    def __init__(self, folder):
        self._connection = duckdb.connect()
        self._connection.register("given", table().to_arrow())
        self.reset()

    def reset(self):
        self.change("CREATE OR REPLACE TABLE t AS FROM given")

    def change(self, statement):
        self._connection.execute(statement)

    def frame(self, columns):
        return self._connection.sql(f"SELECT {columns} FROM t")


class InFile(InDuckDB):
    """A Parquet file that polars reads, and that is replaced by another one."""

    def __init__(self, folder):
        self._path, self._new = folder / "t.parquet", folder / "new.parquet"
        super().__init__(folder)

    def change(self, statement):
        super().change(statement)
        self._connection.execute(f"COPY t TO '{self._new}' (FORMAT parquet)")
        os.replace(self._new, self._path)

    def frame(self, columns):
        return pl.scan_parquet(self._path).select(columns.split(", "))


@pytest.fixture
def held(request, tmp_path):
    match request.param:
        case "polars":
            return InFile(tmp_path)
        case "duckdb":
            return InDuckDB(tmp_path)
        case "postgres":
            return InPostgres(request.getfixturevalue("postgres"))


class InPostgres:
    def __init__(self, database):
        self._database, name = database, database.write(table().to_pandas())
        self._reset = f"DROP TABLE IF EXISTS t; CREATE TABLE t AS SELECT * FROM {name}"
        self.reset()

    def reset(self):
        self.change(self._reset)

    def change(self, statement):
        self._database.server(statement)

    def frame(self, columns):
        return self._database.reading.table("t").select(columns.split(", "))


# Fits of DuckDB take longer, so `make test` tries a few changes there, `make test-engines` all.
FEW = ("labels", "a NaN", "a value far away", "an exposure")
EVERY = "SORB_ENGINES" in os.environ
HELD_AND_CHANGES = [
    (engine, change)
    for engine in ("polars", "duckdb", "postgres")
    if engine != "postgres" or engine in ENGINES
    for change in CHANGES
    if engine == "polars" or EVERY or change in FEW
]


def fit(held, change):
    if change in REGRESSION:
        model = LLTBoostRegressor(max_rules=1, search_rows=20, loss="poisson", random_state=0)
        return model.fit(held.frame("a, b, g, c, e, n"), "n", exposure="e")
    model = LLTBoostClassifier(max_rules=1, search_rows=20, random_state=0)
    return model.fit(held.frame("a, b, g, c, w, y"), "y", sample_weight="w")


@pytest.fixture
def before_question(monkeypatch):
    """Do something before a query, by its number; give the question that each one is part of."""
    actions, asked, collect = {}, [], nw.LazyFrame.collect
    question = "before any question"

    @contextmanager
    def listen(text):
        nonlocal question
        question = text
        yield

    def collected(self, *arguments, **options):
        actions.get(len(asked), lambda: None)()
        asked.append(question)
        return collect(self, *arguments, **options)

    def set_action(number, action):
        actions.clear()
        actions[number] = action
        asked.clear()
        return asked

    monkeypatch.setattr(nw.LazyFrame, "collect", collected)
    with watching(listen):
        yield set_action


# What these find may still be that of the new table: no row has been counted yet.
OPENING = (
    "look for identifiers",
    "count the texts of column",
    "find the ranges of the columns",
    "find the categories of column",
    "find the classes of column",
)


@pytest.mark.parametrize(("held", "change"), HELD_AND_CHANGES, indirect=["held"])
def test_a_change_between_two_questions_is_noticed(held, change, before_question):
    asked = before_question(-1, None)
    fit(held, change)
    questions = list(asked)
    held.change(CHANGES[change])
    model_of_changed = str(fit(held, change).ensemble_)
    for number in range(1, len(questions)):
        held.reset()
        before_question(number, lambda: held.change(CHANGES[change]))
        try:
            model = fit(held, change)
        except TableChangedError:
            continue
        except EngineError:  # polars trusts the size that a file had
            assert isinstance(held, InFile)
            continue
        before = questions[:number]
        assert all(each.startswith(OPENING) for each in before), "the change was not noticed"
        assert str(model.ensemble_) == model_of_changed
