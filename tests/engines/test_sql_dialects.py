"""The SQL that BigQuery and Snowflake would be asked, as far as it can be checked without them.

A fit asks DuckDB through Ibis; each of its questions is compiled for the other databases, too.
"""

from itertools import pairwise

import narwhals as nw
import numpy as np
import pytest

from engines.conftest import ENGINES
from engines.hand_over import to_ibis
from engines.tables import features, outcomes
from sorb import LLTBoostClassifier, LLTBoostRegressor

pytestmark = pytest.mark.skipif("ibis" not in ENGINES, reason="make test-engines runs it")

FEW = {"max_rules": 2, "search_rows": 150}
FITS = {
    "two classes": (LLTBoostClassifier(**FEW), {"sample_weight": "w"}),
    "three classes": (LLTBoostClassifier(**FEW, selection=None), {}),
    "numbers": (LLTBoostRegressor(**FEW, categorical_features=["group", "count"]), {}),
    "counts": (LLTBoostRegressor(**FEW, loss="poisson", log_columns="auto"), {"exposure": "e"}),
}
# Functions in the manuals of both …
COMMON = {"COALESCE", "COUNT", "EXP", "FLOOR", "GREATEST", "LEAST", "LOG", "MAX", "MIN", "POWER"}
COMMON |= {"SUM"}
# … and of one of them.
FUNCTIONS = {
    "bigquery": COMMON | {"IEEE_DIVIDE", "IF", "IS_INF", "IS_NAN", "MOD", "TRUNC"},
    "snowflake": COMMON | {"IFF"},
}
# Words that may stand before a bracket, and are no functions.
WORDS = {"AND", "AS", "BY", "CAST", "ELSE", "FROM", "IN", "NOT", "OR", "SELECT", "THEN", "WHEN"}
WORDS |= {"WHERE"}


def table(kind):
    found, rng = features(), np.random.default_rng(2)
    found["small"] = found["a"].astype("float32")
    found["w"], found["e"] = rng.exponential(size=len(found)), rng.uniform(1, 2, len(found))
    return found.assign(outcome=outcomes(kind, found))


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    """All that is asked by fits, and all predictions, as expressions of Ibis."""
    asked, collect = [], nw.LazyFrame.collect

    def collected(self, *arguments, **options):
        asked.append(nw.to_native(self))
        return collect(self, *arguments, **options)

    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nw.LazyFrame, "collect", collected)
        for kind, (estimator, extra) in FITS.items():
            frame = to_ibis(table(kind), folder)
            estimator.fit(frame, "outcome", **extra)
            asked.append(estimator.predict(frame))
            if hasattr(estimator, "predict_proba"):
                asked.append(estimator.predict_proba(frame))
    assert len(asked) > 6 * len(FITS)
    return asked


@pytest.fixture(scope="module", params=FUNCTIONS)
def dialect(request):
    return request.param


@pytest.fixture(scope="module")
def texts(questions, dialect):
    from ibis.backends.sql import compilers

    known = {"bigquery": compilers.BigQueryCompiler, "snowflake": compilers.SnowflakeCompiler}
    compiler = known[dialect]()
    return [compiler.to_sqlglot(asked.unbind()).sql(dialect=dialect) for asked in questions]


@pytest.fixture(scope="module")
def trees(texts, questions, dialect):
    """The SQL as it is read back, with the type of each of its parts."""
    import sqlglot
    from sqlglot.optimizer.annotate_types import annotate_types
    from sqlglot.optimizer.qualify import qualify

    found = []
    for text, asked in zip(texts, questions, strict=True):
        tree = sqlglot.parse_one(text, dialect=dialect)
        schema = {
            source.name: {name: _type(kind, dialect) for name, kind in source.schema.items()}
            for source in _tables(asked)
        }
        tree = qualify(tree, schema=schema, dialect=dialect, quote_identifiers=False)
        found.append(annotate_types(tree, schema=schema, dialect=dialect))
    return found


def _tables(asked):
    import ibis.expr.operations as ops

    return asked.unbind().op().find(ops.UnboundTable)


def _type(kind, dialect):
    from ibis.backends.sql import datatypes

    types = {"bigquery": datatypes.BigQueryType, "snowflake": datatypes.SnowflakeType}
    return types[dialect].from_ibis(kind).sql(dialect)


def test_only_functions_that_the_database_has_are_called(texts, dialect):
    import sqlglot

    called = set()
    for text in texts:
        tokens = sqlglot.tokenize(text, dialect=dialect)
        for word, bracket in pairwise(tokens):
            if bracket.text == "(" and word.text.replace("_", "").isalpha():
                called.add(word.text.upper())
    assert called - WORDS <= FUNCTIONS[dialect]


def test_remainders_are_of_integers(trees):
    from sqlglot import exp

    remainders = [mod for tree in trees for mod in tree.find_all(exp.Mod)]
    assert remainders
    for mod in remainders:
        for part in (mod.this, mod.expression):
            assert part.is_type(*exp.DataType.INTEGER_TYPES), mod.sql()


def test_only_whole_numbers_become_integers_which_databases_round_differently(trees):
    from sqlglot import exp

    casts = [
        cast
        for tree in trees
        for cast in tree.find_all(exp.Cast)
        if cast.is_type(*exp.DataType.INTEGER_TYPES) and cast.this.is_type(*exp.DataType.REAL_TYPES)
    ]
    assert casts
    for cast in casts:
        assert cast.find(exp.Floor, exp.Trunc), cast.sql()


def test_integers_have_at_most_64_bits(trees):
    from sqlglot import exp

    numbers = [text.this for tree in trees for text in tree.find_all(exp.Literal) if text.is_int]
    assert numbers
    assert max(map(int, numbers)) < 2**63


def test_a_question_is_much_shorter_than_a_query_may_be(texts):
    assert max(map(len, texts)) < 250_000  # one million characters may be asked at once
