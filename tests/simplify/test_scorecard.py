"""Scorecards: the points, the line behind them, and the card that is printed."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.special import expit
from simplify.models import model, nearest, rows_of, weights
from simplify.tables import for_all
from sklearn.metrics import log_loss

from sorb import LLTBoostClassifier
from sorb.lab.datasets import load
from sorb.measures.cutoff import Cutoff
from sorb.rules import (
    ColumnExperience,
    Condition,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
)
from sorb.simplify import scorecard
from sorb.simplify.points import refit_line
from sorb.tables.targets import Outcomes

pytestmark = pytest.mark.filterwarnings("ignore:the card leaves out")


def rows_with_both_classes(ensemble):
    X = np.tile(every_row[len(ensemble.columns)], (8, 1))
    rank = ensemble(X).argsort(kind="stable").argsort()
    return X, np.where(rank >= len(X) / 2, "yes", "no")


@for_all(weights)
def test_without_rows_the_nearest_points_win(votes):
    card = scorecard(model(*votes), max_points=4)
    for points, line, _ in nearest(votes, -1.0, 4):
        assert card.largest_deviation <= line.deviation(votes, -1.0, points) + 1e-9


def test_proportional_weights_become_exact_points():
    card = scorecard(model(1.5, -1.0, 0.5, offset=-2.0))
    assert card.points == (3, 2, 1)
    assert [line.turned for line in card.lines] == [False, True, False]
    assert card.largest_deviation == pytest.approx(0, abs=1e-9)
    X = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 1]])
    assert card.predict_proba(X)[:, 1] == pytest.approx(expit(card.model(X)))
    assert card.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_up_to_ten_points_are_given():
    ensemble = model(1.0, 0.1)
    assert scorecard(ensemble).points == ensemble.scorecard().points == (10, 1)


def test_with_rows_the_points_of_the_least_risk_win():
    ensemble = model(1.7, -0.9, 0.4, 0.25)
    X, y = rows_of(ensemble)
    card = scorecard(ensemble, X, y, max_points=5)
    outcomes = Outcomes.of(ensemble, y, np.ones(len(y)))
    for points, start, _ in nearest([1.7, -0.9, 0.4, 0.25], -1.0, 5):
        totals = (X @ np.array(points)).astype(int)
        line = refit_line(totals, outcomes, start)
        assert card.cost.card.risk <= outcomes.risk(line(totals)) + 1e-9


def test_a_weight_means_copies_of_a_row():
    ensemble = model(1.7, -0.9, 0.4)
    X, y = rows_of(ensemble, 100)
    copies = np.random.default_rng(2).integers(0, 3, 100)
    weighted = scorecard(ensemble, X, y, copies)
    repeated = scorecard(ensemble, np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighted.points == repeated.points
    assert weighted.line.slope == pytest.approx(repeated.line.slope, rel=1e-4)
    assert weighted.cost.card.risk == pytest.approx(repeated.cost.card.risk)
    assert weighted.cost.exact.auc.value == pytest.approx(repeated.cost.exact.auc.value)
    assert weighted.observed == repeated.observed


every_row = [np.array(list(product([0.0, 1.0], repeat=n))) for n in range(5)]


@for_all(weights, st.integers(1, 4), st.sampled_from(["no", "yes"]), st.none() | st.just(20))
def test_card_its_totals_and_its_ensemble_say_exactly_the_same(votes, most, high, pdo):
    exact = model(*votes)
    try:
        card = scorecard(exact, max_points=most, high=high, pdo=pdo)
    except ValueError as error:
        assert "each rule would get 0 points" in str(error)  # noqa: PT017
        return
    X, names = every_row[len(votes)], exact.columns
    totals = card.totals(X)
    assert (card.line(totals) == card.ensemble(X)).all()
    by_hand = [
        card.start
        + sum(line.points for line in card.lines if line.condition(row, names) != line.turned)
        for row in X[:, None]
    ]
    assert totals.tolist() == by_hand
    assert min(card.points) > 0
    assert totals.min() >= card.start
    table = dict(card.table)
    assert set(totals.tolist()) <= set(table)
    assert card.predict_proba(X)[:, 1].tolist() == [table[t] for t in totals.tolist()]
    assert RuleEnsemble.from_json(card.ensemble.to_json()) == card.ensemble


@for_all(weights, st.sampled_from(["no", "yes"]))
def test_more_points_always_mean_more_of_the_class_they_speak_for(votes, high):
    exact = model(*votes)
    card = scorecard(exact, *rows_with_both_classes(exact), high=high)
    probabilities = [p if high == "yes" else 1 - p for _, p in card.table]
    assert probabilities == sorted(probabilities)
    kept = {line.condition: line.turned for line in card.lines}
    for rule in exact:
        if rule.condition in kept:
            assert kept[rule.condition] == ((rule.vote > 0) != (high == "yes"))


@for_all(weights)
def test_card_moves_with_a_column_where_the_model_does(votes):
    """Each rule of these models is monotone in its column, so the card has to be as well."""
    exact = model(*votes)
    card = scorecard(exact, max_points=3)
    X = every_row[len(votes)]
    for j, vote in enumerate(votes):
        low, high = (card.ensemble(X[X[:, j] == value]) for value in (0, 1))
        assert (np.sign(vote) * (high - low) >= 0).all()


def test_rows_that_contradict_the_model_are_refused():
    ensemble = model(2.0, 1.0)
    X, y = rows_of(ensemble)
    with pytest.raises(ValueError, match="the rows contradict the model"):
        scorecard(ensemble, X, np.where(y == "yes", "no", "yes"))


def test_bank_score_is_offset_plus_factor_times_log_odds():
    ensemble = model(1.1, -0.7, 0.4, offset=0.3)
    card = scorecard(ensemble, pdo=20, base_score=600, base_odds=50)
    X = every_row[3]
    exact = 600 + 20 / np.log(2) * (ensemble(X) - np.log(50))
    # The start and the points of three lines are rounded, each by at most a half.
    assert np.abs(card.totals(X) - exact).max() <= 2
    assert card.line(np.array([600, 620])) == pytest.approx([np.log(50), np.log(100)])
    good = scorecard(ensemble, pdo=20, base_score=600, base_odds=50, high="no")
    exact = 600 + 20 / np.log(2) * (-ensemble(X) - np.log(50))
    assert np.abs(good.totals(X) - exact).max() <= 2
    assert good.line(np.array([620])) == pytest.approx([-np.log(100)])
    assert "odds of 50 to 1 for no against yes, and 20 more points double the odds" in str(good)


def test_numbers_are_short_as_people_write_them():
    """The scores once printed age ≥ 1.4999999999999964."""
    old = Rule(Condition((Proposition(("age",), (1.0,), 1.4999999999999964),)), 1.0)
    heavy = Rule(Condition((Proposition(("bmi",), (-1.0,), -27.500000000000004),)), -1.0)
    ensemble = RuleEnsemble(0.0, (old, heavy), ("age", "bmi"), "logistic")
    assert str(scorecard(ensemble)).splitlines()[1:3] == [
        "1  if  age ≥ 1.5",
        "1  if  bmi > 27.5 or bmi missing",
    ]
    X = np.array([[1.0, 27.0], [2.0, 28.0], [7.0, 30.0], [0.5, 21.0]])
    lines = str(scorecard(ensemble, X, [0, 1, 0, 1])).splitlines()
    assert lines[1:3] == ["1  if  age ≥ 2", "1  if  bmi > 27 *"]


def test_the_cutoff_is_the_share_of_the_second_class_where_the_card_was_made():
    exact = model(1.7, -0.9)
    X, y = rows_of(exact)
    X_test, y_test = rows_of(exact, 100, seed=1)
    card = scorecard(exact, X, y)
    found = card.cost.cutoff
    assert found.value == pytest.approx(np.mean(y == "yes"))
    assert found.reason == "the share of yes in the rows that the card was made from"
    assert card.with_test(X_test, y_test).cost.cutoff == found
    share = scorecard(exact).with_test(X_test, y_test).cost.cutoff
    assert (share.value, share.reason) == (
        pytest.approx(np.mean(y_test == "yes")),
        "the share of yes",
    )
    cells = {name: cells for name, *cells in card.cost.measure_lines()}
    assert all(" to " in cell for cell in (*cells["AUC"], *cells["sensitivity"]))


def test_rules_that_are_left_out_are_named():
    with pytest.warns(UserWarning, match=r"leaves out 2 of 3 rules, .* point: x1 ≥ 1; x2 ≥ 1; to"):
        card = scorecard(model(2.0, -0.02, 0.01), max_points=2)
    assert card.to_dict()["dropped"] == ["x1 ≥ 1", "x2 ≥ 1"]


def test_long_sums_are_rounded_by_the_ranges_of_training():
    parts = Proposition(("age", "bmi"), (1.0, -0.5), 12.3456789), Proposition(("age",), (1.0,), 1.0)
    seen = {
        "age": ColumnExperience(False, (18.0, 84.0)),
        "bmi": ColumnExperience(False, (17.0, 51.0)),
    }
    rule = Rule(Condition(parts), 1.0)
    exact = RuleEnsemble(0.0, (rule,), ("age", "bmi"), "logistic", experience=seen)
    card = scorecard(exact)
    assert str(card.lines[0].condition) == "age − 0.5 bmi ≥ 12.3  and  age ≥ 1"
    assert (
        "Rounded: age − 0.5 bmi ≥ 12.3. Where such a value is nearer to its threshold than 0.1 % "
        "of the range that it had in training, a row may change sides; give rows, and none does."
    ) in card.notes()
    assert card.model == exact
    assert not any("as long as" in note for note in card.notes())


def test_long_numbers_ask_for_rows():
    rule = Rule(Condition((Proposition(("a", "b"), (1.0, 0.123456789), 2.0),)), 1.0)
    assert "give rows" in str(scorecard(RuleEnsemble(0.0, (rule,), ("a", "b"), "logistic")))
    assert "give rows" not in str(scorecard(model(1.0)))


def test_card_is_printed():
    card = scorecard(model(2.0, -1.0, 0.01, offset=-9.0), max_points=2)
    assert card.points == (2, 1)
    lines = str(card).splitlines()
    assert lines[:3] == [
        "Points for yes against no:",
        "2  if  x0 ≥ 1",
        "1  if  x1 < 1 or x1 missing",
    ]
    assert lines[4].split() == ["Total", "Probability", "of", "yes"]
    assert lines[5].split() == ["0", "<0.1", "%"]
    assert "Left out, as the votes are too small for a point: x2 ≥ 1." in lines
    sure = scorecard(model(20.0, classes=None))
    assert ">99.9 %" in str(sure)
    assert str(sure).startswith("Points for 1 against 0:")


def test_rules_for_everyone_count_for_the_start():
    always = Rule(Condition(), 1.5)
    exact = model(2.0, -1.0)
    with_constant = RuleEnsemble(-2.5, (always, *exact), exact.columns, "logistic", exact.classes)
    assert scorecard(with_constant).table == scorecard(exact).table


def test_cost_is_measured_on_the_rows_and_on_test_rows():
    exact = model(1.7, -0.9, 0.4)
    X, y = rows_of(exact)
    card = scorecard(exact, X, y, max_points=1)
    tested = card.with_test(*rows_of(exact, 100, seed=1), cutoff=0.3)
    assert (tested.cost.n_rows, tested.cost.cutoff) == (100, Cutoff.by_hand(0.3))
    X_test, y_test = rows_of(exact, 100, seed=1)
    before, after = (expit(e(X_test)) for e in (exact, card.ensemble))
    assert tested.cost.changed_rows == (*np.flatnonzero((before > 0.3) != (after > 0.3)),)
    assert tested.cost.exact.risk == pytest.approx(log_loss(y_test == "yes", before))
    assert "On 100 test rows" in str(tested)
    assert "On 400 rows that the card was made from" in str(card)


def test_rows_of_each_total_are_counted():
    exact = model(2.0, 1.0)
    X, y = rows_of(exact)
    card = scorecard(exact, X, y)
    totals = card.totals(X)
    for found in card.observed:
        here = totals == found.total
        assert (found.rows, found.positive) == (here.sum(), (y[here] == "yes").sum())


def test_quality_is_printed():
    ensemble = model(1.7, -0.9)
    card = scorecard(ensemble, *rows_of(ensemble))
    assert "Brier score" in str(card)
    assert "Observed" in card._repr_html_()


def test_card_of_all_kinds():
    kinds = (
        Product(("weight", "height"), (1, -2), 25.0, missing=True),
        Membership("group", ("A", "<B>")),
        Proposition(("weight",), (1.0,), 100.0),
    )
    rules = tuple(Rule(Condition((p,)), w) for p, w in zip(kinds, (2.0, -1.0, 1.0), strict=True))
    units = {"weight": "kg", "height": "m"}
    ensemble = RuleEnsemble(
        -1.0, rules, ("weight", "height", "group"), "logistic", ("no", "yes"), units
    )
    card = ensemble.scorecard(max_points=2)
    assert str(card).splitlines()[1:4] == [
        "2  if  weight / height² ≥ 25 kg/m² or weight or height missing",
        '1  if  group not in {A, "<B>"} or group missing',
        "1  if  weight ≥ 100 kg",
    ]
    assert card.to_dict()["lines"][2] == {"points": 1, "condition": "weight ≥ 100 kg"}
    assert "&lt;B&gt;" in card._repr_html_()
    X = np.array([[100.0, 2.0, "A"], [50.0, 2.0, "O"], [None, 2.0, None]], dtype=object)
    assert card.totals(X).tolist() == [3 - 1 + 1, 1, 2 + 1]
    assert card.predict_proba(X)[:, 1] == pytest.approx(expit(ensemble(X)))


def test_html_is_escaped():
    rule = Rule(Condition((Proposition(("<b>",), (1.0,), 1.0),)), 1.0)
    card = scorecard(RuleEnsemble(-9.0, (rule,), ("<b>",), "logistic", ("<i>", "&")))
    html = card._repr_html_()
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;0.1 %" in html


def test_dictionary_is_json():
    ensemble = model(1.7, -0.9)
    card = scorecard(ensemble, *rows_of(ensemble))
    read = json.loads(json.dumps(card.to_dict(), allow_nan=False))
    assert read["lines"][1] == {"points": card.points[1], "condition": "x1 < 1 *"}
    assert read["cost"]["card"]["risk"] == card.cost.card.risk
    assert [(entry["points"], entry["probability"]) for entry in read["table"]] == [*card.table]
    assert scorecard(ensemble).to_dict()["cost"] is None


def test_wrong_input_is_named():
    ensemble = model(1.0)
    X, y = rows_of(ensemble, 10)
    with pytest.raises(ValueError, match="X is given without y"):
        scorecard(ensemble, X)
    with pytest.raises(ValueError, match="y is given without X"):
        scorecard(ensemble, y=y)
    for wrong in (0, 1001, 10**12, 10**400):
        with pytest.raises(ValueError, match=f"max_points must be from 1 to 1000, found {wrong}"):
            scorecard(ensemble, max_points=wrong)
    with pytest.raises(ValueError, match="both classes"):
        scorecard(ensemble, X, ["yes"] * 10)
    with pytest.raises(ValueError, match="both classes"):
        scorecard(ensemble, X, ["no", *["yes"] * 9], sample_weight=[0, *[1] * 9])
    with pytest.raises(ValueError, match="at least one rule that has a condition and a vote"):
        scorecard(model(0.0))
    with pytest.raises(ValueError, match="found one for the squared loss"):
        scorecard(RuleEnsemble(0.0, ensemble.rules, ("x0",), "squared"))
    with pytest.raises(ValueError, match="softmax loss: learn one class against all others"):
        scorecard(RuleEnsemble((0.0,) * 3, ensemble.rules, ("x0",), "softmax", (1, 2, 3)))
    with pytest.raises(ValueError, match="model of two classes, found only"):
        scorecard(RuleEnsemble(0.0, ensemble.rules, ("x0",), "logistic", ("yes",)))
    with pytest.raises(ValueError, match="high must be a class of the model, 'no' or 'yes', found"):
        scorecard(ensemble, high="maybe")
    with pytest.raises(ValueError, match="the cut-off must be a probability"):
        scorecard(ensemble, cutoff=1)
    with pytest.raises(ValueError, match="pdo must be more than 0, found 0"):
        scorecard(ensemble, pdo=0)
    with pytest.raises(ValueError, match="each rule would get 0 points: choose a larger pdo"):
        scorecard(ensemble, pdo=0.001)
    with pytest.raises(ValueError, match="would get 144270 points: choose a smaller pdo"):
        scorecard(ensemble, pdo=100_000)


def test_the_most_points_that_are_allowed_are_used():
    assert scorecard(model(1.0, -0.001), max_points=1000).points == (1000, 1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("votes", [(1e299, -5e298, 3e298), (1e299, 1.0), (5e-324, -1e-323)])
def test_votes_of_any_size_give_a_card(votes):
    ensemble = model(*votes)
    X, y = rows_of(ensemble, 50)
    card = scorecard(ensemble, X, y)
    assert np.isfinite([card.line.slope, card.line.offset, card.cost.card.risk]).all()


@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
def test_card_of_a_trained_model_is_nearly_as_good(name):
    data = load(name)
    fitted = LLTBoostClassifier(max_rules=10, selection=None).fit(data.X, data.y)
    card = scorecard(fitted.ensemble_, data.X, data.y, max_points=5)
    assert card.certificate.changed_rows == ()
    assert card.cost.card.brier < card.cost.exact.brier + 0.01
    assert card.cost.card.risk < card.cost.exact.risk + 0.02
    assert (card.line(card.totals(data.X)) == card.ensemble(data.X)).all()
