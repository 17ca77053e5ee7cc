import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.learning.held_out import hold_out
from sorb.losses import Logistic, Softmax, Squared
from sorb.tables.schema import Schema
from sorb.tables.training import TrainingData

SHARES = st.floats(0, 0.9)


def data_of(X, y, weight=None, group=None, n_classes=0):
    X = np.asarray(X, dtype=float).reshape(len(y), -1)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    schema = Schema.of_numbers(tuple(f"x{j}" for j in range(X.shape[1])))
    loss = {0: Squared(), 2: Logistic()}.get(n_classes, Softmax())
    classes = np.arange(n_classes) if n_classes else None
    y = np.asarray(y, dtype=float)
    return TrainingData(X, y, weight, schema, loss, classes, count=weight, group=group)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(n=st.integers(1, 60), share=SHARES, seed=st.integers(0, 5))
def test_different_numbers_are_divided_in_the_share(n, share, seed):
    test = hold_out(data_of(np.arange(n), np.arange(n)), share, seed)
    assert set(test) <= {0, 1}
    assert abs(test.sum() - min(share * n, n - 1)) <= 1


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    y=st.lists(st.sampled_from([0, 0, 0, 0, 1, 1, 2]), min_size=3, max_size=60),
    share=SHARES,
    seed=st.integers(0, 5),
)
def test_each_class_has_its_share_and_a_training_row(y, share, seed):
    y = np.array([0, 1, 2, *y])
    test = hold_out(data_of(np.arange(len(y)), y, n_classes=3), share, seed)
    for label in range(3):
        n = np.count_nonzero(y == label)
        drawn = test[y == label].sum()
        assert drawn < n
        assert abs(drawn - share * n) <= 3
    assert abs(test.sum() - share * len(y)) <= 3


def test_the_seed_decides():
    data = data_of(np.arange(100), np.arange(100))
    one, again, other = (hold_out(data, 0.25, seed) for seed in (0, 0, 1))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def mixed_table(seed, kind):
    rng = np.random.default_rng(seed)
    n = 60
    X = rng.normal(size=(n, 2)) if kind != "coarse" else rng.integers(0, 2, (n, 2)).astype(float)
    y = rng.integers(0, 2, n)
    if kind == "copies":
        drawn = rng.integers(0, 25, n)
        X, y = X[drawn], y[drawn]
    return X, y, rng.integers(0, 4, n), rng.integers(0, 12, n)


KINDS = st.sampled_from(["different", "copies", "coarse"])


@settings(derandomize=True, max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), kind=KINDS, grouped=st.booleans())
def test_weights_are_copies_and_the_order_does_not_matter(seed, kind, grouped):
    X, y, weight, group = mixed_table(seed, kind)
    rng = np.random.default_rng(seed)
    label = rng.permutation(12)[group] if grouped else None
    copied = rng.permutation(np.repeat(np.arange(len(y)), weight))
    ours = data_of(X, y, weight, group if grouped else None, n_classes=2)
    theirs = data_of(X[copied], y[copied], None, label[copied] if grouped else None, n_classes=2)

    def drawn(data):
        rows = [(*x, c) for x, c in zip(data.X.tolist(), data.y.tolist(), strict=True)]
        found = dict.fromkeys(rows, 0.0)
        for row, count in zip(rows, hold_out(data, 0.3, seed), strict=True):
            found[row] += count
        return {row: count for row, count in found.items() if count}

    assert drawn(ours) == drawn(theirs)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), kind=KINDS, share=SHARES)
def test_groups_are_on_one_side_and_classes_stay_known(seed, kind, share):
    X, y, weight, group = mixed_table(seed, kind)
    y = np.where(group < 3, y, 0)  # a class is rare, and never alone
    test = hold_out(data_of(X, y, weight, group, n_classes=2), share, seed)
    present = weight > 0
    for k in range(12):
        rows = present & (group == k)
        assert set(test[rows] / weight[rows]) <= {0.0} or set(test[rows] / weight[rows]) <= {1.0}
    learned = present & (test < weight)
    assert set(y[learned]) == set(y[present])


def test_copies_are_on_one_side():
    rng = np.random.default_rng(0)
    row = rng.integers(0, 60, 300)
    X, y = rng.normal(size=(60, 3))[row], rng.integers(0, 2, 60)[row]
    test = hold_out(data_of(X, y, n_classes=2), 0.25, 0)
    for k in range(60):
        assert len(set(test[row == k])) <= 1
    assert 60 <= test.sum() <= 90


def test_copies_in_a_coarse_table_are_observations():
    """With each of the eight different rows on one side, the test would be about other rows."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 2)), rng.integers(0, 2, 400)
    test = hold_out(data_of(X, y, n_classes=2), 0.25, 0)
    assert test.sum() == pytest.approx(100, abs=1)
    for a, b, c in np.ndindex(2, 2, 2):
        here = ((a, b) == X).all(axis=1) & (y == c)
        assert abs(test[here].sum() - here.sum() / 4) < 4.5 * np.sqrt(here.sum() * 3 / 16)


@pytest.mark.parametrize("together", [True, False])
def test_near_copies_are_on_one_side_unless_told_otherwise(together):
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(60), 5)
    X = rng.normal(size=(60, 4))[person] + 1e-3 * rng.normal(size=(300, 4))
    test = hold_out(data_of(X, rng.normal(size=300)), 0.25, 0, together)
    divided = sum(len(set(test[person == k])) > 1 for k in range(60))
    assert divided == 0 if together else divided > 30
    assert test.sum() == pytest.approx(75, abs=3)
