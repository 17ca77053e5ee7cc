"""The SQL that Ibis writes for databases that cannot be run here, as far as it can be checked."""

import json

import narwhals as nw
import pytest

from engines.conftest import ENGINES
from engines.tables import features, outcomes

if "ibis" not in ENGINES:
    pytest.skip("Ibis is tested by make test-engines", allow_module_level=True)

import ibis
import sqlglot
from sqlglot import exp

from sorb import LLTBoostClassifier, LLTBoostRegressor

# The functions that the databases' manuals list, of those that the questions may need.
KNOWN = {
    "bigquery": "COUNT SUM MIN MAX FLOOR TRUNC MOD COALESCE IF CAST IS_INF IS_NAN IEEE_DIVIDE EXP "
    "LN POWER GREATEST LEAST CASE AND OR",
    "snowflake": "COUNT SUM MIN MAX FLOOR TRUNC MOD COALESCE IFF CAST EXP LN POWER GREATEST LEAST "
    "CASE AND OR",
}


def questions(monkeypatch, model, kind, **fields):
    """All queries of a fit, as expressions of Ibis."""
    asked, collect = [], nw.LazyFrame.collect

    def collected(self, *arguments, **options):
        asked.append(nw.to_native(self))
        return collect(self, *arguments, **options)

    table = features(600)
    table["outcome"], table["w"] = outcomes(kind, table), 1.5
    monkeypatch.setattr(nw.LazyFrame, "collect", collected)
    model.fit(ibis.memtable(table), "outcome", **fields)
    return asked


@pytest.mark.parametrize("dialect", KNOWN)
@pytest.mark.parametrize("kind", ["two classes", "numbers", "counts"])
def test_questions_use_functions_that_the_database_has(dialect, kind, monkeypatch):
    model = LLTBoostClassifier(max_rules=2, search_rows=50)
    if kind != "two classes":
        loss = {"numbers": "squared", "counts": "poisson"}[kind]
        model = LLTBoostRegressor(max_rules=2, search_rows=50, loss=loss)
    asked = questions(monkeypatch, model, kind, sample_weight="w")
    assert len(asked) > 5
    used = set()
    for question in asked:
        tree = sqlglot.parse_one(ibis.to_sql(question, dialect=dialect), dialect=dialect)
        used |= {_name(call, dialect) for call in tree.find_all(exp.Func)}
    assert used <= set(KNOWN[dialect].split()), json.dumps(sorted(used))


def _name(call, dialect):
    text = call.name if isinstance(call, exp.Anonymous) else call.sql(dialect=dialect)
    return text.partition("(")[0].split()[0].upper()
