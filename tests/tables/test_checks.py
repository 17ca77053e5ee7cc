"""What resembles a table is refused, and the cell that is not a number is named."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tables.libraries import DAY, LIBRARIES, each_library

from sorb import LLTBoostClassifier
from sorb.tables.checks import non_number_in, require_table

NOT_TABLES = {
    "lazy": (pl.LazyFrame({"a": [1]}), TypeError, r"lazy one \(polars.*: collect it first"),
    "batch": (pa.record_batch({"a": [1]}), TypeError, r"found pyarrow.lib.RecordBatch: make a Dat"),
    "dict": ({"a": [1]}, TypeError, r"found builtins.dict: make a DataFrame"),
    "structured array": (
        np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        TypeError,
        r"a structured one with the fields 'a', 'b': make a DataFrame",
    ),
    "dates": (np.array([["2020-01-31"]], "M8[D]"), ValueError, r"dates or times \(datetime64\[D\]"),
    "durations": (np.array([[1]], "m8[s]"), ValueError, r"holds dates or times \(timedelta64\[s\]"),
    "masked": (
        np.ma.array([[1.0]], mask=[[True]]),
        TypeError,
        "X is a masked array with masked entries, the first in row 0: fill them",
    ),
    "complex numbers": (
        np.array([[1j]]),
        ValueError,
        "Complex data not supported: expected an arr",
    ),
    "generator": ((row for row in [[1]]), TypeError, "found builtins.generator: make a DataFrame"),
    "nothing": (None, TypeError, "2-D array or a DataFrame .*, found builtins.NoneType"),
    "set": ({1}, TypeError, "2-D array or a DataFrame .*, found builtins.set"),
    "text": ("1", TypeError, "2-D array or a DataFrame .*, found builtins.str"),
    "dicts": ([{"a": 1}], TypeError, "found dict as row 0: make a DataFrame of the rows first"),
    "ragged": (
        [[1, 2], [3]],
        ValueError,
        "as many values in each row, found a list of 2 in row 0 and a list of 1 in row 1",
    ),
    "half a table": (
        [[1, 2], 3],
        ValueError,
        "in each row, found a list of 2 in row 0 and a single value in row 1",
    ),
    "names twice": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        ValueError,
        r"several columns are named 'a': rename them",
    ),
    "names twice in pyarrow": (
        pa.table([[1], [2]], names=["a", "a"]),
        ValueError,
        r"several columns are named 'a'",
    ),
}


@pytest.mark.parametrize("kind", NOT_TABLES)
def test_what_only_looks_like_a_table_is_refused(kind):
    table, error, message = NOT_TABLES[kind]
    with pytest.raises(error, match=message):
        require_table(table)
    if kind != "lazy":
        with pytest.raises(error, match=message):
            LLTBoostClassifier().fit(table, [0])


def test_the_cell_of_a_list_that_is_no_number_is_named():
    with pytest.raises(ValueError, match=r"column 'x1' holds \[2, 3\] in row 0: expected a number"):
        LLTBoostClassifier().fit([[1, [2, 3]], [1, 2]], [0, 1])


@pytest.mark.parametrize(
    "value",
    [10**400, -(10**400), Decimal("1e400"), Fraction(10**400)],
    ids=["integer", "negative", "decimal", "fraction"],
)
@pytest.mark.parametrize("categorical_features", ["from_dtype", [0]])
def test_a_number_that_no_float_can_hold_is_not_called_infinite(value, categorical_features):
    X = pd.DataFrame({"a": [1, 2], "b": pd.Series([1, value], dtype=object)})
    model = LLTBoostClassifier(categorical_features=categorical_features)
    with pytest.raises(ValueError, match=r"'b' holds an? (integer|number) beyond 1e308 in row 1"):
        model.fit(X, [0, 1])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("tall", r"'x1' holds 'tall' in row 2: expected a number.*could not convert string"),
        (DAY, r"'x1' holds dates or times \(datetime\.date\(2020, 1, 31\)\)"),
        ([1], r"'x1' holds \[1\] in row 2: expected a number"),
        (10**400, "'x1' holds an integer beyond 1e308 in row 2: no float can hold it"),
    ],
    ids=["text", "date", "list", "integer"],
)
def test_the_cell_of_an_array_that_is_no_number_is_named(value, message):
    X = np.ones((4, 3), dtype=object)
    X[2, 1] = value
    with pytest.raises((TypeError, ValueError), match=message):
        LLTBoostClassifier().fit(X, [0, 1, 0, 1])


def test_a_table_of_numbers_has_no_non_number_in():
    for table in (np.ones((2, 2)), pd.DataFrame({"a": [1, None]}), [["1", "2"]]):
        assert non_number_in(table, may_be_category=True) is None


@each_library
def test_advice_is_given_where_it_can_be_followed(library):
    table = LIBRARIES[library]({"age": [40, 50], "name": ["x", None]})
    told = "column 'name' holds 'x' in row 0: expected a number"
    assert non_number_in(table, may_be_category=False) == told
    assert non_number_in(table, may_be_category=True).startswith(f"{told}; if the column holds cat")
