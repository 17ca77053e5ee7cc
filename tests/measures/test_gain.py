import numpy as np
import pytest

from sorb.losses import Logistic, Poisson, Squared
from sorb.measures.gain import Gain
from sorb.rules import RuleEnsemble
from sorb.tables.targets import Outcomes

RNG = np.random.default_rng(2)


def test_the_standard_error_is_that_of_a_mean():
    y, f, g = (RNG.random(50) < 0.4) * 1.0, RNG.normal(size=50), np.zeros(50)
    rows = Outcomes(y, np.ones(50), Logistic())
    differences = Logistic().value(y, g) - Logistic().value(y, f)
    found = Gain.of(rows, f, g)
    assert found.value == pytest.approx(differences.mean())
    assert found.standard_error == pytest.approx(differences.std(ddof=1) / np.sqrt(50))
    assert not found.is_clear


def test_a_weight_is_so_many_copies_and_groups_count_once():
    y, f, g = (RNG.random(30) < 0.4) * 1.0, RNG.normal(size=30), np.zeros(30)
    plain = Gain.of(Outcomes(y, np.ones(30), Logistic()), f, g)
    weighted = Gain.of(Outcomes(y, np.full(30, 4.0), Logistic()), f, g)
    copies = [np.repeat(values, 4) for values in (y, f, g)]
    copied = Outcomes(copies[0], np.ones(120), Logistic())
    group = np.repeat(np.arange(30), 4)
    assert Gain.of(copied, *copies[1:]).standard_error == pytest.approx(weighted.standard_error)
    grouped = Gain.of(copied, *copies[1:], group)
    assert grouped.standard_error == pytest.approx(plain.standard_error)


@pytest.mark.parametrize("loss", [Logistic(), Poisson()])
def test_the_unit_of_weights_and_exposures_changes_no_standard_error(loss):
    y, f, g = (RNG.random(30) < 0.4) * 1.0, RNG.normal(size=30), np.zeros(30)
    plain = Gain.of(Outcomes(y, np.ones(30), loss), f, g)
    for unit in (0.002, 37.5):
        found = Gain.of(Outcomes(y, np.full(30, unit), loss), f, g)
        assert found.standard_error == pytest.approx(plain.standard_error)
    # A day of exposure is no row of its own.
    days = RuleEnsemble(0.0, (), (), "poisson")
    counts = Outcomes.of(days, 365 * y, np.ones(30), np.full(30, 365))
    expected = Gain.of(Outcomes(y, np.ones(30), Poisson()), f, g).standard_error
    assert Gain.of(counts, f, g).standard_error == pytest.approx(expected)


def test_an_infinite_loss_is_no_gain():
    rows = Outcomes(np.array([1.0, 2.0]), np.ones(2), Poisson())
    found = Gain.of(rows, np.array([900.0, 0.0]), np.zeros(2))
    assert (found.value, found.is_clear) == (-np.inf, False)
    assert found.to_dict() == {"value": None, "standard_error": None}


def test_two_standard_errors_are_not_clear_where_few_groups_are_positive():
    """Of 60 groups of copies at 5 %, 17 % of such intervals leave the gain out, 2 % the wide ones.

    Above it all is well: where no positive row was drawn, the gain looks sure, and too small.
    """
    rng, loss, n = np.random.default_rng(5), Logistic(), 60

    def draw(n):
        score = np.log(0.05 / 0.95) - 0.5 + rng.normal(size=n)
        return (rng.random(n) < 1 / (1 + np.exp(-score))) * 1.0, score

    y, score = draw(200_000)
    constant = np.log(y.mean() / (1 - y.mean()))
    expected = (loss.value(y, np.full(len(y), constant)) - loss.value(y, score)).mean()
    group, missed, missed_by_two = np.repeat(np.arange(n), 3), 0, 0
    for _ in range(400):
        y, score = (np.repeat(values, 3) for values in draw(n))
        gain = Gain.of(Outcomes(y, np.ones(3 * n), loss), score, np.full(3 * n, constant), group)
        off = abs(gain.value - expected)
        missed += off > gain.quantile * gain.standard_error
        missed_by_two += off > 2 * gain.standard_error
    assert missed_by_two > 0.1 * 400
    assert missed < 0.08 * 400


def test_freedom_is_that_of_the_rows_that_vary():
    y, f, g = np.arange(6.0), np.array([0.5, 0.9, 2.2, 2.8, 4.1, 5.3]), np.full(6, 2.5)
    assert Gain.of(Outcomes(y, np.ones(6), Squared()), f, g).freedom == pytest.approx(5)
    rare = Outcomes((y == 5) * 1.0, np.ones(6), Logistic())
    one = Gain.of(rare, np.array([-3.0, -3, -3, -3, -3, 2]), np.full(6, -1.6))
    # One row deviates by five times as much as each of the others.
    assert one.freedom == pytest.approx(1 / ((25 / 30) ** 2 + (5 / 30) ** 2 / 5))
    assert one.quantile > 5


@pytest.mark.parametrize("group", [None, np.zeros(6, dtype=np.intp)])
def test_one_class_or_one_group_shows_nothing(group):
    y = np.zeros(6) if group is None else np.array([0.0, 0, 0, 1, 1, 1])
    gain = Gain.of(Outcomes(y, np.ones(6), Logistic()), 4 * y - 2, np.zeros(6), group)
    assert gain.value > 0
    assert not gain.is_clear
