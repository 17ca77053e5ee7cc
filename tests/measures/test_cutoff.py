import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from sorb.measures.cutoff import Cutoff, Decisions, choose_cutoff
from sorb.rules import RuleEnsemble

TWO = RuleEnsemble(0.0, (), ("a",), "logistic", ("well", "ill"))


def test_decisions_are_those_of_the_confusion_matrix():
    rng = np.random.default_rng(0)
    above, positive = rng.random(90) < 0.4, rng.random(90) < 0.3
    weight = rng.uniform(0.5, 2, 90)
    (tn, fp), (fn, tp) = confusion_matrix(positive, above, sample_weight=weight)
    found = Decisions.of(above, positive, weight)
    assert found.sensitivity.value == pytest.approx(tp / (tp + fn))
    assert found.specificity.value == pytest.approx(tn / (tn + fp))
    assert found.positive_predictive_value.value == pytest.approx(tp / (tp + fp))
    assert found.negative_predictive_value.value == pytest.approx(tn / (tn + fn))


def test_nobody_above_the_cutoff_leaves_nothing_to_predict():
    found = Decisions.of(np.zeros(4, dtype=bool), np.arange(4) < 1, np.ones(4))
    assert (found.sensitivity.value, found.positive_predictive_value) == (0.0, None)


def test_costs_choose_the_cutoff_of_least_expected_cost():
    missed, false_alarm = 7.0, 2.0
    cutoff = Cutoff.by_costs(missed, false_alarm, "ill")
    p = np.linspace(0.001, 0.999, 500)
    alarm_is_cheaper = (1 - p) * false_alarm < p * missed
    assert (cutoff.is_above(p) == alarm_is_cheaper).all()
    assert cutoff.reason == "a missed ill costs 3.5 times a false alarm"


def test_cheap_misses_are_said_as_a_fraction():
    assert Cutoff.by_costs(1, 4, "ill").reason == "a missed ill costs 1/4 of a false alarm"
    assert Cutoff.by_costs(2, 2, "ill").reason == "a missed ill costs as much as a false alarm"


def test_the_baseline_is_not_above_its_own_cutoff():
    baseline = np.full(3, np.log(0.3 / 0.7))
    cutoff = choose_cutoff(TWO, baseline, None, None, "the share of {}")
    assert (cutoff.value, cutoff.reason) == (pytest.approx(0.3), "the share of ill")
    assert not cutoff.is_above(np.array([np.nextafter(cutoff.value, 1)])).any()


@pytest.mark.parametrize(
    ("cutoff", "costs", "message"),
    [
        (1.5, None, "must be a probability between 0 and 1, found 1.5"),
        (0.5, (1, 2), "give one of both"),
        (None, (0, 2), "the cost of a missed positive must be finite and more than 0, found 0"),
        (None, (1, np.inf), "the cost of a false alarm must be finite and more than 0, found inf"),
    ],
)
def test_senseless_cutoffs_are_refused(cutoff, costs, message):
    with pytest.raises(ValueError, match=message):
        choose_cutoff(TWO, np.zeros(1), cutoff, costs, "")


def test_a_cutoff_is_for_two_classes():
    numbers = RuleEnsemble(0.0, (), ("a",), "squared")
    assert choose_cutoff(numbers, np.zeros(1), None, None, "") is None
    with pytest.raises(ValueError, match="a cut-off is for models of two classes"):
        choose_cutoff(numbers, np.zeros(1), 0.5, None, "")
