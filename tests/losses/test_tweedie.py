from fractions import Fraction

import numpy as np
import pytest

from sorb.losses import loss_by_name


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 3.0])
def test_the_power_of_tweedie_is_between_those_of_poisson_and_gamma(power):
    with pytest.raises(ValueError, match=f"power must be between 1 and 2, found {power}"):
        loss_by_name("tweedie", power=power)


@pytest.mark.parametrize("power", [np.float32(1.5), Fraction(3, 2)])
def test_the_power_of_tweedie_may_be_any_real_number(power):
    assert type(loss_by_name("tweedie", power=power).power) is float


@pytest.mark.parametrize(("power", "name"), [(1 + 1e-9, "poisson"), (2 - 1e-9, "gamma")])
def test_tweedie_is_near_its_limits(power, name):
    rng = np.random.default_rng(0)
    y, f = rng.gamma(2.0, size=20), rng.normal(size=20)
    near, limit = loss_by_name("tweedie", power=power), loss_by_name(name)
    assert near.value(y, f) == pytest.approx(limit.value(y, f), abs=1e-5)
    assert near.gradient(y, f) == pytest.approx(limit.gradient(y, f), abs=1e-7)


@pytest.mark.parametrize(("power", "name"), [(1 + 1e-8, "poisson"), (2 - 1e-10, "gamma")])
def test_powers_that_are_nearly_those_of_another_loss_are_refused(power, name):
    """Models learned with them were far from those of the other loss."""
    with pytest.raises(
        ValueError, match=f"power={power} is too close to .*: use the loss '{name}'"
    ):
        loss_by_name("tweedie", power=power).check_training(np.ones(3), np.ones(3))
    loss_by_name("tweedie", power=np.clip(power, 1 + 1e-6, 2 - 1e-6)).check_training(
        np.ones(3), np.ones(3)
    )


@pytest.mark.filterwarnings("error")
def test_all_is_finite_where_nothing_is_expected():
    """Without a penalty, a rule that covers zeros alone votes as far down as floats go."""
    loss, y, f = loss_by_name("tweedie", power=1.99), np.zeros(3), np.array([-700.0, -720.0, -4e3])
    pattern = np.arange(3, dtype=np.int32)
    (gradient,) = loss.gradients_by_output(f[:, None], pattern, y)
    found = [loss.value(y, f), loss.gradient(y, f), loss.curvature(y, f), loss.information(f)]
    assert np.isfinite([*found, gradient]).all()
    assert gradient == pytest.approx(np.exp(0.01 * f))
