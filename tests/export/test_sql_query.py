"""SQL: the written queries are run by the databases that are there, and compared with the model."""

import sqlite3

import duckdb
import numpy as np
import polars as pl
import pytest
from export.corpus import boundary_cases, cases_for
from export.postgres_server import missing_part, running_server
from export.targets.databases import DuckDB, Postgres, SQLite

from sorb.export import to_sql
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
TALL = Condition((Proposition(("height", "age"), (1.0, -0.5), 150.0),))
RULES = (Rule(OLD, 1.5), Rule(TALL, 0.25))
OLD_AGE = RuleEnsemble(0.0, RULES[:1], ("age",), "squared")
SIMPLE = RuleEnsemble(-1.0, RULES, ("age", "height", "unused"), "logistic", ("no", "yes"))


class TestSQLite:
    DATABASE = SQLite()

    def cases(self):
        return [*boundary_cases(), *cases_for(self.DATABASE.usable)]

    def test_gives_the_same_answers(self):
        self.DATABASE.check(self.cases())

    def test_expression_gives_what_the_query_gives(self):
        for case in self.cases()[::7]:
            if case.ensemble.loss.score_per_class:
                continue
            base = self.DATABASE.filled(case, "t")
            query = to_sql(case.ensemble, "sqlite", "t", "select", case.output)
            expression = to_sql(case.ensemble, "sqlite", output=case.output)
            found = base.execute(f"SELECT {expression} FROM t").fetchall()
            assert found == base.execute(query).fetchall()
            base.close()

    def test_reads_every_number_exactly(self):
        base = sqlite3.connect(":memory:")
        random = np.random.default_rng(0)
        numbers = random.normal(size=2000) * 10.0 ** random.integers(-20, 20, 2000)
        extremes = [5e-324, 2.2e-308, 1e300, 2.0**53, 2.0**53 + 2, 0.001, 1e15]
        misread = [
            -266.957003512,
            -0.009977168927,
            -2.3150617,
            -6.16757437292e-06,
        ]  # by SQLite 3.40, as decimals
        for number in [*numbers.tolist(), *extremes, *misread]:
            constant = RuleEnsemble(number, (), ("age",), "squared")
            assert base.execute(f"SELECT {to_sql(constant, 'sqlite')}").fetchone() == (number,)
        base.close()

    def test_reads_the_largest_threshold_exactly(self):
        largest = np.finfo(np.float64).max
        rule = Rule(Condition((Proposition(("age",), (1.0,), largest),)), 1.0)
        query = to_sql(RuleEnsemble(0.0, (rule,), ("age",), "squared"), "sqlite")
        base = sqlite3.connect(":memory:")
        for age, covered in [(largest, 1.0), (np.nextafter(largest, 0), 0.0)]:
            found = base.execute(f"SELECT {query} FROM (SELECT ? AS age)", [float(age)])
            assert found.fetchone() == (covered,)
        base.close()

    def test_a_column_that_is_not_there_is_an_error(self):
        base = sqlite3.connect(":memory:")
        base.execute("CREATE TABLE t (id, age, hieght)")
        base.execute("INSERT INTO t VALUES (1, 50, 170)")
        base.execute(to_sql(SIMPLE, "sqlite", "t", "view", view="v"))
        for query in (
            to_sql(SIMPLE, "sqlite", "t", "select"),
            f"SELECT {to_sql(SIMPLE, 'sqlite')} FROM t",
            "SELECT * FROM v",
        ):
            with pytest.raises(sqlite3.OperationalError, match="no such column: height"):
                base.execute(query)
        with pytest.raises(sqlite3.OperationalError, match="no such column: nosuch"):
            base.execute(to_sql(OLD_AGE, "sqlite", "t", "select", keep=["nosuch"]))
        base.close()

    @pytest.mark.parametrize("kind", ["INTEGER", "REAL", "NUMERIC"])
    def test_whole_numbers_become_floats(self, kind):
        base = sqlite3.connect(":memory:")
        base.execute(f"CREATE TABLE t (age {kind}, height {kind})")
        base.execute("INSERT INTO t VALUES (40, 170)")
        query = to_sql(SIMPLE, "sqlite", "t", "select", "score")
        assert base.execute(query).fetchall() == [(0.75,)]
        base.close()


class TestDuckDB:
    def test_gives_the_same_answers(self):
        database = DuckDB()
        database.check([*boundary_cases(), *cases_for(database.usable)])

    def test_a_view_can_be_defined_again(self):
        base = duckdb.connect()
        base.execute("CREATE TABLE t (age DOUBLE)")
        base.execute("INSERT INTO t VALUES (50)")
        for weight in (1.0, 2.0):
            renewed = OLD_AGE.with_votes(0.0, [weight])
            base.execute(to_sql(renewed, "duckdb", "t", "view", view="v"))
            assert base.execute("SELECT * FROM v").fetchall() == [(weight,)]


@pytest.fixture(scope="module")
def psql():
    if missing_part():
        pytest.skip(missing_part())
    with running_server() as run:
        yield run


class TestPostgres:
    def test_gives_the_same_answers(self, psql):
        database = Postgres(psql)
        database.check([*filter(database.usable, boundary_cases()), *cases_for(database.usable)])


class TestMissing:
    """NULL and NaN in columns of which the rules say nothing but whether they are there."""

    ANY = RuleEnsemble(
        0.0,
        [
            Rule(Condition((Membership("bmi", (), missing=True),)), 1.0),
            Rule(Condition((Membership("bmi", (), negated=True),)), 2.0),
        ],
        ("bmi",),
        "squared",
    )

    @pytest.mark.parametrize(
        ("kind", "values"),
        [
            ("DOUBLE", "'NaN', NULL, 1"),
            ("TEXT", "NULL, '', 'a'"),
            ("BOOLEAN", "NULL, TRUE, FALSE"),
            ("DATE", "NULL, '2024-01-01'"),
        ],
    )
    def test_any_type(self, kind, values):
        base = duckdb.connect()
        base.execute(f"CREATE TABLE t (bmi {kind})")
        base.execute(f"INSERT INTO t VALUES ({'), ('.join(values.split(', '))})")
        found = base.execute(to_sql(self.ANY, "duckdb", "t", "select")).fetchall()
        wanted = [1.0 if v in ("NULL", "'NaN'") else 2.0 for v in values.split(", ")]
        assert [value for (value,) in found] == wanted


class TestCategories:
    def test_large_whole_numbers_are_told_apart(self):
        keys = [2**53 + 1, 2**63 - 1, -(2**63), 0]
        ensemble = RuleEnsemble(
            0.0, [Rule(Condition((Membership("key", keys[:3]),)), 1.0)], ("key",), "squared"
        )
        given = [*keys, 2**53, 2**63 - 2, -(2**63) + 1]
        wanted = ensemble(pl.DataFrame({"key": given})).tolist()
        for base, dialect in (
            (sqlite3.connect(":memory:"), "sqlite"),
            (duckdb.connect(), "duckdb"),
        ):
            base.execute("CREATE TABLE t (id INTEGER, key BIGINT)")
            base.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(given)))
            query = to_sql(ensemble, dialect, "t", "select", keep=["id"])
            assert [value for _, value in sorted(base.execute(query).fetchall())] == wanted
            base.close()

    def test_text_that_looks_like_nan_is_a_text(self):
        ensemble = RuleEnsemble(
            0.0, [Rule(Condition((Membership("key", ("A",), True),)), 1.0)], ("key",), "squared"
        )
        base = duckdb.connect()
        base.execute("CREATE TABLE t (key TEXT)")
        base.execute("INSERT INTO t VALUES ('NaN'), (NULL), ('A')")
        found = base.execute(to_sql(ensemble, "duckdb", "t", "select")).fetchall()
        assert found == [(1.0,), (0.0,), (0.0,)]

    @pytest.mark.parametrize(
        ("message", "categories"),
        [
            ("NUL", ("a\0b",)),
            ("whole number", (2**63,)),
            ("one type", ("a", 1)),
            ("not a float64", (0.5, 2**53 + 1)),
        ],
    )
    def test_refuses_what_no_column_holds(self, message, categories):
        rule = Rule(Condition((Membership("key", categories),)), 1.0)
        with pytest.raises(ValueError, match=message):
            to_sql(RuleEnsemble(0.0, (rule,), ("key",), "squared"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": 3}, "table must be a sequence of names, found 3"),
        ({"table": ""}, "table must hold names, found ''"),
        ({"table": ("public", "")}, "table must hold names, found ''"),
        ({"table": ("public", None)}, "table must hold names, found None"),
        ({"table": "t", "keep": [3]}, "keep must hold names, found 3"),
        ({"table": "t", "keep": 3}, "keep must be a sequence of names, found 3"),
        ({"table": "t", "kind": "view", "view": ""}, "view must hold names, found ''"),
    ],
)
def test_names_must_be_texts(options, message):
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        to_sql(SIMPLE, **{"kind": "select", **options})
