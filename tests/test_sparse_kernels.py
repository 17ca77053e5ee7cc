"""Kernels on sparse tables: what they refuse, and that they do what they do on all values."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import sparse, tables
from oracles.objectives import score
from oracles.search_inputs import search_input

from sorb import _kernels
from sorb._kernels import SparseTable, Steps
from sorb.learning.objectives import OBJECTIVES, prepare

EMPTY = np.zeros(3, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
FINITE = sparse.dense_tables(values=sparse.PLAIN_VALUES)
both_types = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def rows_of(seed, n):
    """Some of n rows, in ascending order."""
    rng = np.random.default_rng(seed)
    return np.sort(rng.permutation(n)[: rng.integers(1, n + 1)])


@both_types
@given(X=sparse.dense_tables(), seed=st.integers(0, 99))
def test_columns_and_rows_are_those_of_all_values(dtype, X, seed):
    with np.errstate(over="ignore", under="ignore"):
        X = X.astype(dtype)
    table = sparse.compress(X)
    order = np.random.default_rng(seed).permutation(len(X))[: seed + 1]
    assert table.column(0).dtype == dtype
    for j in range(X.shape[1]):
        assert np.array_equal(table.column(j), X[:, j], equal_nan=True)
    assert np.array_equal(sparse.expand(table.take(order)), X[order], equal_nan=True)


def test_a_copy_by_pickle_is_the_same_table():
    X = np.array([[0.0, 2.0], [1.0, 2.0]], dtype=np.float32)
    again = pickle.loads(pickle.dumps(sparse.compress(X, np.array([0.0, 2.0], dtype=np.float32))))
    assert again.shape == (2, 2)
    assert len(again) == 2
    assert np.array_equal(sparse.expand(again), X)
    assert again.values.dtype == np.float32


@given(X=sparse.dense_tables(), seed=st.integers(0, 99))
def test_hashes_and_columns_are_those_of_all_values(X, seed):
    y = np.random.default_rng(seed).integers(0, 3, len(X)).astype(float)
    rows, weight = rows_of(seed, len(X)), 1.0 + np.arange(len(X)) % 3
    hashes, columns = _kernels.canonical_table(sparse.compress(X), y, weight, rows)
    expected = tables.canonical_table(X[rows], y[rows], weight[rows])
    assert np.array_equal(hashes, expected[0])
    assert columns.tolist() == expected[1]


@given(X=sparse.dense_tables(), seed=st.integers(0, 99))
def test_rows_are_identified_as_with_all_values(X, seed):
    rows = rows_of(seed, len(X))
    found = _kernels.identify_rows(sparse.compress(X), rows)
    assert np.array_equal(found, _kernels.identify_rows(X, rows))


@given(X=sparse.dense_tables(values=st.sampled_from([1.0, -1.0, np.nan])), seed=st.integers(0, 99))
def test_rows_with_equal_hashes_are_sorted_by_their_contents(X, seed):
    rng = np.random.default_rng(seed)
    rows, y = rng.permutation(len(X)), rng.integers(0, 2, len(X)).astype(float)
    hashes = np.sort(rng.integers(0, 3, len(X))).astype(np.uint64)
    columns = rng.permutation(X.shape[1])
    order, differs = _kernels.canonical_rows(sparse.compress(X), y, rows, hashes, columns)
    expected = sparse.canonical_order(X, y, rows, hashes, columns)
    assert np.array_equal(order, expected[0])
    new_hash = np.diff(hashes, prepend=hashes[0] + 1) != 0
    assert np.array_equal(differs, expected[1] | new_hash)


@both_types
@pytest.mark.parametrize("equal_weights", [True, False])
@given(X=FINITE, seed=st.integers(0, 99))
def test_columns_are_standardised_as_with_all_values(dtype, equal_weights, X, seed):
    X = X.astype(dtype)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    weight = np.full(len(X), rng.random()) if equal_weights else rng.random(len(X))
    found = _kernels.standardise(sparse.compress(X), rows, columns, weight)
    Z, centre, scale = _kernels.standardise(X, rows, columns, weight)
    assert np.array_equal(sparse.expand(found[0]), Z)
    assert np.array_equal(found[1], centre)
    assert np.array_equal(found[2], scale)


@pytest.mark.parametrize("weight", [1.0, 0.1, 3.7])
def test_sums_over_many_zeros_are_rounded_as_in_a_loop(weight):
    rng = np.random.default_rng(0)
    n = 20_000
    X = np.zeros((n, 3))
    X[rng.integers(0, n, 300), 0] = rng.random(300)
    X[7, 1] = 3
    X[rng.random(n) < 0.3, 2] = -1.7
    weights, rows = np.full(n, weight), np.arange(n)
    _, centre, scale = _kernels.standardise(sparse.compress(X), rows, np.arange(3), weights)
    plain = tables.standardised(X, weights)
    assert np.allclose([centre, scale], plain[1:], rtol=1e-12, atol=0)
    of_all = _kernels.standardise(X, rows, np.arange(3), weights)
    assert np.array_equal(scale, of_all[2])


def few_values(seed, n=60, d=8):
    """A search input whose columns have one value in most rows, and the same as a sparse table."""
    rng = np.random.default_rng(seed)
    place = search_input(seed, n=n, d=d)
    Z = np.asfortranarray(np.where(rng.random((n, d)) < 0.3, place.rows.Z.round(1), -0.25))
    if seed % 3 == 0:
        Z[:, -1] = Z[:, 0]  # ties
    return place, Z, sparse.compress(Z, sparse.commonest_values(Z))


@pytest.mark.parametrize("seed", range(20))
def test_separators_are_those_of_all_values(seed):
    place, Z, table = few_values(seed)
    rows = np.flatnonzero(place.weighted_gradient)
    for find in (_kernels.lasso_path, _kernels.separators, _kernels.separators_of_size):
        found, expected = (find(z, rows, place.weighted_gradient, 4) for z in (table, Z))
        assert [s.support for s in found] == [s.support for s in expected]
        assert [s.weights for s in found] == [s.weights for s in expected]


def parts_and_rows(chains):
    return [[(level.parts, level.covered.tolist()) for level in chain] for chain in chains]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(6))
def test_searches_find_what_they_find_in_all_values(objective, seed):
    place, Z, table = few_values(seed)
    chosen_by = prepare(objective, place)
    found, expected = (
        parts_and_rows(_kernels.axis_levels(z, chosen_by, place.weight, 4, 1)) for z in (table, Z)
    )
    assert found == expected
    for steps in (Steps.refine, Steps.append):
        found, expected = (
            parts_and_rows(
                _kernels.oblique_levels(
                    z, chosen_by, chosen_by, place.weighted_gradient, 4, steps, 1
                )
            )
            for z in (table, Z)
        )
        assert found == expected


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(4))
def test_the_first_threshold_is_the_best_of_all(objective, seed):
    place, Z, table = few_values(seed)
    chosen_by = prepare(objective, place)
    chains = _kernels.axis_levels(table, chosen_by, place.weight, 1, 1)
    for sign, chain in zip((1, -1), chains, strict=True):
        values = [
            score(objective, place, side & (place.weight > 0), sign)
            for j in range(Z.shape[1])
            for border in np.unique(Z[place.weight > 0, j])[1:]
            for side in (Z[:, j] >= border, Z[:, j] < border)
        ]
        covered = chain[0].covered & (place.weight > 0)
        assert score(objective, place, covered, sign) == pytest.approx(max(values))


@settings(max_examples=20)
@given(seed=st.integers(0, 99))
def test_rows_without_stored_values_are_no_special_case(seed):
    X = np.zeros((seed % 5 + 1, seed % 3 + 1))
    table, y = sparse.compress(X), np.zeros(len(X))
    hashes, columns = _kernels.canonical_table(table, y, np.ones(len(X)), np.arange(len(X)))
    assert len(set(hashes.tolist())) == 1
    assert not len(columns)


def wrong_tables():
    starts, rows, values = np.array([0, 2, 3]), np.array([0, 2, 1], dtype=np.int32), np.ones(3)
    yield "n_rows", (-1, *EMPTY)
    yield "too many rows", (2**31, *EMPTY)
    yield "starts", (3, np.zeros(0, dtype=np.int64), rows, values)
    yield "begin with 0", (3, starts + 1, rows, values)
    yield "end with the number", (3, starts - np.array([0, 0, 1]), rows, values)
    yield "starts must be ascending", (3, np.array([0, 5, 3]), rows, values)
    yield "values must have length", (3, starts, rows, np.ones(2))
    yield "others must have length", (3, starts, rows, values, np.ones(3))
    yield "rows must be in 0", (2, starts, rows, values)
    yield "rows must be in 0", (3, starts, -rows, values)
    yield "rows must be ascending", (3, starts, np.array([2, 0, 1], dtype=np.int32), values)
    yield "rows must be ascending", (3, starts, np.zeros(3, dtype=np.int32), values)


@pytest.mark.parametrize(("message", "arguments"), list(wrong_tables()))
def test_what_is_no_table_is_refused(message, arguments):
    with pytest.raises(ValueError, match=message):
        SparseTable(*arguments)


ROWS, COLUMNS, TWICE, Y = np.arange(3), np.arange(2), np.array([0, 0]), np.ones(3)
HASHES = np.zeros(3, dtype=np.uint64)
WRONG_CALLS = [
    ("the column must be", lambda t: t.column(2)),
    ("the column must be", lambda t: t.column(-1)),
    ("rows must be in", lambda t: t.take(np.array([3]))),
    ("once each", lambda t: t.take(TWICE)),
    ("y must have", lambda t: _kernels.canonical_table(t, Y[1:], Y, ROWS)),
    ("weight must have", lambda t: _kernels.canonical_table(t, Y, Y[1:], ROWS)),
    ("rows must be in", lambda t: _kernels.canonical_table(t, Y, Y, ROWS + 1)),
    ("once each", lambda t: _kernels.identify_rows(t, TWICE)),
    ("hashes must", lambda t: _kernels.canonical_rows(t, Y, ROWS, HASHES[1:], COLUMNS)),
    ("columns must", lambda t: _kernels.canonical_rows(t, Y, ROWS, HASHES, COLUMNS + 1)),
    ("once each", lambda t: _kernels.canonical_rows(t, Y, ROWS, HASHES, TWICE)),
    ("no rows", lambda t: _kernels.standardise(t, ROWS[:0], COLUMNS, Y[:0])),
    ("weight must have", lambda t: _kernels.standardise(t, ROWS, COLUMNS, Y[1:])),
    ("not be zero", lambda t: _kernels.standardise(t, ROWS, COLUMNS, 0 * Y)),
    ("non-negative", lambda t: _kernels.standardise(t, ROWS, COLUMNS, -Y)),
    ("once each", lambda t: _kernels.standardise(t, ROWS, TWICE, Y)),
]


@pytest.mark.parametrize(("message", "call"), WRONG_CALLS)
def test_what_does_not_fit_a_table_is_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call(SparseTable(3, *EMPTY))


def test_only_zeros_may_be_left_out_of_what_is_standardised():
    with pytest.raises(ValueError, match="only zeros"):
        _kernels.standardise(SparseTable(3, *EMPTY, np.ones(2)), ROWS, COLUMNS, Y)
