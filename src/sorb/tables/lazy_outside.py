"""Which rows of a lazy frame are unlike the training, as one more column of it."""

from __future__ import annotations

from collections.abc import Mapping
from operator import or_
from typing import Any

import narwhals as nw

from sorb.rules import ColumnExperience, Membership, RuleEnsemble
from sorb.rules.columns import wrap_frame
from sorb.tables.expressions import Columns, Expr, join, proposition_expr

__all__ = ["OUTSIDE_TRAINING", "SEPARATOR", "add_outside_training"]

OUTSIDE_TRAINING, SEPARATOR = "outside_training", "; "


def add_outside_training(X: Any, ensemble: RuleEnsemble) -> Any:
    """Add the column `outside_training`: the columns whose value is unlike the training.

    Examples
    --------
    >>> import polars as pl
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> rules = [Rule(Condition((Proposition((name,), (1.0,), 40.0),)), 1.0) for name in "ab"]
    >>> seen = {name: ColumnExperience(missing=False, range=(18, 84)) for name in "ab"}
    >>> ensemble = RuleEnsemble(0.0, rules, ("a", "b"), "squared", experience=seen)
    >>> frame = pl.LazyFrame({"a": [50, 7, None], "b": [50, 90, 50]})
    >>> add_outside_training(frame, ensemble).collect()["outside_training"].to_list()
    ['', 'a; b', 'a']
    """
    frame = wrap_frame(X)
    columns = Columns.of(frame)
    missing = [name for name in ensemble.used_columns if name not in columns.types]
    if missing:
        raise ValueError(f"missing columns: {', '.join(map(repr, missing))}")
    if OUTSIDE_TRAINING in columns.types:
        raise ValueError(f"the answer would be a second column {OUTSIDE_TRAINING!r}: rename one")
    experience, weighed = dict(ensemble.experience), ensemble.weighed_columns
    names = [
        nw.when(join(unlike, or_)).then(nw.lit(name))
        for name in ensemble.used_columns
        if (unlike := _unlike(name, name in weighed, experience, columns))
    ]
    found = nw.lit("")
    if names:
        joined = nw.concat_str(names, separator=SEPARATOR, ignore_nulls=True)
        found = joined.fill_null("")
    return frame.with_columns(found.alias(OUTSIDE_TRAINING)).to_native()


def _unlike(
    name: str, weighed: bool, experience: Mapping[str, ColumnExperience], columns: Columns
) -> list[Expr]:
    """What may be unlike the training in a column; never null, and empty if nothing can be."""
    seen = experience.get(name)
    ends = None if seen is None else seen.range
    found = []
    if (weighed or ends is not None) and columns.holds_nan(name):
        found.append(columns.infinite(name))
    if seen is not None and not seen.missing:
        found.append(proposition_expr(Membership(name, (), missing=True), columns))
    if ends is not None:
        low, high = (columns.constant(end) for end in ends)
        value = columns.number(name)
        found.append(((value < low) | (value > high)).fill_null(value=False))
    if seen is not None and seen.categories is not None:
        known = Membership(name, seen.categories, negated=True)
        found.append(proposition_expr(known, columns))
    return found
