"""Propositions that follow from others are dropped, and contradictions are refused."""

import math
from dataclasses import replace
from time import process_time

import pytest
from hypothesis import strategies as st
from rule_strategies import (
    flags,
    for_all,
    memberships,
    products,
    propositions,
    satisfied,
    satisfies,
    short_numbers,
)

from sorb.rules import Condition, Membership, Product, Proposition


def at_least(column, threshold):
    return Proposition((column,), (1.0,), threshold)


def at_most(column, threshold):
    return Proposition((column,), (-1.0,), -threshold)


def or_missing(column, threshold):
    return Proposition((column,), (1.0,), threshold, missing=True)


def product(*powers, threshold=25.0, **flags):
    return Product(("a", "b"), powers, threshold, **flags)


def group(*categories, **flags):
    return Membership("group", categories, **flags)


MISSING, KNOWN = group(missing=True), group(negated=True)


# Sums of small whole numbers are exact, as are products of powers of two, and so many of these are
# parallel.
small_propositions = propositions(("a", "b"), st.integers(-2, 2).map(float), flags)
powers_of_two = st.sampled_from([0.5, 1.0, 2.0, 4.0])
small_products = products(("a", "b"), st.sampled_from([1.0, 2.0, -1.0]), powers_of_two)
small_memberships = memberships("a", (1.0, 2.0)) | memberships("b", (1.0,))
small_kinds = small_propositions | small_products | small_memberships


def kept_of(kept, given):
    """Whether it is the same proposition, or the same for known values."""
    return kept == given or (
        kept.columns == given.columns and given.missing and kept == replace(given, missing=False)
    )


class TestRedundancy:
    @for_all(
        st.lists(small_propositions, min_size=2, max_size=5),
        short_numbers | st.none(),
        short_numbers | st.none(),
        examples=80,
    )
    def test_dropping_sums_changes_no_row(self, several, a, b):
        self.check_dropping(several, {"a": a, "b": b})

    @for_all(
        st.lists(small_products, min_size=2, max_size=5),
        powers_of_two | st.none(),
        powers_of_two | st.sampled_from([0.0, None]),
        examples=80,
    )
    def test_dropping_products_changes_no_row(self, several, a, b):
        self.check_dropping(several, {"a": a, "b": b})

    @for_all(
        st.lists(small_memberships, min_size=2, max_size=5),
        st.sampled_from([1.0, 2.0, 3.0, None]),
        st.sampled_from([1, True, None]),
        examples=80,
    )
    def test_dropping_memberships_changes_no_row(self, several, a, b):
        self.check_dropping(several, {"a": a, "b": b})

    @for_all(
        st.lists(small_kinds, min_size=2, max_size=5),
        st.sampled_from([1.0, 2.0, 4.0, None]),
        st.sampled_from([1.0, 2.0, 4.0, None]),
        examples=80,
    )
    def test_dropping_any_kind_changes_no_row(self, several, a, b):
        self.check_dropping(several, {"a": a, "b": b})

    def check_dropping(self, several, row):
        all_hold = all(satisfied(p, row) for p in several)
        try:
            kept = Condition(tuple(several))
        except ValueError:
            assert not all_hold
        else:
            assert satisfies(kept, row) == all_hold

    @for_all(st.lists(small_kinds, min_size=1, max_size=5))
    def test_what_is_kept_stays_in_order(self, several):
        try:
            kept = Condition(tuple(several)).propositions
        except ValueError:
            return
        remaining = iter(several)
        assert all(any(kept_of(p, other) for other in remaining) for p in kept)

    @pytest.mark.parametrize(
        ("first", "second", "kept"),
        [
            (at_least("a", 40.0), at_least("a", 18.0), [0]),
            (at_least("a", 18.0), at_least("a", 40.0), [1]),
            (at_least("a", 18.0), at_least("a", 18.0), [0]),
            (at_least("a", 18.0), Proposition(("a",), (3.0,), 54.0), [0]),
            (at_least("a", 18.0), at_least("b", 18.0), [0, 1]),
            (at_least("a", 18.0), at_most("a", 18.0), [0, 1]),
            (
                Proposition(("a", "b"), (1.0, -2.0), 1.0),
                Proposition(("b", "a"), (-6.0, 3.0), 6.0),
                [1],
            ),
            (
                Proposition(("a", "b"), (1.0, 2.0), 1.0),
                Proposition(("a", "b"), (2.0, 1.0), 1.0),
                [0, 1],
            ),
            (at_least("a", 1.0), Proposition(("a", "b"), (1.0, 1.0), 1.0), [0, 1]),
            (or_missing("a", 40.0), at_least("a", 18.0), [0, 1]),
            (or_missing("a", 18.0), at_least("a", 40.0), [1]),
            (or_missing("a", 40.0), or_missing("a", 18.0), [0]),
            (product(1.0, -2.0), product(1.0, -2.0, threshold=20.0), [0]),
            (product(1.0, -2.0), product(1.0, -2.0, threshold=30.0), [1]),
            (product(1.0, -2.0), product(1.0, -1.0), [0, 1]),
            (product(1.0, -2.0), product(1.0, -2.0, missing=True), [0]),
            (product(1.0, 2.0), Product(("b", "a"), (2.0, 1.0), 20.0), [0]),
            (
                product(1.0, -2.0, at_most=True),
                product(1.0, -2.0, at_most=True, threshold=20.0),
                [1],
            ),
            (product(1.0, -2.0, at_most=True), product(1.0, -2.0), [0, 1]),
            (group("A"), group("A", "B"), [0]),
            (group("A", "C"), group("A", "B"), [0, 1]),
            (group("A"), group("B", negated=True), [0]),
            (group("A", negated=True), group("A", "B", negated=True), [1]),
            (group("A", negated=True), group("B", negated=True), [0, 1]),
            (group("A", missing=True), group("A", "B", missing=True), [0]),
            (group("A", missing=True), group("A", "B"), [0, 1]),
            (group(1), group(True, 2.0), [0]),
            (group("A"), KNOWN, [0]),
            (at_least("group", 1.0), KNOWN, [0]),
            (KNOWN, Proposition(("a", "group"), (1.0, 1.0), 1.0), [1]),
            (KNOWN, Product(("a", "group"), (1.0, 1.0), 1.0), [1]),
            (MISSING, or_missing("group", 1.0), [0]),
            (Proposition(("a", "group"), (1.0, 1.0), 1.0, missing=True), MISSING, [1]),
        ],
    )
    def test_keeps_only_what_adds_something(self, first, second, kept):
        expected = tuple((first, second)[i] for i in kept)
        assert Condition((first, second)).propositions == expected

    def test_what_is_known_cannot_be_missing_as_well(self):
        assert Condition((KNOWN, or_missing("group", 1.0))) == Condition((at_least("group", 1.0),))
        assert Condition((group("A", missing=True), KNOWN)) == Condition((group("A"),))
        # What is not positive is known, but has no power.
        root = Product(("group",), (0.5,), 1.0, missing=True)
        assert Condition((KNOWN, root)).propositions == (KNOWN, root)

    def test_nearly_parallel_is_not_parallel(self):
        third = Proposition(("a", "b"), (1 / 3, 1.0), 0.0)
        other = Proposition(("a", "b"), (math.nextafter(1 / 3, 1.0), 1.0), 1.0)
        assert len(Condition((third, other)).propositions) == 2

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (at_least("a", 40.0), at_most("a", 30.0)),
            (at_least("a", math.nextafter(1.0, 2.0)), at_most("a", 1.0)),
            (
                Proposition(("a", "b"), (1.0, -2.0), 1.0),
                Proposition(("b", "a"), (4.0, -2.0), -1.0),
            ),
            (or_missing("a", 40.0), at_most("a", 30.0)),
            (product(1.0, 1.0, threshold=2.0), product(1.0, 1.0, threshold=1.0, at_most=True)),
            (group("A"), group("B")),
            (group("A", "B"), group("A", "B", negated=True)),
            (group("A"), MISSING),
            (KNOWN, MISSING),
            (Proposition(("a", "group"), (1.0, 1.0), 1.0), MISSING),
        ],
    )
    def test_refuses_contradictions(self, first, second):
        with pytest.raises(ValueError, match="no row can satisfy both"):
            Condition((first, second))

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (or_missing("a", 40.0), Proposition(("a",), (-1.0,), -30.0, missing=True)),
            (group("A", missing=True), group("B", missing=True)),
            (product(1.0, 1.0), product(1.0, 1.0, at_most=True)),
            (MISSING, at_least("a", 1.0)),
        ],
    )
    def test_some_row_may_satisfy_both(self, first, second):
        assert len(Condition((first, second)).propositions) == 2

    def test_names_the_contradiction(self):
        with pytest.raises(ValueError, match=r"a ≥ 40\.0001 and a ≤ 40"):
            Condition((at_least("a", 40.0001), at_most("a", 40.0)))

    @pytest.mark.parametrize(
        "propositions",
        [
            [at_least(f"x{k}", 1.0) for k in range(101)],
            [Proposition(("a", "b"), (1.0, k + 1.0), 1.0) for k in range(101)],
            [group(str(k), negated=True) for k in range(101)],
        ],
    )
    def test_refuses_more_than_anybody_reads(self, propositions):
        assert len(Condition(propositions[:100]).propositions) == 100
        with pytest.raises(ValueError, match="at most 100 propositions"):
            Condition(propositions)

    def test_redundant_propositions_do_not_count(self):
        assert len(Condition([at_least("a", float(k)) for k in range(5000)]).propositions) == 1

    def test_a_proposition_is_not_looked_up_for_each_of_its_columns(self, monkeypatch):
        wide = Proposition([f"x{k}" for k in range(100)], [1.0] * 100, 1.0)
        hashed = []
        plain = Proposition.__hash__
        monkeypatch.setattr(Proposition, "__hash__", lambda p: hashed.append(p) or plain(p))
        Condition([wide, at_least("a", 1.0)])
        assert len(hashed) < 10

    def test_comparing_large_sets_takes_no_longer_than_making_them(self):
        shared = [f"c{k}" for k in range(4000)]
        start = process_time()
        sets = [group(*shared, f"z{k}", negated=True) for k in range(100)]
        made = process_time()
        assert len(Condition(sets).propositions) == 100
        assert process_time() - made < 3 * (made - start)
