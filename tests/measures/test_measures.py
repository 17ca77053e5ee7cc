import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    log_loss,
    mean_absolute_error,
    mean_gamma_deviance,
    mean_poisson_deviance,
    mean_squared_error,
    mean_tweedie_deviance,
    r2_score,
)

from sorb.losses import loss_by_name
from sorb.measures.measures import Measures
from sorb.rules import RuleEnsemble
from sorb.tables.targets import Outcomes

RNG = np.random.default_rng(8)
N = 200
WEIGHT = RNG.uniform(0.5, 2, N)


def measure(ensemble, scores, y, weight=WEIGHT, exposure=None):
    return Measures.of(ensemble, scores, Outcomes.of(ensemble, y, weight, exposure))


def test_two_classes_are_measured_as_scikit_learn_does():
    ensemble = RuleEnsemble(0.0, (), ("a",), "logistic", ("no", "yes"))
    y, scores = RNG.choice(["no", "yes"], N), RNG.normal(size=N)
    p = 1 / (1 + np.exp(-scores))
    found = measure(ensemble, scores, y)
    assert found.risk == pytest.approx(log_loss(y, p, sample_weight=WEIGHT))
    assert found.brier == pytest.approx(brier_score_loss(y == "yes", p, sample_weight=WEIGHT))
    predicted = np.where(scores > 0, "yes", "no")
    assert 1 - found.error == pytest.approx(accuracy_score(y, predicted, sample_weight=WEIGHT))
    assert found.decisions is None


def test_more_classes_are_measured_as_scikit_learn_does():
    ensemble = RuleEnsemble((0.0, 0.0, 0.0), (), ("a",), "softmax", ("a", "b", "c"))
    y, scores = RNG.choice(["a", "b", "c"], N, p=[0.6, 0.3, 0.1]), RNG.normal(size=(N, 3))
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    found = measure(ensemble, scores, y)
    predicted = np.array(["a", "b", "c"])[p.argmax(axis=1)]
    assert found.risk == pytest.approx(log_loss(y, p, sample_weight=WEIGHT))
    assert found.balanced_accuracy == pytest.approx(
        balanced_accuracy_score(y, predicted, sample_weight=WEIGHT)
    )


@pytest.mark.parametrize(
    ("loss", "deviance"),
    [
        ("squared", mean_squared_error),
        ("poisson", mean_poisson_deviance),
        ("gamma", mean_gamma_deviance),
        ("tweedie", lambda *args, **weights: mean_tweedie_deviance(*args, power=1.5, **weights)),
    ],
)
def test_numbers_are_measured_as_scikit_learn_does(loss, deviance):
    ensemble = RuleEnsemble(0.0, (), ("a",), loss)
    y, mean = RNG.gamma(2.0, size=N), RNG.gamma(2.0, size=N)
    found = measure(ensemble, loss_by_name(loss).link(mean), y)
    weights = {"sample_weight": WEIGHT}
    assert ensemble.loss.measured(found.risk) == pytest.approx(deviance(y, mean, **weights))
    assert found.r2 == pytest.approx(r2_score(y, mean, **weights))
    assert found.rmse == pytest.approx(np.sqrt(mean_squared_error(y, mean, **weights)))
    assert found.mae == pytest.approx(mean_absolute_error(y, mean, **weights))


def test_calibration_over_several_classes_is_a_mean():
    shares = (0.5, 0.3, 0.2)
    ensemble = RuleEnsemble(tuple(np.log(shares)), (), ("a",), "softmax", ("a", "b", "c"))
    values = np.tile(np.log(shares), (4, 1))
    found = measure(ensemble, values, ["a", "a", "b", "b"], np.ones(4))
    assert found.calibration_error == pytest.approx((0.0 + 0.2 + 0.2) / 3)
    assert found.error == 0.5


def test_equal_outcomes_leave_no_variance_to_explain():
    ensemble = RuleEnsemble(1.0, (), ("a",), "squared")
    found = measure(ensemble, np.ones(3), [1.5, 1.5, 1.5], np.ones(3))
    assert (found.r2, found.calibration_error) == (None, 0.5)


def test_a_single_class_is_always_right():
    ensemble = RuleEnsemble(0.0, (), ("a",), "logistic", ("no",))
    found = measure(ensemble, np.full(3, 30.0), ["no"] * 3, np.ones(3))
    assert (found.error, found.auc, found.brier) == (0.0, None, 0.0)


def test_what_is_infinite_is_null_in_json():
    ensemble = RuleEnsemble(0.0, (), ("a",), "poisson")
    found = measure(ensemble, np.array([800.0, 0.0]), [1.0, 1.0], np.ones(2)).to_dict()
    assert (found["risk"], found["rmse"], found["auc"]) == (None, None, None)
