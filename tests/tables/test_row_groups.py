from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sorb.tables.row_groups import number_groups

LABELS = {
    "texts": ["b", "a", "b", "c"],
    "integers": np.array([7, -1, 7, 2]),
    "floats": np.array([0.5, np.inf, 0.5, 2.0]),
    "texts and numbers": ["1", 1, "1", 2],
    "dates": [date(2020, 1, 2), date(2020, 1, 1), date(2020, 1, 2), date(2021, 1, 1)],
    "times": np.array(["2020-02", "2020-01", "2020-02", "2021-01"], dtype="datetime64[M]"),
    "categories": pd.Series(["b", "a", "b", "c"], dtype="category"),
    "polars": pl.Series(["b", "a", "b", "c"]),
    "pairs": pd.Series([(1, 2), (1, 1), (1, 2), (2, 2)]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_equal_labels_have_the_same_number(kind):
    a, b, c, d = number_groups(LABELS[kind], 4)
    assert a == c
    assert sorted({a, b, d}) == [0, 1, 2]


MISSING = {
    "None": ["a", None, "b"],
    "NaN": [1.0, np.nan, 2.0],
    "NaN in a column of texts": pd.Series(["a", np.nan, "b"]),
    "NA": pd.Series([1, pd.NA, 2], dtype="Int64"),
    "NaT": np.array(["2020", "NaT", "2021"], dtype="datetime64[Y]"),
    "null": pl.Series([1, None, 2]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_label_is_refused_by_its_row(kind):
    with pytest.raises(ValueError, match=r"^groups is missing in row 1 \(1 in all\)"):
        number_groups(MISSING[kind], 3)


def test_rows_may_have_other_numbers():
    with pytest.raises(ValueError, match=r"^column 'p' is missing in row 9 "):
        number_groups(["a", None], 2, "column 'p'", [4, 9])


@pytest.mark.parametrize("groups", [np.zeros(39), 3, np.zeros((40, 2)), "patient"])
def test_there_is_one_label_for_each_row(groups):
    with pytest.raises(ValueError, match="groups must hold one label for each of the 40 rows"):
        number_groups(groups, 40)


def test_lists_are_no_labels():
    with pytest.raises(ValueError, match="groups must hold labels such as numbers or texts"):
        number_groups(pd.Series([[1], [2]]), 2)
