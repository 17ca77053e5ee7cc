"""Lines of cards: what is printed for the opposite is true exactly where the condition is not."""

from dataclasses import replace

import numpy as np
import pytest

from sorb.rules import Condition, Membership, Product, Proposition
from sorb.rules.columns import column_source
from sorb.rules.notation import join_tokens
from sorb.simplify.card_lines import CardLine, may_be_marked


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    ("proposition", "opposite"),
    [
        (lambda m: Proposition(("a",), (1.0,), 2.0, m), "a < 2 kg"),
        (lambda m: Proposition(("a",), (-1.0,), -2.0, m), "a > 2 kg"),
        (lambda m: Product(("a", "b"), (1, -2), 2.0, False, m), "a / b² < 2"),
        (lambda m: Product(("a", "b"), (1, -2), 2.0, True, m), "a / b² > 2"),
        (lambda m: Membership("a", (1, 2), False, m), "a not in {1, 2}"),
        (lambda m: Membership("a", (1,), True, m), "a = 1"),
    ],
)
def test_opposites_keep_the_side_of_missing_values_right(proposition, opposite, missing):
    p = proposition(missing)
    line = CardLine(Condition((p,)), 1, turned=True)
    ending = "" if missing else f" or {' or '.join(p.columns)} missing"
    assert join_tokens(line.tokens({"a": "kg"})) == opposite + ending


def test_questions_about_missing_values_are_turned():
    for negated in (False, True):
        asked = Membership("a", (), negated, not negated)
        line = CardLine(Condition((asked,)), 1, turned=True)
        assert join_tokens(line.tokens()) == ("a missing" if negated else "a measured")


def test_of_a_conjunction_the_opposite_of_one_part_is_enough():
    young = Proposition(("age",), (-1.0,), -20.5), Proposition(("age",), (1.0,), 1.5)
    assert str(CardLine(Condition(young), 3)) == "3  if  1.5 ≤ age ≤ 20.5"
    turned = CardLine(Condition(young), 3, turned=True)
    assert str(turned) == "3  if  age > 20.5  or  age < 1.5  or  age missing"
    assert str(replace(turned, marked=True)) == "3  if  age > 20.5  or  age < 1.5 *"


def test_only_missing_values_that_earn_points_are_named():
    parts = (
        Proposition(("age",), (1.0,), 40.0, missing=True),
        Membership("group", ("A",)),
        Membership("bmi", (), negated=True),
    )
    line = CardLine(Condition(parts), 3, turned=True)
    assert str(line) == "3  if  age < 40  or  group ≠ A  or  bmi missing  or  group missing"
    kept = CardLine(Condition((parts[0], replace(parts[1], missing=True))), 3, turned=True)
    assert str(kept) == "3  if  age < 40  or  group ≠ A"


def test_points_are_for_rows_that_are_not_covered():
    covered = np.array([True, False])
    condition = Condition((Proposition(("a",), (1.0,), 2.0),))
    assert CardLine(condition, 1).earns(covered).tolist() == [True, False]
    assert CardLine(condition, 1, turned=True).earns(covered).tolist() == [False, True]


def test_a_mark_needs_rows_without_missing_values():
    a = Proposition(("a",), (1.0,), 2.0)
    group = Membership("g", ("x",))
    table = np.array([[1.0, "x"], [None, None]], dtype=object)
    source = column_source(table, ["a", "g"], ["a", "g"])
    known, both = np.array([True, False]), np.array([True, True])
    for proposition in (a, group):
        condition = Condition((proposition,))
        assert may_be_marked(condition, source, known)
        assert not may_be_marked(condition, source, both)
    assert may_be_marked(Condition((a, group)), source, known)
    assert not may_be_marked(Condition((a, group)), source, both)
    assert not may_be_marked(Condition((Membership("g", (), missing=True),)), source, known)
    assert str(CardLine(Condition((group,)), 1, turned=True, marked=True)) == "1  if  g ≠ x *"
