"""What becomes of columns that hold neither numbers nor categories: left out, or refused.

What no rule could use is left out, with a reason: dates, identifiers, names, too many categories.
What is nearly a number is refused, as a mistake in the data should be mended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

import narwhals as nw
import numpy as np

from sorb.tables.text_kinds import MOST_CATEGORIES, TextKind, Texts

__all__ = [
    "IN_PYTHON",
    "LARGEST_WHOLE",
    "HowTo",
    "bad_numbers",
    "describe_bad_numbers",
    "is_whole",
    "require_some_left",
    "why_dates_are_left_out",
    "why_identifiers_are_left_out",
    "why_texts_are_left_out",
    "write_date",
]

# Beyond this, a float64 does not hold every whole number.
LARGEST_WHOLE = 2**53
_WIDE = (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128)

_TRAITS = {
    TextKind.COMMAS: ("a comma", "write them without it if it separates thousands, {comma}"),
    TextKind.MIXED_COMMAS: ("a comma and others with a point", "correct them"),
    TextKind.DECIMAL_COMMAS: ("a decimal comma", "{comma}"),
    TextKind.SEPARATED: ("a thousands separator", "write them without it"),
    TextKind.PERCENT: ("a percent sign", "write them without it"),
    TextKind.UNITS: ("a unit", "write them without it, all in the same unit"),
}


@dataclass(frozen=True, slots=True)
class HowTo:
    """How users say what a column holds, in the language of where they are.

    Attributes
    ----------
    use_dates : how to make numbers of dates.
    keep : how to say that texts are categories.
    read_commas : what to do about decimal commas.
    otherwise : what may be done instead of mending numbers; it ends a sentence.
    mark : how to say that a text marks a missing value; it follows these words.
    """

    use_dates: str
    keep: str
    read_commas: str
    otherwise: str
    mark: Callable[[str], str] = lambda _: ""


IN_PYTHON = HowTo(
    "sorb.date_columns makes numbers of them, such as the year or the days since a day",
    "name the column in categorical_features",
    "write a decimal point",
    "; or, if these are categories, name the column in categorical_features",
)


def is_whole(dtype: Any) -> bool:
    """Whether a type holds only whole numbers, and among them such that a float64 does not hold."""
    # The oldest narwhals do not tell how many decimals there are.
    return dtype in _WIDE or (dtype == nw.Decimal and getattr(dtype, "scale", None) == 0)


def write_date(value: Any) -> str | None:
    """Write a date or time; None for durations, and for what an engine gives instead of a date."""
    if isinstance(value, (date, time, np.datetime64)) or type(value).__name__ == "Period":
        return str(value).removesuffix(" 00:00:00")
    return None


def why_dates_are_left_out(example: str | None, how_to: HowTo) -> str:
    """Say why a column of dates or times is left out, and what to do instead."""
    such = f", such as {example}," if example else ""
    return f"dates and times{such} have no unit to weigh them in; {how_to.use_dates}"


def why_identifiers_are_left_out(example: int) -> str:
    """Say why a column of whole numbers that no float holds is left out."""
    return (
        f"whole numbers beyond {LARGEST_WHOLE}, such as {example}, are taken for identifiers; if "
        "they are quantities, write them as decimal numbers"
    )


def why_texts_are_left_out(texts: Texts, n_rows: float | None, how_to: HowTo) -> str | None:
    """Say why a column of texts is left out, and what to do instead; None if it is not.

    `n_rows` is the number of rows with a text, if all different texts are known.
    """
    if texts.kind is TextKind.DATES:
        return why_dates_are_left_out(repr(texts.example), how_to)
    keep = f"if they are categories, {how_to.keep}"
    if texts.kind is TextKind.NAMES:
        return (
            f"{texts.count} different texts in {n_rows:.0f} rows, such as {texts.example!r}, are "
            f"taken for names or identifiers; {keep}"
        )
    if texts.kind is TextKind.TOO_MANY:
        count = f"more than {MOST_CATEGORIES}" if n_rows is None else str(texts.count)
        return (
            f"{count} different texts, such as {texts.example!r}, are too many for categories; "
            f"{keep}"
        )
    return None


def describe_bad_numbers(texts: Texts, value: Any, where: str, how_to: HowTo) -> str:
    """Say what is wrong with texts that are nearly numbers, and what to do.

    `value` is one that shows it, and `where` says where it is, as in " in row 3".
    """
    return ": ".join(bad_numbers(texts, value, where, how_to))


def bad_numbers(texts: Texts, value: Any, where: str, how_to: HowTo) -> tuple[str, str]:
    """Say what is wrong with texts that are nearly numbers; and, apart from that, what to do."""
    if texts.kind is TextKind.STRAY:
        what, remedy = (
            "holds numbers, but",
            f"correct it, or mark it as missing{how_to.mark(value)}",
        )
    elif texts.kind is TextKind.NUMBERS:
        what, remedy = "holds texts that read as numbers, such as", "turn them into numbers"
    else:
        trait, remedy = _TRAITS[texts.kind]
        what = f"holds numbers with {trait}, such as"
        remedy = remedy.format(comma=how_to.read_commas)
    return f"{what} {value!r}{where}", remedy + how_to.otherwise


def require_some_left(names: Sequence[str], left_out: Mapping[str, str]) -> None:
    """Refuse a table in which all columns are left out."""
    if left_out and len(left_out) == len(names):
        name, reason = next(iter(left_out.items()))
        raise ValueError(f"no column is left to learn from: column {name!r}: {reason}")
