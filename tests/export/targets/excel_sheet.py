"""Compute what `to_excel` writes, with a small interpreter of formulas."""

import math

from export.corpus import finite_scores
from export.sheet import compile_formula

from sorb.export import to_excel


def cell_value(value):
    """What a sheet shows for a value; it has no NaN."""
    return None if value is None or value != value else value


def usable(case):
    """Whether a sheet can hold the numbers, and a formula its texts."""
    values = [value for row in case.rows for value in row if isinstance(value, float)]
    moderate = all(math.isnan(v) or v == 0 or 1e-15 < abs(v) < 1e15 for v in values)
    return moderate and finite_scores(case)


def cells(case):
    """A cell for each column."""
    return {name: f"A{j + 1}" for j, name in enumerate(case.ensemble.columns)}


def write(case):
    return to_excel(case.ensemble, cells(case), case.output, contributions=True)


def answers(case):
    compiled = [compile_formula(formula) for formula in write(case).values()]
    for row in case.rows:
        given = dict(zip(cells(case).values(), map(cell_value, row), strict=True))
        yield [value(given) for value in compiled]


def check(cases):
    for case in cases:
        rows = list(answers(case))
        width = len(rows[0]) - len(case.ensemble)
        found = [row[:width] if width > 1 else row[0] for row in rows]
        case.check(case.restored(found), [row[width:] for row in rows])
