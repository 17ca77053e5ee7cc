"""Shares and lists of names, as findings write them."""

from __future__ import annotations

from collections.abc import Sequence

from sorb.rules import notation
from sorb.tables.quoting import quote_argument, quote_marks

__all__ = ["listed", "missing_option", "option", "percent"]

_MOST_NAMED = 4


def percent(share: float) -> str:
    """Write a share with one decimal, and never round it up to all or down to nothing.

    Examples
    --------
    >>> percent(0.9996), percent(1.0), percent(0.5), percent(0.0001)
    ('more than 99.9 %', '100 %', '50 %', 'less than 0.1 %')
    """
    if 0.9995 <= share < 1:
        return "more than 99.9 %"
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    return f"{notation.number(round(100 * share, 1), 4)} %"


def listed(values: Sequence[object], most: int = _MOST_NAMED) -> str:
    """List names or labels as rules write them, and count those that are too many.

    Examples
    --------
    >>> listed(["a", "b c"]), listed(list("abcdef"))
    ('a and "b c"', 'a, b, c, d and 2 more')
    """
    shown = [notation.label(value) for value in values[:most]]
    if len(values) > most:
        return f"{', '.join(shown)} and {len(values) - most} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def option(columns: Sequence[str]) -> str:
    """Name the option of the command line that leaves columns out, to be pasted.

    Examples
    --------
    >>> option(["id", "b m i"])
    "--ignore 'id,b m i'"
    """
    return f"--ignore {quote_argument(','.join(columns))}"


def missing_option(name: str, marks: Sequence[str]) -> str:
    """Say how marks of missing values in a column are named.

    Examples
    --------
    >>> missing_option("crp", ["n.d."])
    '--missing crp=n.d. on the command line, NaN or None in Python'
    """
    return f"{quote_marks(name, marks)} on the command line, NaN or None in Python"
