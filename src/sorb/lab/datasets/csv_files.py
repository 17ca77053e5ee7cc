"""CSV files as datasets: complete columns of numbers or texts, with errors that name the line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sorb._types import Float
from sorb.lab.datasets.assembly import Column
from sorb.lab.datasets.description import Description
from sorb.tables.files import open_file
from sorb.tables.reading import Reading
from sorb.tables.text_kinds import MOST_CATEGORIES

if TYPE_CHECKING:
    import pyarrow as pa

    from sorb.tables.csv_file import CsvFile

_DESCRIBE = "in the description file of the table"


def read_csv(path: Path, description: Description) -> dict[str, Column]:
    """Read the columns that the description asks for, the target last.

    Blanks around names and cells do not count.
    """
    with open_file(str(path), Reading(header=True, encoding="utf-8")) as file:
        from sorb.tables.csv_file import CsvFile

        if not isinstance(file, CsvFile):
            raise ValueError(f"{path} is not a CSV file.")
        return _read(file, description)


def _read(file: CsvFile, description: Description) -> dict[str, Column]:
    import pyarrow.compute as pc

    from sorb.tables.missing_marks import empty_missing

    table = file.read(as_text=file.columns)
    header = _header(file, description)
    columns: dict[str, Column] = {}
    features = _features(file.where, list(header), description)
    others = [name for name in header if name in (description.exposure, description.group)]
    for name in dict.fromkeys((*features, *others, description.target)):
        texts = empty_missing(pc.utf8_trim_whitespace(table[header[name]].cast("string")))
        column = _TextColumn(file, header[name], name, texts)
        column.require_complete()
        if name == description.group:
            columns[name] = tuple(texts.to_pylist())
        elif name in description.categories:
            names = description.values.get(name, {})
            columns[name] = tuple(names.get(text, text) for text in texts.to_pylist())
        else:
            columns[name] = column.numbers_or_texts()
    return columns


def _header(file: CsvFile, description: Description) -> dict[str, str]:
    """Map the names of the columns to what the header of the file calls them."""
    header: dict[str, str] = {}
    for column in filter(str.strip, file.columns):
        name = description.header.get(column.strip(), column.strip())
        if name in header:
            raise ValueError(f"{file.where} has two columns {name!r}: rename one of them")
        header[name] = column
    return header


def _features(where: str, present: list[str], description: Description) -> list[str]:
    """Choose the columns to learn from."""
    shown = ", ".join(present)
    if description.target not in present:
        what = f"no column {description.target!r}" if description.target else "no target given"
        raise ValueError(f"{where}: {what}; name the target, one of the columns {shown}.")
    named = (*description.columns, *description.ignored, *description.categories)
    for name in named:
        if name not in present:
            raise ValueError(f"{where}: there is no column {name!r}; the columns are {shown}.")
    left_out = {description.target, *description.ignored}
    return [name for name in description.columns or present if name not in left_out]


@dataclass(frozen=True, slots=True, eq=False)
class _TextColumn:
    """The texts of a column, None where one is missing."""

    file: CsvFile
    header: str
    name: str
    texts: pa.ChunkedArray

    def require_complete(self) -> None:
        row = self.texts.is_null().index(True).as_py()
        if row >= 0:
            place, text = self._locate(row)
            raise ValueError(
                f"{place}: the value is missing ({text!r}); fill it in, or leave out the row or "
                "the column."
            )

    def numbers_or_texts(self) -> Column:
        import pyarrow as pa

        from sorb.tables.number_texts import read_numbers

        numbers = read_numbers(self.texts, self.file.has_decimal_commas)
        if pa.types.is_string(numbers.type):
            self._require_categories()
            return tuple(self.texts.to_pylist())
        values: Float = numbers.to_numpy()
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            place, text = self._locate(int(wrong[0]))
            raise ValueError(f"{place}: {text!r} is not a finite number.")
        return values

    def _require_categories(self) -> None:
        """Refuse texts with numbers among them, and too many texts, which are names or dates."""
        from sorb.tables.number_texts import number_mask

        is_number = number_mask(self.texts, self.file.has_decimal_commas)
        number = is_number.index(True).as_py()
        if number >= 0:
            place, text = self._locate(is_number.index(False).as_py())
            raise ValueError(
                f"{place}: {text!r} is not a number, as {self.texts[number].as_py()!r} is; correct "
                f"it, or list the column under `categories` {_DESCRIBE}."
            )
        if (count := len(self.texts.unique())) > MOST_CATEGORIES:
            raise ValueError(
                f"{self.file.where}, column {self.name!r}: {count} different texts are too many "
                f"for a category; list the column under `ignored` {_DESCRIBE}."
            )

    def _locate(self, row: int) -> tuple[str, str]:
        """Find where a cell is in the file, and how it is written there."""
        line, text = self.file.locate(row, self.header)
        return f"{self.file.where}, line {line}, column {self.name!r}", text.strip()
