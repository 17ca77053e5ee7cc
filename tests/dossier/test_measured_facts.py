"""Measures are those of sorb.performance, and groups are told of where they are large enough."""

import numpy as np
import pandas as pd
import pytest
from dossier.dossiers import rate_model

from sorb import performance
from sorb.dossier.measured_facts import measured_facts
from sorb.dossier.subject import Settings, Subject
from sorb.report.given_rows import GivenRows
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble


def facts_about(example, **settings):
    X, y = example.test
    ensemble = example.estimator.ensemble_
    return measured_facts(Subject.of(ensemble, GivenRows(X, y), "it", Settings(**settings)))


def group_facts(counts, **settings):
    """Facts about a model of one column with so many rows of each category."""
    labels = [label for label, count in counts.items() for _ in range(count)]
    table = pd.DataFrame({"g": labels})
    of_a = Rule(Condition((Membership("g", ("a",)),)), 1.0)
    model = RuleEnsemble(-0.5, (of_a,), ("g",), "logistic", ("no", "yes"))
    y = ["yes" if k % 3 else "no" for k in range(len(labels))]
    given = GivenRows(table, y)
    facts = measured_facts(Subject.of(model, given, "it", Settings(**settings)))
    return {group["part"]: group["rows"] for group in facts["subgroups"]}


def test_without_rows_columns_that_differ_by_few_rows_are_not_both_told():
    """Of 151 and 149 rows at the top, the difference would tell the outcomes of two rows."""
    months = np.random.default_rng(0).integers(240, 960, 600).astype(float)
    table = pd.DataFrame({"months": months, "root": 3 * np.sqrt(months), "other": months % 7})
    model = RuleEnsemble(0.0, (), tuple(table), "squared")
    given = GivenRows(table, months)
    for single_rows, told in ((True, ["months", "root", "other"]), (False, ["months", "other"])):
        settings = Settings(by=tuple(table), single_rows=single_rows)
        found = measured_facts(Subject.of(model, given, "it", settings))["subgroups"]
        assert list(dict.fromkeys(group["column"] for group in found)) == told


def test_a_group_is_called_worse_only_beyond_chance():
    table = pd.DataFrame({"g": ["a"] * 100 + ["b"] * 100 + ["c"] * 50})
    model = RuleEnsemble(0.0, (), ("g",), "squared")
    for of_c, worse in ((1.1, []), (3.0, ["c"])):
        y = np.tile([-2.0, -1.0, 0.0, 1.0, 2.0], 50) * np.repeat([1.0, of_c], [200, 50])
        subject = Subject.of(model, GivenRows(table, y), "it", Settings(by=("g",)))
        found = measured_facts(subject)["subgroups"]
        assert [group["part"] for group in found if group["clearly_worse"]] == worse


def test_performance_is_that_of_the_function(example):
    X, y = example.test
    expected = performance(example.estimator.ensemble_, X, y).to_dict()
    found = facts_about(example)["performance"]
    assert {name: found[name] for name in expected if name != "cutoff"} == {
        name: value for name, value in expected.items() if name != "cutoff"
    }


def test_the_cutoff_says_why_it_is_this_one(binary):
    assert facts_about(binary)["cutoff"]["reason"] == "the share of well"
    chosen = facts_about(binary, costs=(10.0, 1.0))["cutoff"]
    assert chosen["value"] == pytest.approx(1 / 11)
    assert chosen["reason"] == "a missed well costs 10 times a false alarm"


def test_subgroups_of_a_column_hold_all_rows_once(example):
    found = facts_about(example, min_rows=2)["subgroups"]
    assert found
    for column in {group["column"] for group in found}:
        rows = [group["rows"] for group in found if group["column"] == column]
        if None not in rows:
            assert sum(rows) == 60


def test_means_of_a_subgroup_are_those_of_its_rows(binary):
    X, y = binary.test
    group = next(g for g in facts_about(binary)["subgroups"] if g["part"] == "AB")
    of_group = X.group == "AB"
    assert group["observed"] == [pytest.approx((y[of_group] == "well").mean())]
    expected = binary.estimator.ensemble_.predict_proba(X[of_group])[:, 1].mean()
    assert group["expected"] == [pytest.approx(expected)]


def test_small_groups_are_not_told_of():
    assert group_facts({"a": 30, "b": 20, "c": 2, "d": 3}) == {
        "a": 30, "b": 20, "c": None, "d": None,
    }  # fmt: skip


def test_without_rows_rare_values_are_not_named():
    counts = {"a": 30, "b": 20, "c": 2, "d": 3}
    assert group_facts(counts, single_rows=False) == {"a": 30, "b": 20}


def test_the_total_does_not_tell_a_single_small_group():
    assert group_facts({"a": 30, "b": 20, "c": 3}) == {"a": 30, "b": None, "c": None}


def test_the_total_does_not_tell_of_small_groups_together():
    assert group_facts({"a": 30, "b": 20, "c": 1, "d": 2}) == {
        "a": 30, "b": None, "c": None, "d": None,
    }  # fmt: skip


def test_the_total_does_not_tell_a_small_group_of_calibration():
    x = np.repeat([0.0, 1.0, 2.0, 3.0], [30, 20, 2, 28])
    rules = [Rule(Condition((Proposition(("x",), (1.0,), at),)), 0.5) for at in (1.0, 2.0, 3.0)]
    model = RuleEnsemble(-1.0, rules, ("x",), "logistic", ("no", "yes"))
    given = GivenRows(x[:, None], ["yes" if k % 3 else "no" for k in range(80)])
    groups = measured_facts(Subject.of(model, given, "it", Settings()))["calibration"]["groups"]
    assert [group["rows"] for group in groups] in ([30, 22, 28], [30, None, None, 28])


def test_calibration_groups_hold_the_rows(binary):
    groups = facts_about(binary, min_rows=2)["calibration"]["groups"]
    assert sum(group["rows"] or 0 for group in groups) >= 58
    for group in groups:
        if group["rows"]:
            low, high = group["interval"]
            assert low <= group["observed"] <= high


def test_exposures_make_rates():
    model, X, y, exposure = rate_model()
    given = GivenRows(X, y, None, exposure)
    found = measured_facts(Subject.of(model, given, "claims", Settings()))
    [total] = found["calibration"]["in_total"]
    assert total["observed"] == pytest.approx(np.sum(y) / np.sum(exposure))
