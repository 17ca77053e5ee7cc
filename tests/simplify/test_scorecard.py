"""Scorecards: the points, the line behind them, and the card that is printed."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.special import expit, logit
from simplify.tables import for_all
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

from sorb import LLTBoostClassifier
from sorb.lab.datasets import load
from sorb.losses import Logistic
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.simplify import scorecard, simplify
from sorb.simplify.points import (
    LogOddsLine,
    group_outcomes,
    integer_scalings,
    nearest_lines,
    refit_line,
)
from sorb.simplify.scorecard import ProbabilityMeasures
from sorb.tables.targets import Outcomes

weights = st.lists(
    st.floats(-4, 4).filter(lambda w: abs(w) > 1e-3) | st.just(0.0), min_size=1, max_size=4
).filter(any)


def model(*votes, offset=-1.0, classes=("no", "yes")):
    """Rule j holds where column j is at least 1."""
    columns = tuple(f"x{j}" for j in range(len(votes)))
    rules = tuple(
        Rule(Condition((Proposition((name,), (1.0,), 1.0),)), vote)
        for name, vote in zip(columns, votes, strict=True)
    )
    return RuleEnsemble(offset, rules, columns, "logistic", classes)


def rows_of(ensemble, n=400, seed=0):
    """Draw rows and outcomes from a model."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n, len(ensemble.columns))).astype(float)
    y = np.where(random.random(n) < expit(ensemble(X)), "yes", "no")
    return X, y


def as_tuples(points):
    return [tuple(row) for row in points.tolist()]


def nearest(votes, offset, most):
    """Give all points with their nearest lines and the deviations of these."""
    points = integer_scalings(votes, most)
    return zip(as_tuples(points), *nearest_lines(votes, offset, points), strict=True)


def combinations(votes):
    return np.array(list(product([0, 1], repeat=len(votes)))) @ np.array(votes)


@for_all(weights, st.integers(1, 6))
def test_scalings_are_all_that_rounding_gives(votes, most):
    largest = max(map(abs, votes))
    found = set()
    for factor in np.linspace(0.5, most + 0.5, 801)[1:-1] / largest:
        points = np.rint(np.array(votes) * factor).astype(int)
        if np.abs(points).max() <= most and points.any():
            found.add(tuple(points // np.gcd.reduce(points)))
    scalings = as_tuples(integer_scalings(votes, most))
    # The grid may miss a narrow interval, the exact search must not.
    assert found <= set(scalings)
    assert all(0 < max(map(abs, points)) <= most for points in scalings)
    assert len(set(scalings)) == len(scalings)


@for_all(weights, st.floats(-3, 3))
def test_deviation_is_the_worst_of_all_combinations(votes, offset):
    for points, line, deviation in nearest(votes, offset, 5):
        exact = offset + combinations(votes)
        worst = np.abs(exact - line(combinations(points))).max()
        assert deviation == pytest.approx(worst, abs=1e-9)
        assert line.deviation(votes, offset, points) == pytest.approx(worst, abs=1e-9)


@for_all(weights, st.floats(-3, 3), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_no_line_is_nearer(votes, offset, more_slope, more_offset):
    for points, best, deviation in nearest(votes, offset, 4):
        other = LogOddsLine(best.slope + more_slope, best.offset + more_offset)
        assert deviation <= other.deviation(votes, offset, points) + 1e-9


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


@pytest.mark.parametrize("offset", [-1.0, 60.0, -800.0])
def test_line_is_the_logistic_regression_on_the_total(offset):
    ensemble = model(1.1, -0.7, 0.5)
    X, y = rows_of(ensemble, 5000)
    totals = (X @ np.array([2, -1, 1])).astype(int)
    outcomes = Outcomes.of(ensemble, y, np.ones(len(y)))
    line = refit_line(totals, outcomes, LogOddsLine(0.5, offset))
    plain = LogisticRegression(C=1e8, tol=1e-10).fit(totals[:, None], y)
    assert line.slope == pytest.approx(plain.coef_[0, 0], rel=0.01)
    assert line.offset == pytest.approx(plain.intercept_[0], rel=0.01)


@for_all(st.lists(st.booleans(), min_size=2, max_size=30).filter(lambda y: len({*y}) == 2), weights)
def test_no_other_line_fits_better(y, votes):
    totals = np.arange(len(y)) % 5 - 1
    outcomes = Outcomes(np.array(y, dtype=float), np.arange(1.0, len(y) + 1), Logistic())
    start = LogOddsLine(max(votes, key=abs), votes[0])

    def objective(line):
        prior = (line.slope / start.slope - 1) ** 2 / 2
        return outcomes.risk(line(totals)) * outcomes.weight.sum() + prior

    best = refit_line(totals, outcomes, start)
    for slope, offset in product([-1e-3, 0, 1e-3], repeat=2):
        other = LogOddsLine(best.slope * (1 + slope), best.offset + offset)
        assert objective(best) <= objective(other) + 1e-9


def test_rows_alike_have_the_risk_of_one_with_their_share():
    random = np.random.default_rng(3)
    place, y = random.integers(0, 4, 50), random.integers(0, 2, 50).astype(float)
    rows = Outcomes(y, random.random(50), Logistic())
    values = random.normal(size=4)
    assert group_outcomes(place, rows).risk(values) == pytest.approx(rows.risk(values[place]))


def test_line_stays_finite_where_points_separate_the_classes():
    ensemble = model(2.0)
    X = np.array([[0.0], [1.0]] * 20)
    card = scorecard(ensemble, X, np.where(X[:, 0] > 0, "yes", "no"))
    assert 2 < card.line.slope < 50
    assert card.card.risk < card.exact.risk


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


def test_a_weight_is_so_many_copies_of_a_row():
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
    with pytest.raises(ValueError, match="max_points must be at least 1"):
        scorecard(ensemble, max_points=0)
    with pytest.raises(ValueError, match="both classes"):
        scorecard(ensemble, X, ["yes"] * 10)
    with pytest.raises(ValueError, match="at least one rule whose vote is not 0"):
        scorecard(model(0.0))
    with pytest.raises(ValueError, match="found one for the squared loss"):
        scorecard(RuleEnsemble(0.0, ensemble.rules, ("x0",), "squared"))


@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
def test_card_of_a_trained_model_is_nearly_as_good(name):
    data = load(name)
    fitted = LLTBoostClassifier().fit(data.X, data.y)
    ensemble = simplify(fitted.ensemble_, data.X, data.y).ensemble
    card = scorecard(ensemble, data.X, data.y, max_points=5)
    assert card.card.brier < card.exact.brier + 0.01
    assert card.card.risk < card.exact.risk + 0.02
