import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.learning.selection import Selection


def test_without_a_price_the_lowest_risk_wins():
    assert Selection(0.0)(1.0, np.array([0.5, 0.4, 0.45]), [1, 100, 2])[0] == 1


def test_a_price_asks_for_the_gain_per_complexity():
    after = np.exp([-0.5, -0.9, -1.4])
    assert Selection(1.0)(1.0, after, [3, 4, 9])[0] == 1  # 0.167, 0.225, 0.156
    assert Selection(0.3)(1.0, after, [3, 4, 9])[0] == 2  # 0.36, 0.59, 0.72


def test_the_least_bad_candidate_wins_where_nothing_gains():
    assert Selection(0.0)(1.0, np.array([1.5, 1.2, 2.0]), [3, 3, 3])[0] == 1


@pytest.mark.parametrize("after", [[1.0, 1.0], [0.5, 0.5], [2.0, 2.0], [np.inf, np.nan]])
def test_of_equal_candidates_the_first_wins(after):
    assert Selection(0.5)(1.0, np.array(after), [3, 3])[0] == 0


def test_a_candidate_without_a_finite_risk_does_not_win():
    assert Selection(0.0)(1.0, np.array([np.nan, 0.9, np.inf]), [3, 3, 3])[0] == 1


def test_a_risk_of_zero_wins():
    assert Selection(0.3)(1.0, np.array([1e-9, 0.0]), [3, 3])[0] == 1


def test_where_the_risk_is_zero_already_it_should_stay_so():
    assert Selection(0.3)(0.0, np.array([0.1, 0.0]), [3, 3])[0] == 1


@settings(max_examples=100)
@given(
    before=st.floats(1e-3, 1e3),
    found=st.lists(st.tuples(st.floats(1e-3, 1e3), st.integers(3, 20)), min_size=1, max_size=6),
    price=st.floats(0, 2),
)
def test_the_winner_is_worth_most(before, found, price):
    after, complexities = zip(*found, strict=True)
    gains = [(np.log(before / a), c**price) for a, c in found]
    # A loss is worse if it costs more.
    worth = [gain / cost if gain > 0 else gain * cost for gain, cost in gains]
    winner, *_ = Selection(price)(before, np.array(after), complexities)
    assert worth[winner] == pytest.approx(max(worth), abs=1e-12)


def test_candidates_are_ranked_with_ties_in_order():
    after = np.array([0.5, 1.0, 0.4, 0.5, np.nan, 1.2])
    assert Selection(0.0)(1.0, after, [3] * 6) == [2, 0, 3, 1, 5, 4]


def test_of_two_losses_the_cheaper_one_is_less_bad():
    after = np.array([1.1, 1.1])
    assert Selection(0.5)(1.0, after, [9, 3])[0] == 1


def test_a_price_beyond_all_numbers_prefers_the_least_gain_to_a_loss():
    assert Selection(1e6)(1.0, np.array([1.1, 0.9]), [3, 9])[0] == 1


@pytest.mark.parametrize(("after", "winner"), [([0.9, 0.9], 1), ([0.999, 0.1], 1), ([0.9, 1.1], 0)])
def test_a_price_beyond_all_numbers_asks_for_the_least_complexity(after, winner):
    assert Selection(1e6)(1.0, np.array(after), [9, 3])[0] == winner


def test_where_the_risk_was_infinite_the_lowest_wins():
    assert Selection(0.0)(np.inf, np.array([5.0, 0.1]), [3, 3])[0] == 1
