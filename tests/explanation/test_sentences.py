import numpy as np
import pytest
from explanation.models import (
    COLUMNS,
    EVERYTHING,
    KINDS,
    at_least,
    explained,
    explanations,
    logistic,
    model,
    poisson,
    several,
    squared,
)
from rule_strategies import for_all

from sorb import Condition, Rule, RuleEnsemble
from sorb.explanation import Explanation
from sorb.losses import LOSSES

RAISES = "raises the probability of ill"
WORDS = [
    (
        logistic[:0],
        (),
        "The model has no rules: the probability of ill is 12 %. The model says well.",
    ),
    (
        logistic[:1],
        (),
        "The only rule does not cover this row: the probability of ill is 12 %. The model says "
        "well.",
    ),
    (
        logistic[:1],
        (1,),
        f"The only rule covers this row: a ≥ 1, which {RAISES} from 12 % to 38 %. The model "
        "says well.",
    ),
    (
        logistic[:2],
        (),
        "Neither of the two rules covers this row: the probability of ill is 12 %. The model "
        "says well.",
    ),
    (
        logistic[:2],
        (2,),
        "One of the two rules covers this row: rule 2, b ≥ 1, which lowers the probability of "
        "ill from 12 % to 7.6 %. The model says well.",
    ),
    (
        logistic[:2],
        (1, 2),
        f"Both rules cover this row; the larger is rule 1, a ≥ 1, which {RAISES} by 22 "
        "percentage points. Together they raise it from 12 % to 27 %. The model says well.",
    ),
    (
        logistic,
        (),
        "None of the four rules covers this row: the probability of ill is 12 %. The model "
        "says well.",
    ),
    (
        logistic,
        (3,),
        f"One of the four rules covers this row: rule 3, c ≥ 1, which {RAISES} from 12 % to 50 "
        "%. The model says well.",
    ),
    (
        logistic,
        (1, 3, 4),
        f"Three of the four rules cover this row; the largest is rule 3, c ≥ 1, which {RAISES} "
        "by 39 percentage points. Together they raise it from 12 % to 85 %. The model says ill.",
    ),
    (
        squared,
        (1, 2, 3, 4),
        "All four rules cover this row; the largest is rule 3, c ≥ 1, which raises the "
        "prediction by 2. Together they raise it from 10 to 13.2.",
    ),
    (
        squared,
        (2, 4),
        "Two of the four rules cover this row; the larger is rule 2, b ≥ 1, which lowers the "
        "prediction by 0.5. Together they lower it from 10 to 9.75.",
    ),
    (
        squared,
        (),
        "None of the four rules covers this row: the prediction is 10.",
    ),
    (
        poisson,
        (2,),
        "One of the four rules covers this row: rule 2, b ≥ 1, which lowers the expected count "
        "from 1.65 to 1.",
    ),
    (
        poisson,
        (1, 2),
        "Two of the four rules cover this row; the larger is rule 1, a ≥ 1, which multiplies "
        "the expected count by 4.48. Together they raise it from 1.65 to 4.48.",
    ),
    (
        several,
        (),
        "None of the four rules covers this row: the probability of well is 63 %. The model "
        "says well.",
    ),
    (
        several,
        (3,),
        "One of the four rules covers this row: rule 3, c ≥ 1, which raises the probability of "
        "ill from 14 % to 55 %. The model says ill.",
    ),
    (
        several,
        (2, 3),
        "Two of the four rules cover this row; the larger is rule 3, c ≥ 1, which raises the "
        "probability of ill by 41 percentage points. Together they raise it from 14 % to 57 %. "
        "The model says ill.",
    ),
]


@pytest.mark.parametrize(("ensemble", "covering", "words"), WORDS)
def test_words(ensemble, covering, words):
    assert explained(ensemble, *covering).in_words(0) == words


def test_votes_that_cancel_leave_what_is_expected():
    ensemble = model("squared", 7.0, [1.5, -1.5])
    assert explained(ensemble, 1, 2).in_words(0).endswith("Together they leave it at 7.")


def test_rules_without_a_vote():
    ensemble = model("squared", 7.0, [0.0, 0.0])
    assert "rule 1, a ≥ 1, which does not change the prediction." in explained(
        ensemble, 1, 2
    ).in_words(0)
    assert explained(ensemble, 2).in_words(0).endswith("which leaves the prediction at 7.")


def test_the_largest_is_what_moves_the_class_that_the_model_says():
    # The first vote is larger, but its class was out of the question anyway.
    ensemble = model("softmax", (0.0, 0.0, -10.0), [-5.0, 1.0], [2, 0], KINDS)
    words = explained(ensemble, 1, 2).in_words(0)
    assert "the larger is rule 2, b ≥ 1, which raises the probability of well" in words


def test_one_percentage_point():
    ensemble = model("logistic", 0.0, [0.0404, 0.001])
    assert " by 1 percentage point. " in explained(ensemble, 1, 2).in_words(0)


def test_many_rules_are_counted_in_digits():
    names = [f"x{k}" for k in range(14)]
    ensemble = model("squared", 0.0, [1.0] * 14, names=names)
    words = explained(ensemble, *range(1, 13)).in_words(0)
    assert words.startswith("12 of the 14 rules cover this row; ")
    assert explained(ensemble, 1).in_words(0).startswith("One of the 14 rules covers this row: ")


def test_classes_without_names():
    words = explained(model("logistic", -2.0, [1.0]), 1).in_words(0)
    assert words.endswith("the probability of the positive class from 12 % to 27 %.")


def test_a_single_class():
    ensemble = RuleEnsemble(0.0, (), COLUMNS, "logistic", ("ill",))
    assert explained(ensemble).in_words(0) == "The model knows only one class: ill."


def test_conditions_are_told_with_units_and_a_single_space():
    both = Condition((*at_least("a").propositions, *at_least("b").propositions))
    ensemble = RuleEnsemble(0.0, (Rule(both, 1.0),), COLUMNS, "squared", units={"a": "kg"})
    assert "covers this row: a ≥ 1 kg and b ≥ 1, which" in explained(ensemble, 1, 2).in_words(0)


@pytest.mark.parametrize(("cut", "shown"), [(41.2347, "41.2347"), (41 + 1 / 3, "41.33")])
def test_conditions_are_told_as_they_are_printed(cut, shown):
    ensemble = RuleEnsemble(1.0, (Rule(at_least("a", cut), 2.0),), ("a",), "squared")
    assert str(ensemble).endswith(f"a ≥ {shown}")
    explanation = Explanation.of(ensemble, np.array([[cut - 0.003], [cut]]))
    assert f"not covered by rule 1: a ≥ {shown}\n" in str(explanation[0])
    assert f"rule 1: a ≥ {shown}\n" in str(explanation[1])
    assert f"covers this row: a ≥ {shown}, which" in explanation.in_words(1)


@for_all(explanations())
def test_words_agree_with_the_numbers(explanation):
    for row in (0, 7, 15):
        words = explanation.in_words(row)
        assert words.endswith(".")
        assert "  " not in words
        covering = int(explanation.covered[row].sum())
        assert ("largest" in words) == (covering > 2)
        assert ("larger" in words) == (covering == 2)
        if explanation.ensemble.loss.score_per_class:
            answer = int(explanation.total()[row].argmax())
            assert words.endswith(f"The model says {answer}.")


@pytest.mark.parametrize("loss", [name for name in LOSSES if LOSSES[name]().has_rates])
def test_a_loss_with_a_log_link_is_told_in_factors_and_never_in_percent(loss):
    quantity = LOSSES[loss].quantity
    row = Explanation.of(model(loss, 0.5, [0.5, 0.79]), EVERYTHING[-1:])[0]
    assert row.covered.all()
    assert f"multiplies the {quantity} by 2.2" in row.in_words()
    assert f"from {np.exp(0.5):.3g} to {np.exp(1.79):.3g}" in row.in_words()
    assert "%" not in row.in_words() + str(row) + row._repr_html_()


@pytest.mark.parametrize("offset", [0.5, 1000.0])
def test_an_infinite_outcome_can_be_told(offset):
    row = Explanation.of(model("gamma", offset, [800.0, 0.79]), EVERYTHING[-1:])[0]
    assert "multiplies the expected amount by inf" in row.in_words()
    assert "× inf" in str(row)
