import numpy as np
import pytest
from simplify.models import one_rule
from simplify.tables import for_all, source_of, trained_looking

from sorb.rules import Condition, Membership, Product, Proposition
from sorb.simplify import simplify
from sorb.simplify.row_sides import RowSides
from sorb.simplify.shorten_conditions import shorten_proposition


@for_all(trained_looking(changes_scale=False))
def test_rows_change_side_only_if_that_saves_digits(case):
    ensemble, X = case
    strict = simplify(ensemble, X).certificate.propositions
    tolerant = simplify(ensemble, X, changed_rows=2).certificate.propositions
    for exact, change in zip(strict, tolerant, strict=True):
        assert change.digits_after < exact.digits_after or not change.changed_rows


def test_threshold_moves_to_the_roundest_number_of_the_gap():
    ensemble = one_rule(Proposition(("a",), (2.0,), 81.9876))
    X = np.array([[20.0], [39.87], [42.1], [50.0]])
    simplified = simplify(ensemble, X)
    assert simplified.ensemble[0].condition == Condition((Proposition(("a",), (1.0,), 40.0),))
    (change,) = simplified.certificate.propositions
    assert change.margin == pytest.approx(0.13)
    assert change.relative_margin == pytest.approx(0.13 / 20)
    assert (change.digits_before, change.digits_after) == (7, 1)


def test_row_on_the_border_stays_covered():
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


def test_weights_may_be_rounded_up_to_one():
    exact = Proposition(("a", "b"), (1.0, 0.97), 1.5)
    sides = RowSides.of(exact, source_of(a=np.array([0.0, 1.0, 1.0]), b=np.array([1.0, 0.0, 1.0])))
    assert shorten_proposition(exact, sides).weights == (1.0, 1.0)


def test_few_digits_of_the_first_weights_are_preferred():
    exact = Proposition(("a", "b", "c"), (-1.265, 0.937, 0.484), -0.01)
    table = {
        "a": np.array([-5.5, -5.2, -3.8, 1.4, 2.2]),
        "b": np.array([1.4, 4.8, -0.8, -1.3, 0.8]),
        "c": np.array([-1.5, 3.4, -2.1, -1.0, -1.8]),
    }
    shorter = shorten_proposition(exact, RowSides.of(exact, source_of(**table)))
    assert str(shorter) == "a − 0.7 b − 0.3 c ≤ 0"


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
    assert shorten_proposition(low, RowSides.of(low, source_of(a=X[:, 0]))).threshold == 5
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


def test_missing_values_stay_uncovered():
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.34567))
    X = np.array([[np.nan], [1.0], [1e300], [4.0], [-1e300]])
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
        (Product(("a", "b"), (0.73, -0.73), 18.4), "a / b ≥ 53"),
        (Product(("b",), (0.73,), 1.5, at_most=True), "b¹ ≤ 1.7"),
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
