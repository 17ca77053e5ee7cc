import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sorb.learning import near_duplicates
from sorb.learning.near_duplicates import find_near_duplicates
from sorb.learning.rows import Rows
from sorb.losses import loss_by_name
from sorb.tables.schema import Schema
from sorb.tables.training import TrainingData


def data_of(X, y=None, weight=None, classes=None, categories=None):
    weight = np.ones(len(X)) if weight is None else weight
    y = np.arange(len(X)) if y is None else y
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    schema = Schema(names, categories or (None,) * len(names))
    loss = loss_by_name("squared" if classes is None else "logistic")
    return TrainingData(X, y.astype(float), weight, schema, loss, classes)


def groups_of(X, *arguments, **options):
    """The group of each row of the table, -1 for rows without weight; None if there are none."""
    data = data_of(X, *arguments, **options)
    rows = Rows.of(data)
    found = find_near_duplicates(rows, data.classes is not None)
    if found is None or not found.enough:
        return None
    known = {X[i].tobytes(): k for i, k in zip(rows.origin, found.group.tolist(), strict=True)}
    return np.array([known.get(row.tobytes(), -1) for row in X])


def people(n=60, visits=5, d=4, jitter=1e-2, seed=0):
    """The table, and who each row is about."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n), visits)
    return rng.normal(size=(n, d))[person] + jitter * rng.normal(size=(n * visits, d)), person


def same_division(group, other):
    """Whether both put the same rows together."""
    pairs = {*zip(group.tolist(), other.tolist(), strict=True)}
    return len(pairs) == len(set(group.tolist())) == len(set(other.tolist()))


def nearly_same_division(group, other):
    """Whether nearly all pairs of rows that one puts together are together in the other."""
    one, two = (labels[:, None] == labels for labels in (group, other))
    both = (one & two).sum() - len(group)
    return both > 0.97 * (max(one.sum(), two.sum()) - len(group))


# ---- what is found ----


@pytest.mark.parametrize("jitter", [1e-14, 1e-10, 1e-7, 1e-4, 1e-2, 0.03])
@pytest.mark.parametrize(("n", "visits"), [(60, 5), (100, 10), (300, 2), (40, 40)])
def test_rows_of_one_person_form_a_group(n, visits, jitter):
    X, person = people(n, visits, 6, jitter)
    assert nearly_same_division(groups_of(X), person)


def test_most_rows_may_lie_outside_the_sample():
    X, _ = people(5000, 2, 3, jitter=2e-3)
    group = groups_of(X)
    assert np.mean(group[::2] == group[1::2]) > 0.98
    assert len(np.unique(group)) > 0.9 * 5000


def test_persons_may_have_different_numbers_of_rows():
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(300), rng.poisson(1.5, 300) + 1)
    X = rng.normal(size=(300, 5))[person] + 1e-3 * rng.normal(size=(len(person), 5))
    assert same_division(groups_of(X), person)


def test_single_precision_suffices():
    X, person = people()
    assert same_division(groups_of(X.astype(np.float32)), person)


def test_missing_values_are_near_each_other_only():
    X, person = people(d=6)
    X[person % 3 == 0, 2] = np.nan
    assert same_division(groups_of(X), person)
    first = np.arange(300) % 5 == 0
    X[first, 3] = np.nan
    assert nearly_same_division(groups_of(X), np.where(first, 1000 + person, person))


def test_rows_of_different_categories_are_not_nearly_equal():
    X, person = people()
    kind = np.arange(300) % 5 // 2
    labels = (None, None, None, None, ("a", "b", "c"))
    group = groups_of(np.column_stack((X, kind)), categories=labels)
    assert same_division(group, 10 * person + kind)


def test_exact_copies_are_in_the_group_of_their_near_duplicates():
    X, person = people()
    X, person = np.vstack((X, X[::2])), np.append(person, person[::2])
    y = np.arange(len(X)) % 7
    assert same_division(groups_of(X, y), person)


def test_equal_rows_that_no_other_is_near_are_no_group():
    X, _ = people()
    lonely = np.repeat(np.random.default_rng(1).normal(size=(5, 4)) + 9, 8, axis=0)
    X, y = np.vstack((X, lonely)), np.arange(340)
    data = data_of(X, y)
    found = find_near_duplicates(Rows.of(data), False)
    assert (found.n_rows, found.n_groups) == (300, 60)


def test_outcomes_do_not_matter():
    X, _ = people(400, 2, jitter=0.02)
    X = np.vstack((X, np.random.default_rng(1).normal(size=(700, 4))))
    found = [groups_of(X, np.random.default_rng(seed).normal(size=1500)) for seed in range(8)]
    assert found[0] is not None
    assert all(same_division(found[0], other) for other in found)


def test_many_equal_rows_are_no_group():
    rng = np.random.default_rng(2)
    X, person = people(300, 2)
    idle = 1e-4 * rng.normal(size=(400, 4))
    group = groups_of(np.vstack((X, idle)))
    assert nearly_same_division(group, np.append(person, 1000 + np.arange(400)))


def test_rows_without_weight_are_not_looked_at():
    X, person = people()
    others = np.random.default_rng(3).normal(size=(5000, 4))
    weight = np.repeat([1.0, 0.0], [300, 5000])
    group = groups_of(np.vstack((X, others)), weight=weight)
    assert same_division(group[:300], person)


# ---- what is left alone ----

SPREADS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "heavy tails": lambda rng, shape: rng.standard_t(2, size=shape),
    "grid": lambda rng, shape: rng.integers(0, 12, size=shape),
    "two decimals": lambda rng, shape: np.round(rng.normal(size=shape), 2),
    "zeros and ones": lambda rng, shape: rng.integers(0, 2, size=shape),
    "mostly zero": lambda rng, shape: rng.exponential(size=shape) * (rng.random(shape) < 0.3),
    "correlated": lambda rng, shape: rng.normal(size=shape) @ rng.normal(size=(shape[1],) * 2),
    "blobs": lambda rng, shape: rng.normal(size=shape) + 10 * rng.integers(0, 3, (shape[0], 1)),
    "random walk": lambda rng, shape: np.cumsum(rng.normal(size=shape), axis=0),
    "many scales": lambda rng, shape: (
        rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, size=shape)
    ),
    "one of many levels": lambda rng, shape: np.column_stack(
        (np.eye(40)[rng.integers(0, 40, shape[0])], rng.lognormal(size=shape))
    ),
    "answers and an amount": lambda rng, shape: np.column_stack(
        (rng.integers(0, 2, size=(shape[0], 7)), rng.lognormal(size=shape))
    ),
    "one continuous column": lambda rng, shape: np.column_stack(
        (rng.normal(size=shape[0]), rng.integers(0, 2, size=shape))
    ),
}


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("n", [30, 100, 1000])
@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_independent_rows_are_no_near_duplicates(spread, n, d):
    for seed in range(3):
        X = SPREADS[spread](np.random.default_rng(seed), (n, d)).astype(float)
        assert groups_of(X) is None


@pytest.mark.parametrize("n", [100, 1000])
def test_independent_rows_of_few_kinds_are_no_near_duplicates(n):
    rng = np.random.default_rng(n)
    codes = rng.integers(0, 3, size=(n, 3)).astype(float)
    codes[rng.random((n, 3)) < 0.1] = np.nan
    X = np.column_stack((rng.normal(size=n), codes))
    assert groups_of(X, categories=(None, *(("a", "b", "c"),) * 3)) is None


@pytest.mark.parametrize(("n", "enough"), [(29, False), (30, True)])
def test_few_groups_cannot_validate(n, enough):
    data = data_of(people(n, 20)[0])
    assert find_near_duplicates(Rows.of(data), False).enough is enough


def test_each_class_needs_several_groups():
    X, person = people()
    classes = np.array([0, 1])
    assert groups_of(X, person < 4, classes=classes) is None
    assert groups_of(X, person < 5, classes=classes) is not None
    # Three rows of a class, in as many groups, are no fewer for being grouped.
    rare = np.isin(np.arange(300), [0, 50, 100])
    assert groups_of(X, rare, classes=classes) is not None


def test_a_table_without_numbers_is_left_alone():
    codes = np.random.default_rng(0).integers(0, 3, size=(300, 2)).astype(float)
    assert groups_of(codes, categories=(("a", "b", "c"),) * 2) is None
    assert groups_of(np.zeros((50, 1))) is None
    assert groups_of(np.zeros((1, 1))) is None


def test_large_tables_are_left_alone(monkeypatch):
    X, _ = people()
    monkeypatch.setattr(near_duplicates, "_MOST_ROWS", 300)
    assert groups_of(X) is not None
    monkeypatch.setattr(near_duplicates, "_MOST_ROWS", 299)
    assert groups_of(X) is None


# ---- what changes nothing ----


@given(st.integers(0, 1000))
def test_order_units_and_copies_change_no_group(seed):
    rng = np.random.default_rng(seed)
    X, _ = people(jitter=0.03, seed=seed % 5)
    y = np.arange(len(X))
    group = groups_of(X, y)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    other = X[rows][:, columns] * 10 ** rng.uniform(-3, 3, X.shape[1]) + rng.normal()
    other = np.column_stack((other, np.ones(len(X))))
    assert same_division(groups_of(other, y[rows]), group[rows])
    times = rng.integers(1, 4, len(X))
    weighted = groups_of(X, y, times.astype(float))
    copied = groups_of(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert same_division(copied, np.repeat(weighted, times))


def test_neighbours_are_counted_as_by_hand():
    rng = np.random.default_rng(0)
    squares = rng.exponential(size=(4, 50)) ** 6
    squares[:, 0], squares[:, 1] = np.inf, 0
    counts = near_duplicates._neighbour_counts(squares)
    radii = 0.2 * 2.0 ** (np.arange(1 - 28 * 8, 10) / 8)
    expected = [[(row < radius**2).sum() for radius in radii] for row in squares]
    assert np.array_equal(counts, expected)


def test_the_farthest_neighbour_is_counted_with_its_own_row():
    reach = near_duplicates._LARGEST * 2.0 ** (near_duplicates._RING / 8)
    squares = np.full((2, 3), np.inf)
    squares[0, 0] = np.nextafter(reach**2, 0)
    counts = near_duplicates._neighbour_counts(squares)
    assert counts[0, -1] == 1
    assert not counts[1].any()
