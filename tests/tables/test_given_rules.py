"""Rules that a fit begins with: kept in models of all sizes, whatever else is learned."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from estimators.cases import small_classifier_cv
from sklearn.base import clone

from sorb import (
    Condition,
    LLTBoostClassifier,
    LLTBoostRegressor,
    Membership,
    Proposition,
    Rule,
    RuleEnsemble,
)


def at_least(column, threshold):
    return Condition((Proposition((column,), (1.0,), threshold),))


def given(columns, *conditions, loss="logistic", classes=("ill", "well"), **more):
    return RuleEnsemble(0.0, [Rule(c, 9.0) for c in conditions], columns, loss, classes, **more)


def keeps(model, conditions):
    return all(
        [rule.condition for rule in stage.ensemble][: len(conditions)] == list(conditions)
        for stage in model.stages_
    )


OLD, FAT = at_least("age", 50.0), at_least("bmi", 28.0)


@pytest.fixture
def begun(patients):
    X, _ = patients
    return given(tuple(X.columns), OLD, FAT)


@pytest.mark.parametrize(
    "estimator",
    [
        LLTBoostClassifier(),
        LLTBoostClassifier(selection=None, max_rules=4),
        LLTBoostClassifier(selection="one_se", effort="high", max_complexity=20),
        LLTBoostClassifier.paper(max_rules=4),
        LLTBoostClassifier(search="axis", reg_lambda=0.0),
        small_classifier_cv(max_rules=4),
        small_classifier_cv(max_rules=4, grow_once=False),
    ],
    ids=repr,
)
def test_models_of_all_sizes_have_the_given_rules(patients, begun, estimator):
    model = clone(estimator).set_params(init=begun).fit(*patients)
    assert keeps(model, [OLD, FAT])
    assert model.stages_[0].complexity == 6
    assert len(model.at(rules=2).ensemble_) == 2


def test_the_columns_of_given_rules_are_paid_for(patients, begun):
    model = LLTBoostClassifier(init=begun, column_prices={"bmi": 4}).fit(*patients)
    assert model.stages_[0].complexity == 10
    with pytest.raises(ValueError, match="max_complexity=9 is less than the 10 of init"):
        model.set_params(max_complexity=9).fit(*patients)


def test_their_votes_are_fitted(patients, begun):
    X, y = patients
    model = LLTBoostClassifier(init=begun, max_rules=2, reg_lambda=2.0, selection=None).fit(X, y)
    again = model.ensemble_.edited([], X, y).reg_lambda
    assert again == pytest.approx(2.0, rel=1e-4)
    assert [rule.vote for rule in model.ensemble_] != [9.0, 9.0]


def test_more_rules_are_learned_where_they_help(patients, begun):
    model = LLTBoostClassifier(init=begun).fit(*patients)
    assert len(model.ensemble_) > 2
    alone = model.at(rules=2)
    assert model.stages_[-1].train_risk < alone.stages_[0].train_risk


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_on_noise_nothing_is_learned_but_they_stay(begun, patients, seed):
    X, _ = patients
    y = np.random.default_rng(seed).choice(["ill", "well"], len(X))
    model = LLTBoostClassifier(init=begun).fit(X, y)
    assert [rule.condition for rule in model.ensemble_] == [OLD, FAT]


def test_regressions_with_exposure_begin_with_rules(diabetes):
    X, y = diabetes
    init = given(tuple(X.columns), FAT, loss="poisson", classes=None, per_exposure=True)
    model = LLTBoostRegressor(loss="poisson", init=init, max_rules=3)
    assert keeps(model.fit(X, y, exposure=1.0 + np.arange(len(y)) % 3), [FAT])


def test_classes_are_told_by_their_labels(iris):
    X, y = iris
    long = at_least(X.columns[2], 5.0)
    classes = ("virginica", "setosa", "versicolor")
    init = RuleEnsemble((0.0, 0.0, 0.0), [Rule(long, 1.0, 0)], tuple(X.columns), "softmax", classes)
    model = LLTBoostClassifier(init=init, max_rules=2).fit(X, y)
    assert model.classes_[model.ensemble_[0].output] == "virginica"
    assert model.ensemble_[0].vote > 0


def test_lazy_frames_and_warm_starts_begin_with_rules(patients, begun):
    X, y = patients
    frame = pl.from_pandas(X.assign(y=y)).lazy()
    options = {"init": begun, "max_rules": 3, "selection": None}
    lazily = LLTBoostClassifier(**options).fit(frame, "y")
    model = LLTBoostClassifier(**options, warm_start=True).fit(X, y)
    assert lazily.ensemble_.rules == model.ensemble_.rules
    assert keeps(model.set_params(max_rules=4).fit(X, y), [OLD, FAT])


def test_any_column_may_be_asked_whether_it_is_missing():
    number = np.where(np.arange(90) % 4 == 0, np.nan, np.arange(90.0))
    text = np.where(np.arange(90) % 5 == 0, None, "x")
    X = pd.DataFrame({"number": number, "text": text})
    y = np.where(np.isnan(number), "ill", "well")
    gaps = [Condition((Membership(column, (), missing=True),)) for column in X]
    model = LLTBoostClassifier(init=given(tuple(X), *gaps), max_rules=3)
    assert keeps(model.fit(X, y), gaps)
    assert keeps(model.fit(pl.from_pandas(X.assign(y=y)).lazy(), "y"), gaps)


@pytest.mark.filterwarnings("ignore:max_seconds=")
def test_without_time_the_given_rules_are_the_model(patients, begun):
    model = LLTBoostClassifier(init=begun, max_seconds=1e-9).fit(*patients)
    assert [rule.condition for rule in model.ensemble_] == [OLD, FAT]


def test_the_order_of_rows_changes_nothing(patients, begun):
    X, y = patients
    order = np.random.default_rng(1).permutation(len(y))
    model = LLTBoostClassifier(init=begun, max_rules=4)
    one = clone(model).fit(X, y).ensemble_
    other = clone(model).fit(X.iloc[order], y[order]).ensemble_
    assert [r.condition for r in one] == [r.condition for r in other]


@pytest.mark.parametrize(
    ("init", "options", "message"),
    [
        (given(("size",), at_least("size", 1.0)), {}, r"rules about 'size', which the table lacks"),
        (given(("age",), at_least("age", 500.0)), {}, "rule 1 of init, age ≥ 500, covers no row"),
        (given(("age",), at_least("age", 0.0)), {}, "rule 1 of init, age ≥ 0, covers all rows"),
        (
            given(("age",), Condition((Membership("age", ("A",)),))),
            {},
            r"column 'age' holds numbers, not categories",
        ),
        (
            given(("group",), at_least("group", 1.0)),
            {},
            r"column 'group' holds categories, not numbers",
        ),
        (
            given(("age",), OLD, classes=("no", "yes")),
            {},
            r"init predicts 'no', 'yes', but y holds the classes 'ill', 'well'",
        ),
        (given(("age",), OLD, loss="squared", classes=None), {}, r"init predicts numbers"),
        (given(("age", "bmi"), OLD, FAT), {"max_rules": 1}, r"max_rules=1 is less than the 2"),
        (
            given(("age", "bmi"), OLD, FAT),
            {"max_complexity": 5},
            r"max_complexity=5 is less than the 6",
        ),
        (
            given(
                ("age",),
                Condition((*OLD.propositions, Proposition(("age",), (-1.0,), -60.0))),
            ),
            {"monotonic_cst": {"age": 1}},
            r"is ruled out by the constraints",
        ),
        (
            given(("age", "bmi"), Condition((*OLD.propositions, *FAT.propositions))),
            {"interaction_cst": "no_interactions"},
            r"is ruled out by the constraints",
        ),
        (
            given(("age",), OLD),
            {"column_prices": {"age": float("inf")}},
            r"is ruled out by the constraints",
        ),
    ],
)
def test_rules_that_cannot_be_kept_are_refused(patients, init, options, message):
    with pytest.raises(ValueError, match=message):
        LLTBoostClassifier(init=init, **options).fit(*patients)


def test_another_loss_is_refused(diabetes):
    X, y = diabetes
    init = given(tuple(X.columns), FAT, loss="poisson", classes=None)
    with pytest.raises(ValueError, match="init has the loss poisson, but the fit has squared"):
        LLTBoostRegressor(init=init).fit(X, y)
    with pytest.raises(ValueError, match="init predicts rates if exposure is passed"):
        LLTBoostRegressor(init=init, loss="poisson").fit(X, y, exposure=np.ones(len(y)))


def test_constraints_are_about_the_positive_class():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.uniform(20, 80, 400), "bmi": rng.normal(25, 4, 400)})
    ill = rng.random(400) < 1 / (1 + np.exp(-(X["age"] - 50) / 8))
    y = np.where(ill, "ill", "well")
    rising = LLTBoostClassifier(positive="ill", monotonic_cst={"age": 1}).fit(X, y)
    falling = LLTBoostClassifier(positive="ill", monotonic_cst={"age": -1}).fit(X, y)
    usual = LLTBoostClassifier(monotonic_cst={"age": -1}).fit(X, y)
    ages = pd.DataFrame({"age": np.arange(20.0, 81.0), "bmi": 25.0})
    assert (np.diff(rising.ensemble_(ages)) >= 0).all()
    assert np.ptp(rising.ensemble_(ages)) > 0
    assert (np.diff(falling.ensemble_(ages)) <= 0).all()
    assert usual.ensemble_.about("ill") == rising.ensemble_


@pytest.mark.parametrize(
    "estimator",
    [
        LLTBoostClassifier(max_rules=2),
        LLTBoostClassifier(max_seconds=1e-9),
        small_classifier_cv(max_rules=2),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:max_seconds=")
def test_a_rule_whose_vote_the_direction_rules_out_is_dropped_with_a_warning(patients, estimator):
    X, _ = patients
    y = np.where(X["age"] > 50, "ill", "well")
    init = given(("age", "bmi"), FAT, OLD)
    told = (
        r"rule 2 of init, age ≥ 50, is left out of the model: a vote of the sign that monotonic_cst"
    )
    model = clone(estimator).set_params(init=init, monotonic_cst={"age": 1})
    with pytest.warns(UserWarning, match=told) as caught:
        model.fit(X, y)
    assert [w.filename for w in caught if "init" in str(w.message)] == [__file__]
    assert OLD not in [rule.condition for rule in model.ensemble_]


def test_rules_that_stay_are_not_warned_of(patients, begun):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "init")
        LLTBoostClassifier(init=begun, max_rules=2, monotonic_cst={"bmi": 1}).fit(*patients)
