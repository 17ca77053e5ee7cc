"""All kinds of rules on the tables of all libraries, against plain Python, row by row."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from rule_strategies import (
    LABELS,
    TEXTS,
    cells,
    column_names,
    ensembles,
    for_all,
    is_close_call,
    named,
    parts,
    satisfies,
)

from sorb.rules import Membership, Proposition

pa = pytest.importorskip("pyarrow")


def pandas_frame(columns):
    return pd.DataFrame(columns)


def pandas_objects(columns):
    return pd.DataFrame(columns, dtype=object)


def pandas_nullable(columns):
    return pd.DataFrame({name: pd.array(column) for name, column in columns.items()})


def pandas_arrow(columns):
    return pd.DataFrame(
        {
            name: pd.array(pa.array(c), dtype=pd.ArrowDtype(pa.array(c).type))
            for name, c in columns.items()
        }
    )


def pandas_categories(columns):
    return pd.DataFrame({name: _categorical(column) for name, column in columns.items()})


def _categorical(column):
    # Numbers stay numbers, unless they are the few that stand for categories.
    known = [value for value in column if value is not None]
    if all(isinstance(value, float) for value in known):
        return column
    return pd.Categorical(column, categories=list(dict.fromkeys(known)))


def polars_categories(columns):
    frame = pl.DataFrame(columns)
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return frame.with_columns(pl.col(name).cast(pl.Categorical) for name in texts)


def polars_enums(columns):
    frame = pl.DataFrame(columns)
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return frame.with_columns(pl.col(name).cast(pl.Enum(TEXTS)) for name in texts)


def dictionaries(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def arrow_dictionaries(columns):
    arrays = {name: pa.array(column) for name, column in columns.items()}
    return pa.table(
        {
            name: array if pa.types.is_floating(array.type) else array.dictionary_encode()
            for name, array in arrays.items()
        }
    )


FRAMES = [
    pandas_frame,
    pandas_objects,
    pandas_nullable,
    pandas_arrow,
    pandas_categories,
    pl.DataFrame,
    polars_categories,
    polars_enums,
    pa.table,
    arrow_dictionaries,
    dictionaries,
]


@st.composite
def models_with_columns(draw):
    names = draw(st.lists(column_names, min_size=2, max_size=3, unique=True))
    layout = {name: draw(st.sampled_from([(), *LABELS])) for name in names}
    ensemble = draw(ensembles(layout).filter(len))
    n_rows = draw(st.integers(2, 4))
    columns = {
        # A column of nothing but missing values has a type that says nothing.
        name: draw(st.lists(cells(known), min_size=n_rows, max_size=n_rows).filter(any_known))
        for name, known in layout.items()
    }
    rows = [named(ensemble, row) for row in zip(*columns.values(), strict=True)]
    assume(not any(is_close_call(p, row) for p in parts(ensemble) for row in rows))
    return ensemble, columns, rows


def any_known(column):
    return any(value is not None for value in column)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.__name__)
@for_all(models_with_columns(), examples=12)
def test_covered_rows_are_what_plain_python_finds(frame, drawn):
    ensemble, columns, rows = drawn
    expected = [[satisfies(rule.condition, row) for rule in ensemble] for row in rows]
    assert ensemble.covers(frame(columns)).tolist() == expected


MARKS = [None, math.nan, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]


@pytest.mark.parametrize("mark", MARKS, ids=repr)
@pytest.mark.parametrize("make", ["array", "frame"])
class TestMarksOfMissingValues:
    def column(self, mark, make):
        if make == "array":
            table = np.empty((2, 1), dtype=object)
            table[:, 0] = ["A", mark]
            return table
        return pd.DataFrame({"a": pd.Series(["A", mark], dtype=object)})

    @pytest.mark.parametrize("missing", [False, True])
    def test_a_label_is_missing(self, mark, make, missing):
        membership = Membership("a", ("A",), missing=missing)
        assert membership(self.column(mark, make), ("a",)).tolist() == [True, missing]

    def test_a_number_is_missing(self, mark, make):
        column = self.column(mark, make)
        if make == "array":
            column[0, 0] = 2
        else:
            column.loc[0, "a"] = 2
        assert Proposition(("a",), (1.0,), 2.0, missing=True)(column, ("a",)).all()
        assert Proposition(("a",), (1.0,), 2.0)(column, ("a",)).tolist() == [True, False]


@pytest.mark.parametrize("frame", [pandas_nullable, pl.DataFrame, pa.table])
def test_large_whole_numbers_beside_missing_ones_are_exact(frame):
    table = frame({"a": [2**60 + 1, 2**60, None]})
    assert Membership("a", (2**60 + 1,))(table).tolist() == [True, False, False]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.__name__)
def test_a_column_of_nothing_is_missing_throughout(frame):
    table = frame({"a": [None, None]})
    assert Membership("a", ("A",), missing=True)(table).tolist() == [True, True]
    assert Proposition(("a",), (1.0,), 2.0, missing=True)(table).tolist() == [True, True]


def test_whole_numbers_may_be_categories():
    table = pd.DataFrame({"a": pd.Categorical([3, 1, None, 3], categories=[1, 3, 5])})
    assert Membership("a", (3, 5))(table).tolist() == [True, False, False, True]


def test_categories_in_several_chunks():
    chunks = [pa.array(["B", "A"]).dictionary_encode(), pa.array(["A", None]).dictionary_encode()]
    table = pa.table({"a": pa.chunked_array(chunks)})
    assert Membership("a", ("A",))(table).tolist() == [False, True, True, False]


def test_texts_in_several_chunks():
    parts = [pd.DataFrame({"a": pd.array(part, "str")}) for part in (["B", "A"], ["A", None])]
    table = pd.concat(parts, ignore_index=True)
    assert Membership("a", ("A",))(table).tolist() == [False, True, True, False]


def test_texts_that_are_not_unicode():
    table = pd.DataFrame({"a": pd.Series(["\ud800", "A"], dtype=object)})
    assert Membership("a", ("A",))(table).tolist() == [False, True]


def test_dates_match_no_category():
    table = pl.DataFrame({"a": ["2020-01-01", None]}).with_columns(pl.col("a").str.to_date())
    assert Membership("a", ("2020-01-01",))(table).tolist() == [False, False]
    with pytest.raises(TypeError, match=r"'a' must hold numbers, found .* in row 0 \(Date\)"):
        Proposition(("a",), (1.0,), 2.0)(table)
