import time
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.losses import draw
from oracles.patience import patient
from sklearn.datasets import make_blobs

from sorb import _kernels
from sorb.learning.boosting import BoostingSettings, Limits, boost
from sorb.learning.rows import Rows
from sorb.learning.search import AxisSearch, Candidate, ObliqueSearch
from sorb.learning.selection import Selection
from sorb.learning.stages import Stage
from sorb.losses import LOSSES, loss_by_name
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

NAMES = list(LOSSES)
every_loss = pytest.mark.parametrize("name", NAMES)
SEARCHES = {
    "oblique": ObliqueSearch("orthogonal", "gradient_sum"),
    "paper": ObliqueSearch("gradient_sum", "separator"),
    "axis": AxisSearch("gradient_boosting"),
    "quantiles": AxisSearch("orthogonal", 5),
}
COLUMNS = ("a", "b", "c")


def table(name, seed=0, n=150):
    """A table whose outcome depends on a weighted sum of two columns, and smoothly on a third."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    signal = 2.0 * (X[:, 0] + X[:, 1] > 0) - X[:, 2]
    f = np.outer(signal, (-2.0, 0.0, 2.0)) if name == "softmax" else signal[:, None]
    return X, draw(name, f, rng)


def rows_of(X, y):
    return Rows.from_table(X, y, np.ones(len(y)), COLUMNS[: X.shape[1]])


def empty(name, classes=3):
    offset, labels = ((0.0,) * classes, tuple(range(classes))) if name == "softmax" else (0.0, None)
    return RuleEnsemble(offset, (), COLUMNS, name, labels)


def settings(name="squared", search="oblique", min_worth=-10.0, **limits):
    """Settings that take the best candidate, even if it is worth nothing."""
    limits = Limits(**{"max_rules": 4, **limits})
    return BoostingSettings(
        loss_by_name(name), SEARCHES[search], Selection(0.0, min_worth), 0.1, 0, limits
    )


def learn(name="squared", search="oblique", seed=0, n=150, **options):
    rows = rows_of(*table(name, seed, n))
    return rows, boost(rows, settings(name, search, **options), empty(name))


def objective(name, rows, ensemble, reg_lambda=0.1):
    """The sum of the losses and the penalty, as the ensemble's own predictions give them."""
    scores = ensemble(rows.X[rows.origin])
    penalty = reg_lambda * sum(rule.vote**2 for rule in ensemble)
    return rows.weight @ loss_by_name(name).value(rows.y, scores) + penalty


# ---- the stages ---------------------------------------------------------------------------------


@every_loss
@pytest.mark.parametrize("search", SEARCHES)
def test_there_is_one_stage_for_each_number_of_rules(name, search):
    _, stages = learn(name, search)
    assert [len(stage.ensemble) for stage in stages] == [0, 1, 2, 3, 4]


@every_loss
@pytest.mark.parametrize("search", SEARCHES)
def test_one_more_rule_never_raises_the_regularised_risk(name, search):
    rows, stages = learn(name, search, max_rules=8)
    values = [objective(name, rows, stage.ensemble) for stage in stages]
    assert (np.diff(values) <= 1e-9 * values[0]).all()


@every_loss
@patient(max_examples=15)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40))
def test_one_more_rule_never_raises_the_regularised_risk_of_few_rows(name, seed, n):
    X, y = table(name, seed, n)
    y[0] = max(y[0], 1.0)  # some count
    rows = rows_of(np.round(X), y)
    stages = boost(rows, settings(name), empty(name))
    values = [objective(name, rows, stage.ensemble) for stage in stages]
    assert (np.diff(values) <= 1e-9 * (1 + abs(values[0]))).all()


@every_loss
def test_train_risk_is_that_of_the_predictions(name):
    rows, stages = learn(name)
    for stage in stages:
        loss = loss_by_name(name).value(rows.y, stage.ensemble(rows.X[rows.origin]))
        assert stage.train_risk == pytest.approx(np.average(loss, weights=rows.weight))


@every_loss
def test_earlier_rules_keep_their_conditions(name):
    _, stages = learn(name)
    for before, after in pairwise(stages):
        shared = zip(before.ensemble.rules, after.ensemble.rules[:-1], strict=True)
        assert all(old.condition == new.condition for old, new in shared)


@every_loss
def test_only_the_model_without_rules_has_no_validation_risk(name):
    _, stages = learn(name)
    assert [np.isnan(s.validation_risk) for s in stages] == [True] + [False] * (len(stages) - 1)


def test_time_passes():
    _, stages = learn()
    assert stages[0].seconds >= 0
    assert all(before.seconds < after.seconds for before, after in pairwise(stages))


@every_loss
@pytest.mark.parametrize("search", SEARCHES)
def test_no_rule_is_empty_or_constant(name, search):
    for n in (5, 20, 150):
        rows, stages = learn(name, search, n=n, max_rules=8)
        for rule in stages[-1].ensemble:
            covered = rows.covered_by(rule.condition)
            assert covered.any()
            assert not covered.all()


def test_the_signal_is_found():
    _, stages = learn("squared", n=500)
    first = stages[1].ensemble.rules[0].condition.propositions
    assert {name for proposition in first for name in proposition.columns} >= {"a", "b"}
    assert stages[-1].train_risk < 0.5 * stages[0].train_risk


def test_three_classes_are_told_apart():
    X, y = make_blobs(200, n_features=2, centers=[(0, 4), (4, -2), (-4, -2)], random_state=0)
    rows = Rows.from_table(X, y.astype(float), np.ones(200), ("a", "b"))
    start = RuleEnsemble((0.0, 0.0, 0.0), (), ("a", "b"), "softmax", (0, 1, 2))
    stages = boost(rows, settings("softmax"), start)
    guess = stages[-1].ensemble(X).argmax(axis=1)
    assert np.mean(guess == y) > 0.97


def test_softmax_rules_vote_for_the_class_that_gains():
    _, stages = learn("softmax", n=500, max_rules=6)
    assert len({rule.output for rule in stages[-1].ensemble}) > 1


@every_loss
def test_the_same_seed_gives_the_same_stages(name):
    one, other = learn(name)[1], learn(name)[1]
    assert [s.ensemble for s in one] == [s.ensemble for s in other]
    assert [s.validation_risk for s in one[1:]] == [s.validation_risk for s in other[1:]]


def test_another_seed_draws_other_bags():
    rows = rows_of(*table("squared"))
    plain = settings(max_rules=3)
    risks = [
        boost(rows, replace(plain, seed=seed), empty("squared"))[-1].validation_risk
        for seed in (0, 1)
    ]
    assert risks[0] != risks[1]


# ---- where it ends ------------------------------------------------------------------------------


@pytest.mark.parametrize("max_rules", [0, 1, 3])
def test_ends_at_the_number_of_rules(max_rules):
    assert len(learn(max_rules=max_rules)[1]) == max_rules + 1


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("max_complexity", [0, 2, 3, 4, 7, 10, 25])
@pytest.mark.parametrize("validated", [True, False])
def test_complexity_never_exceeds_its_limit(search, max_complexity, validated):
    limited = settings("squared", search, max_rules=20, max_complexity=max_complexity)
    selection = limited.selection if validated else None
    rows = rows_of(*table("squared"))
    stages = boost(rows, replace(limited, selection=selection), empty("squared"))
    assert stages[-1].ensemble.complexity <= max_complexity
    # The smallest rule has complexity 3, so there is one if there is room for it.
    assert (len(stages) > 1) == (max_complexity >= 3)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("max_weights", [1, 2, 5])
def test_no_rule_has_more_weights_than_allowed(search, max_weights):
    _, stages = learn("squared", search, max_rules=6, max_rule_complexity=max_weights)
    for rule in stages[-1].ensemble:
        assert sum(len(p.weights) for p in rule.condition.propositions) <= max_weights


@pytest.mark.parametrize(("name", "value"), [("squared", 0.0), ("squared", 7.3), ("poisson", 2.0)])
def test_constant_outcomes_need_no_rules(name, value):
    X, _ = table("squared")
    rows = rows_of(X, np.full(150, value))
    assert len(boost(rows, settings(name, min_worth=0.0), empty(name))) == 1


def test_constant_columns_give_no_rules():
    rows = rows_of(np.ones((50, 3)), np.arange(50.0))
    assert len(boost(rows, settings(), empty("squared"))) == 1


def test_one_row_gives_no_rules():
    rows = rows_of(np.ones((1, 3)), np.ones(1))
    assert len(boost(rows, settings(), empty("squared"))) == 1


def test_noise_ends_where_nothing_is_worth_its_price():
    rng = np.random.default_rng(1)
    rows = rows_of(rng.normal(size=(400, 3)), rng.normal(size=400))
    picky = settings(max_rules=50, min_worth=0.05)
    assert len(boost(rows, picky, empty("squared"))) < 5


def test_no_time_gives_the_model_without_rules():
    assert len(learn(max_seconds=0.0)[1]) == 1


@dataclass
class Slow:
    """A search that takes its time."""

    seconds: float
    search: object = SEARCHES["axis"]

    def __call__(self, *arguments):
        time.sleep(self.seconds)
        return self.search(*arguments)


def test_time_is_kept_to_within_one_rule():
    rows = rows_of(*table("squared"))
    slow = replace(settings(max_rules=50, max_seconds=0.05), search=Slow(0.04))
    stages = boost(rows, slow, empty("squared"))
    # The rule that was begun in time is the last one.
    assert stages[-2].seconds < 0.05 <= stages[-1].seconds


# ---- reports and interruptions ------------------------------------------------------------------


def test_each_stage_is_reported_once():
    rows = rows_of(*table("squared"))
    reported = []
    stages = boost(rows, settings(), empty("squared"), reported.append)
    assert len(stages) == len(reported)
    assert all(one is other for one, other in zip(stages, reported, strict=True))


@dataclass
class Impatient:
    """Presses Ctrl-C after some stages."""

    patience: int
    stages: list[Stage] = field(default_factory=list)

    def __call__(self, stage):
        self.stages.append(stage)
        if len(self.stages) == self.patience:
            raise KeyboardInterrupt


@pytest.mark.parametrize("patience", [1, 3])
def test_an_interruption_keeps_the_stages_so_far(patience):
    rows, whole = learn()
    impatient = Impatient(patience)
    with pytest.raises(KeyboardInterrupt):
        boost(rows, settings(), empty("squared"), impatient)
    assert [s.ensemble for s in impatient.stages] == [s.ensemble for s in whole[:patience]]


# ---- starting from an ensemble ------------------------------------------------------------------


@every_loss
@pytest.mark.parametrize("first", [0, 1, 2])
def test_continued_boosting_gives_the_stages_of_one_run(name, first):
    rows, whole = learn(name, max_rules=4)
    _, part = learn(name, max_rules=first)
    rest = boost(rows, settings(name, max_rules=4), part[-1].ensemble, earlier=part)
    assert [s.ensemble for s in rest] == [s.ensemble for s in whole]
    # As text, since the validation risk of the model without rules is NaN, unlike itself.
    assert list(map(repr, rest[: first + 1])) == list(map(repr, part))


def test_continued_boosting_reports_from_the_last_stage():
    rows, part = learn(max_rules=2)
    reported = []
    boost(rows, settings(max_rules=4), part[-1].ensemble, reported.append, earlier=part)
    assert [len(stage.ensemble) for stage in reported] == [2, 3, 4]


def test_time_goes_on_where_it_was_left():
    rows, part = learn(max_rules=1)
    later = [replace(stage, seconds=stage.seconds + 100) for stage in part]
    rest = boost(rows, settings(max_rules=2), part[-1].ensemble, earlier=later)
    assert rest[-1].seconds > 100


def test_rules_given_by_hand_stay_and_are_weighed_anew():
    rows = rows_of(*table("squared"))
    by_hand = Rule(Condition((Proposition(("a", "b"), (1.0, 1.0), 0.0),)), 100.0)
    start = RuleEnsemble(0.0, (by_hand,), rows.columns, "squared")
    stages = boost(rows, settings(max_rules=3), start)
    assert [len(stage.ensemble) for stage in stages] == [1, 2, 3]
    for stage in stages:
        assert stage.ensemble.rules[0].condition == by_hand.condition
        assert stage.ensemble.rules[0].vote == pytest.approx(2, abs=0.5)


def test_no_room_is_left_by_a_full_ensemble():
    rows, part = learn(max_rules=3)
    rest = boost(rows, settings(max_rules=3), part[-1].ensemble, earlier=part)
    assert rest == part


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


def offer(search, **options):
    rows = rows_of(*table("squared"))
    plain = replace(settings(max_rules=1, **options), search=search)
    return boost(rows, plain, empty("squared"))


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
    (rule,) = boost(rows, corrective, empty("softmax"))[-1].ensemble
    assert rule.output == 1


@pytest.mark.parametrize("threshold", [-100.0, 100.0])
def test_candidates_that_do_not_divide_the_rows_are_refused(threshold):
    assert len(offer(Offering([threshold]))) == 1


def test_candidates_that_divide_no_rows_in_user_units_are_refused():
    # As if all rows were within rounding of the border.
    def search(search_input, max_weights, threads):
        return [candidate([([0], [1.0], -100.0)], search_input.rows.Z[:, 0] >= 0)]

    assert len(offer(search)) == 1


def test_candidates_beyond_the_complexity_that_is_left_are_refused():
    assert len(offer(Offering([0.0], repeats=3), max_complexity=6)) == 1
    assert len(offer(Offering([0.0], repeats=2), max_complexity=6)) == 2


def test_of_candidates_that_divide_the_rows_alike_the_simplest_is_taken():
    def both(*arguments):
        return [*Offering([0.0], repeats=2)(*arguments), *Offering([0.0])(*arguments)]

    asked = []

    @dataclass
    class Watching:
        def __call__(self, before, after, complexities):
            asked.append(list(complexities))
            return 0

    rows = rows_of(*table("squared"))
    curious = replace(settings(max_rules=1), search=both, selection=Watching())
    boost(rows, curious, empty("squared"))
    assert asked == [[3]]


def test_a_candidate_and_its_complement_are_one_division():
    def both(search_input, max_weights, threads):
        (one,) = Offering([0.0])(search_input, max_weights, threads)
        return [one, candidate([([0], [-1.0], 0.0)], ~one.covered)]

    asked = []

    def choice(before, after, complexities):
        asked.append(len(after))

    rows = rows_of(*table("squared"))
    curious = replace(settings(max_rules=1), search=both, selection=choice)
    boost(rows, curious, empty("squared"))
    assert set(asked) == {1}


def test_another_bag_is_drawn_before_giving_up():
    bags = []

    def choice(before, after, complexities):
        bags.append(before)

    rows = rows_of(*table("squared"))
    doubtful = replace(settings(max_rules=1), selection=choice)
    assert len(boost(rows, doubtful, empty("squared"))) == 1
    assert len(set(bags)) == len(bags) > 1
