import math
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import strategies as st
from rule_strategies import for_all, labels

from sorb.rules import Membership, columns
from sorb.rules.columns import ColumnSource, column_names, column_source
from sorb.rules.labels import Labels
from sorb.rules.numbers import is_missing


def arrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


FRAMES = [pd.DataFrame, pl.DataFrame, arrow_table]


@pytest.mark.parametrize("frame", FRAMES)
class TestFrame:
    @pytest.mark.parametrize(
        ("column", "expected"),
        [
            ([1.5, -2.0], [1.5, -2.0]),
            ([1, 2**53, 2**60 + 1], [1.0, 2.0**53, 2.0**60]),
            ([True, False], [1.0, 0.0]),
        ],
    )
    def test_takes_numbers_as_float64(self, frame, column, expected):
        taken = column_source(frame({"a": column}), ["a"]).take("a")
        assert (taken.dtype, taken.tolist()) == (np.float64, expected)

    def test_numbers_and_labels_of_a_column_are_read_together(self, frame, monkeypatch):
        read = []
        numbers = columns.frame_numbers
        monkeypatch.setattr(columns, "frame_numbers", lambda c: read.append(c.name) or numbers(c))
        source = column_source(frame({"a": [1.5, 2.0]}), ["a"])
        assert source.take("a").tolist() == list(source.labels("a"))
        assert read == ["a"]

    def test_counts_rows(self, frame):
        assert column_source(frame({"a": [1, 2, 3]}), []).n_rows == 3

    def test_names_all_missing_columns(self, frame):
        with pytest.raises(ValueError, match="missing columns: 'b', 'two words'"):
            column_source(frame({"a": [1.0]}), ["b", "a", "two words"])

    def test_names_the_column_that_is_not_numeric(self, frame):
        source = column_source(frame({"a": ["x", "y"]}), ["a"])
        with pytest.raises(TypeError, match="column 'a' must hold numbers, found"):
            source.take("a")

    def test_names_the_type_of_the_library(self, frame):
        table = frame({"a": ["x", "y"]})
        native = {pd.DataFrame: "str|object", pl.DataFrame: "String"}.get(frame, "string")
        with pytest.raises(TypeError, match=rf"found 'x' in row 0 \(({native})\)"):
            column_source(table, ["a"]).take("a")

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

    def test_takes_objects_that_are_numbers(self):
        column = np.array([[1], [2.5], [True], [None], [np.int8(3)], [np.bool_(False)]], object)
        taken = column_source(column, ["a"], ["a"]).take("a")
        np.testing.assert_array_equal(taken, [1.0, 2.5, 1.0, np.nan, 3.0, 0.0])

    @pytest.mark.parametrize("value", ["2", 1j, [1], np.zeros(2), np.timedelta64(1, "s")])
    def test_names_the_object_that_is_no_number(self, value):
        column = np.empty((2, 1), dtype=object)
        column[0, 0], column[1, 0] = 1.0, value
        source = column_source(column, ["a"], ["a"])
        with pytest.raises(TypeError, match=r"column 'a' must hold numbers, found .* in row 1"):
            source.take("a")

    def test_integers_beyond_the_floats_are_infinite(self):
        source = column_source(np.array([[10**400], [-(10**400)], [1]]), ["a"], ["a"])
        assert source.take("a").tolist() == [np.inf, -np.inf, 1.0]

    @pytest.mark.parametrize("dtype", [str, complex])
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


def test_an_open_table_is_not_opened_again():
    source = column_source(np.ones((2, 1)), ["a"], ["a"])
    assert column_source(source, ["a"]) is source


class TestLabels:
    @for_all(st.lists(labels | st.sampled_from([None, math.nan])))
    def test_are_those_of_the_rows(self, column):
        found = Labels.of(column)
        assert list(found) == [
            None if label is None or label != label else label for label in column
        ]
        assert len(set(found.values)) == len(found.values)

    @for_all(st.lists(st.sampled_from([0.0, 1.5, -2.0, math.nan])))
    def test_arrays_of_numbers_are_like_lists(self, column):
        assert list(Labels.of(np.array(column, dtype=float))) == list(Labels.of(column))

    def test_once_found_they_are_not_found_again(self):
        found = Labels.of(["A", "B"])
        assert Labels.of(found) is found

    def test_parts(self):
        found = Labels.of(["A", None, "B", "A"])
        assert (list(found[1:3]), list(found.at(np.array([3, 1])))) == ([None, "B"], ["A", None])

    def test_each_distinct_label_is_looked_up_once(self):
        asked = []

        class Counted(str):
            def __hash__(self):
                asked.append(self)
                return super().__hash__()

        found = Labels.of([Counted("A")] * 1000 + [Counted("B")] * 1000)
        asked.clear()
        source = ColumnSource({}.__getitem__, {"a": found}.__getitem__, 2000)
        assert Membership("a", ("A",)).covers(source).sum() == 1000
        assert len(asked) == 2


class TestNames:
    def test_sparse_columns_and_other_names_are_read(self):
        table = pd.DataFrame({2020: pd.arrays.SparseArray([1.0, 2.0]), 2021: [True, False]})
        source = column_source(table, ["2020", "2021"])
        assert source.take("2020").tolist() == [1.0, 2.0]
        assert list(source.labels("2021")) == [True, False]

    def test_columns_that_are_only_numbered_are_called_by_place(self):
        table = pd.DataFrame([[1.0, 2.0]])
        assert column_source(table, ["x1"]).take("x1").tolist() == [2.0]
        with pytest.raises(ValueError, match="missing columns: 'x0'"):
            column_source(table[[1, 0]], ["x0"])

    @pytest.mark.parametrize("names", [["0", "1"], ["x1", "x0"], []])
    def test_strings_are_names_already(self, names):
        assert column_names(names) == tuple(names)


@pytest.mark.parametrize("table", [[[1.0]], None, pl.LazyFrame({"a": [1]}), pd.Series([1.0])])
def test_refuses_what_is_not_a_table(table):
    with pytest.raises(TypeError, match="expected a 2-D NumPy array, a DataFrame"):
        column_source(table, ["a"], ["a"])


def test_arrays_do_without_narwhals(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    assert column_source(np.ones((1, 1)), ["a"], ("a",)).take("a").tolist() == [1.0]


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_names_the_name_that_several_columns_have(library):
    table = pd.DataFrame([[1, 2]], columns=["a", "a"])
    if library == "pyarrow":
        table = pytest.importorskip("pyarrow").table([[1], [2]], names=["a", "a"])
    with pytest.raises(ValueError, match="several columns are named 'a': rename them"):
        column_source(table, ["a"])


def test_a_signalling_nan_is_missing():
    cells = [Decimal("sNaN"), Decimal(2)]
    assert is_missing(cells[0])
    assert Labels.of(cells).codes.tolist() == [-1, 0]
    take = column_source(pd.DataFrame({"a": cells}), ["a"]).take
    assert np.array_equal(take("a"), [np.nan, 2.0], equal_nan=True)


def test_integers_of_128_bits_may_be_categories():
    frame = pl.DataFrame({"a": pl.Series([7, 8, 7], dtype=pl.Int128)})
    assert list(column_source(frame, ["a"]).labels("a")) == [7, 8, 7]


def test_masked_entries_of_an_array_are_refused():
    table = np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 3.0)
    with pytest.raises(TypeError, match=r"X is a masked array .*, the first in row 1"):
        column_source(table, ["a"], ["a", "b"])
    assert column_source(np.ma.array([[1.0]]), ["a"], ["a"]).take("a").tolist() == [1.0]


class TestDictionaries:
    def test_one_is_one_row(self):
        source = column_source({"a": 2, "b": None, "id": "7"}, ["a", "b"])
        assert source.n_rows == 1
        assert source.take("a").tolist() == [2.0]
        assert np.isnan(source.take("b")).all()

    def test_a_value_that_is_absent_is_named_with_its_row(self):
        with pytest.raises(ValueError, match="missing columns: 'b' in row 1: where a value is"):
            column_source([{"a": 1, "b": 2}, {"a": 1}], ["a", "b"])

    def test_a_text_in_place_of_a_number_is_named_with_its_row(self):
        source = column_source([{"a": 1}, {"a": "1"}], ["a"])
        with pytest.raises(TypeError, match=r"'a' must hold numbers, found '1' in row 1$"):
            source.take("a")

    def test_an_empty_list_has_no_rows(self):
        assert column_source([], ["a"]).n_rows == 0
