"""The parts of a query whose values can be worked out by hand."""

import math
import sqlite3

import duckdb
import pytest

from sorb.export import to_sql
from sorb.rules import RuleEnsemble

# The smallest power of e that is computed; beyond it databases would meet subnormal numbers.
LEAST = math.exp(-708.0)


def value(dialect, expression):
    base = sqlite3.connect(":memory:") if dialect == "sqlite" else duckdb.connect()
    (found,) = base.execute(f"SELECT {expression}").fetchone()
    base.close()
    return found


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
class TestFarFromZero:
    """Answers of models without rules, whose scores are their offsets."""

    @pytest.mark.parametrize(
        ("score", "expected"),
        [
            (-1e6, 0.0),
            (-708.5, 0.0),
            (-708.0, LEAST),
            (-707.5, math.exp(-707.5)),
            (0.0, 1.0),
            (707.5, math.exp(707.5)),
        ],
    )
    def test_means_of_rates(self, dialect, score, expected):
        model = RuleEnsemble(score, (), ("age",), "poisson")
        found = value(dialect, to_sql(model, dialect))
        assert found == pytest.approx(expected, rel=1e-12, abs=0)

    @pytest.mark.parametrize(
        ("score", "expected"),
        [
            (-1e6, 0.0),
            (-708.5, 0.0),
            (-708.0, LEAST),
            (-40.0, math.exp(-40) / (1 + math.exp(-40))),
            (0.0, 0.5),
            (2.0, 1 / (1 + math.exp(-2))),
            (708.5, 1.0),
            (1e6, 1.0),
        ],
    )
    def test_probabilities_of_two_classes(self, dialect, score, expected):
        model = RuleEnsemble(score, (), ("age",), "logistic", ("no", "yes"))
        found = value(dialect, to_sql(model, dialect, output="probability"))
        assert found == pytest.approx(expected, rel=1e-12, abs=0)

    @pytest.mark.parametrize("shift", [0.0, 1e6, -1e6])
    def test_probabilities_of_several_classes(self, dialect, shift):
        scores = (shift, shift - 1.0, shift - 708.5)
        model = RuleEnsemble(scores, (), ("age",), "softmax", ("a", "b", "c"))
        base = sqlite3.connect(":memory:") if dialect == "sqlite" else duckdb.connect()
        base.execute("CREATE TABLE t (age REAL)")
        base.execute("INSERT INTO t VALUES (1)")
        query = to_sql(model, dialect, "t", "select", "probability")
        (found,) = base.execute(query).fetchall()
        base.close()
        total = 1 + math.exp(-1)
        assert found == pytest.approx((1 / total, math.exp(-1) / total, 0.0), rel=1e-12, abs=0)
