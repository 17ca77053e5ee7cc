"""Numbers that stand in a table as texts, because they are written in a way of their own."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["as_numbers", "has_decimal_comma", "require_no_numbers"]

_EXPONENT = r"([eE][+-]?\d+)?"
POINT = rf"^\s*[+-]?(\d+(\.\d*)?|\.\d+){_EXPONENT}\s*$"
COMMA = rf"^\s*[+-]?(\d+(,\d*)?|,\d+){_EXPONENT}\s*$"
# Groups of three digits, with any sign between them but the one before the decimals.
GROUPED = r"^\s*[+-]?\d{1,3}([.,'’ \x{a0}\x{202f}]\d{3})+([.,]\d+)?\s*$"
PERCENT = r"^\s*[+-]?\d+([.,]\d*)?\s*%\s*$"
WHOLE = r"^\d+$"
# In a column of numbers this is what Python calls a missing value; among texts it is a word.
NONE = "None"


def as_numbers(column: pa.ChunkedArray, commas: bool) -> pa.ChunkedArray:
    """Read a column of texts as numbers if all of them are such, and leave any other as it is.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The texts.
    commas : bool
        Whether numbers may have a decimal comma.

    Examples
    --------
    >>> as_numbers(pa.chunked_array([["25,3", "None", "26"]]), commas=True).to_pylist()
    [25.3, None, 26.0]
    """
    texts = pc.if_else(pc.equal(column, NONE), None, column)
    if texts.null_count == len(texts):
        return column
    for pattern in (POINT, COMMA) if commas else (POINT,):
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
            plain = pc.replace_substring(pc.utf8_trim_whitespace(texts), ",", ".")
            return plain.cast(pa.float64())
    return column


def has_decimal_comma(written: str) -> bool:
    """Whether a text is a number if its comma is decimal.

    Examples
    --------
    >>> [has_decimal_comma(written) for written in ("25,3", "25", "a,b")]
    [True, False, False]
    """
    return "," in written and re.match(COMMA, written) is not None


def require_no_numbers(column: pa.ChunkedArray, name: str, options: str) -> None:
    """Refuse texts of which all, or most, are numbers that could not be read as such.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The texts.
    name : str
        What the column is called.
    options : str
        What to say on the command line if the texts are meant as such.
    """
    texts = pc.unique(column.cast(pa.string()).drop_null())
    numbers = _matching(texts, POINT, COMMA, GROUPED, PERCENT)
    if len(texts) > len(numbers) > len(texts) / 2:
        wrong = _others(texts, POINT, COMMA, GROUPED, PERCENT)[0].as_py()
        row = pc.index(column.cast(pa.string()), wrong).as_py()
        raise ValueError(
            f"the column {name!r} holds numbers, but {wrong!r} in row {row}: correct it, or say "
            f"{options}"
        )
    if len(texts) == len(numbers) > len(_matching(texts, WHOLE)):
        raise ValueError(f"the column {name!r} holds numbers {_manner(texts)}, or say {options}")


def _manner(texts: pa.Array) -> str:
    """Tell how numbers are written that could not be read, and what to do about it."""
    signs = _others(texts, POINT, COMMA)
    commas = _others(texts, POINT)
    if len(signs):
        sign = "a percent sign" if "%" in signs[0].as_py() else "signs between thousands"
        return f"such as {signs[0].as_py()!r} with {sign}: write them without"
    if not len(commas):
        return f"as texts, such as {_others(texts, WHOLE)[0].as_py()!r}: turn them into numbers"
    if len(_others(texts, COMMA)):
        return f"such as {commas[0].as_py()!r} with a comma and others with a point: correct them"
    if not len(_others(commas, GROUPED)):
        return (
            f"such as {commas[0].as_py()!r} with a comma: write them without if it stands between "
            "thousands, say --decimal comma if it stands before decimals"
        )
    decimal = _others(commas, GROUPED)[0].as_py()
    return f"such as {decimal!r} with a decimal comma: say --decimal comma"


def _matching(texts: pa.Array, *patterns: str) -> pa.Array:
    return texts.filter(_matches(texts, patterns))


def _others(texts: pa.Array, *patterns: str) -> pa.Array:
    return texts.filter(pc.invert(_matches(texts, patterns)))


def _matches(texts: pa.Array, patterns: tuple[str, ...]) -> pa.Array:
    return pc.match_substring_regex(texts, "|".join(patterns))
