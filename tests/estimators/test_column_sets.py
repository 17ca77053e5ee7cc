"""Which columns rules use together, and what columns cost, whatever the settings."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from estimators.cases import ESTIMATORS, small_classifier_cv, small_regressor_cv
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from sorb import LLTBoostClassifier, LLTBoostRegressor

NAMES = ("a", "b", "c", "d", "e")
SEARCHES = {
    "oblique": {},
    "append": {"search": "oblique_append"},
    "axis": {"search": "axis"},
    "integer": {"weights": "integer"},
    "logarithms": {"log_columns": ["a", "b"]},
    "no validation": {"validation": None, "max_rules": 4},
}
every_search = pytest.mark.parametrize("parameters", SEARCHES.values(), ids=SEARCHES)
some_groups = st.lists(st.sets(st.sampled_from(NAMES), min_size=1), min_size=1, max_size=8)


def random_table(seed, n=120):
    """Four columns of numbers, one of them with gaps, and one of categories."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(np.exp(rng.normal(size=(n, 4))), columns=list(NAMES[:4]))
    X.loc[rng.uniform(size=n) < 0.2, "c"] = np.nan
    X["e"] = rng.choice(["x", "y", "z"], n)
    y = np.log(X["a"] / X["b"]) + (X["e"] == "x") * (X["d"] > 1) - X["c"].isna()
    return X, (y + 0.5 * rng.normal(size=n)).to_numpy()


def used_sets(model):
    return {frozenset(r.condition.columns) for stage in model.stages_ for r in stage.ensemble}


@every_search
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6), groups=some_groups)
def test_the_columns_of_a_rule_are_in_one_group(parameters, seed, groups):
    X, y = random_table(seed)
    model = LLTBoostRegressor(interaction_cst=groups, **{"max_complexity": 20, **parameters})
    used = used_sets(model.set_params(selection=None).fit(X, y))
    rest = set(NAMES).difference(*groups)
    assert used
    assert all(any(columns <= group for group in [*groups, rest]) for columns in used)


@every_search
@pytest.mark.parametrize(("words", "most"), [("no_interactions", 1), ("pairwise", 2)])
def test_a_rule_uses_at_most_so_many_columns(parameters, words, most):
    X, y = random_table(1)
    model = LLTBoostClassifier(interaction_cst=words, **{"max_complexity": 30, **parameters})
    used = used_sets(model.set_params(selection=None).fit(X, y > 0))
    assert max(map(len, used)) == most


def test_models_of_cross_validation_keep_to_the_groups():
    X, y = random_table(2)
    for model in (small_regressor_cv(), small_regressor_cv(grow_once=False)):
        used = used_sets(model.set_params(interaction_cst=[["a", "b"]]).fit(X, y))
        assert all(columns <= {"a", "b"} or not columns & {"a", "b"} for columns in used)


def test_groups_by_name_and_by_position_are_the_same():
    X, y = random_table(3)
    models = [
        LLTBoostRegressor(interaction_cst=groups, max_rules=3, selection=None).fit(X, y).ensemble_
        for groups in ([[0, 1], [2, 3, 4]], [{"a", "b"}], ([4, 3, 2], ("b", "a")))
    ]
    assert models[0] == models[1] == models[2]


@every_search
def test_one_group_of_all_columns_is_no_constraint(parameters):
    X, y = random_table(4)
    parameters = {"max_complexity": 30, "selection": None, **parameters}
    models = [
        LLTBoostRegressor(interaction_cst=groups, **parameters).fit(X, y).ensemble_
        for groups in (None, [list(NAMES)])
    ]
    assert models[0] == models[1]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"interaction_cst": [["a", "f"]]}, "interaction_cst names 'f', which is not a column"),
        ({"interaction_cst": [[0, 5]]}, "positions from 0 to 4, found 5"),
        ({"interaction_cst": ["ab"]}, "found 'ab' in place of a group"),
        ({"interaction_cst": [1, 2]}, "found 1 in place of a group"),
        ({"column_prices": {"f": 1}}, "column_prices names 'f', which is not a column"),
        ({"column_prices": {"a": -1}}, "price of column 'a' must be from 0 to 1000"),
        ({"column_prices": {"a": "cheap"}}, "infinite so that it is never used, found 'cheap'"),
        ({"column_prices": {"a": math.nan}}, "price of column 'a'"),
    ],
)
def test_what_is_no_group_or_price_is_refused(estimator, parameters, message):
    X, y = random_table(0)
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(X, y > 0)


# ---- prices -------------------------------------------------------------------------------------


def price_of(ensemble, prices):
    names = {name for rule in ensemble for name in rule.condition.columns}
    return sum(prices.get(name, 0) for name in names)


@every_search
@settings(max_examples=3)
@given(
    seed=st.integers(0, 10**6),
    prices=st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0, 0.5, 3, 7.25, math.inf])),
)
def test_a_column_is_paid_once_for_each_model(parameters, seed, prices):
    X, y = random_table(seed)
    parameters = {"max_complexity": 25, "selection": None, **parameters}
    model = LLTBoostRegressor(column_prices=prices, **parameters).fit(X, y)
    for stage in model.stages_:
        price = price_of(stage.ensemble, prices)
        assert stage.complexity == stage.ensemble.complexity + math.ceil(price) <= 25
    assert model.complexity_ == model.stages_[-1].complexity


def test_smaller_sizes_of_a_fit_have_their_own_price():
    X, y = random_table(5)
    model = LLTBoostRegressor(column_prices={"a": 4}, selection=None).fit(X, y)
    for budget in (0, 5, 12, 30):
        smaller = model.at(complexity=budget)
        price = price_of(smaller.ensemble_, {"a": 4})
        assert smaller.complexity_ == smaller.ensemble_.complexity + price <= budget


@every_search
def test_prices_of_zero_change_nothing(parameters):
    X, y = random_table(6)
    parameters = {"max_complexity": 30, "selection": None, **parameters}
    models = [
        LLTBoostRegressor(column_prices=prices, **parameters).fit(X, y).ensemble_
        for prices in (None, dict.fromkeys(NAMES, 0))
    ]
    assert models[0] == models[1]


@pytest.mark.parametrize("search", ["oblique", "axis"])
def test_of_two_equal_columns_the_free_one_is_used(search):
    """The search meets the priced one first, and so has to look for the other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    copy = X[:, 0] + 0.01 * rng.normal(size=300)
    y = 2.0 * (X[:, 0] > 0) + rng.normal(size=300)
    X = pd.DataFrame(np.column_stack([X, copy]), columns=["lab", "b", "c", "question"])
    free = LLTBoostRegressor(search=search).fit(X, y).ensemble_
    assert "lab" in {name for rule in free for name in rule.condition.columns}
    model = LLTBoostRegressor(column_prices={"lab": 5}, search=search).fit(X, y)
    assert {name for rule in model.ensemble_ for name in rule.condition.columns} >= {"question"}
    assert model.complexity_ == model.ensemble_.complexity


def test_folds_pay_as_well():
    X, y = random_table(7)
    prices = {"a": 3, "b": 3}
    model = small_classifier_cv(column_prices=prices).fit(X, y > 0)
    assert model.complexity_ == model.ensemble_.complexity + price_of(model.ensemble_, prices)


@pytest.mark.parametrize("seed", [0, 1])
def test_lazy_frames_obey_all_constraints_together_as_tables_in_memory_do(seed):
    random = np.random.default_rng(seed)
    X = pd.DataFrame({name: random.normal(size=150).round(1) for name in "abcd"})
    X.loc[::9, "b"] = np.nan
    y = np.where(X["a"] - X["c"] + random.normal(size=150) > 0, "ill", "well")
    model = LLTBoostClassifier(
        max_rules=2,
        monotonic_cst={"a": -1},
        interaction_cst=[["a", "b"], ["c", "d"]],
        column_prices={"a": 0.7, "c": 1.5},
    )
    in_memory = clone(model).fit(X, y).ensemble_
    lazily = clone(model).fit(pl.from_pandas(X.assign(y=y)).lazy(), "y").ensemble_
    assert len(in_memory) > 0
    assert lazily == in_memory
