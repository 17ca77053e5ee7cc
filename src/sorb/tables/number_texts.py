"""Numbers that are written as texts: with a decimal comma, a percent sign, and the like."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

__all__ = [
    "NONE",
    "POINT_ZERO",
    "drop_point_zero",
    "has_decimal_comma",
    "is_beyond_64_bits",
    "number_mask",
    "read_large_integers",
    "read_numbers",
    "require_no_numbers",
]

_EXPONENT = r"([eE][+-]?\d+)?"
_INFINITY = r"(?i:inf(inity)?)"
POINT = rf"^\s*[+-]?((\d+(\.\d*)?|\.\d+){_EXPONENT}|{_INFINITY})\s*$"
COMMA = rf"^\s*[+-]?((\d+(,\d*)?|,\d+){_EXPONENT}|{_INFINITY})\s*$"
# Groups of three digits, separated by any of these characters.
GROUPED = r"^\s*[+-]?\d{1,3}([.,'’ \x{a0}\x{202f}]\d{3})+([.,]\d+)?\s*$"
PERCENT = r"^\s*[+-]?\d+([.,]\d*)?\s*%\s*$"
WHOLE = r"^\d+$"
_ANY = (POINT, COMMA, GROUPED, PERCENT)
# As many digits as a decimal of Arrow can hold.
INTEGER = r"^\s*[+-]?\d{1,76}\s*$"
# In a column of numbers this is Python's missing value; among texts it is a word.
NONE = "None"
# How programs write whole numbers that they store as floats, for example beside missing values.
POINT_ZERO = re.compile(r"^([+-]?\d+)\.0+$")


def read_numbers(column: pa.ChunkedArray, commas: bool) -> pa.ChunkedArray:
    """Read a column of texts as numbers if all of them are numbers; otherwise leave it as it is.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The texts.
    commas : bool
        Whether numbers may have a decimal comma.

    Examples
    --------
    >>> read_numbers(pa.chunked_array([["25,3", "None", "26"]]), commas=True).to_pylist()
    [25.3, None, 26.0]
    """
    texts = pc.if_else(pc.equal(column, NONE), None, column)
    if texts.null_count == len(texts):
        return column
    for pattern in _patterns(commas):
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
            plain = pc.replace_substring(pc.utf8_trim_whitespace(texts), ",", ".")
            return plain.cast(pa.float64())
    return column


def read_large_integers(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read a column of texts as integers of at most 76 digits; None if not all of them are.

    Examples
    --------
    >>> read_large_integers(pa.chunked_array([["18446744073709551616", None]])).to_pylist()
    [Decimal('18446744073709551616'), None]
    """
    if not pc.all(pc.match_substring_regex(column, INTEGER)).as_py():
        return None
    return pc.utf8_trim_whitespace(column).cast(pa.decimal256(76))


def is_beyond_64_bits(column: pa.ChunkedArray) -> bool:
    """Whether a column of numbers holds any that no integer of 64 bits could."""
    if not pa.types.is_floating(column.type):
        return False
    extremes = pc.min_max(column).as_py().values()
    return any(value is not None and abs(value) >= 2**63 for value in extremes)


def _patterns(commas: bool) -> tuple[str, ...]:
    return (POINT, COMMA) if commas else (POINT,)


def number_mask(column: pa.ChunkedArray, commas: bool) -> pa.ChunkedArray:
    """Say which texts are numbers.

    Examples
    --------
    >>> number_mask(pa.chunked_array([["25,3", "x", "26"]]), commas=True).to_pylist()
    [True, False, True]
    """
    return _matches(column, _patterns(commas))


def drop_point_zero(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write the whole numbers among texts alike: 5 and 5.0 as 5.

    Examples
    --------
    >>> drop_point_zero(pa.chunked_array([["20095.0", "01234", "x"]])).to_pylist()
    ['20095', '01234', 'x']
    """
    return pc.replace_substring_regex(column.cast(pa.string()), POINT_ZERO.pattern, r"\1")


def has_decimal_comma(text: str) -> bool:
    """Whether a text is a number with a decimal comma.

    Examples
    --------
    >>> [has_decimal_comma(text) for text in ("25,3", "25", "a,b")]
    [True, False, False]
    """
    return "," in text and re.match(COMMA, text) is not None


def require_no_numbers(
    column: pa.ChunkedArray,
    name: str,
    options: str,
    pieces: Iterable[pa.ChunkedArray] | None = None,
    are_some: bool = False,
) -> None:
    """Refuse texts if all, or most, of them are numbers that could not be read as numbers.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The texts.
    name : str
        The name of the column.
    options : str
        The options that say that the texts are meant as texts.
    pieces : iterable of pyarrow.ChunkedArray, optional
        The whole column in pieces, if `column` holds its different texts alone.
    are_some : bool, default=False
        Whether `column` holds only some of the different texts.
    """
    texts = pc.unique(column.cast(pa.string()).drop_null())
    numbers = _matching(texts, *_ANY)
    if len(numbers) > len(texts) / 2 and (are_some or len(numbers) < len(texts)):
        signs = _require_only_numbers([column] if pieces is None else pieces, name, options)
        texts = numbers = pa.concat_arrays([numbers, pa.array(signs, pa.string())])
    if len(texts) == len(numbers) > len(_matching(texts, WHOLE)):
        raise ValueError(f"column {name!r} holds numbers {_obstacle(texts)}, or use {options}")


def _require_only_numbers(pieces: Iterable[pa.ChunkedArray], name: str, options: str) -> list[str]:
    """Refuse a text that is no number; give some of the numbers without a decimal point."""
    first_row, signs = 0, []
    for piece in pieces:
        texts = piece.cast(pa.string())
        row = pc.index(_matches(texts, _ANY), False).as_py()
        if row >= 0:
            raise ValueError(
                f"column {name!r} holds numbers, but {texts[row].as_py()!r} in row "
                f"{first_row + row}: correct it, or use {options}"
            )
        first_row += len(texts)
        signs += _others(texts, POINT).drop_null()[:1].to_pylist()
    return signs


def _obstacle(texts: pa.Array) -> str:
    """Describe how the unreadable numbers are written, and what to do about it."""
    signs = _others(texts, POINT, COMMA)
    commas = _others(texts, POINT)
    if len(signs):
        sign = "a percent sign" if "%" in signs[0].as_py() else "a thousands separator"
        return f"such as {signs[0].as_py()!r} with {sign}: write them without it"
    if not len(commas):
        return f"as texts, such as {_others(texts, WHOLE)[0].as_py()!r}: turn them into numbers"
    if len(_others(texts, COMMA)):
        return f"such as {commas[0].as_py()!r} with a comma and others with a point: correct them"
    if not len(_others(commas, GROUPED)):
        return (
            f"such as {commas[0].as_py()!r} with a comma: write them without it if it separates "
            "thousands, use --decimal comma if it is a decimal comma"
        )
    decimal = _others(commas, GROUPED)[0].as_py()
    return f"such as {decimal!r} with a decimal comma: use --decimal comma"


def _matching(texts: pa.Array, *patterns: str) -> pa.Array:
    return texts.filter(_matches(texts, patterns))


def _others(texts: pa.Array, *patterns: str) -> pa.Array:
    return texts.filter(pc.invert(_matches(texts, patterns)))


def _matches(texts: pa.Array, patterns: tuple[str, ...]) -> pa.Array:
    return pc.match_substring_regex(texts, "|".join(patterns))
