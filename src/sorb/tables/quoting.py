"""Lists of values in messages."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

__all__ = ["quote_name", "quote_some"]


def quote_some(values: Collection[object], most: int = 8) -> str:
    """Quote the first few values, and count the rest.

    Examples
    --------
    >>> from sorb.tables.quoting import quote_some
    >>> quote_some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(value) for value in islice(values, most))
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def quote_name(name: str) -> str:
    """Quote a name for SQL.

    Examples
    --------
    >>> print(quote_name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'
