"""The option ``--dates``: what to compute from columns of dates before anything is learned."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import typer

from sorb.cli.arguments import require_names
from sorb.tables.date_columns import DatePart, derive_columns

__all__ = ["HOW_TO_SAY", "compute_dates", "split_dates"]

HOW_TO_SAY = "use --day-first or --month-first"


def split_dates(values: Sequence[str] | None, known: Collection[str] = ()) -> dict[str, list[str]]:
    """Read columns of dates with what to compute from each.

    Examples
    --------
    >>> split_dates(["visit=year,days since 2020-01-01,birth=year"])
    {'visit': ['year', 'days since 2020-01-01'], 'birth': ['year']}
    """
    found: dict[str, list[str]] = {}
    for value in values or ():
        name, _, rest = value.partition("=")
        # A name that contains a comma is alone in its option.
        pieces = [rest] if name in known else [value]
        column = name if name in known else ""
        for token in (token for piece in pieces for token in piece.split(",")):
            before, sign, part = token.rpartition("=")
            column = before.strip() if sign else column
            if not (column and part.strip()):
                raise typer.BadParameter(
                    f"--dates needs pairs such as visit=year,month, found {value!r}"
                )
            found.setdefault(column, []).append(part.strip())
    return found


def compute_dates(
    frame: Any,
    values: Sequence[str] | None,
    others: Mapping[str, str],
    where: str,
    day_first: bool | None,
) -> Any:
    """Replace columns of dates in a frame of narwhals by what is computed from them.

    `others` are the columns that are not learned from, by their options.
    """
    columns = frame.collect_schema().names()
    wanted = split_dates(values, columns)
    require_names(wanted, columns, where, "--dates")
    for option, name in others.items():
        if name in wanted:
            raise typer.BadParameter(f"--dates and {option} both name the column {name}")
    parts = [DatePart.of(name, part) for name, texts in wanted.items() for part in texts]
    for part in parts:
        if part.name in columns or parts.count(part) > 1:
            raise ValueError(f"--dates would make a second column {part.name!r} in {where}")
    return derive_columns(frame, parts, wanted, day_first, HOW_TO_SAY) if parts else frame
