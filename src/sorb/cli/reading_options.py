"""How tables are read: the options that all commands with a table share."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from sorb.cli.printing import print_message
from sorb.tables.reading import MissingMarks, Reading

__all__ = ["reads_tables"]


class DecimalSign(str, Enum):
    """What separates the decimals of a number."""

    point = "point"
    comma = "comma"


def _check_encoding(name: str | None) -> str | None:
    try:
        return None if name is None else _codec(name)
    except LookupError:
        raise typer.BadParameter(
            f"there is no encoding {name!r}: try utf-8, utf-16, cp1252, cp1250 or mac-roman"
        ) from None


def _codec(name: str) -> str:
    "".encode(name)  # not only looked up, as there are codecs of other things than texts
    return codecs.lookup(name).name


_OPTIONS: dict[str, Any] = {
    "decimal": Annotated[
        DecimalSign | None,
        typer.Option(
            help="Whether numbers in texts may have a decimal comma, as in 25,3. By default they "
            "may in CSV that is not separated by commas."
        ),
    ],
    "encoding": Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=_check_encoding,
            help="The encoding of CSV, such as cp1250. By default UTF-8 and UTF-16 are recognised, "
            "and other texts are read as Windows-1252.",
        ),
    ],
    "sheet": Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The sheet of an Excel file; the first by default."),
    ],
    "missing": Annotated[
        list[str] | None,
        typer.Option(
            metavar="MARKS",
            help="Further marks of missing values, such as -999,unknown; age=-999 for one column.",
        ),
    ],
    "header": Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns. Without it they are x0, x1, …. By "
            "default a line that looks like data is asked about.",
        ),
    ],
    "day_first": Annotated[
        bool | None,
        typer.Option(
            "--day-first/--month-first",
            help="Whether 03/06/2020 is in June or in March, where dates are computed with. By "
            "default another date of the column must tell.",
        ),
    ],
}


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Add these options to a command, which takes them as a `Reading` in place of `reading`."""

    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in _OPTIONS}
        command(**given, reading=_reading(**chosen))

    hints = get_type_hints(command, include_extras=True)
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in _OPTIONS.items()
    ]
    parameters = [
        parameter
        for known in signature(command).parameters.values()
        for parameter in (
            options
            if known.name == "reading"
            else [known.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[known.name])]
        )
    ]
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def _reading(
    decimal: DecimalSign | None,
    encoding: str | None,
    sheet: str | None,
    missing: list[str] | None,
    header: bool | None,
    day_first: bool | None,
) -> Reading:
    return Reading(
        decimal_commas=None if decimal is None else decimal is DecimalSign.comma,
        encoding=encoding,
        sheet=sheet,
        missing=_missing_marks(missing or ()),
        header=header,
        day_first=day_first,
        confirm_data=_confirm_data if _can_ask() else None,
        tell=print_message,
    )


def _missing_marks(values: Sequence[str]) -> MissingMarks:
    """Read marks such as -999 and age=-999.

    Examples
    --------
    >>> _missing_marks(["unknown,age=-999", "age=-1"])
    MissingMarks(everywhere=('unknown',), of_columns={'age': ('-999', '-1')})
    >>> _missing_marks(["ward=  "])
    MissingMarks(everywhere=(), of_columns={'ward': ('  ',)})
    """
    everywhere: list[str] = []
    of_columns: dict[str, tuple[str, ...]] = {}
    for mark in filter(None, ",".join(values).split(",")):
        name, sign, text = mark.rpartition("=")
        name, text = name.strip(), text.strip() or text  # spaces alone are a mark, too
        if not text or (sign and not name):
            raise typer.BadParameter(f"needs marks such as -999 or age=-999, not {mark!r}")
        if sign:
            of_columns[name] = (*of_columns.get(name, ()), text)
        else:
            everywhere.append(text)
    return MissingMarks(tuple(everywhere), of_columns)


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _confirm_data(doubt: str) -> bool:
    print_message(doubt)
    return typer.confirm("Is it data?", err=True)
