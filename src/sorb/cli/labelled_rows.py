"""The rows of a table whose outcome is known, with their outcomes and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from sorb._types import Float, Index, Int
from sorb.cli.model_tables import read_model_table
from sorb.cli.models import class_labels
from sorb.rules import RuleEnsemble
from sorb.tables.exposure import require_exposure
from sorb.tables.reading import FIND_OUT, Reading
from sorb.tables.row_groups import number_groups
from sorb.tables.targets import outcome_numbers, require_scale
from sorb.tables.weights import row_floats, row_weights

if TYPE_CHECKING:
    import pyarrow as pa

    from sorb.report.given_rows import GivenRows

__all__ = ["LabelledRows", "column_weights", "read_labelled_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Rows with known outcomes.

    Attributes
    ----------
    table : pyarrow.Table
        The rows.
    y : list
        Their outcomes.
    weight : ndarray
        Their weights, 1 each if there is no column of weights.
    exposure : ndarray or None
        What their outcomes accumulated over, if there is such a column.
    left_out : int
        The number of rows of the file without an outcome.
    places : ndarray
        Their numbers in the file, counted from 0.
    group : ndarray or None
        The numbers of their groups, if there is a column of groups.
    """

    table: pa.Table
    y: list[Any]
    weight: Float
    exposure: Float | None
    left_out: int
    places: Index
    group: Int | None = None

    @classmethod
    def of(
        cls,
        table: pa.Table,
        target: str,
        weight: str | None,
        exposure: str | None = None,
        group: str | None = None,
    ) -> LabelledRows:
        """Leave out the rows without an outcome, and those of weight 0."""
        from sorb.tables.arrow import cells

        outcomes = [_plain(y) for y in cells(table, target)]
        weights = column_weights(table, weight)
        known = np.array([outcome is not None for outcome in outcomes])
        places = np.flatnonzero(known & (weights > 0))
        kept = places.tolist()
        if not kept:
            where = f" of positive weight in column {weight!r}" if known.any() else ""
            raise ValueError(f"column {target!r} is empty in all rows{where}")
        rows = table.take(kept) if len(kept) < len(outcomes) else table
        left_out = len(outcomes) - int(known.sum())
        units = _exposure(rows, exposure, kept)
        y = [outcomes[row] for row in kept]
        groups = None
        if group is not None:
            groups = number_groups(cells(rows, group), len(kept), f"column {group!r}", kept)
        return cls(rows, y, weights[kept], units, left_out, places, groups)

    @property
    def n_groups(self) -> int | None:
        """The number of their groups, if there is a column of groups."""
        return None if self.group is None else len(np.unique(self.group))

    @property
    def given(self) -> GivenRows:
        """The rows as reports and dossiers take them, with their numbers in the file."""
        from sorb.report.given_rows import GivenRows

        weight = None if (self.weight == 1).all() else self.weight
        y = np.array(self.y)
        return GivenRows(self.table, y, weight, self.exposure, self.group, self.places)

    def part(self, weight: Float, columns: Sequence[str]) -> LabelledRows:
        """Select some of the columns, and the rows that have any of these weights."""
        rows = np.flatnonzero(weight)
        outcomes = [self.y[row] for row in rows.tolist()]
        units = None if self.exposure is None else self.exposure[rows]
        groups = None if self.group is None else self.group[rows]
        table = self.table.select(columns).take(rows)
        return LabelledRows(table, outcomes, weight[rows], units, 0, self.places[rows], groups)


def _plain(y: Any) -> Any:
    """Turn a decimal into a float, or into an integer if it has no decimals."""
    if not isinstance(y, Decimal):
        return y
    return int(y) if y.as_tuple().exponent == 0 else float(y)


def read_labelled_rows(
    source: str,
    ensembles: Sequence[RuleEnsemble],
    target: str,
    weight: str | None,
    reading: Reading = FIND_OUT,
    exposure: str | None = None,
    group: str | None = None,
    unused: bool = False,
    unused_if_there: bool = False,
    also: Sequence[str] = (),
) -> LabelledRows:
    """Read the rows to measure models on, which all predict the same outcomes.

    With `unused`, columns that the models know but do not use are read, too; with
    `unused_if_there` those that the table has; and so are those of `also`, which --by names.
    """
    options = {"--target": target, "--weight": weight, "--exposure": exposure, "--group": group}
    others: dict[str, str | None] = {
        column: option for option, column in options.items() if column is not None
    }
    if unused or unused_if_there:
        known = {name for ensemble in ensembles for name in ensemble.columns}
        used = {name for ensemble in ensembles for name in ensemble.used_columns}
        purpose = "the model" if unused else None
        others = {**dict.fromkeys(sorted(known - used), purpose), **others}
    others = {**dict.fromkeys(also, "--by"), **others}
    labels = class_labels(ensembles[0])
    as_text = (target,) if any(isinstance(label, str) for label in labels) else ()
    table = read_model_table(source, *ensembles, others=others, as_text=as_text, reading=reading)
    _check_outcomes(table, target, ensembles)
    return LabelledRows.of(table, target, weight, exposure, group)


def _check_outcomes(table: pa.Table, target: str, ensembles: Sequence[RuleEnsemble]) -> None:
    """Refuse outcomes that a model cannot predict, by their row in the file."""
    from sorb.tables.arrow import cells

    known = [(row, value) for row, value in enumerate(cells(table, target)) if value is not None]
    rows, values = [row for row, _ in known], [value for _, value in known]
    what = f"column {target!r}"
    for ensemble in ensembles:
        y, weight = np.zeros(table.num_rows), np.zeros(table.num_rows)
        y[rows], weight[rows] = outcome_numbers(ensemble, values, what, rows), 1.0
        require_scale(ensemble.loss, y, weight, what)


def column_weights(table: pa.Table, column: str | None) -> Float:
    """Read the weights of the rows, 1 each if there is no column of weights."""
    from sorb.tables.arrow import cells

    if column is None:
        return np.ones(table.num_rows)
    return row_weights(cells(table, column), table.num_rows, f"column {column!r}")


def _exposure(table: pa.Table, column: str | None, rows: Sequence[int]) -> Float | None:
    """Read the exposures of the rows, which have these numbers in the file."""
    from sorb.tables.arrow import cells

    if column is None:
        return None
    what = f"column {column!r}"
    exposure = row_floats(cells(table, column), table.num_rows, what)
    require_exposure(exposure, what, rows)
    return exposure
