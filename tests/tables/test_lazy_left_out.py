"""What texts are does not depend on the order of rows that are not all looked at."""

import dask.dataframe as dd
import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest

from sorb.tables.column_policy import HowTo
from sorb.tables.expressions import Columns
from sorb.tables.lazy_left_out import require_no_numbers

TEXTS = {
    "dates and names": [f"{k % 28 + 1:02}.0{k % 9 + 1}.{1900 + k % 120}" for k in range(1200)]
    + [f"Ada {k}" for k in range(1300)],
    "numbers and words": [str(k) for k in range(1400)] + [f"w{k}x" for k in range(900)],
    "words": [f"word {k}" for k in range(400)],
}


def lazily(texts, engine):
    table = pl.DataFrame({"text": texts})
    if engine == "dask":
        return dd.from_pandas(table.to_pandas(), npartitions=3)
    return table.lazy() if engine == "polars" else duckdb.from_arrow(table.to_arrow())


@pytest.mark.parametrize("engine", ["polars", "duckdb", "dask"])
@pytest.mark.parametrize("what", TEXTS)
def test_the_order_of_the_rows_changes_nothing_of_many_texts(what, engine, monkeypatch):
    monkeypatch.setattr("sorb.tables.lazy_left_out._FIRST_ROWS", 10**6)
    texts, found = TEXTS[what], set()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(texts))
        frame = nw.from_native(lazily([texts[k] for k in order], engine))
        recognised, rows = require_no_numbers(
            frame, Columns.of(frame), "text", None, HowTo("", "", "", "")
        )
        assert rows is None
        found.add((recognised.kind, recognised.count, recognised.example))
    assert len(found) == 1


def test_on_dask_the_same_texts_are_looked_at_as_on_a_database():
    """In alphabetical order, dates would come before names, and be all that is seen."""
    texts = TEXTS["dates and names"]
    frames = [nw.from_native(lazily(texts, engine)) for engine in ("duckdb", "dask")]
    expected, found = (
        require_no_numbers(frame, Columns.of(frame), "text", None, HowTo("", "", "", ""))[0]
        for frame in frames
    )
    assert found == expected


@pytest.mark.parametrize("first", [300, 1000])
def test_a_part_of_the_rows_only_shortens_the_search(first, monkeypatch):
    """Whether texts are too many is seen in the first rows, and which ones count in all of them."""
    texts = TEXTS["dates and names"]
    frames = [nw.from_native(lazily(each, "duckdb")) for each in (texts, texts[::-1])]
    monkeypatch.setattr("sorb.tables.lazy_left_out._FIRST_ROWS", first)
    found = [
        require_no_numbers(frame, Columns.of(frame), "text", None, HowTo("", "", "", ""))[0]
        for frame in frames
    ]
    assert found[0].example == found[1].example
    assert found[0].kind is found[1].kind
