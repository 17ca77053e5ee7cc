"""The rows of a bundle as CSV, from which everything that was computed can be computed again.

Numbers are written with all digits that it takes to read back the same float64, so nothing is lost.
What each column holds, and which text marks a missing value, stands in the facts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sorb.dossier.errors import DossierError
from sorb.dossier.subject import Subject
from sorb.report.columns import plain_values
from sorb.report.given_rows import GivenRows
from sorb.rules.columns import ColumnSource
from sorb.rules.labels import Labels

__all__ = ["FileColumn", "RowFile", "number_of", "read_rows", "read_table", "write_table"]

ENCODING = {"encoding": "utf-8", "errors": "surrogatepass"}
MARKS = ("", "NA", "missing", "<missing>")


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column of a file of rows.

    Attributes
    ----------
    name : its name.
    role : "row", its number in the table; "column", which rules use; "subgroup", which divides the
        rows only; "outcome", "weight", "exposure" or "group".
    holds : "number", "text" or "truth".
    """

    name: str
    role: str
    holds: str

    def to_dict(self) -> dict[str, str]:
        """Give plain values that fit in JSON."""
        return {"name": self.name, "role": self.role, "holds": self.holds}


@dataclass(frozen=True, slots=True, eq=False)
class RowFile:
    """Rows with their outcomes, as they are written and read.

    Attributes
    ----------
    columns : what the file holds.
    missing : the text that marks a missing value.
    values : the values of each column, None where one is missing.
    """

    columns: tuple[FileColumn, ...]
    missing: str
    values: tuple[Sequence[Any], ...]

    @classmethod
    def of(cls, subject: Subject) -> RowFile:
        """Collect all that the facts are computed from."""
        rows = subject.rows
        found = [("row", "row", rows.numbers.tolist())]
        used = {name for name, _ in subject.columns}
        for name, of_labels in subject.dividing_columns:
            values = rows.source.labels(name) if of_labels else rows.source.take(name)
            found.append((name, "column" if name in used else "subgroup", _plain(values)))
        found.append((subject.target, "outcome", _plain(subject.given_y)))
        for role in ("weight", "exposure"):
            numbers = getattr(subject, f"given_{role}")
            if numbers is not None:
                found.append((role, role, numbers.tolist()))
        if rows.group is not None:
            found.append(("group", "group", rows.group.tolist()))
        columns = tuple(FileColumn(name, role, _holds(name, v)) for name, role, v in found)
        values = tuple(v for _, _, v in found)
        return cls(columns, _missing_mark(values), values)

    @property
    def text(self) -> bytes:
        """The CSV."""
        return write_table(
            [column.name for column in self.columns],
            zip(*([_cell(v, self.missing) for v in values] for values in self.values), strict=True),
        )

    def to_dict(self) -> dict[str, Any]:
        """Say in the facts how to read the file."""
        return {"missing": self.missing, "columns": [each.to_dict() for each in self.columns]}

    @property
    def given(self) -> GivenRows:
        """The rows as everything here takes them."""
        of_role = {each.role: v for each, v in zip(self.columns, self.values, strict=True)}
        used = {
            each.name: values
            for each, values in zip(self.columns, self.values, strict=True)
            if each.role in ("column", "subgroup")
        }
        source = ColumnSource(
            lambda name: np.array([np.nan if v is None else v for v in used[name]], np.float64),
            lambda name: Labels.of(used[name]),
            len(of_role["row"]),
        )
        y = np.empty(source.n_rows, dtype=object)
        y[:] = of_role["outcome"]
        return GivenRows(
            source,
            y,
            of_role.get("weight"),
            of_role.get("exposure"),
            of_role.get("group"),
            np.array(of_role["row"], dtype=np.intp),
        )


def write_table(names: Sequence[str], rows: Any) -> bytes:
    """Write CSV as RFC 4180 has it."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows(rows)
    return file.getvalue().encode(**ENCODING)


def read_rows(content: bytes, told: Mapping[str, Any]) -> RowFile:
    """Read the rows of a bundle, given what its facts say of the file."""
    columns = tuple(FileColumn(**each) for each in told["columns"])
    cells = read_table(content)
    if [each.name for each in columns] != cells[0]:
        raise DossierError("the columns of the rows are not those that the facts name")
    values = []
    for each, texts in zip(columns, zip(*cells[1:], strict=True), strict=True):
        read = _READERS[each.holds]
        values.append([None if text == told["missing"] else read(text) for text in texts])
    return RowFile(columns, told["missing"], tuple(values))


def read_table(content: bytes) -> list[list[str]]:
    """Read the cells of a CSV, all lines of which must be of the same length."""
    try:
        lines = list(csv.reader(io.StringIO(content.decode(**ENCODING), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DossierError(f"it is no CSV: {error}") from error
    if len(lines) < 2 or len({len(line) for line in lines}) != 1:
        raise DossierError("it is no CSV with as many cells in each of its lines")
    return lines


def _plain(values: Any) -> list[Any]:
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return [None if value != value else value for value in values.tolist()]
    return plain_values(Labels.of(values))


def _holds(name: str, values: Sequence[Any]) -> str:
    """Say what kind of values a column holds; refuse what CSV would not keep apart."""
    known = [value for value in dict.fromkeys(values) if value is not None]
    kinds = {_KINDS[type(value)] for value in known}
    if len(kinds) > 1:
        raise DossierError(
            f"column {name!r} holds {' and '.join(sorted(kinds))} values, which a file of rows "
            "would mix up: make them of one kind, or leave the rows out"
        )
    if "\0" in name or any(isinstance(value, str) and "\0" in value for value in known):
        raise DossierError(
            f"column {name!r} has a NUL character in its name or a value, which CSV cannot hold: "
            "rename it, or leave the rows out"
        )
    return kinds.pop() if kinds else "number"


def _missing_mark(values: Sequence[Sequence[Any]]) -> str:
    """Choose a mark of missing values that is no value itself."""
    texts = {value for column in values for value in column if isinstance(value, str)}
    return next(mark for mark in (*MARKS, *map(str, range(len(texts) + 1))) if mark not in texts)


def _cell(value: Any, missing: str) -> str:
    if value is None:
        return missing
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def number_of(text: str) -> int | float:
    """Read a number as it was written."""
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        raise DossierError(f"expected a number, found {text!r}") from None


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise DossierError(f"expected true or false, found {text!r}")
    return text == "true"


_KINDS = {bool: "truth", int: "number", float: "number", str: "text"}
_READERS: dict[str, Callable[[str], Any]] = {"number": number_of, "truth": _truth, "text": str}
