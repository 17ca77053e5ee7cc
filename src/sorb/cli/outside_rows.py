"""The rows of a table that are unlike the training of a model: a column, and a summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sorb.cli.printing import print_message
from sorb.rules import RuleEnsemble
from sorb.rules.outside_training import OutsideTraining, OutsideValues
from sorb.tables.lazy_outside import OUTSIDE_TRAINING, SEPARATOR

__all__ = ["OutsideRows"]

MOST_LINES = 5


@dataclass(slots=True)
class OutsideRows:
    """Finds the rows that are unlike the training, and counts them over all pieces of a table.

    With `strict`, the first of them is an error.
    """

    ensemble: RuleEnsemble
    model: Path
    strict: bool
    n_rows: int = 0
    n_outside: int = 0
    values: dict[tuple[str, str], OutsideValues] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.strict:
            _require_experience(self.ensemble, self.model)

    def find(self, rows: Any, first_row: int = 0) -> dict[str, list[str]]:
        """Give the column that names what is unlike the training in each row.

        `first_row` is the number of the first row, if these are a piece of a larger table.
        """
        found = self.ensemble.outside_training(rows)
        placed = [replace(each, first_row=each.first_row + first_row) for each in found.values]
        self._refuse(placed)
        self._count(found, placed)
        columns = found.columns()
        texts = {names: SEPARATOR.join(names) for names in set(columns)}
        return {OUTSIDE_TRAINING: [texts[names] for names in columns]}

    def _refuse(self, found: Sequence[OutsideValues]) -> None:
        """Refuse infinite numbers, and with `strict` all that is unlike the training."""
        infinite = [each for each in found if each.kind == "infinite"]
        for each in infinite[:1]:
            raise ValueError(
                f"{each.describe(f' in row {each.first_row}')}: expected a finite number, or "
                "nothing where it is missing"
            )
        if self.strict and found:
            first = min(found, key=lambda each: each.first_row)
            raise ValueError(
                f"{first.describe(f' in row {first.first_row}')}: without --strict, the column "
                f"{OUTSIDE_TRAINING!r} of the result names what is unlike the training in each row"
            )

    def _count(self, found: OutsideTraining, placed: Sequence[OutsideValues]) -> None:
        self.n_rows += found.n_rows
        self.n_outside += int(np.count_nonzero(found.rows))
        for each in placed:
            key = (each.column, each.kind)
            known = self.values.get(key)
            self.values[key] = (
                each if known is None else replace(known, count=known.count + each.count)
            )

    def print_summary(self) -> None:
        """Say on stderr how many rows are unlike the training, and why."""
        if not self.n_outside:
            return
        verb = "is" if self.n_outside == 1 else "are"
        print_message(
            f"{self.n_outside} of {self.n_rows} rows {verb} outside of the training of the "
            f"model (named in column {OUTSIDE_TRAINING!r}):"
        )
        for each in list(self.values.values())[:MOST_LINES]:
            print_message(str(each))
        if len(self.values) > MOST_LINES:
            print_message(f"and {len(self.values) - MOST_LINES} more")


def _require_experience(ensemble: RuleEnsemble, model: Path) -> None:
    """Refuse a model that does not remember what each of its columns held."""
    known = {name for name, seen in ensemble.experience if seen.knows_values}
    unknown = [name for name in ensemble.used_columns if name not in known]
    if unknown:
        raise ValueError(
            f"--strict needs to know the training, but {model} does not remember what column "
            f"{unknown[0]!r} held: learn it again, or leave --strict out"
        )
