from dataclasses import replace

import numpy as np
import pytest
from learning.growths import settings, table
from sklearn.model_selection import GroupKFold, RepeatedKFold

from sorb.learning.boosting import Growth, first_model
from sorb.learning.cross_validation import Plan, cross_validate
from sorb.learning.fitted_rules import FittedRules, Problem, Term
from sorb.learning.folds import folds_from_splits, random_folds
from sorb.learning.rows import Rows
from sorb.losses import LOSSES, loss_by_name
from sorb.tables.schema import Schema
from sorb.tables.training import TrainingData

every_loss = pytest.mark.parametrize("name", list(LOSSES))
PENALTIES = (0.1, 30.0)


def data_of(name, X, y, weight=None):
    """Training data in which whole weights are copies."""
    classes = {"softmax": np.arange(3), "logistic": np.arange(2)}.get(name)
    weight = np.ones(len(X)) if weight is None else weight.astype(float)
    schema, loss = Schema.of_numbers(("a", "b", "c")), loss_by_name(name)
    return TrainingData(X, y, weight, schema, loss, classes, count=weight)


def small_data(name="squared", n=60):
    X, y = table(name, n=n)
    weight = np.random.default_rng(1).integers(1, 4, n)
    return data_of(name, X, y, weight)


def plan(name="squared", reg_lambdas=PENALTIES, reg_lambda=0.5, **options):
    options = {"max_rules": 3, "revisits": 1, **options}
    return Plan(replace(settings(name, **options), reg_lambda=reg_lambda), reg_lambdas)


# ---- the curve, computed another way ----


def stages_of_fold(data, fold, plan):
    rows = Rows.of(data, fold.training, fold.count)
    growth = Growth.begin(rows, replace(plan.settings, revisits=0), first_model(data))
    growth.run()
    return growth.stages


def refit(data, fold, ensemble, reg_lambda):
    """A model with the votes that suit the training rows of a fold, and its objective there."""
    rows = Rows.of(data, fold.training, fold.count)
    terms = tuple(Term.of(rule.condition, rule.output, rows) for rule in ensemble)
    problem = Problem.of(rows, data.loss, reg_lambda)
    model = FittedRules.with_terms(problem, terms, len(ensemble.offsets))
    return model.ensemble(first_model(data)), model.objective


def risk_by_hand(data, folds, plan, reg_lambda, budget):
    """Let each fold choose its best model within the budget, and predict."""
    losses = weight = 0.0
    for fold in folds:
        stages = [s for s in stages_of_fold(data, fold, plan) if s.complexity <= budget]
        models = [refit(data, fold, stage.ensemble, reg_lambda) for stage in stages]
        best, _ = min(models, key=lambda model: model[1])
        rows = fold.validation
        losses += fold.validation_weight @ data.loss.value(data.y[rows], best(data.X[rows]))
        weight += fold.validation_weight.sum()
    return losses / weight


@every_loss
def test_the_risk_is_that_of_refitted_models_on_validation_rows(name):
    data = small_data(name)
    folds = random_folds(data, 3, seed=0)
    curve = cross_validate(data, folds, [plan(name)])
    expected = [
        [risk_by_hand(data, folds, plan(name), value, c) for c in curve.complexity]
        for value in PENALTIES
    ]
    np.testing.assert_allclose(curve.risk, expected, rtol=1e-6)


def test_the_budgets_end_with_the_largest_model_of_any_fold():
    data = small_data()
    folds = random_folds(data, 3, seed=0)
    largest = max(stages_of_fold(data, fold, plan())[-1].complexity for fold in folds)
    curve = cross_validate(data, folds, [plan()])
    assert curve.complexity.tolist() == list(range(largest + 1))
    assert curve.risk.shape == curve.standard_error.shape == (2, largest + 1)


def test_without_rules_the_penalty_does_not_matter():
    data = small_data()
    curve = cross_validate(data, random_folds(data, 3, seed=0), [plan()])
    np.testing.assert_array_equal(curve.risk[0, :3], curve.risk[1, 0])


def test_each_plan_has_its_own_penalties():
    data = small_data()
    folds = random_folds(data, 3, seed=0)
    plans = [plan(reg_lambdas=(0.1, 30.0)), plan(reg_lambdas=(3.0,), reg_lambda=3.0, max_rules=4)]
    curve = cross_validate(data, folds, plans)
    assert curve.reg_lambda.tolist() == [0.1, 30.0, 3.0]
    for places, one in ((slice(0, 2), plans[0]), (slice(2, 3), plans[1])):
        alone = cross_validate(data, folds, [one])
        np.testing.assert_array_equal(alone.risk, curve.risk[places, : len(alone.complexity)])
        # Beyond its largest model, a plan keeps that one.
        beyond = curve.risk[places, len(alone.complexity) :]
        np.testing.assert_array_equal(beyond, np.repeat(alone.risk[:, -1:], beyond.shape[1], 1))


def test_rows_in_random_folds_tell_how_much_the_risk_varies():
    """The error shrinks with the root of the number of rows."""
    errors = []
    for n in (200, 3200):
        data = data_of("squared", *table("squared", n=n))
        curve = cross_validate(data, random_folds(data, 3, seed=0), [plan(max_rules=0)])
        deviation = np.std((data.y - data.y.mean()) ** 2 / 2, ddof=1)
        errors.append(curve.standard_error[0, 0] / (deviation / np.sqrt(n)))
    assert errors == pytest.approx([1, 1], abs=0.35)


def test_rows_that_validate_in_several_splits_say_no_more():
    X, y = table("squared", n=200)
    data = data_of("squared", X, y)
    errors = [
        cross_validate(
            data,
            folds_from_splits(
                data, RepeatedKFold(n_splits=4, n_repeats=n, random_state=0).split(X)
            ),
            [plan(max_rules=1)],
        ).standard_error[0, [0, -1]]
        for n in (1, 9)
    ]
    np.testing.assert_allclose(errors[1], errors[0], rtol=0.35)


def test_rows_of_a_group_are_not_independent():
    group = np.repeat(np.arange(30), 20)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 3)), rng.normal(size=30)[group] + 0.1 * rng.normal(size=600)
    data = data_of("squared", X, y)
    splits = list(GroupKFold(5).split(X, y, group))
    alone, grouped = (
        cross_validate(each, folds_from_splits(each, splits), [plan(max_rules=0)])
        for each in (data, replace(data, group=group))
    )
    # The same losses: rows and groups divide them into other blocks, which are added up in turn, so
    # that the sums are rounded differently.
    np.testing.assert_allclose(alone.risk, grouped.risk, rtol=1e-12)
    of_groups = [np.mean((y[group == k] - y.mean()) ** 2 / 2) for k in range(30)]
    expected = np.std(of_groups, ddof=1) / np.sqrt(30)
    assert grouped.standard_error[0, 0] == pytest.approx(expected, rel=0.3)
    assert alone.standard_error[0, 0] < expected / 2


def test_folds_are_grown_without_revisits():
    data = small_data()
    folds = random_folds(data, 3, seed=0)
    none, more = (
        cross_validate(data, folds, [plan(revisits=n, small_models=True)]).risk for n in (0, 10)
    )
    np.testing.assert_array_equal(none, more)


def test_each_repeat_has_draws_of_its_own():
    data = small_data()
    (fold, *_) = random_folds(data, 3, seed=0)
    first, again, other = (
        cross_validate(data, [replace(fold, repeat=k)], [plan()]).risk for k in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first[:, -1], other[:, -1])


def test_the_risks_of_repeats_are_averaged():
    data = small_data()
    folds = random_folds(data, 3, seed=0, n_repeats=2)
    both = cross_validate(data, folds, [plan()])
    first, second = (
        cross_validate(data, [fold for fold in folds if fold.repeat == k], [plan()]).risk
        for k in (0, 1)
    )
    n = min(first.shape[1], second.shape[1])
    mean = (first[:, :n] + second[:, :n]) / 2
    np.testing.assert_allclose(both.risk[:, :n], mean, rtol=1e-12)


def test_repeats_say_no_more_about_how_much_the_risk_varies():
    data = data_of("squared", *table("squared", n=200))
    once, often = (
        cross_validate(data, random_folds(data, 3, 0, n), [plan(max_rules=1)]).standard_error
        for n in (1, 9)
    )
    # Nine independent samples would have a third of the error.
    np.testing.assert_allclose(often[0, [0, -1]], once[0, [0, -1]], rtol=0.2)


def test_a_fold_with_one_row_has_one_block():
    data = data_of("squared", *table("squared", n=20))
    folds = folds_from_splits(data, [(np.arange(19), [19])])
    curve = cross_validate(data, folds, [plan()])
    assert not curve.standard_error.any()


def test_without_folds_nothing_is_known():
    curve = cross_validate(small_data(), [], [plan()])
    assert curve.risk.shape == (2, 1)
    assert np.isnan(curve.risk).all()


def test_every_growth_is_counted():
    data, done = small_data(), []
    plans = [plan(max_rules=1), plan(max_rules=1)]
    cross_validate(data, random_folds(data, 3, seed=0), plans, lambda: done.append(1))
    assert len(done) == 6


# ---- what must not matter ----


def curve_of(data):
    return cross_validate(data, random_folds(data, 3, seed=0), [plan(data.loss.name)])


def assert_same_curves(one, other):
    np.testing.assert_allclose(one.risk, other.risk, rtol=1e-9)
    np.testing.assert_allclose(one.standard_error, other.standard_error, rtol=1e-9)
    np.testing.assert_allclose(one.gain_error, other.gain_error, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.excess_error, other.excess_error, rtol=1e-9, atol=1e-12)


@every_loss
def test_a_weight_means_copies_of_the_row(name):
    data = small_data(name)
    rows = np.repeat(np.arange(len(data.y)), data.weight.astype(int))
    assert_same_curves(curve_of(data), curve_of(data_of(name, data.X[rows], data.y[rows])))


@every_loss
def test_the_order_of_the_rows_does_not_matter(name):
    data = small_data(name)
    rows = np.random.default_rng(0).permutation(len(data.y))
    shuffled = data_of(name, data.X[rows], data.y[rows], data.weight[rows])
    assert_same_curves(curve_of(data), curve_of(shuffled))


def test_the_number_of_jobs_does_not_matter():
    data = small_data()
    folds = random_folds(data, 3, seed=0)
    one, two = (
        cross_validate(data, folds, [plan()], n_jobs=n, backend="threading") for n in (1, 2)
    )
    np.testing.assert_array_equal(one.risk, two.risk)


def test_a_row_that_a_split_names_several_times_is_as_many_rows():
    # On a coarse table, copies are observations of their own, which bags divide.
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 3)).astype(float), rng.integers(0, 2, 60).astype(float)
    chosen = rng.integers(0, 40, 120)
    data = data_of("logistic", X, y)
    curve = cross_validate(
        data, folds_from_splits(data, [(chosen, np.arange(40, 60))]), [plan("logistic")]
    )
    rows = np.append(chosen, np.arange(40, 60))
    copied = data_of("logistic", X[rows], y[rows])
    split = [(np.arange(120), np.arange(120, 140))]
    expected = cross_validate(copied, folds_from_splits(copied, split), [plan("logistic")])
    assert_same_curves(curve, expected)
