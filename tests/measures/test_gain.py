import numpy as np
import pytest

from sorb.losses import Logistic, Poisson
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
