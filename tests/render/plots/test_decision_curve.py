import numpy as np
import pytest
from scipy.special import expit

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.render import plot_decision_curve
from sorb.render.plots.decision_curve import THRESHOLDS, net_benefit

OLD = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 2.0)
MODEL = RuleEnsemble(-1.0, (OLD,), ("age",), "logistic", ("well", "ill"))


def plain_net_benefit(probability, positive, threshold):
    """As in Vickers and Elkin (2006), counted row by row."""
    pairs = list(zip(probability, positive, strict=True))
    right = sum(ill for p, ill in pairs if p >= threshold)
    needless = sum(not ill for p, ill in pairs if p >= threshold)
    return (right - needless * threshold / (1 - threshold)) / len(pairs)


def test_the_curves_are_those_of_the_formula():
    rng = np.random.default_rng(0)
    X = rng.uniform(20, 60, size=(80, 1))
    ill = rng.random(80) < 0.3
    model, everybody, nobody = plot_decision_curve(MODEL, X, np.where(ill, "ill", "well")).lines
    probability = expit(np.where(X[:, 0] >= 40, 1.0, -1.0))
    expected = [plain_net_benefit(probability, ill, t) for t in THRESHOLDS]
    assert model.get_ydata() == pytest.approx(expected)
    assert everybody.get_ydata() == pytest.approx(
        [plain_net_benefit(np.ones(80), ill, t) for t in THRESHOLDS]
    )
    assert set(nobody.get_ydata()) == {0}


def test_a_perfect_model_is_worth_the_share_of_cases_at_every_threshold():
    positive = np.array([True, False, False, False])
    found = net_benefit(positive.astype(float), positive, np.ones(4), THRESHOLDS)
    assert found == pytest.approx(np.full(99, 0.25))


def test_weights_count_as_copies():
    rng = np.random.default_rng(1)
    probability, positive, weight = rng.random(30), rng.random(30) < 0.5, rng.integers(0, 4, 30)
    copies = np.repeat(np.arange(30), weight)
    assert net_benefit(probability, positive, weight.astype(float), THRESHOLDS) == pytest.approx(
        net_benefit(probability[copies], positive[copies], np.ones(len(copies)), THRESHOLDS)
    )


@pytest.mark.parametrize("outcome", ["ill", "well"])
def test_rows_of_one_class_alone_can_be_drawn(outcome):
    low, high = plot_decision_curve(MODEL, np.array([[30.0], [50.0]]), [outcome] * 2).get_ylim()
    assert low < 0 < high


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RuleEnsemble(0.0, (), ("age",), "squared"), "predicts numbers"),
        (
            RuleEnsemble((0.0,) * 3, (), ("age",), "softmax", tuple("abc")),
            "two classes, but the model has 3",
        ),
        (RuleEnsemble(0.0, (), ("age",), "logistic", ("a",)), "two classes, but the model has 1"),
    ],
)
def test_refuses_other_models(model, message):
    with pytest.raises(ValueError, match=message):
        plot_decision_curve(model, np.zeros((2, 1)), ["a", "a"])
