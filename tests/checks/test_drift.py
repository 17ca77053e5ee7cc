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


def visits(ages):
    """The visits of patients, next to each other; ages with an error, and outcomes, are alike."""
    random = np.random.default_rng(0)
    n_visits = ROWS // len(ages)
    y = np.repeat(random.choice(["ill", "well"], len(ages)), n_visits)
    X = plain().assign(
        age=np.repeat(ages, n_visits) + random.normal(size=ROWS),
        patient=np.repeat(random.permutation(len(ages)), n_visits),
    )
    return X, np.where(random.random(ROWS) < 0.2, "well", y)


def test_patients_with_all_their_visits_in_a_row_are_no_change():
    """Thirty patients: a tenth of the rows are three of them."""
    assert found(*visits(np.random.default_rng(1).integers(20, 90, 30))) == [
        ("repeats", ("patient",), "look")
    ]


def test_patients_who_change_are_found():
    ages = np.random.default_rng(1).normal(np.linspace(20, 90, 100))
    assert found(*visits(ages)) == [("repeats", ("patient",), "look"), ("drift", ("age",), "look")]
