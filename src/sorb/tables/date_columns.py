"""Numbers that are computed from dates, in columns whose names say how: `visit_year`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.rules.columns import wrap_frame
from sorb.rules.numbers import is_missing
from sorb.tables.date_texts import DateText, has_two_orders, read_date
from sorb.tables.quoting import quote_some

__all__ = ["DatePart", "date_columns", "derive_columns", "find_part"]

_DAYS_SINCE = "days since "
_EPOCH = np.datetime64("1970-01-01", "s")


def _days(moments: NDArray[Any]) -> NDArray[Any]:
    return moments.astype("M8[D]")


def _months(moments: NDArray[Any]) -> NDArray[Any]:
    return moments.astype("M8[M]")


def _years(moments: NDArray[Any]) -> NDArray[Any]:
    return moments.astype("M8[Y]")


# What is computed in memory, and by the engine of a lazy frame.
_IN_MEMORY: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "year": lambda moments: _years(moments).astype(float) + 1970,
    "month": lambda moments: (_months(moments) - _years(moments).astype("M8[M]")).astype(float) + 1,
    "day": lambda moments: (_days(moments) - _months(moments).astype("M8[D]")).astype(float) + 1,
    "day of year": lambda moments: (
        (_days(moments) - _years(moments).astype("M8[D]")).astype(float) + 1
    ),
    # The epoch was a Thursday.
    "weekday": lambda moments: (_days(moments).astype(float) + 3) % 7 + 1,
    "hour": lambda moments: (moments - _days(moments)).astype("m8[h]").astype(float),
}
_BY_ENGINES: dict[str, Callable[[nw.Expr], nw.Expr]] = {
    "year": lambda day: day.dt.year(),
    "month": lambda day: day.dt.month(),
    "day": lambda day: day.dt.day(),
    "day of year": lambda day: day.dt.ordinal_day(),
    "weekday": lambda day: day.dt.weekday(),
    "hour": lambda day: day.dt.hour(),
}


@dataclass(frozen=True, slots=True)
class DatePart:
    """A number that is computed from a date.

    Attributes
    ----------
    column : the column of dates.
    part : "year", "month", "day", "day of year", "weekday" or "hour"; None for days since a day.
    since : that day.

    Examples
    --------
    >>> DatePart.of("visit", "days since 2020-01-01").name
    'visit_days_since_2020_01_01'
    """

    column: str
    part: str | None
    since: date | None = None

    @classmethod
    def of(cls, column: str, wanted: str) -> DatePart:
        """Read what is wanted of a column of dates."""
        part = " ".join(wanted.split())
        if part in _IN_MEMORY:
            return cls(column, part)
        if part.startswith(_DAYS_SINCE):
            day = read_date(part.removeprefix(_DAYS_SINCE))
            if day is not None and day.day_first is not None and not has_two_orders(day):
                return cls(column, None, day.day_first.date())
        raise ValueError(
            f"cannot compute {wanted!r} of column {column!r}: expected "
            f"{', '.join(_IN_MEMORY)}, or days since a day, such as 'days since 2020-01-01'"
        )

    @property
    def name(self) -> str:
        """The name of the column that holds it."""
        what = self.part or f"{_DAYS_SINCE}{self.since}"
        return f"{self.column}_{re.sub('[ -]', '_', what)}"

    def of_moments(self, moments: NDArray[Any]) -> Float:
        """Compute it; NaN where there is no date."""
        missing = np.isnat(moments)
        known = np.where(missing, _EPOCH, moments)
        if self.part is None:
            found = (_days(known) - np.datetime64(self.since, "D")).astype(float)
        else:
            found = _IN_MEMORY[self.part](known)
        return np.where(missing, np.nan, found)

    def of_expression(self) -> nw.Expr:
        """Compute it by the engine of a lazy frame."""
        day = nw.col(self.column)
        if self.part is None:
            assert self.since is not None
            count = _day_number(day)
            return count - float(_number_of(self.since))
        if self.part == "hour":  # a day has none in some engines
            day = day.cast(nw.Datetime)
        return _BY_ENGINES[self.part](day).cast(nw.Float64)


def _day_number(day: nw.Expr) -> nw.Expr:
    """Count days from some day on, as engines differ in how they subtract dates."""
    year, month = day.dt.year().cast(nw.Float64), day.dt.month().cast(nw.Float64)
    # Years begin in March, so that the day more of a leap year is the last.
    is_late = month > 2
    year = nw.when(is_late).then(year).otherwise(year - 1.0)
    month = nw.when(is_late).then(month - 3.0).otherwise(month + 9.0)
    leaps = (year / 4.0).floor() - (year / 100.0).floor() + (year / 400.0).floor()
    return (
        year * 365.0 + leaps + ((month * 153.0 + 2.0) / 5.0).floor() + day.dt.day().cast(nw.Float64)
    )


def _number_of(day: date) -> int:
    """The number of a day as `_day_number` counts: 1 March of the year 0 is the first."""
    return day.toordinal() + 306


def find_part(name: str, columns: Collection[str]) -> DatePart | None:
    """Find the column of dates, and what to compute of it, that the name of a column tells.

    Examples
    --------
    >>> find_part("visit_day_of_year", ["visit"])
    DatePart(column='visit', part='day of year', since=None)
    >>> find_part("visit_number", ["visit"]) is None
    True
    """
    for column in columns:
        if not name.startswith(f"{column}_"):
            continue
        what = name.removeprefix(f"{column}_")
        day = re.fullmatch(r"days_since_(\d{4})_(\d\d)_(\d\d)", what)
        wanted = f"{_DAYS_SINCE}{'-'.join(day.groups())}" if day else what.replace("_", " ")
        try:
            return DatePart.of(column, wanted)
        except ValueError:
            continue
    return None


def date_columns(
    table: Any, parts: Mapping[str, str | Sequence[str]], *, day_first: bool | None = None
) -> Any:
    """Replace columns of dates by numbers that are computed from them.

    Rules weigh numbers, and dates have no unit to weigh them in. The names of the new columns say
    what they hold, so that the command line can compute them again for a model that uses them.

    Parameters
    ----------
    table : DataFrame of pandas, polars or pyarrow, or lazy frame
        The table; a lazy frame must hold true dates, not texts.
    parts : mapping from str to str, or to sequence of str
        What to compute from each column: ``"year"``, ``"month"``, ``"day"``, ``"day of year"``,
        ``"weekday"`` (Monday is 1), ``"hour"``, or ``"days since 2020-01-01"``.
    day_first : bool or None, default=None
        Whether the day comes before the month in texts such as 03/06/2020. By default the column
        must tell, by a day beyond 12.

    Returns
    -------
    table : as given
        The same table with the new columns in place of the dates, as floats, missing where the date
        is.

    Examples
    --------
    >>> import pandas as pd
    >>> from sorb import date_columns
    >>> visits = pd.DataFrame({"visit": ["03.06.2020", None], "age": [40, 50]})
    >>> date_columns(visits, {"visit": ["year", "days since 2020-01-01"]})
       visit_year  visit_days_since_2020_01_01  age
    0      2020.0                        154.0   40
    1         NaN                          NaN   50
    """
    frame = wrap_frame(table)
    names = frame.collect_schema().names()
    wanted: list[DatePart] = []
    for column, of_column in parts.items():
        if column not in names:
            raise ValueError(f"there is no column {column!r} to compute from: {quote_some(names)}")
        each = [of_column] if isinstance(of_column, str) else of_column
        wanted += [DatePart.of(column, part) for part in each]
    for part in wanted:
        if part.name in names or wanted.count(part) > 1:
            raise ValueError(f"there would be two columns {part.name!r}: rename or name it once")
    how = "pass day_first=True or day_first=False"
    return derive_columns(frame, wanted, parts, day_first, how).to_native()


def derive_columns(
    frame: Any,
    wanted: Iterable[DatePart],
    dropped: Collection[str],
    day_first: bool | None,
    how_to_say: str,
) -> Any:
    """Add columns to a frame of narwhals behind those that they are computed from; drop some.

    `how_to_say` tells users how they say whether the day comes first.
    """
    by_column: dict[str, list[DatePart]] = {}
    for part in wanted:
        by_column.setdefault(part.column, []).append(part)
    order: list[str] = []
    for name in frame.collect_schema().names():
        order += [] if name in dropped else [name]
        order += [part.name for part in by_column.get(name, ())]
    if isinstance(frame, nw.LazyFrame):
        for name in by_column:
            _require_dates(name, frame.collect_schema()[name])
        exprs = [part.of_expression().alias(part.name) for p in by_column.values() for part in p]
        return frame.with_columns(*exprs).select(*order)
    new = []
    for name, of_column in by_column.items():
        moments = _moments(frame[name], name, day_first, how_to_say)
        for part in of_column:
            numbers = part.of_moments(moments).tolist()
            values = [None if number != number else number for number in numbers]
            new.append(nw.new_series(part.name, values, nw.Float64, backend=frame.implementation))
    return frame.with_columns(*new).select(*order)


def _require_dates(name: str, dtype: Any) -> None:
    if dtype in (nw.Date, nw.Datetime):
        return
    held = "texts" if dtype == nw.String else dtype
    raise ValueError(
        f"column {name!r} holds {held}: a table that is not read as a whole must have true dates, "
        "so cast the column, or write its texts as 2020-06-03"
    )


def _moments(
    column: nw.Series[Any], name: str, day_first: bool | None, how_to_say: str
) -> NDArray[Any]:
    """Read a column of dates, or of texts that are dates, as they are on the calendar there."""
    if column.dtype == nw.Datetime and getattr(column.dtype, "time_zone", None):
        column = column.dt.replace_time_zone(None)
    if column.dtype in (nw.Date, nw.Datetime):
        values = column.to_numpy()
        if values.dtype.kind == "M":
            return values.astype("M8[s]")
    cells = [None if is_missing(value) else value for value in column.to_list()]
    texts = [cell if isinstance(cell, str) and cell.strip() else None for cell in cells]
    known = {text: read_date(text) for text in texts if text is not None}
    meaning = _choose_order(known, texts, name, day_first, how_to_say)
    found = np.full(len(cells), np.datetime64("NaT"), dtype="M8[s]")
    for row, cell in enumerate(cells):
        if isinstance(cell, str):
            found[row] = meaning.get(cell, np.datetime64("NaT"))
        elif isinstance(cell, date):  # a datetime is one
            found[row] = cell.replace(tzinfo=None) if isinstance(cell, datetime) else cell
        elif cell is not None:
            raise _no_date(name, cell, row)
    return found


def _no_date(name: str, value: Any, row: int) -> ValueError:
    return ValueError(
        f"column {name!r} holds {value!r} in row {row}: expected a date, such as 2020-06-03, or a "
        "missing value"
    )


def _choose_order(
    known: Mapping[str, DateText | None],
    texts: Sequence[str | None],
    name: str,
    day_first: bool | None,
    how_to_say: str,
) -> dict[str, datetime]:
    """Say what each text means, from what the others tell about the order of day and month."""

    def first(texts_that: Callable[[DateText | None], bool]) -> tuple[str, int] | None:
        for row, text in enumerate(texts):
            if text is not None and texts_that(known[text]):
                return text, row
        return None

    if found := first(lambda day: day is None):
        raise _no_date(name, *found)
    if found := first(lambda day: day is not None and not day.has_century):
        raise ValueError(
            f"column {name!r} holds {found[0]!r} in row {found[1]}: write the year in four digits"
        )
    only_day = first(lambda day: day is not None and day.month_first is None)
    only_month = first(lambda day: day is not None and day.day_first is None)
    if only_day and only_month:
        raise ValueError(
            f"column {name!r} holds {only_day[0]!r} in row {only_day[1]}, with the day first, but "
            f"{only_month[0]!r} in row {only_month[1]}, with the month first: write all alike"
        )
    if day_first is None:
        unclear = first(lambda day: day is not None and has_two_orders(day))
        if unclear and not (only_day or only_month):
            raise ValueError(
                f"column {name!r} holds {unclear[0]!r} in row {unclear[1]}, and no date tells "
                f"whether the day or the month comes first: {how_to_say}"
            )
        day_first = only_month is None
    wrong = only_month if day_first else only_day
    if wrong:
        which = "day" if day_first else "month"
        raise ValueError(
            f"column {name!r} holds {wrong[0]!r} in row {wrong[1]}, which is no date with the "
            f"{which} first: {how_to_say}"
        )
    meant = {
        text: day.day_first if day_first else day.month_first
        for text, day in known.items()
        if day is not None
    }
    return {text: moment for text, moment in meant.items() if moment is not None}
