"""Tables of text, such as those of certificates and scorecards."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["align_columns"]


def align_columns(rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Write one row below the other, with the columns in `right` aligned at their right.

    Examples
    --------
    >>> print(align_columns([("total", "rows"), ("3", "few")], right=(0,)))
    total  rows
        3  few
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if j in right else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
