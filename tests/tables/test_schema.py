"""Which columns are meant, and what the rows that count say about them."""

import numpy as np
import pandas as pd
import pytest

from sorb import LLTBoostClassifier
from sorb.tables.arrays import read_array
from sorb.tables.frames import read_frame
from sorb.tables.schema import Schema, choose_log_columns, drop_unused_categories

NAMES = ("age", "group", "sex")


BY = {
    "name": ["sex", "group"],
    "number": [1, 2],
    "mask": [False, True, True],
    "array of names": np.array(["group", "sex"]),
    "array of numbers": np.array([1, 2]),
    "array of booleans": np.array([False, True, True]),
    "both": ["group", 2],
    "twice": ["group", 1, "sex"],
}


@pytest.mark.parametrize("way", BY)
def test_categories_are_named_in_many_ways(way):
    array = np.array([[40, 1, 0], [50, 2, 1]])
    frame = pd.DataFrame(array, columns=NAMES)
    for matrix, columns in (read_frame(frame, NAMES, BY[way]), read_array(array, NAMES, BY[way])):
        assert columns.categories == (None, (1, 2), (0, 1))
        np.testing.assert_array_equal(matrix, [[40, 0, 0], [50, 1, 1]])


WRONG = {
    "name": (["grop"], "names 'grop', which is not a column: there are 'age', 'group', 'sex'"),
    "number": ([3], "positions from 0 to 2, found 3"),
    "negative number": ([-1], "positions from 0 to 2, found -1"),
    "no whole number": ([1.0], "positions from 0 to 2, found 1.0"),
    "neither": ([None], "found None"),
    "one boolean": ([0, True], "found True"),
    "short mask": ([True, False], "one entry for each of the 3 columns, found 2"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_columns_that_are_not_there_are_refused(kind):
    wanted, message = WRONG[kind]
    array = np.ones((2, 3))
    for parameter in ("categorical_features", "log_columns"):
        for X in (array, pd.DataFrame(array, columns=["age", "group", "sex"])):
            names = "'x0', 'x1', 'x2'" if X is array else "'age', 'group', 'sex'"
            expected = message.replace("'age', 'group', 'sex'", names)
            with pytest.raises(ValueError, match=f"{parameter} .*{expected}"):
                LLTBoostClassifier(**{parameter: wanted}).fit(X, [0, 1])


def test_of_many_columns_some_are_quoted():
    names = tuple(f"x{j}" for j in range(2000))
    with pytest.raises(ValueError, match=r"there are 'x0', .*'x7' and 1992 more"):
        read_array(np.ones((1, 2000)), names, ["y"])


def test_categories_without_rows_are_forgotten():
    codes = np.array([[0.0, 1.0], [1.0, np.nan], [2.0, 0.0], [np.nan, 3.0]])
    columns = Schema(("group", "age"), (("A", "B", "O"), None))
    found = drop_unused_categories(codes, columns, np.array([False, True, True, True]))
    assert found == Schema(("group", "age"), (("B", "O"), None))
    np.testing.assert_array_equal(codes[:, 0], [np.nan, 0, 1, np.nan])
    np.testing.assert_array_equal(codes[:, 1], [1, np.nan, 0, 3])


def test_logarithms_depend_on_rows_that_count():
    X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 0.0], [4.0, 6.0]])
    columns, count = Schema.of_numbers(("a", "b")), np.array([True, True, False, True])
    assert choose_log_columns(X, columns, "auto", count).logarithms == (0, 1)
    assert choose_log_columns(X, columns, ["b"], count).logarithms == (1,)
    assert choose_log_columns(X, columns, "auto", np.ones(4, dtype=bool)).logarithms == (0,)


def test_logarithms_are_chosen_where_they_make_sense():
    X = np.array(
        [
            [1.0, 0.0, -1.0, 1.0, 5.0, np.nan, 0.0],
            [2.0, 1.0, 3.0, 2.0, 5.0, 1e-300, 1.0],
            [3.0, 2.0, 4.0, 1.0, 5.0, 1e300, 2.0],
            [4.0, 2.0, 4.0, 1.0, 5.0, 1.0, 2.0],
        ]
    )
    names = ("positive", "zero", "negative", "two values", "constant", "with missing", "category")
    columns = Schema(names, (*[None] * 6, ("A", "B", "C")))
    every = np.ones(4, dtype=bool)
    chosen = choose_log_columns(X, columns, "auto", every).logarithms
    assert [names[j] for j in chosen] == ["positive", "with missing"]
    assert choose_log_columns(X, columns, None, every) == columns
    for name in ("two values", "constant"):
        assert choose_log_columns(X, columns, [name], every).logarithms == (names.index(name),)


@pytest.mark.parametrize(
    ("name", "message"),
    [("zero", "'zero', which holds 0 in row 2"), ("text", "'text', which holds categories, not")],
)
def test_what_has_no_logarithm_is_named(name, message):
    table = pd.DataFrame({"zero": [1, None, 0, -1], "text": ["A", "B", "A", "B"]})
    with pytest.raises(ValueError, match=f"log_columns names {message}"):
        LLTBoostClassifier(log_columns=[name]).fit(table, [0, 1, 0, 1])
