"""Texts and numbers of the facts as Markdown shows them, whatever names a table has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sorb.render.markdown_table import escape
from sorb.rules import notation

__all__ = ["bullets", "label", "named", "numeral", "percent", "shown", "table"]

UNKNOWN = "–"


def shown(text: str) -> str:
    r"""Write a text so that it is no markup, on one line.

    Examples
    --------
    >>> print(shown("a_b\n# c"))
    a\_b&#92;n# c
    """
    return escape(notation.printable(text))


def named(name: str) -> str:
    """Write the name of a column."""
    return escape(notation.name(name))


def label(value: object) -> str:
    """Write a category or class."""
    return escape(notation.label(value))


def numeral(value: float | None, digits: int = 4) -> str:
    """Write a number; a dash if there is none."""
    return UNKNOWN if value is None else notation.number(float(value), digits)


def percent(share: float | None) -> str:
    """Write a share.

    Examples
    --------
    >>> percent(0.1234), percent(None)
    ('12.3 %', '–')
    """
    return UNKNOWN if share is None else f"{100 * share:.1f} %"


def bullets(lines: Iterable[str]) -> str:
    """Write a list."""
    return "\n".join(f"- {line}" for line in lines)


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Write a table whose cells are Markdown already."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
