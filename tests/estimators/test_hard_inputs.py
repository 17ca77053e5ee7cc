"""Inputs at the edge of what makes sense: each test says what happens with one of them."""

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
from sklearn.base import clone
from sklearn.datasets import load_iris

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.learning.rows import Rows
from sorb.losses import LOSSES, loss_by_name

every_number = pytest.mark.parametrize(
    "loss", [name for name in LOSSES if not loss_by_name(name).has_classes]
)


def constant_prediction(model, X, value):
    assert len(model.ensemble_) == 0
    np.testing.assert_allclose(model.predict(X), np.full(len(X), value))


@every_estimator
def test_one_row_is_predicted_everywhere(estimator):
    model = estimator.fit([[1.0, 2.0]], [3])
    constant_prediction(model, np.array([[0.0, 0.0], [5.0, -5.0]]), 3)


@every_regressor
def test_two_rows_give_their_mean(estimator):
    """One row cannot validate what was learned from the other alone."""
    constant_prediction(estimator.fit([[1.0], [2.0]], [1, 3]), [[0.0], [9.0]], 2)


@every_classifier
def test_two_rows_of_two_classes_are_a_tie(estimator):
    model = estimator.fit([[1.0], [2.0]], ["a", "b"])
    assert model.predict([[1.0], [2.0]]).tolist() == ["a", "a"]


@every_estimator
def test_three_rows_are_enough_to_try(estimator):
    X = np.array([[1.0], [2.0], [3.0]])
    finite(estimator.fit(X, [0, 1, 1]), X)


@every_estimator
def test_one_column_is_cut(estimator):
    X = np.arange(60.0)[:, None]
    y = (X[:, 0] >= 20) ^ (np.arange(60) % 10 == 0)
    model = estimator.fit(X, y)
    assert model.n_iter_ > 0
    assert model.ensemble_.used_columns == ("x0",)


@every_estimator
def test_more_columns_than_rows(estimator):
    X = table(20, 60)
    y = (X[:, 0] > 0).astype(int)
    model = estimator.fit(X, y)
    finite(model, X)
    assert all(len(p.weights) <= 5 for rule in model.ensemble_ for p in rule.condition.propositions)


@every_estimator
def test_constant_columns_are_never_used(estimator):
    X = table()
    X[:, 1] = 7.7
    model = estimator.fit(X, halves(X[:, [0, 2]]))
    assert model.n_iter_ > 0
    assert "x1" not in model.ensemble_.used_columns


@every_estimator
def test_only_constant_columns_give_a_constant(estimator):
    model = estimator.fit(np.full((30, 2), 0.1), np.repeat([0, 1], [10, 20]))
    assert model.n_iter_ == 0


@every_estimator
def test_duplicate_columns_are_as_good_as_one(estimator):
    X = table()
    y = halves(X)
    model = estimator.fit(np.hstack([X, X]), y)
    assert model.score(np.hstack([X, X]), y) > 0.5
    finite(model, np.hstack([X, X]))


@every_estimator
def test_collinear_columns_are_learned_from(estimator):
    X = table()
    X = np.column_stack([X, X.sum(axis=1), X[:, 0] - 2 * X[:, 1] + 1])
    y = (X[:, 3] > 0).astype(int)
    model = estimator.fit(X, y)
    assert model.score(X, y) > 0.7


@every_estimator
def test_all_rows_equal_give_a_constant(estimator):
    constant_prediction(estimator.fit(np.ones((20, 2)), np.full(20, 2)), np.ones((3, 2)), 2)


@every_estimator
def test_equal_rows_with_different_outcomes_give_a_constant(estimator):
    assert estimator.fit(np.ones((20, 2)), np.arange(20) % 2).n_iter_ == 0


@every_classifier
@pytest.mark.parametrize("weight", [None, np.repeat([1.0, 0.0], [50, 30])])
def test_one_class_is_always_predicted(estimator, weight):
    X = table()
    y = np.array(["yes"] * 80) if weight is None else np.repeat(["yes", "no"], [50, 30])
    model = estimator.fit(X, y, weight)
    assert model.classes_.tolist() == ["yes"]
    assert model.n_iter_ == 0
    assert (model.predict(X) == "yes").all()
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((80, 1)))
    np.testing.assert_array_equal(model.predict_log_proba(X), np.zeros((80, 1)))
    assert (model.decision_function(X) > 0).all()
    assert [(p == "yes").all() for p in model.staged_predict(X)] == [True]
    assert [p.shape for p in model.staged_predict_proba(X)] == [(80, 1)]


@every_regressor
def test_a_constant_outcome_is_predicted(estimator):
    constant_prediction(estimator.fit(table(), np.full(80, 3.7)), table(5), 3.7)


@every_classifier
def test_separable_classes_are_separated_with_finite_weights(estimator):
    X = table()
    y = X[:, 0] > 0.1
    model = estimator.fit(X, y)
    finite(model, X)
    assert model.score(X, y) > 0.95


def test_separable_counts_have_finite_weights():
    X = table()
    y = np.where(X[:, 0] > 0, 5, 0)
    model = LLTBoostRegressor(loss="poisson", reg_lambda=0.0).fit(X, y)
    finite(model, X)
    assert model.score(X, y) > 0.9


@every_estimator
def test_more_rules_asked_than_there_are(estimator):
    X = np.repeat([0.0, 1.0], 30)[:, None]
    model = clone(estimator).set_params(max_rules=50)
    model.fit(X, (np.arange(60) % 3 > 0) * 1)
    assert model.n_iter_ < 50


@every_estimator
def test_tiny_and_huge_columns_are_as_good_as_others(estimator):
    X = table()
    y = halves(X)
    scale = np.array([1e-300, 1e300, 1.0])
    model = estimator.fit(X * scale, y)
    finite(model, X * scale)
    ordinary = clone(estimator).fit(X, y)
    assert model.score(X * scale, y) == pytest.approx(ordinary.score(X, y), abs=0.05)


def test_a_direction_of_tiny_gradients_has_ordinary_weights():
    X = table()
    rows = Rows.from_table(X, np.zeros(80), np.ones(80), ("a", "b", "c"))
    tiny = rows.proposition((0, 1), (2.0**-1040, -(2.0**-1041)), -(2.0**-1042))
    assert tiny == rows.proposition((0, 1), (4.0, -2.0), -1.0)


@every_estimator
def test_columns_far_from_zero_are_cut_between_their_rows(estimator):
    X = table() + 1e9
    y = (X[:, 0] > 1e9).astype(int)
    assert estimator.fit(X, y).score(X, y) > 0.6


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint16, np.bool_, np.float16])
@every_estimator
def test_integers_and_booleans_are_numbers(estimator, dtype):
    X = (table() > 0.3).astype(dtype)
    y = X[:, 0].astype(int)
    expected = estimator.fit(X.astype(np.float64), y).ensemble_
    assert estimator.fit(X, y).ensemble_ == expected


@every_estimator
def test_single_precision_is_learned_from_as_it_is(estimator):
    X = table().astype(np.float32)
    y = halves(X)
    model = estimator.fit(X, y)
    assert model.score(X, y) > 0.5
    np.testing.assert_array_equal(model.predict(X), model.predict(X.astype(np.float64)))


@every_estimator
def test_the_layout_of_the_table_changes_nothing(estimator):
    X = table()
    y = halves(X)
    expected = estimator.fit(X, y).ensemble_
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], np.hstack([X, X])[:, :3]):
        assert estimator.fit(same, y).ensemble_ == expected


@every_estimator
def test_read_only_arrays_are_accepted(estimator):
    X, weight = table(), np.ones(80)
    y = halves(X)
    for values in (X, y, weight):
        values.flags.writeable = False
    finite(estimator.fit(X, y, weight), X)


@every_estimator
def test_the_input_is_left_as_it_was(estimator):
    X, weight = table(), np.arange(80.0)
    y = halves(X)
    before = X.copy(), y.copy(), weight.copy()
    estimator.fit(X, y, weight).predict(X)
    for old, new in zip(before, (X, y, weight), strict=True):
        np.testing.assert_array_equal(old, new)


def test_lists_are_tables():
    assert (
        LLTBoostRegressor(max_rules=1).fit([[0, 1], [1, 0], [2, 2]], [0, 1, 2]).n_features_in_ == 2
    )


@two_kinds
def test_other_columns_than_in_training_are_refused(cls):
    model = cls(max_rules=1).fit(table(), halves(table()))
    with pytest.raises(ValueError, match="2 features"):
        model.predict(table(d=2))


def test_outcomes_far_from_zero_lose_no_digits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 8, 200) * 0.25
    model = LLTBoostRegressor(max_rules=4, effort="low", selection=None)
    near, far = clone(model).fit(X, y), clone(model).fit(X, y + 2.0**33)
    assert [r.condition for r in far.ensemble_] == [r.condition for r in near.ensemble_]
    assert far.stages_[-1].train_risk == pytest.approx(near.stages_[-1].train_risk, rel=1e-9)


def test_no_two_rules_for_a_class_divide_the_rows_alike():
    X, y = load_iris(return_X_y=True)
    model = LLTBoostClassifier(max_rules=12, min_difference=0.0, selection=None).fit(X, y)
    covered = model.transform(X)
    keys = [
        (rule.output, tuple(column != column[0]))
        for rule, column in zip(model.ensemble_, covered.T, strict=True)
    ]
    assert len(set(keys)) == len(keys) == 12


def test_columns_at_the_end_of_the_floats():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 1, size=(100, 2)) * 1.7e308
    model = LLTBoostClassifier.paper(max_rules=3).fit(X, X[:, 0] > X[:, 1])
    assert np.isfinite(model.decision_function(X)).all()


@every_number
def test_outcomes_that_differ_by_rounding_alone_are_a_constant(loss):
    years = np.random.default_rng(0).uniform(0.1, 1.0, size=80)
    rates = 3 * years / years
    assert len(set(rates)) > 1
    model = LLTBoostRegressor(loss=loss).fit(table(), rates)
    assert model.n_iter_ == 0
    assert model.predict(table()) == pytest.approx(3.0)


@pytest.mark.parametrize(("loss", "seed"), [("squared", 2), ("poisson", 2), ("tweedie", 1)])
def test_what_is_predicted_exactly_needs_no_more_rules(loss, seed):
    X = table(seed=seed)
    y = np.where(X[:, 0] > 0, 0.3, 5.1) + np.where(X[:, 1] > 0.5, 0.7, 0.0)
    model = LLTBoostRegressor(loss=loss, search="axis", reg_lambda=0.0, selection=None).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y)
    assert model.stages_[-2].train_risk > 1e-9


@pytest.mark.parametrize("search", ["oblique", "axis"])
def test_columns_at_both_ends_of_the_floats_are_cut(search):
    X = np.where(table() > 0, 1.79e308, -1.79e308)
    model = LLTBoostRegressor(search=search, max_rules=1).fit(X, X[:, 1] > 0)
    assert model.ensemble_.used_columns == ("x1",)


def some_missing(values):
    return np.where(np.arange(80) % 3, values, np.nan)


STRANGE_COLUMNS = {
    "missing": np.full(80, np.nan),
    "known once": np.where(np.arange(80) == 7, 1.5, np.nan),
    "constant or missing": some_missing(0.1),
    "huge constant or missing": some_missing(1.7e308),
    "huge or missing": some_missing(table()[:, 1] * 4e307),
    "subnormal": np.round(table()[:, 1] * 100) * 5e-324,
    "zero or subnormal": np.where(table()[:, 1] > 0, 5e-324, 0.0),
    "an outlier": np.append(table(79)[:, 1], 1.7e308),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("strange", STRANGE_COLUMNS)
@every_estimator
def test_a_strange_column_leaves_the_others_to_learn_from(estimator, strange):
    X = np.column_stack([table(), STRANGE_COLUMNS[strange]])
    y = halves(X[:, :3])
    model = estimator.fit(X, y)
    finite(model, X)
    assert model.n_iter_ > 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("labels", [["a"], [None], ["a", None]])
@every_estimator
def test_a_column_of_at_most_one_category_leaves_the_others_to_learn_from(estimator, labels):
    X = pd.DataFrame(table(), columns=["a", "b", "c"])
    X["group"] = pd.Series(np.resize(np.array(labels, dtype=object), 80), dtype="category")
    assert estimator.fit(X, halves(table())).n_iter_ > 0
