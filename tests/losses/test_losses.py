import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import losses as oracle
from oracles.patience import patient
from scipy.optimize import minimize

from sorb import _kernels
from sorb.losses import named

NAMES = ["squared", "logistic", "poisson", "softmax"]
CLASSES = 3
every_loss = pytest.mark.parametrize("name", NAMES)


def outcomes(name, rng, n):
    if name == "squared":
        return rng.normal(size=n)
    if name == "poisson":
        return rng.poisson(1.5, size=n).astype(float)
    return rng.integers(2 if name == "logistic" else CLASSES, size=n).astype(float)


def scores(name, rng, n):
    return rng.normal(scale=2, size=(n, CLASSES) if name == "softmax" else n)


def shifted(f, by, output):
    """The scores with those of one output moved."""
    return f + by * np.eye(f.shape[1])[output] if f.ndim == 2 else f + by


def outputs(f):
    return range(f.shape[1]) if f.ndim == 2 else [0]


def one(values, output):
    return values[:, output] if values.ndim == 2 else values


@every_loss
def test_value_is_the_negative_log_likelihood(name):
    rng = np.random.default_rng(0)
    y, f = outcomes(name, rng, 50), scores(name, rng, 50)
    assert named(name).value(y, f) == pytest.approx(oracle.loss(name, y, f), abs=1e-13)


@every_loss
def test_kernel_agrees_with_the_plain_cumulant(name):
    f = scores(name, np.random.default_rng(1), 50).reshape(50, -1)
    value, mean = oracle.cumulant(name, f)
    (a, _), (slope, _) = (_kernels.loss_derivatives(named(name).kernel, f, k) for k in (0, 1))
    assert a[:, 0] == pytest.approx(value, rel=1e-13, abs=1e-15)
    assert slope == pytest.approx(mean, rel=1e-13, abs=1e-15)


@every_loss
def test_gradient_is_the_slope_of_the_value(name):
    rng = np.random.default_rng(2)
    y, f, loss, h = outcomes(name, rng, 50), scores(name, rng, 50), named(name), 1e-5
    for k in outputs(f):
        rise = loss.value(y, shifted(f, h, k)) - loss.value(y, shifted(f, -h, k))
        assert one(loss.gradient(y, f), k) == pytest.approx(rise / (2 * h), rel=1e-6, abs=1e-8)


@every_loss
def test_hessian_is_the_curvature_of_the_value(name):
    rng = np.random.default_rng(3)
    y, f, loss, h = outcomes(name, rng, 50), scores(name, rng, 50), named(name), 1e-3
    for k in outputs(f):
        around = loss.value(y, shifted(f, h, k)) + loss.value(y, shifted(f, -h, k))
        bend = (around - 2 * loss.value(y, f)) / h**2
        assert one(loss.curvature(y, f), k) == pytest.approx(bend, rel=1e-5, abs=1e-6)


@every_loss
def test_gradient_does_not_change_its_input(name):
    rng = np.random.default_rng(4)
    y, f = outcomes(name, rng, 10), scores(name, rng, 10)
    before = f.copy()
    named(name).gradient(y, f)
    assert np.array_equal(f, before)


@every_loss
@patient(max_examples=50)
@given(data=st.data())
def test_value_is_never_negative(name, data):
    shape = (4, CLASSES) if name == "softmax" else 4
    f = data.draw(arrays(float, shape, elements=st.floats(-30, 30)))
    y = outcomes(name, np.random.default_rng(data.draw(st.integers(0, 99))), 4)
    # The terms of the sum are at most this large, and so is what rounding leaves of them.
    size = np.abs(named(name).mean(f)).sum() + np.square(f).sum() + np.square(y).sum()
    assert (named(name).value(y, f) >= -1e-14 * (1 + size)).all()


@pytest.mark.parametrize("name", ["squared", "poisson"])
def test_the_score_of_the_outcome_itself_loses_nothing(name):
    y = outcomes(name, np.random.default_rng(5), 20) + (name == "poisson")
    assert named(name).value(y, named(name).link(y)) == pytest.approx(np.zeros(20), abs=1e-13)


def test_poisson_loses_nothing_for_no_count_at_a_tiny_rate():
    assert named("poisson").value(np.zeros(1), np.array([-800.0])) == [0.0]


@every_loss
def test_link_is_the_inverse_of_the_mean(name):
    f = scores(name, np.random.default_rng(6), 50)
    if name == "softmax":
        f -= f.mean(axis=1, keepdims=True)
    assert named(name).link(named(name).mean(f)) == pytest.approx(f, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("name", ["logistic", "poisson", "softmax"])
def test_link_is_finite_where_the_mean_is_at_its_limits(name):
    mean = np.array([[0.0, 1.0, 0.0]]) if name == "softmax" else np.array([0.0, 1.0])
    f = named(name).link(mean)
    assert np.isfinite(f).all()
    assert named(name).mean(f) == pytest.approx(mean, abs=1e-11)


@every_loss
def test_best_constant_minimises_the_weighted_loss(name):
    rng = np.random.default_rng(7)
    y, weight = outcomes(name, rng, 60), rng.exponential(size=60)
    found = named(name).best_constant(y, weight, CLASSES)

    def total(constant):
        f = np.tile(constant, (60, 1)) if name == "softmax" else np.full(60, constant[0])
        return weight @ oracle.loss(name, y, f)

    best = minimize(total, np.zeros(len(found)), method="BFGS", options={"gtol": 1e-7}).x
    if name == "softmax":
        best -= best.mean()
    assert found == pytest.approx(best, abs=1e-5)


def test_best_constant_has_a_score_for_each_class_also_without_rows():
    found = named("softmax").best_constant(np.array([0.0, 2.0]), np.ones(2), 4)
    assert found.shape == (4,)
    assert np.isfinite(found).all()


EXTREMES = [(name, f) for name in NAMES for f in [-1e3, -700.0, 700.0, 1e3]]
EXTREMES.remove(("poisson", 1e3))  # a rate of e^1000 is no float


@pytest.mark.parametrize(("name", "extreme"), EXTREMES)
def test_extreme_scores_give_finite_numbers(name, extreme):
    f = np.array([[extreme, 0.0, -extreme]]) if name == "softmax" else np.array([extreme])
    loss = named(name)
    for y in [np.zeros(1), np.ones(1)]:
        for number in [loss.value(y, f), loss.gradient(y, f), loss.curvature(y, f)]:
            assert np.isfinite(number).all()


@pytest.mark.parametrize("size", [700.0, 1e3])
def test_extreme_logistic_scores_lose_their_own_size_or_nothing(size):
    f = np.array([size, size, -size, -size])
    value = named("logistic").value(np.array([0.0, 1.0, 0.0, 1.0]), f)
    assert value == pytest.approx([size, 0, 0, size], abs=1e-300)


@pytest.mark.parametrize("lower_share", [1.0, 0.5])
def test_softmax_of_two_classes_is_logistic(lower_share):
    # Scores (0, f) and (−f/2, f/2) mean the same.
    rng = np.random.default_rng(8)
    f, y = rng.normal(scale=3, size=40), rng.integers(2, size=40).astype(float)
    pair = np.column_stack([(lower_share - 1) * f, lower_share * f])
    two, one = named("softmax"), named("logistic")
    assert two.value(y, pair) == pytest.approx(one.value(y, f), abs=1e-13)
    assert two.mean(pair)[:, 1] == pytest.approx(one.mean(f), abs=1e-14)
    assert two.gradient(y, pair)[:, 1] == pytest.approx(one.gradient(y, f), abs=1e-14)
    assert two.curvature(y, pair)[:, 1] == pytest.approx(one.curvature(y, f), abs=1e-14)


def test_only_softmax_has_several_scores():
    assert [name for name in NAMES if named(name).score_per_class] == ["softmax"]
