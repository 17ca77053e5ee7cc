from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from oracles import losses
from oracles import weights as oracle

from sorb import _kernels
from sorb.learning.refit import Patterns, refit, validation_risks
from sorb.losses import LOSSES, loss_by_name
from sorb.tables.column_constraints import ANY_VOTE

every_loss = pytest.mark.parametrize("name", LOSSES)


@dataclass
class Case:
    """Some rules on some rows, in the terms of the oracle."""

    name: str
    covered: NDArray[np.float64]
    outputs: list[int]
    y: NDArray[np.float64]
    weight: NDArray[np.float64]

    @property
    def n_outputs(self):
        # Rules vote for three of the classes.
        return 5 if self.name == "softmax" else 1

    @property
    def rules(self):
        """What the oracle wants to know of the rules."""
        return self.name, self.covered, self.outputs, self.n_outputs

    @property
    def patterns(self):
        found = Patterns.without_rules(len(self.covered), self.n_outputs)
        for rule_rows, output in zip(self.covered.T, self.outputs, strict=True):
            found = found.split(rule_rows.astype(bool), output)
        return found

    @property
    def zero(self):
        return np.zeros(self.n_outputs + len(self.outputs))

    def refit(self, reg_lambda, start=None):
        start = self.zero if start is None else start
        loss = loss_by_name(self.name)
        theta, losses = refit(loss, self.patterns, self.y, self.weight, reg_lambda, start)
        return theta, losses / self.weight.sum() + loss.mean_constant(self.y, self.weight)

    def validation_risk(self, training, validation, reg_lambda):
        """The risk on the validation rows after a refit on the training rows."""
        loss = loss_by_name(self.name)
        theta, _ = refit(loss, self.patterns, self.y, training, reg_lambda, self.zero)
        return oracle.risk(*self.rules, self.y, validation, theta)

    def removal_costs(self, reg_lambda, theta):
        loss = loss_by_name(self.name).kernel
        arguments = self.patterns, self.y, self.weight, reg_lambda, theta
        return np.array(_kernels.removal_costs(loss, *arguments))

    def without(self, rule):
        """The same rows with one rule less."""
        outputs = self.outputs[:rule] + self.outputs[rule + 1 :]
        covered = np.delete(self.covered, rule, axis=1)
        return Case(self.name, covered, outputs, self.y, self.weight)

    def objective(self, reg_lambda):
        """The lowest value of the objective."""
        theta, _ = self.refit(reg_lambda)
        return oracle.objective(*self.rules, self.y, self.weight, reg_lambda, theta)

    def slope(self, reg_lambda, theta):
        """The largest derivative of the objective, per unit of weight."""
        gradient = oracle.gradient(*self.rules, self.y, self.weight, reg_lambda, theta)
        return np.abs(gradient).max() / self.weight.sum()


def problem(name, seed=0, n=120, r=4):
    rng = np.random.default_rng(seed)
    covered = (rng.uniform(size=(n, r)) < 0.4).astype(float)
    outputs = [m % 3 if name == "softmax" else 0 for m in range(r)]
    signal = (covered @ rng.normal(size=r) + 0.5) / 2
    f = np.outer(signal, (1.0, 0.0, -1.0, 0.5, 0.2) if name == "softmax" else (1.0,))
    y = losses.draw(name, f, rng)
    return Case(name, covered, outputs, y, rng.exponential(size=n))


def some_outcomes(name):
    """The least outcome that the loss takes, or near it, twice, and another one."""
    least = 0.0 if losses.TWINS[name].takes_zero else 1e-3
    return np.array([least, 1.0, least])


# ---- patterns -----------------------------------------------------------------------------------


@settings(max_examples=60)
@given(arrays(bool, st.tuples(st.integers(1, 20), st.integers(0, 4))))
def test_splitting_keeps_which_rules_cover(covered):
    patterns = Case("squared", covered, [0] * covered.shape[1], None, None).patterns
    assert np.array_equal(patterns.table[patterns.index], covered)


@settings(max_examples=60)
@given(arrays(bool, st.tuples(st.integers(1, 20), st.integers(0, 4))))
def test_patterns_are_distinct_and_each_has_rows(covered):
    patterns = Case("squared", covered, [0] * covered.shape[1], None, None).patterns
    assert len(np.unique(patterns.table, axis=0)) == len(patterns.table)
    assert set(patterns.index.tolist()) == set(range(len(patterns.table)))


@every_loss
def test_scores_are_the_sums_of_the_votes(name):
    p = problem(name)
    theta = np.random.default_rng(1).normal(size=len(p.zero))
    expected = oracle.scores(*p.rules[1:], theta)
    assert p.patterns.scores(theta)[p.patterns.index] == pytest.approx(expected, abs=1e-13)


def some_rules(draw):
    """Which rows some rules cover, at least one, and one of the rules."""
    covered = draw(arrays(bool, st.tuples(st.integers(1, 20), st.integers(1, 5))))
    return covered, draw(st.integers(0, covered.shape[1] - 1))


@settings(max_examples=60)
@given(st.composite(some_rules)())
def test_without_a_rule_the_patterns_say_what_the_others_cover(case):
    covered, rule = case
    found = Case("squared", covered, [0] * covered.shape[1], None, None).patterns.without(rule)
    assert np.array_equal(found.table[found.index], np.delete(covered, rule, axis=1))


@settings(max_examples=60)
@given(st.composite(some_rules)())
def test_patterns_that_only_the_removed_rule_told_apart_are_one(case):
    covered, rule = case
    found = Case("squared", covered, [0] * covered.shape[1], None, None).patterns.without(rule)
    assert len(np.unique(found.table, axis=0)) == len(found.table)
    assert set(found.index.tolist()) == set(range(len(found.table)))


@every_loss
@pytest.mark.parametrize("rule", range(4))
def test_without_a_rule_the_others_keep_their_outputs(name, rule):
    p = problem(name)
    theta = np.random.default_rng(1).normal(size=len(p.zero) - 1)
    found, expected = p.patterns.without(rule), p.without(rule).patterns
    scores = expected.scores(theta)[expected.index]
    assert found.n_outputs == p.n_outputs
    assert found.scores(theta)[found.index] == pytest.approx(scores, abs=1e-13)


def test_a_rule_that_was_removed_can_be_added_again():
    p = problem("softmax")
    again = p.patterns.without(3).split(p.covered[:, 3].astype(bool), p.outputs[3])
    theta = np.random.default_rng(1).normal(size=len(p.zero))
    expected = p.patterns.scores(theta)[p.patterns.index]
    assert again.scores(theta)[again.index] == pytest.approx(expected, abs=1e-13)


def test_removing_a_rule_leaves_the_old_patterns_alone():
    p = problem("squared")
    patterns = p.patterns
    patterns.without(1)
    assert np.array_equal(patterns.table[patterns.index], p.covered)


@settings(max_examples=60)
@given(
    covered=arrays(bool, st.tuples(st.integers(1, 20), st.integers(0, 4))),
    seed=st.integers(0, 10**6),
)
def test_disagreements_are_the_weights_of_the_rows_that_one_covers_alone(covered, seed):
    rng = np.random.default_rng(seed)
    other, weight = rng.uniform(size=len(covered)) < 0.5, rng.exponential(size=len(covered))
    patterns = Case("squared", covered, [0] * covered.shape[1], None, None).patterns
    expected = weight @ (covered != other[:, None])
    assert patterns.disagreements(other, weight) == pytest.approx(expected, abs=1e-12)


# ---- votes that stay in ranges ------------------------------------------------------------------


RANGES = [(0.0, np.inf), (-np.inf, 0.0), (-np.inf, np.inf), (0.25, 0.25), (-0.5, 0.1)]


def bounded_problem(name, seed):
    """A problem whose votes have ranges, many of which rule out the best vote."""
    p = problem(name, seed, n=60, r=6)
    ranges = [RANGES[k] for k in np.random.default_rng(seed).integers(len(RANGES), size=6)]
    patterns = Patterns.without_rules(len(p.y), p.n_outputs)
    for rows, output, votes in zip(p.covered.T, p.outputs, ranges, strict=True):
        patterns = patterns.split(rows.astype(bool), output, votes)
    return p, ranges, patterns


@every_loss
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6), reg_lambda=st.sampled_from([1e-3, 1.0, 10.0]))
def test_bounded_votes_are_as_good_as_those_of_a_general_optimiser(name, seed, reg_lambda):
    p, ranges, patterns = bounded_problem(name, seed)
    start = np.random.default_rng(seed).normal(size=len(p.zero))
    theta, _ = refit(loss_by_name(name), patterns, p.y, p.weight, reg_lambda, start)
    lower, upper = np.transpose(ranges)
    assert (lower <= theta[p.n_outputs :]).all()
    assert (theta[p.n_outputs :] <= upper).all()
    found = oracle.objective(*p.rules, p.y, p.weight, reg_lambda, theta)
    expected = oracle.bounded_refit(*p.rules, p.y, p.weight, reg_lambda, ranges)
    assert found <= expected + 1e-7 * abs(expected)


@every_loss
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_a_vote_inside_its_range_has_no_derivative_and_one_at_its_end_leads_out(name, seed):
    p, ranges, patterns = bounded_problem(name, seed)
    theta, _ = refit(loss_by_name(name), patterns, p.y, p.weight, 0.1, p.zero)
    gradient = oracle.gradient(*p.rules, p.y, p.weight, 0.1, theta) / p.weight.sum()
    assert gradient[: p.n_outputs] == pytest.approx(0, abs=1e-7)
    for (lower, upper), vote, slope in zip(
        ranges, theta[p.n_outputs :], gradient[p.n_outputs :], strict=True
    ):
        assert slope > -1e-7 or vote == upper
        assert slope < 1e-7 or vote == lower


@every_loss
def test_ranges_that_hold_the_best_votes_change_nothing(name):
    p = problem(name)
    theta, _ = p.refit(0.1)
    patterns = Patterns.without_rules(len(p.y), p.n_outputs)
    for rows, output, vote in zip(p.covered.T, p.outputs, theta[p.n_outputs :], strict=True):
        patterns = patterns.split(rows.astype(bool), output, (vote - 1, vote + 1))
    bounded, _ = refit(loss_by_name(name), patterns, p.y, p.weight, 0.1, p.zero)
    assert bounded == pytest.approx(theta, abs=1e-7)


def test_removing_a_rule_leaves_the_others_their_ranges():
    p, ranges, patterns = bounded_problem("squared", 1)
    for k in range(6):
        theta, _ = refit(
            loss_by_name("squared"), patterns.without(k), p.y, p.weight, 0.1, p.zero[1:]
        )
        lower, upper = np.transpose(ranges[:k] + ranges[k + 1 :])
        assert (lower <= theta[1:]).all()
        assert (theta[1:] <= upper).all()


@every_loss
def test_a_candidate_is_validated_with_a_vote_in_its_range(name):
    p = problem(name, n=200)
    rng = np.random.default_rng(2)
    covered, validation = rng.uniform(size=200) < 0.5, rng.uniform(size=200)
    larger = Case(name, np.column_stack([p.covered, covered]), [*p.outputs, 0], p.y, p.weight)
    best = larger.refit(0.1)[0][-1]
    for votes in ((0.0, np.inf), (-np.inf, 0.0)):
        free = votes[0] <= best <= votes[1]
        _, (found,) = validation_risks(
            loss_by_name(name),
            p.patterns,
            p.y,
            p.weight,
            validation,
            0.1,
            p.zero,
            [(covered, 0, votes)],
        )
        expected = (larger if free else p).validation_risk(p.weight, validation, 0.1)
        assert found == pytest.approx(expected, abs=1e-7)


# ---- what a rule is good for --------------------------------------------------------------------


@every_loss
@pytest.mark.parametrize("reg_lambda", [1e-6, 1e-3, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(2))
def test_a_removal_costs_the_square_of_the_vote_over_twice_its_variance(name, reg_lambda, seed):
    p = problem(name, seed)
    theta, _ = p.refit(reg_lambda)
    expected = oracle.removal_costs(*p.rules, p.y, p.weight, reg_lambda, theta)
    assert p.removal_costs(reg_lambda, theta) == pytest.approx(expected, rel=1e-4, abs=1e-9)


@every_loss
def test_small_votes_cost_what_the_objective_rises_without_them(name):
    """The second-order expansion is then exact, but for a hundredth."""
    p, reg_lambda = problem(name), 1000.0
    theta, _ = p.refit(reg_lambda)
    rises = [p.without(k).objective(reg_lambda) - p.objective(reg_lambda) for k in range(4)]
    assert p.removal_costs(reg_lambda, theta) == pytest.approx(rises, rel=0.01, abs=1e-8)


@pytest.mark.parametrize("reg_lambda", [1e-6, 1.0])
def test_votes_of_any_size_cost_what_the_squared_loss_rises_without_them(reg_lambda):
    p = problem("squared")
    theta, _ = p.refit(reg_lambda)
    rises = [p.without(k).objective(reg_lambda) - p.objective(reg_lambda) for k in range(4)]
    assert p.removal_costs(reg_lambda, theta) == pytest.approx(rises, rel=1e-7)


@every_loss
def test_without_rules_nothing_can_be_removed(name):
    p = problem(name, r=0)
    assert p.removal_costs(1.0, p.refit(1.0)[0]).shape == (0,)


@every_loss
def test_a_rule_that_covers_nothing_costs_nothing(name):
    p = problem(name)
    p.covered[:, 2] = 0
    theta, _ = p.refit(0.1)
    costs = p.removal_costs(0.1, theta)
    assert (costs > 0).tolist() == [True, True, False, True]


@every_loss
def test_a_rule_that_covers_nothing_costs_nothing_without_a_penalty(name):
    p = problem(name)
    p.covered[:, 2] = 0
    theta, _ = p.refit(0.0)
    assert p.removal_costs(0.0, theta)[2] == 0


# ---- the refit ----------------------------------------------------------------------------------


@every_loss
@pytest.mark.parametrize("reg_lambda", [1e-10, 1e-3, 1.0, 10.0])
def test_refit_agrees_with_a_general_optimiser(name, reg_lambda):
    p = problem(name)
    theta, _ = p.refit(reg_lambda)
    expected = oracle.refit(*p.rules, p.y, p.weight, reg_lambda, p.zero)
    # Without a penalty, softmax does not feel a shift shared by all rules and offsets.
    assert p.patterns.scores(theta) == pytest.approx(p.patterns.scores(expected), abs=1e-4)
    assert p.slope(reg_lambda, theta) < 1e-7


@every_loss
@pytest.mark.parametrize("reg_lambda", [1e-10, 1e-3, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_refit_ends_where_no_derivative_is_left(name, reg_lambda, seed):
    p = problem(name, seed, n=300, r=12)
    theta, _ = p.refit(reg_lambda)
    assert p.slope(reg_lambda, theta) < 1e-7


@every_loss
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), exponent=st.floats(-10, 1), n=st.integers(3, 15))
def test_refit_ends_where_no_derivative_is_left_for_few_rows(name, seed, exponent, n):
    p = problem(name, seed, n=n, r=seed % 6)
    p.y[:3] = (0, 1, 2) if name == "softmax" else some_outcomes(name)
    theta, _ = p.refit(10.0**exponent)
    assert p.slope(10.0**exponent, theta) < 1e-7 * (1 + p.y.max())


@every_loss
def test_refit_gives_the_losses_without_the_penalty(name):
    p = problem(name)
    theta, found = p.refit(1.0)
    assert found == pytest.approx(oracle.risk(*p.rules, p.y, p.weight, theta))


@every_loss
def test_refit_does_not_depend_on_where_it_starts(name):
    p = problem(name)
    far = p.zero + 3 * np.random.default_rng(4).normal(size=len(p.zero))
    assert p.refit(0.1, far)[0] == pytest.approx(p.refit(0.1)[0], abs=1e-7)


@every_loss
def test_without_rules_the_refit_is_the_best_constant(name):
    p = problem(name, r=0)
    best = loss_by_name(name).best_constant(p.y, p.weight, p.n_outputs)
    assert p.refit(1.0)[0] == pytest.approx(best, abs=1e-7)


@every_loss
def test_offsets_are_free(name):
    # So strong a penalty leaves the rules nothing.
    p = problem(name)
    theta, _ = p.refit(1e12)
    assert theta[p.n_outputs :] == pytest.approx(np.zeros(4), abs=1e-9)
    assert theta[: p.n_outputs] == pytest.approx(
        loss_by_name(name).best_constant(p.y, p.weight, p.n_outputs), abs=1e-7
    )


@every_loss
def test_offsets_of_softmax_add_up_to_zero_and_no_others_are_touched(name):
    p = problem(name)
    theta, _ = p.refit(1e-3)
    assert (abs(theta[: p.n_outputs].sum()) < 1e-9) == (name == "softmax")


@every_loss
@pytest.mark.parametrize("reg_lambda", [1e-10, 1e-3, 1.0])
def test_duplicate_rules_are_as_good_as_one(name, reg_lambda):
    # Two halves of a weight cost half the penalty of the whole.
    p = problem(name)
    double = Case(
        name, np.column_stack([p.covered, p.covered]), [*p.outputs, *p.outputs], p.y, p.weight
    )
    theta, found = double.refit(reg_lambda)
    assert np.isfinite(theta).all()
    assert double.slope(reg_lambda, theta) < 1e-7
    assert found == pytest.approx(p.refit(reg_lambda / 2)[1], rel=1e-6)


@pytest.mark.parametrize("name", ["logistic", "poisson", "softmax"])
@pytest.mark.parametrize("reg_lambda", [1e-10, 1e-3, 1.0])
def test_a_rule_that_separates_gets_a_finite_vote(name, reg_lambda):
    covered = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = covered[:, 0] * (2 if name == "softmax" else 1)
    p = Case(name, covered, [2 if name == "softmax" else 0], y, np.ones(40))
    theta, _ = p.refit(reg_lambda)
    assert np.isfinite(theta).all()
    assert p.slope(reg_lambda, theta) < 1e-7
    assert theta[-1] > 0


@every_loss
def test_rows_without_weight_do_not_matter(name):
    p = problem(name)
    kept = np.arange(len(p.y)) % 3 > 0
    part = Case(name, p.covered[kept], p.outputs, p.y[kept], p.weight[kept])
    whole = Case(name, p.covered, p.outputs, p.y, np.where(kept, p.weight, 0.0))
    assert whole.refit(0.1)[0] == pytest.approx(part.refit(0.1)[0], abs=1e-9)


@pytest.mark.parametrize("unseen", [[4], [3, 4], [1, 4]])
def test_classes_without_weight_are_nearly_impossible(unseen):
    p = problem("softmax")
    p.weight[np.isin(p.y, unseen)] = 0
    theta, risk = p.refit(0.1)
    assert np.isfinite([*theta, risk]).all()
    probability = loss_by_name("softmax").mean(p.patterns.scores(theta))
    assert probability[:, unseen].max() < 1e-8


def test_patterns_without_weight_leave_a_rule_alone():
    # The rule covers rows only where nothing is seen.
    p = problem("logistic", r=1)
    unseen = Case("logistic", p.covered, [0], p.y, np.where(p.covered[:, 0] > 0, 0.0, p.weight))
    assert unseen.refit(1e-3)[0][1] == 0


@every_loss
def test_one_more_rule_never_raises_the_objective(name):
    p = problem(name, n=200, r=6)
    values = []
    for r in range(7):
        part = Case(name, p.covered[:, :r], p.outputs[:r], p.y, p.weight)
        theta, _ = part.refit(0.01)
        values.append(oracle.objective(*part.rules, p.y, p.weight, 0.01, theta))
    assert (np.diff(values) <= 1e-9 * abs(values[0])).all()


def test_huge_outcomes_are_fitted():
    p = problem("squared")
    huge = Case("squared", p.covered, p.outputs, p.y * 1e100, p.weight)
    assert huge.refit(0.1)[0] == pytest.approx(p.refit(0.1)[0] * 1e100, rel=1e-9)


@pytest.mark.parametrize("ratio", [1e5, 1e20, 1e60, 1e130])
@pytest.mark.parametrize("covers", ["large", "small"])
def test_amounts_of_very_different_sizes_are_fitted_without_a_penalty(covers, ratio):
    y = np.repeat([1.0, ratio], 5) * np.linspace(0.5, 1.5, 10)
    covered = (y > 100) == (covers == "large")
    loss, patterns = loss_by_name("gamma"), Patterns.without_rules(10, 1).split(covered, 0)
    start = np.append(loss.best_constant(y, np.ones(10)), 0.0)
    theta, _ = refit(loss, patterns, y, np.ones(10), 0.0, start)
    expected = np.log([y[~covered].mean(), y[covered].mean()])
    np.testing.assert_allclose(np.cumsum(theta), expected, atol=1e-6)


@pytest.mark.parametrize("power", [1.5, 1.95, 1.99])
def test_rows_without_outcome_do_not_hold_up_other_votes(power):
    """Their score falls until e⁽¹⁻ᵖ⁾ᶠ is infinite, which does not count, times zero."""
    loss = loss_by_name("tweedie", power=power)
    y = np.array([0.0, 0.0, 1.0, 7.0])
    zero, large = np.array([True, True, False, False]), np.array([False, False, False, True])
    patterns = Patterns.without_rules(4, 1).split(zero, 0).split(large, 0)
    theta, _ = refit(loss, patterns, y, np.ones(4), 0.0, np.zeros(3))
    assert np.exp([theta[0], theta[0] + theta[2]]) == pytest.approx([1.0, 7.0])


def test_a_row_of_tiny_weight_and_huge_outcome_is_fitted():
    y, weight = np.append(np.ones(9), 1e30), np.append(np.ones(9), 1e-30)
    patterns = Patterns.without_rules(10, 1).split(np.arange(10) == 9, 0)
    start = np.append(loss_by_name("poisson").best_constant(y, weight), 0.0)
    theta, _ = refit(loss_by_name("poisson"), patterns, y, weight, 0.0, start)
    np.testing.assert_allclose(theta, [0.0, np.log(1e30)], atol=1e-6)


# ---- candidates on validation rows --------------------------------------------------------------


@every_loss
@pytest.mark.parametrize("reg_lambda", [1e-3, 1.0])
def test_risks_with_candidates_are_those_of_refits_by_hand(name, reg_lambda):
    p = problem(name, n=200)
    rng = np.random.default_rng(5)
    training = p.weight * rng.poisson(1, size=200)
    validation = np.where(training == 0, p.weight, 0.0)
    shares_and_outputs = [(0.2, 0), (0.7, min(1, p.n_outputs - 1)), (0.4, p.n_outputs - 1)]
    rules = [
        (rng.uniform(size=200) < share, output, ANY_VOTE) for share, output in shares_and_outputs
    ]
    before, found = validation_risks(
        loss_by_name(name), p.patterns, p.y, training, validation, reg_lambda, p.zero, rules
    )
    assert before == pytest.approx(p.validation_risk(training, validation, reg_lambda), rel=1e-7)
    for value, (rule_rows, output, _) in zip(found, rules, strict=True):
        longer = Case(
            name, np.column_stack([p.covered, rule_rows]), [*p.outputs, output], p.y, p.weight
        )
        expected = longer.validation_risk(training, validation, reg_lambda)
        assert value == pytest.approx(expected, rel=1e-7)


@every_loss
def test_risks_with_candidates_agree_with_the_oracle(name):
    p = problem(name)
    rng = np.random.default_rng(6)
    training = p.weight * (rng.uniform(size=120) < 0.6)
    validation = p.weight - training
    rule = (rng.uniform(size=120) < 0.3, 0)
    bags = (training, validation, 0.1, p.zero)
    expected = oracle.risk_with(*p.rules, p.y, *bags, rule)
    _, found = validation_risks(loss_by_name(name), p.patterns, p.y, *bags, [(*rule, ANY_VOTE)])
    assert found == pytest.approx([expected], rel=1e-6)


def test_a_candidate_that_is_there_already_changes_little():
    p = problem("logistic", n=400)
    theta, before = p.refit(1e-6)
    again = (p.covered[:, 0].astype(bool), 0, ANY_VOTE)
    without, found = validation_risks(
        loss_by_name("logistic"), p.patterns, p.y, p.weight, p.weight, 1e-6, theta, [again]
    )
    assert [without, *found] == pytest.approx([before, before], rel=1e-6)


def test_no_candidates_have_no_risks():
    p = problem("squared")
    _, found = validation_risks(
        loss_by_name("squared"), p.patterns, p.y, p.weight, p.weight, 0.1, p.zero, []
    )
    assert found.shape == (0,)
