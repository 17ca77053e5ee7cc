"""The columns to learn from, and what is said about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from sorb.cli.arguments import names, pairs, require_names
from sorb.cli.tables import is_text
from sorb.cli.written_numbers import require_no_numbers
from sorb.tables.cells import MOST_CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Features", "Wishes", "choose_features"]

Wishes: TypeAlias = Mapping[str, Sequence[str] | None]

AUTO = "auto"
# A double holds no greater whole number without fail.
LARGEST_WHOLE = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The columns to learn from.

    Attributes
    ----------
    columns : tuple of str
        Their names.
    parameters : dict
        What the estimator is told about them.
    left_out : dict from str to str
        Columns that nobody asked to leave out, but that no rule could be about, and why.
    """

    columns: tuple[str, ...]
    parameters: dict[str, Any]
    left_out: dict[str, str]


def choose_features(table: pa.Table, where: str, others: Sequence[str], wishes: Wishes) -> Features:
    """Choose the columns to learn from.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    where : str
        What the table is called in errors.
    others : sequence of str
        The columns for the outcomes and weights.
    wishes : mapping
        The values of the options ``--ignore``, ``--categories``, ``--log-columns`` and ``--units``.
    """
    ignored = _asked(wishes, "--ignore", table, where)
    categories = _asked(wishes, "--categories", table, where)
    present = [name for name in table.column_names if name not in {*others, *ignored}]
    left_out = dict(_unfit(table, [name for name in present if name not in categories]))
    columns = [name for name in present if name not in left_out]
    if not columns:
        raise ValueError(f"{where} has no column to learn from beside {', '.join(others)}")
    for name in columns:
        _require_finite(table, name)
    parameters = _parameters(table, where, columns, categories, wishes)
    return Features(tuple(columns), parameters, left_out)


def _asked(wishes: Wishes, option: str, table: pa.Table, where: str) -> list[str]:
    asked = names(wishes.get(option), table.column_names)
    require_names(asked, table.column_names, where, option)
    return asked


def _parameters(
    table: pa.Table, where: str, columns: list[str], categories: list[str], wishes: Wishes
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if categories:
        found["categorical_features"] = [
            name for name in columns if name in categories or is_text(table, name)
        ]
    logarithms = names(wishes.get("--log-columns"), columns)
    if logarithms == [AUTO]:
        found["log_columns"] = AUTO
    elif logarithms:
        require_names(logarithms, columns, where, "--log-columns")
        for name in logarithms:
            _require_positive(table, name)
        found["log_columns"] = logarithms
    units = pairs(wishes.get("--units"), "--units", "weight=kg", columns)
    require_names(units, table.column_names, where, "--units")
    if units:
        found["units"] = {name: unit for name, unit in units.items() if name in columns}
    return found


def _unfit(table: pa.Table, columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Find the columns that no rule could be about; one of numbers and a few texts is refused."""
    for name in columns:
        if pa.types.is_temporal(table.schema.field(name).type):
            yield name, "dates or times have no unit to weigh them in"
        elif is_text(table, name):
            require_no_numbers(table[name], name, f"--categories {name} or --ignore {name}")
            count = pc.count_distinct(table[name].cast(pa.string())).as_py()
            if count > MOST_CATEGORIES:
                yield name, f"{count} different texts are hardly categories"
        elif pa.types.is_integer(table.schema.field(name).type):
            extremes = pc.min_max(table[name]).as_py().values()
            if any(abs(value) > LARGEST_WHOLE for value in extremes):
                yield name, f"whole numbers beyond {LARGEST_WHOLE} are hardly quantities"


def _require_finite(table: pa.Table, name: str) -> None:
    if pa.types.is_floating(table.schema.field(name).type):
        row = pc.index(pc.is_inf(table[name]), True).as_py()
        if row >= 0:
            raise ValueError(
                f"the column {name!r} is infinite in row {row}: correct it, or empty it"
            )


def _require_positive(table: pa.Table, name: str) -> None:
    if is_text(table, name):
        raise ValueError(f"the column {name!r} for --log-columns holds texts, no numbers")
    row = pc.index(pc.less_equal(table[name].cast(pa.float64()), 0.0), True).as_py()
    if row >= 0:
        raise ValueError(
            f"the column {name!r} for --log-columns is {table[name][row]} in row {row}: only "
            "positive numbers have a logarithm"
        )
