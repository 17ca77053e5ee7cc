from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from learning.growths import (
    SEARCHES,
    empty,
    grow,
    penalised_risk,
    rows_of,
    run,
    settings,
    stages_of,
    table,
)
from oracles.few_examples import quick
from sklearn.datasets import make_blobs

from sorb import _kernels
from sorb._kernels import OutOfTimeError
from sorb.learning.boosting import Growth
from sorb.learning.fitted_rules import FittedRules, Problem, Term
from sorb.learning.rows import Rows
from sorb.learning.search import Candidate
from sorb.learning.stages import stage_within
from sorb.losses import LOSSES, loss_by_name
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble
from sorb.tables.column_constraints import ColumnConstraints

every_loss = pytest.mark.parametrize("name", list(LOSSES))
every_search = pytest.mark.parametrize("search", SEARCHES)
with_and_without_revisits = pytest.mark.parametrize("revisits", [0, 2])


def conditions(ensemble):
    return [(rule.condition, rule.output) for rule in ensemble]


# ---- the stages ---------------------------------------------------------------------------------


@every_loss
@every_search
def test_without_revisits_there_is_one_stage_for_each_number_of_rules(name, search):
    stages = grow(name, search).stages
    assert [len(stage.ensemble) for stage in stages] == [0, 1, 2, 3, 4]


@every_loss
def test_without_revisits_each_stage_has_the_rules_of_the_one_before(name):
    stages = grow(name).stages
    for before, after in pairwise(stages):
        assert conditions(after.ensemble)[: len(before.ensemble)] == conditions(before.ensemble)


@every_loss
@every_search
@with_and_without_revisits
def test_larger_stages_are_better(name, search, revisits):
    stages = grow(name, search, max_rules=5, revisits=revisits).stages
    assert (np.diff([stage.complexity for stage in stages]) > 0).all()
    assert (np.diff([stage.objective for stage in stages]) < 0).all()


@every_loss
@with_and_without_revisits
@hypothesis_settings(max_examples=8)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40))
def test_the_objective_is_the_penalised_risk_of_the_predictions(name, revisits, seed, n):
    X, y = table(name, seed, n)
    y[0] = max(y[0], 1.0)  # some count
    rows = rows_of(np.round(X), y)
    for stage in stages_of(rows, settings(name, revisits=revisits)):
        expected = penalised_risk(name, rows, stage.ensemble)
        # No class is less likely than 1e-12.
        assert stage.objective == pytest.approx(expected, rel=1e-9, abs=1e-11)


@every_loss
def test_train_risk_is_that_of_the_predictions(name):
    growth = grow(name, revisits=2)
    for stage in growth.stages:
        expected = penalised_risk(name, growth.rows, stage.ensemble, reg_lambda=0.0)
        assert stage.train_risk == pytest.approx(expected)


@every_loss
@with_and_without_revisits
def test_the_complexity_is_that_of_the_ensemble(name, revisits):
    stages = grow(name, revisits=revisits).stages
    assert [s.complexity for s in stages] == [s.ensemble.complexity for s in stages]


def test_the_last_model_is_the_largest_without_revisits():
    growth = grow()
    assert growth.last == growth.stages[-1].ensemble


def test_time_passes():
    stages = grow().stages
    assert stages[0].seconds >= 0
    assert all(before.seconds < after.seconds for before, after in pairwise(stages))


@every_loss
@every_search
@pytest.mark.parametrize("n", [5, 20, 150])
def test_no_rule_is_empty_or_constant(name, search, n):
    growth = grow(name, search, n=n, max_rules=8, revisits=1)
    for rule in growth.last:
        covered = growth.rows.covered_by(rule.condition)
        assert covered.any()
        assert not covered.all()


def test_the_signal_is_found():
    stages = grow("squared", n=500).stages
    first = stages[1].ensemble.rules[0].condition.propositions
    assert {name for proposition in first for name in proposition.columns} >= {"a", "b"}
    assert stages[-1].train_risk < 0.5 * stages[0].train_risk


def test_three_classes_are_told_apart():
    X, y = make_blobs(200, n_features=2, centers=[(0, 4), (4, -2), (-4, -2)], random_state=0)
    rows = Rows.from_table(X, y.astype(float), np.ones(200), ("a", "b"))
    growth = Growth.begin(rows, settings("softmax"), replace(empty("softmax"), columns=("a", "b")))
    growth.run()
    assert np.mean(growth.last(X).argmax(axis=1) == y) > 0.97


def test_softmax_rules_vote_for_the_class_that_gains():
    growth = grow("softmax", n=500, max_rules=6)
    assert len({rule.output for rule in growth.last}) > 1


@every_loss
@with_and_without_revisits
def test_the_same_seed_gives_the_same_stages(name, revisits):
    one, other = (grow(name, revisits=revisits).stages for _ in range(2))
    assert [s.ensemble for s in one] == [s.ensemble for s in other]


def test_another_seed_draws_other_bags():
    rows = rows_of(*table("squared"))
    lasts = [run(rows, replace(settings(), seed=seed)).last for seed in (0, 1)]
    assert lasts[0] != lasts[1]


# ---- revisits and removals ----------------------------------------------------------------------


def test_revisits_change_older_rules():
    plain, revisited = grow(n=300), grow(n=300, revisits=3)
    assert conditions(plain.last)[:2] != conditions(revisited.last)[:2]


@every_loss
def test_revisits_keep_the_number_of_rules(name):
    assert len(grow(name, max_rules=5, revisits=3).last) == 5


def test_without_a_selection_no_rule_is_revisited():
    rows, plain = rows_of(*table("squared")), replace(settings(), selection=None)
    revisited = run(rows, replace(plain, revisits=3))
    assert conditions(run(rows, plain).last) == conditions(revisited.last)


@quick
@given(seed=st.integers(0, 10**6))
def test_the_curve_is_at_least_as_good_as_removing_rules_from_the_last_model(seed):
    growth = grow(seed=seed, n=60, revisits=1, search="axis")
    model = growth.model
    while model.terms:
        model = model.drop(int(np.argmin(model.usefulness())))
        within = stage_within(growth.stages, model.complexity)
        assert within.objective <= model.objective * (1 + 1e-12)


def test_every_model_on_the_way_is_on_the_curve_or_beaten():
    grown = []
    growth = run(
        rows_of(*table("squared")),
        settings(revisits=2, max_rules=6),
        lambda growth: grown.append(growth.model),
    )
    for model in grown:
        within = stage_within(growth.stages, model.complexity)
        assert within.objective <= model.objective


# ---- the curve begins with the best single cut --------------------------------------------------


def single_cuts(X):
    """All divisions of the rows by one column and one threshold."""
    return [x >= value for x in X.T for value in np.unique(x)[1:]]


def lowest_penalised_risk(covered, y, reg_lambda):
    """By least squares, with the square root of the penalty as one more row."""
    design = np.vstack([np.column_stack([np.ones(len(y)), covered]), [0, np.sqrt(2 * reg_lambda)]])
    residual = np.append(y, 0) - design @ np.linalg.lstsq(design, np.append(y, 0), rcond=None)[0]
    return residual @ residual / 2 / len(y)


def curve_of(X, y, reg_lambda):
    options = replace(settings(revisits=1, max_rules=2, max_complexity=6), reg_lambda=reg_lambda)
    return stages_of(rows_of(X, y), options)


@pytest.mark.parametrize("budget", [3, 4])
@pytest.mark.parametrize("reg_lambda", [0.0, 3.0, 30.0])
@quick
@given(seed=st.integers(0, 10**6), coarse=st.booleans())
def test_no_single_cut_is_better_than_the_curve(budget, reg_lambda, seed, coarse):
    X, y = table("squared", seed, n=40)
    X = np.round(X) if coarse else X
    risks = [lowest_penalised_risk(covered, y, reg_lambda) for covered in single_cuts(X)]
    found = stage_within(curve_of(X, y, reg_lambda), budget)
    assert found.objective <= min(risks) * (1 + 1e-9)


# ---- small models are made of every candidate ---------------------------------------------------


def losing_models(growth, number):
    """The models that the candidates of a round would have made of what was there before it."""
    options = replace(growth.settings, limits=replace(growth.settings.limits, max_rules=number))
    before = run(growth.rows, options).model
    bag = next(growth.bags.for_round(options.seed, number, 3))
    for proposal in growth._proposer(before)(before, bag):
        term = proposal.term(growth.rows)
        if term is not None:
            yield before.add(term)


@every_loss
@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_no_candidate_for_one_of_the_first_rules_is_better_than_the_curve(name, number, seed):
    growth = grow(name, seed=seed, n=80, revisits=1)
    models = list(losing_models(growth, number))
    assert len(models) > 2
    for model in models:
        within = stage_within(growth.stages, model.complexity)
        assert within.objective <= model.objective * (1 + 1e-9)


def note_selected(monkeypatch, selected, then=lambda: None):
    """Note the complexities of all models that validation selects."""
    change = Growth._change_to

    def noted(growth, model):
        selected.append(model.complexity)
        then()
        return change(growth, model)

    monkeypatch.setattr(Growth, "_change_to", noted)


@every_loss
@pytest.mark.parametrize("max_rules", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_no_stage_is_larger_than_the_largest_selected_model(name, max_rules, seed, monkeypatch):
    selected = []
    note_selected(monkeypatch, selected)
    growth = grow(name, seed=seed, n=80, max_rules=max_rules, revisits=1)
    assert len(selected) >= max_rules
    assert growth.stages[-1].complexity <= max(selected)
    # There are larger candidates, which a growth that goes on may need.
    assert growth.grown.stages[-1].complexity >= growth.stages[-1].complexity


def test_after_an_interruption_no_stage_is_larger_than_the_largest_selected_model(monkeypatch):
    selected = []

    def interrupt():
        if len(selected) == 2:
            raise KeyboardInterrupt

    note_selected(monkeypatch, selected, interrupt)
    growth = Growth.begin(rows_of(*table("squared")), settings(revisits=1), empty("squared"))
    with pytest.raises(KeyboardInterrupt):
        growth.run()
    assert len(growth.frontier.models) > len(growth.models)
    assert growth.stages[-1].complexity <= selected[0]


def test_without_revisits_the_curve_begins_with_the_first_rule():
    stages = grow(n=300).stages
    assert stages[1].complexity > 3


# ---- near-copies --------------------------------------------------------------------------------


def differences(rows, ensemble):
    """The shares of the weight on which rules for the same output divide the rows differently."""
    covered = [(rows.covered_by(rule.condition), rule.output) for rule in ensemble]
    for (one, first), (other, second) in combinations(covered, 2):
        if first == second:
            share = rows.weight @ (one != other) / rows.weight.sum()
            yield min(share, 1 - share)


def weighted_rows(name, seed):
    X, y = table(name, seed, n=60)
    return rows_of(X, y, np.random.default_rng(seed).exponential(size=60))


@pytest.mark.parametrize("name", ["squared", "softmax"])
@with_and_without_revisits
@quick
@given(seed=st.integers(0, 10**6), least=st.sampled_from([0.05, 0.2]))
def test_no_two_rules_for_an_output_divide_the_rows_nearly_alike(name, revisits, seed, least):
    rows = weighted_rows(name, seed)
    options = settings(name, revisits=revisits, min_difference=least, max_rules=6)
    for stage in stages_of(rows, options):
        assert min(differences(rows, stage.ensemble), default=1) >= least - 1e-12


def test_near_copies_are_learned_where_they_are_not_forbidden():
    rows = weighted_rows("squared", 0)
    assert min(differences(rows, run(rows, settings(max_rules=12)).last)) < 0.2


@with_and_without_revisits
def test_rules_for_an_output_never_divide_the_rows_alike(revisits):
    X, y = table("squared", n=60)
    rows = rows_of(np.round(X), y)
    for stage in stages_of(rows, settings(revisits=revisits, max_rules=12)):
        assert min(differences(rows, stage.ensemble), default=1) > 0


# ---- where it ends ------------------------------------------------------------------------------


@with_and_without_revisits
@pytest.mark.parametrize("max_rules", [0, 1, 3])
def test_no_stage_has_more_rules_than_allowed(max_rules, revisits):
    growth = grow(max_rules=max_rules, revisits=revisits)
    assert max(len(stage.ensemble) for stage in growth.stages) <= max_rules
    assert len(growth.last) == max_rules


@every_search
@pytest.mark.parametrize("max_complexity", [0, 2, 3, 4, 7, 10, 25])
@pytest.mark.parametrize("validated", [True, False])
@with_and_without_revisits
def test_complexity_never_exceeds_its_limit(search, max_complexity, validated, revisits):
    limited = settings("squared", search, revisits, max_rules=None, max_complexity=max_complexity)
    selection = limited.selection if validated else None
    growth = run(rows_of(*table("squared", n=60)), replace(limited, selection=selection))
    assert growth.last.complexity <= max_complexity
    assert growth.stages[-1].complexity <= max_complexity
    # The smallest rule has complexity 3, so there is one if there is room for it.
    assert (len(growth.stages) > 1) == (max_complexity >= 3)


@every_search
@pytest.mark.parametrize("max_weights", [1, 2, 5])
def test_no_rule_has_more_weights_than_allowed(search, max_weights):
    growth = grow("squared", search, max_rules=5, max_rule_complexity=max_weights, revisits=1)
    for stage in growth.stages:
        for rule in stage.ensemble:
            assert sum(len(p.weights) for p in rule.condition.propositions) <= max_weights


@with_and_without_revisits
@pytest.mark.parametrize(("name", "value"), [("squared", 0.0), ("squared", 7.3), ("poisson", 2.0)])
def test_constant_outcomes_need_no_rules(name, value, revisits):
    X, _ = table("squared")
    rows = rows_of(X, np.full(150, value))
    assert len(stages_of(rows, settings(name, revisits=revisits))) == 1


@with_and_without_revisits
def test_constant_columns_give_no_rules(revisits):
    rows = rows_of(np.ones((50, 3)), np.arange(50.0))
    assert len(stages_of(rows, settings(revisits=revisits))) == 1


@with_and_without_revisits
def test_one_row_gives_no_rules(revisits):
    rows = rows_of(np.ones((1, 3)), np.ones(1))
    assert len(stages_of(rows, settings(revisits=revisits))) == 1


def test_growth_ends_when_all_divisions_are_there():
    x = np.repeat(np.arange(4.0), 20)[:, None]
    rows = rows_of(x, np.random.default_rng(0).normal(size=80) + x[:, 0])
    cuts = settings(max_rules=None, max_rule_complexity=1, revisits=1)
    assert len(run(rows, cuts).last) == 3


def test_no_time_gives_the_model_without_rules():
    assert len(grow(max_seconds=0.0).stages) == 1


def test_time_is_kept_to_within_one_rule(ticking_clock):
    stages = stages_of(rows_of(*table("squared")), settings(max_rules=50, max_seconds=20))
    # The rule that was begun in time is the last one.
    assert 14 <= stages[-1].seconds <= 20


def test_a_search_that_takes_too_long_ends_growth(monkeypatch):
    growth = Growth.begin(rows_of(*table("squared")), settings(max_rules=9), empty("squared"))
    original = Growth._best_addition

    def slow(growth, *arguments):
        if len(growth.last) == 2:
            raise OutOfTimeError("out of time")
        return original(growth, *arguments)

    monkeypatch.setattr(Growth, "_best_addition", slow)
    growth.run()
    assert len(growth.last) == 2


@pytest.mark.parametrize("name", ["squared", "logistic", "poisson"])
@pytest.mark.parametrize("search", ["oblique", "axis"])
@pytest.mark.parametrize("directions", [{"a": 1, "b": 1, "c": -1}, {"a": -1, "c": 1}], ids=str)
def test_one_more_rule_with_a_sign_never_raises_the_penalised_risk(name, search, directions):
    options = replace(
        settings(name, search, max_rules=8), constraints=ColumnConstraints(directions)
    )
    objectives, sizes = [], []

    def note(growth):
        objectives.append(growth.model.objective)
        sizes.append(len(growth.model.terms))

    growth = run(rows_of(*table(name)), options, note)
    assert (np.diff(objectives) <= 1e-12 * np.abs(objectives[:-1])).all()
    assert sizes
    for term, vote in zip(growth.model.terms, growth.model.theta[1:], strict=True):
        assert term.votes[0] <= vote <= term.votes[1]
        assert vote != 0


def test_a_term_that_others_leave_no_vote_is_dropped():
    covered = np.array([True] * 50 + [False] * 50)
    rows = rows_of(np.arange(100.0)[:, None], np.where(covered, 1.0, 0.0))
    problem = Problem.of(rows, loss_by_name("squared"), 1.0)
    model = FittedRules.with_terms(problem, (), 1)
    below = Condition((Proposition(("a",), (-1.0,), -49.5),))
    dropped = model.add(Term.of(below, 0, rows, (-np.inf, 0.0)))
    kept = model.add(Term.of(below, 0, rows, (0.0, np.inf)))
    assert [len(dropped.terms), len(kept.terms)] == [0, 1]
    assert dropped.objective == model.objective > kept.objective
    assert dropped.complexity == 0


def out_of_time(growth):
    """Let no time be left when there are three rules."""
    if len(growth.last) == 3:
        growth.seconds_before = 1e9


def test_rules_are_removed_even_if_time_is_over():
    rows = rows_of(*table("squared", n=60))
    growth = run(rows, settings(max_rules=None, max_seconds=1e6, revisits=1), out_of_time)
    smaller = growth.model.drop(int(np.argmin(growth.model.usefulness())))
    within = stage_within(growth.stages, smaller.complexity)
    assert len(growth.last) == 3
    assert within.objective <= smaller.objective * (1 + 1e-12)


# ---- reports and interruptions ------------------------------------------------------------------


@with_and_without_revisits
def test_growth_is_reported_after_each_rule(revisits):
    reported = []
    rows = rows_of(*table("squared"))
    run(rows, settings(revisits=revisits), lambda growth: reported.append(len(growth.last)))
    assert reported == [1, 2, 3, 4]


@dataclass
class Impatient:
    """Presses Ctrl-C when something has been done some times."""

    patience: int
    search: object = None

    def __call__(self, *arguments):
        self.patience -= 1
        if self.patience == 0:
            raise KeyboardInterrupt
        return self.search and self.search(*arguments)


@pytest.mark.parametrize("patience", [1, 3])
def test_an_interruption_keeps_the_stages_so_far(patience):
    rows = rows_of(*table("squared"))
    whole = stages_of(rows, settings())
    growth = Growth.begin(rows, settings(), empty("squared"))
    with pytest.raises(KeyboardInterrupt):
        growth.run(Impatient(patience))
    found = [stage.ensemble for stage in growth.stages]
    assert found == [stage.ensemble for stage in whole[: patience + 1]]


@pytest.mark.parametrize("patience", [2, 3, 5, 6])
def test_an_interruption_of_a_revisit_keeps_the_best_models_so_far(patience):
    rows = rows_of(*table("squared"))
    options = settings(revisits=2)
    impatient = replace(options, search=Impatient(patience, options.search))
    growth = Growth.begin(rows, impatient, empty("squared"))
    with pytest.raises(KeyboardInterrupt):
        growth.run()
    within = stage_within(growth.stages, growth.model.complexity)
    assert len(growth.last) >= 1
    assert within.objective <= growth.model.objective


# ---- going on -----------------------------------------------------------------------------------


def resumed(name, first, then, **options):
    """Grow to some rules, and then to more."""
    part = grow(name, max_rules=first, **options)
    options = settings(name, max_rules=then, **options)
    growth = Growth.resume(part.rows, options, part.first, part.grown)
    growth.run()
    return growth


def numbers(ensemble):
    """All numbers of a model."""
    rules = [
        (rule.vote, *((*p.weights, p.threshold) for p in rule.condition.propositions))
        for rule in ensemble
    ]
    return np.hstack([ensemble.offsets, *(np.hstack(rule) for rule in rules)])


def shape(ensemble):
    """What a model is without its numbers."""
    return [(rule.output, *(p.columns for p in rule.condition.propositions)) for rule in ensemble]


def assert_same_models(found, expected, tolerance=1e-9):
    """Equal but for rounding: a refit of the votes may change their last digits."""
    assert shape(found) == shape(expected)
    np.testing.assert_allclose(numbers(found), numbers(expected), rtol=tolerance, atol=tolerance)


@every_loss
@with_and_without_revisits
@pytest.mark.parametrize("first", [0, 1, 3])
def test_resumed_growth_leads_to_the_model_of_growth_at_once(name, revisits, first):
    whole = grow(name, max_rules=5, revisits=revisits, min_difference=0.02)
    found = resumed(name, first, 5, revisits=revisits, min_difference=0.02)
    assert_same_models(found.last, whole.last)


@every_loss
@pytest.mark.parametrize("first", [0, 1, 3])
def test_without_revisits_resumed_growth_has_the_stages_of_growth_at_once(name, first):
    whole, found = grow(name, max_rules=5), resumed(name, first, 5)
    for one, other in zip(found.stages, whole.stages, strict=True):
        assert_same_models(one.ensemble, other.ensemble, 1e-6)


@every_loss
def test_with_revisits_resumed_growth_has_stages_at_least_as_good(name):
    """Rules were removed when growth ended for the first time, too."""
    whole, found = grow(name, max_rules=5, revisits=2), resumed(name, 3, 5, revisits=2)
    for stage in whole.stages:
        within = stage_within(found.stages, stage.complexity)
        assert within.objective <= stage.objective * (1 + 1e-9)


def test_with_another_penalty_all_stages_are_refitted():
    part = grow(max_rules=2)
    options = replace(settings(max_rules=2), reg_lambda=10.0)
    growth = Growth.resume(part.rows, options, part.first, part.grown)
    for stage in growth.stages:
        expected = penalised_risk("squared", part.rows, stage.ensemble, reg_lambda=10.0)
        assert stage.objective == pytest.approx(expected)
    assert len(growth.stages) == 3


def test_resumed_growth_reports_the_new_rules():
    part, reported = grow(max_rules=2), []
    growth = Growth.resume(part.rows, settings(), part.first, part.grown)
    growth.run(lambda growth: reported.append(len(growth.last)))
    assert reported == [3, 4]


def test_time_goes_on_where_it_was_left():
    part = grow(max_rules=1)
    later = [replace(stage, seconds=stage.seconds + 100) for stage in part.stages]
    grown = replace(part.grown, stages=later)
    growth = Growth.resume(part.rows, settings(max_rules=2), part.first, grown)
    growth.run()
    assert growth.stages[-1].seconds > 100


def test_no_room_is_left_by_a_full_model():
    part = grow(max_rules=3)
    growth = Growth.resume(part.rows, settings(max_rules=3), part.first, part.grown)
    growth.run()
    assert_same_models(growth.last, part.last)


def test_rules_given_by_hand_stay_and_are_weighed_anew():
    start = grow(max_rules=0)
    by_hand = Rule(Condition((Proposition(("a", "b"), (1.0, 1.0), 0.0),)), 100.0)
    last = RuleEnsemble(0.0, (by_hand,), start.rows.columns, "squared")
    grown = replace(start.grown, last=last)
    growth = Growth.resume(start.rows, settings(max_rules=3), start.first, grown)
    growth.run()
    assert growth.last.rules[0].condition == by_hand.condition
    assert growth.last.rules[0].vote == pytest.approx(2, abs=0.5)


# ---- which candidate is taken -------------------------------------------------------------------


def candidate(halves, covered):
    parts = [_kernels.HalfSpace(*half) for half in halves]
    complexity = 1 + sum(1 + len(part.weights) for part in parts)
    return Candidate(parts, covered, _kernels.division(covered), complexity)


@dataclass
class Offering:
    """A search that always offers the same half-spaces of the first column."""

    thresholds: list[float]
    repeats: int = 1

    def __call__(self, search_input, max_weights, threads):
        z = search_input.rows.Z[:, 0]
        return [candidate([([0], [1.0], t)] * self.repeats, z >= t) for t in self.thresholds]


def offer(search, selection=None, **options):
    """What grows if a search offers always the same."""
    plain = replace(settings(max_rules=1, **options), search=search)
    plain = plain if selection is None else replace(plain, selection=selection)
    return run(rows_of(*table("squared")), plain).last


def test_after_a_near_copy_the_next_best_is_taken():
    """The best candidate differs in a row or two from the first rule; the other one does not."""

    def three(*arguments):
        return Offering([0.0, 0.03, 1.0])(*arguments)

    options = replace(settings(max_rules=2, min_difference=0.1), search=three)
    first, second = run(rows_of(*table("squared")), replace(options, selection=InOrder())).last
    assert [rule.condition.propositions[0].threshold for rule in (first, second)] == pytest.approx(
        [threshold_of(0.0), threshold_of(1.0)]
    )


def threshold_of(z):
    """In the user's units."""
    rows = rows_of(*table("squared"))
    return rows.centre[0] + rows.scale[0] * z


class InOrder:
    """Ranks candidates as they come."""

    def __call__(self, before, after, complexities):
        return list(range(len(complexities)))


@dataclass
class Promising:
    """A search that offers the same for each output, and says what each is worth."""

    values: list[float]

    def best(self, search_input, max_weights, max_complexity, threads):
        (found,) = Offering([0.0])(search_input, max_weights, threads)
        return self.values.pop(0), found


@pytest.mark.parametrize("values", [[1.0, 3.0, 2.0], [1.0, 3.0, 3.0]])
def test_on_all_rows_the_first_output_with_the_best_objective_gets_the_rule(values):
    rows = rows_of(*table("softmax"))
    corrective = replace(settings("softmax", max_rules=1), search=Promising(values), selection=None)
    (rule,) = run(rows, corrective).last
    assert rule.output == 1


@pytest.mark.parametrize("threshold", [-100.0, 100.0])
def test_candidates_that_do_not_divide_the_rows_are_refused(threshold):
    assert len(offer(Offering([threshold]))) == 0


def test_candidates_that_divide_no_rows_in_user_units_are_refused():
    # As if all rows were within rounding of the border.
    def search(search_input, max_weights, threads):
        return [candidate([([0], [1.0], -100.0)], search_input.rows.Z[:, 0] >= 0)]

    assert len(offer(search)) == 0


def test_candidates_beyond_the_complexity_that_is_left_are_refused():
    assert len(offer(Offering([0.0], repeats=3), max_complexity=6)) == 0
    assert len(offer(Offering([0.0], repeats=2), max_complexity=6)) == 1


@dataclass
class Watching:
    """Takes the first candidate, and remembers the complexities of all."""

    asked: list[list[int]]

    def __call__(self, before, after, complexities):
        self.asked.append(list(complexities))
        return [0]


def test_of_candidates_that_divide_the_rows_alike_the_simplest_is_taken():
    def both(*arguments):
        return [*Offering([0.0], repeats=2)(*arguments), *Offering([0.0])(*arguments)]

    watching = Watching([])
    offer(both, watching)
    assert watching.asked == [[3]]


def test_a_candidate_and_its_complement_are_one_division():
    def both(search_input, max_weights, threads):
        (one,) = Offering([0.0])(search_input, max_weights, threads)
        return [one, candidate([([0], [-1.0], 0.0)], ~one.covered)]

    watching = Watching([])
    offer(both, watching)
    assert watching.asked == [[3]]


@dataclass
class Hesitant:
    """Finds nothing at first."""

    misses: int

    def __call__(self, *arguments):
        self.misses -= 1
        return [] if self.misses >= 0 else Offering([0.0])(*arguments)


@pytest.mark.parametrize(("misses", "n_rules"), [(0, 1), (2, 1), (3, 0)])
def test_three_bags_are_drawn_before_giving_up(misses, n_rules):
    assert len(offer(Hesitant(misses))) == n_rules


def grown_with(monkeypatch, in_rounds, in_revisits):
    """What grows if a search offers other thresholds in revisits than in rounds."""
    search = Offering(in_rounds)
    revisit = Growth._revisit_rules

    def revisit_with_others(growth):
        search.thresholds = in_revisits
        revisit(growth)
        search.thresholds = in_rounds

    monkeypatch.setattr(Growth, "_revisit_rules", revisit_with_others)
    options = replace(settings(max_rules=2, revisits=2), search=search)
    return {condition for condition, _ in conditions(run(rows_of(*table("squared")), options).last)}


def test_the_old_rule_stays_if_it_is_worth_more_than_what_a_revisit_finds(monkeypatch):
    without = grown_with(monkeypatch, [0.0, 1.0], [])
    assert len(without) == 2
    assert grown_with(monkeypatch, [0.0, 1.0], [-2.0]) == without


def test_a_revisit_replaces_a_rule_that_is_worth_less(monkeypatch):
    without = grown_with(monkeypatch, [2.0, -2.0], [])
    found = grown_with(monkeypatch, [2.0, -2.0], [0.0])
    assert len(found) == len(without) == 2
    assert len(found - without) == 1
