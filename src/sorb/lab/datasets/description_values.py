"""The values of a description: what each key takes, with errors that say what was expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, cast

from sorb.lab.config_files import show_value
from sorb.lab.datasets.data_file import File, is_plain_name
from sorb.losses import LOSSES, PARAMETERS

MOST_CELLS = 20_000_000  # which take a gigabyte


def _mistake(place: str, expected: str, found: Any) -> ValueError:
    return ValueError(f"{place} must {expected}, not {show_value(found)}.")


def _text(place: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _mistake(place, "be text in quotes", value)
    return value


def _name(place: str, value: Any) -> str:
    name = _text(place, value)
    if not name.strip() or not name.isprintable():
        raise _mistake(place, "be a visible text", name)
    return name


def _file_name(place: str, value: Any) -> str:
    name = _text(place, value)
    if not is_plain_name(name):
        raise _mistake(
            place,
            'be the name of a file in the same folder, such as "table.csv", without a path',
            name,
        )
    return name


def _url(place: str, value: Any) -> str:
    url = _text(place, value)
    if not re.match("https?://.", url):
        raise _mistake(place, "begin with http:// or https://", value)
    return url


def _sha256(place: str, value: Any) -> str:
    digits = _text(place, value).lower()
    if not re.fullmatch("[0-9a-f]{64}", digits):
        raise _mistake(place, "be 64 hexadecimal digits", value)
    return digits


def _one_of(*choices: str) -> Callable[[str, Any], str]:
    def check(place: str, value: Any) -> str:
        if value not in choices:
            raise _mistake(place, f"be one of {', '.join(choices)}", value)
        return cast(str, value)

    return check


def _text_or_number(place: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _mistake(place, "be text or a number", value)
    return str(value)


def _number(place: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _mistake(place, "be a number", value)
    return float(value)


def _positive(place: str, value: Any) -> float:
    number = _number(place, value)
    if not 0 < number < math.inf:
        raise _mistake(place, "be finite and positive", value)
    return number


def _texts(place: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _mistake(place, 'be a list such as ["a", "b"]', value)
    return tuple(_text(f"{place}[{k}]", item) for k, item in enumerate(value))


def _size(place: str, value: Any) -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)):
        raise _mistake(place, "be two numbers, of rows and of columns", value)
    return value[0], value[1]


def _table(place: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _mistake(place, "be a table", value)
    return value


def _arguments(place: str, value: Any) -> dict[str, Any]:
    """Check how much a generator is asked for; it checks the rest itself."""
    arguments = _table(place, value)
    known = {key: size for key, size in arguments.items() if isinstance(size, int)}
    rows = max(known.get("rows", 0), known.get("n_samples", 100))
    if rows * known.get("n_features", 10) > MOST_CELLS:
        expected = f"ask for at most {MOST_CELLS:,} cells (rows times columns)"
        raise _mistake(place, expected, arguments)
    return arguments


def _table_of_texts(place: str, value: Any) -> dict[str, str]:
    return {key: _text(f"{place}.{key}", item) for key, item in _table(place, value).items()}


def _tables_of_texts(place: str, value: Any) -> dict[str, dict[str, str]]:
    return {
        key: _table_of_texts(f"{place}.{key}", item) for key, item in _table(place, value).items()
    }


def _files(place: str, value: Any) -> tuple[File, ...]:
    if not (isinstance(value, list) and value):
        raise _mistake(place, "be a list of tables", value)
    return tuple(_file(f"{place}[{k}]", item) for k, item in enumerate(value))


def _file(place: str, value: Any) -> File:
    table = _table(place, value)
    if "file" not in table or set(table) - set(_FILE_CHECKS):
        raise _mistake(place, "have file and may have url and sha256", table)
    known = {key: _FILE_CHECKS[key](f"{place}.{key}", item) for key, item in table.items()}
    return File(known["file"], known.get("url", ""), known.get("sha256", ""))


_FILE_CHECKS: dict[str, Callable[[str, Any], str]] = {
    "file": _file_name,
    "url": _url,
    "sha256": _sha256,
}

CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "name": _name,
    "title": _text,
    "task": _one_of("classification", "regression"),
    "target": _text,
    "positive": _text_or_number,
    "loss": _one_of(*(name for name, kind in LOSSES.items() if not kind().has_classes)),
    **dict.fromkeys(PARAMETERS, _number),
    "exposure": _text,
    "group": _text,
    "outcome": _text,
    "size": _size,
    "columns": _texts,
    "ignored": _texts,
    "categories": _texts,
    "log": _texts,
    "units": _table_of_texts,
    "source": _text,
    "licence": _text,
    "note": _text,
    **_FILE_CHECKS,
    "files": _files,
    "max_megabytes": _positive,
    "max_minutes": _positive,
    "reader": _one_of("csv", "nhanes"),
    "generator": _name,
    "arguments": _arguments,
    "header": _table_of_texts,
    "values": _tables_of_texts,
}
"""A function for each key, which takes the place for messages and the value, and returns it."""
