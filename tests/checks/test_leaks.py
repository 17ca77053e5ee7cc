import numpy as np
import pandas as pd
import pytest
from checks.seen import ROWS, classes, found, plain

import sorb


def test_a_column_that_tells_the_class_is_serious():
    y = classes()
    code = np.random.default_rng(0).normal((y == "ill") * 10.0)
    assert found(plain().assign(code=code), y) == [("leak", ("code",), "serious")]


def test_a_column_that_nearly_tells_the_class_is_worth_a_look():
    y, random = classes(), np.random.default_rng(0)
    wrong = random.choice(ROWS, 5, replace=False)
    told = (y == "ill").astype(float)
    told[wrong] = 1 - told[wrong]
    assert found(plain().assign(told=told), y) == [("leak", ("told",), "look")]


@pytest.mark.parametrize("spread", [0.7, 1.0])
def test_a_strong_predictor_is_none(spread):
    y = classes()
    strong = np.random.default_rng(0).normal((y == "ill") * 2.0, spread)
    assert found(plain().assign(strong=strong), y) == []


def test_categories_that_tell_the_class_are_a_leak():
    y = classes()
    ward = np.where(y == "ill", np.random.default_rng(0).choice(["S1", "S2"], ROWS), "home")
    assert found(plain().assign(ward=ward), y) == [("leak", ("ward",), "serious")]


@pytest.mark.parametrize("copy", [np.log, np.negative, lambda y: y * 0.92 + 3])
def test_a_copy_of_a_number_in_another_unit_is_a_leak(copy):
    y = np.random.default_rng(3).lognormal(10, 1, ROWS)
    assert found(plain().assign(copy=copy(y)), y) == [("leak", ("copy",), "serious")]


def test_a_rare_class_is_found_in_a_column_of_amounts():
    random = np.random.default_rng(0)
    y = random.random(2000) < 0.02
    paid = np.where(y, random.lognormal(3, 1, 2000), 0.0)
    assert found(plain(n_rows=2000).assign(paid=paid), y) == [("leak", ("paid",), "serious")]


def test_being_missing_may_tell_the_class():
    y = classes()
    days = np.where(y == "ill", np.random.default_rng(0).normal(100, 9, ROWS), np.nan)
    [finding] = sorb.check(plain().assign(days=days), y)
    assert (finding.kind, finding.columns) == ("missing-leak", ("days",))
    assert "whether days is missing tells the outcome" in finding.what
    assert "in 100 % of the rows" in finding.what


def test_being_known_for_some_of_one_class_only_is_a_leak():
    y, random = classes(), np.random.default_rng(0)
    known = (y == "ill") & (random.random(ROWS) < 0.3)
    body = np.where(known, random.normal(100, 9, ROWS), np.nan)
    assert found(plain().assign(body=body), y) == [("missing-leak", ("body",), "look")]


def test_missing_at_random_tells_nothing():
    X = plain()
    X.loc[np.random.default_rng(0).random(ROWS) < 0.4, "bmi"] = np.nan
    assert found(X, classes()) == []


def test_the_spellings_of_a_class_are_one_outcome():
    y = classes().astype(object)
    days = np.where(y == "ill", 1.0, np.nan)
    y[:100] = [label.title() for label in y[:100]]
    kinds = [kind for kind, _, _ in found(plain().assign(days=days), y)]
    assert "missing-leak" in kinds


@pytest.mark.parametrize("n_rows", [8, 12, 30])
def test_chance_among_many_columns_is_no_leak(n_rows):
    random = np.random.default_rng(0)
    for _ in range(3):
        X, y = random.normal(size=(n_rows, 300)), np.arange(n_rows) % 2 == 0
        assert "leak" not in [kind for kind, _, _ in found(X, random.permutation(y))]


def test_copies_of_rows_do_not_vouch_for_each_other():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"x": np.repeat(random.normal(size=60), 5)})
    y = np.repeat(random.random(60) < 0.5, 5)
    assert "leak" not in [kind for kind, _, _ in found(X, y)]
