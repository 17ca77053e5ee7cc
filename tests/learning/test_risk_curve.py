from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.learning.risk_curve import SELECTIONS, RiskCurve
from sorb.learning.stages import Stage
from sorb.rules import RuleEnsemble

every_selection = pytest.mark.parametrize("selection", SELECTIONS)
CAUTIOUS = ["near_best", "one_se"]

# ---- the risks and their errors, computed another way ----


def some_losses(seed=0, shape=(2, 4, 30)):
    """Losses by penalty, budget and block, and the weights of the blocks."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 5, shape[2]).astype(float)
    return rng.exponential(size=shape) * weight, weight


def jackknife_error(losses, weight):
    """The standard error of a weighted mean, by leaving out one block after the other.

    It is the same for equal weights, and nearly so for others.
    """
    n = len(weight)
    means = (losses.sum() - losses) / (weight.sum() - weight)
    return np.sqrt((n - 1) / n * np.square(means - means.mean()).sum())


def plain_error(losses, weight):
    """The standard deviation of the deviations from what the weights lead to expect."""
    residual = losses - weight * losses.sum() / weight.sum()
    return np.sqrt(len(weight)) * residual.std(ddof=1) / weight.sum()


def test_the_risk_is_the_mean_loss():
    losses, weight = some_losses()
    curve = RiskCurve.of(np.array([0.1, 1.0]), losses, weight)
    np.testing.assert_allclose(curve.risk, (losses / weight) @ weight / weight.sum())


def test_there_is_a_budget_for_each_complexity():
    losses, weight = some_losses()
    curve = RiskCurve.of(np.array([0.1, 1.0]), losses, weight)
    assert curve.complexity.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(3))
def test_standard_errors_are_those_of_weighted_means(seed):
    losses, weight = some_losses(seed)
    found = RiskCurve.of(np.array([0.1, 1.0]), losses, weight).standard_error
    np.testing.assert_allclose(found, np.apply_along_axis(plain_error, 2, losses, weight))


def test_of_equal_weights_the_standard_error_is_that_of_the_jackknife():
    losses, _ = some_losses()
    weight = np.full(30, 2.0)
    found = RiskCurve.of(np.array([0.1, 1.0]), losses, weight).standard_error
    np.testing.assert_allclose(found, np.apply_along_axis(jackknife_error, 2, losses, weight))


def test_excess_errors_are_those_of_the_differences_from_the_lowest_risk():
    losses, weight = some_losses()
    curve = RiskCurve.of(np.array([0.1, 1.0]), losses, weight)
    lowest = losses[np.unravel_index(curve.risk.argmin(), curve.risk.shape)]
    expected = np.apply_along_axis(plain_error, 2, losses - lowest, weight)
    np.testing.assert_allclose(curve.excess_error, expected, atol=1e-15)


def test_gain_errors_are_those_of_the_differences_from_no_rules():
    losses, weight = some_losses()
    curve = RiskCurve.of(np.array([0.1, 1.0]), losses, weight)
    expected = np.apply_along_axis(plain_error, 2, losses - losses[:, :1], weight)
    np.testing.assert_allclose(curve.gain_error, expected, atol=1e-15)


def test_the_standard_error_covers_the_true_risk_in_two_of_three_cases():
    rng = np.random.default_rng(0)
    weight = np.ones(50)
    curves = [
        RiskCurve.of(np.ones(1), rng.exponential(size=(1, 1, 50)), weight) for _ in range(500)
    ]
    inside = [abs(curve.risk[0, 0] - 1) <= curve.standard_error[0, 0] for curve in curves]
    assert 0.6 < np.mean(inside) < 0.75


def test_one_block_has_no_spread():
    curve = RiskCurve.of(np.ones(1), np.array([[[0.7], [0.5]]]), np.ones(1))
    assert not curve.standard_error.any()
    assert not curve.gain_error.any()


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_the_lowest_risk_is_a_finite_one(value):
    losses, weight = some_losses()
    spoilt = losses.copy()
    spoilt[0, 1, 3] = value
    curve = RiskCurve.of(np.array([0.1, 1.0]), spoilt, weight)
    finite = np.isfinite(curve.risk)
    lowest = np.where(finite, curve.risk, np.inf).argmin()
    assert finite.sum() == 7
    assert curve.excess_error.flat[lowest] == 0
    assert np.isfinite(curve.standard_error[finite]).all()


# ---- the choice ----


def made_curve(risk, error=0.0, excess_error=0.0, gain_error=0.0):
    """A curve whose errors are the same everywhere."""
    risk = np.array(risk)
    errors = (np.full(risk.shape, value) for value in (error, excess_error, gain_error))
    penalties = np.array([0.1, 1.0][: len(risk)])
    return RiskCurve(penalties, np.arange(risk.shape[1]), risk, *errors)


def test_the_lowest_risk_is_best():
    assert made_curve([[0.7, 0.5, 0.4], [0.7, 0.3, 0.35]]).choose("best") == (1.0, 1)


@every_selection
def test_of_equal_risks_the_simplest_is_best(selection):
    assert made_curve([[0.7, 0.3, 0.3], [0.7, 0.4, 0.3]]).choose(selection) == (0.1, 1)


@every_selection
def test_of_equal_risks_and_complexities_the_largest_penalty_is_best(selection):
    assert made_curve([[0.7, 0.3], [0.7, 0.3]]).choose(selection) == (1.0, 1)


@pytest.mark.parametrize("selection", CAUTIOUS)
def test_of_near_risks_and_equal_complexities_the_lower_risk_is_best(selection):
    curve = made_curve([[0.7, 0.31], [0.7, 0.32]], error=0.1, excess_error=0.1)
    assert curve.choose(selection) == (0.1, 1)


def test_within_one_standard_error_of_the_lowest_risk_the_simplest_is_chosen():
    curve = made_curve([[0.7, 0.42, 0.36], [0.7, 0.5, 0.35]], error=0.1)
    assert curve.choose("best") == curve.choose("near_best") == (1.0, 2)
    assert curve.choose("one_se") == (0.1, 1)


@pytest.mark.parametrize("selection", CAUTIOUS)
@pytest.mark.parametrize(("excess_error", "chosen"), [(0.0021, (0.1, 1)), (0.0019, (1.0, 2))])
def test_within_three_errors_of_the_difference_the_simplest_is_chosen(
    selection, excess_error, chosen
):
    curve = made_curve([[0.7, 0.356, 0.36], [0.7, 0.5, 0.35]], excess_error=excess_error)
    assert curve.choose(selection) == chosen


def test_the_standard_error_is_that_of_the_lowest_risk():
    curve = replace(made_curve([[0.7, 0.5, 0.3]]), standard_error=np.array([[9.0, 9.0, 0.1]]))
    assert curve.choose("one_se") == (0.1, 2)


@pytest.mark.parametrize("selection", CAUTIOUS)
def test_the_error_of_the_difference_is_that_of_each_model(selection):
    risk = [[1.0, 0.315, 0.31, 0.3]]
    curve = replace(made_curve(risk), excess_error=np.array([[0.0, 0.004, 0.004, 0.0]]))
    assert curve.choose(selection) == (0.1, 2)


@pytest.mark.parametrize("selection", CAUTIOUS)
@pytest.mark.parametrize(("excess", "budget"), [(0.0249, 1), (0.0251, 2)])
def test_more_than_a_few_percent_of_the_risk_without_rules_always_matter(selection, excess, budget):
    curve = made_curve([[2.0, 0.5 + 2 * excess, 0.5]], excess_error=9.0)
    assert curve.choose(selection) == (0.1, budget)


@pytest.mark.parametrize("selection", CAUTIOUS)
@pytest.mark.parametrize(("excess", "budget"), [(0.149, 1), (0.151, 2)])
def test_much_of_what_rules_gain_always_matters(selection, excess, budget):
    curve = made_curve([[2.0, 1.9 + 0.1 * excess, 1.9]], excess_error=9.0)
    assert curve.choose(selection) == (0.1, budget)


@pytest.mark.parametrize("selection", ["worst", None])
def test_other_selections_are_refused(selection):
    with pytest.raises(ValueError, match="selection must be one of best, near_best, one_se"):
        made_curve([[2.0, 1.0]]).choose(selection)


def test_for_the_lowest_risk_no_difference_is_too_small():
    assert made_curve([[1.0, 0.5001, 0.5]]).choose("best") == (0.1, 2)


@pytest.mark.parametrize("selection", CAUTIOUS)
@pytest.mark.parametrize(("gain_error", "budget"), [(0.14, 1), (0.16, 0)])
def test_a_model_must_be_better_than_none_by_two_errors(selection, gain_error, budget):
    assert made_curve([[0.7, 0.4]], gain_error=gain_error).choose(selection) == (0.1, budget)


@pytest.mark.parametrize("selection", CAUTIOUS)
def test_a_model_with_a_finite_risk_is_better_than_an_infinite_one_without_rules(selection):
    curve = made_curve([[np.inf, 0.4]], gain_error=np.nan)
    assert curve.choose(selection) == (0.1, 1)


def test_the_lowest_risk_needs_no_certainty():
    assert made_curve([[0.7, 0.4]], gain_error=9.0).choose("best") == (0.1, 1)


@every_selection
def test_no_rules_are_chosen_where_they_only_do_harm(selection):
    assert made_curve([[0.7, 0.8, 0.9]]).choose(selection)[1] == 0


@every_selection
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_risk_that_is_not_finite_is_not_chosen(selection, value):
    curve = made_curve([[0.7, value, 0.3], [0.7, 0.5, value]])
    assert curve.choose(selection) == (0.1, 2)


@pytest.mark.parametrize("selection", CAUTIOUS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_errors_that_are_not_finite_allow_nothing(selection, value):
    curve = made_curve([[0.7, 0.4, 0.3]], error=value, excess_error=value)
    assert curve.choose(selection) == (0.1, 2)


@every_selection
def test_nothing_known_means_no_rules_and_the_largest_penalty(selection):
    curve = RiskCurve.unknown(np.array([0.1, 10.0, 1.0]))
    assert np.isnan(curve.risk).all()
    assert curve.choose(selection) == (10.0, 0)


@every_selection
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_the_choice_is_what_the_words_say(selection, seed):
    rng = np.random.default_rng(seed)
    losses, weight = some_losses(seed, (2, 6, 12))
    losses *= np.linspace(1.0, rng.uniform(0.2, 1.2), 6)[:, None]
    losses[:, 0] = losses[0, 0]  # without rules the penalty does not matter
    curve = RiskCurve.of(np.array([0.1, 1.0]), losses, weight)
    penalty, budget = in_words(curve, selection)
    assert curve.choose(selection) == (curve.reg_lambda[penalty], budget)


def in_words(curve, selection):
    """Go through all budgets and penalties, from the simplest to the largest."""
    places = [(k, c) for c in range(curve.risk.shape[1]) for k in range(len(curve.risk))]
    best = min(places, key=lambda place: curve.risk[place])

    def near_best(place):
        return min(3 * curve.excess_error[place], 0.025 * curve.risk[0, 0])

    allowed = {
        "best": lambda place: 0.0,
        "near_best": near_best,
        "one_se": lambda place: max(curve.standard_error[best], near_best(place)),
    }[selection]
    near = [place for place in places if curve.risk[place] - curve.risk[best] <= allowed(place)]
    gain = curve.risk[best[0], 0] - curve.risk[best]
    if selection != "best" and gain <= 2 * curve.gain_error[best]:
        near = [place for place in places if place[1] == 0]
    simplest = min(budget for _, budget in near)
    candidates = [place for place in near if place[1] == simplest] if simplest else places
    penalty, _ = min(candidates, key=lambda p: (curve.risk[p], -curve.reg_lambda[p[0]]))
    return penalty, simplest


def test_without_rules_the_other_stages_get_the_best_penalty():
    curve = made_curve([[0.7, 0.66], [0.7, 0.68]], gain_error=0.5)
    assert curve.choose("near_best") == (0.1, 0)


def test_the_best_penalty_is_that_of_the_lowest_risk_within_the_budget():
    curve = made_curve([[0.7, 0.66, np.nan], [0.7, 0.6, 0.5]])
    assert [curve.best_penalty(c) for c in (1, 2, 5)] == [1.0] * 3
    other = made_curve([[0.7, 0.5, 0.5], [0.7, 0.6, np.inf]])
    assert [other.best_penalty(c) for c in (1, 2)] == [0.1] * 2


def test_where_no_model_has_rules_the_next_budget_decides_on_the_penalty():
    """All penalties are alike there: the largest one would shrink the votes for no reason."""
    curve = made_curve([[0.7, 0.7 + 1e-16, 0.5, 0.6], [0.7, 0.7, 0.55, 0.4]])
    assert [curve.best_penalty(c) for c in range(4)] == [0.1, 0.1, 0.1, 1.0]


@pytest.mark.parametrize("unit", [1.0, 1e-12])
def test_the_best_penalty_has_nothing_to_do_with_the_unit_of_the_risk(unit):
    curve = made_curve(unit * np.array([[0.7, 0.7, 0.5], [0.7, 0.7, 0.55]]))
    assert curve.best_penalty(0) == 0.1


def test_a_risk_that_is_not_known_is_no_better_than_an_infinite_one():
    assert made_curve([[0.7, np.inf], [0.7, np.nan]]).best_penalty(1) == 1.0


def test_each_budget_is_looked_up_with_the_penalty_of_its_stage():
    curve = made_curve([[0.7, 0.6, 0.5, 0.4, 0.3], [0.7, 0.61, 0.51, 0.41, 0.31]])
    stages = [stage(0, 1.0), stage(2, 0.1), stage(3, 1.0)]
    assert curve.risk[curve.along(stages)].tolist() == [0.7, 0.61, 0.5, 0.41, 0.31]


def stage(complexity, reg_lambda):
    return Stage(RuleEnsemble(0.0, (), ("a",), "squared"), complexity, 0, 0, 0, reg_lambda)


def test_where_nothing_is_known_the_best_penalty_is_the_largest():
    assert RiskCurve.unknown(np.array([1.0, 3.0])).best_penalty(7) == 3.0
