from dataclasses import dataclass, replace

import numpy as np
import pytest
from learning.growths import SEARCHES, empty, rows_of, table

from sorb import _kernels
from sorb.learning.bags import Bag, all_rows
from sorb.learning.fitted_rules import FittedRules, Problem, Term
from sorb.learning.proposals import Proposal, Proposer, is_near_copy, judge
from sorb.learning.search import Candidate
from sorb.losses import LOSSES, loss_by_name
from sorb.rules import Condition, Proposition

N = 100
every_loss = pytest.mark.parametrize("name", list(LOSSES))


def model_of(name="squared", rules=(), weight=None):
    """A model with rules (rows with a column ≥ threshold, output) on a table of 100 rows."""
    X, y = table(name, n=N)
    X[:, 0] = np.arange(N)  # so that thresholds count rows
    rows = rows_of(X, y, weight)
    problem = replace(Problem.of(rows, loss_by_name(name), 0.1), outcomes=rows)
    terms = tuple(
        Term.of(Condition((Proposition(("a",), (1.0,), float(threshold)),)), output, rows)
        for threshold, output in rules
    )
    return FittedRules.with_terms(problem, terms, len(empty(name).offsets))


@dataclass
class Offering:
    """A search that offers the rows from a place in the first column on, or those before it."""

    place: int
    upper: bool = True

    def __call__(self, search_input, max_weights, threads):
        rows, sign = search_input.rows, 1.0 if self.upper else -1.0
        x = rows.X[rows.origin, 0]
        (column,) = np.flatnonzero(np.abs(np.corrcoef(x, rows.Z.T)[0, 1:]) > 0.999)
        threshold = sign * (self.place - 0.5 - rows.centre[column]) / rows.scale[column]
        covered = (x >= self.place) == self.upper
        part = _kernels.HalfSpace([int(column)], [sign], threshold)
        return [Candidate([part], covered, _kernels.division(covered), 3)]


def offered(model, place, upper=True, max_complexity=10.0):
    """For which outputs the search's only condition is proposed."""
    proposer = Proposer(model.problem.outcomes, Offering(place, upper), 5, max_complexity)
    return [proposal.output for proposal in proposer(model, all_rows(model.problem.outcomes))]


def is_near(model, place, output=0, upper=True):
    """Whether the rows from a place on, or those before it, differ in less than 5 %."""
    sign = 1.0 if upper else -1.0
    condition = Condition((Proposition(("a",), (sign,), sign * (place - 0.5)),))
    return is_near_copy(Term.of(condition, output, model.problem.outcomes), model, 0.05)


# ---- what is proposed ----


def test_a_condition_is_proposed_for_each_output():
    assert offered(model_of("softmax"), 50) == [0, 1, 2]


def test_a_condition_that_an_output_has_is_not_proposed_to_it_again():
    assert offered(model_of("softmax", [(50, 1)]), 50) == [0, 2]


def test_the_complement_of_a_rule_is_not_proposed():
    assert offered(model_of("squared", [(50, 0)]), 50, upper=False) == []


def test_what_is_too_complex_is_not_proposed():
    assert offered(model_of(), 50, max_complexity=2) == []


# ---- near-copies ----


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize(("place", "near"), [(54, True), (55, False), (46, True), (45, False)])
def test_a_near_copy_differs_in_less_than_the_least_share(place, near, upper):
    assert is_near(model_of("squared", [(50, 0)]), place, upper=upper) == near


def test_a_condition_must_differ_from_all_rules():
    assert is_near(model_of("squared", [(10, 0), (90, 0), (51, 0)]), 50)


def test_the_rules_of_other_outputs_may_be_alike():
    model = model_of("softmax", [(51, 2)])
    assert [is_near(model, 50, output) for output in range(3)] == [False, False, True]


def test_the_share_is_that_of_the_weights():
    weight = np.ones(N)
    weight[50:52] = 5.0
    assert is_near(model_of("squared", [(50, 0)]), 52)
    assert not is_near(model_of("squared", [(50, 0)], weight), 52)


def test_without_a_least_share_nothing_is_a_near_copy():
    model = model_of("squared", [(50, 0)])
    assert not is_near_copy(model.terms[0], model, 0.0)


# ---- terms ----


def proposal(parts, covered):
    return Proposal(Candidate(parts, covered, _kernels.division(covered), 3), 0)


def test_a_proposal_becomes_a_term_in_the_users_units():
    model = model_of()
    (found,) = Proposer(model.problem.outcomes, Offering(50), 5, 10.0)(
        model, all_rows(model.problem.outcomes)
    )
    term = found.term(model.problem.outcomes)
    (proposition,) = term.condition.propositions
    assert proposition.columns == ("a",)
    assert 49 < proposition.threshold <= 50
    np.testing.assert_array_equal(term.covered, found.covered)


@pytest.mark.parametrize("threshold", [-100.0, np.inf])
def test_a_proposal_that_divides_no_rows_in_user_units_becomes_no_term(threshold):
    model = model_of()
    half = _kernels.HalfSpace([0], [1.0], threshold)
    assert proposal([half], np.arange(N) < 50).term(model.problem.outcomes) is None


# ---- the judgement ----


@every_loss
def test_a_judgement_is_the_validation_risk_after_a_fit_to_the_training_rows(name):
    model = model_of(name, [(30, 0)])
    rows, loss = model.problem.outcomes, model.problem.loss
    training = np.random.default_rng(0).poisson(1, size=N).astype(float)
    bag = Bag(training, np.where(training == 0, 1.0, 0.0))
    choices = Proposer(model.problem.outcomes, SEARCHES["axis"], 1, 10.0)(model, bag)
    before, after = judge(model, bag, choices)

    def by_hand(covered):
        patterns = model.patterns
        theta = model.theta
        for rule_rows, output in covered:
            patterns, theta = patterns.split(rule_rows, output), np.append(theta, 0.0)
        arguments = loss.kernel, patterns, rows.y, training, model.problem.penalty, theta
        fitted, _ = _kernels.refit_votes(*arguments)
        scores = patterns.scores(fitted)[patterns.index]
        losses = loss.value(rows.y, scores if name == "softmax" else scores[:, 0])
        return np.average(losses, weights=bag.validation)

    assert before == pytest.approx(by_hand([]), rel=1e-6)
    expected = [by_hand([(choice.covered, choice.output)]) for choice in choices]
    assert after == pytest.approx(expected, rel=1e-6)


def test_terms_and_proposals_are_judged_alike():
    model = model_of("squared", [(30, 0)])
    bag = Bag(np.ones(N), np.ones(N))
    (found,) = Proposer(model.problem.outcomes, Offering(50), 5, 10.0)(model, bag)
    _, after = judge(model, bag, [found, found.term(model.problem.outcomes)])
    assert after[0] == after[1]


# ---- the best on all rows ----


@dataclass
class Known:
    """A search whose best condition is always the same."""

    place: int

    def best(self, search_input, max_weights, max_complexity, threads):
        (found,) = Offering(self.place)(search_input, max_weights, threads)
        return 1.0, found


def test_on_all_rows_the_best_condition_is_proposed():
    model = model_of()
    assert Proposer(model.problem.outcomes, Known(50), 5, 10.0).best(model).output == 0


def test_on_all_rows_a_rule_is_not_proposed_again():
    model = model_of("squared", [(50, 0)])
    assert Proposer(model.problem.outcomes, Known(50), 5, 10.0).best(model) is None
