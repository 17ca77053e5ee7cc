from datetime import date

import dask.dataframe as dd
import duckdb
import narwhals as nw
import pandas as pd
import pytest

from sorb.tables.label_keys import add_label_numbers

LABELS = {
    "texts": ["b", "a", "b", "A", "", "é'\""],
    "integers": [2**60, -1, 2**60, 7, 0, 70],
    "dates": [
        date(2020, 2, 1),
        date(2020, 1, 2),
        date(2020, 2, 1),
        date.min,
        date.max,
        date(9, 9, 9),
    ],
}


@pytest.mark.parametrize("kind", LABELS)
def test_each_label_has_a_number_of_its_own(kind):
    table = pd.DataFrame({'a "patient"': LABELS[kind]})
    frame = nw.from_native(duckdb.from_df(table))
    found = add_label_numbers(frame, 'a "patient"', "number").collect()["number"].to_list()
    assert found[0] == found[2]
    assert len(set(found)) == 5
    assert all(0 <= number < 2**48 for number in found)


@pytest.mark.parametrize("engine", [duckdb.from_df, lambda t: dd.from_pandas(t, npartitions=2)])
def test_the_number_is_that_of_the_checksum(engine):
    """So that other engines give the same: md5sum says 0cc175b9c0f1 … of the letter a."""
    frame = nw.from_native(engine(pd.DataFrame({"x": ["a", None, "a"]})))
    found = add_label_numbers(frame, "x", "k").filter(~nw.col("x").is_null()).collect()
    assert found["k"].to_list() == [0x0CC175B9C0F1] * 2
