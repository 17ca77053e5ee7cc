import numpy as np
import pytest
from checks.seen import ROWS, classes, found, plain


@pytest.mark.parametrize(
    "copy",
    [lambda x: x, lambda x: 2.2046 * x, lambda x: -x, np.exp, lambda x: (x * 2.2046).round(2)],
    ids=["same", "unit", "negative", "monotone", "rounded"],
)
def test_copies_in_another_unit_are_found(copy):
    x = np.random.default_rng(0).normal(7, 1, ROWS)
    X = plain().assign(x=x, other=copy(x))
    assert found(X, classes()) == [("same-content", ("x", "other"), "look")]


def test_other_words_for_categories_are_found():
    X = plain()
    X["code"] = X["group"].map({"A": 7, "B": 2, "AB": 5})
    assert found(X, classes()) == [("same-content", ("group", "code"), "look")]


def test_three_columns_are_one_finding():
    x = np.random.default_rng(0).normal(7, 1, ROWS)
    X = plain().assign(x=x, y=-x, z=x * 3)
    assert found(X, classes()) == [("same-content", ("x", "y", "z"), "look")]


def test_correlated_columns_are_different():
    random = np.random.default_rng(0)
    x = random.normal(size=ROWS)
    assert found(plain().assign(x=x, y=x + random.normal(0, 0.1, ROWS)), classes()) == []


def test_rare_marks_that_agree_by_chance_are_different():
    X = plain(n_rows=100)
    X["a"], X["b"] = np.arange(100) == 3, np.arange(100) == 3
    assert found(X, classes(n_rows=100)) == []
