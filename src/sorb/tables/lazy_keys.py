"""The keys of the rows of a lazy frame, as those of `row_keys`, by expressions of narwhals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import add

import narwhals as nw

from sorb.tables.changes import bounded, label_steps
from sorb.tables.expressions import Columns, Expr, as_integer, join
from sorb.tables.lazy import LazyColumns
from sorb.tables.row_keys import (
    LIMIT,
    MISSING_STEP,
    STEPS,
    KeyColumn,
    KeyPlan,
    Range,
    finish_key,
)

__all__ = ["key_layers"]


def key_layers(
    known: LazyColumns, plan: KeyPlan, outcome: Expr | None, name: str
) -> list[list[Expr]]:
    """The layers of columns that add the key of each row, of its outcome, too, if given.

    Columns are not added all at once, as some engines compute an expression as often as it is used.
    """
    by_name = dict(plan.columns)
    numbers = {
        name: known.columns.number(name)
        for name, column in by_name.items()
        if isinstance(column.steps, Range)
    }
    if outcome is not None and plan.outcome is not None:
        by_name[known.y], numbers[known.y] = plan.outcome, outcome
    # Columns that are added are numbered: databases cut long names.
    columns = dict(enumerate(by_name.values()))
    places, labels = {}, {}
    for k, key in enumerate(by_name):
        if key in numbers:
            places[k] = _place(known.columns, numbers[key], columns[k])
        else:
            labels[k] = label_steps(known.columns, key, known.labels[key])
    # Not a literal: if nothing varies, some engines would give it once, not for each row.
    zero = (as_integer(nw.col(known.y).is_null()) * 0).alias(name)
    steps = {**labels, **_steps(places)}
    of_step = f"{name} step"
    layers = [[zero, *_name(of_step, steps)], _add(columns, steps, 0, name)]
    for digit in range(1, plan.digits):
        rest = {key: _rest(place) for key, place in places.items()}
        of_digit = f"{name} place {digit}"
        places = {key: nw.col(f"{of_digit} {key}") for key in places}
        steps = _steps(places)
        layers += [_name(of_digit, rest), _name(of_step, steps), _add(columns, steps, digit, name)]
    return [*layers, [finish_key(nw.col(name), plan.seed).alias(name)]]


def _place(columns: Columns, number: Expr, column: KeyColumn) -> Expr:
    assert isinstance(column.steps, Range)
    low, factor = columns.constant(column.steps.low), columns.constant(column.steps.factor)
    return (number - low) * factor + 0.5


def _steps(places: Mapping[int, Expr]) -> dict[int, Expr]:
    """The steps of numbers at places in their ranges."""
    most = float(MISSING_STEP)
    return {key: bounded(place, most).floor().cast(nw.Int64) for key, place in places.items()}


def _rest(place: Expr) -> Expr:
    """The place within a step, counted in steps of the next digit; null where none is known."""
    known = place.is_between(0.0, float(STEPS + 1))
    return nw.when(known).then((place - place.floor()) * float(STEPS))


def _name(prefix: str, exprs: Mapping[int, Expr]) -> list[Expr]:
    return [expr.alias(f"{prefix} {key}") for key, expr in exprs.items()]


def _add(
    columns: Mapping[int, KeyColumn], keys: Iterable[int], digit: int, name: str
) -> list[Expr]:
    """Add what the steps of a digit, in columns of their own, are turned into."""
    parts = [columns[key].mix(nw.col(f"{name} step {key}"), digit) for key in keys]
    pairs = [join(parts[k : k + 2], add) % LIMIT for k in range(0, len(parts), 2)]
    return [join([nw.col(name), *pairs], add).alias(name)]
