"""A lazy frame gives the model that the same table gives in memory, whatever the engine."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from engines.conftest import ENGINES
from engines.tables import features, outcomes
from sorb import (
    LLTBoostClassifier,
    LLTBoostClassifierCV,
    LLTBoostRegressor,
    LLTBoostRegressorCV,
)

FEW = {"max_rules": 3, "search_rows": 150}
CLASSES = {"two classes", "a rare class", "three classes"}
# What is learned from what, with which further columns.
FITS = {
    "two classes": (LLTBoostClassifier(**FEW), "two classes", {}),
    "all rows": (LLTBoostClassifier(max_rules=3), "two classes", {}),
    "weighted classes": (
        LLTBoostClassifier(**FEW, class_weight="balanced", selection=None),
        "two classes",
        {"sample_weight": "w"},
    ),
    "whole weights": (LLTBoostClassifier(**FEW), "two classes", {"sample_weight": "k"}),
    "a rare class": (LLTBoostClassifier(**FEW, selection=None), "a rare class", {}),
    "three classes": (LLTBoostClassifier(**FEW, selection=None), "three classes", {}),
    "ratios": (LLTBoostRegressor(**FEW, log_columns=["weight", "height"]), "numbers", {}),
    "all ratios": (LLTBoostRegressor(**FEW, log_columns="auto"), "numbers", {}),
    "integer weights": (LLTBoostRegressor(**FEW, weights="integer"), "numbers", {}),
    "axis-parallel": (LLTBoostRegressor(**FEW, search="axis"), "numbers", {}),
    "counts": (LLTBoostRegressor(**FEW, loss="poisson"), "counts", {"exposure": "e"}),
    "amounts": (LLTBoostRegressor(**FEW, loss="gamma"), "amounts", {"sample_weight": "w"}),
    "amounts, many zero": (
        LLTBoostRegressor(**FEW, loss="tweedie"),
        "amounts, many zero",
        {"sample_weight": "w", "exposure": "e"},
    ),
    "named categories": (
        LLTBoostRegressor(**FEW, categorical_features=["group", "count"]),
        "numbers",
        {},
    ),
    "classes, cross-validated": (
        LLTBoostClassifierCV(**FEW, cv=2, n_repeats=1),
        "two classes",
        {"sample_weight": "w"},
    ),
    "numbers, cross-validated": (LLTBoostRegressorCV(**FEW, cv=2, n_repeats=1), "numbers", {}),
}


# Workers take seconds for each question, so they are asked about some fits only.
CLUSTERS = ("dask", "spark")
ON_CLUSTERS = {"two classes", "three classes", "ratios", "counts"}
ON_ENGINES = pytest.mark.parametrize(
    ("hand_over", "name"),
    [
        (engine, name)
        for engine in ENGINES
        for name in FITS
        if engine not in CLUSTERS or name in ON_CLUSTERS
    ],
    indirect=["hand_over"],
)


def table_of(kind, extra):
    table = features()
    rng = np.random.default_rng(2)
    if "w" in extra.values():
        table["w"] = np.where(rng.random(len(table)) < 0.1, 0.0, rng.exponential(size=len(table)))
    if "k" in extra.values():
        table["k"] = rng.integers(0, 4, len(table))
    if "e" in extra.values():
        table["e"] = rng.uniform(0.5, 2.0, len(table))
    return table, outcomes(kind, table)


def in_memory(estimator, table, y, extra):
    others = {name: table[column].to_numpy() for name, column in extra.items()}
    return estimator.fit(table.drop(columns=list(extra.values())), y, **others)


def same_model(one, other):
    assert len(one.stages_) == len(other.stages_)
    for mine, others in zip(one.stages_, other.stages_, strict=True):
        assert [r.condition for r in mine.ensemble] == [r.condition for r in others.ensemble]
        votes = [
            [*np.atleast_1d(model.ensemble.offset), *(rule.vote for rule in model.ensemble)]
            for model in (mine, others)
        ]
        np.testing.assert_allclose(*votes, rtol=1e-9, atol=1e-9)
        assert mine.train_risk == pytest.approx(others.train_risk, rel=1e-9)
    assert one.ensemble_.complexity == other.ensemble_.complexity


@ON_ENGINES
def test_a_lazy_frame_gives_the_same_model_as_the_table_in_memory(name, hand_over):
    estimator, kind, extra = FITS[name]
    table, y = table_of(kind, extra)
    expected = in_memory(estimator, table, y, extra)
    assert len(expected.stages_) > 1
    rules = [str(rule) for rule in expected.ensemble_]
    found = type(estimator)(**estimator.get_params()).fit(
        hand_over(table.assign(outcome=y)), "outcome", **extra
    )
    same_model(expected, found)
    assert [str(rule) for rule in found.ensemble_] == rules
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()


def test_neither_the_order_of_the_rows_nor_their_partition_matters(dask):
    import dask.dataframe as dd

    table = features()
    table["outcome"] = outcomes("two classes", table)
    expected = LLTBoostClassifier(**FEW).fit(as_lazy(table), "outcome")
    shuffled = table.sample(frac=1.0, random_state=0)
    parts = [shuffled[:5], shuffled[5:5], shuffled[5:2500], shuffled[2500:]]
    whole = dd.from_delayed([dask.submit(lambda part: part, part) for part in parts])
    same_model(expected, LLTBoostClassifier(**FEW).fit(whole, "outcome"))


def as_lazy(table):
    return pl.from_pandas(table).lazy()


def test_few_different_rows_are_all_used_however_often_they_occur(hand_over):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.integers(0, 3, 5000) for name in "abc"})
    table["outcome"] = ((table["a"] + table["b"] > 2) ^ (rng.random(5000) < 0.1)).astype(int)
    estimator = LLTBoostClassifier(max_rules=2, search_rows=20)
    expected = estimator.fit(table[["a", "b", "c"]], table["outcome"])
    found = LLTBoostClassifier(max_rules=2, search_rows=20).fit(hand_over(table), "outcome")
    same_model(expected, found)


def far_away(outlier):
    """A table whose rows are close to each other, but for one."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((3000, 2)), columns=["a", "b"])
    table["outcome"] = 2.0 * (table["a"] > table["b"]) + rng.normal(scale=0.1, size=3000)
    table.loc[7, "a"] = outlier
    return table


def test_a_value_far_away_from_all_others_does_not_spoil_the_sample(hand_over):
    table = far_away(1e9)
    expected = LLTBoostRegressor(**FEW).fit(table[["a", "b"]], table["outcome"])
    found = LLTBoostRegressor(**FEW).fit(hand_over(table), "outcome")
    same_model(expected, found)
    assert len(found.ensemble_)


@pytest.mark.parametrize("hand_over", ["polars", "duckdb"], indirect=True)
def test_rows_that_no_key_tells_apart_are_not_all_read(hand_over):
    table = far_away(1e40).round({"outcome": 0}).assign(b=0.0)
    with pytest.raises(ValueError, match="rows differ only in numbers that are tiny against the"):
        LLTBoostRegressor(max_rules=2, search_rows=20).fit(hand_over(table), "outcome")


@pytest.mark.parametrize("name", sorted(ON_CLUSTERS))
def test_a_lazy_frame_is_predicted_as_the_table_in_memory(name, hand_over):
    estimator, kind, extra = FITS[name]
    table, y = table_of(kind, extra)
    model = in_memory(estimator, table, y, extra)
    table = table.drop(columns=list(extra.values()))
    table["row"] = np.arange(len(table))
    lazy, known = hand_over(table), table.drop(columns="row")

    def answers(frame, names):
        import narwhals as nw

        found = nw.from_native(frame).collect().sort("row")
        assert found.columns == [*table.columns, *names]
        return [found.get_column(name).to_list() for name in names]

    (found,) = answers(model.predict(lazy), ["prediction"])
    expected = model.predict(known).tolist()
    assert found == (expected if kind in CLASSES else pytest.approx(expected, rel=1e-12))
    if kind in CLASSES:
        names = [f"probability_{label}" for label in model.classes_]
        found = answers(model.predict_proba(lazy), names)
        np.testing.assert_allclose(np.transpose(found), model.predict_proba(known), rtol=1e-12)
        scores = ["score"] if len(names) == 2 else [f"score_{label}" for label in model.classes_]
        found = np.transpose(answers(model.decision_function(lazy), scores))
        expected = model.decision_function(known).reshape(len(table), -1)
        np.testing.assert_array_equal(found, expected)


WRONG = {
    "no outcome": ({}, {"y": "sick"}, ValueError, "y names 'sick', which is not a column"),
    "no name": ({}, {"y": [0, 1]}, TypeError, "y must be the name of a column, since a lazy frame"),
    "infinity": ({"a": np.inf}, {}, ValueError, "infinity in column 'a', in 1 rows"),
    "missing outcome": (
        {"outcome": np.nan},
        {},
        ValueError,
        "'outcome' is missing .*1 rows",
    ),
    "negative count": (
        {"outcome": -1.0},
        {"loss": "poisson"},
        ValueError,
        "column 'outcome' is -1.0: expected 0 or more for the loss 'poisson'",
    ),
    "negative weight": (
        {"w": -1.0},
        {"sample_weight": "w"},
        ValueError,
        "sample_weight, column 'w', must be finite and non-negative",
    ),
    "two roles": ({}, {"sample_weight": "outcome"}, ValueError, "y and sample_weight both name"),
    "no exposure": (
        {"w": 0.0},
        {"exposure": "w", "loss": "poisson"},
        ValueError,
        "exposure, column 'w', must be finite and positive",
    ),
    "no rates": ({}, {"exposure": "w"}, ValueError, "an exposure is for the losses poisson"),
    "no logarithm": ({}, {"log_columns": ["a"]}, ValueError, "log_columns names 'a', which holds"),
    "dates as weights": (
        {"w": "dates"},
        {"sample_weight": "w"},
        ValueError,
        "column 'w' holds dates or times",
    ),
    "a word": ({"w": "a word"}, {}, ValueError, "column 'w' holds numbers, but 'oops' in 1 rows"),
    "texts as weights": (
        {"w": "texts"},
        {"sample_weight": "w"},
        ValueError,
        "sample_weight, column 'w', holds .*: expected numbers",
    ),
    "texts as outcomes": ({"w": "texts"}, {"y": "w"}, ValueError, "y, column 'w', holds "),
    "splitter": ({}, {"cv": "splitter"}, ValueError, "cv must be a number of folds"),
}


@pytest.mark.parametrize("hand_over", ["polars", "duckdb"], indirect=True)
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_lazy_frame_is_said(name, hand_over):
    changes, options, error, message = WRONG[name]
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    table["w"] = 1.0
    table["outcome"] = rng.poisson(2.0, 300).astype(float)
    for column, value in changes.items():
        match value:
            case "dates":
                table[column] = pd.Timestamp("2020-01-01")
            case "texts":
                table[column] = [f"text {k}" for k in range(300)]
            case "a word":
                table[column] = (table["a"] > 0).astype(int).astype(str)
                table.loc[100, column] = "oops"
            case _:
                table.loc[100, column] = value
    fields = {k: v for k, v in options.items() if k in ("sample_weight", "exposure")}
    parameters = {k: v for k, v in options.items() if k in ("loss", "log_columns")}
    model = LLTBoostRegressor(**parameters)
    if "cv" in options:
        model = LLTBoostRegressorCV(cv=[([0, 1], [2, 3])])
    with pytest.raises(error, match=message):
        model.fit(hand_over(table), options.get("y", "outcome"), **fields)


def test_columns_that_no_rule_could_use_are_left_out_as_in_memory(hand_over):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"a": rng.normal(size=300)})
    table["outcome"] = table["a"] > 0
    odd = table.assign(
        id=[f"P-{k:03}" for k in range(300)],
        code=2**60 + np.arange(300),
        seen=[f"{k % 28 + 1:02}.03.2020" for k in range(300)],
        born=pd.Timestamp("2020-01-01"),
    )
    model = LLTBoostClassifier(max_rules=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(hand_over(odd), "outcome")
    told = [str(warning.message) for warning in caught if "is left out" in str(warning.message)]
    assert sorted(text.split("'")[1] for text in told) == ["born", "code", "id", "seen"]
    plain = LLTBoostClassifier(max_rules=1).fit(hand_over(table), "outcome")
    assert model.ensemble_.rules == plain.ensemble_.rules
    assert model.ensemble_.columns == ("a", "id", "code", "seen", "born")


@pytest.mark.parametrize("hand_over", ["polars", "duckdb"], indirect=True)
def test_names_of_columns_that_are_added_are_refused(hand_over):
    table = pd.DataFrame({"sorb key": [0.0, 1.0, 2.0, 3.0], "outcome": [0, 1, 0, 1]})
    with pytest.raises(ValueError, match="column 'sorb key' must be renamed: names that begin"):
        LLTBoostClassifier().fit(hand_over(table), "outcome")


@pytest.mark.parametrize("hand_over", ["polars", "duckdb"], indirect=True)
def test_a_score_needs_rows_in_memory(hand_over):
    table = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "outcome": [0, 1, 0, 1]})
    for kind in (LLTBoostClassifier, LLTBoostRegressor):
        model = kind(selection=None).fit(table[["a"]], table["outcome"])
        with pytest.raises(TypeError, match="expected a table in memory, found a lazy one"):
            model.score(hand_over(table), "outcome")


@pytest.mark.parametrize("hand_over", ["polars", "duckdb"], indirect=True)
def test_no_column_need_hold_numbers(hand_over):
    table = features()[["group"]].assign(other="x")
    table["outcome"] = outcomes("two classes", features())
    expected = LLTBoostClassifier(max_rules=2).fit(table[["group", "other"]], table["outcome"])
    same_model(expected, LLTBoostClassifier(max_rules=2).fit(hand_over(table), "outcome"))
