"""Arrays and lists of numbers, and of categories where the user says so."""

import numpy as np
import pandas as pd
import pytest
from tables.libraries import as_pandas

from sorb import LLTBoostClassifier
from sorb.tables.arrays import read_array
from sorb.tables.frames import read_frame
from sorb.tables.schema import Schema


@pytest.mark.parametrize("nothing", [None, [], [False], np.array([], dtype=str)])
def test_no_column_may_be_named(nothing):
    for array in (np.array([[1], [2]]), np.array([[1], [2]], dtype=object)):
        matrix, columns = read_array(array, ("a",), nothing)
        assert matrix.dtype == np.float64
        assert columns == Schema.of_numbers(("a",))
    matrix, columns = read_frame(as_pandas([1, 2]), ("c",), nothing)
    assert (matrix.tolist(), columns) == ([[1], [2]], Schema.of_numbers(("c",)))


def test_arrays_of_numbers_are_not_copied():
    for dtype in (np.float32, np.float64):
        X = np.ones((3, 2), dtype=dtype)
        assert read_array(X, ("a", "b"), "from_dtype")[0] is X
        assert read_array(X, ("a", "b"), [0])[0].dtype == dtype


def test_arrays_of_objects_hold_numbers_and_categories():
    X = np.array([[1, "A", True], [None, None, False], [2.5, "B", None]], dtype=object)
    matrix, columns = read_array(X, ("a", "b", "c"), [1])
    np.testing.assert_array_equal(matrix, [[1, 0, 1], [np.nan, np.nan, 0], [2.5, 1, np.nan]])
    assert columns.categories == (None, ("A", "B"), None)


@pytest.mark.parametrize("mark", [None, np.nan, pd.NA, pd.NaT], ids=repr)
@pytest.mark.parametrize("make", [np.array, list], ids=["array", "list"])
def test_any_mark_may_say_that_an_object_is_missing(make, mark):
    cells = np.array([[k, k % 3] for k in range(40)], dtype=object)
    cells[:5, 0] = mark
    X, y = make(cells.tolist()), np.arange(40) < 20
    model = LLTBoostClassifier(max_rules=1, selection=None).fit(X, y)
    assert str(model.ensemble_[0].condition) in ("x0 ≥ 19.5", "x0 ≤ 19.5 or x0 missing")
    assert model.predict(X).tolist() == y.tolist()


def test_arrays_of_texts_hold_categories_only():
    X = np.array([["1", "A"], ["2", "B"]])
    assert read_array(X, ("a", "b"), [0, 1])[1].categories == (("1", "2"), ("A", "B"))
    with pytest.raises(ValueError, match=r"column 'a' holds '1' in row 0: expected a number"):
        read_array(X, ("a", "b"), [1])


def test_lists_hold_numbers_and_categories():
    X = [[float(i), "A" if i % 2 else "B"] for i in range(40)]
    for y, used in ((["A", "B"] * 20, "x1"), ([0] * 20 + [1] * 20, "x0")):
        model = LLTBoostClassifier(categorical_features=[1], max_rules=1, selection=None).fit(X, y)
        assert model.ensemble_.used_columns == (used,)
        assert model.predict(X).tolist() == y
    texts = [[f"{number}"] for number, _ in X]
    assert (
        LLTBoostClassifier(max_rules=1, selection=None).fit(texts, y).predict(texts).tolist() == y
    )
