import numpy as np
from checks.seen import ROWS, classes, found, plain

import sorb


def test_rows_sorted_by_the_outcome_are_found():
    [finding] = sorb.check(plain(), np.sort(classes()))
    assert (finding.kind, finding.columns) == ("drift", ())
    assert finding.what == "the rows are sorted by the outcome"


def test_an_outcome_that_rises_along_the_rows_is_found():
    y = np.random.default_rng(0).normal(np.linspace(0, 3, ROWS))
    assert found(plain(), y) == [("drift", (), "look")]


def test_columns_that_change_along_the_rows_are_one_finding():
    random = np.random.default_rng(0)
    X = plain().assign(x=random.normal(np.linspace(0, 3, ROWS)), y=random.normal(size=ROWS))
    X["z"] = np.where(np.arange(ROWS) < ROWS // 2, "old", random.choice(["old", "new"], ROWS))
    [finding] = sorb.check(X, classes())
    assert finding.kind == "drift"
    assert set(finding.columns) == {"x", "z"}


def test_the_order_of_the_rows_is_all_that_matters():
    y = np.random.default_rng(0).permutation(np.sort(classes()))
    assert found(plain(), y) == []
