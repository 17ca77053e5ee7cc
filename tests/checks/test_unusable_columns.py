import numpy as np
import pandas as pd
import pytest
from checks.seen import ROWS, classes, found, plain

import sorb
from sorb import LLTBoostClassifier


def with_texts(texts):
    return plain().assign(it=[texts[k % len(texts)] for k in range(ROWS)])


NEARLY_NUMBERS = {
    "a stray word": [*map(str, range(20, 60)), "n.d."],
    "a unit": [f"{k}.5 kg" for k in range(20, 60)],
    "a decimal comma": [f"{k},25" for k in range(20, 60)],
}


@pytest.mark.parametrize("texts", NEARLY_NUMBERS.values(), ids=NEARLY_NUMBERS)
def test_what_fit_refuses_is_found(texts):
    X = with_texts(texts)
    assert found(X, classes()) == [("bad-numbers", ("it",), "serious")]
    with pytest.raises(ValueError, match="column 'it' holds numbers"):
        LLTBoostClassifier(max_rules=1).fit(X, classes())


def test_the_row_and_the_mark_are_named():
    X = with_texts(NEARLY_NUMBERS["a stray word"])
    y = pd.Series(classes()).where(np.arange(ROWS) > 50)
    [finding] = sorb.check(X, y)
    assert finding.what == "it holds numbers, but 'n.d.' in row 81"
    assert finding.rows == (81,)
    assert "--missing it=n.d." in finding.advice


@pytest.mark.parametrize(
    "column",
    [
        [f"{k % 28 + 1:02}.06.2020" for k in range(ROWS)],
        pd.date_range("2020-01-01", periods=28).tolist() * (ROWS // 28) + [pd.NaT] * (ROWS % 28),
        [f"code {k % 280}" for k in range(ROWS - 20)] * 2,
    ],
    ids=["texts", "dates", "many"],
)
def test_what_fit_leaves_out_is_found(column):
    X, y = plain(n_rows=len(column)).assign(it=column), classes(n_rows=len(column))
    assert ("left-out", ("it",), "look") in found(X, y)
    with pytest.warns(UserWarning, match="column 'it' is left out"):
        LLTBoostClassifier(max_rules=1).fit(X, y)


@pytest.mark.parametrize("texts", [*NEARLY_NUMBERS.values(), ["0", "1", "2", "3+"]])
def test_what_is_declared_or_clearly_categories_is_not(texts):
    X = with_texts(texts)
    if len(texts) > 4:
        assert found(X, classes(), categorical_features=["it"]) == []
        X["it"] = X["it"].astype("category")
    assert found(X, classes()) == []
