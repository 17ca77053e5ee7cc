"""Keys of rows: what they depend on, and that engines agree on them."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles.patience import patient

from sorb.tables.lazy import open_lazy
from sorb.tables.row_keys import (
    LIMIT,
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
    """For each column that varies, how it adds to keys, and its values."""
    ranges = {}
    for j, column in enumerate(X.T):
        known = column[~np.isnan(column)]
        low, high = min(known, default=np.nan), max(known, default=np.nan)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = known.sum() / len(known) if len(known) else np.nan
        ranges[f"x{j}"] = Range(float(low), float(high), float(mean))
    return [(column, X[:, int(name[1:])]) for name, column in key_columns(ranges).items()]


def slow_key(columns, row, seed):
    """The same formula with the integers of Python, which never overflow."""
    total = 0
    for column, values in columns:
        step = 1_299_709
        if not np.isnan(values[row]):
            step = int(np.floor((values[row] - column.steps.low) * column.steps.factor + 0.5))
        total += (step * step * column.square + step * column.linear) % LIMIT
    shifted = (total + seed % LIMIT) % LIMIT
    return (shifted * shifted % LIMIT * 1_181_783_497 + shifted * 374_761_393) % LIMIT


@patient()
@given(X=TABLES, seed=st.integers(0, 2**40))
def test_keys_follow_the_formula_in_exact_arithmetic(X, seed):
    columns = columns_of(X)
    keys = array_keys(columns, seed)
    assert keys.tolist() == [slow_key(columns, row, seed) for row in range(len(X) * bool(columns))]
    assert ((keys >= 0) & (keys < LIMIT)).all()


@patient()
@given(X=TABLES)
def test_an_engine_finds_the_same_keys(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pl.DataFrame(X, schema=names).with_columns(y=pl.lit(0)).lazy()
    columns = open_lazy(frame, "y", None, None, None)
    plan = KeyPlan(3, key_columns(columns.ranges()), None)
    found = columns.frame.select(columns.key(plan, None).alias("key"), "y").collect()
    if columns_of(X):
        expected = array_keys(columns_of(X), 3).tolist()
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
        keys = array_keys(columns_of(X), 5)
        assert len(np.unique(keys)) > (0.99 if X.shape[1] > 1 else 0.9) * len(X)
        share = np.bincount((keys / LIMIT * 10).astype(int), minlength=10) / len(keys)
        np.testing.assert_allclose(share, 0.1, atol=0.01)


def test_another_seed_draws_other_rows():
    X = np.random.default_rng(0).normal(size=(10_000, 2))
    one, other = (array_keys(columns_of(X), seed) < LIMIT / 10 for seed in (0, 1))
    assert 50 < np.count_nonzero(one & other) < 150


@pytest.mark.parametrize("label", ["A", "", "ß", 3, 2.5, True])
def test_the_step_of_a_label_depends_on_the_label_alone(label):
    assert 0 <= label_step(label) < 1 << 20
    codes = np.array([0.0, 1.0, np.nan])
    (column,) = key_columns({"a": [label, "other"]}).values()
    first, second, missing = array_keys([(column, codes)], 0)
    assert len({first, second, missing}) == 3
    (other,) = key_columns({"a": ["other", label]}).values()
    assert array_keys([(other, codes[1:2])], 0).tolist() == [first]


def test_a_column_that_does_not_vary_adds_nothing():
    nothing = {"a": Range(2.0, 2.0, 2.0), "b": ["x"], "c": Range(np.nan, np.nan, np.nan), "d": []}
    assert not key_columns(nothing)


def test_columns_that_look_alike_are_told_apart_by_their_names():
    alike = Range(0.0, 1.0, 0.5)
    one, other = key_columns({"b": alike, "a": alike}).values()
    assert (one.square, one.linear) != (other.square, other.linear)
    assert list(key_columns({"a": alike, "b": alike}).values()) == [other, one]
