"""Keys of rows: what they depend on, and that engines agree on them."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sorb import _kernels
from sorb.tables.expressions import add_layers
from sorb.tables.lazy_keys import key_layers
from sorb.tables.lazy_opening import open_lazy
from sorb.tables.row_keys import (
    LIMIT,
    MOST_DIGITS,
    KeyColumn,
    KeyPlan,
    Range,
    array_keys,
    finish_key,
    key_columns,
    label_step,
)

FLOATS = st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 1.0, np.nan])
TABLES = st.tuples(st.integers(1, 20), st.integers(1, 4)).flatmap(
    lambda shape: arrays(float, shape, elements=FLOATS)
)


def columns_of(X):
    """How each column that varies adds to keys."""
    ranges = {}
    for j, column in enumerate(X.T):
        known = column[~np.isnan(column)]
        low, high = min(known, default=np.nan), max(known, default=np.nan)
        with np.errstate(over="ignore", invalid="ignore"):
            excess = (known - low).sum() / len(known) if len(known) else np.nan
        ranges[f"x{j}"] = Range(float(low), float(high), float(excess))
    return {int(name[1:]): column for name, column in key_columns(ranges).items()}


def slow_key(columns, row, seed, digits):
    """The same formula with the integers of Python, which never overflow."""
    total = 0
    for j, column in columns.items():
        place = (float(row[j]) - column.steps.low) * column.steps.factor + 0.5
        for digit in range(digits):
            step = 1_299_709 if np.isnan(row[j]) else int(np.floor(place))
            place = (place - step) * 2**20
            square = (column.square + digit * 1_376_089) % 2**21
            linear = (column.linear + digit * 1_640_531_527) % LIMIT
            total += (step * step * square + step * linear) % LIMIT
    salt = int(_kernels.scramble(np.array([seed], dtype=np.uint64), 0)[0])
    shifted = (total + salt) % LIMIT
    return (shifted * shifted % LIMIT * 1_181_783_497 + shifted * 374_761_393) % LIMIT


DIGITS = st.integers(1, MOST_DIGITS)


@given(X=TABLES, seed=st.integers(0, 2**40), order=st.sampled_from("CF"), digits=DIGITS)
def test_keys_follow_the_formula_in_exact_arithmetic(X, seed, order, digits):
    columns = columns_of(X)
    keys = array_keys(np.asarray(X, order=order), columns, seed, None, digits)
    assert keys.tolist() == [slow_key(columns, row, seed, digits) for row in X]
    assert ((keys >= 0) & (keys < LIMIT)).all()


def test_outcomes_add_to_keys_like_a_column():
    X = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32).astype(float)
    columns = columns_of(X)
    features = {j: columns[j] for j in (0, 1)}
    with_outcome = array_keys(X[:, :2].astype(np.float32), features, 7, (columns[2], X[:, 2]))
    np.testing.assert_array_equal(with_outcome, array_keys(X, columns, 7, None))


@given(X=TABLES, digits=DIGITS)
def test_an_engine_finds_the_same_keys(X, digits):
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pl.DataFrame(X, schema=names).with_columns(y=pl.lit(0)).lazy()
    columns = open_lazy(frame, "y", None, None, None, has_classes=False)
    plan = KeyPlan.of(3, columns.numbers.ranges, None, digits)
    found = add_layers(columns.frame, key_layers(columns, plan, None, "key"))
    found = found.select("key").collect()
    if columns_of(X):
        expected = array_keys(X, columns_of(X), 3, None, digits).tolist()
        assert nw.to_native(found)["key"].to_list() == expected


@pytest.mark.parametrize("names", [("age", "1 age"), ("age", "2 age"), ("age", "step age")])
def test_an_engine_finds_the_same_keys_whatever_columns_are_called(names):
    X = np.random.default_rng(0).normal(size=(50, 2))
    frame = pl.DataFrame(X, schema=list(names)).with_columns(y=pl.lit(0)).lazy()
    columns = open_lazy(frame, "y", None, None, None, has_classes=False)
    plan = KeyPlan.of(3, columns.numbers.ranges, None, MOST_DIGITS)
    found = add_layers(columns.frame, key_layers(columns, plan, None, "key"))
    found = found.select("key").collect()
    of_array = {names.index(name): column for name, column in plan.columns.items()}
    expected = array_keys(X, of_array, 3, None, MOST_DIGITS).tolist()
    assert nw.to_native(found)["key"].to_list() == expected


def test_no_step_makes_the_arithmetic_overflow():
    column = KeyColumn(Range(0.0, 1.0, 0.5), 2**21 - 1, LIMIT - 1)
    for step in (0, 1 << 20, 1_299_709):
        assert column.mix(step) == int(column.mix(np.array([step]))[0])
    for total in (0, 10_000 * (LIMIT - 1)):
        assert finish_key(total, 2**40) == int(finish_key(np.array([total]), 2**40)[0])


def test_keys_are_spread_evenly_whatever_the_columns():
    rng = np.random.default_rng(0)
    smooth = rng.normal(size=(40_000, 1))
    grid = np.stack(np.meshgrid(*[np.arange(14.0)] * 4), axis=-1).reshape(-1, 4)
    bits = np.stack(np.meshgrid(*[np.arange(2.0)] * 15), axis=-1).reshape(-1, 15)
    for X in (smooth, grid, bits):
        keys = array_keys(X, columns_of(X), 5, None)
        assert len(np.unique(keys)) > (0.99 if X.shape[1] > 1 else 0.9) * len(X)
        share = np.bincount((keys / LIMIT * 10).astype(int), minlength=10) / len(keys)
        np.testing.assert_allclose(share, 0.1, atol=0.01)


def test_another_seed_draws_other_rows():
    X = np.random.default_rng(0).normal(size=(10_000, 2))
    one, other = (array_keys(X, columns_of(X), seed, None) < LIMIT / 10 for seed in (0, 1))
    assert 50 < np.count_nonzero(one & other) < 150


@pytest.mark.parametrize("label", ["A", "", "ß", 3, 2.5, True])
def test_the_step_of_a_label_depends_on_the_label_alone(label):
    assert 0 <= label_step(label) < 1 << 20
    codes = np.array([[0.0], [1.0], [np.nan]])
    (column,) = key_columns({"a": [label, "other"]}).values()
    first, second, missing = array_keys(codes, {0: column}, 0, None)
    assert len({first, second, missing}) == 3
    (other,) = key_columns({"a": ["other", label]}).values()
    assert array_keys(codes[1:2], {0: other}, 0, None).tolist() == [first]


def test_a_column_that_does_not_vary_adds_nothing():
    nothing = {"a": Range(2.0, 2.0, 0.0), "b": ["x"], "c": Range(np.nan, np.nan), "d": []}
    assert not key_columns(nothing)


def test_columns_that_look_alike_are_told_apart_by_their_names():
    alike = Range(0.0, 1.0, 0.5)
    one, other = key_columns({"b": alike, "a": alike}).values()
    assert (one.square, one.linear) != (other.square, other.linear)
    assert list(key_columns({"a": alike, "b": alike}).values()) == [other, one]


@given(X=TABLES, order=st.sampled_from("CF"), seed=st.none() | st.integers(0, 2**32))
def test_ranges_are_those_of_the_known_values_that_count(X, order, seed):
    counts = None if seed is None else np.random.default_rng(seed).integers(0, 3, len(X)) * 1.0
    found = np.stack(_kernels.column_ranges(np.asarray(X, order=order), counts), axis=1)
    for column, (low, high, excess) in zip(X.T, found, strict=True):
        times = np.isfinite(column) * (1.0 if counts is None else counts)
        known = column[times > 0]
        assert (low, high) == (min(known, default=np.inf), max(known, default=-np.inf))
        above = (times[times > 0] * (known - low)).sum() / times.sum() if len(known) else np.nan
        assert excess == pytest.approx(above, rel=1e-9, abs=1e-9 * (high - low), nan_ok=True)


def test_the_order_of_rows_with_a_large_offset_does_not_matter():
    rng = np.random.default_rng(0)
    X = 1e9 + rng.uniform(size=(20_000, 3))
    order = rng.permutation(len(X))
    one, other = (_kernels.column_ranges(some, None) for some in (X, X[order]))
    for low, high, excess, *others in zip(*one, *other, strict=True):
        assert Range(low, high, excess).signature == Range(*others).signature


@pytest.mark.parametrize("outlier", [1e12, 1e15])
def test_more_digits_tell_rows_apart_that_are_close_to_each_other(outlier):
    X = np.append(np.random.default_rng(0).uniform(size=5000), outlier)[:, None]
    columns = columns_of(X)
    n_keys = [len(np.unique(array_keys(X, columns, 0, None, digits))) for digits in (1, 3)]
    assert n_keys[0] == 2
    assert n_keys[1] > 4900 if outlier < 1e15 else n_keys[1] > 500


def test_the_samples_of_neighbouring_seeds_do_not_depend_on_each_other():
    X = np.random.default_rng(0).normal(size=(100_000, 2))
    columns = columns_of(X)
    drawn = [array_keys(X, columns, seed, None) < 0.1 * LIMIT for seed in range(3)]
    in_all = np.count_nonzero(np.all(drawn, axis=0))
    assert abs(in_all - 100) < 4 * np.sqrt(100)
