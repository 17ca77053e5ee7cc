import pandas as pd
import pytest

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.lab.datasets import load
from sorb.lab.methods import METHODS
from sorb.lab.protocol import Protocol, run, splits
from sorb.rules import RuleEnsemble

QUICK = Protocol(reg_lambdas=(1.0,))
WITHOUT_RULES = {"NRE", "EBM", "Linear", "HGB"}
SLOW = {"RuleFit", "RFObTr", "BRS", "RiskScore"}  # their own tests are enough


def training_rows(dataset):
    """The table and the outcomes of the first repetition."""
    data = load(dataset)
    drawn = splits(len(data.y))[0].drawn
    return pd.DataFrame(data.X[drawn], columns=list(data.columns)), data.y[drawn]


@pytest.mark.parametrize("name", sorted(set(METHODS) - SLOW))
def test_each_method_does_what_it_says(name):
    method = METHODS[name]
    sweep = method.sweep("classification", 0)
    rows = run(load("iris"), method, 0, QUICK)
    assert rows[0]["step"] == 1
    assert [row["step"] for row in rows] == sorted({row["step"] for row in rows})
    assert all((row["reg_lambda"] == 1.0) == method.penalised for row in rows)
    # No plane separates the species in the middle from the two others.
    assert min(row["test_error"] for row in rows) < (0.9 if name == "Linear" else 0.5)
    if sweep.gives_probabilities:
        assert min(row["test_risk"] for row in rows) < (0.9 if name == "Linear" else 0.8)
    if name not in WITHOUT_RULES:
        assert RuleEnsemble.from_json(rows[0]["model"]).complexity == rows[0]["complexity"]


@pytest.mark.parametrize("name", ["sorb", "sorb-axis"])
def test_sorb_has_the_best_model_within_each_complexity(name):
    rows = run(load("iris"), METHODS[name], 0, QUICK)
    assert len(rows) > 10
    assert all(row["setting"] == f"max_complexity={row['step']}" for row in rows)
    # Where a model changes, it uses up what it may.
    assert all(row["complexity"] == row["step"] for row in rows[1:])
    assert rows[-1]["step"] <= 100
    assert min(row["train_risk"] for row in rows) < 0.2


def test_models_of_all_sizes_come_from_one_growth_beyond_them():
    rows = run(load("iris"), METHODS["sorb"], 0, QUICK)
    table, y = training_rows("iris")
    settings = {"max_complexity": 130, "selection": None, "reg_lambda": 1.0, "random_state": 0}
    grown = LLTBoostClassifier(**settings).fit(table, y)
    for row in rows:
        expected = grown.at(complexity=row["step"]).ensemble_
        assert RuleEnsemble.from_json(row["model"]).rules == expected.rules


def test_axis_parallel_rules_have_one_weight_in_a_proposition():
    for row in run(load("iris"), METHODS["sorb-axis"], 0, QUICK):
        for rule in RuleEnsemble.from_json(row["model"]):
            assert all(len(part.columns) == 1 for part in rule.condition.propositions)


@pytest.mark.parametrize("dataset", ["iris", "diabetes"])
def test_the_single_model_is_what_a_user_gets(dataset):
    make = LLTBoostClassifier if dataset == "iris" else LLTBoostRegressor
    expected = make(random_state=0).fit(*training_rows(dataset)).ensemble_
    (row,) = run(load(dataset), METHODS["sorb-model"], 0, Protocol())
    assert row["reg_lambda"] is None
    assert RuleEnsemble.from_json(row["model"]).rules == expected.rules


def test_sizes_may_differ_from_the_published_ones():
    settings = {
        published: [
            row["setting"]
            for row in run(load("diabetes"), METHODS["NRE"], 0, Protocol(as_published=published))
        ]
        for published in (False, True)
    }
    assert "max_depth=3" in settings[False]
    assert "max_depth=3" not in settings[True]
