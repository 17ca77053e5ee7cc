import numpy as np
import pytest
from checks.seen import classes, found, plain

import sorb


@pytest.mark.parametrize(("n_rows", "severity"), [(12, "serious"), (29, "serious"), (99, "look")])
def test_few_rows_are_found(n_rows, severity):
    assert found(plain(n_rows=n_rows), classes(n_rows=n_rows)) == [("few-rows", (), severity)]


def test_twelve_rows_are_named():
    [finding] = sorb.check(plain(n_rows=12), classes(n_rows=12))
    assert finding.what.startswith("there are only 12 rows")
    assert "±" in finding.effect


def test_columns_alone_have_no_classes():
    [finding] = sorb.check(plain(n_rows=5))
    assert finding.what == "there are only 5 rows"


def test_more_columns_than_rows_are_worth_a_look():
    X = np.random.default_rng(0).normal(size=(200, 300))
    assert found(X, classes(n_rows=200)) == [("few-rows", (), "look")]


def test_few_rows_for_each_class_are_serious():
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(20), 8))
    assert ("few-rows", (), "serious") in found(plain(n_rows=160), y)


def test_a_hundred_rows_are_enough():
    assert found(plain(n_rows=100), classes(n_rows=100)) == []
