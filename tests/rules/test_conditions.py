"""Conditions cover what plain Python covers, and are values."""

import pickle

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from rule_strategies import (
    any_propositions,
    as_array,
    cells,
    conditions,
    for_all,
    is_close_call,
    layouts,
    satisfies,
)

from sorb.rules import Condition, Proposition
from sorb.rules.columns import ColumnSource


def at_least(column, threshold):
    return Proposition((column,), (1.0,), threshold)


@st.composite
def conditions_with_rows(draw):
    layout = draw(layouts())
    condition = draw(conditions(any_propositions(layout)))
    row = st.tuples(*(cells(known) for known in layout.values())).map(list)
    return condition, list(layout), draw(st.lists(row, min_size=1, max_size=3))


class TestCondition:
    @for_all(conditions_with_rows(), examples=80)
    def test_decides_as_plain_python_does(self, drawn):
        condition, columns, table = drawn
        rows = [dict(zip(columns, row, strict=True)) for row in table]
        assume(not any(is_close_call(p, row) for p in condition.propositions for row in rows))
        expected = [satisfies(condition, row) for row in rows]
        assert condition(as_array(table), columns).tolist() == expected

    def test_refuses_other_things(self):
        with pytest.raises(
            TypeError, match="must hold Proposition or Product or Membership, found 'a"
        ):
            Condition(("a ≥ 1",))

    def test_empty_covers_every_row(self):
        assert Condition()(np.zeros((3, 1)), ("a",)).tolist() == [True, True, True]

    def test_empty_fits_any_shape(self):
        assert Condition().covers(ColumnSource({}.__getitem__, {}.__getitem__, 3)).shape == ()

    @for_all(conditions_with_rows())
    def test_complexity_is_the_sum(self, drawn):
        assert drawn[0].complexity == sum(p.complexity for p in drawn[0].propositions)

    @for_all(conditions_with_rows())
    def test_pickles(self, drawn):
        condition = drawn[0]
        assert pickle.loads(pickle.dumps(condition)) == condition

    def test_columns_in_the_order_of_first_use(self):
        both = Proposition(("b", "a"), (1.0, 1.0), 0.0)
        assert Condition((at_least("b", 0.0), both)).columns == ("b", "a")


def test_a_single_proposition_is_no_sequence():
    with pytest.raises(TypeError, match="propositions must be a sequence of propositions, found P"):
        Condition(Proposition(("a",), (1.0,), 0.0))
