import pytest
import sqlglot
from sqlglot import exp

from sorb.export import to_sql
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble


def where(proposition, dialect):
    """The condition of a rule, on one line."""
    rule = Rule(Condition((proposition,)), 1.0)
    ensemble = RuleEnsemble(0.0, (rule,), proposition.columns, "squared")
    tree = sqlglot.parse_one(to_sql(ensemble, dialect), dialect=dialect)
    return tree.find(exp.If).this.sql(dialect=dialect)


class TestNaN:
    """What is asked of a value that may be NaN, where no database is here to say how it decides."""

    @pytest.mark.parametrize(
        ("proposition", "condition"),
        [
            (Proposition(("x",), (1,), 4), "CAST(`x` AS FLOAT64) >= 4.0"),
            (
                Proposition(("x",), (1,), 4, missing=True),
                "COALESCE(NOT CAST(`x` AS FLOAT64) < 4.0, TRUE)",
            ),
            (
                Proposition(("x",), (-1,), -4, missing=True),
                "COALESCE(NOT CAST(`x` AS FLOAT64) > 4.0, TRUE)",
            ),
            (Membership("x", (1, 2)), "`x` IN (1, 2)"),
            (Membership("x", (1, 2), negated=True), "NOT `x` IN (1, 2) AND `x` = `x`"),
            (
                Membership("x", (1, 2), missing=True),
                "(`x` IN (1, 2) OR (`x` IS NULL OR `x` <> `x`))",
            ),
            (
                Membership("x", (), missing=True),
                "(`x` IS NULL OR LOWER(CAST(`x` AS STRING)) = 'nan')",
            ),
        ],
    )
    def test_bigquery_compares_it_with_nothing(self, proposition, condition):
        assert where(proposition, "bigquery") == condition

    @pytest.mark.parametrize("dialect", ["snowflake", "spark"])
    def test_others_put_it_above_all_numbers(self, dialect):
        nan = "CAST('NaN' AS DOUBLE)"
        assert f", {nan}) >= " in where(Proposition(("x",), (1,), 4), dialect)
        assert nan not in where(Proposition(("x",), (-1,), -4), dialect)
        assert nan not in where(Proposition(("x",), (1,), 4, missing=True), dialect)
        assert f", {nan}), " in where(Proposition(("x",), (-1,), -4, missing=True), dialect)

    def test_sql_server_has_none(self):
        assert where(Proposition(("x",), (1,), 4), "tsql") == "CAST([x] AS FLOAT) >= 4.0e0"
        assert where(Membership("x", (1,), negated=True), "tsql") == "NOT [x] IN (1)"
        assert where(Membership("x", (), negated=True), "tsql") == "NOT [x] IS NULL"

    def test_sql_server_tells_capital_letters_apart(self):
        found = where(Membership("x", ("A",)), "tsql")
        assert found == "[x] COLLATE Latin1_General_100_BIN2 IN (N'A')"
