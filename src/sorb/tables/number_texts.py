"""Numbers that are written as texts: with a decimal comma, a percent sign, and the like."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from sorb.tables.text_kinds import COMMA, POINT

__all__ = [
    "NONE",
    "POINT_ZERO",
    "drop_point_zero",
    "has_decimal_comma",
    "is_beyond_64_bits",
    "number_mask",
    "read_large_integers",
    "read_numbers",
]

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


def _matches(texts: pa.Array, patterns: tuple[str, ...]) -> pa.Array:
    return pc.match_substring_regex(texts, "|".join(patterns))
