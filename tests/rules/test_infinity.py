import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from sorb import _kernels
from sorb.rules import (
    Condition,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
    columns,
)

SUM = Condition((Proposition(("a", "b"), (1.0, 2.0), 3.0),))
RATIO = Condition((Product(("a", "b"), (1.0, -1.0), 2.0),))
MEASURED = Condition((Membership("c", (), negated=True),))
ENSEMBLE = RuleEnsemble(
    0.0, (Rule(SUM, 1.0), Rule(RATIO, 0.5), Rule(MEASURED, 4.0)), tuple("abcd"), "logistic"
)
X = np.full((50, 4), 2.0)
ASKED = [
    ENSEMBLE,
    ENSEMBLE.predict,
    ENSEMBLE.predict_proba,
    ENSEMBLE.covers,
    ENSEMBLE.contributions,
]


def spoilt(column, row, value):
    table = X.copy()
    table[row, column] = value
    return table


@pytest.mark.parametrize("block", [7, 1000])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_array])
@pytest.mark.parametrize("ask", ASKED)
def test_infinity_is_refused_by_its_column_and_row(ask, form, block, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_ROWS", block)
    with pytest.raises(ValueError, match="infinity in column 'b', first in row 31: expected"):
        ask(form(spoilt(1, 31, -np.inf)))


@pytest.mark.parametrize("ask", ASKED)
def test_in_data_frames_and_dictionaries_too(ask):
    rows = [dict(zip("abcd", row, strict=True)) for row in spoilt(0, 3, np.inf).tolist()]
    for table in (pd.DataFrame(rows), rows):
        with pytest.raises(ValueError, match="infinity in column 'a', first in row 3"):
            ask(table)


def test_a_compiled_row_is_refused_too():
    with pytest.raises(ValueError, match="column 'a' is inf: expected a finite number"):
        ENSEMBLE.compile()([math.inf, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("column", [2, 3])
def test_columns_that_are_not_weighed_may_hold_it(column):
    assert ENSEMBLE(spoilt(column, 0, np.inf)).tolist() == ENSEMBLE(X).tolist()


def test_missing_values_beside_it_do_not_hide_it():
    table = spoilt(0, 40, np.inf)
    table[:10, :2] = np.nan
    with pytest.raises(ValueError, match="infinity in column 'a', first in row 40"):
        ENSEMBLE(table)


def test_of_several_infinite_columns_the_first_one_is_named(monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_ROWS", 7)
    table = spoilt(1, 3, np.inf)
    table[40, 0] = np.inf
    with pytest.raises(ValueError, match="infinity in column 'a', first in row 40"):
        ENSEMBLE(table)


@given(st.lists(st.sampled_from([0.0, -1e308, np.nan, np.inf, -np.inf]), max_size=40), st.data())
def test_the_kernel_finds_what_numpy_finds(values, data):
    start, step = data.draw(st.integers(0, 3)), data.draw(st.sampled_from([1, 2, -1]))
    chosen = np.array(values, dtype=float)[start::step]
    assert _kernels.holds_infinity(chosen) == np.isinf(chosen).any()
    finite = np.where(np.isinf(chosen), np.nan, chosen)
    assert not _kernels.holds_infinity(finite)
