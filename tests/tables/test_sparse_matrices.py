import numpy as np
import pytest
from hypothesis import given
from oracles.sparse import compress, dense_tables, expand
from scipy import sparse

from sorb.tables.sparse_matrices import (
    column_of,
    columns_with_missing,
    expand_rows,
    fill_missing,
    read_sparse,
    to_scipy,
)


def names(X):
    return tuple(f"c{j}" for j in range(X.shape[1]))


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_matrix])
@given(X=dense_tables())
def test_a_matrix_is_read_as_it_is(container, X):
    table, schema = read_sparse(container(X), names(X), None, None)
    assert schema.names == names(X)
    assert np.array_equal(expand(table), X, equal_nan=True)
    assert np.count_nonzero(table.values) == len(table.values) == np.count_nonzero(X)


@given(dense_tables())
def test_the_way_back_to_scipy_keeps_all_values(X):
    assert np.array_equal(to_scipy(compress(X)).toarray(), X, equal_nan=True)


@given(dense_tables())
def test_columns_with_missing_values_are_found(X):
    assert np.array_equal(columns_with_missing(compress(X)), np.isnan(X).any(axis=0))


@given(dense_tables())
def test_missing_values_are_filled(X):
    filled = fill_missing(compress(X), dict.fromkeys(range(X.shape[1]), 7.0))
    assert np.array_equal(expand(filled), np.where(np.isnan(X), 7.0, X))


@given(dense_tables())
def test_cells_are_those_of_all_values(X):
    table, last = compress(X), X.shape[1] - 1
    assert np.array_equal(column_of(table, last), column_of(X, last), equal_nan=True)
    rows = np.arange(len(X))[::-2]
    assert np.array_equal(expand_rows(table, rows, [last]), X[rows][:, [last]], equal_nan=True)
