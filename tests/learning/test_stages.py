from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning.growths import empty, grow, penalised_risk

from sorb.learning.fitted_rules import FittedRules, Problem, Term
from sorb.learning.stages import (
    Frontier,
    Stage,
    TimedModel,
    refit_curve,
    refit_models,
    stage_near,
    stage_within,
    staged_scores,
)
from sorb.losses import LOSSES
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble
from sorb.rules.columns import column_source

X = np.array([[0.0, 1.0], [2.0, -1.0], [3.0, 0.5]])
TALL = Condition((Proposition(("a",), (1.0,), 1.0),))
WIDE = Condition((Proposition(("b",), (1.0,), 0.0),))

every_loss = pytest.mark.parametrize("name", list(LOSSES))


def source():
    return column_source(X, ("a", "b"), ("a", "b"))


# ---- scores ----


@pytest.mark.parametrize("offset", [0.25, (0.5, -1.0, 2.0)])
def test_scores_are_those_of_each_ensemble(offset):
    loss = "softmax" if isinstance(offset, tuple) else "squared"
    classes = ("x", "y", "z") if loss == "softmax" else None
    rules = (Rule(TALL, 2.0, 0), Rule(WIDE, -1.5, 2 if classes else 0))
    ensembles = [RuleEnsemble(offset, rules[:k], ("a", "b"), loss, classes) for k in range(3)]
    found = list(staged_scores(ensembles, source()))
    for scores, ensemble in zip(found, ensembles, strict=True):
        np.testing.assert_array_equal(scores, ensemble(X))


def test_a_condition_of_several_ensembles_is_evaluated_once(monkeypatch):
    asked = []
    covers = Condition.covers
    monkeypatch.setattr(Condition, "covers", lambda *args: asked.append(args[0]) or covers(*args))
    ensembles = [RuleEnsemble(0.0, (Rule(TALL, vote),), ("a", "b"), "squared") for vote in (1, 2)]
    list(staged_scores(ensembles, source()))
    assert asked == [TALL]


# ---- the frontier ----


def stage(complexity, objective):
    return Stage(empty("squared"), complexity, objective, objective, 0.0, 1.0)


def frontier_of(models):
    frontier = Frontier()
    for complexity, objective in models:
        if frontier.improves(complexity, objective):
            frontier.add(stage(complexity, objective))
    return frontier


def sizes_and_values(frontier):
    return [(stage.complexity, stage.objective) for stage in frontier.models]


models = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12)


@settings(max_examples=200)
@given(models)
def test_complexities_grow_and_objectives_fall(found):
    frontier = frontier_of(found)
    complexity, objective = np.reshape(sizes_and_values(frontier), (-1, 2)).T
    assert (np.diff(complexity) > 0).all()
    assert (np.diff(objective) < 0).all()


@settings(max_examples=200)
@given(models, st.integers(-1, 13))
def test_within_a_budget_the_best_model_is_found(found, budget):
    within = stage_within(frontier_of(found).models, budget)
    affordable = [objective for complexity, objective in found if complexity <= budget]
    assert (within and within.objective) == min(affordable, default=None)


@settings(max_examples=200)
@given(models, st.integers(0, 12), st.integers(0, 12))
def test_a_model_improves_if_no_simpler_one_is_as_good(found, complexity, objective):
    beaten = any(c <= complexity and o <= objective for c, o in found)
    assert frontier_of(found).improves(complexity, objective) != beaten


@settings(max_examples=100)
@given(models, st.randoms())
def test_the_order_of_the_models_does_not_matter(found, random):
    shuffled = random.sample(found, len(found))
    assert sizes_and_values(frontier_of(found)) == sizes_and_values(frontier_of(shuffled))


def test_of_models_that_are_alike_the_first_stays():
    first, second = stage(3, 0.5), stage(3, 0.5)
    frontier = Frontier()
    frontier.add(first)
    assert not frontier.improves(second.complexity, second.objective)
    assert frontier.models[0] is first


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_model_makes_all_superfluous_that_are_larger_and_no_better(order):
    found = [[(0, 1.0), (5, 0.5), (3, 0.5)][k] for k in order]
    assert sizes_and_values(frontier_of(found)) == [(0, 1.0), (3, 0.5)]


@pytest.mark.parametrize("objective", [np.nan, np.inf])
def test_a_model_without_a_finite_objective_does_not_improve(objective):
    assert not frontier_of([(0, 1.0)]).improves(3, objective)


def test_nothing_is_within_no_budget():
    assert stage_within([], 10) is None
    assert stage_within([stage(3, 0.5)], 2) is None


# ---- other penalties ----


def refitted(growth, reg_lambda):
    """The stages of a growth with another penalty."""
    models = growth.frontier.models
    return refit_all(growth, models, [reg_lambda] * len(models))


def refit_all(growth, models, reg_lambdas):
    return [Stage.of(found, growth.first) for found in refit_curve(models, reg_lambdas)]


def with_a_copy(growth):
    """The models of a growth of one rule, and one more that has this rule twice."""
    before, after = growth.frontier.models
    return [before, after, TimedModel(after.model.add(after.model.terms[0]), 0.0)]


def numbers(ensemble):
    return [*ensemble.offsets, *(rule.vote for rule in ensemble)]


def direct_refit(growth, ensemble, reg_lambda):
    rows = growth.rows
    terms = tuple(Term.of(rule.condition, rule.output, rows) for rule in ensemble)
    problem = Problem.of(rows, growth.settings.loss, reg_lambda)
    model = FittedRules.with_terms(problem, terms, len(ensemble.offsets))
    return model.ensemble(growth.first)


@every_loss
@pytest.mark.parametrize("reg_lambda", [0.01, 100.0])
def test_refitted_votes_are_those_of_a_direct_refit(name, reg_lambda):
    growth = grow(name, revisits=1)
    for stage in refitted(growth, reg_lambda):
        expected = direct_refit(growth, stage.ensemble, reg_lambda)
        assert numbers(stage.ensemble) == pytest.approx(numbers(expected), rel=1e-6, abs=1e-6)


@every_loss
@pytest.mark.parametrize("reg_lambdas", [[0.01, 1.0, 100.0], [100.0, 0.01, 1.0]])
def test_the_order_of_the_penalties_does_not_matter(name, reg_lambdas):
    growth = grow(name, revisits=1)
    models = [timed.model for timed in growth.frontier.models]
    for model, refitted in zip(models, refit_models(models, reg_lambdas), strict=True):
        for reg_lambda, found in zip(reg_lambdas, refitted, strict=True):
            expected = direct_refit(growth, model.ensemble(growth.first), reg_lambda)
            votes = numbers(found.ensemble(growth.first))
            assert votes == pytest.approx(numbers(expected), rel=1e-6, abs=1e-6)


@every_loss
@pytest.mark.parametrize("reg_lambda", [0.01, 100.0])
def test_the_objective_is_that_of_the_other_penalty(name, reg_lambda):
    growth = grow(name, revisits=1)
    for stage in refitted(growth, reg_lambda):
        expected = penalised_risk(name, growth.rows, stage.ensemble, reg_lambda)
        assert stage.objective == pytest.approx(expected, rel=1e-9)


@every_loss
def test_with_the_same_penalty_all_stages_stay(name):
    growth = grow(name, revisits=1)
    before, after = growth.stages, refitted(growth, 0.1)
    assert [s.objective for s in after] == pytest.approx([s.objective for s in before], rel=1e-12)
    assert [s.seconds for s in after] == [s.seconds for s in before]


@pytest.mark.parametrize(("reg_lambda", "n_stages"), [(10.0, 3), (0.0, 2)])
def test_stages_that_no_longer_improve_are_left_out(reg_lambda, n_stages):
    """The same rule twice is better under a penalty, and no better without one."""
    growth = grow(max_rules=1)
    assert len(refit_all(growth, with_a_copy(growth), [reg_lambda] * 3)) == n_stages


@every_loss
def test_each_stage_may_have_a_penalty_of_its_own(name):
    growth = grow(name)
    models = growth.frontier.models
    own = [0.01 * 3.0**k for k in range(len(models))]
    by_complexity = {model.complexity: value for model, value in zip(models, own, strict=True)}
    for stage in refit_all(growth, models, own):
        assert stage.reg_lambda == by_complexity[stage.complexity]
        expected = direct_refit(growth, stage.ensemble, stage.reg_lambda)
        assert numbers(stage.ensemble) == pytest.approx(numbers(expected), rel=1e-6, abs=1e-6)


def test_a_stage_must_improve_with_its_own_penalty():
    """A second copy of a rule is better under a penalty, though not under that of the first."""
    growth = grow(max_rules=1)
    models = with_a_copy(growth)
    assert [s.reg_lambda for s in refit_all(growth, models, [0.0, 0.0, 10.0])] == [0.0, 0.0, 10.0]
    assert [s.reg_lambda for s in refit_all(growth, models, [0.0, 10.0, 0.0])] == [0.0, 10.0]


@pytest.mark.parametrize(
    ("complexity", "nearest"), [(0, 0), (1, 3), (4, 3), (6, 7), (99, 7), (float("inf"), 7)]
)
def test_the_nearest_stage_has_rules_unless_none_are_wanted(complexity, nearest):
    stages = [stage(0, 0.9), stage(3, 0.5), stage(7, 0.3)]
    assert stage_near(stages, complexity).complexity == nearest


def test_a_single_stage_is_always_the_nearest():
    assert stage_near([stage(0, 0.9)], 5).complexity == 0
