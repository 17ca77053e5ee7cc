"""Simplification: no row changes side, digits never grow, and the certificate says the truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_strategies import parts, satisfied
from simplify.models import one_rule
from simplify.tables import anything, for_all, trained_looking

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.lab.datasets import load
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.simplify import ensemble_digits, simplify


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


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), vote_loss=st.sampled_from([0.0, 1e-3, 0.5]))
def test_scores_that_rise_along_a_column_still_do(seed, vote_loss):
    """Weights keep their signs, and votes theirs, even where the rows would allow others."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 2))
    rules = []
    for columns in (("a",), ("a", "b"), ("a", "b")):
        sign = random.choice([-1.0, 1.0])
        # The weight of "b" may have any sign, and may make that of "a" tiny.
        weights = (sign * random.lognormal(-2, 2), random.normal())[: len(columns)]
        condition = Condition((Proposition(columns, weights, 0.3 * random.normal()),))
        rules.append(Rule(condition, sign * random.lognormal(-3, 3)))
    ensemble = RuleEnsemble(0.1, rules, ("a", "b"), "logistic", ("no", "yes"))
    y = random.choice(["no", "yes"], len(X))
    simplified = simplify(ensemble, X, y, vote_loss=vote_loss).ensemble
    grid = np.unique(np.append(random.normal(size=100) * 3, X[:, 0]))
    for b in X[:8, 1]:
        scores = simplified(np.column_stack([grid, np.full(len(grid), b)]))
        assert (np.diff(scores) >= 0).all()


@for_all(trained_looking() | anything())
def test_digits_never_grow(case):
    ensemble, X = case
    certificate = simplify(ensemble, X).certificate
    for change in (*certificate.propositions, *certificate.votes):
        assert change.digits_after <= change.digits_before
        assert change.digits_after < change.digits_before or change.after == change.before


@for_all(trained_looking() | anything())
def test_simplifying_again_changes_nothing(case):
    ensemble, X = case
    once = simplify(ensemble, X, vote_loss=0).ensemble
    assert simplify(once, X, vote_loss=0).ensemble == once


@for_all(trained_looking() | anything())
def test_only_numbers_change(case):
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


def test_scores_may_be_as_far_apart_as_scores_can_be():
    ensemble = RuleEnsemble((4.5e299, -4.5e299), (), ("a",), "softmax", ("no", "yes"))
    assert simplify(ensemble, np.zeros((1, 1))).ensemble.offset == (4.5e299, -4.5e299)


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
    assert "for none of the 2 rows" in html


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
    with pytest.raises(ValueError, match=r"y is -1\.0 in row 0: expected 0 or more"):
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
    kind = LLTBoostClassifier if data.task == "classification" else LLTBoostRegressor
    ensemble = kind(max_rules=10, selection=None).fit(data.X, data.y).ensemble_
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
