import numpy as np
import pytest
from hypothesis import strategies as st
from simplify.tables import for_all, trained_looking

from sorb.losses import Readout
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble
from sorb.simplify import simplify
from sorb.simplify.shorten_votes import shorten_votes


@for_all(trained_looking(changes_scale=False), st.sampled_from([1e-4, 0.01, 0.2]))
def test_rounded_votes_stay_within_the_tolerance(case, tolerance):
    ensemble, X = case
    simplified = simplify(ensemble, X, vote_loss=tolerance)
    before, after = ensemble(X), simplified.ensemble(X)
    assert np.abs(after - before).max() <= tolerance * np.ptp(before) * (1 + 1e-12)
    assert simplified.certificate.largest_change == np.abs(after - before).max()


@for_all(st.floats(1, 5), st.floats(-0.1, 0.1), st.sampled_from([None, ["no", "yes", "yes"]]))
def test_no_row_crosses_a_probability_of_one_half(vote, remainder, y):
    rule = Rule(Condition((Proposition(("a",), (1.0,), 3.0),)), vote)
    ensemble = RuleEnsemble(remainder - vote, (rule,), ("a",), "logistic", ("no", "yes"))
    X = np.array([[2.0], [3.0], [4.0]])
    simplified = simplify(ensemble, X, y, vote_loss=0.5)
    assert ((simplified.ensemble(X) > 0) == (ensemble(X) > 0)).all()
    assert simplified.certificate.changed_classes == 0


@pytest.mark.parametrize(
    ("allowed", "offset", "changed"), [(1, (-3, -1, -0.96), 0), (2, (-3, -1, -1), 2)]
)
def test_only_the_allowed_number_of_rows_changes_class(allowed, offset, changed):
    rule = Rule(Condition((Proposition(("a",), (1.0,), 3.0),)), 4.0)
    ensemble = RuleEnsemble((-3.0, -1.099, -0.957), (rule,), ("a",), "softmax", ("p", "q", "r"))
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), ["r", "q", "p", "p"]
    simplified = simplify(ensemble, X, y, changed_rows=allowed, vote_loss=0.1)
    assert simplified.ensemble.offset == offset
    assert simplified.certificate.changed_classes == changed  # a tie goes to the first class


@for_all(trained_looking(changes_scale=False), st.integers(0, 99))
def test_risk_stays_within_the_tolerance(case, seed):
    ensemble, X = case
    if ensemble.loss.readout is Readout.EXPONENTIAL:  # so that no risk is infinite
        ensemble = ensemble.with_votes(0.1234567, [0.7654321] * len(ensemble))
    draw = np.random.default_rng(seed).integers(0, 2, len(X)) + ensemble.loss.non_negative
    y = np.array(["p", "q"])[draw] if ensemble.loss.score_per_class else draw
    certificate = simplify(ensemble, X, y, vote_loss=0.01).certificate
    assert certificate.risk_after <= certificate.risk_before * 1.01


def test_each_vote_gets_the_fewest_digits_that_are_acceptable():
    ensemble = RuleEnsemble(2.3456, (Rule(Condition(), 0.1234),), ("a",), "squared")
    shorter = shorten_votes(ensemble, lambda found: abs(found.offset - 2.3456) < 0.0001)
    assert (shorter.offset, shorter[0].vote) == (2.3456, 0.1)


def test_votes_stay_if_no_loss_is_allowed():
    rule = Rule(Condition((Proposition(("a",), (1.0,), 2.5),)), 1.23456)
    ensemble = RuleEnsemble(0.98765, (rule,), ("a",), "squared")
    shorter = simplify(ensemble, np.array([[2.0], [3.0]]), vote_loss=0).ensemble
    assert (shorter.offset, shorter[0].vote) == (0.98765, 1.23456)
