"""Every loss of the registry, by one suite: whatever is added there is tested here."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import losses as oracle
from scipy.optimize import minimize

from sorb.losses import LOSSES, Loss, Readout, loss_by_name, parameter_names
from sorb.losses.base import ROUNDING

CLASSES = 3
EVERY = list(LOSSES)
NUMBERS = [name for name in EVERY if not loss_by_name(name).has_classes]
LOG_LINK = [name for name in EVERY if loss_by_name(name).readout is Readout.EXPONENTIAL]
every_loss = pytest.mark.parametrize("name", EVERY)


def scores(name, rng, n, scale=1.5):
    return rng.normal(scale=scale, size=(n, CLASSES) if loss_by_name(name).score_per_class else n)


def outcomes(name, rng, n):
    return oracle.TWINS[name].draw(scores(name, rng, n, 1.0), rng)


def shifted(f, by, output):
    """The scores with those of one output moved."""
    return f + by * np.eye(f.shape[1])[output] if f.ndim == 2 else f + by


def outputs(f):
    return range(f.shape[1]) if f.ndim == 2 else [0]


def one(values, output):
    return values[:, output] if values.ndim == 2 else values


@every_loss
def test_a_loss_is_called_by_its_name(name):
    assert loss_by_name(name).name == str(loss_by_name(name)) == name


def test_an_unknown_name_is_refused_with_those_that_are_known():
    with pytest.raises(ValueError, match=f"one of {', '.join(EVERY)}, found hinge"):
        loss_by_name("hinge")


@every_loss
def test_a_loss_is_a_value(name):
    assert loss_by_name(name) == loss_by_name(name)
    assert hash(loss_by_name(name)) == hash(loss_by_name(name))
    assert pickle.loads(pickle.dumps(loss_by_name(name))) == loss_by_name(name)
    assert all(loss_by_name(name) != loss_by_name(other) for other in EVERY if other != name)


@every_loss
def test_the_mean_of_a_score_does_not_depend_on_the_others(name):
    """Of many single scores, those met before are remembered."""
    rng = np.random.default_rng(0)
    few = np.append(scores(name, rng, 900, 300.0).round(1), scores(name, rng, 100), axis=0)
    many = rng.permutation(np.repeat(few, 10, axis=0))
    alone = [loss_by_name(name).mean(f[None])[0] for f in many]
    np.testing.assert_array_equal(loss_by_name(name).mean(many), alone)


@every_loss
def test_no_loss_is_derived_from_another(name):
    assert issubclass(LOSSES[name], Loss)
    assert not any(issubclass(LOSSES[other], LOSSES[name]) for other in EVERY if other != name)


@pytest.mark.parametrize("question", ["has_classes", "score_per_class", "has_rates"])
def test_nothing_is_guessed_about_a_new_readout(question, monkeypatch):
    monkeypatch.setattr(LOSSES["squared"], "readout", "square root")
    with pytest.raises(AssertionError, match="unexpected str: 'square root'"):
        getattr(loss_by_name("squared"), question)


def test_only_softmax_has_several_scores():
    assert [name for name in EVERY if loss_by_name(name).score_per_class] == ["softmax"]


@every_loss
def test_all_words_are_there(name):
    loss = loss_by_name(name)
    labels = ["well", "ill"] if loss.has_classes else []
    said = [say(labels) for say in (loss.outcome_words, loss.score_words, loss.vote_words)]
    assert all(words and not words[0].isupper() for words in said)
    assert loss.measure


@every_loss
def test_value_agrees_with_the_twin(name):
    rng = np.random.default_rng(0)
    y, f = outcomes(name, rng, 50), scores(name, rng, 50)
    assert loss_by_name(name).value(y, f) == pytest.approx(
        oracle.loss(name, y, f), rel=1e-12, abs=1e-13
    )


@every_loss
def test_gradient_agrees_with_the_twin(name):
    rng = np.random.default_rng(1)
    y, f = outcomes(name, rng, 50), scores(name, rng, 50)
    expected = oracle.TWINS[name].gradient(y, f)
    assert loss_by_name(name).gradient(y, f) == pytest.approx(expected, rel=1e-12, abs=1e-13)


@every_loss
def test_mean_agrees_with_the_twin(name):
    f = scores(name, np.random.default_rng(1), 50)
    assert loss_by_name(name).mean(f) == pytest.approx(
        oracle.TWINS[name].mean(f), rel=1e-13, abs=1e-15
    )


@every_loss
def test_gradient_is_the_slope_of_the_value(name):
    rng = np.random.default_rng(2)
    y, f, loss, h = outcomes(name, rng, 50), scores(name, rng, 50), loss_by_name(name), 1e-5
    for k in outputs(f):
        rise = loss.value(y, shifted(f, h, k)) - loss.value(y, shifted(f, -h, k))
        assert one(loss.gradient(y, f), k) == pytest.approx(rise / (2 * h), rel=1e-6, abs=1e-7)


@every_loss
def test_curvature_is_the_slope_of_the_gradient(name):
    rng = np.random.default_rng(3)
    y, f, loss, h = outcomes(name, rng, 50), scores(name, rng, 50), loss_by_name(name), 1e-5
    for k in outputs(f):
        rise = loss.gradient(y, shifted(f, h, k)) - loss.gradient(y, shifted(f, -h, k))
        slope = one(rise, k) / (2 * h)
        assert one(loss.curvature(y, f), k) == pytest.approx(slope, rel=1e-6, abs=1e-7)


@every_loss
def test_slope_of_the_mean(name):
    f, loss, h = scores(name, np.random.default_rng(3), 50), loss_by_name(name), 1e-5
    for k in outputs(f):
        rise = loss.mean(shifted(f, h, k)) - loss.mean(shifted(f, -h, k))
        slope = one(rise, k) / (2 * h)
        assert one(loss.mean_slope(f), k) == pytest.approx(slope, rel=1e-6, abs=1e-8)


@every_loss
def test_information_is_the_mean_curvature(name):
    rng = np.random.default_rng(4)
    f = np.repeat(scores(name, rng, 1), 20_000, axis=0)
    y = oracle.TWINS[name].draw(f, rng)
    found = loss_by_name(name).curvature(y, f).mean(axis=0)
    assert loss_by_name(name).information(f[:1])[0] == pytest.approx(found, rel=0.05)


@every_loss
def test_losses_are_convex(name):
    rng = np.random.default_rng(5)
    y, f = outcomes(name, rng, 200), scores(name, rng, 200, 5.0)
    assert (loss_by_name(name).curvature(y, f) >= 0).all()


@pytest.mark.parametrize("name", [name for name in EVERY if name != "softmax"])
def test_losses_are_linear_in_the_outcome(name):
    # What the refit on sums by pattern needs: a(f)·Σw − b(f)·Σwy.
    rng = np.random.default_rng(6)
    loss, y, f = loss_by_name(name), outcomes(name, rng, 9), np.full(9, rng.normal())
    for derivative in (loss.gradient, loss.curvature):
        at_mean = derivative(np.full(9, y.mean()), f)
        assert derivative(y, f).mean() == pytest.approx(at_mean[0])


@every_loss
def test_gradients_by_output_are_those_of_the_rows(name):
    rng = np.random.default_rng(7)
    loss, pattern = loss_by_name(name), rng.integers(4, size=30).astype(np.int32)
    f, y = scores(name, rng, 4), outcomes(name, rng, 30)
    found = loss.gradients_by_output(f.reshape(4, -1), pattern, y)
    expected = loss.gradient(y, f[pattern]).reshape(30, -1).T
    assert np.array(list(found)) == pytest.approx(expected, abs=1e-15)


@every_loss
def test_no_input_is_changed(name):
    rng = np.random.default_rng(4)
    y, f = outcomes(name, rng, 10), scores(name, rng, 10)
    before = y.copy(), f.copy()
    for function in (
        loss_by_name(name).value,
        loss_by_name(name).gradient,
        loss_by_name(name).curvature,
    ):
        function(y, f)
    assert np.array_equal(y, before[0])
    assert np.array_equal(f, before[1])


@every_loss
@settings(max_examples=50)
@given(data=st.data())
def test_value_is_never_negative(name, data):
    shape = (4, CLASSES) if loss_by_name(name).score_per_class else 4
    f = data.draw(arrays(float, shape, elements=st.floats(-30, 30)))
    y = outcomes(name, np.random.default_rng(data.draw(st.integers(0, 99))), 4)
    # The terms of the sum are at most this large, and so is what rounding leaves of them.
    size = np.abs(loss_by_name(name).mean(f)).sum() + np.square(f).sum() + np.square(y).sum()
    assert (loss_by_name(name).value(y, f) >= -1e-14 * (1 + size)).all()


@pytest.mark.parametrize("name", NUMBERS)
def test_the_score_of_the_outcome_itself_loses_nothing(name):
    y = np.exp(np.random.default_rng(5).normal(size=20))
    assert loss_by_name(name).value(y, loss_by_name(name).link(y)) == pytest.approx(
        np.zeros(20), abs=1e-12
    )


@every_loss
def test_link_is_the_inverse_of_the_mean(name):
    f = scores(name, np.random.default_rng(6), 50)
    if f.ndim == 2:
        f -= f.mean(axis=1, keepdims=True)
    assert loss_by_name(name).link(loss_by_name(name).mean(f)) == pytest.approx(
        f, rel=1e-11, abs=1e-11
    )


@pytest.mark.parametrize("name", [name for name in EVERY if name != "squared"])
def test_link_is_finite_where_the_mean_is_at_its_limits(name):
    mean = (
        np.array([[0.0, 1.0, 0.0]]) if loss_by_name(name).score_per_class else np.array([0.0, 1.0])
    )
    f = loss_by_name(name).link(mean)
    assert np.isfinite(f).all()
    assert loss_by_name(name).mean(f) == pytest.approx(mean, abs=1e-11)


@every_loss
def test_best_constant_minimises_the_weighted_loss(name):
    rng = np.random.default_rng(7)
    y, weight = outcomes(name, rng, 60), rng.exponential(size=60)
    found = loss_by_name(name).best_constant(y, weight, CLASSES)

    def total(constant):
        f = np.tile(constant, (60, 1)) if len(found) > 1 else np.full(60, constant[0])
        return weight @ oracle.loss(name, y, f)

    best = minimize(total, np.zeros(len(found)), method="BFGS", options={"gtol": 1e-7}).x
    if len(found) > 1:
        best -= best.mean()
    assert found == pytest.approx(best, abs=1e-5)


def test_best_constant_has_a_score_for_each_class_also_without_rows():
    found = loss_by_name("softmax").best_constant(np.array([0.0, 2.0]), np.ones(2), 4)
    assert found.shape == (4,)
    assert np.isfinite(found).all()


EXTREMES = [(name, f) for name in EVERY for f in [-1e3, -700.0, 700.0, 1e3]]


# An expected outcome of e^±1000 is no float.
EXTREMES = [(name, f) for name, f in EXTREMES if name not in LOG_LINK or abs(f) < 1e3]


@pytest.mark.parametrize(("name", "extreme"), EXTREMES)
def test_extreme_scores_give_finite_numbers(name, extreme):
    f = np.array([[extreme, 0.0, -extreme]]) if name == "softmax" else np.array([extreme])
    loss = loss_by_name(name)
    for y in [np.ones(1)] if loss.non_negative else [np.zeros(1), np.ones(1)]:
        for number in [loss.value(y, f), loss.gradient(y, f), loss.curvature(y, f)]:
            assert np.isfinite(number).all()


@pytest.mark.parametrize("lower_share", [1.0, 0.5])
def test_softmax_of_two_classes_is_logistic(lower_share):
    # Scores (0, f) and (−f/2, f/2) mean the same.
    rng = np.random.default_rng(8)
    f, y = rng.normal(scale=3, size=40), rng.integers(2, size=40).astype(float)
    pair = np.column_stack([(lower_share - 1) * f, lower_share * f])
    two, one = loss_by_name("softmax"), loss_by_name("logistic")
    assert two.value(y, pair) == pytest.approx(one.value(y, f), abs=1e-13)
    assert two.mean(pair)[:, 1] == pytest.approx(one.mean(f), abs=1e-14)
    assert two.gradient(y, pair)[:, 1] == pytest.approx(one.gradient(y, f), abs=1e-14)
    assert two.curvature(y, pair)[:, 1] == pytest.approx(one.curvature(y, f), abs=1e-14)


@pytest.mark.parametrize("name", LOG_LINK)
def test_negative_outcomes_are_refused_with_their_row(name):
    with pytest.raises(ValueError, match=rf"y is -1\.0 in row 2: .* for the loss '{name}'"):
        loss_by_name(name).check_outcomes(np.array([1.0, 2.0, -1.0, -3.0]))


@pytest.mark.parametrize("name", NUMBERS)
def test_positive_outcomes_are_accepted(name):
    y = np.array([0.5, 2.0])
    loss_by_name(name).check_outcomes(y)
    loss_by_name(name).check_training(y, np.ones(2))


@pytest.mark.parametrize("name", LOG_LINK)
def test_tiny_means_have_their_logarithm(name):
    mean = np.array([1e-300, 1e-13])
    np.testing.assert_allclose(loss_by_name(name).link(mean), np.log(mean), rtol=1e-15)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", LOG_LINK)
@pytest.mark.parametrize("score", [-2000.0, 2000.0])
def test_scores_beyond_the_exponential_have_a_large_or_infinite_loss(name, score):
    found = loss_by_name(name).value(np.array([1.0, 1e70]), np.full(2, score))
    assert (found > 1000).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["poisson", "tweedie"])
def test_zero_is_best_predicted_by_the_lowest_score(name):
    found = loss_by_name(name).value(np.zeros(3), np.array([-5000.0, -2000.0, 0.0]))
    assert found[0] == found[1] == 0
    assert found[2] > 0


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("size", [1e-60, 1 / np.e, 1.0, np.e, 1e60])
def test_rounding_explains_the_risk_of_outcomes_that_differ_by_rounding(name, size):
    loss, weight = loss_by_name(name), np.ones(100)
    y = size * (1 + np.finfo(float).eps * (np.arange(100) % 3))
    shift = y.mean() if loss.centred else 0.0
    risk = loss.value(y - shift, loss.best_constant(y - shift, weight)).mean()
    assert risk <= loss.rounding(y - shift, weight, shift)


@pytest.mark.parametrize("name", NUMBERS)
def test_rounding_explains_no_real_differences(name):
    loss, y = loss_by_name(name), 100 + 1e-4 * np.arange(100.0)
    shift = y.mean() if loss.centred else 0.0
    risk = loss.value(y - shift, loss.best_constant(y - shift, np.ones(100))).mean()
    assert risk > loss.rounding(y - shift, np.ones(100), shift)


def test_rounding_is_a_share_of_the_parts_of_the_loss():
    # The parts of Poisson's loss, e^f − f y + y log y − y, are 1, 0 and −1 at f = 0 for y = 1.
    assert loss_by_name("poisson").rounding(np.ones(3), np.ones(3)) == 2 * ROUNDING


def test_losses_with_a_logarithm_take_no_negative_outcomes():
    assert [name for name in EVERY if loss_by_name(name).non_negative] == LOG_LINK


@pytest.mark.parametrize("name", ["logistic", "softmax"])
def test_rounding_explains_nothing_of_classes(name):
    assert loss_by_name(name).rounding(np.array([0.0, 1.0]), np.ones(2)) == 0


@pytest.mark.parametrize("weight", [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
def test_counts_that_are_all_zero_have_no_rate_to_learn(weight):
    with pytest.raises(ValueError, match="needs some y above zero"):
        loss_by_name("poisson").check_training(np.array([0.0, 0.0, 3.0]), np.array(weight))


@pytest.mark.parametrize("name", [name for name in EVERY if not parameter_names(name)])
def test_a_parameter_of_another_loss_is_refused(name):
    with pytest.raises(ValueError, match=f"parameter of the loss tweedie, not of {name}"):
        loss_by_name(name, power=1.5)
