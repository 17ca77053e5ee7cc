"""Scores are monotone where users ask for it, whatever the settings."""

import numpy as np
import pandas as pd
import pytest
from estimators.cases import ESTIMATORS, small_classifier_cv, small_regressor_cv
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.learning.boosting import Growth

COLUMNS = ("a", "b", "c", "d")
SETTINGS = {
    "oblique": {},
    "append": {"search": "oblique_append"},
    "axis": {"search": "axis"},
    "quantiles": {"search": "axis", "n_quantiles": 5},
    "integer": {"weights": "integer"},
    "logarithms": {"log_columns": ["a", "b", "c"]},
    "integer powers": {"log_columns": ["a", "b", "c"], "weights": "integer"},
    "separator": {"cut": "separator"},
    "objective": {"cut": "objective", "objective": "second_order"},
    "no validation": {"validation": None, "max_rules": 4},
    "paper": {"effort": "low", "objective": "gradient_sum", "cut": "separator"},
}
LOSSES = ("squared", "logistic", "poisson", "gamma", "tweedie")


def random_table(seed, n=90):
    """Three positive columns, two of them with gaps, and one of categories."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(np.exp(rng.normal(size=(n, 3))).round(1) + 0.1, columns=list("abc"))
    X.loc[rng.uniform(size=n) < 0.15, "b"] = np.nan
    X.loc[rng.uniform(size=n) < 0.15, "c"] = np.nan
    X["d"] = rng.choice(["red", "green", "blue"], n)
    signal = np.log(X["a"]) * rng.normal() - np.log(X["b"].fillna(1)) * rng.normal()
    signal += rng.normal() * (X["c"] > 1) * (X["d"] == "red") + 0.5 * rng.normal(size=n)
    return X, signal.to_numpy()


def all_scores(model, X):
    """The scores of the models of all sizes."""
    return np.array([stage.ensemble(X) for stage in model.stages_])


def require_monotone(model, X, directions, seed=0):
    """Move each constrained column of some rows along a grid, across all thresholds."""
    rng = np.random.default_rng(seed)
    rows = X.iloc[rng.integers(len(X), size=12)]
    for name, direction in directions.items():
        known = X[name].dropna()
        grid = np.unique([0.01, *known, *(known * 1.001), 2 * known.max()])
        moved = pd.concat([rows.assign(**{name: value}) for value in grid])
        scores = all_scores(model, moved).reshape(len(model.stages_), len(grid), len(rows))
        assert (direction * np.diff(scores, axis=1) >= 0).all(), (name, direction)


some_directions = st.fixed_dictionaries({name: st.sampled_from((-1, 0, 1)) for name in "abc"})


@pytest.mark.parametrize("setting", SETTINGS)
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6), directions=some_directions)
def test_scores_are_monotone(setting, seed, directions):
    X, y = random_table(seed)
    loss = LOSSES[seed % len(LOSSES)]
    parameters = {"max_complexity": 20, "selection": None, **SETTINGS[setting]}
    if loss == "logistic":
        model, y = LLTBoostClassifier(**parameters), y > np.median(y)
    else:
        model, y = LLTBoostRegressor(loss=loss, **parameters), y if loss == "squared" else np.exp(y)
    model.set_params(monotonic_cst=directions, random_state=seed % 7)
    require_monotone(model.fit(X, y), X, directions, seed)


@pytest.mark.parametrize("parameters", [{}, {"search_rows": 20}], ids=["all rows", "a sample"])
def test_sizes_and_penalties_that_are_chosen_stay_monotone(parameters):
    X, y = random_table(3, n=300)
    directions = {"a": 1, "b": 1, "c": 1}
    y = y + X["a"].to_numpy()
    model = LLTBoostRegressor(monotonic_cst=directions, **parameters).fit(X, y)
    assert len(model.ensemble_) > 0
    require_monotone(model, X, directions)


def test_models_of_cross_validation_are_monotone():
    X, y = random_table(4)
    directions = {"a": -1, "c": 1}
    for model in (small_regressor_cv(), small_regressor_cv(grow_once=False)):
        model.set_params(monotonic_cst=directions).fit(X, y)
        require_monotone(model, X, directions)
    classifier = small_classifier_cv(monotonic_cst=directions).fit(X, y > 0)
    require_monotone(classifier, X, directions)


def test_a_warm_start_drops_rules_that_a_new_constraint_rules_out():
    X, y = random_table(5)
    y = y - X["a"].to_numpy()
    model = LLTBoostRegressor(max_rules=8, warm_start=True, selection=None).fit(X, y)
    directions = {"a": 1, "b": -1, "c": -1}
    with pytest.raises(AssertionError):
        require_monotone(model, X, directions)
    require_monotone(
        model.set_params(monotonic_cst=directions, max_rules=9).fit(X, y), X, directions
    )


def test_a_sparse_table_is_monotone():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.5, size=(200, 5)).astype(float)
    y = dense[:, 0] - dense[:, 1] + rng.normal(size=200)
    directions = (-1, 0, 1, 1, 0)
    for search in ("axis", "oblique"):
        make = LLTBoostRegressor(monotonic_cst=directions, search=search, selection=None)
        model = make.fit(sparse.csr_matrix(dense), y)
        assert model.ensemble_ == make.fit(dense, y).ensemble_
        X = pd.DataFrame(dense, columns=[f"x{j}" for j in range(5)])
        require_monotone(model, X, {"x0": -1, "x2": 1, "x3": 1})


def test_where_the_truth_is_monotone_the_constraint_costs_nothing():
    """Of a rising truth, the risk is no higher with the constraint, over several seeds."""
    risks = {None: 0.0, (1, 1, -1): 0.0}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(1200, 3))
        truth = np.maximum(X[:, 0] + 0.5 * X[:, 1], 0) - np.tanh(X[:, 2])
        y = truth + rng.normal(size=len(X))
        for directions in risks:
            model = LLTBoostRegressor(monotonic_cst=directions, max_complexity=40)
            predicted = model.fit(X[:200], y[:200]).predict(X[200:])
            risks[directions] += float(np.mean((predicted - truth[200:]) ** 2))
    assert risks[1, 1, -1] < 1.05 * risks[None]


def test_growth_ends_where_new_rules_only_take_the_place_of_others(monkeypatch):
    """Two models of 14 rules alternated for ever."""
    rounds = 0
    revisit = Growth._revisit_rules

    def count(growth):
        nonlocal rounds
        rounds += 1
        assert rounds < 100
        revisit(growth)

    monkeypatch.setattr(Growth, "_revisit_rules", count)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4600, 6))
    y = 1.0 * (X[:, :3].sum(axis=1) > 0.5) + (X[:, 3] > X[:, 4]) + rng.normal(size=4600)
    model = LLTBoostRegressor(monotonic_cst=(1, 1, 1, 1, -1, 0), selection=None)
    assert len(model.fit(X[:600], y[:600]).ensemble_) > 5


@pytest.mark.parametrize("positive", ["ill", "well", None])
@pytest.mark.parametrize("direction", [1, -1])
def test_the_score_of_the_class_that_a_model_speaks_of_is_monotone(positive, direction):
    X, y = random_table(6)
    sick = np.where(y + X["a"].to_numpy() > 1, "ill", "well")
    make = LLTBoostClassifier(monotonic_cst={"a": direction}, positive=positive, selection=None)
    require_monotone(make.set_params(max_rules=4).fit(X, sick), X, {"a": direction})


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ([1, 0], "one entry for each of the 4 columns"),
        ({"e": 1}, "names 'e', which is not a column"),
        ({"a": 2}, "column 'a' must be −1, 0 or 1, found 2"),
        ({"d": 1}, "column 'd' holds categories"),
    ],
)
def test_a_bad_constraint_is_refused(estimator, constraint, message):
    X, y = random_table(0)
    with pytest.raises(ValueError, match=message):
        estimator(monotonic_cst=constraint).fit(X, y > 0)


@pytest.mark.parametrize("estimator", ESTIMATORS[::2])
def test_several_classes_are_refused(estimator):
    X, y = random_table(0)
    with pytest.raises(ValueError, match="found 3 classes"):
        estimator(monotonic_cst=[0, 0, 0, 0]).fit(X, np.digitize(y, [-0.5, 0.5]))


def test_positions_and_names_are_the_same():
    X, y = random_table(1)
    models = [
        LLTBoostRegressor(monotonic_cst=given, max_rules=3, selection=None).fit(X, y).ensemble_
        for given in ([1, 0, -1, 0], {"a": 1, "c": -1})
    ]
    assert models[0] == models[1]


@pytest.mark.parametrize("search", ["axis", "oblique"])
def test_zeros_are_no_constraint(search):
    X, y = random_table(2)
    models = [
        LLTBoostRegressor(monotonic_cst=given, search=search, max_rules=5).fit(X, y).ensemble_
        for given in ([0, 0, 0, 0], None)
    ]
    assert models[0] == models[1]
