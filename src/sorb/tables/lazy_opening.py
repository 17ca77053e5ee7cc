"""Opening a lazy frame: what its columns are for, and what has to be known to notice changes."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from sorb.rules.columns import column_names, wrap_frame
from sorb.tables import cells
from sorb.tables.changes import COUNT, PREFIX, ChangeWatch, row_place
from sorb.tables.column_policy import IN_PYTHON, require_some_left
from sorb.tables.expressions import Columns
from sorb.tables.frames import FROM_DTYPE
from sorb.tables.lazy import (
    BROKEN,
    NEGATIVE,
    LazyColumns,
    add_up,
    ask,
    count,
    describe,
    describe_weights,
    is_missing,
)
from sorb.tables.lazy_left_out import empty_columns, find_left_out
from sorb.tables.quoting import quote_some
from sorb.tables.row_keys import MISSING_STEP, Range, label_step
from sorb.tables.schema import column_positions

__all__ = ["open_lazy"]

_FIELDS = ("sample_weight", "exposure")
# What has more labels than this is not taken for classes.
_MOST_CLASSES = 1000


def open_lazy(
    X: Any,
    y: Any,
    sample_weight: Any,
    exposure: Any,
    categorical_features: Any,
    has_classes: bool,
    given: Mapping[str, Range] | None = None,
    group: Any = None,
) -> LazyColumns:
    """Say what the columns of a lazy frame are for, or what is wrong with them."""
    frame = wrap_frame(X)
    columns = Columns.of(frame)
    schema = columns.types
    names = column_names(list(schema))
    _require_column(y, schema, "y", "the outcomes")
    for what, name in zip(_FIELDS, (sample_weight, exposure), strict=True):
        if name is not None:
            _require_column(name, schema, what, "them")
            _require_numbers(what, name, schema[name])
    if group is not None:
        _require_column(group, schema, "groups", "them")
    roles = {"y": y, "sample_weight": sample_weight, "exposure": exposure, "groups": group}
    _require_own_names(names, roles)
    used = {*roles.values()}
    features = tuple(name for name in names if name not in used)
    if not features:
        raise ValueError("the lazy frame has no columns to learn from besides the outcomes")
    if has_classes:
        _require_labels(y, schema[y])
    else:
        _require_numbers("y", y, schema[y])
    if sample_weight is not None:
        # Weights that are missing stay, to be refused.
        frame = frame.filter((columns.number(sample_weight) != 0.0).fill_null(value=True))
    if group is not None:
        _require_groups(frame, columns, group)
    declared = _declared(categorical_features, features, schema)
    undeclared = [name for name in features if name not in declared]
    left_out = find_left_out(frame, columns, undeclared, sample_weight, lambda _: IN_PYTHON)
    require_some_left(features, left_out)
    frame, columns = empty_columns(frame, columns, left_out)
    categorical = _categorical(categorical_features, features, columns.types, declared)
    with_labels = (*categorical, y) if has_classes else categorical
    frame, columns = _with_plain_numbers(frame, columns, with_labels)
    fields = (y, sample_weight, exposure)
    numbers = [name for name in (*features, *fields) if name and name not in with_labels]
    opening = _describe_numbers(frame, columns, numbers, sample_weight)
    complete = frozenset(n for n in numbers if opening[f"known {n}"] == opening[COUNT])
    columns = replace(columns, complete=complete)
    counts = {name: _count_labels(frame, columns, name, name == y) for name in with_labels}
    labels = {name: [label for label in counts[name] if not is_missing(label)] for name in counts}
    opening |= {f"steps {name}": _add_steps(counts[name]) for name in counts}
    ranges = {name: _range(opening[f"low {name}"], opening[f"high {name}"]) for name in numbers}
    origins = {name: 0.0 if math.isnan(found.low) else found.low for name, found in ranges.items()}
    watch = ChangeWatch(row_place(columns, ranges, labels), opening)
    return LazyColumns(
        frame,
        features,
        *fields,
        columns,
        categorical,
        labels,
        watch,
        not opening.get(BROKEN),
        counts.get(y, {}),
        given or {},
        origins,
        group,
        left_out,
    )


def _with_plain_numbers(
    frame: nw.LazyFrame[Any], columns: Columns, others: Collection[str]
) -> tuple[nw.LazyFrame[Any], Columns]:
    """Turn decimal numbers into floats; drivers fail to bring some of them to memory."""
    decimals = [n for n, dtype in columns.types.items() if dtype == nw.Decimal and n not in others]
    if not decimals:
        return frame, columns
    types = {**columns.types, **dict.fromkeys(decimals, nw.Float64())}
    frame = frame.with_columns(nw.col(*decimals).cast(nw.Float64))
    return frame, replace(columns, types=types)


def _describe_numbers(
    frame: nw.LazyFrame[Any], columns: Columns, names: Sequence[str], weight: str | None
) -> dict[str, Any]:
    """Find the ranges of columns of numbers; refuse weights that are missing or negative."""
    asked = {**describe(columns, names), **describe_weights(columns, weight)}
    found = ask(frame, "find the ranges of the columns at first", asked)
    if weight is not None:
        unknown, negative = found[COUNT] - int(found[f"known {weight}"]), int(found[NEGATIVE] or 0)
        if unknown or negative:
            raise ValueError(
                f"sample_weight, column {weight!r}, must be finite and non-negative in all rows: "
                f"it is missing or infinite in {unknown}, negative in {negative}"
            )
    return found


def _require_groups(frame: nw.LazyFrame[Any], columns: Columns, group: str) -> None:
    asked = {"missing": count(columns.label(group).is_null())}
    missing = ask(frame, "look for rows without a group", asked)["missing"]
    if missing:
        raise ValueError(
            f"groups, column {group!r}, is missing in {int(missing)} rows: expected the label of a "
            "group in each row, so drop these rows, or give each of them a label of its own"
        )


def _range(low: Any, high: Any) -> Range:
    if low is None or low != low:
        return Range(math.nan, math.nan)
    return Range(float(low), float(high))


def _count_labels(
    frame: nw.LazyFrame[Any], columns: Columns, name: str, are_classes: bool
) -> dict[Any, int]:
    """Count the rows that have each label of a column, which may be missing."""
    most = _MOST_CLASSES if are_classes else None
    label = columns.label(name).alias("label")
    found = add_up(
        frame.select(name),
        f"find the {'classes' if are_classes else 'categories'} of column {name!r}",
        lambda rows: rows.select(label),
        ["label"],
        most=None if most is None else most + 2,  # one may be missing
    ).to_dict(as_series=False)
    counts = dict(zip(found["label"], map(int, found[COUNT]), strict=True))
    labels = [label for label in counts if not is_missing(label)]
    if are_classes and len(labels) > _MOST_CLASSES:
        raise ValueError(
            f"column {name!r} holds more than {_MOST_CLASSES} different values: expected classes"
        )
    return counts


def _add_steps(counts: Mapping[Any, int]) -> int:
    """The sum of the steps of labels over all rows."""
    return sum(
        n * (MISSING_STEP if is_missing(label) else label_step(label))
        for label, n in counts.items()
    )


def _require_column(name: Any, schema: Mapping[str, Any], what: str, role: str) -> None:
    if not isinstance(name, str):
        raise TypeError(
            f"{what} must be the name of a column, since a lazy frame holds {role} itself; found "
            f"{type(name).__name__}"
        )
    if name not in schema:
        raise ValueError(
            f"{what} names {name!r}, which is not a column: there are {quote_some(schema)}"
        )


def _require_own_names(names: Sequence[str], roles: Mapping[str, str | None]) -> None:
    """Refuse a column that has two roles, or the name of a column that questions add."""
    reserved = [name for name in names if name.startswith(PREFIX)]
    if reserved:
        raise ValueError(
            f"column {reserved[0]!r} must be renamed: names that begin with {PREFIX!r} are those "
            "of columns that sorb adds to a lazy frame"
        )
    known: dict[str, str] = {}
    for role, name in roles.items():
        if name is not None and name in known:
            raise ValueError(f"{known[name]} and {role} both name column {name!r}")
        if name is not None:
            known[name] = role


def _require_no_dates(name: str, dtype: Any) -> None:
    if dtype.is_temporal():
        raise ValueError(f"column {name!r} {cells.DATES.format(type(dtype).__name__)}")


def _require_numbers(role: str, name: str, dtype: Any) -> None:
    _require_no_dates(name, dtype)
    if not _holds_numbers(dtype):
        raise ValueError(f"{role}, column {name!r}, holds {dtype}: expected numbers")


def _holds_numbers(dtype: Any) -> bool:
    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _require_labels(y: str, dtype: Any) -> None:
    if not (_holds_numbers(dtype) or dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object)):
        raise ValueError(
            f"column {y!r} holds {dtype}: class labels must be texts, whole numbers or booleans, "
            "so turn them into texts first"
        )


def _declared(wanted: Any, features: tuple[str, ...], schema: Mapping[str, Any]) -> frozenset[str]:
    """The features that hold categories, as their types or the user say."""
    if wanted is None:
        return frozenset()
    if isinstance(wanted, str) and wanted == FROM_DTYPE:
        return frozenset(name for name in features if schema[name] in (nw.Categorical, nw.Enum))
    named = column_positions(wanted, features, "categorical_features")
    for j in sorted(named):
        _require_no_dates(features[j], schema[features[j]])
    return frozenset(features[j] for j in named)


def _categorical(
    wanted: Any, features: tuple[str, ...], schema: Mapping[str, Any], declared: Collection[str]
) -> tuple[str, ...]:
    """The features that hold categories; refuses those that hold neither them nor numbers."""
    texts_are = isinstance(wanted, str) and wanted == FROM_DTYPE
    found = []
    for name in features:
        dtype = schema[name]
        is_text = dtype in (nw.String, nw.Categorical, nw.Enum)
        if name in declared or (texts_are and is_text):
            found.append(name)
        elif not _holds_numbers(dtype):
            advice = cells.NAME_CATEGORIES if is_text else ""
            raise ValueError(f"column {name!r} holds {dtype}: expected numbers{advice}")
    return tuple(found)
