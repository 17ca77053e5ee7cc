"""A table in memory behind two questions: samples, and sums by group."""

from dataclasses import replace

import numpy as np
import pytest
from learning.growths import table as small_table

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.learning.rows import Rows, collect_rows
from sorb.learning.whole_table import (
    ArrayTable,
    SamplingPlan,
    plan_sample,
)
from sorb.losses import loss_by_name
from sorb.rules import Condition, Proposition
from sorb.tables.row_keys import LIMIT
from sorb.tables.schema import Schema
from sorb.tables.training import TrainingData


def data_of(X, y, weight=None, loss="logistic", classes=(0, 1), **others):
    weight = np.ones(len(y)) if weight is None else weight
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    labels = None if classes is None else np.array(classes)
    others = {"count": np.ones(len(y)), **others}
    return TrainingData(
        X, y, weight, Schema.of_numbers(names), loss_by_name(loss), labels, **others
    )


def some_rows(n=20_000, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(0, 2, n).astype(float)


def test_a_small_table_is_its_own_sample():
    data = data_of(*some_rows(100))
    assert ArrayTable(data).sample(100, 0) is data
    assert ArrayTable(data).sample(None, 0) is data


def test_a_sample_has_about_as_many_rows_as_it_should():
    table = ArrayTable(data_of(*some_rows()))
    sample = table.sample(2000, 0)
    assert sample.sampled
    assert len(sample.X) == pytest.approx(2000, rel=0.1)
    np.testing.assert_array_equal(sample.X, table.data.X[sample.origin])
    np.testing.assert_array_equal(sample.y, table.data.y[sample.origin])
    assert (sample.weight == 1).all()


def test_copies_of_a_row_are_drawn_together():
    X, y = some_rows(3000)
    copies = np.random.default_rng(1).integers(1, 4, len(X))
    rows = np.repeat(np.arange(len(X)), copies)
    sample = ArrayTable(data_of(X[rows], y[rows])).sample(500, 0)
    drawn = np.bincount(rows[sample.origin], minlength=len(X))
    assert set(np.flatnonzero(drawn)) == set(np.flatnonzero(drawn == copies))
    weighted = ArrayTable(data_of(X, y, copies.astype(float), count=copies.astype(float)))
    assert set(weighted.sample(500, 0).origin) == set(np.flatnonzero(drawn))


def test_a_table_of_few_different_rows_is_its_own_sample():
    rng = np.random.default_rng(0)
    data = data_of(rng.integers(0, 3, (5000, 3)).astype(float), rng.integers(0, 2, 5000) * 1.0)
    assert ArrayTable(data).sample(60, 0) is data


def test_rows_without_weight_are_neither_counted_nor_drawn():
    X, y = some_rows(4000)
    weight = (np.arange(4000) % 2).astype(float)
    X[weight == 0] *= 1e6
    sample = ArrayTable(data_of(X, y, weight, count=weight)).sample(500, 0)
    assert (sample.weight > 0).all()
    assert len(sample.X) == pytest.approx(500, rel=0.2)


def test_rare_classes_are_drawn_more_often_and_weigh_less():
    X, _ = some_rows(50_000)
    y = (np.arange(50_000) % 1000 == 0).astype(float)
    sample = ArrayTable(data_of(X, y)).sample(1000, 0)
    rare = sample.y == 1
    assert np.count_nonzero(rare) == 50  # one in twenty would be as many as there are
    assert sample.weight[rare].sum() / sample.weight.sum() == pytest.approx(0.001, rel=0.2)
    assert (sample.weight[~rare] == 1).all()


def test_categories_that_are_not_drawn_are_forgotten():
    X, y = some_rows(3000, 2)
    X[:, 1] = np.arange(3000) % 3
    X[7, 1] = 3.0
    schema = Schema(("x0", "x1"), (None, ("a", "b", "c", "only once")))
    table = ArrayTable(replace(data_of(X, y), schema=schema))
    samples = [table.sample(300, seed) for seed in range(3)]
    sample = next(sample for sample in samples if 7 not in sample.origin)
    assert sample.schema.categories[1] == ("a", "b", "c")
    np.testing.assert_array_equal(sample.X[:, 1], X[sample.origin, 1])


def test_a_plan_draws_no_class_less_often_than_the_others():
    plan = SamplingPlan.of(1000, [90_000, 100, 9_900])
    assert plan.limits == (int(LIMIT * 0.01), int(LIMIT * (1000 / 30) / 100), int(LIMIT * 0.01))
    assert plan.factors == pytest.approx((1.0, 0.01 / (10 / 30), 1.0))


def test_a_class_of_which_no_key_was_seen_is_drawn_as_a_whole():
    plan = SamplingPlan.of(1000, [90_000, 0.0])
    assert plan.limits[1] == LIMIT
    assert plan.factors[1] == pytest.approx(1000 / 90_000)


@pytest.mark.parametrize("total", [5_000, 10**6, 10**9])
def test_the_share_is_right_although_keys_coincide(total):
    n_rows = 1000

    def count_keys(digits, limit):
        return [int(limit * -np.expm1(-total / LIMIT))]  # as many as chance leaves different

    plan = plan_sample(n_rows, total, count_keys)
    assert plan.limits[0] / LIMIT * total == pytest.approx(n_rows, rel=0.01)
    assert plan.digits == 1


@pytest.mark.parametrize("total", [10**7, 10**20, 1e300])  # of whole numbers, as weights may be
def test_copies_are_counted_until_there_are_enough_different_rows(total):
    limits = []

    def count_keys(digits, limit):
        limits.append(limit)
        assert len(limits) < 100
        return [round(2000 * limit / LIMIT)]

    plan = plan_sample(1000, total, count_keys)
    assert plan.limits[0] / LIMIT == pytest.approx(0.5, rel=0.01)
    assert 1 < len(limits) < 12


@pytest.mark.parametrize(("distinct", "digits"), [((50, 9000, 9000), 2), ((50, 100, 9000), 3)])
def test_as_few_digits_as_tell_rows_apart_are_chosen(distinct, digits):
    plan = plan_sample(1000, 10_000, lambda digits, limit: [distinct[digits - 1] * limit // LIMIT])
    assert plan.digits == digits


def test_the_digits_are_chosen_by_enough_keys_if_weights_are_large():
    """At first a limit for so large a total leaves no key at all."""
    distinct = (50, 9000, 9000)
    plan = plan_sample(1000, 10**15, lambda digits, limit: [distinct[digits - 1] * limit // LIMIT])
    assert plan.digits == 2


def far_away(n=20_000):
    """A regression in which a few values are far away from all others."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, 3))
    X[:3] *= 1e9
    return X, 2.0 * (X[:, 0] > X[:, 1]) + rng.normal(scale=0.1, size=n)


def test_values_that_are_far_away_do_not_spoil_a_sample():
    X, y = far_away()
    sample = ArrayTable(data_of(X, y, loss="squared", classes=None)).sample(2000, 0)
    assert len(sample.X) == pytest.approx(2000, rel=0.1)
    means = [
        ArrayTable(data_of(X[3:], y[3:], loss="squared", classes=None)).sample(2000, s).y.mean()
        for s in range(5)
    ]
    assert sample.y.mean() == pytest.approx(y.mean(), abs=0.1)
    assert np.mean(means) == pytest.approx(y.mean(), abs=0.05)


@pytest.mark.parametrize("n_copies", [1, 3])
def test_rows_close_to_each_other_are_not_drawn_all_at_once(n_copies):
    """A region of 4 % of the rows, which would have one step of a column."""
    rng = np.random.default_rng(0)
    x = np.concatenate((rng.uniform(0, 4, 2000), rng.uniform(0, 1e7, 48_000)))
    X = np.repeat(x, n_copies)[:, None]
    for seed in range(3):
        sample = ArrayTable(data_of(X, (X[:, 0] > 5e6) * 1.0)).sample(10_000, seed)
        assert np.mean(sample.X < 4) == pytest.approx(0.04, rel=0.25)


def test_a_rare_class_with_copies_is_in_the_sample():
    X, _ = some_rows(5000)
    X = np.repeat(X, 10, axis=0)
    y = np.zeros(len(X))
    y[:3000] = 1.0
    X[:3000] = X[0]  # one row of the rare class, many times
    sample = ArrayTable(data_of(X, y)).sample(500, 0)
    rare = sample.y == 1
    assert np.count_nonzero(rare) == 3000
    assert sample.weight[rare].sum() / sample.weight.sum() == pytest.approx(0.06, rel=0.2)


def some_conditions():
    return [
        Condition((Proposition(("x0",), (1.0,), 0.1),)),
        Condition(
            (Proposition(("x0", "x2"), (1.0, -0.5), 0.3), Proposition(("x1",), (-1.0,), 0.0))
        ),
    ]


@pytest.mark.parametrize("name", ["squared", "logistic", "softmax", "poisson", "gamma", "tweedie"])
def test_sums_are_those_of_the_rows_that_are_covered_alike(name):
    X, y = small_table(name, n=20_000)
    weight = np.random.default_rng(0).exponential(size=len(y))
    classes = {"logistic": (0, 1), "softmax": (0, 1, 2)}.get(name)
    data = data_of(X, y, weight, name, classes)
    shift = 1.5 if name == "squared" else 0.0
    conditions = some_conditions()
    sums = ArrayTable(data).sums(conditions, shift)
    covered = [condition(X, columns=data.columns) for condition in conditions]
    for here in {(a, b) for a, b in zip(*covered, strict=True)}:
        rows = (covered[0] == here[0]) & (covered[1] == here[1])
        groups = np.all([sums.covered[c] == h for c, h in zip(conditions, here, strict=True)], 0)
        assert sums.weight[groups].sum() == pytest.approx(weight[rows].sum())
        total = (sums.weight * sums.y)[groups].sum()
        assert total == pytest.approx((weight * (y - shift))[rows].sum())
        for k in range(3 if name == "softmax" else 0):
            of_class = sums.weight[groups & (sums.y == k)].sum()
            assert of_class == pytest.approx(weight[rows & (y == k)].sum())
    assert sums.constant == pytest.approx(data.loss.mean_constant(y - shift, weight))


def test_votes_are_fitted_to_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = 2.0 * (X[:, 0] + X[:, 1] > 0.5) + rng.normal(size=4000)
    model = LLTBoostRegressor(max_rules=2, search_rows=100, reg_lambda=0.5, selection=None)
    model.fit(X, y)
    covered = model.transform(X)
    votes = [rule.vote for rule in model.ensemble_]
    residual = y - model.predict(X)
    assert residual.sum() == pytest.approx(0.0, abs=1e-8)
    np.testing.assert_allclose(covered.T @ residual, 2 * 0.5 * np.array(votes), atol=1e-8)
    assert model.stages_[-1].train_risk == pytest.approx((residual**2).mean() / 2)


@pytest.mark.parametrize("cv", [3, "splits"])
def test_splits_are_about_the_rows_of_the_whole_table(cv):
    from sorb import LLTBoostClassifierCV

    X, y = some_rows(3000)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    splits = [(np.arange(0, 1500), np.arange(1500, 3000))] if cv == "splits" else cv
    model = LLTBoostClassifierCV(max_rules=2, search_rows=60, cv=splits, n_repeats=1).fit(X, y)
    assert model.score(X, y) > 0.9


def test_enough_rows_validate_in_fewer_folds(monkeypatch):
    from sorb.estimators import single_fit

    counts = []
    original = single_fit.SingleFit._cross_validate
    monkeypatch.setattr(
        single_fit.SingleFit,
        "_cross_validate",
        lambda self, data, folds, *others: (
            counts.append(len(folds)) or original(self, data, folds, *others)
        ),
    )
    monkeypatch.setattr(single_fit, "_ENOUGH_ROWS", 200)
    for n in (80, 150, 700):
        X, y = some_rows(n)
        LLTBoostClassifier(max_rules=1).fit(X, y)
    assert counts == [6, 4, 3]


def test_a_weight_is_so_many_copies_when_folds_are_counted(monkeypatch):
    from sorb.estimators import single_fit

    monkeypatch.setattr(single_fit, "_ENOUGH_ROWS", 200)
    X, y = some_rows(150)
    weighted = LLTBoostClassifier(max_rules=3).fit(X, y, sample_weight=np.full(150, 4))
    copied = LLTBoostClassifier(max_rules=3).fit(np.repeat(X, 4, axis=0), np.repeat(y, 4))
    assert weighted.ensemble_ == copied.ensemble_
    np.testing.assert_allclose(weighted.curve_.risk, copied.curve_.risk)


def test_a_sample_is_put_into_the_order_of_its_distinct_rows():
    table = ArrayTable(data_of(*some_rows()))
    X, y = table.data.X, table.data.y.copy()
    data, rows = collect_rows(table.sample(2000, 0))
    expected = Rows.of(replace(data, sampled=False))
    np.testing.assert_array_equal(data.X, X[data.origin])
    np.testing.assert_array_equal(rows.Z, expected.Z)
    np.testing.assert_array_equal(data.y, y[data.origin])
    assert rows.in_order
    np.testing.assert_array_equal(expected.origin, np.arange(len(data.X)))
