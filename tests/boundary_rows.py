"""Rows exactly on the boundaries of a model, where the last digit decides."""

import numpy as np
import polars as pl

from sorb.rules import Product, Proposition
from sorb.rules.columns import column_source


def with_boundary_rows(ensemble, table, rows=2):
    """Add rows on the boundary of each sum and product, and one float to either side of it.

    They are the first `rows` of the table, with another value in the last column of floats that
    the proposition uses. All of them come with a 1 where a value is missing.
    """
    start = table.head(rows)
    pieces = [table]
    for proposition in (p for rule in ensemble for p in rule.condition.propositions):
        names = [name for name in proposition.columns if table.schema[name] == pl.Float64]
        if isinstance(proposition, (Proposition, Product)) and names:
            known = start.with_columns(pl.col(n).fill_null(1).fill_nan(1) for n in names)
            near = _value_on_boundary(proposition, known, names[-1])
            beside = [np.nextafter(near, -np.inf), near, np.nextafter(near, np.inf)]
            pieces += [known.with_columns(pl.Series(names[-1], values)) for values in beside]
    return pl.concat(pieces)


def _value_on_boundary(proposition, table, name):
    """The values of a column that solve the equation of a boundary, up to rounding."""
    ones = table.with_columns(pl.lit(1.0).alias(name))
    part = proposition.quantity(column_source(ones, proposition.columns))
    place = proposition.columns.index(name)
    with np.errstate(all="ignore"):
        if isinstance(proposition, Proposition):
            weight = proposition.weights[place]
            return (proposition.threshold - (part - weight)) / weight
        return (proposition.threshold / part) ** (1 / proposition.powers[place])
