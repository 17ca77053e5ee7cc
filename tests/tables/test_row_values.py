"""Outcomes, weights and exposures are refused alike if they are not one value for each row."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.tables.row_values import flat_outcomes, row_values

X = np.arange(6.0)[:, None]
ONES = np.ones(6)
MASKED = np.ma.array([0, 1, 0, 1, 0, 1], mask=[0, 0, 0, 1, 0, 0])
NOT_ONE_FOR_EACH_ROW = {
    "too few": (ONES[:5], "found 5"),
    "none": ([], "found 0"),
    "a table": (np.ones((6, 2)), r"found the shape \(6, 2\)"),
    "a text": ("abc", "found the single value 'abc'"),
    "a dict": ({}, "found builtins.dict"),
    "a set": ({1.0}, "found builtins.set"),
    "a generator": ((1 for _ in range(6)), "found builtins.generator"),
    "complex numbers": (ONES * 1j, "found complex numbers"),
    "a complex number": (1j, "found the single value 1j"),
    "a structured array": (np.ones(6, dtype=[("a", float)]), "found a structured array"),
}


@pytest.mark.parametrize("kind", NOT_ONE_FOR_EACH_ROW)
def test_what_is_not_one_value_for_each_row_is_refused(kind):
    wrong, found = NOT_ONE_FOR_EACH_ROW[kind]
    expected = f"must hold one {{}} for each of the 6 rows, {found}"
    counts = LLTBoostRegressor(loss="poisson")
    with pytest.raises(ValueError, match=f"^y {expected.format('outcome')}"):
        counts.fit(X, wrong)
    with pytest.raises(ValueError, match=f"^y {expected.format('outcome')}"):
        LLTBoostClassifier().fit(X, wrong)
    with pytest.raises(ValueError, match=f"^sample_weight {expected.format('number')}"):
        counts.fit(X, ONES, sample_weight=wrong)
    with pytest.raises(ValueError, match=f"^exposure {expected.format('number')}"):
        counts.fit(X, ONES, exposure=wrong)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, np.ndarray.tolist])
def test_the_rows_of_any_table_are_counted(make):
    with pytest.raises(ValueError, match=r"^y must hold one outcome .* 6 rows, found 5"):
        LLTBoostRegressor().fit(make(X), ONES[:5])


def test_an_integer_that_no_float_can_hold_is_no_weight_for_all_rows():
    with pytest.raises(ValueError, match="sample_weight holds an integer beyond 1e308"):
        LLTBoostRegressor().fit(X, ONES, sample_weight=10**400)


def masked_calls():
    classifier = LLTBoostClassifier(max_rules=1, selection=None).fit(X, MASKED.data)
    counts = LLTBoostRegressor(loss="poisson", max_rules=1, selection=None).fit(
        X, ONES, exposure=ONES
    )
    y, simplify = MASKED.data, classifier.ensemble_.simplify
    return {
        "y: classifier": lambda: LLTBoostClassifier().fit(X, MASKED),
        "y: regressor": lambda: LLTBoostRegressor().fit(X, MASKED),
        "y: accuracy": lambda: classifier.score(X, MASKED),
        "y: R²": lambda: counts.score(X, MASKED),
        "y: R² of rates": lambda: counts.score(X, MASKED, exposure=ONES),
        "y: simplify": lambda: simplify(X, MASKED),
        "sample_weight: fit": lambda: LLTBoostClassifier().fit(X, y, MASKED),
        "sample_weight: accuracy": lambda: classifier.score(X, y, MASKED),
        "sample_weight: R²": lambda: counts.score(X, y, MASKED),
        "sample_weight: simplify": lambda: simplify(X, y, MASKED),
        "exposure: fit": lambda: LLTBoostRegressor(loss="poisson").fit(X, y, exposure=MASKED),
        "exposure: R²": lambda: counts.score(X, y, exposure=MASKED),
        "X: fit": lambda: LLTBoostClassifier().fit(MASKED[:, None], y),
        "X: predict": lambda: classifier.predict(MASKED[:, None]),
        "X: ensemble": lambda: classifier.ensemble_(MASKED[:, None]),
        "X: simplify": lambda: simplify(MASKED[:, None]),
    }


@pytest.mark.parametrize("kind", masked_calls())
def test_masked_entries_are_refused_wherever_there_are_any(kind):
    what = kind.partition(":")[0]
    message = f"^{what} is a masked array with masked entries, the first in row 3: fill them"
    with pytest.raises(TypeError, match=message):
        masked_calls()[kind]()


def test_an_array_in_which_nothing_is_masked_is_an_array():
    y = np.ma.array([0, 0, 0, 1, 1, 1])
    X_too = np.ma.array(X)
    model = LLTBoostClassifier(max_rules=1, selection=None).fit(X_too, y, np.ma.array(ONES))
    assert (
        model.ensemble_ == LLTBoostClassifier(max_rules=1, selection=None).fit(X, y.data).ensemble_
    )


@pytest.mark.parametrize("wrong", [None, 3, ONES[:3]], ids=["None", "a number", "too few"])
def test_a_score_needs_the_outcome_of_each_row(wrong):
    counts = LLTBoostRegressor(loss="poisson", max_rules=1, selection=None).fit(
        X, ONES, exposure=ONES
    )
    classifier = LLTBoostClassifier(max_rules=1, selection=None).fit(X, MASKED.data)
    message = "^y must hold one outcome for each of the 6 rows, found "
    for score in (counts.score, classifier.score):
        with pytest.raises(ValueError, match=message):
            score(X, wrong)
    with pytest.raises(ValueError, match=message):
        counts.score(X, wrong, exposure=ONES)


def test_lists_of_different_lengths_are_values():
    assert row_values([[1, 2], [3]], 2).tolist() == [[1, 2], [3]]
    with pytest.raises(ValueError, match=r"y holds \[1, 2\] in row 1: expected a number"):
        LLTBoostRegressor().fit(X[:2], [1, [1, 2]])


def test_texts_beside_other_values_stay_what_they_are():
    assert row_values(["a", 1, None], 3).tolist() == ["a", 1, None]
    assert row_values(["a", "b"], 2).dtype.kind == "U"


def test_a_table_of_one_column_is_one_outcome_for_each_row():
    with pytest.warns(DataConversionWarning):
        assert flat_outcomes([[1], [2]], 2).tolist() == [1, 2]
