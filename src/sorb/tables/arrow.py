"""Columns of pyarrow tables: what they hold, and other columns in their place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa

__all__ = [
    "TEXTS",
    "cells",
    "is_number",
    "is_text",
    "replace_columns",
    "require_known_types",
    "to_texts",
]

# The types of texts, and those that they are read as.
TEXTS = {"string": pa.string(), "large_string": pa.large_string(), "string_view": pa.string()}


def is_number(table: pa.Table, name: str) -> bool:
    """Whether a column holds numbers, or booleans, which count as 0 and 1."""
    kind = table.schema.field(name).type
    known = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(is_kind(kind) for is_kind in known)


def is_text(table: pa.Table, name: str) -> bool:
    """Whether a column holds texts."""
    kind = table.schema.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def cells(table: pa.Table, name: str) -> list[Any]:
    """List the values of a column, None where one is missing."""
    column = table[name]
    try:
        values = column.to_pylist()
    except (OverflowError, ValueError, KeyError):  # of dates, and of time zones
        raise ValueError(
            f"column {name!r} holds a date or time ({column.type}) that Python cannot represent: "
            "turn it into a number"
        ) from None
    # NaN is the only value that differs from itself.
    return [value if value == value else None for value in values]


def replace_columns(table: pa.Table, changed: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    """Replace some columns of a table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"a": [1, 2], "b": [3, 4]})
    >>> replace_columns(table, {"a": table["b"]}).to_pydict()
    {'a': [3, 4], 'b': [3, 4]}
    """
    if not changed:
        return table
    present = zip(table.column_names, table.columns, strict=True)
    return pa.table([changed.get(name, column) for name, column in present], table.column_names)


def to_texts(table: pa.Table, columns: Collection[str]) -> pa.Table:
    """Write the values of some columns as texts, as they would be in CSV."""
    return replace_columns(table, {name: _to_text(table, name) for name in columns})


def _to_text(table: pa.Table, name: str) -> pa.ChunkedArray:
    try:
        return table[name].cast(pa.string())
    except pa.ArrowException as error:
        raise ValueError(f"column {name!r} cannot be turned into texts: {error}") from None


def require_known_types(table: pa.Table, where: str) -> pa.Table:
    """Read empty columns as missing numbers, and refuse types other than text, number or date."""
    changed = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        kind = field.type
        if str(kind) in ("binary", "large_binary", "binary_view"):
            raise ValueError(f"{where}, column {field.name!r}: not text in UTF-8")
        if not _is_known(kind):
            raise ValueError(
                f"{where}, column {field.name!r}: expected numbers, texts or dates, found the type "
                f"{kind}"
            )
        if column.null_count == len(column):
            changed[field.name] = pa.chunked_array([pa.nulls(len(column), pa.float64())])
        elif str(kind) == "string_view":
            changed[field.name] = column.cast(pa.string())
    return replace_columns(table, changed)


def _is_known(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    known = (pa.types.is_primitive, pa.types.is_decimal, pa.types.is_null)
    return str(value) in TEXTS or any(is_kind(value) for is_kind in known)
