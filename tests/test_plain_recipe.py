import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from sorb.lab.datasets import load

PATH = Path(__file__).parents[1] / "benchmarks" / "plain_recipe.py"


@pytest.fixture(scope="module")
def recipe():
    spec = importlib.util.spec_from_file_location("plain_recipe", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_risk_falls_and_complexity_grows(recipe, name):
    data = load(name)
    stages = recipe.fit_plain(data.X, data.y, data.task, max_rules=3, reg_lambda=1e-3)
    risks = [stage.train_risk for stage in stages]
    assert len(stages) == 4
    assert risks[-1] < 0.7 * risks[0]
    assert np.diff(risks).max() <= 1e-3 * risks[0]  # but for what λ and the solvers allow
    steps = np.diff([stage.complexity for stage in stages])
    # one rule, at least one proposition of one variable; at most five of each
    assert ((steps >= 3) & (steps <= 11)).all()


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_train_risk_is_that_of_the_decisions(recipe, name):
    data = load(name)
    for stage in recipe.fit_plain(data.X, data.y, data.task, max_rules=2, reg_lambda=1e-3):
        found = recipe.risk(data.y, stage.decide(data.X), data.task)
        assert found == pytest.approx(stage.train_risk)


def test_the_same_seed_gives_the_same_model(recipe):
    data = load("iris")
    fits = [recipe.fit_plain(data.X, data.y, data.task, 2, 1e-3, seed=7) for _ in range(2)]
    assert np.array_equal(fits[0][-1].decide(data.X), fits[1][-1].decide(data.X))


def test_complexity_counts_rules_propositions_and_variables(recipe):
    one = recipe.Proposition(np.array([0]), np.array([1.0]), 0.0)
    two = recipe.Proposition(np.array([0, 1]), np.array([1.0, -1.0]), 0.0)
    assert recipe.complexity((one,)) == 3
    assert recipe.complexity((one, two)) == 6


def test_copies_of_a_row_stay_together(recipe):
    rng = np.random.default_rng(0)
    groups = rng.integers(20, size=100)
    for _ in range(10):
        bag, out = recipe._bootstrap(groups, np.zeros(100), "regression", rng)
        assert not set(groups[bag]) & set(groups[out])
        assert set(bag) | set(out) == set(range(100))


@pytest.mark.parametrize("sparsity", [1, 2, 3])
def test_separator_has_the_sparsity_asked_for(recipe, sparsity):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(500, 6))
    gradient = Z @ [3, 2, 1, 0, 0, 0] + rng.logistic(size=500)
    found = recipe._separator(Z, gradient, sparsity)
    assert sorted(found.columns) == list(range(sparsity))


def test_separator_is_the_unpenalised_one_on_its_support(recipe):
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(400, 3))
    gradient = rng.uniform(size=400) - expit(2 * Z[:, 0] - 1)
    found = recipe._separator(Z, gradient, 1)
    model = LogisticRegression(C=np.inf, tol=1e-8).fit(
        Z[:, found.columns], gradient >= 0, sample_weight=np.abs(gradient)
    )
    direction = found.threshold / found.weights[0]
    assert direction == pytest.approx(-model.intercept_[0] / model.coef_[0, 0], abs=1e-2)


def test_intercept_of_the_separator_is_not_penalised(recipe):
    # Nearly all rows are positive: a penalised intercept would let noise columns in first.
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(1000, 5)) + 3
    gradient = np.where(Z[:, 2] + 0.5 * rng.normal(size=1000) > 1.5, 1.0, -1.0)
    assert recipe._separator(Z, gradient, 1).columns.tolist() == [2]


def test_separable_rows_end(recipe):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    stages = recipe.fit_plain(X, y, "classification", max_rules=2, reg_lambda=1e-10)
    assert stages[-1].train_risk < 0.2 * stages[0].train_risk


def test_constant_and_duplicate_columns_end(recipe):
    rng = np.random.default_rng(5)
    x = rng.normal(size=120)
    X = np.column_stack([x, x, np.ones(120), -2 * x])
    y = np.abs(x) + 0.1 * rng.normal(size=120)
    stages = recipe.fit_plain(X, y, "regression", max_rules=2, reg_lambda=1e-3)
    assert stages[-1].train_risk < 0.8 * stages[0].train_risk


def test_nothing_to_learn_means_no_rule(recipe):
    X = np.ones((30, 2))
    y = np.arange(30.0)
    assert len(recipe.fit_plain(X, y, "regression", max_rules=2, reg_lambda=1e-3)) == 1
