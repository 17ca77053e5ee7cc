import pickle
import time

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV
from sorb.learning.cross_validation import Curve
from sorb.learning.folds import random_folds
from sorb.learning.rows import Rows
from sorb.losses import LOSSES
from sorb.tables.reading import Schema
from sorb.tables.training import TrainingData

STRENGTHS = (0.1, 10.0)


@pytest.fixture(scope="module")
def classes():
    X, y = load_iris(return_X_y=True)
    return X, (y == 1).astype(int)


@pytest.fixture(scope="module")
def numbers():
    return load_diabetes(return_X_y=True)


def classifier(**parameters):
    return LLTBoostClassifierCV(**{"max_rules": 3, "reg_lambdas": STRENGTHS, "cv": 3, **parameters})


def regressor(**parameters):
    return LLTBoostRegressorCV(**{"max_rules": 3, "reg_lambdas": STRENGTHS, "cv": 3, **parameters})


# ---- the curve, by another way ----


def by_hand(plain, splits, X, y, weight, loss):
    """Held-out risks (strengths × folds × rules) from plain fits, one at a time."""
    risks = []
    for reg_lambda in STRENGTHS:
        for learn, held_out in splits:
            model = plain(max_rules=3, reg_lambda=reg_lambda, min_gain=None)
            model.fit(X[learn], y[learn], weight[learn])
            risks.append([loss(p, held_out) for p in staged(model, X[held_out])])
    return np.reshape(risks, (len(STRENGTHS), len(splits), 4))


def staged(model, X):
    return getattr(model, "staged_predict_proba", model.staged_predict)(X)


def test_the_risk_is_that_of_plain_fits_on_held_out_rows(classes):
    X, y = classes
    weight = 1.0 + np.arange(len(y)) % 4
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))

    def loss(p, rows):
        return log_loss(y[rows], p, sample_weight=weight[rows], labels=[0, 1])

    risks = by_hand(LLTBoostClassifier, splits, X, y, weight, loss)
    held_out = [weight[rows].sum() for _, rows in splits]
    curve = classifier(cv=splits, min_gain=None).fit(X, y, weight).curve_
    np.testing.assert_allclose(curve.risk, np.average(risks, axis=1, weights=held_out))


def test_the_spread_is_the_standard_error_over_folds(numbers):
    X, y = (values[:441] for values in numbers)
    splits = list(KFold(3).split(X))

    def loss(p, rows):
        return np.mean((y[rows] - p) ** 2) / 2

    risks = by_hand(LLTBoostRegressor, splits, X, y, np.ones(len(y)), loss)
    curve = regressor(cv=splits, min_gain=None).fit(X, y).curve_
    np.testing.assert_allclose(curve.risk, risks.mean(axis=1))
    np.testing.assert_allclose(curve.spread, risks.std(axis=1, ddof=1) / np.sqrt(3))


def test_the_complexity_is_the_mean_over_folds(numbers):
    X, y = numbers
    splits = list(KFold(2).split(X))
    plain = LLTBoostRegressor(max_rules=3, reg_lambda=0.1, min_gain=None)
    paths = [plain.fit(X[learn], y[learn]).stages_ for learn, _ in splits]
    expected = [[stage.ensemble.complexity for stage in path] for path in paths]
    curve = regressor(cv=splits, min_gain=None).fit(X, y).curve_
    np.testing.assert_array_equal(curve.complexity[0], np.mean(expected, axis=0))


def test_a_path_that_ended_early_keeps_its_last_risk():
    X = np.repeat(np.arange(4.0), 10)[:, None]
    curve = regressor(max_rules=30).fit(X, np.arange(40) % 10 + 0.0).curve_
    assert curve.risk.shape == curve.spread.shape == curve.complexity.shape == (2, 31)
    assert (curve.risk[:, -1] == curve.risk[:, -2]).all()
    assert (curve.complexity[:, -1] == curve.complexity[:, -2]).all()


def test_one_fold_has_no_spread(numbers):
    X, y = numbers
    model = regressor(cv=[(np.arange(300), np.arange(300, len(y)))], selection="one_se").fit(X, y)
    assert not model.curve_.spread.any()


# ---- the choice ----


def made_curve(risk, spread=0.0, complexity=None):
    risk = np.array(risk)
    counted = np.tile(3.0 * np.arange(risk.shape[1]), (len(risk), 1))
    return Curve(
        np.array([0.1, 1.0][: len(risk)]),
        risk,
        np.full(risk.shape, spread),
        counted if complexity is None else np.array(complexity),
    )


def test_the_lowest_risk_is_best():
    assert made_curve([[0.7, 0.5, 0.4], [0.7, 0.3, 0.35]]).choose("best") == (1.0, 1)


def test_of_equal_risks_the_simplest_is_best():
    assert made_curve([[0.7, 0.3, 0.3], [0.7, 0.4, 0.3]]).choose("best") == (0.1, 1)


def test_of_equal_risks_and_complexities_the_strongest_penalty_is_best():
    assert made_curve([[0.7, 0.3], [0.7, 0.3]]).choose("best") == (1.0, 1)


def test_within_one_standard_error_the_simplest_is_chosen():
    curve = made_curve([[0.7, 0.42, 0.36], [0.7, 0.5, 0.35]], spread=0.1)
    assert curve.choose("best") == (1.0, 2)
    assert curve.choose("one_se") == (0.1, 1)


def test_within_one_standard_error_complexity_counts_and_not_rules():
    curve = made_curve([[0.7, 0.31, 0.3]], spread=0.1, complexity=[[0.0, 7.0, 6.0]])
    assert curve.choose("one_se") == (0.1, 2)


def test_the_standard_error_is_that_of_the_best():
    curve = Curve(
        np.array([1.0]),
        risk=np.array([[0.7, 0.5, 0.3]]),
        spread=np.array([[9.0, 9.0, 0.1]]),
        complexity=np.array([[0.0, 3.0, 6.0]]),
    )
    assert curve.choose("one_se") == (1.0, 2)


@pytest.mark.parametrize("selection", ["best", "one_se"])
@pytest.mark.parametrize("make", [classifier, regressor])
def test_the_choice_is_refitted_on_all_rows(make, selection, classes, numbers):
    data = classes if make is classifier else numbers
    plain = LLTBoostClassifier if make is classifier else LLTBoostRegressor
    model = make(selection=selection).fit(*data)
    assert (model.reg_lambda_, model.n_rules_) == model.curve_.choose(selection)
    again = plain(max_rules=model.n_rules_, reg_lambda=model.reg_lambda_).fit(*data)
    assert [s.ensemble for s in model.stages_] == [s.ensemble for s in again.stages_]
    assert model.n_iter_ <= model.n_rules_


def test_noise_needs_no_rules():
    rng = np.random.default_rng(0)
    model = regressor(cv=5, selection="one_se").fit(rng.normal(size=(200, 3)), rng.normal(size=200))
    assert model.n_rules_ == 0


def test_one_standard_error_is_simpler(numbers):
    best, simple = (
        regressor(max_rules=10, cv=5, selection=selection).fit(*numbers)
        for selection in ("best", "one_se")
    )
    assert simple.ensemble_.complexity < best.ensemble_.complexity


def test_the_paper_chooses_among_its_own_strengths(classes):
    model = LLTBoostClassifierCV.paper(max_rules=3).fit(*classes)
    assert model.curve_.reg_lambda.tolist() == [1e-10, 1e-3, 0.1, 1.0, 10.0]
    assert model.score(*classes) > 0.9


# ---- the folds ----


def problem_of(X, y, weight=None, loss="squared", classes=None):
    weight = np.ones(len(X)) if weight is None else weight
    columns = Schema.of_numbers(tuple(f"x{j}" for j in range(X.shape[1])))
    return TrainingData(X, y.astype(float), weight, columns, LOSSES[loss], classes)


def test_copies_of_a_row_are_in_the_same_fold():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 300, size=300)
    X, y = rng.normal(size=(300, 2))[rows], rng.normal(size=300)[rows]
    for fold in random_folds(problem_of(X, y), 5, seed=0):
        learned = {tuple(row) for row in X[fold.training > 0]}
        held_out = {tuple(row) for row in X[fold.validation]}
        assert not learned & held_out
        assert learned | held_out == {tuple(row) for row in X}
        assert fold.training.sum() + fold.validation_weight.sum() == 300


def test_the_curve_of_a_coarse_table_is_that_of_its_probabilities():
    # Ten different rows only: smokers or not in five regions, and each of them ill or healthy.
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 2000), rng.integers(0, 5, 2000)])
    chance = np.where(X[:, 0] == 1, 0.8, 0.2)
    y = rng.random(2000) < chance
    model = LLTBoostClassifierCV(max_rules=3, reg_lambdas=[1.0]).fit(X, y)
    assert model.curve_.risk[0, 1] == pytest.approx(log_loss(y, chance), abs=0.01)
    assert model.ensemble_.rules[0].condition.columns == ("x0",)


def noise(seed, n, levels, share):
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, size=(n, 3)), (rng.random(n) < share).astype(int)


@pytest.mark.parametrize("scale", ["ones", "inverse propensities", "classes"])
def test_weights_that_count_nothing_divide_no_row_between_folds(scale):
    X, y = noise(0, 300, 4, 0.1)
    weight = np.ones(300)
    if scale == "inverse propensities":
        weight = 1 / np.random.default_rng(1).uniform(0.02, 0.9, 300)
    model = LLTBoostClassifier(class_weight="balanced" if scale == "classes" else None)
    data = model._training_data(X, y, weight)
    for fold in random_folds(data, 5, seed=0):
        # Rows of the table are the smallest parts: some may be merged, none is divided.
        rows = Rows.of(data)
        share = fold.training[rows.origin] / rows.weight * rows.count
        assert share == pytest.approx(np.rint(share))


def test_small_weights_change_nothing_in_a_coarse_table():
    rng = np.random.default_rng(0)
    place = rng.integers(0, 4, 2000)
    y = rng.random(2000) < np.array([0.1, 0.4, 0.6, 0.9])[place]
    models = [
        LLTBoostClassifierCV(reg_lambdas=[s], max_rules=3).fit(
            place[:, None], y, sample_weight=np.full(2000, s)
        )
        for s in (1.0, 0.5, 2.0**-12)
    ]
    assert models[0].n_rules_ > 0
    for other in models[1:]:
        assert other.curve_.risk == pytest.approx(models[0].curve_.risk)


@pytest.mark.parametrize("regression", [False, True])
def test_what_a_coarse_table_determines_is_learned(regression):
    status = np.random.default_rng(0).integers(0, 4, 3000)
    cls = LLTBoostRegressorCV if regression else LLTBoostClassifierCV
    model = cls(max_rules=2, reg_lambdas=[1e-3], categorical_features=[0])
    model.fit(status[:, None], (status == 2).astype(float if regression else int))
    assert model.n_rules_ > 0
    assert model.curve_.risk.min() < 0.01


def test_every_row_is_held_out_once(numbers):
    found = random_folds(problem_of(*numbers), 5, seed=0)
    held_out = np.concatenate([fold.validation for fold in found])
    assert sorted(held_out) == list(range(len(numbers[1])))
    assert max(len(fold.validation) for fold in found) - min(len(f.validation) for f in found) <= 1


def test_classes_are_dealt_one_by_one(classes):
    X, y = classes
    data = problem_of(X, y, loss="logistic", classes=np.array([0, 1]))
    for fold in random_folds(data, 5, seed=0):
        copies = fold.validation_weight[y[fold.validation] == 1].sum()
        assert abs(copies - y.sum() / 5) <= 2  # a few rows of this table have copies


def test_the_seed_deals_the_folds(numbers):
    data = problem_of(*numbers)
    first, again, other = (random_folds(data, 3, seed)[0].validation.tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_no_more_folds_than_rows():
    X = np.repeat(np.arange(3.0), 4)[:, None]
    assert len(random_folds(problem_of(X, X[:, 0]), 5, seed=0)) == 3


def test_masks_and_numbers_are_the_same_splits(numbers):
    X, y = numbers
    splits = list(KFold(3).split(X))
    masks = [tuple(np.isin(np.arange(len(y)), rows) for rows in split) for split in splits]
    models = [regressor(cv=cv).fit(X, y) for cv in (splits, masks, iter(splits), KFold(3))]
    for model in models[1:]:
        np.testing.assert_array_equal(model.curve_.risk, models[0].curve_.risk)


def test_none_means_five_folds(numbers):
    default, none = (regressor(cv=cv).fit(*numbers) for cv in (5, None))
    np.testing.assert_array_equal(default.curve_.risk, none.curve_.risk)


def test_groups_go_to_the_splitter(numbers):
    X, y = numbers
    groups = np.arange(len(y)) % 7
    grouped = regressor(cv=GroupKFold(3)).fit(X, y, groups=groups)
    given = regressor(cv=list(GroupKFold(3).split(X, y, groups))).fit(X, y)
    np.testing.assert_array_equal(grouped.curve_.risk, given.curve_.risk)


def test_groups_are_routed(numbers):
    X, y = numbers
    groups = np.arange(len(y)) % 7
    with config_context(enable_metadata_routing=True):
        asking = regressor(cv=GroupKFold(3)).set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), asking).fit(X, y, groups=groups)
    assert pipeline[-1].curve_.risk.shape == (2, 4)


def test_groups_need_a_splitter(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match="groups need a splitter"):
        regressor().fit(X, y, groups=np.zeros(len(y)))


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
        regressor(cv=cv).fit(X, X[:, 0], weight)


@pytest.mark.parametrize("labels", [2, 3])
def test_a_class_may_be_missing_from_the_training_rows(labels):
    X = np.arange(30.0)[:, None]
    y = np.repeat(np.arange(labels), 30 // labels)
    model = classifier(cv=KFold(labels)).fit(X, y)
    assert np.isfinite(model.curve_.risk).all()
    assert model.classes_.tolist() == list(range(labels))


def test_rare_classes_are_learned():
    X = np.arange(40.0)[:, None]
    y = np.where(np.arange(40) == 20, "rare", np.where(np.arange(40) < 20, "low", "high"))
    model = classifier(cv=5).fit(X, y)
    assert np.isfinite(model.curve_.risk).all()
    assert model.score(X, y) > 0.9


# ---- jobs, time, interruption ----


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_the_number_of_jobs_changes_nothing(numbers, backend):
    alone = regressor().fit(*numbers)
    with parallel_config(backend):
        together = regressor(n_jobs=2).fit(*numbers)
    np.testing.assert_array_equal(alone.curve_.risk, together.curve_.risk)
    assert alone.ensemble_ == together.ensemble_


def noisy_table(n=300):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 6)), rng.normal(size=n)


def test_the_time_is_shared():
    model = regressor(max_rules=10**5, min_gain=None, max_seconds=0.7)
    start = time.perf_counter()
    model.fit(*noisy_table())
    assert time.perf_counter() - start < 2
    assert model.curve_.complexity[:, -1].min() > 0


def test_an_interruption_before_the_choice_leaves_no_model(numbers, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("sorb.learning.cross_validation.boost", interrupted)
    model = regressor()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*numbers)
    assert not hasattr(model, "ensemble_")


def test_progress_of_the_last_fit_is_shown(classes, capsys):
    model = classifier(verbose=1).fit(*classes)
    assert len(capsys.readouterr().out.splitlines()) == model.n_rules_ + 1


def test_fits_are_counted_on_a_terminal(classes, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    classifier(verbose=1, cv=3).fit(*classes)
    shown = capsys.readouterr().out
    assert "cross-validation, fit" in shown
    assert f"{3 * len(STRENGTHS)}/{3 * len(STRENGTHS)}" in shown


def test_the_curve_is_kept_with_the_model(numbers):
    model = regressor().fit(*numbers)
    reloaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(reloaded.curve_.risk, model.curve_.risk)


def test_counts_are_chosen_by_their_deviance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = rng.poisson(np.exp(X[:, 0]))
    model = LLTBoostRegressorCV(loss="poisson", max_rules=5, reg_lambdas=STRENGTHS).fit(X, y)
    assert model.n_rules_ > 0
    assert model.curve_.risk.min() < 0.8 * model.curve_.risk[0, 0]
