import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sorb.rules.columns import column_source


def arrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


FRAMES = [pd.DataFrame, pl.DataFrame, arrow_table]


@pytest.mark.parametrize("frame", FRAMES)
class TestFrame:
    @pytest.mark.parametrize(
        ("column", "expected"),
        [
            ([1.5, -2.0], [1.5, -2.0]),
            ([1, 2**53], [1.0, 2.0**53]),
            ([True, False], [1.0, 0.0]),
        ],
    )
    def test_takes_numbers_as_float64(self, frame, column, expected):
        taken = column_source(frame({"a": column}), ["a"]).take("a")
        assert (taken.dtype, taken.tolist()) == (np.float64, expected)

    def test_counts_rows(self, frame):
        assert column_source(frame({"a": [1, 2, 3]}), []).n_rows == 3

    def test_names_all_missing_columns(self, frame):
        with pytest.raises(ValueError, match="missing columns: 'b', 'two words'"):
            column_source(frame({"a": [1.0]}), ["b", "a", "two words"])

    def test_names_the_column_that_is_not_numeric(self, frame):
        source = column_source(frame({"a": ["x", "y"]}), ["a"])
        with pytest.raises(TypeError, match="column 'a' must hold numbers, found"):
            source.take("a")

    def test_ignores_other_columns(self, frame):
        source = column_source(frame({"text": ["x"], "a": [2.0]}), ["a"])
        assert source.take("a").tolist() == [2.0]

    @pytest.mark.parametrize("column", [[1, None], [1.0, None], [True, None]])
    def test_missing_is_nan(self, frame, column):
        taken = column_source(_nullable(frame, column), ["a"]).take("a")
        assert np.isnan(taken).tolist() == [False, True]


def _nullable(frame, column):
    if frame is pd.DataFrame:
        return pd.DataFrame({"a": pd.array(column)})
    return frame({"a": column})


class TestArray:
    def test_does_not_copy_float64(self):
        table = np.zeros((2, 2))
        assert np.shares_memory(column_source(table, ["b"], ["a", "b"]).take("b"), table)

    @pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint64, np.bool_])
    def test_widens_numbers(self, dtype):
        source = column_source(np.ones((2, 1), dtype=dtype), ["a"], ["a"])
        assert source.take("a").dtype == np.float64

    @pytest.mark.parametrize("dtype", [object, str, complex])
    def test_names_the_column_that_is_not_numeric(self, dtype):
        source = column_source(np.ones((2, 1)).astype(dtype), ["a"], ["a"])
        with pytest.raises(TypeError, match="column 'a' must hold numbers, found"):
            source.take("a")

    def test_needs_names(self):
        with pytest.raises(ValueError, match="pass columns="):
            column_source(np.ones((2, 1)), ["a"])

    def test_needs_two_dimensions(self):
        with pytest.raises(ValueError, match=r"expected a 2-D array, found one of shape \(2,\)"):
            column_source(np.ones(2), ["a"], ["a"])

    def test_needs_as_many_columns_as_names(self):
        with pytest.raises(ValueError, match="expected an array of 1 columns, found 3"):
            column_source(np.ones((2, 3)), ["a"], ["a"])

    def test_names_missing_columns(self):
        with pytest.raises(ValueError, match="missing columns: 'b'"):
            column_source(np.ones((2, 1)), ["b"], ["a"])


@pytest.mark.parametrize("table", [[[1.0]], None, pl.LazyFrame({"a": [1]}), pd.Series([1.0])])
def test_refuses_what_is_not_a_table(table):
    with pytest.raises(TypeError, match="expected a 2-D NumPy array or a DataFrame"):
        column_source(table, ["a"], ["a"])


def test_arrays_do_without_narwhals(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    assert column_source(np.ones((1, 1)), ["a"], ("a",)).take("a").tolist() == [1.0]
