"""Simplification: no row changes side, digits never grow, and the certificate says the truth."""

import json

import numpy as np
import pytest
from hypothesis import strategies as st
from rule_strategies import parts, product_value, satisfied, weighted_sum
from simplify.tables import NAMES, anything, for_all, opened, trained_looking

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.lab.datasets import load
from sorb.losses import Readout
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.simplify import ensemble_digits, simplify
from sorb.simplify.row_sides import RowSides
from sorb.simplify.shorten_conditions import shorten_proposition


def sides(ensemble, X):
    """Decide all propositions row by row in plain Python floats."""
    rows = [dict(zip(ensemble.columns, row, strict=True)) for row in X.tolist()]
    return [[satisfied(p, row) for row in rows] for p in parts(ensemble)]


def is_broken(proposition):
    """Whether it has a power whose last digits are for each computer to say."""
    return isinstance(proposition, Product) and not all(
        power.is_integer() for power in proposition.powers
    )


def numbers_of(proposition):
    if isinstance(proposition, Membership):
        return ()
    return proposition.powers if isinstance(proposition, Product) else proposition.weights


def one_rule(*propositions, loss="squared", columns=("a",)):
    return RuleEnsemble(0.0, (Rule(Condition(propositions), 1.0),), columns, loss)


@for_all(trained_looking() | anything())
def test_no_row_changes_side(case):
    ensemble, X = case
    simplified = simplify(ensemble, X)
    pairs = zip(parts(ensemble), parts(simplified.ensemble), strict=True)
    for before, after in pairs:
        names = ensemble.columns
        assert before(X, names).tolist() == after(X, names).tolist()
    if not any(map(is_broken, [*parts(ensemble), *parts(simplified.ensemble)])):
        assert sides(simplified.ensemble, X) == sides(ensemble, X)
    assert np.array_equal(simplified.ensemble.covers(X), ensemble.covers(X))
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
    once = simplify(ensemble, X, vote_loss=0).ensemble
    assert simplify(once, X, vote_loss=0).ensemble == once


@for_all(trained_looking() | anything())
def test_all_but_the_numbers_stays(case):
    ensemble, X = case
    shorter = simplify(ensemble, X).ensemble
    assert shorter.complexity == ensemble.complexity
    assert (shorter.loss, shorter.classes) == (ensemble.loss, ensemble.classes)
    assert (shorter.columns, shorter.units) == (ensemble.columns, ensemble.units)
    for before, after in zip(ensemble, shorter, strict=True):
        assert after.condition.columns == before.condition.columns
        assert after.output == before.output
        for p, q in zip(before.condition.propositions, after.condition.propositions, strict=True):
            assert (type(p), p.columns, p.missing) == (type(q), q.columns, q.missing)
            assert [w > 0 for w in numbers_of(p)] == [w > 0 for w in numbers_of(q)]
            if isinstance(p, Membership):
                assert p == q
            elif isinstance(p, Product):
                assert p.at_most == q.at_most
                assert p.powers == q.powers or is_broken(p)


def test_scores_may_be_as_far_apart_as_floats_can_be():
    ensemble = RuleEnsemble((1.75e308, -1.75e308), (), ("a",), "softmax", ("no", "yes"))
    assert simplify(ensemble, np.zeros((1, 1))).ensemble.offset == (1.75e308, -1.75e308)


@for_all(trained_looking() | anything())
def test_certificate_is_json_and_prints(case):
    ensemble, X = case
    certificate = simplify(ensemble, X).certificate
    read = json.loads(json.dumps(certificate.to_dict(), allow_nan=False))
    assert read["n_rows"] == len(X)
    assert len(read["votes"]) == len(ensemble) + np.size(ensemble.offset)
    units = dict(ensemble.units)
    for change, entry in zip(certificate.propositions, read["propositions"], strict=True):
        assert change.after.format(None, units) in str(certificate)
        assert entry["before"] == change.before.format(None, units)


@for_all(trained_looking(changes_scale=False), st.integers(0, 4))
def test_certificate_names_exactly_the_rows_that_changed(case, allowed):
    ensemble, X = case
    simplified = simplify(ensemble, X, changed_rows=allowed)
    before, after = parts(ensemble), parts(simplified.ensemble)
    for old, new, change in zip(before, after, simplified.certificate.propositions, strict=True):
        differ = old(X, ensemble.columns) != new(X, ensemble.columns)
        assert change.changed_rows == tuple(np.flatnonzero(differ))
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
        if isinstance(p, Membership):
            assert (change.margin, change.relative_margin) == (None, None)
            continue
        value = product_value if isinstance(p, Product) else weighted_sum
        distances = [abs(value(p, row) - p.threshold) for row in rows]
        distances = [distance for distance in distances if np.isfinite(distance)]
        if not distances:
            assert change.margin is None
            continue
        assert change.margin == pytest.approx(min(distances), rel=1e-9, abs=1e-9)
        if max(distances) > 1e-6:
            share = min(distances) / max(distances)
            assert change.relative_margin == pytest.approx(share, abs=1e-3)


@for_all(trained_looking(changes_scale=False), st.sampled_from([1e-4, 0.01, 0.2]))
def test_rounded_weights_stay_within_the_tolerance(case, tolerance):
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
def test_only_so_many_rows_may_be_assigned_another_class(allowed, offset, changed):
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
    assert simplify(ensemble, X).certificate.propositions[0].digits_after == 6
    certificate = simplify(ensemble, X, changed_rows=1).certificate
    assert certificate.propositions[0].digits_after == 1
    assert len(certificate.changed_rows) == 1


def test_shorter_form_that_would_contradict_another_is_refused():
    # No row satisfies both, and each alone would round past the other.
    low = Proposition(("a",), (1.0,), 4.912345)
    high = Proposition(("a",), (-1.0,), -4.93217)
    X = np.array([[1.0], [4.8], [5.4], [9.0]])
    assert shorten_proposition(low, RowSides.of(low, opened(a=X[:, 0]))).threshold == 5
    shorter = simplify(one_rule(low, high), X).ensemble
    # The first can follow once the second has made room.
    assert [p.threshold for p in shorter[0].condition.propositions] == [5, -5]
    assert not shorter.covers(X).any()


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
    assert shorter.covers(X)[:, 0].tolist() == [False, False, True, True, False]
    assert shorter[0].condition.propositions[0].threshold == 2


@pytest.mark.parametrize("missing", [False, True])
def test_missing_values_stay_where_they_go(missing):
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.34567, missing))
    X = np.array([[np.nan], [1.0], [4.0]])
    shorter = simplify(ensemble, X).ensemble
    assert str(shorter[0].condition) == ("a ≥ 2 or a missing" if missing else "a ≥ 2")


@pytest.mark.parametrize(
    ("product", "expected"),
    [
        (Product(("a", "b"), (1, -2), 25.31479), "a / b² ≥ 26"),
        (Product(("a", "b"), (1, -2), 25.31479, missing=True), "a / b² ≥ 26 or a or b missing"),
        (Product(("a", "b"), (1, -2), 25.31479, at_most=True), "a / b² ≤ 26"),
        (Product(("a", "b"), (0.50012, -1.00071), 5.0334), "a / b² ≥ 26"),
        (Product(("b",), (0.73,), 1.5, at_most=True), "b ≤ 1.7"),
        (Product(("a", "b"), (-1, 2), 1 / 25.31479, at_most=True), "b² / a ≤ 0.04"),
    ],
)
def test_products_move_to_the_roundest_number_of_the_gap(product, expected):
    X = np.array([[60.0, 1.55], [80.0, 1.8], [85.0, 1.8], [90.0, 1.7], [70.0, 1.95], [np.nan, 1.7]])
    ensemble = one_rule(product, columns=("a", "b"))
    shorter = simplify(ensemble, X).ensemble
    assert shorter[0].condition.format(None) == expected
    assert np.array_equal(shorter.covers(X), ensemble.covers(X))


def test_categories_have_nothing_to_shorten():
    membership = Membership("a", ("A", 12345.678), missing=True)
    ensemble = one_rule(membership)
    X = np.array([["A"], ["B"], [None]], dtype=object)
    certificate = simplify(ensemble, X).certificate
    (change,) = certificate.propositions
    assert (change.before, change.after) == (membership, membership)
    assert (change.digits_before, change.margin, change.changed_rows) == (0, None, ())
    assert "a in {A, 12345.678} or a missing" in str(certificate)


def test_units_are_printed():
    rules = (Rule(Condition((Product(("a", "b"), (1, -2), 25.31479),)), 1.0),)
    ensemble = RuleEnsemble(0.0, rules, ("a", "b"), "logistic", units={"a": "kg", "b": "m"})
    X = np.array([[60.0, 1.55], [85.0, 1.8]])
    certificate = simplify(ensemble, X).certificate
    assert "a / b² ≥ 26 kg/m²" in str(certificate)
    assert certificate.to_dict()["propositions"][0]["before"] == "a / b² ≥ 25.31479 kg/m²"


def test_weights_of_rows_go_with_categories():
    ensemble = one_rule(Membership("a", ("A",)), columns=("a",))
    X = np.array([["B"], ["A"], ["A"]], dtype=object)
    simplified = simplify(ensemble, X, [9.0, 1.0, 1.0], [0, 1, 1])
    assert simplified.certificate.risk_before == 0


def test_without_a_finite_sum_there_is_no_margin():
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.34567))
    certificate = simplify(ensemble, np.array([[np.nan], [np.inf]])).certificate
    assert certificate.propositions[0].margin is None
    assert certificate.propositions[0].after == ensemble[0].condition.propositions[0]
    assert "none" in str(certificate)


def test_weights_stay_if_no_loss_is_allowed():
    rule = Rule(Condition((Proposition(("a",), (1.0,), 2.5),)), 1.23456)
    ensemble = RuleEnsemble(0.98765, (rule,), ("a",), "squared")
    shorter = simplify(ensemble, np.array([[2.0], [3.0]]), vote_loss=0).ensemble
    assert (shorter.offset, shorter[0].vote) == (0.98765, 1.23456)


def test_simplified_prints_the_whole_model_and_what_changed():
    exact = Proposition(("a", "<b>"), (1.0, 0.123456789), 41.2346789)
    ensemble = RuleEnsemble(-1.23456, (Rule(Condition((exact,)), 2.0),), ("a", "<b>"), "squared")
    simplified = simplify(ensemble, np.array([[41.234, 0.0], [41.235, 0.0]]), vote_loss=0)
    assert str(simplified).startswith(simplified.ensemble.format(None) + "\n\n")
    assert str(simplified).endswith(simplified.certificate.summary)
    assert "41.235" in str(simplified.ensemble)
    assert repr(simplified) == "<Simplified model of 1 rules: 25 digits became 13>"


@pytest.mark.parametrize(
    ("threshold", "shown"), [(25.123456, "25.123456"), (25.1234567, "25.12"), (25.0, "25")]
)
def test_numbers_are_shown_whole_if_none_is_long(threshold, shown):
    product = Product(("a", "b", "c"), (1, -1, -2), threshold)
    ensemble = one_rule(product, columns=("a", "b", "c"))
    assert str(ensemble).splitlines()[1] == f"+1  if  a / (b · c²) ≥ {shown}"
    assert f"≥ {shown}<" in ensemble._repr_html_()


def test_simplified_has_a_form_for_notebooks():
    ensemble = one_rule(Proposition(("<b>",), (1.0,), 41.23461), columns=("<b>",))
    html = simplify(ensemble, np.array([[41.2346], [41.2347]]))._repr_html_()
    assert "&lt;b&gt;" in html
    assert "≥ 41.2347" in html
    assert "None of the 2 rows changes side" in html


@for_all(trained_looking() | anything())
def test_certificate_names_the_class_of_each_vote(case):
    ensemble, X = case
    certificate = simplify(ensemble, X).certificate
    named = ensemble.classes if ensemble.loss.score_per_class else None
    offsets = named or [None]
    rules = [named and named[rule.output] for rule in ensemble]
    assert [vote.label for vote in certificate.votes] == [*offsets, *rules]
    assert [vote["class"] for vote in certificate.to_dict()["votes"]] == [*offsets, *rules]


def test_classes_are_printed_with_their_votes():
    rules = (Rule(Condition((Proposition(("a",), (1.0,), 2.0),)), 1.0, 2),)
    ensemble = RuleEnsemble((0.5, 0.0, -1.0), rules, ("a",), "softmax", ("well", "ill", "may be"))
    simplified = simplify(ensemble, np.array([[1.0], [3.0]]))
    assert str(simplified.certificate).splitlines()[-5:] == [
        "vote    class     before  after  digits",
        "offset  well         0.5    0.5  1 → 1",
        "offset  ill            0      0  1 → 1",
        'offset  "may be"      −1     −1  1 → 1',
        'rule 1  "may be"       1      1  1 → 1',
    ]


def test_class_changes_are_counted():
    rule = Rule(Condition((Proposition(("a",), (1.0,), 2.5),)), 1.04)
    ensemble = RuleEnsemble(-1.03, (rule,), ("a",), "logistic", ("no", "yes"))
    X = np.array([[2.0], [3.0], [3.0]])
    certificate = simplify(ensemble, X, changed_rows=2, vote_loss=0.1).certificate
    assert certificate.changed_classes == 2  # −1 + 1 is not above 0
    assert "another class: 2" in str(certificate)
    plain = simplify(ensemble, X, ["no", "yes", "yes"], vote_loss=1e-6).certificate
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
        ({"y": [1.0, np.nan]}, "y is missing in row 1"),
        ({"sample_weight": [1.0]}, "one number for each of the 2 rows"),
        ({"sample_weight": [1.0, -1.0]}, "found -1.0 in row 1"),
        ({"sample_weight": [0.0, 0.0]}, "at least one row"),
        ({"changed_rows": -1}, "changed_rows must not be negative"),
        ({"vote_loss": -0.1}, "vote_loss must not be negative"),
    ],
)
def test_wrong_input_is_named(keywords, message):
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.5))
    with pytest.raises(ValueError, match=message):
        simplify(ensemble, np.array([[1.0], [3.0]]), **keywords)


def test_wrong_outcomes_are_named():
    X = np.array([[1.0], [3.0]])
    counts = one_rule(Proposition(("a",), (1.0,), 2.5), loss="poisson")
    with pytest.raises(ValueError, match=r"is 0 or more, found -1\.0 in row 0"):
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


@pytest.mark.parametrize(
    "name", ["iris", "diabetes", "breast_cancer", "friedman1", "friedman2", "friedman3"]
)
def test_trained_models_lose_at_least_half_of_their_digits(name):
    data = load(name)
    estimator = LLTBoostClassifier() if data.task == "classification" else LLTBoostRegressor()
    ensemble = estimator.fit(data.X, data.y).ensemble_
    simplified = simplify(ensemble, data.X, data.y)
    assert np.array_equal(simplified.ensemble.covers(data.X), ensemble.covers(data.X))
    assert str(simplified.ensemble) == simplified.ensemble.format(None)
    assert str(ensemble) == ensemble.format(3)
    exact, short = ensemble_digits(ensemble), ensemble_digits(simplified.ensemble)
    assert short <= exact / 2
    certificate = simplified.certificate
    assert (certificate.digits_before, certificate.digits_after) == (exact, short)
    conditions = [(p.digits_before, p.digits_after) for p in certificate.propositions]
    before, after = map(sum, zip(*conditions, strict=True))
    assert after <= before / 2
    assert certificate.risk_after <= certificate.risk_before * 1.001


def test_the_risk_of_a_model_of_rates_is_that_of_the_rates():
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.5), loss="poisson")
    X, y, years = np.array([[1.0], [3.0], [4.0]]), np.array([1.0, 0.0, 5.0]), [0.5, 2.0, 4.0]
    found = simplify(ensemble, X, y, exposure=years).certificate
    expected = simplify(ensemble, X, y / years, years).certificate
    assert found.risk_before == expected.risk_before


def test_an_exposure_needs_outcomes():
    ensemble = one_rule(Proposition(("a",), (1.0,), 0.5), loss="poisson")
    with pytest.raises(ValueError, match="exposure needs y"):
        simplify(ensemble, np.array([[0.0], [1.0]]), exposure=[1.0, 2.0])
