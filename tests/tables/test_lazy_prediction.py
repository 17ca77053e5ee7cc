import math

import pandas as pd
import polars as pl
import pytest

from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble
from sorb.tables.lazy_prediction import add_predictions, add_probabilities, add_scores

RULES = (
    Rule(Condition((Proposition(("a", "b"), (1.0, 2.0), 3.0, missing=True),)), 1.0),
    Rule(Condition((Membership("c", (), negated=True),)), 0.25),
)
ENSEMBLE = RuleEnsemble(0.5, RULES, tuple("abc"), "logistic", ("no", "yes"))
TABLE = {
    "a": [1.0, math.inf, None, -math.inf, 2.0],
    "b": [1, 2, 3, 4, 5],
    "c": [1.0, 1.0, None, 2.0, 2.0],
}


def polars(add):
    return add(pl.LazyFrame(TABLE), ENSEMBLE).collect()


def duckdb(add):
    engine = pytest.importorskip("duckdb").connect()
    engine.register("t", pd.DataFrame(TABLE))
    return add(engine.table("t"), ENSEMBLE).pl()


@pytest.mark.parametrize("engine", [polars, duckdb])
@pytest.mark.parametrize(
    ("add", "name", "known"),
    [
        (add_scores, "score", [1.75, 1.5, 1.75]),
        (add_predictions, "prediction", ["yes", "yes", "yes"]),
        (add_probabilities, "probability_yes", [1 / (1 + math.exp(-s)) for s in (1.75, 1.5, 1.75)]),
    ],
)
def test_rows_with_an_infinite_number_that_is_weighed_get_no_answer(engine, add, name, known):
    first, infinite, missing, negative, last = engine(add)[name].to_list()
    assert (infinite, negative) == (None, None)
    assert [first, missing, last] == (known if isinstance(known[0], str) else pytest.approx(known))
