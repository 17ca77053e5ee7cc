"""SQL as text: every name and every literal stays one, in all dialects, also those not run here."""

import re
import sqlite3
import sys
from fractions import Fraction

import numpy as np
import pytest
import sqlglot
from export.corpus import N_LOSSES, boundary_cases, cases_for
from export.random_models import NASTY, TEXTS
from export.targets.databases import fits_a_database
from export.test_sql_query import SIMPLE
from sqlglot import exp

from sorb.export import sql_dialects, to_sql
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble

DIALECTS = ["postgres", "sqlite", "duckdb", "bigquery", "snowflake", "spark", "tsql"]


def about(name):
    """A model with a column and a class of this name."""
    propositions = (
        Proposition((name,), (1.0,), 40.0),
        Product((name,), (-2.5,), 40.0, missing=True),
    )
    rules = [Rule(Condition(propositions), 1.5)]
    return RuleEnsemble(0.0, rules, (name,), "logistic", (name, "no"))


def about_category(name, category):
    """A model with a column of this name, and a set of categories."""
    known = Membership(name, (category, "no"), negated=True, missing=True)
    return RuleEnsemble(0.0, [Rule(Condition((known,)), 1.5)], (name,), "logistic", (name, "no"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_random_models_are_read_as_they_were_written(dialect):
    cases = [*boundary_cases(N_LOSSES), *cases_for(fits_a_database)[:15]]
    if dialect == "bigquery":
        cases = [case for case in cases if not any("." in name for name in case.table.columns)]
    for case in cases:
        text = to_sql(case.ensemble, dialect, "t", "select", case.output, True, ["id"])
        (statement,) = sqlglot.parse(text, dialect=dialect)
        assert isinstance(statement, exp.Select)
        notation = sql_dialects.DIALECTS[dialect].notation
        assert statement.sql(dialect=notation, pretty=True) == text
        named = {column.name for column in statement.find_all(exp.Column)}
        own = {"id", *(f"score_{k}" for k in range(4)), *(f"rule_{k}" for k in range(5))}
        assert named - own == set(case.ensemble.used_columns)


class TestNumbersOfSQLite:
    """SQLite rounds some decimals wrongly; short ones and whole numbers up to 2⁵³ it cannot."""

    LARGEST = 2**53

    def text(self, number):
        written = to_sql(RuleEnsemble(number, (), (), "squared"), "sqlite")
        return re.sub(r"/\* \S+ \*/|\s", "", written)

    def test_literals_are_short_and_give_the_number_exactly(self):
        random = np.random.default_rng(0)
        edges = [
            x * 2.0**power for power in (-1074, -52, 0, 52, 53, 54, 943) for x in (1, 2**53 - 1)
        ]
        decimals = [9007199254740.992, 9007199254740.993, 0.001, 0.0001, 0.125, 0.0625]
        others = random.normal(size=200) * 10.0 ** random.integers(-300, 300, 200)
        for number in [*edges, *decimals, *abs(others).tolist()]:
            text = self.text(number)
            literals = re.findall(r"[\w.]+", text)
            assert all(map(self.is_exact, literals)), text
            exact = re.sub(r"([\w.]+)", r"Fraction('\1')", text)
            assert float(eval(exact, {"Fraction": Fraction})) == number

    def is_exact(self, literal):
        whole, decimals = re.fullmatch(r"(\d+)\.(\d{1,3})", literal).groups()
        return int(whole + decimals if int(decimals) else whole) <= self.LARGEST

    @pytest.mark.parametrize("number", [0.0, 0.1, 0.125, 1234.567, 9007199254740.992])
    def test_short_numbers_are_written_as_they_are(self, number):
        assert self.text(number) == repr(number)


class TestNames:
    """Columns that are one to a database."""

    def pair(self, first, second):
        rules = [
            Rule(Condition((Proposition((name,), (1.0,), 4.0),)), 1.0) for name in (first, second)
        ]
        return RuleEnsemble(0.0, rules, (first, second), "squared")

    @pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "bigquery", "spark", "tsql"])
    def test_capital_letters_alone_do_not_tell_columns_apart(self, dialect):
        with pytest.raises(ValueError, match="'age' and 'Age' are the same column"):
            to_sql(self.pair("age", "Age"), dialect)
        with pytest.raises(ValueError, match="'age' and 'AGE' are the same column"):
            to_sql(self.pair("age", "height"), dialect, "t", "select", keep=["id", "AGE"])

    @pytest.mark.parametrize("dialect", ["postgres", "snowflake"])
    def test_where_they_do_both_are_read(self, dialect):
        text = to_sql(self.pair("age", "Age"), dialect, "t", "select", keep=["AGE"])
        named = {column.name for column in sqlglot.parse_one(text, dialect).find_all(exp.Column)}
        assert named == {"age", "Age", "AGE"}

    def test_postgres_cuts_long_names(self):
        start = "ä" * 31  # of two bytes each
        assert "b" in to_sql(self.pair(start + "a", start + "b"))
        with pytest.raises(ValueError, match="are the same column"):
            to_sql(self.pair(start + "ab", start + "ac"))
        with pytest.raises(ValueError, match="are the same column"):
            to_sql(self.pair(start + "ä", start + "ö"))  # half of a sign is none
        with pytest.raises(ValueError, match="are the same column"):
            to_sql(self.pair("a", "b"), "postgres", "t", "select", keep=["c" * 63, "c" * 64])


class TestQuoting:
    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_a_name_stays_a_name(self, dialect):
        for name in NASTY:
            text = to_sql(about(name), dialect, (name, name), "view", keep=[name], view=name)
            (statement,) = sqlglot.parse(text, dialect=dialect)
            assert isinstance(statement, exp.Create)
            assert {c.name for c in statement.find_all(exp.Column)} == {name, "score_0"}
            assert statement.this.name == name

    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_a_category_stays_a_category(self, dialect):
        for category in [*NASTY, *TEXTS]:
            text = to_sql(about_category("it's", category), dialect, "t", "select")
            (statement,) = sqlglot.parse(text, dialect=dialect)
            (found,) = statement.find_all(exp.In)
            assert [literal.this for literal in found.expressions] == [category, "no"]

    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_outside_of_quotes_nothing_is_of_the_user(self, dialect):
        texts = [self.without_quotes(dialect, about(name), name) for name in NASTY]
        assert len(set(texts)) == 1
        texts = [
            self.without_quotes(dialect, about_category(name, name), name)
            for name in [*NASTY, *TEXTS]
        ]
        assert len(set(texts)) == 1

    @staticmethod
    def without_quotes(dialect, ensemble, name):
        """Take out what the database itself would take for a quoted name or text."""
        text = to_sql(ensemble, dialect, name, "select", keep=[name])
        ends = {"'": "'", "[": "]"} if dialect == "tsql" else {"'": "'", '"': '"'}
        if dialect in ("bigquery", "spark", "sqlite"):
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
        return "".join(result.split())  # long names are followed by line breaks

    def test_refuses_what_sqlglot_takes_for_the_end_of_a_line(self):
        mark = "a__SQLGLOT__LB__b"
        for ensemble in (about(mark), about_category("x", mark)):
            with pytest.raises(ValueError, match="rename 'a__SQLGLOT__LB__b'"):
                to_sql(ensemble)

    def test_refuses_what_no_database_takes(self):
        rule = Rule(Condition((Proposition(("a\0b",), (1.0,), 40.0),)), 1.5)
        with pytest.raises(ValueError, match="NUL"):
            to_sql(RuleEnsemble(0.0, (rule,), ("a\0b",), "squared"))
        with pytest.raises(ValueError, match="one type"):
            to_sql(RuleEnsemble(0.0, (), (), "logistic", ("a", 1)))
        with pytest.raises(ValueError, match="NUL"):
            to_sql(RuleEnsemble(0.0, (), (), "logistic", ("a", "\0")))
        with pytest.raises(ValueError, match="class 9223372036854775809 is not a float64"):
            to_sql(RuleEnsemble(0.0, (), (), "logistic", (0, 2**63 + 1)))

    @pytest.mark.parametrize(
        ("message", "options"),
        [
            ("dialect must be one of", {"dialect": "mysql"}),
            ("kind must be one of", {"kind": "table"}),
            ("pass table=", {"kind": "select"}),
            ("pass view=", {"kind": "view", "table": "t"}),
            ('for kind="view" only', {"kind": "select", "table": "t", "view": "v"}),
            ('for kind="view" only', {"view": "v"}),
            ("leave out table= and keep=", {"table": "t"}),
            ("leave out table= and keep=", {"keep": ["id"]}),
            ("one value", {"contributions": True}),
            ("called 'Prediction'", {"kind": "select", "table": "t", "keep": ["x", "Prediction"]}),
            ("at most", {"kind": "select", "table": ("a", "b", "c", "d")}),
        ],
    )
    def test_refuses_wrong_options(self, message, options):
        if "Prediction" in message:
            options, message = {**options, "output": "prediction"}, "called 'prediction'"
        with pytest.raises(ValueError, match=message):
            to_sql(SIMPLE, **options)

    def test_a_single_name_may_be_kept(self):
        options = {"table": "t", "kind": "select"}
        assert to_sql(SIMPLE, keep="id", **options) == to_sql(SIMPLE, keep=["id"], **options)

    def test_scores_do_not_clash_with_columns_that_are_kept(self):
        base = sqlite3.connect(":memory:")
        base.execute("CREATE TABLE t (score_0 TEXT, age REAL, height REAL)")
        base.execute("INSERT INTO t VALUES ('mine', 50, 170)")
        query = to_sql(SIMPLE, "sqlite", "t", "select", keep=["Score_0"])
        assert base.execute(query).fetchall() == [("mine", "yes")]
        base.close()

    def test_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "sorb.export.sql_nodes", None)
        monkeypatch.delattr("sorb.export.sql_nodes", raising=False)
        with pytest.raises(ImportError, match=r"pip install .*\[sql\]"):
            to_sql(SIMPLE)
