import pickle

import numpy as np
import pytest
from estimators.cases import (
    PENALTIES,
    interrupt_growth,
    noise_of_people,
    noisy_table,
    small_classifier_cv,
    small_regressor_cv,
)
from joblib import parallel_config
from sklearn import config_context
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV
from sorb.learning.boosting import Growth
from sorb.learning.stages import stage_near

# ---- the choice ----


every_selection = pytest.mark.parametrize("selection", ["best", "near_best", "one_se"])
both_kinds = pytest.mark.parametrize(
    ("make", "plain"),
    [(small_classifier_cv, LLTBoostClassifier), (small_regressor_cv, LLTBoostRegressor)],
)


@every_selection
@both_kinds
def test_rules_are_grown_on_all_rows_and_each_size_gets_its_penalty(
    make, plain, selection, classes, numbers
):
    data = classes if plain is LLTBoostClassifier else numbers
    model = make(selection=selection, reg_lambdas=(0.1, 2.0, 10.0)).fit(*data)
    reg_lambda, complexity = model.curve_.choose(selection)
    assert model.reg_lambda_ == reg_lambda
    grown = plain(max_rules=3, reg_lambda=3.0, selection=None).fit(*data)
    sizes = {stage.complexity: _conditions(stage) for stage in grown.stages_}
    for stage in model.stages_:
        assert _conditions(stage) == sizes[stage.complexity]
        if stage.ensemble != model.ensemble_:
            assert stage.reg_lambda == model.curve_.best_penalty(stage.complexity)
    assert model.ensemble_ == stage_near(model.stages_, complexity).ensemble


@pytest.mark.parametrize("seed", [0, 1, 32])
def test_the_model_has_the_penalty_that_was_chosen(seed):
    """Refits with other penalties may leave it no better than a smaller model."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + (X[:, 1] > 0) + rng.normal(size=60)
    model = small_regressor_cv(
        max_rules=6, reg_lambdas=(0.0, 0.3, 3.0), selection="best", random_state=seed
    ).fit(X, y)
    reg_lambda, complexity = model.curve_.choose("best")
    assert complexity > 0
    assert model.reg_lambda_ == reg_lambda


def _conditions(stage):
    return [rule.condition for rule in stage.ensemble]


@pytest.mark.parametrize(
    ("reg_lambdas", "searched"),
    [
        ((0.1,), 0.1),
        ((0.0,), 0.0),
        ((1.0, 8.0), 3.0),
        ((1e300, 0.0), 3.0),
        ((9.0, 8.0), 8.0),
        ((0.5, 2.0), 2.0),
    ],
)
def test_rules_are_searched_for_with_the_penalty_nearest_to_three(
    reg_lambdas, searched, numbers, monkeypatch
):
    used = set()
    run = Growth.run
    monkeypatch.setattr(
        Growth, "run", lambda *args: (used.add(args[0].settings.reg_lambda), run(*args))
    )
    small_regressor_cv(reg_lambdas=reg_lambdas).fit(*numbers)
    assert used == {searched}


@every_selection
@both_kinds
def test_or_the_choice_is_grown_anew_with_its_penalty(make, plain, selection, classes, numbers):
    data = classes if plain is LLTBoostClassifier else numbers
    model = make(selection=selection, grow_once=False).fit(*data)
    reg_lambda, complexity = model.curve_.choose(selection)
    assert model.reg_lambda_ == reg_lambda
    again = plain(max_rules=3, reg_lambda=reg_lambda, selection=None).fit(*data)
    assert [s.ensemble for s in model.stages_] == [s.ensemble for s in again.stages_]
    assert model.ensemble_ == stage_near(again.stages_, complexity).ensemble


def test_noise_needs_no_rules():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    model = small_regressor_cv(cv=5, selection="one_se").fit(X, y)
    assert model.n_iter_ == 0


@pytest.mark.parametrize("cv", [None, 3])
def test_noise_in_nearly_equal_rows_needs_no_rules(cv):
    X, y, _ = noise_of_people()
    with pytest.warns(UserWarning, match="near_duplicates='apart'"):
        model = LLTBoostClassifierCV(cv=cv, n_repeats=2).fit(X, y)
    assert model.n_iter_ == 0


def test_groups_with_positive_counts_are_in_different_folds():
    """Groups were divided by their first rows, which may be zero."""
    for seed in range(4):
        X, _, _ = noise_of_people(seed=seed)
        y = np.zeros(len(X))
        y[[8, 50]] = 1
        with pytest.warns(UserWarning, match="nearly equal"):
            LLTBoostRegressorCV(loss="poisson", cv=2, n_repeats=3, max_rules=1).fit(X, y)


def test_a_splitter_decides_which_rows_stay_together():
    X, y, person = noise_of_people()
    model = LLTBoostClassifierCV(cv=GroupKFold(3), max_rules=3).fit(X, y, groups=person)
    assert model.n_iter_ == 0
    assert LLTBoostClassifierCV(cv=KFold(3, shuffle=True), max_rules=3).fit(X, y).n_iter_ > 0


def test_one_standard_error_is_simpler(numbers):
    best, simple = (
        small_regressor_cv(max_rules=10, cv=5, selection=selection).fit(*numbers)
        for selection in ("best", "one_se")
    )
    assert simple.ensemble_.complexity < best.ensemble_.complexity


def test_the_paper_chooses_among_its_own_penalties(classes):
    model = LLTBoostClassifierCV.paper(max_rules=3).fit(*classes)
    assert model.curve_.reg_lambda.tolist() == [1e-10, 1e-3, 0.1, 1.0, 10.0]
    assert model.score(*classes) > 0.9


def test_the_curve_is_kept_with_the_model(numbers):
    model = small_regressor_cv().fit(*numbers)
    reloaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(reloaded.curve_.risk, model.curve_.risk)


@pytest.mark.parametrize("regression", [False, True])
def test_what_a_coarse_table_determines_is_learned(regression):
    status = np.random.default_rng(0).integers(0, 4, 3000)
    cls = LLTBoostRegressorCV if regression else LLTBoostClassifierCV
    model = cls(max_rules=2, reg_lambdas=[1e-3], categorical_features=[0])
    model.fit(status[:, None], (status == 2).astype(float if regression else int))
    assert model.n_iter_ > 0
    assert model.curve_.risk.min() < 0.01


# ---- splits and groups ----


def test_masks_and_numbers_are_the_same_splits(numbers):
    X, y = numbers
    splits = list(KFold(3).split(X))
    masks = [tuple(np.isin(np.arange(len(y)), rows) for rows in split) for split in splits]
    models = [small_regressor_cv(cv=cv).fit(X, y) for cv in (splits, masks, iter(splits), KFold(3))]
    for model in models[1:]:
        np.testing.assert_array_equal(model.curve_.risk, models[0].curve_.risk)


def test_none_means_five_folds(numbers):
    default, none = (small_regressor_cv(cv=cv).fit(*numbers) for cv in (5, None))
    np.testing.assert_array_equal(default.curve_.risk, none.curve_.risk)


def test_the_rows_are_divided_into_folds_several_times(numbers, monkeypatch):
    started = []
    run = Growth.run
    monkeypatch.setattr(Growth, "run", lambda *args: (started.append(args[0]), run(*args)))
    model = small_regressor_cv(cv=3, n_repeats=4).fit(*numbers)
    assert len(started) == 3 * 4 + 1
    once = small_regressor_cv(cv=3, n_repeats=1).fit(*numbers)
    assert not np.array_equal(model.curve_.risk[:, -1], once.curve_.risk[:, -1])


def test_growing_anew_takes_a_growth_for_each_penalty(numbers, monkeypatch):
    started = []
    run = Growth.run
    monkeypatch.setattr(Growth, "run", lambda *args: (started.append(args[0]), run(*args)))
    small_regressor_cv(cv=3, grow_once=False).fit(*numbers)
    assert len(started) == 3 * len(PENALTIES) + 1


def test_splits_are_used_once(numbers):
    X, y = numbers
    splits = list(KFold(3).split(X))
    once, often = (small_regressor_cv(cv=splits, n_repeats=n).fit(X, y) for n in (1, 4))
    np.testing.assert_array_equal(once.curve_.risk, often.curve_.risk)


def test_groups_go_to_the_splitter(numbers):
    X, y = numbers
    groups = np.arange(len(y)) % 7
    grouped = small_regressor_cv(cv=GroupKFold(3)).fit(X, y, groups=groups)
    splits = list(GroupKFold(3).split(X, y, groups))
    given = small_regressor_cv(cv=splits).fit(X, y, groups=groups)
    np.testing.assert_allclose(grouped.curve_.risk, given.curve_.risk, rtol=1e-12)


def test_groups_are_routed(numbers):
    X, y = numbers
    groups = np.arange(len(y)) % 7
    with config_context(enable_metadata_routing=True):
        asking = small_regressor_cv(cv=GroupKFold(3)).set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), asking).fit(X, y, groups=groups)
    direct = small_regressor_cv(cv=GroupKFold(3))
    direct.fit(StandardScaler().fit_transform(X), y, groups=groups)
    np.testing.assert_array_equal(pipeline[-1].curve_.risk, direct.curve_.risk)


def test_groups_go_to_random_folds(numbers):
    X, y = numbers
    groups = np.arange(len(y)) % 7
    model = small_regressor_cv(n_repeats=1, cv=10).fit(X, y, groups=groups)
    splits = GroupKFold(7).split(X, y, groups)  # there are no more folds than groups
    each = small_regressor_cv(cv=list(splits)).fit(X, y, groups=groups)
    np.testing.assert_allclose(model.curve_.risk, each.curve_.risk, rtol=1e-9)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], "there are no splits"),
        ([(range(5), range(5, 10)), (range(5), [])], "validation rows of split 1 have no weight"),
        ([([], range(5))], "training rows of split 0 have no weight"),
        ([(range(5), range(8, 10))], "validation rows of split 0 have no weight"),
    ],
)
def test_empty_splits_are_refused(cv, message):
    X, weight = np.arange(10.0)[:, None], np.repeat([1.0, 0.0], [8, 2])
    cv = [tuple(np.array(part, dtype=int) for part in split) for split in cv]
    with pytest.raises(ValueError, match=message):
        small_regressor_cv(cv=cv).fit(X, X[:, 0], weight)


# ---- jobs, time, interruption ----


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_the_number_of_jobs_changes_nothing(numbers, backend):
    alone = small_regressor_cv().fit(*numbers)
    with parallel_config(backend):
        together = small_regressor_cv(n_jobs=2).fit(*numbers)
    np.testing.assert_array_equal(alone.curve_.risk, together.curve_.risk)
    assert alone.ensemble_ == together.ensemble_


def test_the_time_is_shared(ticking_clock):
    model = small_regressor_cv(max_rules=10**5, effort="low", max_seconds=80)
    model.fit(*noisy_table(300, 6))
    # Three fits get a share each, and the last one gets what they leave, about two shares.
    assert 15 <= model.stages_[-1].seconds <= 35
    assert model.curve_.complexity[-1] > 0


def test_an_interruption_of_the_last_fit_keeps_the_rules_so_far(numbers, monkeypatch):
    rows = len(numbers[1])
    interrupt_growth(monkeypatch, lambda growth: len(growth.rows) == rows)
    with pytest.warns(UserWarning, match="training was interrupted: the model keeps the 2 rules"):
        model = small_regressor_cv(max_rules=4, effort="low", selection="best").fit(*numbers)
    assert model.n_iter_ == 2


def test_an_interruption_before_the_choice_leaves_no_model(numbers, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("sorb.learning.cross_validation.Growth.run", interrupted)
    model = small_regressor_cv()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*numbers)
    assert not hasattr(model, "ensemble_")


@pytest.mark.parametrize("loss", ["poisson", "tweedie"])
def test_rare_claims_give_a_curve_of_ordinary_risks(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.zeros(200)
    y[:2] = 1.0
    for seed in range(5):
        model = small_regressor_cv(loss=loss, random_state=seed, reg_lambdas=(0.1, 1.0)).fit(X, y)
        assert model.curve_.risk.max() < 10


@pytest.mark.filterwarnings("error")
def test_a_model_that_rules_out_what_occurs_is_not_chosen():
    # Without a penalty, the rule that covers zeros alone votes as far down as floats go.
    x, amounts = np.repeat([0.0, 1.0], 30), 1.0 + np.arange(60) % 3
    X, y = np.append(x, x)[:, None], np.append(x * amounts, amounts)
    model = small_regressor_cv(loss="tweedie", power=1.999999, validation=None)
    model.set_params(cv=[(np.arange(60), np.arange(60, 120))], reg_lambdas=(0.0, 1.0))
    risk = model.fit(X, y).curve_.risk
    assert np.isinf(risk).any()
    assert model.reg_lambda_ == 1.0
