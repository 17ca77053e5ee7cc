"""Rules that decide alike."""

from dataclasses import replace

import numpy as np
import pytest

from sorb import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.resampling.matching import ALIKE, Matcher
from sorb.rules.columns import column_source

COLUMNS = ("a", "b")
RNG = np.random.default_rng(0)
X = np.exp(RNG.normal(size=(1000, 2)))
WEIGHT = np.ones(len(X))


def at_least(column, threshold, weight=1.0):
    return Proposition((column,), (weight,), threshold)


def model(*rules, columns=COLUMNS):
    made = [Rule(Condition(parts), vote) for parts, vote in rules]
    return RuleEnsemble(0.0, made, columns, "squared")


def find(ours, theirs, weight=WEIGHT):
    return Matcher(ours, column_source(X, COLUMNS, COLUMNS), weight).find(theirs)


def test_a_rule_is_found_in_its_own_model():
    ours = model(((at_least("a", 1.0),), 2.0), ((at_least("b", 1.5), at_least("a", 0.5)), -1.0))
    first, second = find(ours, ours)
    assert (first.vote, first.same_columns, first.thresholds) == (2.0, True, (1.0,))
    assert (second.vote, second.same_columns, second.thresholds) == (-1.0, True, (1.5, 0.5))


def test_the_opposite_with_the_opposite_vote_decides_alike():
    ours = model(((at_least("a", 1.0),), 2.0))
    (found,) = find(ours, model(((at_least("a", -1.1, -1.0),), -3.0)))
    assert (found.vote, found.thresholds) == (3.0, (1.1,))
    assert find(ours, model(((at_least("a", -1.1, -1.0),), 3.0))) == [None]
    assert find(ours, model(((at_least("a", 1.1),), -3.0))) == [None]


def test_alike_means_correlated_on_weighted_rows():
    ours, theirs = (model(((at_least("a", t),), 1.0)) for t in (1.0, 1.3))
    weight = RNG.integers(0, 4, len(X)).astype(float)
    copies = np.repeat(X[:, 0], weight.astype(int))
    expected = np.corrcoef(copies >= 1.0, copies >= 1.3)[0, 1]
    assert (find(ours, theirs, weight)[0] is not None) == (expected >= ALIKE)
    between = weight * np.where((X[:, 0] >= 1.0) & (X[:, 0] < 1.3), 20, 1)
    assert find(ours, theirs, between) == [None]


def test_a_rule_of_other_columns_is_alike_but_not_the_same():
    twins = np.c_[X[:, 0], 2 * X[:, 0]]
    ours, theirs = model(((at_least("a", 1.0),), 1.0)), model(((at_least("b", 2.0),), 0.5))
    (found,) = Matcher(ours, column_source(twins, COLUMNS, COLUMNS), WEIGHT).find(theirs)
    assert (found.vote, found.same_columns, found.thresholds) == (0.5, False, (None,))


def test_a_rule_stands_for_one_rule_only():
    ours = model(((at_least("a", 1.0),), 1.0), ((at_least("a", 1.05),), 1.0))
    found = find(ours, model(((at_least("a", 1.04),), 1.0)))
    assert [match is not None for match in found] == [False, True]


def test_thresholds_of_sums_are_where_as_many_rows_pass():
    part = Proposition(COLUMNS, (1.0, 1.0), 3.0)
    # Another direction, and a threshold that lets other rows pass.
    other = Proposition(COLUMNS, (-2.2, -1.8), -6.5)
    (found,) = find(model(((part,), 1.0)), model(((other,), -1.0)))
    (threshold,) = found.thresholds
    passing = (threshold <= (X @ [1.0, 1.0])).sum()
    assert passing == pytest.approx((X @ [2.2, 1.8] > 6.5).sum(), abs=1)


def test_thresholds_of_products_are_where_as_many_rows_pass():
    part = Product(("a", "b"), (1.0, -1.0), 2.0, at_most=True)
    (found,) = find(model(((part,), 1.0)), model(((replace(part, threshold=2.3),), 1.0)))
    (threshold,) = found.thresholds
    ratio = X[:, 0] / X[:, 1]
    assert (ratio <= threshold).sum() == (ratio <= 2.3).sum()


def test_thresholds_are_about_known_values():
    values = X.copy()
    values[::3, 1] = np.nan
    parts = [Proposition(COLUMNS, (1.0, 1.0), t, missing=True) for t in (3.0, 3.2)]
    ours, theirs = (model(((part,), 1.0)) for part in parts)
    source = column_source(values, COLUMNS, COLUMNS)
    (found,) = Matcher(ours, source, WEIGHT).find(theirs)
    (threshold,) = found.thresholds
    total = np.sum(values, axis=1)
    assert (total >= threshold).sum() == (total >= 3.2).sum()


def test_rules_that_tell_no_rows_apart_are_like_none():
    always = model(((at_least("a", 0.0),), 1.0))
    assert find(always, always) == [None]
    assert find(model(), always) == []
    assert find(always, model()) == [None]


@pytest.mark.parametrize("n_rows", [9, 11, 300, 309])
def test_rules_that_cover_all_rows_are_like_none_however_shares_add_up(n_rows):
    rows = X[:n_rows]
    every, some = model(((at_least("a", 0.0),), 1.0)), model(((at_least("a", 1.0),), 1.0))
    for ours, theirs in ((every, some), (some, every), (every, every)):
        source = column_source(rows, COLUMNS, COLUMNS)
        assert Matcher(ours, source, np.ones(n_rows)).find(theirs) == [None]


def test_sets_of_categories_have_no_threshold():
    table = {"a": ["x", "y", "z", "x"] * 5}
    ours = model(((Membership("a", ("x",)),), 1.0), columns=("a",))
    theirs = model(((Membership("a", ("y", "z")),), -1.0), columns=("a",))
    import pandas as pd

    source = column_source(pd.DataFrame(table), ("a",), ("a",))
    (found,) = Matcher(ours, source, np.ones(20)).find(theirs)
    assert (found.vote, found.thresholds) == (1.0, (None,))


def test_rules_for_other_classes_are_others():
    rule = Rule(Condition((at_least("a", 1.0),)), 1.0, output=0)
    ours, theirs = (
        RuleEnsemble((0.0, 0.0, 0.0), [replace(rule, output=k)], COLUMNS, "softmax", tuple("xyz"))
        for k in (0, 1)
    )
    assert find(ours, theirs) == [None]
