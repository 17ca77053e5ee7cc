"""Simplification: no row changes side, digits never grow, and the certificate says the truth."""

import json

import numpy as np
import pytest
from hypothesis import strategies as st
from readable.tables import NAMES, anything, for_all, trained_looking
from rule_strategies import satisfies

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.lab.datasets import load
from sorb.readable import condition_digits, simplify
from sorb.readable.conditions import shorter_proposition
from sorb.readable.sides import Sides
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


def sides(ensemble, X):
    """Decide all propositions row by row in plain Python floats."""
    rows = [dict(zip(ensemble.columns, row, strict=True)) for row in X.tolist()]
    return [
        [satisfies(Condition((p,)), row) for row in rows]
        for rule in ensemble
        for p in rule.condition.propositions
    ]


def one_rule(*propositions, loss="squared", columns=("a",)):
    return RuleEnsemble(0.0, (Rule(Condition(propositions), 1.0),), columns, loss)


@for_all(trained_looking() | anything())
def test_no_row_changes_side(case):
    ensemble, X = case
    simplified = simplify(ensemble, X)
    assert sides(simplified.ensemble, X) == sides(ensemble, X)
    assert np.array_equal(simplified.ensemble.members(X), ensemble.members(X))
    assert simplified.certificate.changed_rows == ()


@for_all(trained_looking() | anything())
def test_digits_never_grow(case):
    ensemble, X = case
    certificate = simplify(ensemble, X).certificate
    for change in (*certificate.propositions, *certificate.votes):
        assert change.digits_after <= change.digits_before
        assert change.digits_after < change.digits_before or change.after == change.before


@for_all(trained_looking() | anything())
def test_twice_is_once(case):
    ensemble, X = case
    once = simplify(ensemble, X, weight_loss=0).ensemble
    assert simplify(once, X, weight_loss=0).ensemble == once


@for_all(trained_looking() | anything())
def test_all_but_the_numbers_stays(case):
    ensemble, X = case
    shorter = simplify(ensemble, X).ensemble
    assert shorter.complexity == ensemble.complexity
    assert (shorter.loss, shorter.classes) == (ensemble.loss, ensemble.classes)
    for before, after in zip(ensemble, shorter, strict=True):
        assert after.condition.columns == before.condition.columns
        assert after.output == before.output
        for p, q in zip(before.condition.propositions, after.condition.propositions, strict=True):
            assert [w > 0 for w in p.weights] == [w > 0 for w in q.weights]


@for_all(trained_looking() | anything())
def test_certificate_is_json_and_prints(case):
    ensemble, X = case
    certificate = simplify(ensemble, X).certificate
    read = json.loads(json.dumps(certificate.to_dict(), allow_nan=False))
    assert read["n_rows"] == len(X)
    assert len(read["votes"]) == len(ensemble) + np.size(ensemble.offset)
    for change in certificate.propositions:
        assert change.after.format(None) in str(certificate)


@for_all(trained_looking(changes_scale=False), st.integers(0, 4))
def test_certificate_names_exactly_the_rows_that_changed(case, allowed):
    ensemble, X = case
    simplified = simplify(ensemble, X, changed_rows=allowed)
    before, after = np.array(sides(ensemble, X)), np.array(sides(simplified.ensemble, X))
    for old, new, change in zip(before, after, simplified.certificate.propositions, strict=True):
        assert change.changed_rows == tuple(np.flatnonzero(old != new))
        assert len(change.changed_rows) <= allowed


@for_all(trained_looking(changes_scale=False))
def test_rows_change_side_only_if_that_saves_digits(case):
    ensemble, X = case
    strict = simplify(ensemble, X).certificate.propositions
    tolerant = simplify(ensemble, X, changed_rows=2).certificate.propositions
    for exact, change in zip(strict, tolerant, strict=True):
        assert change.digits_after < exact.digits_after or not change.changed_rows


@for_all(trained_looking(changes_scale=False))
def test_margin_is_the_distance_of_the_nearest_row(case):
    ensemble, X = case
    rows = [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]
    for change in simplify(ensemble, X).certificate.propositions:
        p = change.after
        distances = [
            abs(sum(w * row[c] for c, w in zip(p.columns, p.weights, strict=True)) - p.threshold)
            for row in rows
        ]
        assert change.margin == pytest.approx(min(distances), rel=1e-9, abs=1e-9)
        if max(distances) > 1e-6:
            share = min(distances) / max(distances)
            assert change.relative_margin == pytest.approx(share, abs=1e-3)


@for_all(trained_looking(changes_scale=False), st.sampled_from([1e-4, 0.01, 0.2]))
def test_rounded_weights_stay_within_the_tolerance(case, tolerance):
    ensemble, X = case
    simplified = simplify(ensemble, X, weight_loss=tolerance)
    before, after = ensemble(X), simplified.ensemble(X)
    assert np.abs(after - before).max() <= tolerance * np.ptp(before) * (1 + 1e-12)
    assert simplified.certificate.largest_change == np.abs(after - before).max()


@for_all(trained_looking(changes_scale=False), st.integers(0, 99))
def test_risk_stays_within_the_tolerance(case, seed):
    ensemble, X = case
    if ensemble.loss == "poisson":  # so that no risk is infinite
        ensemble = ensemble.with_weights(0.1234567, [0.7654321] * len(ensemble))
    draw = np.random.default_rng(seed).integers(0, 2, len(X))
    y = np.array(["p", "q"])[draw] if ensemble.loss == "softmax" else draw
    certificate = simplify(ensemble, X, y, weight_loss=0.01).certificate
    assert certificate.risk_after <= certificate.risk_before * 1.01


def test_threshold_moves_to_the_roundest_number_of_the_gap():
    ensemble = one_rule(Proposition(("a",), (2.0,), 81.9876))
    X = np.array([[20.0], [39.87], [42.1], [50.0]])
    simplified = simplify(ensemble, X)
    assert simplified.ensemble[0].condition == Condition((Proposition(("a",), (1.0,), 40.0),))
    (change,) = simplified.certificate.propositions
    assert change.margin == pytest.approx(0.13)
    assert change.relative_margin == pytest.approx(0.13 / 20)
    assert (change.digits_before, change.digits_after) == (7, 1)


def test_row_on_the_border_stays_inside():
    ensemble = one_rule(Proposition(("a",), (1.0,), 0.1 + 0.2))
    X = np.array([[0.1 + 0.2], [0.3]])  # neighbouring floats
    assert simplify(ensemble, X).ensemble == ensemble
    below = simplify(ensemble, np.array([[0.1 + 0.2], [0.2]])).ensemble
    assert below[0].condition.propositions[0].threshold == 0.3


def test_threshold_without_rows_on_one_side_moves_towards_the_rows_only():
    X = np.array([[10.0], [20.0]])
    above = simplify(one_rule(Proposition(("a",), (1.0,), 31.4159)), X)
    assert 20 < above.ensemble[0].condition.propositions[0].threshold <= 31.4159
    below = simplify(one_rule(Proposition(("a",), (1.0,), 3.14159)), X)
    assert 3.14159 <= below.ensemble[0].condition.propositions[0].threshold <= 10


def test_integers_are_left_alone():
    ensemble = one_rule(Proposition(("a", "b"), (2.0, -3.0), 5.0), columns=("a", "b"))
    X = np.array([[4.0, 1.0], [3.9, 1.0], [1.0, -1.0], [0.9, -1.0], [-2.0, -3.0], [-2.1, -3.0]])
    assert simplify(ensemble, X).ensemble == ensemble


def test_allowing_a_row_to_change_saves_digits():
    X = np.array([[10.0], [41.2345], [41.2347], [60.0]])
    ensemble = one_rule(Proposition(("a",), (1.0,), 41.2346))
    assert condition_digits(simplify(ensemble, X).ensemble) == 6
    certificate = simplify(ensemble, X, changed_rows=1).certificate
    assert certificate.propositions[0].digits_after == 1
    assert len(certificate.changed_rows) == 1


@for_all(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.data())
def test_gaps_with_and_without_tolerance_agree(sums, data):
    column = {"a": np.array(sums, dtype=float)}
    threshold = data.draw(st.sampled_from(sums)) - 0.3
    p = Proposition(("a",), (1.0,), threshold)
    exact = Sides.of(p, column.__getitem__)
    assert exact._limits(column["a"]) == exact._tolerant_limits(column["a"])


@for_all(st.lists(st.integers(-6, 6), min_size=1, max_size=9), st.integers(0, 3), st.data())
def test_all_thresholds_of_a_tolerant_gap_change_few_rows(values, allowed, data):
    a = np.array(values, dtype=float)
    b = np.array(data.draw(st.lists(st.integers(-6, 6), min_size=len(a), max_size=len(a))), float)
    table = {"a": a, "b": b}
    rows = Sides.of(Proposition(("a", "b"), (1.0, 0.5), 0.25), table.__getitem__, allowed)
    weights = (1.0, 0.4)
    gap = rows.gap(weights, 0.25)
    errors = {
        t: len(rows.changed(Proposition(("a", "b"), weights, t))) for t in np.arange(-12, 12, 0.1)
    }
    if gap is None:
        assert min(errors.values()) > allowed
    else:
        inside = [count for t, count in errors.items() if gap.lower < t <= gap.upper]
        assert all(count <= allowed for count in inside)


def test_shorter_form_that_would_contradict_another_is_refused():
    # No row satisfies both, and each alone would round past the other.
    low = Proposition(("a",), (1.0,), 4.912345)
    high = Proposition(("a",), (-1.0,), -4.93217)
    X = np.array([[1.0], [4.8], [5.4], [9.0]])
    assert shorter_proposition(low, Sides.of(low, {"a": X[:, 0]}.__getitem__)).threshold == 5
    shorter = simplify(one_rule(low, high), X).ensemble
    # The first can follow once the second has made room.
    assert [p.threshold for p in shorter[0].condition.propositions] == [5, -5]
    assert not shorter.members(X).any()


def test_shorter_form_that_would_make_another_redundant_is_refused():
    # Both round to the same proposition, and one would silently vanish.
    first = Proposition(("a", "b"), (1.0, 0.50001), 3.00001)
    second = Proposition(("a", "b"), (1.0, 0.49999), 3.00002)
    X = np.array([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]])
    shorter = simplify(one_rule(first, second, columns=("a", "b")), X).ensemble
    assert len(shorter[0].condition.propositions) == 2


def test_rows_without_weight_are_no_rows():
    ensemble = one_rule(Proposition(("a",), (1.0,), 41.2346))
    X = np.array([[10.0], [41.2345], [41.2347], [60.0]])
    y, weight = np.array([0.0, 1.0, 3.0, 4.0]), np.array([1, 0, 0, 2])
    given_weights = simplify(ensemble, X, y, weight)
    without = simplify(ensemble, X[[0, 3, 3]], y[[0, 3, 3]])
    assert given_weights.ensemble == without.ensemble
    assert given_weights.certificate.risk_after == pytest.approx(without.certificate.risk_after)
    changed = simplify(ensemble, X, sample_weight=[0, 1, 1, 1], changed_rows=1).certificate
    assert set(changed.changed_rows) <= {1, 2, 3}


def test_missing_values_stay_outside():
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.34567))
    X = np.array([[np.nan], [1.0], [np.inf], [4.0], [-np.inf]])
    shorter = simplify(ensemble, X).ensemble
    assert shorter.members(X)[:, 0].tolist() == [False, False, True, True, False]
    assert shorter[0].condition.propositions[0].threshold == 2


def test_without_a_finite_sum_there_is_no_margin():
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.34567))
    certificate = simplify(ensemble, np.array([[np.nan], [np.inf]])).certificate
    assert certificate.propositions[0].margin is None
    assert certificate.propositions[0].after == ensemble[0].condition.propositions[0]
    assert "none" in str(certificate)


def test_weights_stay_if_no_loss_is_allowed():
    rule = Rule(Condition((Proposition(("a",), (1.0,), 2.5),)), 1.23456)
    ensemble = RuleEnsemble(0.98765, (rule,), ("a",), "squared")
    shorter = simplify(ensemble, np.array([[2.0], [3.0]]), weight_loss=0).ensemble
    assert (shorter.offset, shorter[0].weight) == (0.98765, 1.23456)


def test_class_changes_are_counted():
    rule = Rule(Condition((Proposition(("a",), (1.0,), 2.5),)), 1.04)
    ensemble = RuleEnsemble(-1.03, (rule,), ("a",), "logistic", ("no", "yes"))
    X = np.array([[2.0], [3.0], [3.0]])
    certificate = simplify(ensemble, X, weight_loss=0.1).certificate
    assert certificate.changed_classes == 2  # −1 + 1 is not above 0
    assert "another class: 2" in str(certificate)
    plain = simplify(ensemble, X, ["no", "yes", "yes"], weight_loss=1e-6).certificate
    assert plain.changed_classes == 0
    assert "The risk was" in str(plain)


def test_many_changed_rows_are_not_all_printed():
    X = np.arange(40.0)[:, None] + 0.123
    ensemble = one_rule(Proposition(("a",), (1.0,), 17.6))
    certificate = simplify(ensemble, X, changed_rows=30).certificate
    assert len(certificate.changed_rows) <= 30
    ensemble = one_rule(Proposition(("a",), (1.0,), 33.6))
    certificate = simplify(ensemble, X, changed_rows=30).certificate
    assert len(certificate.changed_rows) > 5
    assert " more" in str(certificate)
    assert f"{len(certificate.changed_rows)} of the 40 rows change side" in str(certificate)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"y": [1.0]}, "one outcome for each of the 2 rows"),
        ({"y": [1.0, np.nan]}, "finite number, found nan in row 1"),
        ({"sample_weight": [1.0]}, "one number for each of the 2 rows"),
        ({"sample_weight": [1.0, -1.0]}, "found -1.0 in row 1"),
        ({"sample_weight": [0.0, 0.0]}, "at least one row"),
        ({"changed_rows": -1}, "changed_rows must not be negative"),
        ({"weight_loss": -0.1}, "weight_loss must not be negative"),
    ],
)
def test_wrong_input_is_named(keywords, message):
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.5))
    with pytest.raises(ValueError, match=message):
        simplify(ensemble, np.array([[1.0], [3.0]]), **keywords)


def test_wrong_outcomes_are_named():
    X = np.array([[1.0], [3.0]])
    counts = one_rule(Proposition(("a",), (1.0,), 2.5), loss="poisson")
    with pytest.raises(ValueError, match="a count, 0 or more, found -1 in row 0"):
        simplify(counts, X, [-1, 2])
    classes = RuleEnsemble(0.0, (), ("a",), "logistic", ("no", "yes"))
    with pytest.raises(ValueError, match="'no', 'yes'; found 'maybe' in row 1"):
        simplify(classes, X, ["no", "maybe"])
    one_class = RuleEnsemble(2.0, (), ("a",), "logistic", ("yes",))
    assert simplify(one_class, X, ["yes", "yes"]).certificate.risk_before < 0.2
    unnamed = RuleEnsemble(2.0, (), ("a",), "logistic")
    assert simplify(unnamed, X, [1, 1]).certificate.risk_before < 0.2


def test_a_frame_gives_what_its_array_gives():
    pandas = pytest.importorskip("pandas")
    ensemble = one_rule(Proposition(("b", "a"), (0.345, -1.2), 0.1), columns=("a", "b"))
    X = np.random.default_rng(0).normal(size=(50, 2))
    frame = pandas.DataFrame(X, columns=["a", "b"])[["b", "a"]]
    assert simplify(ensemble, frame) == simplify(ensemble, X)


@pytest.mark.parametrize("name", ["iris", "diabetes", "breast_cancer", "friedman1"])
def test_trained_models_lose_at_least_half_of_their_digits(name):
    data = load(name)
    estimator = LLTBoostClassifier() if data.task == "classification" else LLTBoostRegressor()
    ensemble = estimator.fit(data.X, data.y).ensemble_
    simplified = simplify(ensemble, data.X, data.y)
    assert np.array_equal(simplified.ensemble.members(data.X), ensemble.members(data.X))
    exact, short = condition_digits(ensemble), condition_digits(simplified.ensemble)
    assert short <= exact / 2
    certificate = simplified.certificate
    assert certificate.risk_after <= certificate.risk_before * 1.001
