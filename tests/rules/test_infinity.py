import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sorb.rules import (
    Condition,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
    columns,
    infinity,
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
@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_array])
@pytest.mark.parametrize("ask", ASKED)
def test_infinity_is_refused_by_its_column_and_row(ask, form, block, few, monkeypatch):
    monkeypatch.setattr(infinity, "_FEW_ROWS", few)
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
