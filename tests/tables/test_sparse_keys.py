"""Keys and ranges of sparse tables are those of all values."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles.sparse import compress, dense_tables

from sorb.tables.row_keys import Range, array_keys, key_columns
from sorb.tables.sparse_keys import sparse_keys, sparse_ranges

TABLES = dense_tables(values=st.sampled_from([1.0, -2.0, np.nan]) | st.floats(-9, 9))


def ranges(X, count):
    """The ends of the known values of each column and the mean above the least, one by one."""
    for column in X.T:
        values = np.repeat(column, count)
        values = values[~np.isnan(values)]
        yield (
            min(values, default=np.inf),
            max(values, default=-np.inf),
            (values - values.min()).mean() if len(values) else np.nan,
        )


@given(TABLES, st.integers(0, 99))
def test_ranges_are_those_of_all_values(X, seed):
    count = np.random.default_rng(seed).integers(0, 3, len(X))
    count[0] = 1
    found = sparse_ranges(compress(X), count.astype(float))
    expected = np.array([*ranges(X, count)]).T
    assert np.array_equal(found[:2], expected[:2])
    assert np.allclose(found[2], expected[2], rtol=1e-12, atol=1e-14, equal_nan=True)


@given(TABLES, st.integers(0, 99), st.integers(1, 3))
def test_keys_are_those_of_all_values(X, seed, digits):
    stats = {str(j): Range(*map(float, r)) for j, r in enumerate(ranges(X, np.ones(len(X), int)))}
    outcome = key_columns({"y": Range(0.0, 5.0, 1.0)})["y"], np.arange(len(X)) % 6 * 1.0
    columns = {int(name): column for name, column in key_columns(stats).items()}
    found = sparse_keys(compress(X), columns, seed, outcome, digits)
    assert np.array_equal(found, array_keys(X, columns, seed, outcome, digits))
