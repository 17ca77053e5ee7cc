"""What the texts of a column really are: categories, dates, names, or numbers written badly.

Everything is decided from the different texts and the number of rows that they stand for, so the
order of the rows has no influence. What is not certain counts as categories.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from sorb.tables.date_texts import is_date, is_month, is_time

__all__ = [
    "COMMA",
    "MOST_CATEGORIES",
    "POINT",
    "WHOLE_TEXT",
    "TextKind",
    "Texts",
    "is_plain_number",
    "recognise_texts",
]

# More different texts are not taken for categories, unless the user says so.
MOST_CATEGORIES = 255
# Up to so many different texts are usual for categories, however few the rows.
_FEW = 20
# So many different texts tell what the others are.
_ENOUGH = 20_000
# So many months in a row are no seasons, such as 2009-10, 2010-11 and 2011-12.
_FEW_MONTHS = 12

_EXPONENT = r"([eE][+-]?\d+)?"
_INFINITY = r"(?i:inf(inity)?)"
POINT = rf"^\s*[+-]?((\d+(\.\d*)?|\.\d+){_EXPONENT}|{_INFINITY})\s*$"
COMMA = rf"^\s*[+-]?((\d+(,\d*)?|,\d+){_EXPONENT}|{_INFINITY})\s*$"
WHOLE_TEXT = "^[0-9]+$"
_WHOLE = re.compile(WHOLE_TEXT)
_POINT, _COMMA = re.compile(POINT, re.ASCII), re.compile(COMMA, re.ASCII)
# Groups of three digits, separated by any of these characters.
_GROUPED = re.compile(r"\s*[+-]?[1-9]\d{0,2}([.,'’ \xa0\u202f]\d{3})+([.,]\d+)?\s*", re.ASCII)
_PERCENT = re.compile(r"\s*[+-]?\d+([.,]\d*)?\s*[%‰]\s*", re.ASCII)
_AMOUNT = r"[+-]?(?:\d{1,3}(?:[.,'’ \xa0\u202f]\d{3})+|\d+)(?P<decimals>[.,]\d+)?"
_MONEY = r"(?:[A-Z]{0,2}[€$£¥₹]|EUR|USD|GBP|CHF)"
# A number and a single word, or a currency and a number.
_UNIT = re.compile(
    rf"\s*(?P<money>{_MONEY})?[ \xa0]?{_AMOUNT}(?P<gap>[ \xa0]*)"
    r"(?P<unit>[a-zA-ZµμΩ°€$£¥₹'\"²³][\w°µμΩ²³/·*^€$£'\"]{0,11}( ?Hg)?)?\.?\s*",
)
_ORDINAL = ("st", "nd", "rd", "th")
# Letters that are units even if no gap parts them from a whole number; 12b is no number.
_GLUED = "gmshlkKMLV°€$£¥₹'\""
# What stands beside numbers where they are classes: <30, 6-10, 80+.
_RANGE = re.compile(r"\s*([<>≤≥~]=?\s*\d.*|\d[\d.,]*\s*(\+|(-|–|—|to|bis)\s*\d.*))\s*", re.ASCII)
# What stands beside numbers where they are codes, such as V57 among codes of diseases.
_CODE = re.compile(r"[A-Za-z]{1,3}[-. ]?\d[\w.-]*", re.ASCII)


class TextKind(Enum):
    """What the texts of a column are."""

    CATEGORIES = "categories"
    DATES = "dates or times"
    NAMES = "identifiers or names"
    TOO_MANY = "too many categories"
    NUMBERS = "numbers as texts"
    COMMAS = "numbers with a comma"
    MIXED_COMMAS = "numbers with a comma and others with a point"
    DECIMAL_COMMAS = "numbers with a decimal comma"
    SEPARATED = "numbers with thousands separators"
    PERCENT = "numbers with percent signs"
    UNITS = "numbers with units"
    STRAY = "numbers beside other texts"

    @property
    def is_nearly_numbers(self) -> bool:
        """Whether these are numbers that cannot be read as numbers."""
        return self not in _NO_NUMBERS

    @property
    def is_left_out(self) -> bool:
        """Whether no rule could use them."""
        return self in _NO_NUMBERS[1:]


_NO_NUMBERS = (TextKind.CATEGORIES, TextKind.DATES, TextKind.NAMES, TextKind.TOO_MANY)


@dataclass(frozen=True, slots=True)
class Texts:
    """What the texts of a column are, and which of them show it.

    Attributes
    ----------
    kind : what they are.
    count : how many different ones there are.
    shows : whether a text shows it: for numbers beside other texts, one of these.
    example : the first such text in alphabetical order.
    """

    kind: TextKind
    count: int
    shows: Callable[[str], bool]
    example: str


def recognise_texts(
    texts: Sequence[str], n_rows: float | None = None, *, whole: bool = True
) -> Texts:
    """Say what the texts of a column are.

    Parameters
    ----------
    texts : the different texts, without missing ones.
    n_rows : how many rows have one, where copies of a row count; by default, as many as there are
        texts times three, as if they recurred.
    whole : whether all different texts are given, not only some of many.

    Examples
    --------
    >>> for texts in (["A+", "0", "B"], ["03.06.2020", "24.12.2020", "?"], ["36.7 kg", "40 kg"]):
    ...     found = recognise_texts(texts)
    ...     print(found.kind.value, found.example)
    categories 0
    dates or times 03.06.2020
    numbers with units 36.7 kg
    """
    known = sorted(texts)
    # Some are enough to see what most of them are.
    some = known[:: -(-len(known) // _ENOUGH)] if known else []
    recurs = n_rows is None or n_rows * 2 > len(known) * 3
    found = _dates(some) or _numbers(some, known, recurs)
    if found is not None:
        kind, shows = found
        return Texts(kind, len(known), shows, next(filter(shows, known)))
    kind = TextKind.CATEGORIES
    if whole and not recurs and len(known) > _FEW:
        kind = TextKind.NAMES
    elif len(known) > MOST_CATEGORIES:
        kind = TextKind.TOO_MANY
    return Texts(kind, len(known), lambda text: True, known[0] if known else "")


_Found = tuple[TextKind, Callable[[str], bool]]


def _dates(texts: Sequence[str]) -> _Found | None:
    """Recognise dates and times if most texts are some; the others may mark missing values."""
    for is_some, few in ((is_date, 0), (is_month, _FEW_MONTHS), (is_time, _FEW)):
        count = sum(map(is_some, texts))
        if count > few and count > len(texts) / 2:
            return TextKind.DATES, is_some
    return None


def _numbers(some: Sequence[str], known: Sequence[str], recurs: bool) -> _Found | None:
    """Recognise numbers if most texts are some, unless all are whole: these are codes."""
    units = _common_units(some, recurs)

    def is_number(text: str) -> bool:
        return is_plain_number(text) or _unit(text) in units

    if sum(map(is_number, some)) <= len(some) / 2:
        return None
    others = [text for text in known if not is_number(text)]
    if others:
        if _are_classes(others, known):
            return None
        return TextKind.STRAY, lambda text: not is_number(text)
    return _badly_written(known, units)


def is_plain_number(text: str) -> bool:
    """Whether a text is a number, perhaps with separators or a percent sign."""
    patterns = (_POINT, _COMMA, _GROUPED, _PERCENT)
    return any(pattern.fullmatch(text) for pattern in patterns)


def _unit(text: str) -> str | None:
    """The unit of a number, in lower case; None if there is none, or no number.

    Examples
    --------
    >>> [_unit(text) for text in ("36.7 kg", "€ 1,200", "5 mmHg", "2nd", "2 or more", "E11.9")]
    ['kg', '€', 'mmhg', None, None, None]
    """
    found = _UNIT.fullmatch(text)
    if found is None or not (found["unit"] or found["money"]):
        return None
    unit, is_plain = found["unit"], not found["decimals"]
    if unit and (unit.lower() in _ORDINAL or unit[-1].isdigit()):
        return None
    if unit and len(unit) == 1 and is_plain and not found["gap"] and unit not in _GLUED:
        return None
    return str(unit or found["money"]).lower()


def _common_units(texts: Sequence[str], recurs: bool) -> frozenset[str]:
    """The units of numbers, if one is the most common by far, and the numbers are no classes."""
    units = {text: unit for text in texts if (unit := _unit(text)) and not is_plain_number(text)}
    counts = Counter(units.values())
    if not counts or max(counts.values()) < len(units) / 2:
        return frozenset()
    # 2 doors and 4 doors are classes; 36.7 kg is a measurement, and so are many different numbers.
    are_many = len(units) > _FEW or (not recurs and len(units) > _FEW / 4)
    if are_many or any(re.search(r"\d[.,]\d", text) for text in units):
        return frozenset(counts)
    return frozenset()


def _are_classes(others: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether the texts beside numbers show that the numbers are classes or codes as well."""
    if len(texts) <= _FEW and _are_apart([text for text in texts if text not in others], others):
        return True
    codes = sum(1 for text in others if _CODE.fullmatch(text))
    return codes > 1 and codes > len(others) / 2


def _are_apart(numbers: Sequence[str], others: Sequence[str]) -> bool:
    """Whether other texts are ranges before or after all numbers, which are whole: 0, 1, 2, 3+."""
    ranges = [text for text in others if _RANGE.fullmatch(text)]
    if not ranges or not all(map(_WHOLE.fullmatch, numbers)):
        return False
    values = [int(text) for text in numbers]
    starts = [float(re.findall(r"\d+(?:\.\d+)?", text)[0]) for text in ranges]
    return not any(min(values) < start < max(values) for start in starts)


def _badly_written(texts: Sequence[str], units: frozenset[str]) -> _Found | None:
    """Say why texts that are all numbers could not be read as numbers; None for codes."""
    if all(map(_WHOLE.fullmatch, texts)):
        return None
    with_unit = [text for text in texts if not is_plain_number(text)]
    if with_unit:
        return TextKind.UNITS, lambda text: _unit(text) in units and not is_plain_number(text)
    if any(map(_PERCENT.fullmatch, texts)):
        return TextKind.PERCENT, lambda text: _PERCENT.fullmatch(text) is not None
    commas = [text for text in texts if not _POINT.fullmatch(text)]
    if not commas:
        return TextKind.NUMBERS, lambda text: not _WHOLE.fullmatch(text)
    if not all(map(_COMMA.fullmatch, commas)):
        return (
            TextKind.SEPARATED,
            lambda text: not (_POINT.fullmatch(text) or _COMMA.fullmatch(text)),
        )
    if not all(map(_COMMA.fullmatch, texts)):
        return TextKind.MIXED_COMMAS, lambda text: not _POINT.fullmatch(text)
    if all(map(_GROUPED.fullmatch, commas)):
        return TextKind.COMMAS, lambda text: not _POINT.fullmatch(text)
    return (
        TextKind.DECIMAL_COMMAS,
        lambda text: not (_POINT.fullmatch(text) or _GROUPED.fullmatch(text)),
    )
