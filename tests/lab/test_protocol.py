from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, zero_one_loss

from sorb.lab import methods, protocol
from sorb.lab.curves import trade_off_curves
from sorb.lab.datasets import load
from sorb.lab.datasets.dataset import make_dataset
from sorb.lab.methods import METHODS, Method
from sorb.lab.protocol import MAX_TRAINING_ROWS, Protocol, run, splits
from sorb.lab.rivals.rival import FittedModel, Rival, RivalClassifier, RivalRegressor
from sorb.lab.statistics import area, complexity_at, largest_within
from sorb.rules import RuleEnsemble


def test_splits_are_fifteen_and_the_same_every_time():
    first, second = splits(50), splits(50)
    assert len(first) == 15
    assert all(np.array_equal(a.drawn, b.drawn) for a, b in zip(first, second, strict=True))


def test_splits_come_from_one_generator_one_after_the_other():
    rng = np.random.default_rng(111)
    for split in splits(50):
        assert np.array_equal(split.drawn, rng.choice(50, 50, replace=True))


@pytest.mark.parametrize("n", [50, 5000])
def test_test_rows_are_all_that_were_not_drawn(n):
    for split in splits(n):
        assert not set(split.drawn) & set(split.test)
        assert set(split.drawn) | set(split.test) == set(range(n))
        assert len(split.test) == len(set(split.test))


@pytest.mark.parametrize(("n", "size"), [(50, 50), (5000, MAX_TRAINING_ROWS)])
def test_training_rows_are_at_most_three_thousand(n, size):
    assert {len(split.drawn) for split in splits(n)} == {size}


@pytest.mark.parametrize(("n_groups", "of_each"), [(2, 5), (20, 7), (400, 20)])
def test_groups_are_drawn_as_a_whole(n_groups, of_each):
    group = np.random.default_rng(0).permutation(np.repeat(np.arange(n_groups), of_each))
    for split in splits(len(group), group=group):
        counts = np.bincount(split.drawn, minlength=len(group))
        for k in set(group.tolist()):
            assert len(set(counts[group == k])) == 1
        assert sorted(split.test) == np.flatnonzero(counts == 0).tolist() != []
        assert len(split.drawn) <= MAX_TRAINING_ROWS


def test_groups_stay_together_in_inner_folds(monkeypatch):
    """Noise about each person is validated on other persons."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(12), 5)
    X = np.column_stack((rng.normal(size=60), person + 1.0))
    data = make_dataset("t", X, rng.normal(size=60), ("x", "person"), "regression", group=person)
    shown = []
    monkeypatch.setattr(Constants, "seen", shown)
    monkeypatch.setattr(Constants, "values", (0.0,))
    run(data, method_of(monkeypatch, Constants), 0, Protocol(reg_lambdas=(0.0, 1.0), folds=3))
    whole, *parts = (set(X[:, 1].tolist()) for X, _ in shown)
    assert len(parts) == 3
    left_out = [whole - part for part in parts]
    assert sorted(number for some in left_out for number in some) == sorted(whole)


@dataclass(frozen=True)
class Constant:
    """A model that knows one number."""

    value: float
    complexity: int = 1

    def __call__(self, X):
        return np.full(len(X), self.value)

    def describe(self):
        return f"always {self.value}"


class Constants(Rival):
    """Give the same constants whatever is shown, and keep what is shown."""

    values = ()
    seen = None

    def path(self, X, y, reg_lambda=(0.0,)):
        if self.seen is not None:
            self.seen.append((X.to_numpy(), y))
        for size, value in enumerate(self.values, 1):
            for penalty in reg_lambda:
                parameters = {"size": size, "reg_lambda": penalty}
                yield FittedModel(parameters, Constant(value + penalty, size), 0.5)


def method_of(monkeypatch, rival, **settings):
    """Make a method of a class of these tests, which minimises the usual loss of each task."""
    kinds = {
        "tests:Classifier": type(rival.__name__, (rival, RivalClassifier), {}),
        "tests:Regressor": type(rival.__name__, (rival, RivalRegressor), {}),
    }
    monkeypatch.setattr(methods, "import_reference", lambda reference, folder: kinds[reference])
    return Method("tests:Classifier", "tests:Regressor", **{"penalised": True, **settings})


@pytest.fixture
def constants(monkeypatch):
    def constants(values, seen=None, **settings):
        rival = type("Known", (Constants,), {"values": values, "seen": seen, **settings})
        return method_of(monkeypatch, rival)

    return constants


def test_risks_and_errors_are_relative_to_the_best_constant_of_the_training_rows(constants):
    data, split = load("iris"), splits(150)[0]
    (row,) = run(data, constants([0.3]), 0, Protocol(reg_lambdas=(0.0,)))
    share = data.y[split.drawn].mean()
    for part, rows in (("train", split.drawn), ("test", split.test)):
        y = data.y[rows]
        ours = log_loss(y, np.full(len(y), 1 / (1 + np.exp(-0.3))))
        assert row[f"{part}_risk"] == pytest.approx(ours / log_loss(y, np.full(len(y), share)))
        assert row[f"{part}_error"] == pytest.approx(
            zero_one_loss(y, np.ones(len(y))) / zero_one_loss(y, np.zeros(len(y)))
        )


def test_a_regression_has_no_error_rate(constants):
    data, split = load("diabetes"), splits(442)[0]
    mean = data.y[split.drawn].mean()
    (row,) = run(data, constants([mean]), 0, Protocol(reg_lambdas=(0.0,)))
    assert row["train_risk"] == pytest.approx(1)
    assert row["test_risk"] == pytest.approx(1)
    assert row["train_error"] is None
    assert row["test_error"] is None


def test_a_method_without_probabilities_has_no_risk(constants):
    silent = constants([0.3], gives_probabilities=False)
    (row,) = run(load("iris"), silent, 0, Protocol(reg_lambdas=(0.0,)))
    assert row["train_risk"] is None
    assert row["test_error"] is not None


def test_validation_risk_is_the_mean_over_all_training_rows(constants):
    data, split = load("iris"), splits(150)[0]
    rows = run(data, constants([0.3]), 0, Protocol(reg_lambdas=(0.0, 1.0), folds=3))
    y = data.y[split.drawn]
    for row in rows:
        score = 0.3 + row["reg_lambda"]
        assert row["cv_risk"] == pytest.approx(
            log_loss(y, np.full(len(y), 1 / (1 + np.exp(-score))))
        )


def learning_sets(constants, as_published):
    seen = []
    protocol = Protocol(reg_lambdas=(0.0, 1.0), as_published=as_published)
    run(load("friedman1"), constants([0.0], seen), 1, protocol)
    whole, *folds = seen
    return {tuple(row) for row in whole[0]}, [x for x, _ in folds]


def test_inner_folds_leave_out_a_fifth_and_all_of_its_copies(constants):
    rows, folds = learning_sets(constants, as_published=False)
    assert len(folds) == 5
    left_out = [rows - {tuple(row) for row in fold} for fold in folds]
    assert sum(map(len, left_out)) == len(rows) == len(set().union(*left_out))


def test_published_inner_folds_may_have_copies_of_a_row_on_both_sides(constants):
    rows, folds = learning_sets(constants, as_published=True)
    assert {len(fold) for fold in folds} == {1600}
    left_out = [rows - {tuple(row) for row in fold} for fold in folds]
    assert sum(map(len, left_out)) < 0.8 * len(rows)


def test_published_tables_are_standardised_as_a_whole(constants):
    seen = []
    protocol = Protocol(reg_lambdas=(0.0,), as_published=True)
    run(load("diabetes"), constants([0.0], seen), 0, protocol)
    X = load("diabetes").X
    first = splits(442)[0].drawn[0]
    assert np.allclose(seen[0][0][0], (X[first] - X.mean(axis=0)) / X.std(axis=0, ddof=1))


def test_one_penalty_needs_no_inner_folds(constants):
    seen = []
    (row,) = run(load("iris"), constants([0.0], seen), 0, Protocol(reg_lambdas=(1.0,)))
    assert len(seen) == 1
    assert row["cv_risk"] is None


def test_steps_that_change_nothing_are_dropped(monkeypatch):
    class Repeating(Rival):
        def path(self, X, y):
            for size, value in enumerate([0.1, 0.1, 0.2, 0.2, 0.1, 0.1], 1):
                yield FittedModel({"size": size}, Constant(value), 0.0)

    method = method_of(monkeypatch, Repeating, penalised=False)
    rows = run(load("iris"), method, 0, Protocol())
    assert [row["step"] for row in rows] == [1, 3, 5]
    assert [row["setting"] for row in rows] == ["size=1", "size=3", "size=5"]
    assert all(row["reg_lambda"] is None for row in rows)


def test_a_step_with_other_models_for_one_penalty_keeps_those_of_all(monkeypatch):
    class Changing(Rival):
        def path(self, X, y, reg_lambda):
            for size, values in enumerate([(0.1, 0.2), (0.1, 0.2), (0.1, 0.3)], 1):
                for penalty, value in zip(reg_lambda, values, strict=True):
                    parameters = {"size": size, "reg_lambda": penalty}
                    yield FittedModel(parameters, Constant(value), 0.0)

    method = method_of(monkeypatch, Changing)
    rows = run(load("iris"), method, 0, Protocol(reg_lambdas=(0.0, 1.0)))
    assert [(row["step"], row["reg_lambda"]) for row in rows] == [
        (1, 0.0),
        (1, 1.0),
        (3, 0.0),
        (3, 1.0),
    ]


def test_a_step_with_another_choice_is_kept(monkeypatch):
    class Choosing(Rival):
        """With fewer rows, the other penalty becomes the better one at the second step."""

        def path(self, X, y, reg_lambda):
            for size in (1, 2, 3):
                for penalty in reg_lambda:
                    worse = len(X) < 150 and (penalty == 1.0) == (size > 1)
                    parameters = {"size": size, "reg_lambda": penalty}
                    yield FittedModel(parameters, Constant(5.0 if worse else penalty), 0.0)

    method = method_of(monkeypatch, Choosing)
    rows = run(load("iris"), method, 0, Protocol(reg_lambdas=(0.0, 1.0)))
    assert [row["step"] for row in rows] == [1, 1, 2, 2]


def test_dropping_repeats_changes_no_curve(monkeypatch):
    """The best model within each complexity is the same, whether or not its row is repeated."""
    protocol_ = Protocol(reg_lambdas=(0.1, 1.0), folds=2)
    unit = {"dataset": "iris", "method": "sorb", "repetition": 1, "failure": None}

    def curve():
        rows = run(load("iris"), METHODS["sorb"], 1, protocol_)
        (found,) = trade_off_curves(pd.DataFrame([{**row, **unit} for row in rows])).values()
        return rows, found[0]

    rows, sparse = curve()
    monkeypatch.setattr(protocol, "_without_repeats", lambda rows: rows)
    all_rows, dense = curve()
    assert len(all_rows) == 200 > len(rows)
    assert area(sparse) == pytest.approx(area(dense))
    for reduction in (0.25, 0.5, 0.75):
        assert complexity_at(sparse, reduction) == complexity_at(dense, reduction)
    for budget in (20, 50):
        assert largest_within(sparse, "test", budget) == largest_within(dense, "test", budget)


def test_models_of_the_first_repetition_are_kept(constants):
    protocol = Protocol(reg_lambdas=(1.0,))
    rows = run(load("iris"), METHODS["LLTB"], 0, protocol)
    ensemble = RuleEnsemble.from_json(rows[2]["model"])
    assert len(ensemble) == 3
    assert ensemble.complexity == rows[2]["complexity"]
    assert run(load("iris"), constants([0.5]), 0, protocol)[0]["model"] == "always 1.5"
    assert run(load("iris"), constants([0.5]), 1, protocol)[0]["model"] is None


def test_a_unit_gives_the_same_every_time():
    def numbers():
        rows = run(load("iris"), METHODS["sorb"], 1, Protocol(reg_lambdas=(0.1, 1.0), folds=2))
        return [(row["complexity"], row["cv_risk"], row["test_risk"]) for row in rows]

    assert numbers() == numbers()


def test_a_method_that_cannot_do_the_task_says_so():
    with pytest.raises(ValueError, match="no regression: it has classification only"):
        run(load("diabetes"), METHODS["BRS"], 0, Protocol())


def test_a_size_out_of_reach_of_a_fold_gets_the_risk_of_the_size_before(monkeypatch):
    class Reaching(Rival):
        def path(self, X, y, reg_lambda):
            for size in range(1, 4 if len(X) == 150 else 3):
                for penalty in reg_lambda:
                    parameters = {"size": size, "reg_lambda": penalty}
                    yield FittedModel(parameters, Constant(size + penalty, size), 0.0)

    method = method_of(monkeypatch, Reaching)
    rows = run(load("iris"), method, 0, Protocol(reg_lambdas=(0.0, 1.0)))
    risk = {(row["step"], row["reg_lambda"]): row["cv_risk"] for row in rows}
    assert risk[3, 0.0] == risk[2, 0.0] != risk[1, 0.0]
    assert risk[3, 1.0] == risk[2, 1.0] != risk[2, 0.0]


def test_a_method_without_any_model_says_so(constants):
    with pytest.raises(ValueError, match="no model is small enough"):
        run(load("iris"), constants([]), 0, Protocol())
