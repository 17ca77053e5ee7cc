"""RuleFit on oblique trees."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_friedman2
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb import _kernels
from sorb.lab.rivals import oblique_forest, oblique_rulefit
from sorb.lab.rivals.oblique_rulefit import ObliqueRuleFitClassifier, ObliqueRuleFitRegressor
from sorb.learning.rows import Rows
from sorb.losses import Squared
from sorb.tables.training import regression_data

KINDS = {"classes": ObliqueRuleFitClassifier, "numbers": ObliqueRuleFitRegressor}
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def small_forest(monkeypatch):
    """The contract does not depend on how many trees there are."""
    monkeypatch.setattr(oblique_forest, "ROUNDS", 1)
    monkeypatch.setattr(oblique_forest, "MOST_COLUMNS", 2)


@parametrize_with_checks([ObliqueRuleFitClassifier(), ObliqueRuleFitRegressor()])
def test_estimator_checks(estimator, check, small_forest):
    check(estimator)


def table(kind):
    if kind == "classes":
        X, y = load_iris(return_X_y=True)
        return X, y == 1
    return make_friedman2(150, random_state=0, noise=20)


@every_kind
def test_one_rule_finds_an_oblique_border(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    above = X[:, 0] + X[:, 1] >= 0.5
    train, test = slice(400), slice(400, None)
    y = above if kind == "classes" else 3.0 * above + 0.1 * rng.normal(size=len(X))
    model = KINDS[kind](n_rules=1).fit(X[train], y[train])
    assert model.score(X[test], y[test]) > (0.97 if kind == "classes" else 0.85)
    (rule,) = model.ensemble_
    covered = rule.condition(X[test], model.ensemble_.columns)
    assert max((covered == above[test]).mean(), (covered != above[test]).mean()) > 0.97


@every_kind
def test_there_are_as_many_rules_as_asked_for(kind):
    X, y = table(kind)
    sizes = {
        learned.parameters["n_rules"]: len(learned.model)
        for learned in KINDS[kind]().path(X, y, n_rules=range(1, 16))
    }
    assert sizes == {size: size for size in range(1, 16)}


@every_kind
def test_the_path_gives_the_models_of_single_fits(kind):
    X, y = table(kind)
    grid = {"n_rules": [2, 5], "reg_lambda": [0.01, 1.0]}
    found = list(KINDS[kind]().path(X, y, **grid))
    assert [learned.parameters for learned in found] == [
        {"n_rules": r, "reg_lambda": penalty} for r in (2, 5) for penalty in (0.01, 1.0)
    ]
    for learned in found:
        assert KINDS[kind](**learned.parameters).fit(X, y).model_ == learned.model


@every_kind
def test_one_forest_serves_a_whole_path(kind, monkeypatch):
    grown = []

    def counted(*args):
        grown.append(args)
        return oblique_forest.forest_conditions(*args)

    monkeypatch.setattr(oblique_rulefit, "forest_conditions", counted)
    X, y = table(kind)
    found = list(KINDS[kind]().path(X, y, n_rules=[1, 2, 3], reg_lambda=[0.1, 1.0]))
    assert len(found) == 6
    assert len(grown) == 1


def test_the_time_of_a_model_holds_that_of_the_forest(monkeypatch):
    clock = [0.0]

    def slow(*args):
        clock[0] += 100.0
        return oblique_forest.forest_conditions(*args)

    def refit(*args):
        clock[0] += 1.0
        return kept(*args)

    kept = oblique_rulefit.refit
    monkeypatch.setattr(oblique_rulefit, "forest_conditions", slow)
    monkeypatch.setattr(oblique_rulefit, "refit", refit)
    monkeypatch.setattr(oblique_rulefit, "perf_counter", lambda: clock[0])
    X, y = table("classes")
    found = ObliqueRuleFitClassifier().path(X, y, n_rules=[1, 2], reg_lambda=[0.1, 1.0])
    assert [learned.seconds for learned in found] == [101.0] * 4


@pytest.mark.parametrize("reg_lambda", [1e-3, 1.0, 10.0])
def test_weights_are_those_of_ridge_regression(reg_lambda):
    X, y = table("numbers")
    model = ObliqueRuleFitRegressor(n_rules=6, reg_lambda=reg_lambda).fit(X, y)
    covered = model.ensemble_.covers(X).astype(float)
    ridge = Ridge(alpha=2 * reg_lambda).fit(covered, y)
    np.testing.assert_allclose(model.predict(X), ridge.predict(covered), rtol=1e-8)


@pytest.mark.parametrize("reg_lambda", [1e-3, 1.0, 10.0])
def test_weights_are_those_of_logistic_regression(reg_lambda):
    X, y = table("classes")
    model = ObliqueRuleFitClassifier(n_rules=6, reg_lambda=reg_lambda).fit(X, y)
    covered = model.ensemble_.covers(X).astype(float)
    logistic = LogisticRegression(C=1 / (2 * reg_lambda), tol=1e-10, max_iter=10_000)
    expected = logistic.fit(covered, y).decision_function(covered)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-4)


@every_kind
def test_the_same_random_state_gives_the_same_model(kind):
    X, y = table(kind)
    models = [
        KINDS[kind](n_rules=3, random_state=state).fit(X, y).model_
        for state in (7, 7, 8, np.random.RandomState(7))
    ]
    assert models[0] == models[1] == models[3]
    assert models[0] != models[2]


@every_kind
def test_the_order_of_the_rows_does_not_matter(kind):
    X, y = table(kind)
    order = np.random.default_rng(0).permutation(len(X))
    first = KINDS[kind](n_rules=3).fit(X, y).predict(X)
    np.testing.assert_allclose(KINDS[kind](n_rules=3).fit(X[order], y[order]).predict(X), first)


def test_no_two_rules_divide_the_rows_alike():
    X, y = make_friedman2(40, random_state=1)
    data = regression_data(ObliqueRuleFitRegressor(), X, y, None, Squared())
    rows = Rows.of(data)
    pool = oblique_rulefit._Pool.from_forest(data, rows, np.random.default_rng(0))
    sides = {tuple(np.where(column[0], column, ~column).tolist()) for column in pool.covered.T}
    assert len(sides) == len(pool.conditions) > 20
    simplest: dict[int, int] = {}
    for condition, covered in oblique_forest.forest_conditions(
        rows, False, np.random.default_rng(0)
    ):
        key = _kernels.division(covered)
        simplest[key] = min(condition.complexity, simplest.get(key, 10**9))
    for condition, covered in zip(pool.conditions, pool.covered.T, strict=True):
        np.testing.assert_array_equal(covered, rows.covered_by(condition))
        assert condition.complexity == simplest.pop(_kernels.division(covered.copy()))
    assert not simplest


def steps():
    """A column of three values has two ways to divide the rows, and no third."""
    x = np.repeat([0.0, 1.0, 2.0], 20)
    return x[:, None], np.tile([0.0, 1.0], 30) + 2 * x


@pytest.mark.parametrize(
    ("asked", "given"), [([1, 2, 3, 4], [1, 2]), ([1, 5, 7], [1, 5]), ([9, 8], [9]), ([2], [2])]
)
def test_sizes_beyond_the_last_rule_give_the_largest_model_once(asked, given):
    X, y = steps()
    found = list(ObliqueRuleFitRegressor().path(X, y, n_rules=asked))
    assert [learned.parameters["n_rules"] for learned in found] == given
    assert [len(learned.model) for learned in found] == [min(size, 2) for size in given]


@pytest.mark.parametrize("X", [np.ones((30, 2)), np.zeros((30, 1))])
def test_without_anything_to_divide_by_the_model_is_constant(X):
    y = np.arange(30.0)
    model = ObliqueRuleFitRegressor().fit(X, y)
    assert len(model.ensemble_) == 0
    np.testing.assert_allclose(model.predict(X), 14.5)


def test_rules_are_in_the_units_of_the_table():
    X, y = steps()
    model = ObliqueRuleFitRegressor(n_rules=2, reg_lambda=0).fit(1000 + 10 * X, y)
    thresholds = {abs(p.threshold) for rule in model.ensemble_ for p in rule.condition.propositions}
    assert thresholds == {1005.0, 1015.0}
    np.testing.assert_allclose(model.predict([[1000.0], [1010.0], [1020.0]]), [0.5, 2.5, 4.5])


@pytest.mark.parametrize("parameter", [{"n_rules": 0}, {"n_rules": 1.5}, {"reg_lambda": -1.0}])
def test_parameters_are_checked(parameter):
    X, y = steps()
    with pytest.raises(ValueError, match=next(iter(parameter))):
        ObliqueRuleFitRegressor(**parameter).fit(X, y)
