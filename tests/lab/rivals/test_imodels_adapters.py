"""Models of other libraries predict as rule ensembles what they predict themselves."""

import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import imodels
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb.lab.rivals.gradient_boosted_trees import (
    GradientBoostedTreesClassifier,
    GradientBoostedTreesRegressor,
)
from sorb.lab.rivals.imodels_adapters import (
    ImodelsBoostedRulesClassifier,
    ImodelsFIGSClassifier,
    ImodelsFIGSRegressor,
    ImodelsRuleFitClassifier,
    ImodelsRuleFitRegressor,
    _undisturbed,
)
from sorb.lab.rivals.trees_as_rules import AdditiveModel, Bound, float32_threshold, leaves_of
from sorb.losses import Squared
from sorb.tables.training import regression_data

SEED = 5
N_TREES = 6


def table(seed=0, n_rows=150):
    """Columns of different kinds: coarse, tiny, large, and one that is constant."""
    random = np.random.default_rng(seed)
    normal = random.normal(size=(n_rows, 3))
    X = np.column_stack(
        [normal[:, 0], np.round(normal[:, 1]), 1e-6 * normal[:, 2], random.random(n_rows) * 1e7]
    )
    f = normal[:, 0] + normal[:, 1] * (normal[:, 2] > 0) + X[:, 3] / 1e7
    return np.column_stack([X, np.ones(n_rows)]), f + 0.3 * random.normal(size=n_rows)


def unseen(X):
    """New rows, and rows exactly on the values that were learned from."""
    random = np.random.default_rng(9)
    return np.concatenate([X, np.column_stack([random.permutation(column) for column in X.T])])


def learned_seed():
    return np.random.RandomState(SEED).randint(np.iinfo(np.int32).max)


def fitted_by_imodels(learner, X, y, **parameters):
    """What a user gets who calls imodels, and knows that it draws from the global numbers."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(learned_seed())  # noqa: NPY002
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = learner(random_state=learned_seed(), **parameters).fit(X, y)
    np.random.set_state(state)  # noqa: NPY002
    return result


RULEFIT = {"n_estimators": N_TREES, "include_linear": False, "cv": False}


@pytest.mark.parametrize(
    ("adapter", "learner", "parameters"),
    [
        (
            ImodelsFIGSClassifier(max_rules=size, random_state=SEED),
            imodels.FIGSClassifier,
            {"max_rules": size},
        )
        for size in (1, 7)
    ]
    + [
        (
            ImodelsRuleFitClassifier(max_rules=size, n_estimators=N_TREES, random_state=SEED),
            imodels.RuleFitClassifier,
            {"max_rules": size, **RULEFIT},
        )
        for size in (6, 12)
    ]
    + [
        (
            ImodelsBoostedRulesClassifier(n_estimators=size, random_state=SEED),
            imodels.BoostedRulesClassifier,
            {"n_estimators": size},
        )
        for size in (1, 20)
    ],
)
def test_log_odds_are_those_of_imodels(adapter, learner, parameters):
    X, f = table()
    # The numbers 0 and 1 for imodels, whose boosted rules vote for no other labels.
    theirs = fitted_by_imodels(learner, X, (f > 0.5).astype(int), **parameters)
    ours = adapter.fit(X, np.where(f > 0.5, "yes", "no"))
    rows = unseen(X)
    np.testing.assert_allclose(
        ours.decision_function(rows), logit(theirs.predict_proba(rows)[:, 1]), atol=1e-9
    )
    np.testing.assert_array_equal(ours.predict(rows) == "yes", theirs.predict(rows) == 1)
    assert len(ours.model_) > 0


@pytest.mark.parametrize("scale", [1e-7, 1e7])
@pytest.mark.parametrize(
    ("adapter", "learner", "parameters"),
    [
        (
            ImodelsFIGSRegressor(max_rules=9, random_state=SEED),
            imodels.FIGSRegressor,
            {"max_rules": 9},
        ),
        (
            ImodelsRuleFitRegressor(max_rules=8, n_estimators=N_TREES, random_state=SEED),
            imodels.RuleFitRegressor,
            {"max_rules": 8, **RULEFIT},
        ),
    ],
)
def test_predictions_are_those_of_imodels(adapter, learner, parameters, scale):
    X, f = table()
    y = scale * (f + 3)
    standardised = (y - y.mean()) / y.std()
    theirs = fitted_by_imodels(learner, X, standardised, **parameters)
    ours = adapter.fit(X, y)
    rows = unseen(X)
    expected = theirs.predict(rows) * y.std() + y.mean()
    np.testing.assert_allclose(ours.predict(rows), expected, rtol=1e-9, atol=1e-9 * scale)
    assert len(ours.model_) > 0


def test_real_data_in_single_precision():
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32)
    theirs = fitted_by_imodels(imodels.BoostedRulesClassifier, X, y > 150, n_estimators=9)
    ours = ImodelsBoostedRulesClassifier(n_estimators=9, random_state=SEED).fit(X, y > 150)
    np.testing.assert_allclose(
        ours.decision_function(X), logit(theirs.predict_proba(X)[:, 1]), atol=1e-12
    )


def test_a_stump_is_one_rule():
    X, f = table()
    votes = ImodelsBoostedRulesClassifier(n_estimators=1).fit(X, f > 0)
    assert votes.complexity_ == 3
    tree = ImodelsFIGSRegressor(max_rules=1).fit(X, f)
    assert tree.complexity_ == 3


def test_sizes_are_kept():
    X, f = table()
    for adapter, size in (
        (ImodelsRuleFitRegressor(n_estimators=N_TREES), "max_rules"),
        (ImodelsBoostedRulesClassifier(), "n_estimators"),
        (ImodelsFIGSClassifier(), "max_rules"),
    ):
        y = f > 0 if is_classifier(adapter) else f
        path = list(adapter.path(X, y, **{size: [1, 4, 8]}))
        assert [learned.parameters for learned in path] == [{size: 1}, {size: 4}, {size: 8}]
        assert all(len(learned.model) <= learned.parameters[size] for learned in path)
        assert all(learned.seconds > 0 for learned in path)
        complexities = [learned.model.complexity for learned in path]
        assert complexities == sorted(complexities)


def test_numbers_drawn_by_others_are_not_disturbed():
    X, f = table()
    state = np.random.mtrand._rand.get_state()
    first = ImodelsRuleFitRegressor(max_rules=3, n_estimators=5).fit(X, f).model_
    after = np.random.mtrand._rand.get_state()
    assert all(np.array_equal(a, b) for a, b in zip(state, after, strict=True))
    assert ImodelsRuleFitRegressor(max_rules=3, n_estimators=5).fit(X, f).model_ == first


def test_equally_good_splits_are_chosen_by_the_seed():
    X = np.tile(np.arange(40.0)[:, None], (1, 6))
    y = np.arange(40) > 12
    models = [
        ImodelsFIGSClassifier(max_rules=1, random_state=seed).fit(X, y).model_
        for seed in (0, 0, *range(1, 12))
    ]
    assert models[0] == models[1]
    assert len({model.used_columns for model in models}) > 1


@pytest.mark.parametrize(
    "adapter",
    [
        ImodelsFIGSClassifier(),
        ImodelsRuleFitClassifier(n_estimators=5),
        ImodelsBoostedRulesClassifier(),
        ImodelsFIGSRegressor(),
        ImodelsRuleFitRegressor(n_estimators=5),
    ],
    ids=lambda adapter: type(adapter).__name__,
)
def test_without_columns_that_tell_anything_the_model_is_constant(adapter):
    X = np.ones((30, 2))
    y = np.arange(30) < 20
    model = adapter.fit(X, y).model_
    assert len(model) == 0
    np.testing.assert_allclose(
        model.offset, logit(2 / 3) if hasattr(adapter, "classes_") else 2 / 3
    )


def test_stumps_that_are_no_better_than_chance_are_no_rules():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    y = X[:, 0] != X[:, 1]
    assert len(ImodelsBoostedRulesClassifier().fit(X, y).model_) == 0


def test_other_errors_of_imodels_are_shown(monkeypatch):
    def broken(*arguments, **parameters):
        raise ValueError("something else")

    monkeypatch.setattr(imodels.BoostedRulesClassifier, "fit", broken)
    X, f = table()
    with pytest.raises(ValueError, match="something else"):
        ImodelsBoostedRulesClassifier().fit(X, f > 0)


def test_without_imodels_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "imodels", None)
    X, f = table()
    with pytest.raises(ImportError, match=r'pip install "sorb\[lab\]"'):
        ImodelsFIGSRegressor().fit(X, f)


@given(st.floats(-1e30, 1e30), st.integers(-3, 3))
def test_thresholds_of_rounded_columns(threshold, steps):
    limit = float32_threshold(threshold)
    value = limit
    for _ in range(abs(steps)):
        value = np.nextafter(value, np.sign(steps) * np.inf)
    assert (np.float32(value) <= threshold) == (value <= limit)


def problem_of(X, y):
    return regression_data(DecisionTreeRegressor(), X, y, None, Squared())


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_leaves_of_a_tree_predict_what_it_predicts(depth):
    X, f = table()
    tree = DecisionTreeRegressor(max_depth=depth).fit(X, f)
    leaves = leaves_of(tree.tree_, tree.tree_.value[:, 0, 0])
    ensemble = AdditiveModel(trees=[leaves]).to_ensemble(problem_of(X, f))
    assert len(ensemble) == tree.get_n_leaves() - 1
    np.testing.assert_allclose(ensemble(unseen(X)), tree.predict(unseen(X)), atol=1e-12)


def test_leaves_of_a_tree_that_does_not_split():
    tree = DecisionTreeClassifier().fit(np.ones((3, 1)), [0, 0, 1])
    assert leaves_of(tree.tree_, tree.tree_.value[:, 0, 1]) == [((), pytest.approx(1 / 3))]


def test_votes_are_added_scaled_and_shifted():
    X = np.array([[0.0], [1.0], [2.0]])
    data = problem_of(X, X[:, 0])
    low, high = Bound(0, 1.0, above=False), Bound(0, 1.0, above=True)
    votes = AdditiveModel(1.0, [((high,), 10.0), ((), 0.5)], [[((low,), 2.0), ((high,), 3.0)]])
    np.testing.assert_allclose(votes.to_ensemble(data)(X), [3.5, 3.5, 14.5])
    np.testing.assert_allclose(votes.to_ensemble(data, 100.0, 2.0)(X), [107, 107, 129])


def test_paths_that_no_row_can_follow_are_left_out():
    X = np.array([[0.0], [1.0]])
    never = (Bound(0, 0.5, above=False), Bound(0, 0.5, above=True))
    ensemble = AdditiveModel(1.0, [(never, 5.0)]).to_ensemble(problem_of(X, X[:, 0]))
    assert len(ensemble) == 0
    assert ensemble.offset == 1.0


@pytest.mark.parametrize("n_rows", [15, 150])
def test_gradient_boosted_trees_are_scikit_learns(n_rows):
    X, f = table(n_rows=n_rows)
    parameters = {"max_iter": 25, "early_stopping": n_rows > 100, "random_state": 3}
    regressor = HistGradientBoostingRegressor(**parameters).fit(X, f)
    classifier = HistGradientBoostingClassifier(**parameters).fit(X, f > 0.5)
    ours = GradientBoostedTreesRegressor(max_trees=25, random_state=3).fit(X, f)
    np.testing.assert_array_equal(ours.predict(X), regressor.predict(X))
    ours = GradientBoostedTreesClassifier(max_trees=25, random_state=3).fit(X, f > 0.5)
    np.testing.assert_array_equal(ours.decision_function(X), classifier.decision_function(X))


def test_gradient_boosted_trees_have_no_size_but_a_number():
    X, f = table()
    trees = GradientBoostedTreesRegressor()
    path = list(trees.path(X, f, max_trees=[1, 6]))
    assert [learned.model.complexity for learned in path] == [None, None]
    assert path[0].model.describe() == "A sum of 1 gradient-boosted tree"
    assert path[1].model.describe() == "A sum of 6 gradient-boosted trees"
    assert trees.fit(X, f).complexity_ is None
    assert 6 < trees.model_.estimator.n_iter_ < 1000


def test_threads_do_not_disturb_each_other():
    def draw(seed):
        with _undisturbed(seed):
            time.sleep(0.01)
            return np.random.random()  # noqa: NPY002

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(draw, range(8)))
    assert together == [draw(seed) for seed in range(8)]


@pytest.fixture
def one_penalty(monkeypatch):
    """RuleFit tries a hundred penalties; the contract does not depend on which one it takes."""

    def choose(X, y, rules, prediction_task, **others):
        return 0.01 if prediction_task == "regression" else 1.0

    monkeypatch.setattr("imodels.util.score.get_best_alpha_under_max_rules", choose)


@parametrize_with_checks(
    [
        ImodelsFIGSClassifier(max_rules=2),
        ImodelsFIGSRegressor(max_rules=2),
        ImodelsRuleFitClassifier(n_estimators=3),
        ImodelsRuleFitRegressor(n_estimators=3),
        ImodelsBoostedRulesClassifier(n_estimators=3),
        GradientBoostedTreesClassifier(max_trees=5),
        GradientBoostedTreesRegressor(max_trees=5),
    ]
)
def test_estimator_checks(estimator, check, one_penalty):
    check(estimator)
