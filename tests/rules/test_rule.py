import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import strategies as st
from rule_strategies import any_propositions, conditions, for_all, values

from sorb.rules import Condition, Proposition, Rule

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
COLUMNS = ("a", "b", "c")
CONDITIONS = conditions(any_propositions(dict.fromkeys(COLUMNS, ())))


@for_all(CONDITIONS, values, st.lists(st.tuples(values, values, values), max_size=3))
def test_adds_its_vote_where_the_condition_covers(condition, vote, table):
    X = np.array(table).reshape(-1, 3)
    expected = [vote if covered else 0.0 for covered in condition(X, COLUMNS)]
    assert Rule(condition, vote)(X, COLUMNS).tolist() == expected


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_needs_no_names_for_a_frame(frame):
    assert Rule(OLD, 1.5)(frame({"age": [40.0, 20.0]})).tolist() == [1.5, 0.0]


@for_all(CONDITIONS)
def test_is_one_more_complex_than_its_condition(condition):
    assert Rule(condition, 1.0).complexity == 1 + condition.complexity


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((OLD, np.nan), ValueError, "vote must be finite"),
        ((OLD, "1"), TypeError, "vote must be a number"),
        ((OLD, 1.0, -1), ValueError, "output must not be negative, found -1"),
        ((OLD, 1.0, 0.5), TypeError, "output must be an integer, found 0.5"),
        ((OLD, 1.0, True), TypeError, "output must be an integer, found True"),
        ((OLD.propositions, 1.0), TypeError, "condition must hold Condition"),
    ],
)
def test_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        Rule(*arguments)
