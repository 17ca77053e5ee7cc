import numpy as np
import pytest
from learning.growths import empty, grow, penalised_risk, rows_of, table

from sorb.learning.fitted_rules import FittedRules, Problem, Term
from sorb.learning.rows import Rows
from sorb.losses import LOSSES, loss_by_name
from sorb.rules import Condition, Proposition

every_loss = pytest.mark.parametrize("name", list(LOSSES))


def above(column, threshold):
    return Condition((Proposition((column,), (1.0,), threshold),))


def below(column, threshold):
    return Condition((Proposition((column,), (-1.0,), -threshold),))


@pytest.fixture
def rows():
    return rows_of(*table("squared"))


# ---- terms ----


def test_a_term_knows_the_rows_that_its_condition_covers(rows):
    term = Term.of(above("b", 0.3), 0, rows)
    np.testing.assert_array_equal(term.covered, rows.X[rows.origin, 1] >= 0.3)


def test_a_term_counts_the_rule_itself(rows):
    assert Term.of(above("a", 0.0), 0, rows).complexity == 3


def test_a_condition_and_its_complement_have_the_same_key(rows):
    one, other = Term.of(above("a", 0.1), 0, rows), Term.of(below("a", 0.1), 0, rows)
    assert one.key == other.key
    assert one.key != Term.of(above("a", 0.2), 0, rows).key


def test_terms_for_different_outputs_have_different_keys(rows):
    assert Term.of(above("a", 0.0), 0, rows).key != Term.of(above("a", 0.0), 1, rows).key


@pytest.mark.parametrize("threshold", [-100.0, 100.0])
def test_a_term_that_does_not_divide_the_rows_has_no_division(rows, threshold):
    assert Term.of(above("a", threshold), 0, rows).division is None


# ---- models ----


def start(name, rows, reg_lambda=0.1):
    problem = Problem.of(rows, loss_by_name(name), reg_lambda)
    return FittedRules.with_terms(problem, (), len(empty(name).offsets))


def some_terms(name, rows):
    last = len(empty(name).offsets) - 1
    choices = [(above("a", 0.0), 0), (above("b", 0.5), last), (below("c", -0.2), 0)]
    return tuple(Term.of(condition, output, rows) for condition, output in choices)


def with_some_terms(name, rows, reg_lambda=0.1):
    model = start(name, rows, reg_lambda)
    return FittedRules.with_terms(model.problem, some_terms(name, rows), model.n_outputs)


@every_loss
def test_without_terms_the_model_is_the_best_constant(name):
    rows = rows_of(*table(name))
    best = loss_by_name(name).best_constant(rows.y, rows.weight, len(empty(name).offsets))
    assert start(name, rows).theta == pytest.approx(best, abs=1e-7)


@every_loss
def test_terms_may_be_added_one_after_the_other_or_at_once(name):
    rows = rows_of(*table(name))
    model = start(name, rows)
    for term in some_terms(name, rows):
        model = model.add(term)
    assert model.theta == pytest.approx(with_some_terms(name, rows).theta, abs=1e-6)


@every_loss
@pytest.mark.parametrize("k", range(3))
def test_without_a_term_the_others_are_refitted(name, k):
    rows = rows_of(*table(name))
    model, terms = start(name, rows), some_terms(name, rows)
    others = terms[:k] + terms[k + 1 :]
    expected = FittedRules.with_terms(model.problem, others, model.n_outputs)
    found = FittedRules.with_terms(model.problem, terms, model.n_outputs).drop(k)
    assert found.terms == others
    assert found.theta == pytest.approx(expected.theta, abs=1e-6)


@every_loss
def test_the_objective_with_a_rule_is_known_before_it_is_added(name):
    rows = rows_of(*table(name))
    *old, first, second = some_terms(name, rows)
    model = start(name, rows, 3.0).add(*old)
    found = model.objectives_with(
        [(term.covered, term.output, term.votes) for term in (first, second)]
    )
    expected = [model.add(term).objective for term in (first, second)]
    assert found == pytest.approx(expected, rel=1e-9)


@every_loss
def test_another_penalty_gives_the_votes_of_a_fit_with_it(name):
    rows = rows_of(*table(name))
    problem = Problem.of(rows, loss_by_name(name), 20.0)
    found = with_some_terms(name, rows).refit(problem)
    assert found.theta == pytest.approx(with_some_terms(name, rows, 20.0).theta, abs=1e-6)


@every_loss
def test_the_objective_is_the_penalised_risk_of_the_ensemble(name):
    rows = rows_of(*table(name))
    model = with_some_terms(name, rows)
    ensemble = model.ensemble(empty(name))
    assert model.objective == pytest.approx(penalised_risk(name, rows, ensemble))
    assert model.risk == pytest.approx(penalised_risk(name, rows, ensemble, reg_lambda=0.0))


@every_loss
def test_the_complexity_is_that_of_the_ensemble(name):
    rows = rows_of(*table(name))
    model = with_some_terms(name, rows)
    assert model.complexity == model.ensemble(empty(name)).complexity == 9


@every_loss
def test_a_model_that_fits_already_stays_as_it_is(name):
    growth = grow(name)
    found = FittedRules.from_ensemble(growth.model.problem, growth.rows, growth.last, {})
    np.testing.assert_allclose(found.theta, growth.model.theta, rtol=0, atol=1e-12)


@every_loss
def test_a_model_that_does_not_fit_is_refitted(name):
    rows = rows_of(*table(name))
    other = with_some_terms(name, rows, 50.0).ensemble(empty(name))
    model = with_some_terms(name, rows)
    found = FittedRules.from_ensemble(model.problem, rows, other, {})
    assert found.theta == pytest.approx(model.theta, abs=1e-6)


def test_a_large_constant_in_the_outcomes_goes_to_the_offset():
    X, y = table("squared")
    plain, moved = (
        Rows.from_table(X, y + constant, np.ones(len(y)), ("a", "b", "c"), centred=True)
        for constant in (0.0, 1e6)
    )
    models = [with_some_terms("squared", rows) for rows in (plain, moved)]
    one, other = (model.ensemble(empty("squared")) for model in models)
    assert other.offset - one.offset == pytest.approx(1e6)
    found = FittedRules.from_ensemble(models[1].problem, moved, other, {})
    assert found.theta == pytest.approx(models[1].theta, abs=1e-6)


@every_loss
def test_scores_of_other_rows_are_those_of_the_ensemble(name):
    X, y = table(name)
    rows = Rows.from_table(X, y, np.ones(len(y)), ("a", "b", "c"), centred=name == "squared")
    model, other = with_some_terms(name, rows), table(name, seed=1)[0]
    ensemble = model.ensemble(empty(name))
    scores = model.scores(ensemble.covers(other).astype(float))
    assert scores == pytest.approx(ensemble(other), abs=1e-12)


# ---- usefulness ----


@every_loss
def test_usefulness_is_the_rise_of_the_objective_over_the_root_of_the_complexity(name):
    """For small votes, of which the second-order expansion is exact but for a hundredth."""
    rows = rows_of(*table(name))
    model = with_some_terms(name, rows, reg_lambda=3000.0)
    total = rows.weight.sum()
    rises = [(model.drop(k).objective - model.objective) * total for k in range(3)]
    assert model.usefulness() == pytest.approx(np.divide(rises, np.sqrt(3)), rel=0.02, abs=1e-7)


def test_a_larger_rule_must_be_more_useful(rows):
    simple = Term.of(above("a", 0.0), 0, rows)
    doubled = Condition((*above("a", 0.0).propositions, Proposition(("b",), (1.0,), -100.0)))
    models = [start("squared", rows).add(term) for term in (simple, Term.of(doubled, 0, rows))]
    one, other = (model.usefulness()[0] for model in models)
    assert one / other == pytest.approx(np.sqrt(5 / 3))
