"""SQL: the written queries are run by the databases that are there, and compared with the model."""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pytest
import sqlglot
from export.corpus import NASTY, assert_answers, boundary_cases, drawn_cases, finite_scores, outputs
from sqlglot import exp

from sorb.export import sql
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

DIALECTS = ["postgres", "sqlite", "duckdb", "bigquery", "snowflake", "spark", "tsql"]
OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
TALL = Condition((Proposition(("height", "age"), (1.0, -0.5), 150.0),))
RULES = (Rule(OLD, 1.5), Rule(TALL, 0.25))
SIMPLE = RuleEnsemble(-1.0, RULES, ("age", "height", "unused"), "logistic", ("no", "yes"))


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def fits_a_database(ensemble):
    """Whether there can be a table with these columns, and a column with these labels."""
    names = [name.casefold() for name in ensemble.columns]
    labels = ensemble.classes or ()
    texts = [*names, *(label for label in labels if isinstance(label, str))]
    kinds = {type(label) for label in labels}
    whole = all(abs(label) < 2**63 for label in labels if isinstance(label, int))
    return (
        len(set(names)) == len(names)
        and not any("\0" in text for text in texts)
        and kinds in ({str}, {int}, {float}, {bool}, set())
        and whole
        and not {"id", *(f"rule_{i}" for i in range(9))} & set(names)
    )


CASES = [c for c in [*boundary_cases(), *drawn_cases()] if fits_a_database(c[0])]


def runs(moderate=False):
    """All cases with all their outputs; `moderate` numbers are those that cannot overflow."""
    return [
        (ensemble, X, output)
        for ensemble, X in CASES
        for output in outputs(ensemble)
        if (output == "decision" or finite_scores(ensemble, X))
        and (not moderate or tame(ensemble, X))
    ]


def tame(ensemble, X):
    sizes = [abs(w) for r in ensemble for p in r.condition.propositions for w in p.weights]
    sizes += [abs(rule.weight) for rule in ensemble]
    everything = np.abs(np.array([*sizes, *np.ravel(X), *np.ravel(ensemble.offset)]))
    return bool(((everything < 1e100) & ((everything > 1e-100) | (everything == 0))).all())


def fill(execute, executemany, ensemble, X, table, mark="?", kind="DOUBLE"):
    columns = ", ".join(f"{quoted(name)} {kind}" for name in ensemble.columns)
    execute(f"CREATE TABLE {quoted(table)} (id INTEGER{', ' if columns else ''}{columns})")
    marks = ", ".join([mark] * (1 + len(ensemble.columns)))
    executemany(
        f"INSERT INTO {quoted(table)} VALUES ({marks})",
        [[i, *row] for i, row in enumerate(X.tolist())],
    )


def check(rows, ensemble, X, output):
    """Compare the rows of a query with key, answers and contributions."""
    rows = [list(row[1:]) for row in sorted(rows)]
    width = len(rows[0]) - len(ensemble)
    assert [row[width:] for row in rows] == ensemble.contributions(X).tolist()
    answers = [row[:width] if width > 1 else row[0] for row in rows]
    if output == "prediction" and ensemble.loss in ("logistic", "softmax"):
        classes = ensemble.classes or (0, 1)  # truth values are written as 0 and 1
        answers = [next(label for label in classes if label == answer) for answer in answers]
    assert_answers(answers, ensemble, X, output)


class TestSQLite:
    def test_gives_the_same_answers(self):
        for ensemble, X, output in runs():
            base = sqlite3.connect(":memory:")
            fill(base.execute, base.executemany, ensemble, X, "t; --")
            query = sql(ensemble, "sqlite", "t; --", "select", output, True, ["id"])
            check(base.execute(query).fetchall(), ensemble, X, output)
            base.close()

    def test_reads_every_number_exactly(self):
        base = sqlite3.connect(":memory:")
        random = np.random.default_rng(0)
        numbers = random.normal(size=2000) * 10.0 ** random.integers(-20, 20, 2000)
        extremes = [5e-324, 2.2e-308, 1.7976931348623157e308, 2.0**53, 2.0**53 + 2, 0.001, 1e15]
        misread = [
            -266.957003512,
            -0.009977168927,
            -2.3150617,
            -6.16757437292e-06,
        ]  # by SQLite 3.40, as decimals
        for number in [*numbers.tolist(), *extremes, *misread]:
            constant = RuleEnsemble(number, (), ("age",), "squared")
            assert base.execute(f"SELECT {sql(constant, 'sqlite')}").fetchone() == (number,)
        base.close()

    @pytest.mark.parametrize("kind", ["INTEGER", "REAL", "NUMERIC"])
    def test_whole_numbers_become_floats(self, kind):
        base = sqlite3.connect(":memory:")
        base.execute(f"CREATE TABLE t (age {kind}, height {kind})")
        base.execute("INSERT INTO t VALUES (40, 170)")
        query = sql(SIMPLE, "sqlite", "t", "select", "decision")
        assert base.execute(query).fetchall() == [(0.75,)]
        base.close()

    def test_expression_gives_what_the_query_gives(self):
        for ensemble, X, output in runs():
            if output == "decision" or ensemble.loss == "softmax":
                continue
            base = sqlite3.connect(":memory:")
            fill(base.execute, base.executemany, ensemble, X, "t")
            query = base.execute(sql(ensemble, "sqlite", "t", "select", output)).fetchall()
            expression = sql(ensemble, "sqlite", output=output)
            assert base.execute(f"SELECT {expression} FROM t").fetchall() == query
            base.close()


class TestMissing:
    ROWS = ((None, 170.0), (50.0, None), (50.0, 170.0))

    @pytest.mark.parametrize("loss", ["logistic", "softmax"])
    @pytest.mark.parametrize("output", ["decision", "prediction", "probability"])
    def test_null_gives_null(self, loss, output):
        ensemble = SIMPLE
        if loss == "softmax":
            ensemble = RuleEnsemble((0.0, 0.5), RULES, SIMPLE.columns, loss, SIMPLE.classes)
        base = sqlite3.connect(":memory:")
        base.execute("CREATE TABLE t (age REAL, height REAL, unused REAL)")
        base.executemany("INSERT INTO t VALUES (?, ?, NULL)", self.ROWS)
        rows = base.execute(sql(ensemble, "sqlite", "t", "select", output, True)).fetchall()
        base.close()
        *answers, first, second = zip(*rows, strict=True)
        assert all([a is None for a in answer] == [True, True, False] for answer in answers)
        assert first == (None, 1.5, 1.5)
        assert second == (None, None, 0.0)

    def test_nan_gives_null(self):
        base = duckdb.connect()
        base.execute("CREATE TABLE t (age DOUBLE, height DOUBLE)")
        base.execute("INSERT INTO t VALUES ('NaN', 170), (50, 'NaN'), (50, 170)")
        rows = base.execute(sql(SIMPLE, "duckdb", "t", "select")).fetchall()
        assert rows == [(None,), (None,), ("yes",)]

    def test_infinities_that_cancel_are_on_neither_side(self):
        base = duckdb.connect()
        base.execute("CREATE TABLE t (age DOUBLE, height DOUBLE)")
        base.execute("INSERT INTO t VALUES ('inf', 'inf'), ('-inf', '-inf'), ('-inf', 'inf')")
        rows = base.execute(sql(SIMPLE, "duckdb", "t", "select", "decision")).fetchall()
        X = np.array([[np.inf, np.inf, 0], [-np.inf, -np.inf, 0], [-np.inf, np.inf, 0]])
        assert [value for (value,) in rows] == SIMPLE(X).tolist()


class TestDuckDB:
    def test_gives_the_same_answers(self):
        base = duckdb.connect(config={"threads": 1})
        for i, (ensemble, X, output) in enumerate(runs()):
            fill(base.execute, base.executemany, ensemble, X, f"t{i}")
            text = sql(ensemble, "duckdb", ("main", f"t{i}"), "view", output, True, ["id"], f"v{i}")
            base.execute(text)
            check(base.execute(f"SELECT * FROM v{i}").fetchall(), ensemble, X, output)


def postgres_programs():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    return found[-1] if found else None


@pytest.fixture(scope="module")
def psql():
    """A function that runs a script in a temporary PostgreSQL server and gives its lines."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    root = os.getuid() == 0
    if root and shutil.which("runuser") is None:
        pytest.skip("PostgreSQL does not run as root, and there is no runuser")
    # Not pytest's own folder, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="sorb-postgres-"))
    data, as_user = folder / "data", []
    if root:
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")

    def run(*command, **options):
        command = [*as_user, *map(str, command)]
        return subprocess.run(command, check=True, capture_output=True, cwd=folder, **options)

    run(programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    run(programs / "pg_ctl", "-D", data, "-w", "-o", settings, "-l", folder / "log", "start")
    try:
        base = [programs / "psql", "-h", folder, "-U", "tester", "-d", "postgres"]
        options = ["-q", "-A", "-t", "-X", "-v", "ON_ERROR_STOP=1"]
        yield lambda script: run(*base, *options, input=script.encode()).stdout.decode()
    finally:
        run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)


def json_values(text):
    """Read JSON values that follow each other; PostgreSQL writes the float64 40.0 as 40."""
    decoder, values = json.JSONDecoder(parse_int=float), []
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:]
    return values


class TestPostgres:
    def test_gives_the_same_answers(self, psql):
        cases, script = runs(moderate=True), []
        assert len(cases) > 40
        for i, (ensemble, X, output) in enumerate(cases):
            columns = ", ".join(f"{quoted(name)} DOUBLE PRECISION" for name in ensemble.columns)
            script.append(f"CREATE TABLE t{i} (id INTEGER, {columns});")
            rows = [", ".join(map(repr, [j, *row])) for j, row in enumerate(X.tolist())]
            script.append(f"INSERT INTO t{i} VALUES ({'), ('.join(rows)});")
            query = sql(ensemble, "postgres", f"t{i}", "select", output, True, ["id"])
            script.append(f"SELECT json_agg(q) FROM ({query}) AS q;")
        found = json_values(psql("\n".join(script)))
        for (ensemble, X, output), rows in zip(cases, found, strict=True):
            check([tuple(row.values()) for row in rows], ensemble, X, output)


class TestText:
    @pytest.mark.parametrize("dialect", DIALECTS)
    @pytest.mark.parametrize("name", NASTY)
    def test_a_name_stays_a_name(self, dialect, name):
        rule = Rule(Condition((Proposition((name,), (1.0,), 40.0),)), 1.5)
        ensemble = RuleEnsemble(0.0, (rule,), (name,), "logistic", (name, "no"))
        text = sql(ensemble, dialect, (name, name), "view", keep=[name], view=name)
        (statement,) = sqlglot.parse(text, dialect=dialect)
        assert isinstance(statement, exp.Create)
        assert {c.name for c in statement.find_all(exp.Column)} == {name, "score_0"}
        assert statement.this.name == name

    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_outside_of_quotes_nothing_is_of_the_user(self, dialect):
        texts = [self.without_quotes(dialect, name) for name in NASTY]
        assert len(set(texts)) == 1

    @staticmethod
    def without_quotes(dialect, name):
        """Take out what the database itself would take for a quoted name or text."""
        rule = Rule(Condition((Proposition((name,), (1.0,), 40.0),)), 1.5)
        ensemble = RuleEnsemble(0.0, (rule,), (name,), "logistic", (name, "no"))
        text = sql(ensemble, dialect, name, "select", keep=[name])
        ends = {"'": "'", "[": "]"} if dialect == "tsql" else {"'": "'", '"': '"'}
        if dialect in ("bigquery", "spark"):
            ends = {"'": "'", "`": "`"}
        result, i = "", 0
        while i < len(text):
            if text[i] not in ends:
                result, i = result + text[i], i + 1
                continue
            end, quote, i = ends[text[i]], text[i], i + 1
            escapes = dialect == "bigquery" or (dialect in ("snowflake", "spark") and quote == "'")
            while text[i] != end or text[i : i + 2] == end * 2:
                i += 2 if text[i] == end or (escapes and text[i] == "\\") else 1
            result, i = result + quote + end, i + 1
        return " ".join(result.split())  # long names are followed by line breaks

    def test_refuses_what_no_database_takes(self):
        rule = Rule(Condition((Proposition(("a\0b",), (1.0,), 40.0),)), 1.5)
        with pytest.raises(ValueError, match="NUL"):
            sql(RuleEnsemble(0.0, (rule,), ("a\0b",), "squared"))
        with pytest.raises(ValueError, match="one type"):
            sql(RuleEnsemble(0.0, (), (), "logistic", ("a", 1)))
        with pytest.raises(ValueError, match="NUL"):
            sql(RuleEnsemble(0.0, (), (), "logistic", ("a", "\0")))

    @pytest.mark.parametrize(
        ("message", "options"),
        [
            ("dialect must be one of", {"dialect": "mysql"}),
            ("kind must be one of", {"kind": "table"}),
            ("pass table=", {"kind": "select"}),
            ("pass view=", {"kind": "view", "table": "t"}),
            ("one value", {"contributions": True}),
            ("called 'Prediction'", {"kind": "select", "table": "t", "keep": ["x", "Prediction"]}),
            ("at most", {"kind": "select", "table": ("a", "b", "c", "d")}),
        ],
    )
    def test_refuses_wrong_options(self, message, options):
        if "Prediction" in message:
            options, message = {**options, "output": "prediction"}, "called 'prediction'"
        with pytest.raises(ValueError, match=message):
            sql(SIMPLE, **options)

    def test_scores_do_not_clash_with_columns_that_are_kept(self):
        base = sqlite3.connect(":memory:")
        base.execute("CREATE TABLE t (score_0 TEXT, age REAL, height REAL)")
        base.execute("INSERT INTO t VALUES ('mine', 50, 170)")
        query = sql(SIMPLE, "sqlite", "t", "select", keep=["Score_0"])
        assert base.execute(query).fetchall() == [("mine", "yes")]
        base.close()

    def test_names_the_extra(self, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "sorb.export.sql_nodes", None)
        monkeypatch.delattr("sorb.export.sql_nodes", raising=False)
        with pytest.raises(ImportError, match=r"sorb\[sql\]"):
            sql(SIMPLE)
