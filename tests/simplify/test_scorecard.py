"""Scorecards: the points, the line behind them, and the card that is printed."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.special import expit, logit
from simplify.models import model, nearest, rows_of, weights
from simplify.tables import for_all
from sklearn.metrics import brier_score_loss, log_loss

from sorb import LLTBoostClassifier
from sorb.lab.datasets import load
from sorb.losses import Logistic
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.simplify import scorecard, simplify
from sorb.simplify.points import refit_line
from sorb.simplify.scorecard import ProbabilityMeasures
from sorb.tables.targets import Outcomes


@for_all(weights)
def test_without_rows_the_nearest_points_win(votes):
    card = scorecard(model(*votes), max_points=4)
    for points, line, _ in nearest(votes, -1.0, 4):
        assert card.largest_deviation <= line.deviation(votes, -1.0, points) + 1e-12


def test_proportional_weights_become_exact_points():
    card = scorecard(model(1.5, -1.0, 0.5, offset=-2.0))
    assert card.points == (3, -2, 1)
    assert card.largest_deviation == pytest.approx(0, abs=1e-12)
    X = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 1]])
    assert card.predict_proba(X)[:, 1] == pytest.approx(expit(card.exact_ensemble(X)))
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
        assert card.card.risk <= outcomes.risk(line(totals)) + 1e-12


def test_quality_is_what_scikit_learn_computes():
    random = np.random.default_rng(1)
    p, y = random.random(200), random.integers(0, 2, 200)
    weight = random.integers(1, 4, 200).astype(float)
    quality = ProbabilityMeasures.of(logit(p), Outcomes(y.astype(float), weight, Logistic()))
    assert quality.risk == pytest.approx(log_loss(y, p, sample_weight=weight))
    assert quality.brier == pytest.approx(brier_score_loss(y, p, sample_weight=weight))
    error = sum(
        abs(np.sum((weight * (p - y))[(p >= low / 10) & (p < (low + 1) / 10)])) for low in range(10)
    )
    assert quality.calibration_error == pytest.approx(error / weight.sum())


def test_a_weight_means_copies_of_a_row():
    ensemble = model(1.7, -0.9, 0.4)
    X, y = rows_of(ensemble, 100)
    copies = np.random.default_rng(2).integers(0, 3, 100)
    weighted = scorecard(ensemble, X, y, copies)
    repeated = scorecard(ensemble, np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighted.points == repeated.points
    assert weighted.line.slope == pytest.approx(repeated.line.slope, rel=1e-4)
    assert weighted.card.risk == pytest.approx(repeated.card.risk)


@for_all(weights, st.integers(1, 4))
def test_the_ensemble_of_a_card_says_what_the_card_says(votes, most):
    exact = model(*votes)
    card = scorecard(exact, max_points=most)
    X = np.array(list(product([0.0, 1.0], repeat=len(votes))))
    assert expit(card.ensemble(X)) == pytest.approx(card.predict_proba(X)[:, 1], rel=1e-12)
    kept = [rule.condition for rule, points in zip(exact, card.points, strict=True) if points]
    assert [rule.condition for rule in card.ensemble] == kept
    assert (card.ensemble.columns, card.ensemble.classes) == (exact.columns, exact.classes)
    assert RuleEnsemble.from_json(card.ensemble.to_json()) == card.ensemble


@for_all(weights)
def test_table_holds_every_total_and_says_what_is_predicted(votes):
    card = scorecard(model(*votes))
    X = np.array(list(product([0.0, 1.0], repeat=len(votes))))
    table = dict(card.table)
    assert set(table) == set(card.totals(X).tolist())
    assert card.predict_proba(X)[:, 1].tolist() == [table[t] for t in card.totals(X).tolist()]


def test_card_is_printed():
    card = scorecard(model(2.0, -1.0, 0.01, offset=-9.0), max_points=2)
    assert card.points == (2, -1, 0)
    lines = str(card).splitlines()
    assert lines[0] == "Points for yes against no:"
    assert lines[1:3] == ["+2  if  x0 ≥ 1", "−1  if  x1 ≥ 1"]
    assert lines[4].split() == ["Total", "−1", "0", "1", "2"]
    assert lines[5].split()[1:3] == ["<0.1", "%"]
    assert "Rules whose votes are too small for a point: 1." in lines
    sure = scorecard(model(20.0, classes=None))
    assert ">99.9 %" in str(sure)
    assert str(sure).startswith("Points for the positive class:")


def test_cells_are_aligned_and_quality_has_three_digits():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    card = scorecard(model(2.0, 1.0), X, ["no", "yes", "yes", "no"])
    assert str(card).splitlines()[-5:] == [
        "Total             0       1       2",
        "Probability  33.7 %  50.0 %  66.3 %",
        "",
        "No log-odds differ from the exact model by more than 1.3.",
        "On the given rows: risk 0.721 (exact model 0.862), "
        "Brier score 0.263 (exact model 0.293), calibration error 0.5 (exact model 0.48).",
    ]


def test_long_table_is_wrapped():
    card = scorecard(model(2.0, 1.37, 0.71, 0.33))
    heads = [line for line in str(card).splitlines() if line.startswith("Total")]
    assert sum(len(line.split()) - 1 for line in heads) == len(card.table) > 10
    assert len({len(line) for line in heads[:-1]}) == 1


def test_quality_is_printed():
    ensemble = model(1.7, -0.9)
    card = scorecard(ensemble, *rows_of(ensemble))
    assert "On the given rows: risk" in str(card)
    assert "Brier score" in card._repr_html_()


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
        "+2  if  weight / height² ≥ 25 kg/m² or weight or height missing",
        '−1  if  group in {A, "<B>"}',
        "+1  if  weight ≥ 100 kg",
    ]
    assert card.to_dict()["rules"][2]["condition"] == "weight ≥ 100 kg"
    assert "&lt;B&gt;" in card._repr_html_()
    X = np.array([[100.0, 2.0, "A"], [50.0, 2.0, "O"], [None, 2.0, None]], dtype=object)
    assert card.totals(X).tolist() == [2, 0, 2]
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
    assert read["rules"][1] == {"points": card.points[1], "condition": "x1 ≥ 1"}
    assert read["card"]["risk"] == card.card.risk
    assert [(entry["points"], entry["probability"]) for entry in read["table"]] == [*card.table]
    assert scorecard(ensemble).to_dict()["exact"] is None


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
    with pytest.raises(ValueError, match="at least one rule whose vote is not 0"):
        scorecard(model(0.0))
    with pytest.raises(ValueError, match="found one for the squared loss"):
        scorecard(RuleEnsemble(0.0, ensemble.rules, ("x0",), "squared"))


def test_the_most_points_that_are_allowed_are_used():
    assert scorecard(model(1.0, -0.001), max_points=1000).points == (1000, -1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("votes", [(1e299, -5e298, 3e298), (1e299, 1.0), (5e-324, -1e-323)])
def test_votes_of_any_size_give_a_card(votes):
    ensemble = model(*votes)
    X, y = rows_of(ensemble, 50)
    card = scorecard(ensemble, X, y)
    assert np.isfinite([card.line.slope, card.line.offset, card.card.risk]).all()


@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
def test_card_of_a_trained_model_is_nearly_as_good(name):
    data = load(name)
    fitted = LLTBoostClassifier(max_rules=10, selection=None).fit(data.X, data.y)
    ensemble = simplify(fitted.ensemble_, data.X, data.y).ensemble
    card = scorecard(ensemble, data.X, data.y, max_points=5)
    assert card.card.brier < card.exact.brier + 0.01
    assert card.card.risk < card.exact.risk + 0.02
