from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from sorb.lab.datasets import load
from sorb.lab.protocol import (
    MAX_TRAINING_ROWS,
    Curve,
    area,
    average,
    chosen_penalties,
    complexity_at,
    median_complexity_at,
    run_repetition,
    splits,
)


def curve(complexity, risk):
    blank = np.zeros(len(complexity))
    return Curve(blank, np.array(complexity, float), blank, np.array(risk, float), blank)


def test_splits_are_fifteen_and_the_same_every_time():
    first, second = splits(50), splits(50)
    assert len(first) == 15
    assert all(np.array_equal(a.drawn, b.drawn) for a, b in zip(first, second, strict=True))


def test_splits_come_from_one_generator_one_after_the_other():
    rng = np.random.default_rng(111)
    for split in splits(50):
        assert np.array_equal(split.drawn, rng.choice(50, 50, replace=True))


def test_splits_differ():
    assert len({split.drawn.tobytes() for split in splits(50)}) == 15


@pytest.mark.parametrize("n", [50, 5000])
def test_test_rows_are_all_that_were_not_drawn(n):
    for split in splits(n):
        assert not set(split.drawn) & set(split.test)
        assert set(split.drawn) | set(split.test) == set(range(n))
        assert len(split.test) == len(set(split.test))


@pytest.mark.parametrize(("n", "size"), [(50, 50), (5000, MAX_TRAINING_ROWS)])
def test_training_rows_are_at_most_three_thousand(n, size):
    assert {len(split.drawn) for split in splits(n)} == {size}


def test_weighted_rows_are_the_drawn_ones():
    split = splits(50)[0]
    rows, counts = split.weighted()
    assert sorted(np.repeat(rows, counts.astype(int))) == sorted(split.drawn)


def test_average_leaves_out_rule_counts_beyond_the_budget():
    found = average([curve([10, 50, 90, 130], [0.8, 0.6, 0.4, 0.0])])
    assert found.mean == pytest.approx(0.6)
    assert found.spread == pytest.approx(np.sqrt((0.04 + 0 + 0.04) / 3))
    assert found.margin == pytest.approx(1.96 * 0.2 / np.sqrt(3))


def test_average_decides_by_the_mean_complexity():
    # The second point costs 100 on average, the third 105.
    curves = [curve([10, 90, 95], [0.8, 0.4, 0.1]), curve([20, 110, 115], [0.6, 0.2, 0.1])]
    assert average(curves).mean == pytest.approx((0.7 + 0.3) / 2)


def test_average_keeps_the_last_model_of_a_repetition_that_stopped():
    curves = [curve([10], [0.5]), curve([10, 20], [0.7, 0.1])]
    assert average(curves).mean == pytest.approx((0.6 + 0.3) / 2)


def test_average_takes_a_repetition_without_rules_as_the_constant_model():
    assert average([curve([], []), curve([10], [0.5])]).mean == pytest.approx(0.75)


def test_average_of_one_point_has_no_spread():
    found = average([curve([10], [0.5])])
    assert (found.mean, found.spread, found.margin) == (0.5, 0, 0)


def test_average_of_no_affordable_point_is_not_a_number():
    assert np.isnan(average([curve([101], [0.5])]).mean)


def test_area_is_one_before_the_first_model():
    # 1 on c = 1 … 9, then 0.5 on c = 10 … 59, then 0.2 on c = 60 … 100
    assert area(curve([10, 60], [0.5, 0.2])) == pytest.approx((9 * 1 + 50 * 0.5 + 41 * 0.2) / 100)


def test_area_ignores_models_beyond_the_budget():
    assert area(curve([101], [0.0])) == 1


def test_area_takes_the_larger_of_two_affordable_models():
    # λ changes with the number of rules, so complexity need not grow with it.
    assert area(curve([60, 10], [0.2, 0.5])) == area(curve([10, 60], [0.5, 0.2]))


@pytest.mark.parametrize(("reduction", "expected"), [(0.25, 7), (0.5, 20), (0.75, np.inf)])
def test_complexity_at_a_reduction(reduction, expected):
    # 0.1 comes too late, at a complexity of more than 100.
    risks = [0.9, 0.75, 0.45, 0.5, 0.1]
    assert complexity_at(curve([4, 7, 30, 20, 101], risks), reduction) == expected


def test_median_complexity_counts_a_miss_as_infinite():
    hit, miss = curve([5], [0.1]), curve([5], [0.9])
    assert median_complexity_at([hit, hit, miss], 0.5) == 5
    assert median_complexity_at([hit, miss, miss], 0.5) == np.inf


def test_penalty_is_chosen_for_each_number_of_rules():
    cv_curve = SimpleNamespace(
        reg_lambda=np.array([0.1, 1.0]),
        risk=np.array([[9.0, 3.0, 1.0, np.nan], [0.0, 2.0, 2.0, 5.0]]),
    )
    assert chosen_penalties(cv_curve) == (1.0, 0.1, 1.0)


def test_rule_counts_that_no_penalty_reached_are_left_out():
    cv_curve = SimpleNamespace(
        reg_lambda=np.array([0.1]), risk=np.array([[9.0, 3.0, np.nan, np.nan]])
    )
    assert chosen_penalties(cv_curve) == (0.1,)


@dataclass(frozen=True)
class ScaledTruth:
    """A model that knows the target of iris, up to a factor."""

    factor: float
    complexity: int

    def __call__(self, X):
        iris = load("iris")
        known = {row.tobytes(): label for row, label in zip(iris.X, iris.y, strict=True)}
        return np.array([self.factor * (2 * known[row.tobytes()] - 1) for row in X])


class FakeLearner(BaseEstimator):
    """Grows by three units a rule; the penalty is the factor of its decisions."""

    def __init__(self, reg_lambda=None, rules=3):
        self.reg_lambda = reg_lambda
        self.rules = rules

    def fit(self, X, y, sample_weight):
        assert len(np.unique(np.column_stack([X, y]), axis=0)) <= len(X) <= sample_weight.sum()
        self.stages_ = [
            SimpleNamespace(ensemble=ScaledTruth(self.reg_lambda, 3 * r), seconds=0.5 * r)
            for r in range(self.rules + 1)
        ]
        return self


class FakeChooser(BaseEstimator):
    """Prefers the penalty 1 for one rule and 4 for more."""

    def fit(self, X, y, sample_weight):
        risk = np.array([[1.0, 0.1, 0.9, 0.9, 0.9], [1.0, 0.2, 0.2, 0.2, 0.2]])
        self.curve_ = SimpleNamespace(reg_lambda=np.array([1.0, 4.0]), risk=risk)
        return self


def test_a_repetition_follows_the_chosen_penalties():
    iris = load("iris")
    found = run_repetition(iris, splits(len(iris.X))[0], FakeChooser(), FakeLearner())
    assert found.reg_lambda.tolist() == [1, 4, 4]
    assert found.complexity.tolist() == [3, 6, 9]
    assert found.seconds.tolist() == [0.5, 1.0, 1.5]


def test_a_repetition_normalises_by_the_training_constant():
    iris = load("iris")
    split = splits(len(iris.X))[0]
    found = run_repetition(iris, split, FakeChooser(), FakeLearner())
    p = iris.y[split.drawn].mean()
    share = iris.y[split.test].mean()
    base = -share * np.log(p) - (1 - share) * np.log(1 - p)
    assert found.test_risk[0] == pytest.approx(np.log1p(np.exp(-1)) / base)
    assert found.test_risk[1] == pytest.approx(np.log1p(np.exp(-4)) / base)
    train_base = -p * np.log(p) - (1 - p) * np.log(1 - p)
    assert found.train_risk[0] == pytest.approx(np.log1p(np.exp(-1)) / train_base)


def test_a_repetition_ends_with_the_last_growth():
    iris = load("iris")
    learner = FakeLearner(rules=2)
    found = run_repetition(iris, splits(len(iris.X))[0], FakeChooser(), learner)
    assert found.complexity.tolist() == [3, 6]
