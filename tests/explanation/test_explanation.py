import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.losses import TWINS
from rule_strategies import all_ensembles_with_rows, as_array, for_all
from scipy.integrate import quad_vec
from scipy.special import softmax

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.explanation import Explanation
from sorb.explanation.explained_quantity import percent
from sorb.losses import LOSSES, Readout

COLUMNS = ("a", "b", "c", "d")
KINDS = ("well", "mild", "ill")


def at_least(name, threshold=1.0):
    return Condition((Proposition((name,), (1.0,), threshold),))


def model(loss, offset, votes, outputs=None, classes=None, names=COLUMNS):
    """Give a model whose k-th rule asks whether the k-th column is at least 1."""
    outputs = outputs or [0] * len(votes)
    rules = tuple(
        Rule(at_least(name), vote, output)
        for name, vote, output in zip(names, votes, outputs, strict=False)
    )
    return RuleEnsemble(offset, rules, tuple(names), loss, classes)


def explained(ensemble, *covering):
    """Explain a row that just these rules cover, counted from 1."""
    row = [float(k + 1 in covering) for k in range(len(ensemble.columns))]
    return Explanation.of(ensemble, np.array([row]))


logistic = model("logistic", -2.0, [1.5, -0.5, 2.0, 0.25], classes=("well", "ill"))
squared = model("squared", 10.0, [1.5, -0.5, 2.0, 0.25])
poisson = model("poisson", 0.5, [1.5, -0.5, 2.0, 0.25])
several = model("softmax", (1.0, 0.0, -0.5), [1.5, -0.5, 2.0, 0.25], [0, 1, 2, 1], KINDS)
MODELS = {"logistic": logistic, "squared": squared, "poisson": poisson, "softmax": several}
every_loss = pytest.mark.parametrize("loss", MODELS)
EVERYTHING = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T


# ---- in votes ----


@for_all(all_ensembles_with_rows())
def test_votes_add_up_exactly(drawn):
    ensemble, rows = drawn
    table = as_array(rows)
    explanation = Explanation.of(ensemble, table)
    assert len(explanation) == len(rows)
    np.testing.assert_array_equal(explanation.total(), ensemble(table))
    np.testing.assert_array_equal(explanation.contributions, ensemble.contributions(table))
    assert (explanation.offset, explanation.rules) == (ensemble.offset, ensemble.rules)


# ---- in units of the outcome ----


def mean(loss, scores):
    return TWINS[loss].mean(scores)


# The slope of the expected outcome where it is p.
SLOPES = {
    Readout.IDENTITY: np.ones_like,
    Readout.EXPONENTIAL: lambda p: p,
    Readout.SIGMOID: lambda p: p * (1 - p),
}
votes = st.floats(-30, 30)


@st.composite
def explanations(draw, losses=tuple(LOSSES), size=votes):
    loss = draw(st.sampled_from(losses))
    n_rules = draw(st.integers(0, 4))
    weights = draw(st.lists(size, min_size=n_rules, max_size=n_rules))
    if loss != "softmax":
        ensemble = model(loss, draw(size), weights)
    else:
        n_classes = draw(st.integers(2, 4))
        offset = tuple(draw(st.lists(size, min_size=n_classes, max_size=n_classes)))
        outputs = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rules, max_size=n_rules))
        ensemble = model(loss, offset, weights, outputs, tuple(range(n_classes)))
    return Explanation.of(ensemble, EVERYTHING)


def summed(expected):
    return expected.offset + expected.contributions.sum(axis=1)


@for_all(explanations())
def test_what_rules_add_leads_to_what_is_expected(explanation):
    expected = explanation.expected()
    tolerance = 1e-12 * max(1.0, np.abs(expected.total()).max())
    np.testing.assert_allclose(summed(expected), expected.total(), rtol=1e-9, atol=tolerance)
    if explanation.ensemble.loss.score_per_class:
        probabilities = softmax(explanation.total(), axis=1)
        np.testing.assert_allclose(expected.total(), probabilities, atol=1e-14)
        np.testing.assert_allclose(expected.contributions.sum(axis=2), 0, atol=1e-12)
    else:
        mean_of_total = mean(explanation.ensemble.loss.name, explanation.total())
        np.testing.assert_allclose(expected.total(), mean_of_total, rtol=1e-12)


@for_all(explanations())
def test_a_vote_for_a_class_never_counts_against_it(explanation):
    expected, ensemble = explanation.expected(), explanation.ensemble
    for k, rule in enumerate(ensemble):
        added = expected.contributions[:, k]
        if ensemble.loss.score_per_class:
            against = np.delete(added, rule.output, axis=1)
            assert (np.sign(rule.vote) * against <= 0).all()
            added = added[:, rule.output]
        assert (np.sign(rule.vote) * added >= 0).all()
        assert not added[~explanation.covered[:, k]].any()


def by_integration(ensemble, covered):
    """Let the votes of one row grow in step, and integrate what each moves."""
    weights = np.where(covered, [rule.vote for rule in ensemble], 0.0)
    offset = np.atleast_1d(np.array(ensemble.offset))
    outputs = [rule.output for rule in ensemble]

    def moved(t):
        scores = offset.copy()
        np.add.at(scores, outputs, t * weights)
        if ensemble.loss.score_per_class:
            p = softmax(scores)
            slopes = np.diag(p) - np.outer(p, p)
        else:
            p = mean(ensemble.loss.name, scores)
            slopes = np.diag(SLOPES[ensemble.loss.readout](p))
        return weights[:, None] * slopes[outputs]

    return quad_vec(moved, 0, 1, epsabs=1e-12)[0]


@settings(max_examples=15, deadline=None)
@given(explanations(losses=tuple(LOSSES), size=st.floats(-6, 6)))
def test_each_rule_gets_what_it_moves_while_all_votes_grow(explanation):
    if not len(explanation.rules):
        return
    contributions = explanation.expected().contributions
    for row in (0, 5, 15):
        by_hand = by_integration(explanation.ensemble, explanation.covered[row])
        found = contributions[row].reshape(by_hand.shape)
        np.testing.assert_allclose(found, by_hand, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_votes_that_cancel_still_show(loss):
    if loss == "logistic":
        ensemble = model("logistic", 0.0, [2.0, -2.0])
    else:
        ensemble = model("softmax", (0.0, 0.0), [2.0, -2.0], [1, 1], (0, 1))
    expected = explained(ensemble, 1, 2).expected()
    # The slope of the logistic function at 0 is 1/4.
    added = expected.contributions[0]
    np.testing.assert_allclose(added if loss == "logistic" else added[:, 1], [0.5, -0.5])


def test_two_classes_are_the_same_with_one_score_or_two():
    one = model("logistic", -2.0, [1.5, -0.5, 2.0, 0.25])
    two = model("softmax", (0.0, -2.0), [1.5, -0.5, 2.0, 0.25], [1] * 4, ("no", "yes"))
    first = Explanation.of(one, EVERYTHING).expected()
    second = Explanation.of(two, EVERYTHING).expected()
    np.testing.assert_allclose(first.contributions, second.contributions[..., 1], atol=1e-13)
    assert first.offset == pytest.approx(second.offset[1])


@every_loss
def test_the_order_of_the_rules_makes_no_difference(loss):
    ensemble = MODELS[loss]
    order = [2, 0, 3, 1]
    shuffled = RuleEnsemble(
        ensemble.offset,
        tuple(ensemble[k] for k in order),
        ensemble.columns,
        ensemble.loss,
        ensemble.classes,
    )
    first = Explanation.of(ensemble, EVERYTHING).expected().contributions
    second = Explanation.of(shuffled, EVERYTHING).expected().contributions
    np.testing.assert_allclose(first[:, order], second, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("size", [1e2, 1e4, 1e8])
def test_enormous_votes_add_up_too(size):
    generator = np.random.default_rng(0)
    for _ in range(20):
        offset = tuple(generator.normal(size=3))
        weights, outputs = generator.normal(size=4) * size, generator.integers(0, 3, 4).tolist()
        ensemble = model("softmax", offset, weights.tolist(), outputs, KINDS)
        expected = explained(ensemble, 1, 2, 3, 4).expected()
        np.testing.assert_allclose(summed(expected), expected.total(), atol=1e-14 * size)


def test_predictions_are_explained_by_the_votes_themselves():
    explanation = Explanation.of(squared, EVERYTHING)
    np.testing.assert_array_equal(explanation.expected().contributions, explanation.contributions)


# ---- in words ----

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


def test_rules_without_weight():
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


@given(st.floats(0, 1))
def test_percentages_are_never_rounded_to_certainty(share):
    words = percent(share)
    assert words not in ("0 %", "100 %")
    number = float(re.search(r"[0-9.]+", words)[0]) / 100
    assert math.isclose(number, share, rel_tol=0.051, abs_tol=1.01e-4)
    assert math.isclose(1 - number, 1 - share, rel_tol=0.051, abs_tol=1.01e-4)


# ---- one row, printed ----


def lines_of(ensemble, *covering):
    caption, *lines = str(explained(ensemble, *covering)[0]).split("\n")
    return caption, [re.split(r"\s{2,}", line.strip()) for line in lines]


def test_log_odds_and_probabilities_stand_side_by_side():
    caption, lines = lines_of(logistic, 1, 3)
    assert caption == "The log-odds of ill against well, and the probability of ill in %:"
    assert lines == [
        ["−2", "11.9", "to begin with"],
        ["+1.5", "+29.9", "rule 1: a ≥ 1"],
        ["not covered by rule 2: b ≥ 1"],
        ["+2", "+39.9", "rule 3: c ≥ 1"],
        ["not covered by rule 4: d ≥ 1"],
        ["+1.5", "81.8", "in total"],
    ]


def test_counts_are_multiplied():
    caption, lines = lines_of(poisson, 2)
    assert caption == "The logarithm of the expected count, and the expected count:"
    assert lines[0] == ["+0.5", "1.65", "to begin with"]
    assert lines[2] == ["−0.5", "× 0.607", "rule 2: b ≥ 1"]
    assert lines[-1] == ["+0", "1", "in total"]


def test_predictions_need_one_column():
    caption, lines = lines_of(squared, 3)
    assert caption == "The prediction:"
    assert [lines[0], lines[-1]] == [["+10", "to begin with"], ["+12", "in total"]]


def test_each_class_has_its_score():
    caption, lines = lines_of(several, 3)
    assert caption == "The score of each class, and the probability of ill in %:"
    assert lines[:3] == [
        ["+1", "well", "to begin with"],
        ["+0", "mild", "to begin with"],
        ["−0.5", "ill", "14.0", "to begin with"],
    ]
    assert lines[5] == ["+2", "ill", "+40.6", "rule 3: c ≥ 1"]
    assert lines[-1] == ["+1.5", "ill", "54.7", "in total"]


def test_points_are_aligned():
    _, *lines = str(explained(squared, 1, 3)[0]).split("\n")
    assert {line.index(".") for line in lines if re.match(r" *[+−][0-9]+\.", line)} == {3}


def test_nothing_is_minus_zero():
    tiny = model("logistic", 0.0, [-1e-9, 1e-9], classes=("well", "ill"))
    assert "−0.0" not in str(explained(tiny, 1, 2)[0])


def test_a_row_has_the_numbers_of_its_row():
    explanation = Explanation.of(several, EVERYTHING)
    row, expected = explanation[11], explanation.expected()
    np.testing.assert_array_equal(row.covered, explanation.covered[11])
    np.testing.assert_array_equal(row.contributions, explanation.contributions[11])
    np.testing.assert_array_equal(row.total, explanation.total()[11])
    np.testing.assert_array_equal(row.expected.contributions, expected.contributions[11])
    np.testing.assert_array_equal(explanation[-1].covered, explanation.covered[-1])


@pytest.mark.parametrize("row", [16, -17])
def test_a_row_that_is_not_there(row):
    with pytest.raises(IndexError, match=f"row {row} of an explanation of 16 rows"):
        Explanation.of(several, EVERYTHING)[row]


def test_the_short_form():
    assert repr(Explanation.of(several, EVERYTHING)) == "<Explanation of 16 rows by 4 rules>"


@pytest.mark.parametrize("loss", [name for name in LOSSES if LOSSES[name]().has_rates])
def test_a_loss_with_a_log_link_is_told_in_factors_and_never_in_percent(loss):
    quantity = LOSSES[loss].quantity
    row = Explanation.of(model(loss, 0.5, [0.5, 0.79]), EVERYTHING[-1:])[0]
    assert row.covered.all()
    assert f"multiplies the {quantity} by 2.2" in row.in_words()
    assert f"from {np.exp(0.5):.3g} to {np.exp(1.79):.3g}" in row.in_words()
    assert "%" not in row.in_words() + str(row) + row._repr_html_()
