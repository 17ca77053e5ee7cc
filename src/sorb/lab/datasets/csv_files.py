"""CSV files: their columns as numbers or texts, with errors that say where to look."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sorb.lab.datasets.assembly import Column
from sorb.lab.datasets.description import Description

MISSING = frozenset({"", "na", "n/a", "nan", "null", "?"})
MAX_CATEGORIES = 200
_DESCRIBE = "in the description file of the table"


@dataclass(frozen=True, slots=True)
class _Cells:
    """The texts of a CSV file: columns by name, and the line in the file of each row."""

    path: Path
    columns: dict[str, tuple[str, ...]]
    lines: tuple[int, ...]


def read_csv(path: Path, description: Description) -> dict[str, Column]:
    """Read the columns that the description asks for, the target last."""
    cells = _read(path, description)
    table: dict[str, Column] = {}
    for name in (*_features(cells, description), description.target):
        texts = _complete(cells, name)
        if name in description.categories:
            names = description.values.get(name, {})
            table[name] = tuple(names.get(text, text) for text in texts)
        else:
            table[name] = _numbers_or_texts(cells, name)
    return table


def _read(path: Path, description: Description) -> _Cells:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text in UTF-8: save it as CSV in UTF-8.") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}.") from None
    if len(rows) < 2:
        raise ValueError(f"{path} must have a line with the names of the columns, and rows.")
    names = rows[0][1]
    if len(names) == 1 and ";" in names[0]:
        raise ValueError(
            f"{path}: the columns are separated by semicolons; save it with commas between them, "
            "and with points in numbers."
        )
    header = [description.header.get(name, name) for name in names]
    for line, row in rows[1:]:
        if len(row) != len(header):
            raise ValueError(
                f"{path}, line {line}: {len(row)} cells, but the header has {len(header)} columns."
            )
    repeated = [name for name in header if name and header.count(name) > 1]
    if repeated:
        raise ValueError(f"{path}: two columns are called {repeated[0]!r}; rename one of them.")
    columns = zip(*(row for _, row in rows[1:]), strict=True)
    return _Cells(path, dict(zip(header, columns, strict=True)), tuple(k for k, _ in rows[1:]))


def _features(cells: _Cells, description: Description) -> list[str]:
    """Choose the columns to learn from; one without a name holds the numbers of the rows."""
    named = [name for name in cells.columns if name]
    shown = ", ".join(named)
    if description.target not in named:
        what = f"no column {description.target!r}" if description.target else "no target given"
        raise ValueError(f"{cells.path}: {what}; name the target, one of the columns {shown}.")
    asked = (*description.columns, *description.ignored, *description.categories)
    for name in asked:
        if name not in named:
            raise ValueError(f"{cells.path}: there is no column {name!r}; the columns are {shown}.")
    left_out = {description.target, *description.ignored}
    return [name for name in description.columns or named if name not in left_out]


def _complete(cells: _Cells, name: str) -> tuple[str, ...]:
    texts = cells.columns[name]
    missing = {text for text in set(texts) if text.lower() in MISSING}
    if missing:
        row = next(row for row, text in enumerate(texts) if text in missing)
        raise ValueError(
            f"{_place(cells, row, name)}: the value is missing ({texts[row]!r}); fill it in, or "
            "leave out the row or the column."
        )
    return texts


def _numbers_or_texts(cells: _Cells, name: str) -> Column:
    texts = cells.columns[name]
    try:
        numbers = np.array(texts, dtype=np.float64)
    except ValueError:
        return _texts(cells, name)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise ValueError(f"{_place(cells, row, name)}: {texts[row]!r} is not a finite number.")
    return numbers


def _texts(cells: _Cells, name: str) -> tuple[str, ...]:
    """Take a column without any number as a category, unless its values are names or dates."""
    texts = cells.columns[name]
    is_number = [_is_number(text) for text in texts]
    if any(is_number):
        row = is_number.index(False)
        raise ValueError(
            f"{_place(cells, row, name)}: {texts[row]!r} is not a number, as "
            f"{texts[is_number.index(True)]!r} is; correct it, or list the column under "
            f"`categories` {_DESCRIBE}."
        )
    if (count := len(set(texts))) > MAX_CATEGORIES:
        raise ValueError(
            f"{cells.path}, column {name!r}: {count} different texts are too many for a category; "
            f"list the column under `ignored` {_DESCRIBE}."
        )
    return texts


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _place(cells: _Cells, row: int, column: str) -> str:
    return f"{cells.path}, line {cells.lines[row]}, column {column!r}"
