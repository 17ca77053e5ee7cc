import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import tables as oracle

from sorb import _kernels
from sorb.learning.fitted_rules import Problem
from sorb.learning.rows import Rows, readable_divisor
from sorb.losses import loss_by_name
from sorb.rules import Condition, Product, Proposition
from sorb.tables.schema import Schema


def names(d):
    return tuple(f"x{j}" for j in range(d))


def rows_of(X, y=None, weight=None):
    y = np.zeros(len(X)) if y is None else y
    weight = np.ones(len(X)) if weight is None else weight
    return Rows.from_table(X, y, weight, names(X.shape[1]))


def contents(rows):
    return np.column_stack([rows.X[rows.origin], rows.y])


def by_contents(rows):
    """The distinct rows sorted by contents, and their weights."""
    table = contents(rows)
    order = np.lexsort(table.T[::-1])
    return table[order], rows.weight[order]


def canonical_table(X, y=None, weight=None):
    y = np.zeros(len(X)) if y is None else y
    weight = np.ones(len(X)) if weight is None else weight
    return _kernels.canonical_table(X, y, weight, np.arange(len(X), dtype=np.int64))


def hashes_of(X, y=None, weight=None):
    return canonical_table(X, y, weight)[0]


def without_hashes(X, y, weight, rows, seconds):
    """All rows have the same hash, and the columns stay in their order."""
    return np.zeros(len(rows), np.uint64), np.arange(X.shape[1])


def random_table(seed, n=60, d=3, values=4):
    """A table with many copies of the same rows."""
    rng = np.random.default_rng(seed)
    X = rng.integers(values, size=(n, d)).astype(float)
    return X, rng.integers(2, size=n).astype(float), rng.integers(4, size=n).astype(float)


@st.composite
def tables(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    values = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1e-300, 1e300])
    X = draw(arrays(float, (n, d), elements=values))
    y = draw(arrays(float, n, elements=st.sampled_from([0.0, 1.0])))
    weight = draw(arrays(float, n, elements=st.sampled_from([0.0, 0.5, 2.0])))
    weight[draw(st.integers(0, n - 1))] = 1.0
    return X, y, weight


# ---- distinct rows ------------------------------------------------------------------------------


@settings(max_examples=60)
@given(tables())
def test_copies_are_one_row_with_their_total_weight(table):
    rows = rows_of(*table)
    expected_rows, expected_weight = oracle.distinct_rows(*table)
    found_rows, found_weight = by_contents(rows)
    assert np.array_equal(found_rows, expected_rows)
    assert found_weight == pytest.approx(expected_weight)
    assert len(rows) == len(expected_rows)


def test_rows_that_differ_in_the_outcome_alone_are_two():
    assert len(rows_of(np.ones((2, 1)), np.array([0.0, 1.0]))) == 2


def test_rows_without_weight_vanish():
    X, y, weight = random_table(0)
    kept = weight > 0
    with_zeros, without = rows_of(X, y, weight), rows_of(X[kept], y[kept], weight[kept])
    assert np.array_equal(contents(with_zeros), contents(without))
    assert np.array_equal(with_zeros.Z, without.Z)
    assert np.array_equal(with_zeros.hashes, without.hashes)


@pytest.mark.parametrize("seed", range(3))
def test_order_depends_on_the_contents_alone(seed):
    X, y, weight = random_table(seed)
    shuffled = np.random.default_rng(seed).permutation(len(X))
    before, after = rows_of(X, y, weight), rows_of(X[shuffled], y[shuffled], weight[shuffled])
    assert np.array_equal(contents(before), contents(after))
    assert np.array_equal(before.weight, after.weight)
    assert np.array_equal(before.Z, after.Z)


def test_order_is_not_that_of_the_values():
    X = np.arange(50.0)[:, None]
    assert (np.diff(rows_of(X).X[rows_of(X).origin, 0]) < 0).any()


@pytest.mark.parametrize("distinct_hashes", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_different_rows_of_the_same_hash_stay_apart(monkeypatch, seed, distinct_hashes):
    def few_hashes(X, y, weight, rows, seconds):
        hashes = np.floor(X[rows, 0] % distinct_hashes).astype(np.uint64)
        return hashes, np.arange(X.shape[1])

    X, y, weight = random_table(seed)
    plain = by_contents(rows_of(X, y, weight))
    monkeypatch.setattr(_kernels, "canonical_table", few_hashes)
    found = by_contents(rows_of(X, y, weight))
    assert np.array_equal(found[0], plain[0])
    assert found[1] == pytest.approx(plain[1])


def test_order_depends_on_the_contents_alone_where_hashes_clash(monkeypatch):
    X, y, weight = random_table(4)
    shuffled = np.random.default_rng(4).permutation(len(X))
    monkeypatch.setattr(_kernels, "canonical_table", without_hashes)
    before, after = rows_of(X, y, weight), rows_of(X[shuffled], y[shuffled], weight[shuffled])
    assert np.array_equal(contents(before), contents(after))


@pytest.mark.parametrize("X", [[[1.0], [np.nan]], [[np.nan], [1.0]]])
def test_a_missing_value_differs_from_a_number_of_the_same_hash(monkeypatch, X):
    monkeypatch.setattr(_kernels, "canonical_table", without_hashes)
    assert len(rows_of(np.array(X))) == 2


def test_wide_tables_are_compared_in_blocks(monkeypatch):
    # The only difference is in the last of many columns.
    X = np.zeros((3, 40))
    X[2, 39] = 1
    monkeypatch.setattr("sorb.learning.rows._BLOCK", 8)
    monkeypatch.setattr(_kernels, "canonical_table", without_hashes)
    assert rows_of(X).weight.tolist() == [2.0, 1.0]


# ---- hashes -------------------------------------------------------------------------------------


def mixed_table(rng, dtype):
    """Numbers of all sizes, flags, missing values, columns that are equal, constant or missing."""
    sizes = rng.normal(size=(40, 3)) * [1, 1e5, 1e-20] + [0, 3, 0]
    flags = rng.integers(2, size=(40, 2)).astype(float)
    with_missing = np.where(rng.random((40, 2)) < 0.3, np.nan, [sizes[0, :2]] * 40)
    constant = np.column_stack([np.full(40, 0.1), np.full(40, np.nan)])
    return np.hstack([flags, sizes, constant, with_missing, flags[:, :1]]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", range(1, 11))
def test_kernel_agrees_with_the_plain_table(dtype, width):
    rng = np.random.default_rng(6)
    X = mixed_table(rng, dtype)[rng.integers(40, size=60), :width]
    y, weight = rng.integers(3, size=60).astype(float), rng.exponential(size=60)
    hashes, columns = canonical_table(X, y, weight)
    expected_hashes, expected_columns = oracle.canonical_table(X, y, weight)
    assert np.array_equal(hashes, expected_hashes)
    assert columns.tolist() == expected_columns


def factorial(k):
    """All rows of k flags."""
    return (np.arange(2**k)[:, None] >> np.arange(k) & 1).astype(float)


def test_outcomes_tell_the_columns_of_a_balanced_design_apart():
    """Each of its rows has the values of others, in other columns."""
    X = factorial(5)
    y = np.random.default_rng(5).integers(2, size=32).astype(float)
    assert len(set(hashes_of(X, y).tolist())) == 32


def test_weights_tell_columns_apart_that_outcomes_do_not():
    X = factorial(3)
    assert len(set(hashes_of(X).tolist())) == 4  # the number of flags
    assert len(set(hashes_of(X, weight=np.arange(1.0, 9.0)).tolist())) == 8


def test_weights_change_no_hash_where_outcomes_tell_columns_apart():
    X, y = factorial(3), np.arange(8.0)
    assert np.array_equal(hashes_of(X, y), hashes_of(X, y, np.arange(1.0, 9.0)))


@st.composite
def coarse_tables(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    X = draw(arrays(float, (n, d), elements=st.sampled_from([-1.0, 0.0, 2.0, np.nan])))
    y = draw(arrays(float, n, elements=st.sampled_from([0.0, 1.0])))
    weight = draw(arrays(float, n, elements=st.sampled_from([1.0, 2.0, 3.0])))
    return X, y, weight


@settings(max_examples=60)
@given(coarse_tables(), st.randoms())
def test_the_order_of_the_columns_changes_no_hash(table, random):
    X, y, weight = table
    shuffled = random.sample(range(X.shape[1]), X.shape[1])
    assert np.array_equal(hashes_of(X, y, weight), hashes_of(X[:, shuffled], y, weight))


@settings(max_examples=60)
@given(coarse_tables(), st.sampled_from([0.0, -0.1, 1e300, np.nan]))
def test_constant_columns_change_no_hash(table, value):
    X, y, weight = table
    wider = np.column_stack([np.full(len(X), value), X])
    hashes, columns = canonical_table(X, y, weight)
    hashes_with, columns_with = canonical_table(wider, y, weight)
    assert np.array_equal(hashes, hashes_with)
    assert np.array_equal(columns, columns_with - 1)


@settings(max_examples=60)
@given(coarse_tables())
def test_a_weight_and_copies_give_the_same_hashes(table):
    X, y, weight = table
    copies = np.repeat(np.arange(len(X)), weight.astype(int))
    hashes, columns = canonical_table(X, y, weight)
    hashes_of_copies, columns_of_copies = canonical_table(X[copies], y[copies])
    assert np.array_equal(hashes[copies], hashes_of_copies)
    assert np.array_equal(columns, columns_of_copies)


@settings(max_examples=60)
@given(coarse_tables())
def test_rows_with_the_same_values_are_identified(table):
    X = table[0]
    identity = _kernels.identify_rows(X, np.arange(len(X), dtype=np.int64))
    same = identity[:, None] == identity
    both_missing = np.isnan(X)[:, None] & np.isnan(X)
    assert np.array_equal(same, ((X[:, None] == X) | both_missing).all(axis=2))


def test_mirrored_rows_are_not_identified():
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert len(set(_kernels.identify_rows(X, np.arange(2)).tolist())) == 2


@pytest.mark.parametrize("factor", [2.0, 2.0**-30, 2.0**300, 3.0, 0.1, 1e-200, 1e200])
def test_a_stretched_column_hashes_alike(factor):
    X = np.random.default_rng(7).normal(size=(2000, 2))
    assert np.array_equal(hashes_of(X), hashes_of(X * [factor, 1]))


@pytest.mark.parametrize("shift", [1.0, -0.1, 17.3, -1e3])
def test_a_shifted_column_hashes_alike(shift):
    X = np.random.default_rng(8).normal(size=(2000, 2))
    assert np.array_equal(hashes_of(X), hashes_of(X + np.array([0, shift])))


def test_equal_values_in_other_columns_hash_differently():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.5]])
    assert len(set(hashes_of(X).tolist())) == 3


def test_hashes_of_distinct_rows_are_distinct():
    X = np.random.default_rng(9).normal(size=(20_000, 2))
    assert len(np.unique(hashes_of(X))) == len(X)


def test_every_bit_of_a_hash_is_set_half_the_time():
    hashes = hashes_of(np.arange(20_000.0)[:, None])
    bits = (hashes[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 5 * 0.5 / np.sqrt(20_000)


# ---- layouts ------------------------------------------------------------------------------------


def fortran(X):
    return np.asfortranarray(X)


def strided(X):
    wide = np.full((2 * len(X), 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def backwards(X):
    return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


@pytest.mark.parametrize("layout", [fortran, strided, backwards, read_only])
def test_layout_of_the_table_does_not_matter(layout):
    X, y, weight = random_table(10, n=300, values=9)
    plain, other = rows_of(X, y, weight), rows_of(layout(X), y, weight)
    assert np.array_equal(plain.hashes, other.hashes)
    assert np.array_equal(plain.Z, other.Z)
    assert np.array_equal(plain.weight, other.weight)


def test_float32_gives_the_same_rows():
    X, y, weight = random_table(11, values=100)
    wide, narrow = rows_of(X, y, weight), rows_of(X.astype(np.float32), y, weight)
    assert np.array_equal(contents(wide), contents(narrow))
    assert narrow.Z.dtype == np.float32
    np.testing.assert_allclose(narrow.Z, wide.Z, rtol=1e-6, atol=1e-6)


# ---- standardised columns -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_are_standardised_with_the_weights(dtype):
    rng = np.random.default_rng(12)
    X = (rng.normal(size=(200, 4)) * [1, 1e4, 1e-3, 3] + [0, -1e4, 1, 1e3]).astype(dtype)
    weight = rng.exponential(size=200)
    rows = rows_of(X, weight=weight)
    Z, centre, scale = oracle.standardised(X[rows.origin], rows.weight)
    # What is left of a column far from zero has fewer digits.
    sources = list(rows.sources)
    atol = 1e-9 if dtype is np.float64 else 1e-3
    np.testing.assert_allclose(rows.Z, Z[:, sources], rtol=0, atol=atol)
    assert rows.centre == pytest.approx(centre[sources], rel=1e-12, abs=1e-12)
    assert rows.scale == pytest.approx(scale[sources], rel=1e-9)


def test_standardised_columns_have_mean_0_and_variance_1():
    rng = np.random.default_rng(13)
    rows = rows_of(rng.normal(5, 7, size=(500, 3)), weight=rng.exponential(size=500))
    total = rows.weight.sum()
    assert rows.weight @ rows.Z / total == pytest.approx(np.zeros(3), abs=1e-12)
    assert rows.weight @ rows.Z**2 / total == pytest.approx(np.ones(3), rel=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 1e-300, np.nan])
def test_constant_columns_are_left_out(value):
    X = np.column_stack([np.full(7, value), np.arange(7.0)])
    rows = rows_of(X)
    assert rows.sources == (1,)
    assert rows.Z.shape == (7, 1)


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e-30, 1e30, 1e300, 8e307])
def test_columns_of_any_size_are_standardised_alike(size):
    x = np.random.default_rng(14).uniform(-1, 1, size=100)
    plain = oracle.standardised(x[:, None], np.ones(100))[0]
    rows = rows_of((x * size)[:, None])
    assert np.sort(rows.Z, axis=0) == pytest.approx(np.sort(plain, axis=0), abs=1e-3)


def test_no_column_of_one_row_varies():
    assert rows_of(np.array([[3.0, -1e300]])).Z.shape == (1, 0)


def test_the_order_of_the_columns_changes_no_rows():
    X, y, weight = random_table(18)
    shuffled = np.array([2, 0, 1])
    plain, other = rows_of(X, y, weight), rows_of(X[:, shuffled], y, weight)
    assert np.array_equal(plain.origin, other.origin)
    assert np.array_equal(plain.Z, other.Z)
    assert plain.sources == tuple(shuffled[list(other.sources)])


def test_rows_that_are_alike_are_in_the_order_of_columns_that_are_not():
    """Mirrored in the first two columns, which nothing tells apart."""
    X = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    origins = [rows_of(X[:, columns]).origin for columns in ([0, 1, 2], [0, 2, 1], [2, 0, 1])]
    assert [origin.tolist() for origin in origins[1:]] == [origins[0].tolist()] * 2


# ---- the way back to the user's units -----------------------------------------------------------


def agree(rows, support, w, threshold):
    """Compare the half-space with its statement, but for rows within rounding of the border."""
    in_user_units = rows.covered_by(rows.proposition(support, w, threshold))
    parts = rows.Z[:, support].astype(float) * w
    distance = parts.sum(axis=1) - threshold
    room = 1e-9 * (np.abs(parts).sum(axis=1) + abs(threshold) + np.abs(w).sum())
    clear = np.abs(distance) > room
    assert clear.mean() > 0.9
    assert np.array_equal(in_user_units[clear], distance[clear] >= 0)


SIZES = {
    "plain": [1.0, 1.0, 1.0],
    "tiny": [1e-300, 1e-300, 1e-300],
    "huge": [1e300, 1e300, 1e300],
    "mixed": [1e-6, 1.0, 1e9],
    "far apart": [1e-150, 1.0, 1e150],
    "very far apart": [1e-300, 1.0, 1e300],
}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("support", [[0], [2], [0, 1], [2, 1], [0, 2], [1, 2, 0]])
def test_a_proposition_means_the_half_space(sizes, support):
    rng = np.random.default_rng(15)
    rows = rows_of((rng.normal(size=(300, 3)) + np.array([0, 5, -2])) * sizes)
    for _ in range(5):
        w = rng.normal(size=len(support))
        agree(rows, support, w, rng.normal() * 0.5)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    w=st.lists(st.floats(1e-5, 1e5).flatmap(lambda x: st.sampled_from([x, -x])), min_size=3),
    scale=st.lists(st.floats(-200, 200).map(lambda e: 10.0**e), min_size=3, max_size=3),
)
def test_a_proposition_means_the_half_space_for_any_weights(seed, w, scale):
    X = np.random.default_rng(seed).normal(size=(50, 3)) * scale
    agree(rows_of(X), [0, 1, 2], np.array(w[:3]), 0.1 * w[0])


def test_the_largest_weight_of_a_proposition_is_one():
    rows = rows_of(np.random.default_rng(16).normal(size=(50, 2)) * [1.0, 1e3])
    weights = rows.proposition([0, 1], [-2.0, 5.0], 0.3).weights
    assert max(np.abs(weights)) == 1
    assert weights[0] < 0 < weights[1]


@pytest.mark.parametrize(("exponent", "balanced"), [(499, False), (500, True)])
def test_weights_are_balanced_if_they_differ_by_a_factor_of_two_to_the_thousand(exponent, balanced):
    rows = rows_of(np.array([[-1.0, -1.0], [1.0, 1.0]]) * [2.0**-500, 2.0**exponent])
    weights = rows.proposition([0, 1], [1.0, 1.0], 0.0).weights
    assert weights == ((2.0**500, 2.0**-500) if balanced else (1.0, 2.0**-999))


@pytest.mark.parametrize("size", [5e-324, 1.7e308])
def test_a_proposition_has_a_threshold_at_both_ends_of_the_floats(size):
    rows = rows_of(np.array([[-size], [size]]))
    assert rows.proposition([0], [1.0], 1.0).threshold == rows.scale[0] == size


@pytest.mark.parametrize(
    ("powers", "divisor"),
    [([1.0, 2.0, 3.0], 1.0), ([3.0, 2.0, 1.0], 1.0), ([1.0, 1.5], 1.0), ([-1.05, 0.5], 0.5)],
)
def test_powers_are_divided_so_that_they_become_whole_and_no_roots(powers, divisor):
    assert readable_divisor(powers) == divisor


@pytest.mark.parametrize(("powers", "divisor"), [([1.0, 5.0], 1.0), ([1.0, 5.5], 5.5)])
def test_powers_are_divided_so_that_none_exceeds_five(powers, divisor):
    assert readable_divisor(powers) == divisor


@pytest.mark.parametrize(
    ("weights", "product"),
    [
        ((1.0, -2.0), Product(("a", "b"), (1, -2), np.exp(0.5))),
        ((-1.0, 2.0), Product(("a", "b"), (1, -2), np.exp(-0.5), at_most=True)),
    ],
)
def test_the_first_whole_power_of_a_product_is_positive(weights, product):
    X = np.exp([[-1.0, -1.0], [1.0, 1.0]])
    schema = Schema(("a", "b"), (None, None), logarithms=(0, 1))
    rows = Rows.from_table(X, np.zeros(2), np.ones(2), ("a", "b"), schema=schema)
    assert rows.to_user_units(_kernels.HalfSpace([0, 1], list(weights), 0.5), whole=True) == product


def test_covered_rows_are_those_of_the_table():
    X, y, weight = random_table(17)
    rows = rows_of(X, y, weight)
    fact = Condition((Proposition(("x0", "x2"), (1.0, -0.5), 1.0), Proposition(("x1",), (1.0,), 1)))
    assert np.array_equal(rows.covered_by(fact), fact(X, names(3))[rows.origin])


def test_the_empty_condition_covers_every_row():
    rows = rows_of(np.arange(4.0)[:, None])
    assert rows.covered_by(Condition()).tolist() == [True] * 4


def test_centred_outcomes_are_counted_from_their_mean():
    X, y, weight = np.arange(4.0)[:, None], np.array([1e10, 1e10 + 1, 1e10 + 2, 0.0]), [1, 2, 1, 0]
    rows = Rows.from_table(X, y, np.array(weight, dtype=float), ("x",), centred=True)
    assert rows.shift == 1e10 + 1
    assert sorted(rows.y) == [-1, 0, 1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [-1.7e308, -0.1, 5e-324, 1e-300, 0.1, 1e300, 1.7e308])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_missing_values_of_any_column_are_its_mean(size, dtype):
    if dtype == np.float32:
        size = float(np.copysign(np.clip(abs(size), 1e-45, 3e38), size))
    column = np.array([1.0, 1.0, 1.0, np.nan], dtype=dtype) * dtype(size)
    rows = Rows.from_table(column[:, None], np.arange(4.0), np.ones(4), ("x",))
    assert not rows.Z.any()


def test_missing_values_do_not_change_what_is_known_of_a_column():
    rows = Rows.from_table(np.array([[1.0], [3.0], [np.nan]]), np.arange(3.0), np.ones(3), ("x",))
    scaled = rows.Z[np.argsort(rows.y), 0]
    assert scaled[2] == 0
    assert scaled[0] == -scaled[1] < 0


def test_a_penalty_is_in_the_unit_of_the_weights():
    columns = (np.arange(3.0)[:, None], np.arange(3.0), np.ones(3), ("x",))
    rows = Rows.from_table(*columns, weight_unit=2.0**-1000)
    squared = loss_by_name("squared")
    assert Problem.of(rows, squared, 3.0 * 2.0**-1000).penalty == 3.0
    assert Problem.of(Rows.from_table(*columns), squared, 3.0).penalty == 3.0
    assert np.isfinite(Problem.of(rows, squared, 1e300).penalty)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_scale_of_a_column_that_varies_is_never_zero(dtype):
    least = np.finfo(dtype).smallest_subnormal
    rows = rows_of(np.array([[0], [0], [0], [least]], dtype=dtype))
    assert rows.Z.any()
    assert (rows.scale > 0).all()
