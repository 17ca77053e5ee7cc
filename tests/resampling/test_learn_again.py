"""Models that are learned again from resamples."""

import json

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config

from sorb import (
    LLTBoostClassifier,
    LLTBoostClassifierCV,
    LLTBoostRegressor,
    RuleEnsemble,
    Stability,
    stability,
)

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.normal(size=(400, 4)), columns=list("abcd"))
Y = np.where(TABLE["a"] >= 0.5, "ill", "well")
NOISE = RNG.permutation(Y)


@pytest.fixture(scope="module")
def model():
    return LLTBoostClassifier(max_rules=1, max_rule_complexity=1, positive="ill").fit(TABLE, Y)


@pytest.fixture(scope="module")
def found(model):
    return stability(model, TABLE, Y, n_resamples=6, n_jobs=1)


def test_what_the_table_says_clearly_is_always_found(found):
    (rule,) = found.rules
    assert (rule.found, rule.same_columns) == (1.0, 1.0)
    ((text, threshold),) = rule.thresholds
    assert text.startswith("a ≥ ")
    assert 0.4 < threshold.lower <= threshold.median <= threshold.upper < 0.6
    assert rule.vote.lower > 0
    assert found.agreement > 0.97
    assert found.complexity.median == 3


def test_what_chance_says_is_rarely_found():
    chance = LLTBoostClassifier(max_complexity=9, selection=None).fit(TABLE, NOISE)
    found = stability(chance, TABLE, NOISE, n_resamples=10, n_jobs=1)
    assert len(found.rules) > 0
    assert np.mean([rule.found for rule in found.rules]) < 0.5
    assert found.spread > 0.02


def test_models_may_spend_on_columns_what_the_model_did():
    dear = {"max_rules": 1, "max_rule_complexity": 1, "column_prices": {"a": 4.5}}
    model = LLTBoostClassifier(selection=None, effort="low", **dear).fit(TABLE, Y)
    assert model.ensemble_.used_columns == ("a",)
    for one in (model, model.ensemble_):
        (rule,) = stability(one, TABLE, Y, n_resamples=3, n_jobs=1).rules
        assert rule.found == 1.0


def test_a_recalibrated_model_is_compared_with_recalibrated_ones():
    risk = np.where(TABLE["a"] >= 0.5, 0.3, 0.02)
    rare = np.where(np.random.default_rng(1).random(400) < risk, "ill", "well")
    settings = {"max_rules": 1, "max_rule_complexity": 1, "positive": "ill"}
    weighted = LLTBoostClassifier(class_weight="balanced", **settings).fit(TABLE, rare)
    model = weighted.recalibrate(TABLE, rare)
    for one in (model, model.ensemble_):
        assert stability(one, TABLE, rare, n_resamples=5, n_jobs=1).agreement > 0.95


def test_it_is_the_same_however_it_is_computed(model, found):
    with parallel_config("threading"):
        assert stability(model, TABLE, Y, n_resamples=6, n_jobs=2) == found
    order = RNG.permutation(400)
    shuffled = stability(model, TABLE.iloc[order], Y[order], n_resamples=6, n_jobs=1)
    assert shuffled.rules == found.rules
    assert shuffled.agreement == pytest.approx(found.agreement)
    assert stability(model, TABLE, Y, n_resamples=6, random_state=1, n_jobs=1) != found


def test_weights_are_copies(model):
    weight = 1 + np.arange(400) % 2
    copies = np.repeat(np.arange(400), weight)
    weighted = stability(model, TABLE, Y, weight, n_resamples=3, n_jobs=1)
    copied = stability(model, TABLE.iloc[copies], Y[copies], n_resamples=3, n_jobs=1)
    assert weighted.rules == copied.rules
    assert weighted.agreement == pytest.approx(copied.agreement)
    assert weighted.spread == pytest.approx(copied.spread)


@pytest.mark.parametrize("library", ["numpy", "polars", "pyarrow", "sparse"])
def test_tables_of_all_kinds(library, found):
    from scipy import sparse

    X = {
        "numpy": TABLE.to_numpy,
        "polars": lambda: pytest.importorskip("polars").from_pandas(TABLE),
        "pyarrow": lambda: pytest.importorskip("pyarrow").Table.from_pandas(TABLE),
        "sparse": lambda: sparse.csr_array(TABLE.to_numpy()),
    }[library]()
    model = LLTBoostClassifier(max_rules=1, max_rule_complexity=1, positive="ill").fit(X, Y)
    again = stability(model, X, Y, n_resamples=6, n_jobs=1)
    assert [rule.found for rule in again.rules] == [rule.found for rule in found.rules]


def test_models_of_classes_numbers_and_rates(model):
    three = np.where(TABLE["b"] >= 1, "z", Y)
    several = LLTBoostClassifierCV(max_complexity=8, n_repeats=1, cv=2).fit(TABLE, three)
    assert stability(several, TABLE, three, n_resamples=2, n_jobs=1).agreement > 0.8
    years = RNG.uniform(1, 5, 400)
    claims = RNG.poisson(years * np.where(TABLE["a"] >= 0.5, 2.0, 0.2))
    rates = LLTBoostRegressor(loss="poisson", max_rules=1).fit(TABLE, claims, exposure=years)
    found = stability(rates, TABLE, claims, exposure=years, n_resamples=3, n_jobs=1)
    assert found.rules[0].found == 1.0
    assert "correlation with the predictions" in found.words
    alone = stability(rates.ensemble_, TABLE, claims, exposure=years, n_resamples=3, n_jobs=1)
    assert alone.rules[0].found == 1.0


def test_a_saved_model_is_learned_again_with_its_settings():
    ratio = TABLE.abs() + 0.1
    y = np.where(ratio["a"] / ratio["b"] >= 1.5, "ill", "well")
    model = LLTBoostClassifier(max_rules=1, log_columns="auto", reg_lambda=0.5).fit(ratio, y)
    saved = RuleEnsemble.from_json(model.ensemble_.to_json())
    ours, theirs = (stability(m, ratio, y, n_resamples=4, n_jobs=1) for m in (model, saved))
    assert theirs == ours
    assert ours.rules[0].found == 1.0


def test_other_columns_of_the_table_are_not_learned_from(model, found):
    table = TABLE.assign(outcome=Y)[["d", "outcome", "c", "b", "a"]]
    assert stability(model, table, Y, n_resamples=6, n_jobs=1) == found
    with pytest.raises(ValueError, match=r"X lacks columns .*: 'b'"):
        stability(model, TABLE[["a", "c", "d"]], Y)


def test_class_weights_are_those_of_the_estimator():
    rare = np.where(TABLE["a"] >= 1.5, "ill", "well")
    balanced = LLTBoostClassifier(max_rules=1, class_weight="balanced", positive="ill")
    with pytest.warns(UserWarning, match="class_weight changes"):
        balanced.fit(TABLE, rare)
    found = stability(balanced, TABLE, rare, n_resamples=4, n_jobs=1)
    assert found.rules[0].found == 1.0
    # With balanced classes, everybody starts in the middle; a double weight would go beyond.
    assert found.agreement > 0.9


def test_a_model_without_rules_has_no_rules_to_find():
    empty = LLTBoostRegressor(max_rules=0).fit(TABLE, TABLE["a"])
    found = stability(empty, TABLE, TABLE["a"], n_resamples=2, n_jobs=1)
    assert found.rules == ()
    assert "complexity of 0:" in str(found)


def test_it_prints_itself_and_fits_in_json(found):
    text = str(found)
    assert "Learned again from 6 resamples of 400 rows" in text
    assert "100 %         100 %" in text
    assert "% of the rows get the same class" in text
    document = json.loads(json.dumps(found.to_dict()))
    assert document["rules"][0]["found"] == 1.0
    assert document["n_resamples"] == 6


@pytest.mark.parametrize(
    ("other", "options", "error", "message"),
    [
        ("model", {}, TypeError, "expected a fitted estimator of sorb"),
        (LLTBoostClassifier(), {}, ValueError, "not fitted yet"),
        (None, {"n_resamples": 1}, ValueError, "n_resamples must be 2 or more"),
        (None, {"n_resamples": 2.5}, TypeError, "n_resamples"),
        (None, {"groups": [1, 2]}, ValueError, "groups must hold one"),
    ],
)
def test_what_cannot_be_done_is_refused(model, other, options, error, message):
    with pytest.raises(error, match=message):
        stability(other or model, TABLE, Y, **options)


def test_lazy_frames_are_refused(model):
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="collect the lazy frame"):
        stability(model, polars.from_pandas(TABLE).lazy(), "y")


def test_the_result_is_a_value(found):
    assert isinstance(found, Stability)
    assert hash(found) == hash(found)
