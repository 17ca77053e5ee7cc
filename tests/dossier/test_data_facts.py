"""What the rows hold, and what identifies them whatever file they come in."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from dossier.dossiers import named_model

from sorb.dossier.data_facts import data_facts, limits_facts, oddities_facts
from sorb.dossier.subject import Settings, Subject
from sorb.report.given_rows import GivenRows
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble


def subject_of(X, y=None, model=None, **settings):
    ensemble, _, outcomes = named_model("x")
    given = GivenRows(X, outcomes if y is None else y)
    return Subject.of(model or ensemble, given, "it", Settings(**settings))


def fingerprint(X):
    return data_facts(subject_of(X))["sha256_of_contents"]


def test_the_fingerprint_does_not_depend_on_how_the_rows_are_kept():
    _, X, _ = named_model("x")
    known = fingerprint(X)
    text = X["x 2"]
    backwards = pd.Categorical(text, categories=["b", "a"])
    assert fingerprint(X.assign(**{"x 2": backwards})) == known
    assert fingerprint(pl.from_pandas(X)) == known
    assert fingerprint(X[["x 2", "x"]]) == known


def test_the_fingerprint_tells_rows_apart():
    _, X, _ = named_model("x")
    found = {fingerprint(X), fingerprint(X[::-1])}
    for column, value in (("x", 0.5), ("x", np.nan), ("x 2", "b"), ("x 2", None)):
        changed = X.copy()
        changed.loc[7, column] = value
        found.add(fingerprint(changed))
    assert len(found) == 5 + (X.loc[7, "x 2"] != "b")


def test_columns_are_described():
    _, X, _ = named_model("x")
    number, label = data_facts(subject_of(X))["columns"]
    assert number["range"] == [X["x"].min(), X["x"].max()]
    assert [part["label"] for part in label["categories"]] in (["a", "b"], ["b", "a"])
    assert label["missing_share"] == pytest.approx(1 / 60)


def test_numbers_of_which_rules_only_ask_whether_they_are_missing():
    X = pd.DataFrame({"x": [1.0, np.nan, 2.5]})
    gap = Rule(Condition((Membership("x", (), missing=True),)), 1.0)
    model = RuleEnsemble(0.0, (gap,), ("x",), "squared")
    (column,) = data_facts(subject_of(X, [1.0, 2.0, 3.0], model))["columns"]
    assert (column["kind"], column["range"]) == ("number", [1.0, 2.5])


def test_few_rows_of_a_class_are_not_counted():
    _, X, _ = named_model("x")
    y = np.array(["not a"] * 57 + ["is a"] * 3)
    shown = data_facts(subject_of(X, y))["outcomes"]["classes"]
    assert [part["rows"] for part in shown] == [57, 3]
    hidden = data_facts(subject_of(X, y, single_rows=False))["outcomes"]["classes"]
    assert [part["rows"] for part in hidden] == [None, None]


def test_numbers_are_summarised():
    old = Rule(Condition((Proposition(("x",), (1.0,), 0.0),)), 1.0)
    model = RuleEnsemble(0.0, (old,), ("x",), "squared")
    X = pd.DataFrame({"x": [1.0, -1.0, 2.0, 0.5]})
    found = data_facts(subject_of(X, [1.0, 2.0, 3.0, 6.0], model))["outcomes"]
    assert (found["mean"], found["range"]) == (3.0, [1.0, 6.0])
    safe = data_facts(subject_of(X, [1.0, 2.0, 3.0, 6.0], model, single_rows=False))["outcomes"]
    assert "range" not in safe


def test_what_looks_odd_is_told():
    _, X, y = named_model("x")
    X = X.assign(x=np.where(y == "is a", 1.0, -1.0) + X["x"] / 100)
    found = oddities_facts(subject_of(X))
    assert [finding["kind"] for finding in found["findings"]] == ["leak", "few-rows"]


def test_what_looks_odd_is_about_the_columns_that_rules_use():
    x = np.random.default_rng(0).normal(size=(60, 2))
    x[:, 1] = np.arange(60)  # numbers of rows
    positive = Rule(Condition((Proposition(("x0",), (1.0,), 0.0),)), 1.0)
    model = RuleEnsemble(0.0, (positive,), ("x0", "x1"), "squared")
    of_array = oddities_facts(subject_of(x, x[:, 0] ** 2, model))
    frame = pd.DataFrame(x, columns=["x0", "x1"])
    assert of_array == oddities_facts(subject_of(frame, x[:, 0] ** 2, model))
    assert of_array["columns"] == 1


def test_odd_rows_are_named_as_the_user_numbers_them():
    _, X, y = named_model("x")
    weight = np.where(np.arange(60) == 40, 1e6, 1.0)
    given = GivenRows(X, y, weight, None, None, np.arange(60) + 1000)
    ensemble, _, _ = named_model("x")
    found = oddities_facts(Subject.of(ensemble, given, "it", Settings()))
    [odd] = (finding for finding in found["findings"] if finding["rows"])
    assert "row 1040 has" in odd["what"]
    assert odd["rows"] == (1040,)


def test_without_rows_findings_tell_no_values():
    _, X, y = named_model("x")
    X.loc[:1, "x 2"] = ["A ", "A"]
    assert "A " in str(oddities_facts(subject_of(X, y)))
    found = oddities_facts(subject_of(X, y, single_rows=False))
    assert {finding["what"] for finding in found["findings"]} >= {'spelling in "x 2"'}
    assert "A " not in str(found)


def test_limits_name_rows_without_experience():
    model, X, _ = named_model("x")
    found = limits_facts(subject_of(X))
    assert (found["rows_without_experience"], found["columns_without_memory"]) == (0, ["x", "x 2"])
    from sorb.rules import ColumnExperience

    seen = {"x": ColumnExperience(missing=False, range=(-0.5, 0.5))}
    remembers = RuleEnsemble(
        model.offset, model.rules, model.columns, "logistic", model.classes, experience=seen
    )
    found = limits_facts(subject_of(X, model=remembers))
    assert found["rows_without_experience"] == int((X["x"].abs() > 0.5).sum())
    assert found["outside_training"][0]["in_training"] == [-0.5, 0.5]
