"""The class that a model speaks of, and probabilities after class weights."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from estimators.cases import small_classifier_cv
from sklearn.model_selection import cross_val_score

from sorb import LLTBoostClassifier


def fit(binary, **parameters):
    return LLTBoostClassifier(max_rules=3, **parameters).fit(*binary)


@pytest.fixture
def rare(binary):
    """Two classes, one of them rare, with weights of rows."""
    X, y = binary
    rows = np.r_[np.flatnonzero(y == "other"), np.flatnonzero(y == "versicolor")[:20]]
    return X.iloc[rows, :2], y[rows], 1.0 + np.arange(len(rows)) % 3


# ---- the positive class ----


def test_positive_changes_what_the_model_speaks_of(binary):
    usual, other = fit(binary), fit(binary, positive="other")
    assert usual.ensemble_.classes == ("other", "versicolor")
    assert other.ensemble_.classes == ("versicolor", "other")
    assert other.ensemble_.describe().startswith("The log-odds of other against versicolor")
    assert other.ensemble_(binary[0]).tolist() == (-usual.ensemble_(binary[0])).tolist()


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function"]
)
def test_positive_changes_no_prediction(binary, method):
    X, _ = binary
    usual, other = fit(binary), fit(binary, positive="other")
    assert other.classes_.tolist() == usual.classes_.tolist()
    np.testing.assert_array_equal(getattr(other, method)(X), getattr(usual, method)(X))
    if method != "predict_log_proba":
        stages = zip(
            getattr(other, f"staged_{method}")(X),
            getattr(usual, f"staged_{method}")(X),
            strict=True,
        )
        for found, expected in stages:
            np.testing.assert_array_equal(found, expected)


def test_scorers_of_scikit_learn_find_the_classes_in_order(binary):
    X, y = binary
    for scoring in ("neg_log_loss", "roc_auc"):
        usual, other = (
            cross_val_score(
                LLTBoostClassifier(max_rules=2, selection=None, positive=positive),
                X,
                y == "other",
                scoring=scoring,
                cv=3,
            )
            for positive in (True, False)
        )
        assert other == pytest.approx(usual)


def test_lazy_frames_are_scored_for_the_second_class(binary):
    X, _ = binary
    model = fit(binary, positive="other")
    frame = pl.from_pandas(X).lazy()
    assert model.decision_function(frame).collect()["score"].to_numpy() == pytest.approx(
        model.decision_function(X)
    )
    found = model.predict_proba(frame).collect()
    assert found.columns[-2:] == [f"probability_{label}" for label in model.classes_]
    assert found.to_numpy()[:, -2:] == pytest.approx(model.predict_proba(X))


def test_at_a_tie_the_estimator_says_what_its_model_says():
    X, y = np.zeros((4, 1)), list("abab")
    model = LLTBoostClassifier(positive="a").fit(X, y)
    assert model.predict(X).tolist() == model.ensemble_.predict(X).tolist() == ["b"] * 4


def test_positive_may_be_written_as_a_text(binary):
    X, y = binary
    for kind in (int, float):
        model = LLTBoostClassifier(max_rules=1, positive="0").fit(X, (y == "other").astype(kind))
        assert model.ensemble_.classes == (1, 0)


@pytest.mark.parametrize("positive", ["Other", 1, ""])
def test_a_positive_class_that_is_none_is_refused(binary, positive):
    with pytest.raises(ValueError, match=r"positive must be one of two classes, found .* 'other'"):
        fit(binary, positive=positive)


def test_more_than_two_classes_have_no_positive_one(iris):
    with pytest.raises(ValueError, match="positive must be one of two classes"):
        LLTBoostClassifier(positive="setosa").fit(*iris)


def test_positive_works_with_warm_starts_and_cross_validation(binary):
    model = LLTBoostClassifier(
        max_rules=1, selection=None, reg_lambda=1.0, positive="other", warm_start=True
    )
    model.fit(*binary).set_params(max_rules=2).fit(*binary)
    at_once = LLTBoostClassifier(max_rules=2, selection=None, reg_lambda=1.0, positive="other")
    X = binary[0]
    assert model.ensemble_(X) == pytest.approx(at_once.fit(*binary).ensemble_(X))
    validated = small_classifier_cv(positive="other").fit(*binary)
    assert validated.ensemble_.classes[-1] == "other"


# ---- probabilities after class weights ----


def test_class_weights_are_told_with_the_shares_that_they_change(rare):
    X, y, _ = rare
    with pytest.warns(UserWarning, match=r"'versicolor' is the class of 17 % .* 50 % .*recalib"):
        LLTBoostClassifier(max_rules=1, class_weight="balanced").fit(X, y)


def test_class_weights_that_change_little_are_not_told(rare):
    X, y, weight = rare
    LLTBoostClassifier(max_rules=1, class_weight={"other": 1.01}).fit(X, y, weight)


@pytest.mark.parametrize("positive", [None, "other"])
def test_recalibrating_expects_classes_as_often_as_they_occur(rare, positive):
    X, y, weight = rare
    weighted = LLTBoostClassifier(max_rules=2, class_weight="balanced", positive=positive)
    found = weighted.fit(X, y, weight).recalibrate(X, y, weight)
    share = np.average(y == "versicolor", weights=weight)
    assert np.average(weighted.predict_proba(X)[:, 1], weights=weight) > 2 * share
    assert np.average(found.predict_proba(X)[:, 1], weights=weight) == pytest.approx(share)
    for stage in found.stages_:
        smaller = found.at(complexity=stage.complexity).predict_proba(X)[:, 1]
        assert np.average(smaller, weights=weight) == pytest.approx(share)
    assert [r.vote for r in found.ensemble_] == [r.vote for r in weighted.ensemble_]
    copies = np.repeat(np.arange(len(y)), weight.astype(int))
    again = weighted.recalibrate(X.iloc[copies], y[copies])
    assert again.ensemble_.offset == pytest.approx(found.ensemble_.offset)


def test_three_classes_are_recalibrated(iris):
    X, y = iris
    model = LLTBoostClassifier(max_rules=3, class_weight={0: 9}).fit(X, y)
    found = model.recalibrate(X[20:], y[20:]).predict_proba(X[20:])
    assert found.mean(axis=0) == pytest.approx(np.bincount(y[20:]) / 130)


def test_lazy_frames_are_recalibrated_to_the_same_offset(rare):
    X, y, weight = rare
    frame = pl.from_pandas(X.assign(y=y, weight=weight)).lazy()
    model = LLTBoostClassifier(max_rules=2, class_weight="balanced").fit(X, y, weight)
    lazily = model.recalibrate(frame, "y", "weight").ensemble_.offset
    assert lazily == pytest.approx(model.recalibrate(X, y, weight).ensemble_.offset)


def test_lazy_frames_with_groups_are_recalibrated(rare):
    X, y, weight = rare
    table = X.assign(y=y, weight=weight, group=np.arange(len(y)) // 3)
    model = LLTBoostClassifier(max_rules=1).fit(X, y, weight, groups=table["group"])
    lazily = model.recalibrate(pl.from_pandas(table).lazy(), "y", "weight").ensemble_.offset
    assert lazily == pytest.approx(model.recalibrate(X, y, weight).ensemble_.offset)


def test_recalibrating_does_not_tell_again_which_columns_are_left_out(rare):
    X, y, _ = rare
    dated = X.assign(day=pd.Timestamp("2020-06-03"))
    with pytest.warns(UserWarning, match="'day' is left out"):
        model = LLTBoostClassifier(max_rules=1).fit(dated, y)
    model.recalibrate(dated, y)


def test_recalibrating_needs_all_classes(binary):
    X, y = binary
    model = fit(binary)
    only = y == "other"
    with pytest.raises(ValueError, match=r"y must hold each of the classes .*found \['other'\]"):
        model.recalibrate(X[only], y[only])
