"""What the columns of a matrix mean: their names, their categories, and which are logarithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sorb._types import Bool, Matrix
from sorb.rules import Label
from sorb.tables.quoting import quote_some

__all__ = ["Schema", "choose_log_columns", "column_positions", "drop_unused_categories"]


@dataclass(frozen=True, slots=True)
class Schema:
    """What the columns of a matrix mean.

    Attributes
    ----------
    names : the name of each column.
    categories : for each column None if it holds numbers, or the labels that its codes stand for.
    logarithms : the positions of the columns that are weighed by their logarithms, so that
        propositions on them are about products and ratios.
    left_out : the columns that no rule could use, which count as missing throughout, and why.
    """

    names: tuple[str, ...]
    categories: tuple[tuple[Label, ...] | None, ...]
    logarithms: tuple[int, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_numbers(cls, names: tuple[str, ...]) -> Schema:
        """A schema of plain numbers."""
        return cls(names, (None,) * len(names))

    @property
    def plain(self) -> bool:
        """Whether all columns are plain numbers."""
        return not self.logarithms and not any(c is not None for c in self.categories)

    @property
    def log_names(self) -> tuple[str, ...]:
        """The names of the columns that are weighed by their logarithms."""
        return tuple(self.names[j] for j in self.logarithms)

    @property
    def labels(self) -> dict[str, tuple[Label, ...]]:
        """The labels of each column of categories."""
        pairs = zip(self.names, self.categories, strict=True)
        return {name: labels for name, labels in pairs if labels is not None}


def column_positions(wanted: Any, names: tuple[str, ...], parameter: str) -> set[int]:
    """Find the columns that a parameter lists by name, by position or as a mask.

    Examples
    --------
    >>> from sorb.tables.schema import column_positions
    >>> column_positions(["height", 2], ("age", "height", "group"), "log_columns")
    {1, 2}
    """
    given = [item.item() if isinstance(item, np.generic) else item for item in wanted]
    if given and all(isinstance(item, bool) for item in given):
        return _masked_positions(given, len(names), parameter)
    position = {name: j for j, name in enumerate(names)}
    return {_position(item, position, parameter) for item in given}


def _masked_positions(mask: Sequence[bool], count: int, parameter: str) -> set[int]:
    if len(mask) != count:
        raise ValueError(
            f"{parameter} is a mask and must have one entry for each of the {count} columns, "
            f"found {len(mask)}"
        )
    return {j for j, chosen in enumerate(mask) if chosen}


def _position(item: Any, position: Mapping[str, int], parameter: str) -> int:
    count = len(position)
    if isinstance(item, str):
        if item not in position:
            raise ValueError(
                f"{parameter} names {item!r}, which is not a column: there are "
                f"{quote_some(position)}"
            )
        return position[item]
    if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item < count:
        raise ValueError(
            f"{parameter} must hold column names or positions from 0 to {count - 1}, found {item!r}"
        )
    return item


def drop_unused_categories(matrix: Matrix, schema: Schema, rows: Bool) -> Schema:
    """Renumber, in place, the categories that occur in some rows; others become missing.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.schema import Schema, drop_unused_categories
    >>> codes = np.array([[0.0], [1.0], [2.0]])
    >>> groups = Schema(("group",), (("A", "B", "O"),))
    >>> drop_unused_categories(codes, groups, np.array([True, False, True])).categories
    (('A', 'O'),)
    >>> codes[:, 0]
    array([ 0., nan,  1.])
    """
    categories = list(schema.categories)
    for j, labels in enumerate(categories):
        if labels is None:
            continue
        codes = np.where(np.isnan(matrix[:, j]), len(labels), matrix[:, j]).astype(np.intp)
        used = np.unique(codes[rows & (codes < len(labels))])
        new_code = np.full(len(labels) + 1, np.nan)
        new_code[used] = np.arange(len(used))
        matrix[:, j] = new_code[codes]
        categories[j] = tuple(labels[code] for code in used)
    return replace(schema, categories=tuple(categories))


def choose_log_columns(matrix: Matrix, schema: Schema, wanted: Any, rows: Bool) -> Schema:
    """Say which columns are weighed by their logarithms.

    Parameters
    ----------
    matrix : the values.
    schema : what they mean.
    wanted : None; "auto" for all columns of numbers that are positive throughout and have more than
        two values; or the names or positions of columns, which must be positive.
    rows : the rows that count.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.schema import Schema, choose_log_columns
    >>> schema = Schema.of_numbers(("weight", "change"))
    >>> table = np.array([[70.0, 1], [80, -3], [90, 2]])
    >>> choose_log_columns(table, schema, "auto", np.ones(3, dtype=bool)).logarithms
    (0,)
    """
    if wanted is None:
        return schema
    if isinstance(wanted, str) and wanted == "auto":
        plain = [j for j, labels in enumerate(schema.categories) if labels is None]
        chosen = {j for j in plain if _is_worth_a_logarithm(matrix[rows, j])}
    else:
        chosen = column_positions(wanted, schema.names, "log_columns")
        for j in sorted(chosen):
            _require_positive(matrix[:, j], schema, j, rows)
    return replace(schema, logarithms=tuple(sorted(chosen)))


def _is_worth_a_logarithm(column: Matrix) -> bool:
    """Whether all known values are positive, and there are more than two different ones."""
    known = column[~np.isnan(column)]
    if not len(known) or known.min() <= 0:
        return False
    return bool(((known != known.min()) & (known != known.max())).any())


def _require_positive(column: Matrix, schema: Schema, j: int, rows: Bool) -> None:
    name = schema.names[j]
    if name in schema.left_out:
        raise ValueError(f"log_columns names {name!r}, which is left out: {schema.left_out[name]}")
    if schema.categories[j] is not None:
        raise ValueError(f"log_columns names {name!r}, which holds categories, not numbers")
    bad = np.flatnonzero((column <= 0) & rows)
    if len(bad):
        raise ValueError(
            f"log_columns names {name!r}, which holds {column[bad[0]]:g} in row {bad[0]}: only "
            "positive numbers have a logarithm, so leave the column out or mark them as missing"
        )
