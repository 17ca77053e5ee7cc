"""The rows of a table whose outcome is known, with their outcomes and weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.cli.arguments import DecimalSign
from sorb.cli.models import class_labels, table_for
from sorb.cli.tables import cells
from sorb.rules import RuleEnsemble

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KnownRows", "known_rows", "weight_cells"]


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows:
    """Rows with known outcomes.

    Attributes
    ----------
    table : pyarrow.Table
        The rows.
    y : list
        Their outcomes.
    weight : ndarray
        Their weights, 1 each if there is no column for them.
    left_out : int
        How many rows of the file have no outcome.
    """

    table: pa.Table
    y: list[Any]
    weight: Float
    left_out: int

    @classmethod
    def of(cls, table: pa.Table, target: str, weight: str | None) -> KnownRows:
        """Leave out the rows without outcome, and those without weight, which are none."""
        outcomes, weights = cells(table, target), weight_cells(table, weight)
        known = np.array([outcome is not None for outcome in outcomes])
        kept = np.flatnonzero(known & (weights > 0)).tolist()
        if not kept:
            raise ValueError(f"the column {target!r} is empty in all rows")
        rows = table.take(kept) if len(kept) < len(outcomes) else table
        left_out = len(outcomes) - int(known.sum())
        return cls(rows, [outcomes[row] for row in kept], weights[kept], left_out)

    def take(self, rows: NDArray[np.intp], columns: Sequence[str]) -> KnownRows:
        """Choose some of the rows, and of the columns."""
        chosen = [self.y[row] for row in rows.tolist()]
        return KnownRows(self.table.select(columns).take(rows), chosen, self.weight[rows], 0)


def known_rows(
    source: str,
    ensembles: Sequence[RuleEnsemble],
    target: str,
    weight: str | None,
    decimal: DecimalSign | None = None,
) -> KnownRows:
    """Read the rows by which models are judged, all of which speak of the same outcomes."""
    others = {target: "--target"} | ({weight: "--weight"} if weight else {})
    labels = class_labels(ensembles[0])
    texts = any(isinstance(label, str) for label in labels)
    as_text = (target,) if texts else ()
    table = table_for(source, *ensembles, others=others, as_text=as_text, decimal=decimal)
    _require_outcomes(cells(table, target), target, labels)
    return KnownRows.of(table, target, weight)


def _require_outcomes(values: list[Any], target: str, labels: tuple[Any, ...]) -> None:
    for row, value in enumerate(values):
        if value is None:
            continue
        if labels and value not in labels:
            known = ", ".join(map(repr, labels))
            raise ValueError(
                f"the column {target!r} must hold the classes of the model, {known}; "
                f"found {value!r} in row {row}"
            )
        if not labels and not isinstance(value, (int, float)):
            raise ValueError(
                f"the column {target!r} must hold numbers, found {value!r} in row {row}"
            )


def weight_cells(table: pa.Table, column: str | None) -> Float:
    """Read the weights of the rows, 1 each if there is no column for them."""
    if column is None:
        return np.ones(table.num_rows)
    values = cells(table, column)
    for row, value in enumerate(values):
        if not (isinstance(value, (int, float)) and 0 <= value < math.inf):
            raise ValueError(
                f"the column {column!r} must hold the weights of the rows, 0 or more, "
                f"found {'nothing' if value is None else repr(value)} in row {row}"
            )
    weights = np.array(values, dtype=np.float64)
    if not weights.any():
        raise ValueError(f"the column {column!r} gives no row a weight above 0")
    return weights
