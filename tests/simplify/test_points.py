from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.special import expit
from simplify.models import as_tuples, model, nearest, rows_of, weights
from simplify.tables import for_all
from sklearn.linear_model import LogisticRegression

from sorb.losses import Logistic
from sorb.simplify import scorecard
from sorb.simplify.points import (
    LogOddsLine,
    group_outcomes,
    integer_scalings,
    nearest_lines,
    refit_line,
)
from sorb.tables.targets import Outcomes


def combinations(votes):
    return np.array(list(product([0, 1], repeat=len(votes)))) @ np.array(votes)


@for_all(weights, st.integers(1, 6))
def test_scalings_are_all_that_rounding_gives(votes, most):
    largest = max(map(abs, votes))
    found = set()
    for factor in np.linspace(0.5, most + 0.5, 801)[1:-1] / largest:
        points = np.rint(np.array(votes) * factor).astype(int)
        if np.abs(points).max() <= most and points.any():
            found.add(tuple(points // np.gcd.reduce(points)))
    scalings = as_tuples(integer_scalings(votes, most))
    # The grid may miss a narrow interval, the exact search must not.
    assert found <= set(scalings)
    assert all(0 < max(map(abs, points)) <= most for points in scalings)
    assert len(set(scalings)) == len(scalings)


@pytest.mark.parametrize(
    ("votes", "deviation"), [([1.25, -1.0], 0.5), ([1.5, -0.75], 0.5), ([0.75, -0.75], 0.5)]
)
def test_deviations_above_and_below_do_not_cancel(votes, deviation):
    assert LogOddsLine(0.5, -3.0).deviation(votes, -3.0, [2, -1]) == deviation


def is_a_rounding(points, votes, most):
    """Whether some multiple of the points is what some multiple of the votes is rounded to."""
    pairs = [(abs(p), abs(vote)) for p, vote in zip(points, votes, strict=True)]
    assert all(p * vote >= 0 for p, vote in zip(points, votes, strict=True))
    for multiple in range(1, most // max(p for p, _ in pairs) + 1):
        # Each vote, times the factor, must be within a half of its points.
        lower = max((multiple * p - 0.5) / vote if vote else -np.inf for p, vote in pairs)
        upper = min((multiple * p + 0.5) / vote if vote else np.inf for p, vote in pairs)
        if lower <= upper * (1 + 1e-12) and all(vote or not p for p, vote in pairs):
            return True
    return False


@for_all(weights, st.integers(1, 6))
def test_every_scaling_is_a_rounding(votes, most):
    for points in as_tuples(integer_scalings(votes, most)):
        assert is_a_rounding(points, votes, most)
        assert np.gcd.reduce(points) == 1


@pytest.mark.parametrize(
    ("votes", "most", "expected"),
    [
        ([2.0], 3, [[1]]),
        ([-2.0], 3, [[-1]]),
        ([1.0, 1.0], 2, [[1, 1]]),
        # Half of the larger: the smaller one is rounded up from 0.5, 1.5 and 2.5 on.
        ([1.0, 0.5], 2, [[1, 0], [1, 1], [2, 1]]),
        ([1.0, 0.0], 2, [[1, 0]]),
        ([1.0, 1e-300], 1, [[1, 0]]),
    ],
)
def test_scalings_of_simple_votes(votes, most, expected):
    assert sorted(integer_scalings(votes, most).tolist()) == expected


@for_all(weights, st.floats(-3, 3))
def test_deviation_is_the_worst_of_all_combinations(votes, offset):
    for points, line, deviation in nearest(votes, offset, 5):
        exact = offset + combinations(votes)
        worst = np.abs(exact - line(combinations(points))).max()
        assert deviation == pytest.approx(worst, abs=1e-9)
        assert line.deviation(votes, offset, points) == pytest.approx(worst, abs=1e-9)


@for_all(weights, st.floats(-3, 3), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_no_line_is_nearer(votes, offset, more_slope, more_offset):
    for points, best, deviation in nearest(votes, offset, 4):
        other = LogOddsLine(best.slope + more_slope, best.offset + more_offset)
        assert deviation <= other.deviation(votes, offset, points) + 1e-9


@pytest.mark.parametrize("offset", [-1.0, 60.0, -800.0])
def test_line_is_the_logistic_regression_on_the_total(offset):
    ensemble = model(1.1, -0.7, 0.5)
    X, y = rows_of(ensemble, 5000)
    totals = (X @ np.array([2, -1, 1])).astype(int)
    outcomes = Outcomes.of(ensemble, y, np.ones(len(y)))
    line = refit_line(totals, outcomes, LogOddsLine(0.5, offset))
    plain = LogisticRegression(C=1e8, tol=1e-10).fit(totals[:, None], y)
    assert line.slope == pytest.approx(plain.coef_[0, 0], rel=0.01)
    assert line.offset == pytest.approx(plain.intercept_[0], rel=0.01)


@for_all(st.lists(st.booleans(), min_size=2, max_size=30).filter(lambda y: len({*y}) == 2), weights)
def test_no_other_line_fits_better(y, votes):
    totals = np.arange(len(y)) % 5 - 1
    outcomes = Outcomes(np.array(y, dtype=float), np.arange(1.0, len(y) + 1), Logistic())
    start = LogOddsLine(max(votes, key=abs), votes[0])

    def objective(line):
        prior = (line.slope / start.slope - 1) ** 2 / 2
        return outcomes.risk(line(totals)) * outcomes.weight.sum() + prior

    best = refit_line(totals, outcomes, start)
    for slope, offset in product([-1e-3, 0, 1e-3], repeat=2):
        other = LogOddsLine(best.slope * (1 + slope), best.offset + offset)
        assert objective(best) <= objective(other) + 1e-9


def test_the_nearest_slope_is_the_median_of_the_quotients():
    lines, deviations = nearest_lines([0.5, 2.0, 3.0], 0.0, np.array([[1, 2, 3]]))
    assert lines == [LogOddsLine(1.0, -0.25)]
    assert deviations.tolist() == [0.25]


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_the_fit_is_as_good_for_tiny_and_huge_weights(size):
    totals, y, weight = np.array([0, 1, 2, 3]), np.array([0.0, 1.0, 0.0, 1.0]), np.arange(1.0, 5)
    line = refit_line(totals, Outcomes(y, size * weight, Logistic()), LogOddsLine(2.0, 1.0))
    residual = weight * (expit(line(totals)) - y)
    assert residual.sum() == pytest.approx(0, abs=1e-6)


def test_the_penalty_is_half_of_the_squared_relative_change_of_the_slope():
    # At the minimum, the derivatives of the objective in both parameters are 0.
    totals, y, weight = np.array([0, 1, 2, 3]), np.array([0.0, 1.0, 0.0, 1.0]), np.arange(1.0, 5)
    start = LogOddsLine(2.0, 1.0)
    line = refit_line(totals, Outcomes(y, weight, Logistic()), start)
    residual = weight * (expit(line(totals)) - y)
    assert residual.sum() == pytest.approx(0, abs=1e-6)
    penalty = (line.slope / start.slope - 1) / start.slope
    assert residual @ totals + penalty == pytest.approx(0, abs=1e-6)


def test_rows_alike_have_the_risk_of_one_with_their_share():
    random = np.random.default_rng(3)
    place, y = random.integers(0, 4, 50), random.integers(0, 2, 50).astype(float)
    rows = Outcomes(y, random.random(50), Logistic())
    values = random.normal(size=4)
    assert group_outcomes(place, rows).risk(values) == pytest.approx(rows.risk(values[place]))


def test_line_stays_finite_where_points_separate_the_classes():
    ensemble = model(2.0)
    X = np.array([[0.0], [1.0]] * 20)
    card = scorecard(ensemble, X, np.where(X[:, 0] > 0, "yes", "no"))
    assert 2 < card.line.slope < 50
    assert card.cost.card.risk < card.cost.exact.risk
