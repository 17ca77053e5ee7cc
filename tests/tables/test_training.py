import numpy as np
import pandas as pd
import pytest
from estimators.cases import (
    every_classifier,
    every_estimator,
    every_regressor,
    finite,
    halves,
    table,
    two_kinds,
)
from sklearn.exceptions import DataConversionWarning

from sorb import LLTBoostClassifier, LLTBoostRegressor

every_loss = pytest.mark.parametrize("loss", ["squared", "poisson", "gamma", "tweedie"])


def test_text_is_refused():
    with pytest.raises(ValueError, match="could not convert string to float"):
        LLTBoostClassifier().fit([["red"], ["blue"]], [0, 1])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@every_estimator
def test_infinite_values_are_named(estimator, value):
    X = table()
    X[[17, 40], 2] = value
    with pytest.raises(ValueError, match="infinity in column 'x2', first in row 17"):
        estimator.fit(X, halves(table()))


def test_the_name_of_the_column_is_given():
    X = pd.DataFrame(table(), columns=["age", "bmi", "blood pressure"])
    y = X["blood pressure"] > 0
    model = LLTBoostClassifier(search="axis", max_rules=3, selection=None).fit(X, y)
    X.loc[5, "blood pressure"] = np.inf
    for method in (model.predict, model.transform, model.explain, model.predict_proba):
        with pytest.raises(ValueError, match=r"infinity in column 'blood pressure'.* row 5"):
            method(X)
    with pytest.raises(ValueError, match=r"infinity in column 'blood pressure'.* row 5"):
        LLTBoostClassifier().fit(X, y)


def test_large_numbers_are_not_taken_for_infinity():
    X = np.abs(table()) * 1e307
    with np.errstate(over="ignore"):
        assert np.isinf(X.sum())
    finite(LLTBoostClassifier(max_rules=3, selection=None).fit(X, halves(table())), X)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@every_regressor
def test_outcomes_must_be_finite(estimator, value):
    with pytest.raises(ValueError, match=r"y is (inf|missing) in row 1"):
        estimator.fit([[0.0], [1.0]], [1.0, value])


NO_NUMBERS = {
    "a text": (["1", "2.5", "two"], r"y holds 'two' in row 2: expected a number"),
    "texts": (np.array(["1", "b", "c"]), r"y holds 'b' in row 1: expected a number"),
    "nothing": ([1.0, None, None], r"y is missing in row 1 \(2 in all\): expected a number"),
    "NA": (pd.array([1, None, 2], dtype="Int64"), r"y is missing in row 1 \(1 in all\)"),
    "infinity": (np.array([1, 2.0, np.inf], dtype=object), r"y is inf in row 2"),
    "days": (pd.date_range("2020", periods=3), r"y holds dates or times \(datetime64"),
    "zoned": (pd.date_range("2020", periods=3, tz="UTC"), r"y holds dates or times \(Timestamp"),
    "durations": (pd.to_timedelta([1, 2, 3], unit="D"), r"y holds dates or times \(timedelta64"),
    "a column": (np.array([["1"], ["2"], ["c"]]), r"y holds 'c' in row 2: expected a number"),
}


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_the_outcome_that_is_no_number_is_named(kind):
    y, message = NO_NUMBERS[kind]
    with pytest.raises(ValueError, match=message):
        LLTBoostRegressor().fit([[0.0], [1.0], [2.0]], y)


def test_texts_of_numbers_are_numbers_to_predict():
    X = np.arange(20.0)[:, None]
    y = np.repeat([1.5, 2.0], 10)
    model = LLTBoostRegressor(max_rules=1, selection=None).fit(X, y.astype(str))
    assert model.ensemble_ == LLTBoostRegressor(max_rules=1, selection=None).fit(X, y).ensemble_


NO_LABELS = {
    "texts in a list": ["a", "b", np.nan],
    "objects": np.array(["a", "b", None], dtype=object),
    "floats": [0.0, 1.0, np.nan],
    "pandas texts": pd.Series(["a", "b", None]),
    "pandas booleans": pd.array([True, False, None], dtype="boolean"),
    "pandas category": pd.Series(["a", "b", None], dtype="category"),
}


@pytest.mark.parametrize("kind", NO_LABELS)
def test_the_row_without_a_label_is_named(kind):
    with pytest.raises(
        ValueError, match=r"y is missing in row 2 \(1 in all\): expected a class label"
    ):
        LLTBoostClassifier().fit([[0.0], [1.0], [2.0]], NO_LABELS[kind])


@every_loss
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, 1e200, 2.0], r"y is 1e\+200 in row 1: expected at most 1e\+70 in size"),
        ([1e-90, 1e-100, 1e-90], r"y is 1e-\d+ in row \d.*: expected .*at least 1e-70"),
    ],
)
def test_outcomes_whose_risk_is_beyond_the_floats_are_refused(loss, y, message):
    with pytest.raises(ValueError, match=message):
        LLTBoostRegressor(loss=loss).fit([[0.0], [1.0], [2.0]], y)


def test_rates_whose_risk_is_beyond_the_floats_are_refused():
    model = LLTBoostRegressor(loss="poisson")
    with pytest.raises(ValueError, match=r"y / exposure is 1e\+90 in row 1: expected at most"):
        model.fit([[0.0], [1.0]], [0.5, 1.0], exposure=[1e-90, 1e-90])


def test_outcomes_of_rows_without_weight_may_be_of_any_size():
    model = LLTBoostRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 1.0, 1e200], [1.0, 1.0, 0.0])
    assert model.predict([[0.0]]) == [1.0]


@pytest.mark.filterwarnings("error")
def test_large_outcomes_of_both_signs_are_refused_without_a_warning():
    with pytest.raises(ValueError, match="expected at most"):
        LLTBoostRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [1.7e308, 1.7e308, -1.7e308, -1e308])


@every_estimator
def test_rows_of_weight_zero_are_no_rows(estimator):
    X = table()
    y, weight = halves(X), np.arange(80) % 4 > 0
    expected = estimator.fit(X[weight], y[weight]).ensemble_
    assert estimator.fit(X, y, weight).ensemble_ == expected


@every_estimator
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, -2.0, 1.0], "sample_weight must be finite and non-negative, found -2.0 in row 1"),
        ([0.0, 0.0, 0.0], "weight.*zero"),
        ([1.0, np.nan, 1.0], "sample_weight must be finite and non-negative, found nan"),
        ([1.0, np.inf, 1.0], "sample_weight must be finite and non-negative, found inf"),
        ([1.7e308, 1.7e308, 1.0], "sample_weight must sum to at most"),
        ([1.0, 1.0], "sample_weight"),
    ],
)
def test_impossible_weights_are_refused(estimator, weight, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=weight)


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e297])
@every_estimator
def test_tiny_and_huge_weights_are_accepted(estimator, size):
    X = table()
    finite(estimator.fit(X, halves(X), np.full(80, size)), X)


@pytest.mark.parametrize("unit", [2.0**-900, 2.0**-16, 2.0**900])
@pytest.mark.parametrize("cls", [LLTBoostClassifier, LLTBoostRegressor])
def test_the_unit_of_weights_and_penalty_changes_nothing(cls, unit):
    X = table()
    weight = np.random.default_rng(1).exponential(size=80)
    one = cls(reg_lambda=0.5, max_rules=4).fit(X, halves(X), weight)
    other = cls(reg_lambda=0.5 * unit, max_rules=4).fit(X, halves(X), weight * unit)
    assert one.n_iter_ > 0
    assert other.ensemble_ == one.ensemble_


@pytest.mark.parametrize("unit", [2.0**-200, 2.0**-20, 2.0**20, 2.0**200])
@pytest.mark.parametrize("objective", ["orthogonal", "second_order", "gradient_boosting"])
def test_the_unit_of_exposure_changes_only_that_of_the_rates(objective, unit):
    X = table()
    counts = np.random.default_rng(2).poisson(1 + halves(X))
    years = np.random.default_rng(1).uniform(0.2, 1.0, size=80)
    model = LLTBoostRegressor(loss="poisson", objective=objective, max_rules=4, selection="best")
    one = model.fit(X, counts, exposure=years).ensemble_
    other = model.fit(X, counts, exposure=years * unit).ensemble_
    assert len(one) > 0
    assert (other.covers(X) == one.covers(X)).all()
    assert [rule.vote for rule in other] == pytest.approx([rule.vote for rule in one], rel=1e-5)
    assert other.offset == pytest.approx(one.offset - np.log(unit))


@pytest.mark.parametrize(
    "labels", [["b", "a", "c"], [30, -2, 7], [True, False, True], [2.0, 1.0, 3.0]]
)
@every_classifier
def test_labels_may_be_text_or_numbers(estimator, labels):
    X = table()
    y = np.array(labels)[np.arange(80) % 3]
    model = estimator.fit(X, y)
    assert model.classes_.tolist() == sorted(set(labels))
    assert set(model.predict(X)) <= set(labels)


@pytest.mark.filterwarnings("error")
def test_numbers_beyond_whole_ones_are_no_labels():
    with pytest.raises(ValueError, match="Unknown label type"):
        LLTBoostClassifier().fit(table(), np.where(halves(table()), 1e300, 1.0))


@every_classifier
def test_numbers_that_are_no_labels_are_refused(estimator):
    with pytest.raises(ValueError, match="Unknown label type"):
        estimator.fit(table(), table()[:, 0])


@every_estimator
@pytest.mark.parametrize("shape", [(79,), (80, 2), (), (0,)])
def test_outcomes_of_the_wrong_shape_are_refused(estimator, shape):
    with pytest.raises((ValueError, TypeError)):
        estimator.fit(table(), np.ones(shape))


@every_estimator
def test_a_column_of_outcomes_is_flattened_with_a_warning(estimator):
    X = table()
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = estimator.fit(X, halves(X)[:, None])
    assert model.ensemble_ == estimator.fit(X, halves(X)).ensemble_


@every_estimator
def test_missing_outcomes_are_refused(estimator):
    with pytest.raises(ValueError, match="requires y to be passed"):
        estimator.fit(table(), None)


@two_kinds
def test_a_table_without_rows_or_columns_is_refused(cls):
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        cls().fit(np.empty((0, 2)), [])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        cls().fit(np.empty((3, 0)), [0, 1, 1])


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match=r"y is -1\.0 in row 2: expected 0 or more"):
        LLTBoostRegressor(loss="poisson").fit([[0.0], [1.0], [2.0]], [0, 1, -1])


@pytest.mark.parametrize("weight", [None, [1.0, 1.0, 0.0]])
def test_counts_that_are_all_zero_are_refused(weight):
    y = [0, 0, 0 if weight is None else 1]
    with pytest.raises(ValueError, match="some y above zero"):
        LLTBoostRegressor(loss="poisson").fit([[0.0], [1.0], [2.0]], y, weight)


def test_a_column_of_text_in_an_array_is_named():
    X = np.array([[1.0, "A"], [2.0, "B"], [3.0, "A"], [4.0, "0"]], dtype=object)
    with pytest.raises(ValueError, match="could not convert string to float: 'A'"):
        LLTBoostClassifier().fit(X, [0, 1, 0, 1])
