"""Models of other libraries predict as rule ensembles what they predict themselves."""

import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import imodels
import numpy as np
import pytest
from lab.rivals.random_tables import table, unseen
from scipy.special import logit
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb.lab.rivals.gradient_boosted_trees import (
    GradientBoostedTreesClassifier,
    GradientBoostedTreesRegressor,
)
from sorb.lab.rivals.imodels_rival import undisturbed
from sorb.lab.rivals.imodels_rules import (
    ImodelsRiskScoreClassifier,
    ImodelsRuleFitClassifier,
    ImodelsRuleFitRegressor,
)
from sorb.lab.rivals.imodels_trees import (
    ImodelsBoostedRulesClassifier,
    ImodelsFIGSClassifier,
    ImodelsFIGSRegressor,
    ImodelsTaoClassifier,
    ImodelsTaoRegressor,
)

SEED = 5
N_TREES = 6


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
    with pytest.raises(ImportError, match=r'pip install .*\[lab\]"'):
        ImodelsFIGSRegressor().fit(X, f)


def test_threads_do_not_disturb_each_other():
    def draw(seed):
        with undisturbed(seed):
            time.sleep(0.01)
            return np.random.random()  # noqa: NPY002

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(draw, range(8)))
    assert together == [draw(seed) for seed in range(8)]


@pytest.fixture(scope="module")
def uncompiled():
    """Run the search for risk scores as plain Python: compiling it takes minutes."""
    import numba
    from imodels.algebraic.risk_score import solver

    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):
        patch.setattr(numba.config, "DISABLE_JIT", True)
        patch.setattr(solver, "_WARM", [True])
        solver._jit()
        yield


@pytest.mark.parametrize("size", [1, 3])
def test_a_risk_score_has_the_log_odds_of_imodels(uncompiled, size):
    X, f = table(n_rows=80)
    X[:, 1] = X[:, 1] > 0
    theirs = imodels.FastRiskScoreClassifier(k=size, n_thresholds=4).fit(X, f > 0.5)
    ours = ImodelsRiskScoreClassifier(max_conditions=size, n_thresholds=4).fit(X, f > 0.5)
    rows = unseen(X)
    np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows))
    assert ours.complexity_ == 3 * len(theirs.points_) == 3 * size


def test_a_column_of_two_values_can_have_points(uncompiled):
    X = np.array([[0.0, 1.0], [0.0, 2.0], [7.0, 3.0], [7.0, 4.0], [7.0, 2.0], [0.0, 3.0]] * 5)
    model = ImodelsRiskScoreClassifier(max_conditions=1).fit(X, X[:, 0] > 1).model_
    np.testing.assert_array_equal(model.covers(X)[:, 0], X[:, 0] == 7)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_an_improved_tree_is_that_of_imodels(size):
    X, f = table()
    arguments = {"max_leaf_nodes": size, "random_state": learned_seed()}
    theirs = imodels.TaoTreeClassifier(model_args=arguments).fit(X, f > 0.5).model
    ours = ImodelsTaoClassifier(max_leaves=size, random_state=SEED).fit(X, f > 0.5)
    leaf = theirs.apply(X)
    for number in np.unique(leaf):
        ones, rows = (f[leaf == number] > 0.5).sum(), (leaf == number).sum()
        scores = ours.decision_function(X[leaf == number])
        np.testing.assert_allclose(scores, np.log((ones + 1) / (rows - ones + 1)))


@pytest.mark.filterwarnings("ignore:TAO regression is experimental")
def test_an_improved_tree_for_numbers_is_that_of_imodels():
    X, f = table()
    arguments = {"max_leaf_nodes": 6, "random_state": learned_seed()}
    standardised = (f - f.mean()) / f.std()
    theirs = imodels.TaoTreeRegressor(model_args=arguments).fit(X, standardised)
    ours = ImodelsTaoRegressor(max_leaves=6, random_state=SEED).fit(X, f)
    rows = unseen(X)
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows) * f.std() + f.mean())


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
        ImodelsRiskScoreClassifier(max_conditions=2, n_thresholds=2),
        ImodelsTaoClassifier(max_leaves=3),
        ImodelsTaoRegressor(max_leaves=3),
        GradientBoostedTreesClassifier(max_trees=5),
        GradientBoostedTreesRegressor(max_trees=5),
    ]
)
def test_estimator_checks(estimator, check, one_penalty, uncompiled):
    check(estimator)
