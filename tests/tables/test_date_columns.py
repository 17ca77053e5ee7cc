"""Numbers are computed from dates as the calendar says, whatever holds the dates."""

import datetime as dt

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import strategies as st
from rule_strategies import for_all

from sorb import date_columns
from sorb.tables.date_columns import DatePart, find_part

DAY = dt.date(2020, 1, 1)
PARTS = ["year", "month", "day", "day of year", "weekday", "hour", f"days since {DAY}"]
MOMENTS = st.datetimes(dt.datetime(1600, 1, 1), dt.datetime(2250, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)


def by_calendar(moment):
    if moment is None:
        return [None] * len(PARTS)
    day = moment.date()
    of_year = moment.timetuple().tm_yday
    since = (day - DAY).days
    return [day.year, day.month, day.day, of_year, day.isoweekday(), moment.hour, since]


def as_lazy(moments):
    return pl.LazyFrame({"visit": pl.Series(moments, dtype=pl.Datetime("us"))})


def as_duckdb(moments):
    return duckdb.from_arrow(pa.table({"visit": pa.array(moments, pa.timestamp("us"))}))


HOLDERS = {
    "pandas": lambda moments: pd.DataFrame({"visit": pd.Series(moments, dtype="datetime64[s]")}),
    "objects": lambda moments: pd.DataFrame({"visit": pd.Series(moments, dtype=object)}),
    "texts": lambda moments: pd.DataFrame({"visit": [m and str(m) for m in moments]}, dtype=object),
    "polars": lambda moments: as_lazy(moments).collect(),
    "pyarrow": lambda moments: pa.table({"visit": pa.array(moments, pa.timestamp("us"))}),
    "lazy polars": as_lazy,
    "duckdb": as_duckdb,
}


@pytest.mark.parametrize("holder", HOLDERS)
@for_all(moments=st.lists(st.none() | MOMENTS, min_size=1, max_size=20))
def test_all_parts_are_those_of_the_calendar(holder, moments):
    found = nw.from_native(date_columns(HOLDERS[holder](moments), {"visit": PARTS})).lazy()
    rows = found.collect("polars").rows()
    rows = [[None if value != value else value for value in row] for row in rows]
    assert sorted(rows, key=str) == sorted(
        [[value and float(value) for value in by_calendar(m)] for m in moments], key=str
    )


def test_new_columns_stand_in_place_of_the_dates_and_keep_the_index():
    table = pd.DataFrame({"a": [1, 2], "visit": ["3 Jun 2020", None], "b": 0}, index=[7, 9])
    found = date_columns(table, {"visit": ["year", "days since 2020-01-01"]})
    assert list(found.columns) == ["a", "visit_year", "visit_days_since_2020_01_01", "b"]
    assert found["visit_year"].to_dict() == pytest.approx({7: 2020.0, 9: np.nan}, nan_ok=True)


def test_a_day_without_a_time_begins_at_midnight():
    for frame in (pl.DataFrame({"visit": [DAY]}), pl.LazyFrame({"visit": [DAY]})):
        found = date_columns(frame, {"visit": "hour"}).lazy().collect()
        assert found["visit_hour"].to_list() == [0.0]


def test_the_time_is_that_of_the_clock_on_the_wall():
    zoned = pd.to_datetime(["2020-06-03 23:30"]).tz_localize("Europe/Berlin")
    texts = ["2020-06-03T23:30:00+02:00"]
    for visit in (zoned, texts):
        found = date_columns(pd.DataFrame({"visit": visit}), {"visit": ["day", "hour"]})
        assert found.iloc[0].tolist() == [3.0, 23.0]


@pytest.mark.parametrize(
    ("texts", "day_first", "month"),
    [
        (["03.06.2020"], None, 6),
        (["03/06/2020", "25/06/2020"], None, 6),
        (["03/06/2020", "06/25/2020"], None, 3),
        (["03/06/2020"], True, 6),
        (["03/06/2020"], False, 3),
        (["06/06/2020"], None, 6),
    ],
)
def test_the_order_of_day_and_month_is_told_by_the_column_or_by_the_user(texts, day_first, month):
    table = pd.DataFrame({"visit": texts})
    found = date_columns(table, {"visit": "month"}, day_first=day_first)
    assert found["visit_month"][0] == month


@pytest.mark.parametrize(
    ("texts", "day_first", "message"),
    [
        (["03/06/2020"], None, r"'03/06/2020' in row 0, and no .*: pass day_first=True or day_"),
        (["25/6/2020", "6/25/2020"], None, r"'25/6/2020' in row 0, with the day first, but '6/25"),
        (["6/25/2020"], True, "'6/25/2020' in row 0, which is no date with the day first"),
        ([None, "3/4/20"], None, "'3/4/20' in row 1: write the year in four digits"),
        (["2020-06-03", "soon"], None, "'soon' in row 1: expected a date, such as 2020-06-03"),
        ([40], None, "40 in row 0: expected a date"),
    ],
)
def test_what_may_mean_two_things_is_refused(texts, day_first, message):
    table = pd.DataFrame({"visit": pd.Series(texts, dtype=object)})
    with pytest.raises(ValueError, match=f"column 'visit' holds {message}"):
        date_columns(table, {"visit": "year"}, day_first=day_first)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"visit": "quarter"}, "cannot compute 'quarter' of column 'visit': expected year, month"),
        ({"visit": "days since 3/4/2020"}, "cannot compute"),
        ({"vist": "year"}, "no column 'vist' to compute from: 'visit', 'visit_day'"),
        ({"visit": ["year", "year"]}, "two columns 'visit_year'"),
        ({"visit": "day"}, "two columns 'visit_day'"),
    ],
)
def test_what_cannot_be_computed_is_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        date_columns(pd.DataFrame({"visit": ["2020-06-03"], "visit_day": [3]}), parts)


def test_texts_of_a_lazy_frame_are_refused():
    with pytest.raises(ValueError, match=r"column 'visit' holds texts: .*cast the column"):
        date_columns(pl.LazyFrame({"visit": ["2020-06-03"]}), {"visit": "year"})


@pytest.mark.parametrize("part", PARTS)
def test_a_name_tells_what_it_is_computed_from(part):
    known = DatePart.of("date_of visit", part)
    assert find_part(known.name, ["date", "date_of visit"]) == known
    assert find_part(known.name, ["date", "visit"]) is None
