import signal
import subprocess
import sys
import time
import warnings
from itertools import chain, repeat

import numpy as np
import pandas as pd
import pytest
from estimators.cases import (
    SINGLE,
    every_loss,
    interrupt_growth,
    noise_of_people,
    noisy_table,
    two_kinds,
)
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError

from sorb import LLTBoostClassifier, LLTBoostRegressor, LLTBoostRegressorCV
from sorb.estimators.base import BaseLLTBoost
from sorb.estimators.single_fit import SingleFit
from sorb.learning.boosting import Growth
from sorb.learning.risk_curve import SELECTIONS
from sorb.learning.stages import stage_near, stage_within

# ---- the choice ----


@pytest.mark.parametrize("selection", SELECTIONS)
def test_the_model_is_the_stage_that_the_curve_speaks_for(diabetes, selection):
    model = LLTBoostRegressor(max_complexity=40, selection=selection).fit(*diabetes)
    reg_lambda, complexity = model.curve_.choose(selection)
    assert model.reg_lambda_ == reg_lambda
    assert model.ensemble_ == stage_near(model.stages_, complexity).ensemble
    assert model.n_iter_ > 0


@pytest.mark.parametrize("how", ["weights", "copies"])
def test_no_rules_are_learned_from_noise_that_is_weighted_or_oversampled(how):
    """Copies on both sides of a fold would make noise look like a pattern."""
    n_rules = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(250, 6)), rng.random(250) < 0.1
        times = np.where(y, 9, 1) if how == "copies" else rng.integers(1, 30, size=250)
        if how == "copies":
            model = LLTBoostClassifier().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        else:
            model = LLTBoostClassifier().fit(X, y, sample_weight=times)
        n_rules.append(model.n_iter_)
    assert np.median(n_rules) == 0
    assert max(n_rules) <= 2  # with the copies as observations, every table got several


@pytest.mark.parametrize("cls", SINGLE)
@pytest.mark.parametrize("jitter", [1e-12, 1e-6, 1e-2])
def test_no_rules_are_learned_from_noise_in_nearly_equal_rows(cls, jitter):
    """With rows of one person on both sides of a fold, every table got several."""
    for seed in range(4):
        X, y, _ = noise_of_people(jitter=jitter, seed=seed)
        with pytest.warns(UserWarning, match="360 of 360 different rows form 60 groups"):
            assert cls(random_state=seed).fit(X, y).n_iter_ == 0


def test_the_effect_of_a_category_is_learned():
    """Rows of one category were taken for near-duplicates, and nothing was learned."""
    rng = np.random.default_rng(0)
    category = rng.integers(0, 40, 1000)
    X = np.column_stack((np.eye(40)[category], rng.lognormal(size=1000)))
    y = rng.choice([0.0, 3.0], 40)[category] + rng.normal(size=1000)
    assert LLTBoostRegressor(max_rules=5).fit(X, y).score(X, y) > 0.3


def test_a_warning_tells_of_too_few_groups():
    X, y, _ = noise_of_people(n=20)
    with pytest.warns(UserWarning, match="20 groups; they are too few"):
        model = LLTBoostClassifier(max_rules=2).fit(X, y)
    apart = LLTBoostClassifier(max_rules=2, near_duplicates="apart").fit(X, y)
    assert model.ensemble_ == apart.ensemble_


def test_nearly_equal_rows_may_be_taken_for_independent():
    X, y, _ = noise_of_people()
    assert LLTBoostClassifier(near_duplicates="apart").fit(X, y).n_iter_ > 3


def test_nearly_equal_rows_do_not_matter_if_none_validate():
    X, y, _ = noise_of_people()
    parameters = {"validation": None, "selection": None, "max_rules": 2}
    model = LLTBoostClassifier(**parameters).fit(X, y)
    apart = LLTBoostClassifier(near_duplicates="apart", **parameters).fit(X, y)
    assert model.ensemble_ == apart.ensemble_


def test_a_pattern_is_learned_from_nearly_equal_rows():
    X = noise_of_people(n=200)[0]
    with pytest.warns(UserWarning, match="nearly equal"):
        model = LLTBoostClassifier().fit(X, X[:, 0] > 0)
    assert 1 <= model.n_iter_ <= 3
    assert model.score(X, X[:, 0] > 0) > 0.95


def test_the_votes_are_those_of_the_chosen_penalty(diabetes):
    X, y = diabetes
    model = LLTBoostRegressor(max_complexity=40).fit(X, y)
    design = np.column_stack([np.ones(len(y)), model.transform(X)])
    penalty = model.reg_lambda_ * np.diag([0.0] + [1.0] * model.n_iter_)
    # The loss is half the squared error, so the penalty counts twice.
    exact = np.linalg.solve(design.T @ design + 2 * penalty, design.T @ y)
    votes = [model.ensemble_.offset, *(rule.vote for rule in model.ensemble_)]
    assert votes == pytest.approx(exact)


def test_each_size_has_the_penalty_that_was_best_for_it(diabetes):
    model = LLTBoostRegressor(max_complexity=40).fit(*diabetes)
    penalties = {stage.complexity: stage.reg_lambda for stage in model.stages_}
    chosen = model.ensemble_.complexity
    assert penalties.pop(chosen) == model.reg_lambda_
    assert penalties == {c: model.curve_.best_penalty(c) for c in penalties}
    assert len(set(penalties.values())) > 1
    for complexity, penalty in penalties.items():
        assert model.at(complexity=complexity).reg_lambda_ == penalty


def growths(monkeypatch):
    """Count how often a model grows."""
    started = []
    run = Growth.run
    monkeypatch.setattr(Growth, "run", lambda *args: (started.append(args[0]), run(*args)))
    return started


def test_the_rows_are_divided_twice_into_three_folds(diabetes, monkeypatch):
    started = growths(monkeypatch)
    LLTBoostRegressor(max_rules=1).fit(*diabetes)
    assert len(started) == 2 * 3 + 1
    assert len({growth.settings.seed for growth in started}) == 2


def test_a_given_penalty_is_used_throughout(binary):
    chosen = LLTBoostClassifier(max_rules=4, reg_lambda=0.7).fit(*binary)
    plain = LLTBoostClassifier(max_rules=4, reg_lambda=0.7, selection=None).fit(*binary)
    assert chosen.curve_.reg_lambda.tolist() == [0.7]
    assert chosen.reg_lambda_ == plain.reg_lambda_ == 0.7
    found, expected = ([s.objective for s in model.stages_] for model in (chosen, plain))
    assert found == pytest.approx(expected)


@two_kinds
def test_without_a_choice_the_last_stage_is_used(cls):
    X, y = noisy_table(100, 3)
    model = cls(max_rules=4, selection=None).fit(X, y > 0)
    assert model.ensemble_ == model.stages_[-1].ensemble
    assert model.n_iter_ > 0
    assert not hasattr(model, "curve_")


def test_a_fit_without_a_choice_forgets_the_curve(binary):
    model = LLTBoostClassifier(max_rules=2).fit(*binary)
    assert hasattr(model, "curve_")
    assert not hasattr(model.set_params(selection=None).fit(*binary), "curve_")


def noise(kind, seed):
    """A table whose outcomes have nothing to do with its columns."""
    rng = np.random.default_rng(seed)
    draw = {
        "numbers": lambda: rng.normal(size=200),
        "counts": lambda: rng.poisson(2.0, 200),
        "two classes": lambda: rng.integers(0, 2, 200),
        "four classes": lambda: rng.integers(0, 4, 200),
    }
    return rng.normal(size=(200, 4)), draw[kind]()


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", ["numbers", "counts", "two classes", "four classes"])
def test_nothing_is_learned_from_noise(kind, seed):
    if "classes" in kind:
        model = LLTBoostClassifier(max_complexity=40)
    else:
        model = LLTBoostRegressor(
            max_complexity=40, loss="poisson" if kind == "counts" else "squared"
        )
    assert model.fit(*noise(kind, seed)).n_iter_ == 0


def test_little_is_learned_from_noise_in_coarse_columns():
    """Each fold had its share of the copies of each row: half of these tables had rules."""
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (400, 5)), rng.integers(0, 2, 400)
        found.append(LLTBoostClassifier(max_complexity=40).fit(X, y).n_iter_)
    assert sum(n_rules > 0 for n_rules in found) <= 1


def test_a_planted_rule_rarely_needs_more_than_two():
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 4))
        y = (X[:, 0] + X[:, 1] > 0.5) ^ (rng.random(400) < 0.1)
        found.append(LLTBoostClassifier().fit(X, y).n_iter_)
    assert min(found) >= 1
    assert sum(n_rules <= 2 for n_rules in found) >= 8


def test_many_classes_get_many_rules():
    rng = np.random.default_rng(0)
    y = np.arange(720) % 12
    X = np.column_stack([y % 4, y // 4]) + rng.normal(0, 0.1, size=(720, 2))
    model = LLTBoostClassifier(effort="low").fit(X, y)
    assert model.n_iter_ > 10
    assert model.score(X, y) > 0.9


UNLEARNABLE_FOLDS = {
    "one row": (LLTBoostRegressor(), [[1.0]], [2.0]),
    "a single count": (LLTBoostRegressor(loss="poisson"), np.eye(20), np.eye(20)[0]),
    "a row of each class": (LLTBoostClassifier(), np.arange(4.0)[:, None], list("abcd")),
    "two rows": (LLTBoostClassifier(), [[0.0], [1.0]], [0, 1]),
}


@pytest.mark.parametrize("case", UNLEARNABLE_FOLDS)
def test_folds_without_enough_to_learn_from_leave_a_constant(case):
    model, X, y = UNLEARNABLE_FOLDS[case]
    assert model.fit(X, y).n_iter_ == 0


# ---- models of other sizes ----


@pytest.fixture(scope="module")
def sized(diabetes):
    return LLTBoostRegressor(max_complexity=30, selection=None).fit(*diabetes)


def test_every_stage_can_be_had(sized, diabetes):
    X, _ = diabetes
    for stage, predicted in zip(sized.stages_, sized.staged_predict(X), strict=True):
        other = sized.at(complexity=stage.complexity)
        assert other.ensemble_ == stage.ensemble
        np.testing.assert_array_equal(other.predict(X), predicted)


@pytest.mark.parametrize("rules", range(5))
def test_the_best_model_with_so_many_rules_is_given(sized, rules):
    found = sized.at(rules=rules)
    within = [stage for stage in sized.stages_ if len(stage.ensemble) <= rules]
    assert found.ensemble_ == min(within, key=lambda stage: stage.objective).ensemble
    assert found.n_iter_ == len(found.ensemble_) <= rules


def test_both_sizes_are_kept(sized):
    found = sized.at(complexity=14, rules=2).ensemble_
    assert found.complexity <= 14
    assert len(found) <= 2


def test_a_size_beyond_all_models_gives_the_largest(sized):
    assert sized.at(complexity=10**6).ensemble_ == sized.stages_[-1].ensemble


def test_another_size_is_a_copy(sized):
    before = sized.ensemble_
    other = sized.at(rules=1)
    assert other is not sized
    assert sized.ensemble_ == before != other.ensemble_
    assert other.get_params() == sized.get_params()
    assert other.at(complexity=30).ensemble_ == sized.stages_[-1].ensemble


def test_another_size_needs_no_training(sized, monkeypatch):
    monkeypatch.delattr(Growth, "run")
    assert len(sized.at(rules=1).ensemble_) == 1


@pytest.mark.parametrize("name", ["complexity", "rules"])
@pytest.mark.parametrize("value", [-1, 2.5, "3"])
def test_impossible_sizes_are_refused(sized, name, value):
    with pytest.raises(ValueError, match=f"{name} must be a whole number ≥ 0, found {value!r}"):
        sized.at(**{name: value})


def test_a_size_must_be_named(sized):
    with pytest.raises(ValueError, match=r"at\(complexity=20\)"):
        sized.at()


@pytest.mark.parametrize("cls", SINGLE)
def test_an_unfitted_model_has_no_sizes(cls):
    with pytest.raises(NotFittedError):
        cls().at(rules=1)


# ---- warm start ----


@every_loss
def test_rules_may_be_added_later(iris, binary, diabetes, loss):
    data = {"logistic": binary, "softmax": iris}.get(loss, diabetes)
    cls = LLTBoostClassifier if loss in ("logistic", "softmax") else LLTBoostRegressor
    own = {} if cls is LLTBoostClassifier else {"loss": loss}
    stepwise = cls(warm_start=True, selection=None, **own)
    for max_rules in (0, 1, 4, 4, 6):
        stepwise.set_params(max_rules=max_rules).fit(*data)
        assert len(stepwise.stages_[-1].ensemble) <= max_rules
    at_once = cls(max_rules=6, selection=None, **own).fit(*data)
    # The end of each fit removes rules, so that more small models are known.
    for stage in at_once.stages_:
        found = stage_within(stepwise.stages_, stage.complexity)
        assert found.objective < stage.objective * 1.05 + 0.01
    assert stepwise.stages_[-1].seconds >= stepwise.stages_[0].seconds


def test_a_warm_start_knows_all_stages_that_have_grown():
    X, y = load_wine(return_X_y=True)
    model = LLTBoostClassifier(max_complexity=40, warm_start=True).fit(X, y)
    grown = LLTBoostClassifier(max_complexity=40, selection=None).fit(X, y)
    assert len(model.stages_) < len(grown.stages_)  # those that the penalty does not suit
    model.set_params(selection=None).fit(X, y)
    for stage in grown.stages_:
        found = stage_within(model.stages_, stage.complexity)
        assert found.objective <= stage.objective * (1 + 1e-9)


def test_the_choice_is_made_anew_when_rules_are_added(diabetes):
    model = LLTBoostRegressor(max_rules=1, warm_start=True).fit(*diabetes)
    before = model.curve_
    model.set_params(max_rules=4).fit(*diabetes)
    assert model.curve_.complexity[-1] > before.complexity[-1]
    at_once = LLTBoostRegressor(max_rules=4).fit(*diabetes)
    np.testing.assert_array_equal(model.curve_.risk, at_once.curve_.risk)


def test_a_drawn_seed_stays_while_rules_are_added(binary):
    random = np.random.RandomState(3)
    model = LLTBoostClassifier(max_rules=2, warm_start=True, random_state=random).fit(*binary)
    seed = model._fit_seed
    assert model.set_params(max_rules=4).fit(*binary)._fit_seed == seed


def test_without_warm_start_training_begins_anew(binary):
    model = LLTBoostClassifier(max_rules=4).fit(*binary).set_params(max_rules=2).fit(*binary)
    assert model.ensemble_ == LLTBoostClassifier(max_rules=2).fit(*binary).ensemble_


def test_rules_are_not_taken_back(binary):
    model = LLTBoostClassifier(max_rules=3, selection=None, warm_start=True)
    model.fit(*binary).set_params(max_rules=2)
    with pytest.raises(ValueError, match=r"max_rules=2 .* the 3 rules"):
        model.fit(*binary)
    assert model.n_iter_ == 3


def test_columns_must_stay(binary):
    X, y = binary
    model = LLTBoostClassifier(max_rules=1, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        model.fit(X.rename(columns={"petal width (cm)": "width"}), y)
    with pytest.raises(ValueError, match="feature names"):
        model.fit(X.iloc[:, :3], y)
    assert model.n_features_in_ == 4


@pytest.mark.parametrize("before", ["numbers", "categories"])
def test_columns_must_stay_numbers_or_categories(before):
    """A rule about numbers was applied to the codes of categories, and could not predict."""
    number = np.arange(60) % 7
    tables = {
        "numbers": pd.DataFrame({"a": number}),
        "categories": pd.DataFrame({"a": number.astype(str)}),
    }
    model = LLTBoostRegressor(max_rules=1, warm_start=True).fit(tables.pop(before), number)
    ((found, table),) = tables.items()
    with pytest.raises(ValueError, match=f"'a' must hold {before} as before, .* found {found}"):
        model.fit(table, number)


def test_old_votes_are_refitted_to_new_outcomes(diabetes):
    """They stayed as they were unless another rule was added."""
    X, y = diabetes
    model = LLTBoostRegressor(max_rules=2, selection=None, warm_start=True).fit(X, y)
    before, n_stages = model.predict(X), len(model.stages_)
    model.fit(X, y + 1000)
    assert model.predict(X) == pytest.approx(before + 1000)
    assert len(model.stages_) == n_stages
    assert model.stages_[-1].ensemble == model.ensemble_


def test_classes_must_stay(iris, binary):
    model = LLTBoostClassifier(max_rules=1, warm_start=True).fit(*binary)
    with pytest.raises(ValueError, match=r"must stay \['other', 'versicolor'\]"):
        model.fit(*iris)


def test_the_loss_must_stay(diabetes):
    model = LLTBoostRegressor(max_rules=1, warm_start=True).fit(*diabetes)
    with pytest.raises(ValueError, match="the loss must stay squared"):
        model.set_params(loss="poisson").fit(*diabetes)


def test_the_given_rules_must_stay(diabetes):
    known = LLTBoostRegressor(max_rules=1).fit(*diabetes).ensemble_
    model = LLTBoostRegressor(max_rules=2, selection=None, warm_start=True).fit(*diabetes)
    with pytest.raises(ValueError, match="the rules of init must stay"):
        model.set_params(max_rules=3, init=known).fit(*diabetes)
    model = LLTBoostRegressor(max_rules=2, warm_start=True, init=known).fit(*diabetes)
    model.set_params(max_rules=3, init=model.ensemble_[:1]).fit(*diabetes)
    assert model.ensemble_[0].condition == known[0].condition


# ---- time and interruption ----


def test_no_rule_is_begun_after_the_time(ticking_clock):
    model = LLTBoostRegressor(max_rules=10**6, max_seconds=20, effort="low", selection=None)
    model.fit(*noisy_table(400, 8))
    # A rule takes a few ticks: to see how late it is, to search, and to keep the stage.
    assert 14 <= model.stages_[-1].seconds <= 20


@pytest.mark.parametrize(
    ("parameters", "shares"),
    [
        ({}, 8),
        ({"effort": "low"}, 2),
        ({"effort": "high"}, 22),
        ({"effort": "high", "validation": None}, 2),
    ],
)
def test_the_last_fit_has_time_for_its_revisits(parameters, shares):
    assert LLTBoostRegressor(**parameters)._shares_of_growth() == shares


def test_the_choice_takes_its_share_of_the_time(monkeypatch, ticking_clock):
    limits = []
    run = Growth.run
    monkeypatch.setattr(
        Growth,
        "run",
        lambda growth, *args: (limits.append(growth.settings.limits), run(growth, *args)),
    )
    model = LLTBoostRegressor(max_rules=10**6, max_seconds=100, effort="low")
    model.fit(*noisy_table(400, 8))
    growth, *folds = [limit.max_seconds for limit in limits]
    assert 10 < growth < 30
    assert len(folds) == 6
    assert 70 < growth + sum(folds) < 100
    assert model.stages_[-1].seconds <= growth + 2


def test_without_time_for_a_choice_the_largest_model_is_used(monkeypatch):
    seconds = chain([np.inf], repeat(0.0))  # until the table is prepared, and from then on
    monkeypatch.setattr(SingleFit, "_seconds_left", lambda self, started: next(seconds))
    monkeypatch.setattr(Growth, "_deadline", np.inf)
    model = LLTBoostRegressor(max_rules=2, max_seconds=1e-9)
    with pytest.warns(UserWarning, match="max_seconds=1e-09 left no time to choose a size"):
        model.fit(*noisy_table(400, 8))
    assert model.n_iter_ == 2
    assert not hasattr(model, "curve_")


def test_a_share_without_any_rule_is_extended_to_all_the_time(monkeypatch):
    monkeypatch.setattr(SingleFit, "_shares_of_growth", lambda self: 0)
    monkeypatch.setattr(Growth, "_try_single_cuts", lambda growth: None)  # takes no time here
    X = np.random.default_rng(0).normal(size=(400, 2))
    model = LLTBoostRegressor(max_rules=1, max_seconds=60).fit(X, np.sign(X[:, 0]))
    assert model.n_iter_ == 1


@pytest.mark.parametrize("estimator", [LLTBoostRegressor, LLTBoostRegressorCV])
def test_no_rule_for_want_of_time_is_warned_of(monkeypatch, estimator):
    seconds = chain([np.inf], repeat(0.0))  # until the table is prepared, and from then on
    monkeypatch.setattr(BaseLLTBoost, "_seconds_left", lambda self, started: next(seconds))
    monkeypatch.setattr(Growth, "_try_single_cuts", lambda growth: None)  # takes no time here
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        estimator(max_seconds=60).fit(*noisy_table(400, 8))
    assert "left no time to learn a rule" in str(found[-1].message)
    assert found[-1].filename == __file__


def test_the_time_counts_from_the_first_fit(ticking_clock):
    model = LLTBoostRegressor(max_rules=2, selection=None, warm_start=True)
    model.fit(*noisy_table(400, 8))
    model.set_params(max_rules=10, max_seconds=model.stages_[-1].seconds).fit(*noisy_table(400, 8))
    assert model.n_iter_ == 2


@pytest.mark.parametrize("n", [300, 100_000])
@pytest.mark.parametrize("estimator", [LLTBoostRegressor, LLTBoostRegressorCV])
def test_with_next_to_no_time_the_model_is_a_constant_at_once(estimator, n):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 10)), rng.normal(size=n)
    model = estimator(max_seconds=1e-9)
    started = time.perf_counter()
    with pytest.warns(UserWarning, match="max_seconds=1e-09 left no time to learn a rule") as found:
        model.fit(X, y)
    assert time.perf_counter() - started < 1.0  # on a busy machine; otherwise 0.02
    assert found[0].filename == __file__
    assert model.n_iter_ == 0
    np.testing.assert_allclose(model.predict(X[:2]), y.mean(), atol=1e-12)


@pytest.mark.filterwarnings("ignore:max_seconds=0.5 left no time to choose")  # on slow machines
def test_a_limit_in_seconds_is_obeyed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = X[:, 0] * X[:, 1] + rng.normal(size=len(X))
    started = time.perf_counter()
    LLTBoostRegressor(max_complexity=1000, max_seconds=0.5).fit(X, y)
    assert time.perf_counter() - started < 1.5  # on a busy machine; otherwise 0.5


def test_classes_have_their_shares_in_a_model_without_time():
    X, y = np.random.default_rng(0).normal(size=(400, 3)), np.arange(400) % 10
    model = LLTBoostClassifier(max_seconds=1e-9)
    with pytest.warns(UserWarning, match="left no time to learn a rule"):
        model.fit(X, y // 5 + y // 8)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.3, 0.2]])


def test_without_time_a_warm_start_keeps_its_rules():
    model = LLTBoostRegressor(max_rules=2, warm_start=True).fit(*noisy_table(400, 8))
    before = model.ensemble_
    with pytest.warns(UserWarning, match="left no time to learn a rule"):
        model.set_params(max_rules=4, max_seconds=1e-9).fit(*noisy_table(400, 8))
    assert model.ensemble_ == before


INTERRUPTED_FIT = """
import warnings
import numpy as np
from sorb import LLTBoostRegressor
rng = np.random.default_rng(0)
X, y = rng.normal(size=(200, 5)), rng.normal(size=200)
forward = {"effort": "low", "min_difference": 0.0, "selection": None}
model = LLTBoostRegressor(max_rules=10**6, verbose=1, **forward)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(X, y)
again = LLTBoostRegressor(max_rules=model.n_iter_, **forward).fit(X, y)
print("same model:", model.ensemble_ == again.ensemble_)
print("warned:", [str(w.message) for w in caught] == [
    f"training was interrupted: the model keeps the {model.n_iter_} rules learned so far"
])
print("here:", caught[0].filename == "<string>")
"""


def test_an_interruption_keeps_the_rules_so_far():
    # A process of its own: a signal at any moment must not hit the test runner.
    command = [sys.executable, "-u", "-c", INTERRUPTED_FIT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("rule 3:"):
                process.send_signal(signal.SIGINT)
                break
        last = process.communicate(timeout=60)[0].splitlines()[-3:]
    assert last == ["same model: True", "warned: True", "here: True"]


def test_an_interruption_of_the_growth_ends_the_fit(diabetes, monkeypatch):
    interrupt_growth(monkeypatch)
    with pytest.warns(UserWarning, match=r"keeps the 2 rules learned so far; no size was chosen"):
        model = LLTBoostRegressor(max_rules=4).fit(*diabetes)
    assert model.ensemble_ == model.stages_[-1].ensemble
    assert not hasattr(model, "curve_")


def test_an_interruption_of_the_choice_keeps_the_largest_model(diabetes, monkeypatch):
    expected = LLTBoostRegressor(max_rules=3, selection=None).fit(*diabetes)
    interrupt_growth(monkeypatch, lambda growth: len(growth.rows) < len(diabetes[1]))
    model = LLTBoostRegressor(max_rules=3)
    with pytest.warns(UserWarning, match=r"keeps the 3 rules learned so far; no size was chosen"):
        model.fit(*diabetes)
    assert model.ensemble_ == expected.ensemble_
    assert model.reg_lambda_ == expected.reg_lambda_
    assert not hasattr(model, "curve_")


def test_an_interruption_before_the_first_stage_leaves_no_model(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Growth, "begin", interrupted)
    model = LLTBoostRegressor()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*noisy_table(400, 8))
    assert not hasattr(model, "ensemble_")


def test_a_warm_start_does_not_shrink_a_model():
    X, y = load_diabetes(return_X_y=True)
    model = LLTBoostRegressor(max_complexity=20, selection=None, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"max_complexity=10 must not be less than the complexity"):
        model.set_params(max_complexity=10).fit(X, y)


@pytest.mark.parametrize("limit", [{"max_rules": 0}, {"max_complexity": 2}])
def test_a_warm_start_does_not_shrink_the_best_single_cut(limit):
    X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    model = LLTBoostRegressor(warm_start=True, selection=None, reg_lambda=0.1).fit(X, y)
    assert model.n_iter_ == 1
    with pytest.raises(ValueError, match="must not be less than"):
        model.set_params(**limit).fit(X, y)


def test_a_warm_start_takes_the_units_of_today():
    X, y = load_diabetes(return_X_y=True)
    model = LLTBoostRegressor(max_rules=2, selection=None, warm_start=True).fit(X, y)
    model.set_params(max_rules=3, units={"x2": "kg/m²"}).fit(X, y)
    assert dict(model.ensemble_.units) == {"x2": "kg/m²"}


def test_stages_may_use_other_columns_than_the_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = 3.0 * (X[:, 0] > 0) + 2.0 * (X[:, 1] > 0) + (X[:, 2] > 0) + 0.1 * rng.normal(size=400)
    model = LLTBoostRegressor(selection=None).fit(X, y).at(rules=1)
    assert len(model.ensemble_.used_columns) < len(model.stages_[-1].ensemble.used_columns)
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.stages_[-1].ensemble(X))
