import numpy as np
import pytest
from explanation.models import (
    EVERYTHING,
    KINDS,
    explained,
    explanations,
    logistic,
    model,
    poisson,
    several,
    squared,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.losses import TWINS
from rule_strategies import for_all
from scipy.integrate import quad_vec
from scipy.special import softmax

from sorb import RuleEnsemble
from sorb.explanation import Explanation
from sorb.losses import LOSSES, Readout

MODELS = {"logistic": logistic, "squared": squared, "poisson": poisson, "softmax": several}
every_loss = pytest.mark.parametrize("loss", MODELS)


def mean(loss, scores):
    return TWINS[loss].mean(scores)


# The slope of the expected outcome where it is p.
SLOPES = {
    Readout.IDENTITY: np.ones_like,
    Readout.EXPONENTIAL: lambda p: p,
    Readout.SIGMOID: lambda p: p * (1 - p),
}


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


@settings(max_examples=15)
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


def test_what_does_not_cover_a_row_adds_nothing_to_an_infinite_outcome():
    expected = explained(model("poisson", 1.0, [1000.0, 2.0]), 1).expected()
    assert expected.total()[0] == np.inf
    assert expected.contributions[0].tolist() == [np.inf, 0.0]
