"""The rows of a bundle as exports take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.dossier.row_file import RowFile

__all__ = ["ReplayRows"]


@dataclass(frozen=True, slots=True, eq=False)
class ReplayRows:
    """The columns that the rules use, by name, None where a value is missing.

    Attributes
    ----------
    values : those of each column.
    holds : whether each column holds "number", "text" or "truth" values.
    n_rows : how many rows there are.
    """

    values: Mapping[str, Sequence[Any]]
    holds: Mapping[str, str]
    n_rows: int

    @classmethod
    def of(cls, file: RowFile) -> ReplayRows:
        """Take the columns of a file that rules use."""
        used = [
            (column, values)
            for column, values in zip(file.columns, file.values, strict=True)
            if column.role == "column"
        ]
        values = {
            column.name: [_float(v) for v in found] if column.holds == "number" else found
            for column, found in used
        }
        return cls(values, {column.name: column.holds for column, _ in used}, len(file.values[0]))

    @property
    def lists(self) -> list[list[Any]]:
        """The rows as lists, in the order of the columns."""
        if not self.values:
            return [[] for _ in range(self.n_rows)]
        return [list(row) for row in zip(*self.values.values(), strict=True)]

    def matrix(self, columns: Sequence[str]) -> Float:
        """All columns of a model as numbers, NaN where they hold none or are not used."""
        found = np.full((self.n_rows, len(columns)), np.nan)
        for j, name in enumerate(columns):
            if self.holds.get(name, "text") != "text":
                found[:, j] = [np.nan if v is None else float(v) for v in self.values[name]]
        return found

    def texts(self, name: str, missing: Any) -> NDArray[np.object_]:
        """A column of texts."""
        found = np.empty(self.n_rows, dtype=object)
        found[:] = [missing if value is None else str(value) for value in self.values[name]]
        return found


def _float(value: Any) -> Any:
    return value if value is None else float(value)
