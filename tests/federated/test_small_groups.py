import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sorb.federated.small_groups import merge_small_groups
from sorb.learning.source import Sums


def random_sums(seed, n_conditions, with_classes):
    rng = np.random.default_rng(seed)
    covered = rng.random((30, n_conditions)) < 0.4
    labels = rng.choice(["ill", "well"], 30).tolist() if with_classes else None
    n_rows = rng.integers(1, 20, 30)
    return Sums(covered, labels, n_rows, rng.random(30) * n_rows, rng.normal(size=30), 1.5)


def by_group(sums):
    total = {}
    for group, n_rows in zip(sums.covered.tolist(), sums.n_rows.tolist(), strict=True):
        total[tuple(group)] = total.get(tuple(group), 0) + n_rows
    return total


@given(st.integers(0, 10**6), st.integers(0, 6), st.booleans(), st.integers(2, 100))
def test_what_is_told_is_of_large_groups_and_of_all_rows(seed, n_conditions, with_classes, k):
    sums = random_sums(seed, n_conditions, with_classes)
    merged = merge_small_groups(sums, k)
    before, after = by_group(sums), by_group(merged)
    assert min(after.values()) >= k
    assert merged.n_rows.sum() == sums.n_rows.sum()
    assert merged.weight.sum() == pytest.approx(sums.weight.sum())
    assert merged.outcome.sum() == pytest.approx(sums.outcome.sum())
    assert merged.constant == sums.constant
    # No group is made up, and none that is large enough loses rows.
    assert all(after[group] >= n for group, n in before.items() if n >= k)
    assert set(after) <= set(before)
    assert merged.hidden == sum(n for group, n in before.items() if group not in after)
    if with_classes:
        for label in ("ill", "well"):
            weights = [x.weight[np.array(x.labels) == label].sum() for x in (sums, merged)]
            assert weights[0] == pytest.approx(weights[1])


def test_the_most_similar_group_gets_the_rows():
    covered = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=bool)
    sums = Sums(covered, None, np.array([90, 10, 1]), np.ones(3), np.arange(3.0), 0.0)
    merged = merge_small_groups(sums, 5)
    assert by_group(merged) == {(False, False, False): 90, (True, True, False): 11}
    np.testing.assert_array_equal(merged.outcome, [0, 3])


def test_too_few_rows_tell_nothing():
    sums = random_sums(0, 2, True)
    merged = merge_small_groups(sums, 10_000)
    assert merged.covered.shape == (0, 2)
    assert merged.labels == []
    assert merged.constant == 0
    assert merged.hidden == sums.n_rows.sum()


def test_one_row_is_a_group_by_itself_unless_more_are_wanted():
    sums = random_sums(0, 2, False)
    assert merge_small_groups(sums, 1) is sums
