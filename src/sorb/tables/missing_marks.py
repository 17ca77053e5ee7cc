"""How missing values are marked in tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from sorb.tables.arrow import is_text, replace_columns
from sorb.tables.reading import MissingMarks

__all__ = ["MISSING", "empty_exact", "empty_marked", "empty_missing"]

# How a missing value may be written; among numbers also "None".
MISSING = ("", "?", "NA", "<NA>", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")

_SPACES = " \t\xa0"


def empty_missing(column: pa.ChunkedArray, marks: Sequence[str] = MISSING) -> pa.ChunkedArray:
    """Empty the cells of a column of texts that mark a missing value, perhaps between spaces.

    Examples
    --------
    >>> import pyarrow as pa
    >>> empty_missing(pa.chunked_array([["x ", "NA", " ? ", "   "]])).to_pylist()
    ['x ', None, None, None]
    """
    return pc.if_else(pc.is_in(pc.utf8_trim(column, _SPACES), pa.array(marks)), None, column)


def empty_exact(column: pa.ChunkedArray, marks: Sequence[str] = ("",)) -> pa.ChunkedArray:
    """Empty the cells of a column of texts that are exactly a mark.

    Examples
    --------
    >>> import pyarrow as pa
    >>> empty_exact(pa.chunked_array([["x", "", " "]])).to_pylist()
    ['x', None, ' ']
    """
    return pc.if_else(pc.is_in(column, pa.array(marks)), None, column)


def empty_marked(table: pa.Table, marks: MissingMarks, kept: Collection[str] = ()) -> pa.Table:
    """Empty the numbers and texts of a table that are marks, except in the columns to be kept.

    Examples
    --------
    >>> table = pa.table({"age": [40, -999], "sex": ["unknown", "f"]})
    >>> empty_marked(table, MissingMarks(("-999", "unknown"))).to_pydict()
    {'age': [40, None], 'sex': [None, 'f']}
    """
    changed = {}
    for name in table.column_names:
        texts, numbers, kind = marks.texts(name), marks.numbers(name), table[name].type
        if name in kept or not texts:
            continue
        if is_text(table, name):
            changed[name] = empty_exact(table[name].cast(pa.string()), texts)
        elif numbers and (pa.types.is_integer(kind) or _has_decimals(kind)):
            found = pc.is_in(table[name].cast(pa.float64(), safe=False), pa.array(numbers))
            changed[name] = pc.if_else(found, pa.scalar(None, kind), table[name])
    return replace_columns(table, changed)


def _has_decimals(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))
