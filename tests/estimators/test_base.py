from itertools import combinations, pairwise

import numpy as np
import pytest
from estimators.cases import CROSS_VALIDATED, ESTIMATORS, SINGLE, every_loss
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.learning.objectives import OBJECTIVES
from sorb.learning.stages import stage_within
from sorb.losses import loss_by_name

# ---- parameters ----


BAD_VALUES = {
    "max_rules": [-1, 2.5, "10"],
    "max_complexity": [-1, 2.5, "10"],
    "max_rule_complexity": [0, 2.5, None],
    "effort": ["none", None, 3],
    "objective": ["best", None, 1],
    "search": ["diagonal", None],
    "cut": ["middle", None],
    "n_quantiles": [1, 2.5, "4"],
    "validation": ["cross", 3],
    "complexity_price": [-0.1, np.nan, np.inf, 10**400, None, "0"],
    "min_difference": [-0.01, 0.5, np.nan, np.inf, None, "0"],
    "near_duplicates": ["near", None, True],
    "random_state": [-1, "seed"],
    "n_jobs": [0, 2.5, "all"],
    "verbose": [-1, "yes"],
    "max_seconds": [0, -1.0, np.nan, np.inf, 10**400, "1"],
}


BAD_PLAIN = {
    "reg_lambda": [-1e-9, np.nan, np.inf, 10**400, None, "1", "best"],
    "selection": ["worst", 1],
    "warm_start": ["yes", 2, None],
}


BAD_CROSS_VALIDATED = {
    "reg_lambdas": [
        *[(), 1.0, [[1.0]], (1.0, -1.0), (np.nan,), (np.inf,), (10**400,)],
        *[["a"], [None], [1j], [[1.0], [1.0, 2.0]], {1.0, 2.0}, {1.0: 2.0}, np.array(1.0)],
    ],
    "cv": [1, 0, 2.5, "five"],
    "n_repeats": [0, -1, 2.5, "three", None],
    "selection": ["worst", None],
}


def bad_cases():
    for cls in ESTIMATORS:
        own = BAD_PLAIN if cls in SINGLE else BAD_CROSS_VALIDATED
        extra = {"class_weight": ["even", 2]} if "Classifier" in cls.__name__ else {"loss": ["log"]}
        for name, values in {**BAD_VALUES, **own, **extra}.items():
            for value in values:
                yield pytest.param(cls, name, value, id=f"{cls.__name__}-{name}={value!r:.20}")


@pytest.mark.parametrize(("cls", "name", "value"), list(bad_cases()))
def test_bad_values_are_refused_by_name(cls, name, value):
    with pytest.raises(ValueError, match=name):
        cls(**{name: value}).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_parameter_is_checked(cls):
    assert set(cls._parameter_constraints) == set(cls().get_params())


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_more_jobs_than_there_is_work_for_are_not_started(cls):
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    with parallel_config("threading"):
        model = cls(max_rules=1, n_jobs=2**31).fit(X, y)
    assert model.ensemble_ == cls(max_rules=1).fit(X, y).ensemble_


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_paper_sets_the_methods_of_the_paper(cls):
    expected = {
        "max_rules": 10,
        "max_rule_complexity": 5,
        "effort": "low",
        "objective": "gradient_sum",
        "search": "oblique",
        "cut": "separator",
        "complexity_price": 0.0,
        "min_difference": 0.0,
        "near_duplicates": "apart",
        "search_rows": None,
    }
    if cls in CROSS_VALIDATED:
        expected |= {"reg_lambdas": (1e-10, 1e-3, 0.1, 1.0, 10.0), "cv": 5, "n_repeats": 1}
        expected |= {"grow_once": False}
        expected |= {"selection": "best"}
    else:
        expected |= {"reg_lambda": 1.0, "selection": None}
    parameters = cls.paper().get_params()
    assert {name: parameters[name] for name in expected} == expected
    assert {name: parameters[name] for name in parameters if name not in expected} == {
        name: value for name, value in cls().get_params().items() if name not in expected
    }


def test_paper_adds_one_rule_after_the_other(binary):
    stages = LLTBoostClassifier.paper(max_rules=4).fit(*binary).stages_
    conditions = [[rule.condition for rule in stage.ensemble] for stage in stages]
    assert [len(found) for found in conditions] == list(range(5))
    assert all(after[:-1] == before for before, after in pairwise(conditions))


def test_paper_can_be_changed():
    model = LLTBoostClassifier.paper(cut="objective", max_rules=3)
    assert (model.cut, model.max_rules, model.objective) == ("objective", 3, "gradient_sum")


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("choice", [{"cut": c} for c in ("gradient_sum", "separator", "objective")])
def test_every_objective_and_cut_learns(binary, objective, choice):
    model = LLTBoostClassifier(max_rules=4, selection=None, objective=objective, **choice).fit(
        *binary
    )
    assert model.score(*binary) > 0.9


def test_the_complexity_of_a_rule_may_be_bounded_by_any_number(diabetes):
    X, y = diabetes
    found = [
        LLTBoostRegressor(max_rules=1, max_rule_complexity=size, selection=None)
        .fit(X[:100], y[:100])
        .ensemble_
        for size in (2**31 - 1, 2**70)
    ]
    assert found[0] == found[1]


def test_limits_are_kept(diabetes):
    model = LLTBoostRegressor(
        max_rules=50, max_complexity=20, max_rule_complexity=2, selection=None
    ).fit(*diabetes)
    assert 15 < model.ensemble_.complexity <= 20
    for rule in model.ensemble_:
        assert sum(len(p.weights) for p in rule.condition.propositions) <= 2


def largest(cls, y, **limits):
    """The largest model of a table whose columns have nothing to do with the outcomes."""
    X = np.random.default_rng(0).normal(size=(len(y), 3))
    return cls(selection=None, effort="low", search="axis", **limits).fit(X, y).ensemble_


@pytest.mark.parametrize(("n_classes", "limit"), [(2, 100), (3, 110), (12, 200)])
def test_the_limit_without_limits_grows_with_the_classes(n_classes, limit):
    found = largest(LLTBoostClassifier, np.arange(360) % n_classes)
    assert limit - 12 < found.complexity <= limit


def test_numbers_have_the_limit_of_two_classes():
    found = largest(LLTBoostRegressor, np.random.default_rng(1).normal(size=200))
    assert 88 < found.complexity <= 100


def test_a_limit_on_rules_alone_is_no_limit_on_complexity():
    found = largest(LLTBoostRegressor, np.random.default_rng(1).normal(size=200), max_rules=40)
    assert len(found) == 40
    assert found.complexity > 100


def test_without_rules_the_model_is_the_best_constant(binary, diabetes):
    X, y = diabetes
    assert LLTBoostRegressor(max_rules=0).fit(X, y).predict(X) == pytest.approx(
        np.full(len(y), y.mean())
    )
    X, y = binary
    share = LLTBoostClassifier(max_rules=0).fit(X, y).predict_proba(X)[:, 1]
    assert share == pytest.approx(np.full(len(y), 1 / 3))


def test_the_axis_parallel_search_compares_single_columns(diabetes):
    model = LLTBoostRegressor(max_rules=5, search="axis", selection=None).fit(*diabetes)
    assert model.n_iter_ == 5
    assert all(len(p.weights) == 1 for rule in model.ensemble_ for p in rule.condition.propositions)


def test_the_axis_parallel_search_ignores_the_cut(diabetes):
    ensembles = {
        LLTBoostRegressor(max_rules=5, search="axis", cut=cut, selection=None)
        .fit(*diabetes)
        .ensemble_
        for cut in ("gradient_sum", "separator", "objective")
    }
    assert len(ensembles) == 1


def test_quantiles_bound_the_thresholds():
    X = np.arange(400.0)[:, None]
    model = LLTBoostRegressor(search="axis", n_quantiles=4, effort="low").fit(
        X, np.sin(X[:, 0] / 60)
    )
    used = {p.threshold / p.weights[0] for r in model.ensemble_ for p in r.condition.propositions}
    assert used <= {99.5, 199.5, 299.5}


def test_a_column_of_two_values_can_be_divided_whatever_the_quantiles():
    X = np.repeat([0.0, 1.0], [5, 95])[:, None]
    model = LLTBoostRegressor(search="axis", n_quantiles=5, validation=None, max_rules=1)
    assert model.fit(X, X[:, 0]).n_iter_ == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_column_of_categories_alone_is_enough_to_learn_from(seed):
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 20, 2000).astype(float)
    ill = rng.random(2000) < np.where(np.isin(town, [3, 7, 11]), 0.8, 0.3)
    model = LLTBoostClassifier(max_rules=1, categorical_features=[0]).fit(town[:, None], ill)
    (proposition,) = model.ensemble_.rules[0].condition.propositions
    assert sorted(proposition.categories) == [3, 7, 11]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("planted", [[0], [0, 3]])
def test_a_few_frequent_categories_are_found_among_many_rare_ones(planted, seed):
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, 201) ** 1.2
    town = rng.choice(200, 5000, p=share / share.sum()).astype(float)
    ill = rng.random(5000) < np.where(np.isin(town, planted), 0.9, 0.3)
    X = np.column_stack([town, rng.normal(size=5000)])
    model = LLTBoostClassifier(
        max_rules=1, categorical_features=[0], selection=None, complexity_price=0.5
    ).fit(X, ill)
    (proposition,) = model.ensemble_.rules[0].condition.propositions
    assert sorted(proposition.categories) == planted


@pytest.mark.parametrize("search", ["oblique", "oblique_append", "axis"])
def test_a_rule_has_one_set_of_each_column(search):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 8, size=(600, 2)).astype(float)
    y = np.isin(X[:, 0], [1, 4, 6]) * np.isin(X[:, 1], [0, 3]) + rng.normal(size=600)
    model = LLTBoostRegressor(
        search=search,
        categorical_features=[0, 1],
        validation=None,
        max_rule_complexity=8,
        selection=None,
    ).fit(X, y)
    for rule in model.ensemble_:
        assert len(rule.condition.columns) == len(rule.condition.propositions)


def test_without_validation_the_best_objective_wins(diabetes):
    model = LLTBoostRegressor.paper(search="axis", validation=None, max_rules=1)
    X, y = diabetes
    gradient = (y - y.mean()).to_numpy()
    pull = np.abs(gradient[model.fit(X, y).ensemble_.covers(X)[:, 0]].sum())
    best_of_one_column = max(
        np.abs(gradient[X[name] >= threshold].sum()) for name in X for threshold in X[name].unique()
    )
    assert pull >= best_of_one_column * (1 - 1e-9)


@every_loss
def test_without_validation_each_loss_learns_in_both_searches(models, loss):
    model, X = models[loss]
    y = model.predict(X)
    for search in ("oblique", "axis"):
        searched = clone(model).set_params(validation=None, search=search, max_rules=2)
        assert searched.fit(X, y).n_iter_ == 2


def test_a_price_buys_simpler_rules(diabetes):
    def mean_complexity(price):
        model = LLTBoostRegressor(max_rules=8, complexity_price=price, selection=None)
        model.fit(*diabetes)
        return model.ensemble_.complexity / model.n_iter_

    assert mean_complexity(3.0) < mean_complexity(0.0)


def differences(model, X):
    """For all pairs of rules, the share of the rows on which they disagree, or agree if fewer."""
    covered = model.transform(X)
    shares = [np.mean(a != b) for a, b in combinations(covered.T, 2)]
    return np.minimum(shares, np.subtract(1, shares))


@pytest.mark.parametrize("least", [0.02, 0.1])
def test_near_copies_of_rules_are_refused(least):
    X = np.random.default_rng(0).normal(size=(400, 1))
    model = LLTBoostRegressor(max_rules=60, search="axis", selection=None, min_difference=least)
    assert differences(model.fit(X, X[:, 0]), X).min() >= least


def test_near_copies_can_be_allowed():
    X = np.random.default_rng(0).normal(size=(400, 1))
    model = LLTBoostRegressor(max_rules=60, search="axis", selection=None, min_difference=0.0)
    assert differences(model.fit(X, X[:, 0]), X).min() < 0.02


@pytest.mark.parametrize("effort", ["normal", "high"])
def test_effort_gives_better_models(diabetes, effort):
    def mean_objective(effort):
        model = LLTBoostRegressor(max_complexity=40, effort=effort, selection=None)
        stages = model.fit(*diabetes).stages_
        return np.mean([stage_within(stages, budget).objective for budget in range(41)])

    assert mean_objective(effort) < mean_objective("low")


def test_the_penalty_shrinks_the_votes(binary):
    def size(reg_lambda):
        model = LLTBoostClassifier(max_rules=1, reg_lambda=reg_lambda, selection=None)
        model.fit(*binary)
        return abs(model.ensemble_[0].vote)

    assert size(0.01) > size(1.0) > size(100.0)


def test_the_default_seed_gives_the_same_model_again(binary):
    models = [LLTBoostClassifier(max_rules=3).fit(*binary) for _ in range(2)]
    assert models[0].ensemble_ == models[1].ensemble_


def test_a_random_state_is_drawn_from_in_each_fit(binary):
    def two_fits():
        model = LLTBoostClassifier(
            max_rules=3, selection=None, random_state=np.random.RandomState(0)
        )
        return [model.fit(*binary).ensemble_ for _ in range(2)]

    first, second = two_fits()
    assert first != second
    assert [first, second] == two_fits()


def test_no_random_state_gives_other_models(binary):
    model = LLTBoostClassifier(max_rules=3, selection=None, random_state=None)
    assert len({model.fit(*binary).ensemble_ for _ in range(5)}) > 1


# ---- fitted attributes ----


def test_names_of_columns_come_from_the_table(binary):
    X, y = binary
    model = LLTBoostClassifier(max_rules=2)
    named, unnamed = clone(model).fit(X, y), clone(model).fit(X.to_numpy(), y)
    assert named.ensemble_.columns == tuple(X.columns) == tuple(named.feature_names_in_)
    assert unnamed.ensemble_.columns == ("x0", "x1", "x2", "x3")
    assert not hasattr(unnamed, "feature_names_in_")


def test_columns_of_the_same_name_are_refused(binary):
    X, y = binary
    with pytest.raises(ValueError, match="'a'"):
        LLTBoostClassifier().fit(X.set_axis(["a", "b", "a", "c"], axis=1), y)


@every_loss
def test_stages_lead_to_the_ensemble(models, loss):
    model, _ = models[loss]
    assert model.ensemble_.loss == loss_by_name(loss)
    assert model.ensemble_ == model.stages_[-1].ensemble
    assert len(model.stages_[0].ensemble) == 0
    assert all(stage.complexity == stage.ensemble.complexity for stage in model.stages_)


@every_loss
def test_larger_stages_are_better(models, loss):
    stages = models[loss][0].stages_
    for before, after in pairwise(stages):
        assert after.complexity > before.complexity
        assert after.objective < before.objective


@pytest.mark.parametrize("method", ["predict", "transform", "explain", "staged_predict"])
@pytest.mark.parametrize("cls", ESTIMATORS)
def test_an_unfitted_model_says_so(cls, method):
    with pytest.raises(NotFittedError):
        getattr(cls(), method)([[0.0]])


def test_a_failed_fit_leaves_no_fitted_model(binary):
    model = LLTBoostClassifier()
    with pytest.raises(ValueError, match="class_weight"):
        model.set_params(class_weight={"other": -1.0}).fit(*binary)
    with pytest.raises(NotFittedError):
        model.predict(binary[0])


# ---- answers ----


@every_loss
def test_answers_are_those_of_the_ensemble(models, loss):
    model, X = models[loss]
    scores = model.ensemble_(X.to_numpy(dtype=np.float64))
    mean = loss_by_name(loss).mean(scores)
    if loss == "logistic":
        np.testing.assert_array_equal(model.decision_function(X), scores)
        np.testing.assert_array_equal(model.predict_proba(X)[:, 1], mean)
        np.testing.assert_array_equal(model.predict(X) == "versicolor", scores > 0)
    elif loss == "softmax":
        np.testing.assert_array_equal(model.decision_function(X), scores)
        np.testing.assert_array_equal(model.predict_proba(X), mean)
        np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))
    else:
        np.testing.assert_array_equal(model.predict(X), mean)


@every_loss
def test_single_precision_is_widened(models, loss):
    model, X = models[loss]
    single = X.astype(np.float32)
    np.testing.assert_array_equal(
        model.explain(single).total(), model.ensemble_(single.to_numpy(dtype=np.float64))
    )


@every_loss
def test_stages_predict_one_by_one(models, loss):
    model, X = models[loss]
    staged = list(model.staged_predict(X))
    assert len(staged) == len(model.stages_)
    np.testing.assert_array_equal(staged[-1], model.predict(X))
    assert len(np.unique(staged[0])) == 1


@every_loss
def test_score_is_accuracy_or_r2(models, loss, iris, binary, diabetes):
    model, X = models[loss]
    y = {"logistic": binary[1], "softmax": iris[1]}.get(loss, diabetes[1])
    if loss in ("logistic", "softmax"):
        assert model.score(X, y) == np.mean(model.predict(X) == y) > 0.9
    else:
        assert (
            0.3
            < model.score(X, y)
            == pytest.approx(1 - np.var(y - model.predict(X)) / np.var(y), abs=0.01)
        )


# ---- rules as features, and as an explanation ----


@every_loss
def test_transform_tells_which_rules_cover_a_row(models, loss):
    model, X = models[loss]
    covered = model.transform(X)
    assert covered.dtype == np.float64
    for rule, column in zip(model.ensemble_, covered.T, strict=True):
        np.testing.assert_array_equal(column, rule.condition(X))


@every_loss
def test_features_are_named_by_their_rules(models, loss):
    model, _ = models[loss]
    names = model.get_feature_names_out()
    assert len(set(names)) == model.n_iter_
    assert names[0] == f"rule0: {model.ensemble_[0].condition}"


def test_names_are_checked_against_the_table(models):
    model, _ = models["logistic"]
    with pytest.raises(ValueError, match="feature_names_in_"):
        model.get_feature_names_out(["a", "b", "c", "d"])


def test_transform_can_give_a_frame(binary):
    X, y = binary
    model = LLTBoostClassifier(max_rules=3, selection=None).set_output(transform="pandas")
    frame = model.fit_transform(X, y)
    assert frame.shape == (len(X), 3)
    assert frame.columns[0].startswith("rule0: ")


@every_loss
def test_an_explanation_adds_up_exactly(models, loss):
    model, X = models[loss]
    explanation = model.explain(X)
    assert explanation.contributions.shape == (len(X), model.n_iter_)
    assert explanation.rules == model.ensemble_.rules
    np.testing.assert_array_equal(
        explanation.total(), model.ensemble_(X.to_numpy(dtype=np.float64))
    )


def test_an_explanation_says_what_each_rule_adds(models):
    model, X = models["squared"]
    weights = [rule.vote for rule in model.ensemble_]
    np.testing.assert_array_equal(model.explain(X).contributions, model.transform(X) * weights)


# ---- what a notebook shows ----


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_a_notebook_shows_the_rules(cls):
    X = np.arange(40.0)[:, None]
    model = cls(max_rules=1)
    table = "<caption"
    assert table not in model._repr_html_()
    model.fit(X, X[:, 0] > 20)
    assert table in model._repr_html_()
    assert cls.__name__ in model._repr_html_()
    assert model._repr_mimebundle_()["text/html"].count(table) == 1


def test_a_notebook_may_ask_for_text():
    with config_context(display="text"):
        assert list(LLTBoostClassifier()._repr_mimebundle_()) == ["text/plain"]
        assert not hasattr(LLTBoostClassifier(), "_repr_html_")
