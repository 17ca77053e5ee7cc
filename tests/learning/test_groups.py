"""Which rows stay together, given groups, copies of rows and near-copies."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.learning.bags import Bags
from sorb.learning.folds import random_folds
from sorb.learning.groups import keep_together
from sorb.learning.rows import collect_rows
from sorb.losses import Logistic, Squared
from sorb.tables.schema import Schema
from sorb.tables.training import TrainingData


def data_of(X, y, group, weight=None, classes=None):
    X = np.asarray(X, dtype=float).reshape(len(y), -1)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    schema = Schema.of_numbers(tuple(f"x{j}" for j in range(X.shape[1])))
    loss = Squared() if classes is None else Logistic()
    y = np.asarray(y, dtype=float)
    group = None if group is None else np.asarray(group)
    return TrainingData(X, y, weight, schema, loss, classes, count=weight, group=group)


def together(data, near=None):
    """Which rows of the table are in the same group; those of weight zero are left out."""
    data, rows = keep_together(*collect_rows(data), near)
    if data.group is None:
        assert rows.group is None
        return None
    present = np.flatnonzero(data.weight > 0)
    groups = defaultdict(set)
    for row in present.tolist():
        groups[int(data.group[row])].add(row)
    return sorted(map(sorted, groups.values()))


def test_rows_of_a_group_stay_together():
    assert together(data_of([1, 2, 3, 4], [1, 2, 3, 4], [0, 1, 0, 1])) == [[0, 2], [1, 3]]


def test_a_copy_in_another_group_unites_the_groups():
    x = [1, 2, 3, 2, 5, 6]
    assert together(data_of(x, x, [0, 0, 1, 1, 2, 2])) == [[0, 1, 2, 3], [4, 5]]


def test_a_row_of_weight_zero_unites_no_groups():
    x = [1, 2, 3, 2]
    data = data_of(x, x, [0, 0, 1, 1], weight=[1, 1, 1, 0])
    assert together(data) == [[0, 1], [2]]


def test_near_copies_unite_groups():
    data = data_of(np.arange(6), np.arange(6), [0, 0, 1, 1, 2, 2])
    rows = collect_rows(data)[1]
    labels = np.arange(6)
    labels[rows.origin == 2] = labels[rows.origin == 1]  # row 2 is a near-copy of row 1
    assert together(data, labels) == [[0, 1, 2, 3], [4, 5]]


def test_copies_in_a_coarse_table_unite_no_groups():
    """With all of them in one group, nothing could be validated."""
    rng = np.random.default_rng(0)
    x, y, group = rng.integers(0, 2, (200, 3)), rng.integers(0, 2, 200), np.arange(200) // 5
    found = together(data_of(x, y, group, classes=np.array([0, 1])))
    assert found == np.arange(200).reshape(40, 5).tolist()


def test_a_coarse_row_counts_in_each_group():
    rng = np.random.default_rng(0)
    x, y, group = rng.integers(0, 2, (200, 3)), rng.integers(0, 2, 200), np.arange(200) // 5
    data = data_of(x, y, group, classes=np.array([0, 1]))
    rows = keep_together(*collect_rows(data), near=None)[1]
    held = {(int(g), *row, float(c)) for g, row, c in zip(group, x.tolist(), y, strict=True)}
    assert len(rows) == len(held)
    assert rows.weight.sum() == 200
    # As many different hashes as groups: those that hold the same rows do not go together.
    assert len(np.unique(rows.draw_hashes)) == 40


@pytest.mark.parametrize("coarse", [False, True])
def test_groups_of_single_rows_are_no_groups(coarse):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 60) if coarse else np.arange(60) // 2  # with copies
    y = rng.integers(0, 2, 60) if coarse else x
    classes = np.array([0, 1]) if coarse else None
    assert together(data_of(x, y, np.arange(60), classes=classes)) is None


def test_copies_in_one_group_of_a_coarse_table_stay_together():
    rng = np.random.default_rng(1)
    x, y, group = rng.integers(0, 2, 60), rng.integers(0, 2, 60), np.arange(60)
    several = data_of(x, y, group, weight=np.where(group == 7, 3, 1), classes=np.array([0, 1]))
    copied = np.append(np.arange(60), [7, 7])
    copies = data_of(x[copied], y[copied], group[copied], classes=np.array([0, 1]))
    assert together(several) == [[k] for k in range(60)]
    assert together(copies) == [[k] if k != 7 else [7, 60, 61] for k in range(60)]


# ---- what is drawn ----

TABLES = st.tuples(
    st.integers(0, 10**6),
    st.sampled_from(["different", "copies", "coarse"]),
    st.integers(2, 12),
)


def drawn_table(seed, kind, n_groups):
    rng = np.random.default_rng(seed)
    n = 40
    x = rng.normal(size=(n, 2)) if kind != "coarse" else rng.integers(0, 2, (n, 2)).astype(float)
    if kind == "copies":
        x = x[rng.integers(0, 20, n)]
    y = rng.integers(0, 2, n) if kind == "coarse" else (x[:, 0] > 0) * 1
    return x, y, rng.integers(0, n_groups, n), rng.integers(0, 3, n)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(table=TABLES, seed=st.integers(0, 3))
def test_no_group_is_on_both_sides_of_a_bag_or_a_fold(table, seed):
    x, y, group, weight = drawn_table(*table)
    data = data_of(x, y, group, weight, classes=np.array([0, 1]))
    data, rows = keep_together(*collect_rows(data), near=None)
    of_row = group[rows.origin]  # rows of groups that are united have other ones, too
    bag = Bags.of(rows)(seed, 0)
    sides = [(of_row[bag.training > 0], of_row[bag.validation > 0])]
    for fold in random_folds(data, 3, seed, 2, rows):
        sides.append((group[fold.training > 0], group[fold.validation]))
    for one, other in sides:
        assert not set(one.tolist()) & set(other.tolist())


@settings(derandomize=True, max_examples=60, deadline=None)
@given(table=TABLES, seed=st.integers(0, 3))
def test_labels_and_order_of_groups_and_copies_change_no_draw(table, seed):
    x, y, group, weight = drawn_table(*table)
    rng = np.random.default_rng(seed)
    copied = rng.permutation(np.repeat(np.arange(len(y)), weight))
    label = rng.permutation(100)[group]
    classes = np.array([0, 1])
    given = data_of(x, y, group, weight, classes)
    copies = data_of(x[copied], y[copied], label[copied], classes=classes)

    def draws(data):
        data, rows = keep_together(*collect_rows(data), near=None)
        bag = Bags.of(rows)(seed, 0)
        found = [(rows.X[rows.origin], rows.y, bag.training, bag.validation)]
        for fold in random_folds(data, 3, seed, 1, rows):
            at = fold.validation
            found.append((data.X[at], data.y[at], fold.validation_weight, fold.block))
        return found

    for ours, theirs in zip(draws(given), draws(copies), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)
