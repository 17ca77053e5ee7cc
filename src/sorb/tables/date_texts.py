"""Dates and times that are written as texts: 2020-06-03, 03.06.2020, 6/3/2020 14:30, 3 Jun 2020."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time

__all__ = ["DateText", "has_two_orders", "is_date", "is_month", "is_time", "read_date"]

_ENGLISH = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_GERMAN = (
    *("januar", "februar", "märz", "april", "mai", "juni", "juli", "august"),
    *("september", "oktober", "november", "dezember"),
)
_MONTHS = {
    spelling: number
    for names in (_ENGLISH, _GERMAN)
    for number, name in enumerate(names, start=1)
    for spelling in (name, name[:3])
} | {"sept": 9, "mrz": 3}
_NAME = "(?P<name>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?"
)
_ZONE = r"(?:\s*(?:z|utc|gmt|[+-]\d{2}(?::?\d{2})?))?"
_DAYS = (
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
    r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)",
    r"(?P<one>\d{1,2})(?P<mark>[-/.])(?P<two>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})",
    rf"(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th)?[ -]?{_NAME},?[ -]?(?P<year>\d{{4}}|\d{{2}})",
    rf"{_NAME}[ -](?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?[ -](?P<year>\d{{4}})",
)
_FLAGS = re.ASCII | re.IGNORECASE
_DATES = [
    re.compile(rf"\s*{_WEEKDAY}{day}(?:(?:\s*,\s*|\s+|t){_CLOCK}{_ZONE})?\s*", re.IGNORECASE)
    for day in _DAYS
]
_TIME = re.compile(rf"\s*{_CLOCK}{_ZONE}\s*", _FLAGS)
_MONTH = re.compile(
    rf"\s*(?:(?:19|20)\d\d-(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])/(?:19|20)\d\d"
    rf"|{_NAME}[ -](?:19|20)\d\d)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DateText:
    """A date as it is written.

    Attributes
    ----------
    day_first : what it means if the day comes before the month; None if that is no date.
    month_first : what it means if the month does; the same where the text tells which is which.
    has_century : whether the year has four digits.
    """

    day_first: datetime | None
    month_first: datetime | None
    has_century: bool


def read_date(text: str) -> DateText | None:
    """Read a date, which may have a time, as it is on the calendar where it was written.

    Examples
    --------
    >>> read_date("3 Jun 2020, 2:30 pm").day_first
    datetime.datetime(2020, 6, 3, 14, 30)
    >>> read_date("06/03/2020").day_first, read_date("06/03/2020").month_first
    (datetime.datetime(2020, 3, 6, 0, 0), datetime.datetime(2020, 6, 3, 0, 0))
    >>> read_date("31.02.2020") is None
    True
    """
    for pattern in _DATES if text.isascii() or "ä" in text.lower() else ():
        found = pattern.fullmatch(text)
        if found:
            return _read_parts(found.groupdict())
    return None


def _read_parts(parts: dict[str, str]) -> DateText | None:
    clock = _read_clock(parts) if parts["hour"] else time()
    has_century = len(parts["year"]) == 4
    # The century is only a guess, to see whether the day exists.
    year = int(parts["year"]) if has_century else 2000 + int(parts["year"])
    if clock is None:
        return None
    if "one" not in parts:
        month = _MONTHS[parts["name"].lower()] if "name" in parts else int(parts["month"])
        known = _moment(year, month, int(parts["day"]), clock)
        return None if known is None else DateText(known, known, has_century)
    one, two = int(parts["one"]), int(parts["two"])
    day_first = _moment(year, two, one, clock)
    # Nobody writes the month first and then a point.
    month_first = day_first if parts["mark"] == "." else _moment(year, one, two, clock)
    if day_first is None and month_first is None:
        return None
    return DateText(day_first, month_first, has_century)


def _moment(year: int, month: int, day: int, clock: time) -> datetime | None:
    try:
        return datetime(year, month, day, clock.hour, clock.minute, clock.second)
    except ValueError:
        return None


def _read_clock(parts: dict[str, str]) -> time | None:
    hour, half = int(parts["hour"]), (parts["half"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return time(hour, int(parts["minute"]), int(parts["second"] or 0))
    except ValueError:
        return None


def has_two_orders(date: DateText) -> bool:
    """Whether a text is two different dates, depending on whether the day comes first."""
    return None not in (date.day_first, date.month_first) and date.day_first != date.month_first


def is_date(text: str) -> bool:
    """Whether a text is a date, in some order of day and month."""
    return read_date(text) is not None


def is_time(text: str) -> bool:
    """Whether a text is a time of the day.

    Examples
    --------
    >>> [is_time(text) for text in ("14:30", "2:30 pm", "1:80", "24:00")]
    [True, True, False, False]
    """
    found = _TIME.fullmatch(text)
    return found is not None and _read_clock(found.groupdict()) is not None


def is_month(text: str) -> bool:
    """Whether a text is a month of some year.

    Examples
    --------
    >>> [is_month(text) for text in ("2020-06", "Jun 2020", "06/2020", "2012-13")]
    [True, True, True, False]
    """
    return _MONTH.fullmatch(text) is not None
