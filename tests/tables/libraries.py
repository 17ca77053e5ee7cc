"""Tables of all libraries, from which the tests read."""

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

LIBRARIES = {
    "pandas": pd.DataFrame,
    "polars": lambda data: pl.DataFrame(data, strict=False),
    "pyarrow": pa.table,
}


each_library = pytest.mark.parametrize("library", LIBRARIES)


def as_pandas(values, dtype=None):
    return pd.DataFrame({"c": pd.Series(values, dtype=dtype)})


def as_polars(values, dtype=None):
    return pl.DataFrame({"c": pl.Series(values, dtype=dtype)})


def as_pyarrow(values, dtype=None):
    return pa.table({"c": pa.array(values, dtype)})


DAY = dt.date(2020, 1, 31)
