"""Lists of values in messages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice
from shlex import quote

__all__ = ["quote_argument", "quote_marks", "quote_name", "quote_some"]


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


def quote_argument(name: str) -> str:
    """Quote a name, where that is needed, so that it can be pasted into a command.

    Examples
    --------
    >>> print(quote_argument("age"), quote_argument("b m i"))
    age 'b m i'
    """
    return quote(name)


def quote_marks(name: str, marks: Sequence[str]) -> str:
    """Write the option for marks of missing values in a column, to be pasted into a command.

    Examples
    --------
    >>> print(quote_marks("crp", ["n.d.", "not known"]))
    --missing 'crp=n.d.,crp=not known'
    """
    return f"--missing {quote_argument(','.join(f'{name}={mark}' for mark in marks))}"


def quote_name(name: str) -> str:
    """Quote a name for SQL.

    Examples
    --------
    >>> print(quote_name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'
