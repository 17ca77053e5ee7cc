"""Explainable boosting machines: recovered steps, counted bins, and what interpret is told."""

import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb.lab.rivals import ebm
from sorb.lab.rivals.ebm import EBMClassifier, EBMRegressor, StepFunction
from sorb.rules.notation import join_tokens

QUICK = {"outer_bags": 1, "max_rounds": 20, "learning_rate": 0.3}


@parametrize_with_checks(
    [
        EBMClassifier(**QUICK),
        EBMRegressor(**QUICK),
        EBMRegressor(**QUICK, n_interactions=1, as_published=True),
    ]
)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    """Two columns of 400 distinct numbers, one of three values, and one constant."""
    rng = np.random.default_rng(0)
    return np.column_stack(
        [rng.permutation(400), 2 * rng.permutation(400), rng.integers(0, 3, 400), np.ones(400)]
    )


@pytest.fixture(scope="module")
def quarters(table):
    """A sum of steps at the quartiles of the first two columns."""
    first = np.array([-3.0, 1.0, 0.0, 2.0])[(table[:, 0] // 100).astype(int)]
    second = np.array([0.0, 0.0, 5.0, -5.0])[(table[:, 1] // 200).astype(int)]
    return first + second


@pytest.fixture
def machines(monkeypatch):
    """Collect the machines of interpret that are made, with what they were told."""
    made = []
    find = ebm._machine

    def spy(classes):
        def make(**told):
            made.append(find(classes)(**told))
            return made[-1]

        return make

    monkeypatch.setattr(ebm, "_machine", spy)
    return made


def test_additive_steps_are_recovered(table, quarters):
    machine = EBMRegressor(n_bins=4, outer_bags=2, learning_rate=0.2, max_rounds=500).fit(
        table, quarters
    )
    assert machine.score(table, quarters) > 0.999
    steps = {step.columns: step for step in machine.model_.steps}
    assert steps["x0",].cuts == ((99.5, 199.5, 299.5),)
    assert steps["x1",].cuts == ((199.0, 399.0, 599.0),)
    np.testing.assert_allclose(steps["x0",].scores, [-3, 1, 0, 2], atol=0.1)
    np.testing.assert_allclose(steps["x1",].scores, [0, 0, 5, -5], atol=0.1)
    np.testing.assert_allclose(steps["x2",].scores, 0, atol=0.1)


def test_the_log_odds_of_steps_are_recovered():
    x = np.tile([0.0, 1.0], 1000)
    share = np.where(x == 0, 0.2, 0.7)
    y = np.arange(2000) // 2 % 10 < 10 * share
    machine = EBMClassifier(n_bins=2, outer_bags=2, max_rounds=300).fit(x[:, None], y)
    assert machine.predict_proba([[0.0], [1.0]])[:, 1] == pytest.approx([0.2, 0.7], abs=0.02)


def test_the_pair_that_interacts_is_found(table):
    y = np.sign(table[:, 0] - 199.5) * np.sign(table[:, 1] - 399)
    alone = EBMRegressor(n_bins=2, outer_bags=1, max_rounds=200)
    pair = EBMRegressor(n_bins=2, n_interactions=1, outer_bags=1, max_rounds=200)
    assert alone.fit(table, y).score(table, y) < 0.1
    assert pair.fit(table, y).score(table, y) > 0.95
    assert pair.model_.steps[-1].columns == ("x0", "x1")


def test_realised_bins_are_counted(table, quarters):
    main = EBMRegressor(**QUICK, n_bins=4).fit(table, quarters)
    assert [len(step.scores) for step in main.model_.steps] == [4, 4, 3]
    assert main.complexity_ == 2 * (4 + 4 + 3)
    pair = EBMRegressor(**QUICK, n_bins=5, n_interactions=1).fit(table[:, 1:3], quarters)
    assert [len(step.scores) for step in pair.model_.steps] == [5, 3, 15]
    assert pair.complexity_ == 2 * (5 + 3 + 15)


def test_as_published_two_bins_are_lost_but_counted(table, quarters):
    machine = EBMRegressor(**QUICK, n_bins=5, n_interactions=1, as_published=True)
    machine.fit(table[:, :2], quarters)
    assert [len(step.scores) for step in machine.model_.steps] == [3, 3, 9]
    assert machine.complexity_ == 2 * (2 * 5 + 25)


def test_as_published_needs_three_bins(table, quarters):
    with pytest.raises(ValueError, match=r"n_bins=2 .* at least 3"):
        EBMRegressor(n_bins=2, as_published=True).fit(table, quarters)


@pytest.mark.parametrize("kind", [EBMClassifier, EBMRegressor])
def test_the_model_is_that_of_interpret_also_on_the_cuts(machines, table, quarters, kind):
    y = quarters if kind is EBMRegressor else quarters > 0
    machine = kind(**QUICK, n_bins=4, n_interactions=2).fit(table, y)
    rows = table[:20].copy()
    rows[:3, 0] = machine.model_.steps[0].cuts[0]
    rows[3:6, 1] = machine.model_.steps[1].cuts[0]
    theirs = machines[0].predict if kind is EBMRegressor else machines[0].decision_function
    np.testing.assert_allclose(machine.model_(rows), theirs(rows))


def test_interpret_gets_two_more_bins_and_one_process(machines, table, quarters):
    EBMRegressor(**QUICK, n_bins=4).fit(table, quarters)
    EBMRegressor(**QUICK, n_bins=4, as_published=True).fit(table, quarters)
    ours, published = machines
    assert (ours.max_bins, ours.max_interaction_bins) == (6, 6)
    assert (published.max_bins, published.max_interaction_bins) == (4, 4)
    assert ours.n_jobs == 1


def test_the_penalty_of_one_step_is_that_of_the_sum_of_losses():
    """The least Σ(y−β)²/2 + λβ² over n rows of y = 1 is at β = n/(n + 2λ)."""
    x = np.tile([-1.0, 1.0], 1000)
    one_step = {"n_bins": 2, "outer_bags": 1, "max_rounds": 1, "learning_rate": 1.0}
    free, penalised = EBMRegressor(**one_step).path(x[:, None], x, reg_lambda=(0.0, 400.0))
    n = 1000 * 0.85  # the others are validation rows
    ratio = penalised.model.steps[0].scores[1] / free.model.steps[0].scores[1]
    assert ratio == pytest.approx(n / (n + 800), abs=0.01)


def test_path_learns_each_combination(table, quarters):
    machine = EBMRegressor(**QUICK)
    found = list(machine.path(table, quarters, n_bins=(2, 4), n_interactions=(0, 1)))
    assert [tuple(learned.parameters.values()) for learned in found] == [
        (2, 0, 0.0),
        (2, 1, 0.0),
        (4, 0, 0.0),
        (4, 1, 0.0),
    ]
    for learned in found:
        assert learned.seconds > 0
        assert EBMRegressor(**QUICK, **learned.parameters).fit(table, quarters).model_ == (
            learned.model
        )


def test_path_leaves_out_what_may_be_too_large(machines, table, quarters):
    grid = {"n_bins": (2, 4, 5), "n_interactions": (0, 1, 6, 7)}
    found = EBMRegressor(**QUICK, max_complexity=64).path(table, quarters, **grid)
    sizes = [(p["n_bins"], p["n_interactions"]) for p in (one.parameters for one in found)]
    # Four columns have six pairs: 2 (4 · 2 + 6 · 4) = 64, and a seventh changes nothing.
    assert sizes == [(2, 0), (2, 1), (2, 6), (2, 7), (4, 0), (4, 1), (5, 0)]
    assert len(machines) == len(sizes)


def test_fit_refuses_what_may_be_too_large(table, quarters):
    with pytest.raises(ValueError, match=r"complexity of 40 for 4 columns.*max_complexity=39"):
        EBMRegressor(n_bins=5, max_complexity=39).fit(table, quarters)


def test_what_is_printed_is_what_is_predicted(table, quarters):
    machine = EBMRegressor(**QUICK, n_bins=3, n_interactions=2).fit(table, quarters)
    head, *lines = machine.describe().splitlines()
    assert f"complexity {machine.complexity_}" in head
    total = np.zeros(50)
    for line in lines:
        weight, _, condition = re.split(r"  (if  |always)", line.replace("−", "-"))
        code = condition.replace("≤", "<=").replace("≥", ">=") or "True"
        for i, row in enumerate(table[:50]):
            cells = {f"x{j}": value for j, value in enumerate(row)}
            total[i] += float(weight) * eval(code, {}, cells)
    np.testing.assert_allclose(total, machine.predict(table[:50]), atol=0.02)


def test_a_constant_column_of_a_pair_is_not_mentioned():
    step = StepFunction(("a", "b"), ((1.5,), ()), (2.0, 3.0))
    written = [join_tokens(line.condition) for line in step.lines()]
    assert written == ["a < 1.5", "a ≥ 1.5"]
    columns = {"a": np.array([1.0, 1.5]), "b": np.zeros(2)}
    np.testing.assert_array_equal(step(columns.__getitem__), [2.0, 3.0])


def test_a_frame_may_have_its_columns_in_any_order(table, quarters):
    frame = pd.DataFrame(table, columns=list("abcd"))
    machine = EBMRegressor(**QUICK).fit(frame, quarters)
    assert re.search(r"if  a < \d", machine.describe())
    np.testing.assert_array_equal(machine.model_(frame[list("dcba")]), machine.predict(frame))


def test_without_interpret_the_error_says_what_to_install(monkeypatch, table, quarters):
    monkeypatch.setitem(sys.modules, "interpret", None)
    with pytest.raises(ImportError, match=r'pip install .*\[lab\]"'):
        EBMRegressor().fit(table, quarters)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_bins": 1},
        {"n_interactions": -1},
        {"reg_lambda": -0.1},
        {"outer_bags": 0},
        {"learning_rate": 0.0},
        {"max_rounds": 0},
    ],
)
def test_parameters_are_checked(table, quarters, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=name):
        EBMRegressor(**parameters).fit(table, quarters)
