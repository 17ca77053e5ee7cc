"""The values of a description: what each key takes, with errors that say what was expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, cast

from sorb.lab.config_files import show_value
from sorb.lab.datasets.data_file import File, is_plain_name
from sorb.losses import LOSSES, PARAMETERS


def _text(place: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{place} must be text in quotes, not {show_value(value)}.")
    return value


def _name(place: str, value: Any) -> str:
    name = _text(place, value)
    if not name.strip() or not name.isprintable():
        raise ValueError(f"{place} must be a visible text, not {show_value(name)}.")
    return name


def _file_name(place: str, value: Any) -> str:
    name = _text(place, value)
    if not is_plain_name(name):
        raise ValueError(
            f'{place} must be the name of a file in the same folder, such as "table.csv", without '
            f"a path, not {show_value(name)}."
        )
    return name


def _url(place: str, value: Any) -> str:
    url = _text(place, value)
    if not re.match("https?://.", url):
        raise ValueError(f"{place} must begin with http:// or https://, found {show_value(value)}.")
    return url


def _sha256(place: str, value: Any) -> str:
    digits = _text(place, value).lower()
    if not re.fullmatch("[0-9a-f]{64}", digits):
        raise ValueError(f"{place} must be 64 hexadecimal digits, not {show_value(value)}.")
    return digits


def _one_of(*choices: str) -> Callable[[str, Any], str]:
    def check(place: str, value: Any) -> str:
        if value not in choices:
            raise ValueError(
                f"{place} must be one of {', '.join(choices)}, not {show_value(value)}."
            )
        return cast(str, value)

    return check


def _text_or_number(place: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{place} must be text or a number, not {show_value(value)}.")
    return str(value)


def _number(place: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{place} must be a number, not {show_value(value)}.")
    return float(value)


def _positive(place: str, value: Any) -> float:
    number = _number(place, value)
    if not 0 < number < math.inf:
        raise ValueError(f"{place} must be finite and positive, not {show_value(value)}.")
    return number


def _texts(place: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f'{place} must be a list such as ["a", "b"], not {show_value(value)}.')
    return tuple(_text(f"{place}[{k}]", item) for k, item in enumerate(value))


def _size(place: str, value: Any) -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)):
        raise ValueError(
            f"{place} must be two numbers, of rows and of columns, not {show_value(value)}."
        )
    return value[0], value[1]


def _table(place: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{place} must be a table, not {show_value(value)}.")
    return value


def _table_of_texts(place: str, value: Any) -> dict[str, str]:
    return {key: _text(f"{place}.{key}", item) for key, item in _table(place, value).items()}


def _tables_of_texts(place: str, value: Any) -> dict[str, dict[str, str]]:
    return {
        key: _table_of_texts(f"{place}.{key}", item) for key, item in _table(place, value).items()
    }


def _files(place: str, value: Any) -> tuple[File, ...]:
    if not (isinstance(value, list) and value):
        raise ValueError(f"{place} must be a list of tables, not {show_value(value)}.")
    return tuple(_file(f"{place}[{k}]", item) for k, item in enumerate(value))


def _file(place: str, value: Any) -> File:
    table = _table(place, value)
    if "file" not in table or set(table) - set(_FILE_CHECKS):
        raise ValueError(
            f"{place} must have file and may have url and sha256, not {show_value(table)}."
        )
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
    "generator": _text,
    "arguments": _table,
    "header": _table_of_texts,
    "values": _tables_of_texts,
}
"""A function for each key, which takes the place for messages and the value, and returns it."""
