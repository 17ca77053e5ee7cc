import numpy as np
from checks.seen import ROWS, classes, found, plain

import sorb


def test_constant_columns_are_found_together():
    X = plain().assign(site=3, ward="A", empty=np.nan)
    assert found(X, classes()) == [("constant", ("site", "ward", "empty"), "look")]


def test_a_single_constant_says_its_value():
    [finding] = sorb.check(plain().assign(ward="B 2"), classes())
    assert finding.what == 'ward is "B 2" in all rows'


def test_a_column_that_is_constant_where_it_is_known_is_found():
    flag = np.where(np.random.default_rng(0).random(ROWS) < 0.4, 1.0, np.nan)
    assert found(plain().assign(flag=flag), classes()) == [("constant", ("flag",), "look")]


def test_nearly_empty_columns_are_found():
    random = np.random.default_rng(0)
    rare = np.where(np.arange(ROWS) % 30 == 0, random.normal(size=ROWS), np.nan)
    [finding] = sorb.check(plain().assign(rare=rare), classes())
    assert finding.kind == "nearly-empty"
    assert "10 of 300, 3.3 %" in finding.what
