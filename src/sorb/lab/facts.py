"""What a run consists of, and how it was made: its file ``run.json``, read and checked.

================= ==================================================================================
``configuration`` the name of the run
``settings``      a table: what must not change while the run is continued
``parts``         a list of tables with ``datasets``, ``methods`` and ``repetitions``
``methods``       a table: the user's own methods
``sources``       a table: where the user's own datasets come from
``commands``      a list of tables: the commands that made the run, with dates and machines
================= ==================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sorb.lab.config_files import check_values, show_value

MOST_REPETITIONS = 10_000
MOST_UNITS = 1_000_000
MOST_BYTES = 10_000_000


class RunDamaged(ValueError):  # noqa: N818
    """A file in the folder of a run is not what the run wrote."""


def read_facts(path: Path) -> dict[str, Any]:
    """Read ``run.json``; any of its keys may be missing.

    Examples
    --------
    >>> import tempfile
    >>> from sorb.lab.facts import read_facts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.json")
    ...     _ = path.write_text('{"settings": {"folds": 5}}')
    ...     read_facts(path)
    {'settings': {'folds': 5}}
    """
    try:
        document = json.loads(_content(path).decode())
        check_values(path, document)
    except RecursionError:
        raise damage_error(path, "its values are nested too deeply") from None
    except ValueError as error:
        raise damage_error(path, str(error).removeprefix(f"{path}: ")) from None
    if not isinstance(document, dict):
        raise damage_error(path, f"it must hold a table, not {show_value(document)}")
    for key, (is_right, expected) in _EXPECTED.items():
        if key in document and not is_right(document[key]):
            raise damage_error(path, f"{key} must be {expected}, not {show_value(document[key])}")
    _check_units(path, document.get("parts", ()))
    return document


def _content(path: Path) -> bytes:
    require_regular(path)
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES:,} bytes")
    return content


def require_regular(path: Path) -> None:
    """Refuse what is not a file, such as a pipe, whose end may never come."""
    if path.exists() and not path.is_file():
        raise ValueError("it is not a regular file")


def _check_units(path: Path, parts: Iterable[Mapping[str, Any]]) -> None:
    units = count_units((part["datasets"], part["methods"], part["repetitions"]) for part in parts)
    if units > MOST_UNITS:
        raise damage_error(path, f"parts must have at most {MOST_UNITS:,} units, not {units:,}")


def count_units(parts: Iterable[tuple[Sequence[str], Sequence[str], int]]) -> int:
    """Count the units of parts, each with its datasets, its methods and its repetitions.

    Examples
    --------
    >>> from sorb.lab.facts import count_units
    >>> count_units([(["iris", "adult"], ["sorb"], 15), (["iris"], ["sorb", "TGB"], 2)])
    34
    """
    return sum(
        len(datasets) * len(methods) * repetitions for datasets, methods, repetitions in parts
    )


def damage_error(path: Path, problem: str) -> RunDamaged:
    """Make the error for a damaged file in the folder of a run, which says what to do.

    Examples
    --------
    >>> from sorb.lab.facts import damage_error
    >>> print(damage_error(Path("run.json"), "it is empty"))
    run.json is damaged: it is empty. Restore it, or remove it: the next 'sorb lab run' makes it
    anew.
    """
    return RunDamaged(
        f"{path} is damaged: {problem.rstrip('.')}. Restore it, or remove it: the next 'sorb lab "
        "run' makes it anew."
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_table, value))


def _are_parts(value: Any) -> bool:
    return _are_tables(value) and all(
        _are_texts(part.get("datasets"))
        and _are_texts(part.get("methods"))
        and is_repetitions(part.get("repetitions"))
        for part in value
    )


def is_repetitions(value: Any) -> bool:
    """Tell whether a value can be a number of repetitions."""
    return type(value) is int and 1 <= value <= MOST_REPETITIONS


_EXPECTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "configuration": (_is_text, "text"),
    "settings": (_is_table, "a table"),
    "parts": (
        _are_parts,
        "a list of tables with datasets, methods and repetitions "
        f"(a whole number from 1 to {MOST_REPETITIONS:,})",
    ),
    "methods": (_is_table, "a table"),
    "sources": (_is_table, "a table"),
    "commands": (_are_tables, "a list of tables"),
}
