"""Questions and answers as plain values that JSON can hold, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from sorb._extras import install_command
from sorb.learning.source import Description, Draw, KeyCount, OutcomeCount, Sums
from sorb.losses import Loss, loss_by_name
from sorb.rules import Condition
from sorb.rules.numbers import is_missing
from sorb.rules.rule_documents import condition_document, condition_from_document
from sorb.tables.lazy import Numbers
from sorb.tables.row_keys import KeyColumn, KeyPlan, Range

Message: TypeAlias = dict[str, Any]


def write_loss(loss: Loss | None) -> Message | None:
    """A loss by its name and parameters."""
    return None if loss is None else {"name": loss.name, **loss.parameters}


def read_loss(message: Message | None) -> Loss | None:
    """The loss of a message."""
    return None if message is None else loss_by_name(**message)


def write_range(values: Range) -> Message | None:
    """The ends of a range; None if there are no values.

    Examples
    --------
    >>> write_range(Range(0.0, 1.5, 0.5))
    {'low': 0.0, 'high': 1.5}
    """
    if not values.high >= values.low:
        return None
    return {"low": values.low, "high": values.high}


def read_range(message: Message | None) -> Range:
    """The range of a message."""
    if message is None:
        return Range(math.nan, math.nan)
    return Range(message["low"], message["high"], message.get("excess", math.nan))


def write_description(description: Description) -> Message:
    """What the columns hold and are for; sites have no groups of rows."""
    return {name: value for name, value in asdict(description).items() if name != "group"}


def read_description(message: Message) -> Description:
    """The description of a message."""
    tuples = {name: tuple(message[name]) for name in ("features", "categorical")}
    known = {name: value for name, value in message.items() if name != "fit"}
    return Description(**{**known, **tuples})


def write_numbers(numbers: Numbers) -> Message:
    """The ranges of features, and those in which values are missing."""
    ranges = {}
    for name, values in numbers.ranges.items():
        count = numbers.counts[name]
        mean = {"excess": values.excess, "count": count} if count else {}
        ends = write_range(values)
        ranges[name] = None if ends is None else {**ends, **mean}
    return {"ranges": ranges, "incomplete": sorted(numbers.incomplete)}


def read_numbers(message: Message) -> Numbers:
    """The ranges of a message."""
    found = message["ranges"]
    ranges = {name: read_range(values) for name, values in found.items()}
    counts = {name: (values or {}).get("count", 0.0) for name, values in found.items()}
    return Numbers(ranges, counts, frozenset(message["incomplete"]))


def write_classes(counts: Mapping[Any, OutcomeCount], kind: str) -> Message:
    """The number of rows of each class."""
    labels = write_labels(counts, kind)
    return {
        "classes": [
            {"label": label, **asdict(count)}
            for label, count in zip(labels, counts.values(), strict=True)
        ]
    }


def read_classes(message: Message) -> dict[Any, OutcomeCount]:
    """The counts of a message."""
    return {
        found["label"]: OutcomeCount(found["n_rows"], found["weight"])
        for found in message["classes"]
    }


def write_plan(plan: KeyPlan) -> Message:
    """How keys are made; a site knows the steps of its labels itself."""
    outcome = None if plan.outcome is None else _write_key_column(plan.outcome)
    columns = {name: _write_key_column(column) for name, column in plan.columns.items()}
    return {"seed": plan.seed, "columns": columns, "outcome": outcome, "digits": plan.digits}


def write_keys(count: KeyCount, kind: str) -> Message:
    """The different keys of each class."""
    labels = write_labels(count.keys, kind)
    keys = [
        {"label": label, "keys": list(keys)}
        for label, keys in zip(labels, count.keys.values(), strict=True)
    ]
    return {"classes": keys, "n_rows": count.n_rows}


def read_keys(message: Message) -> KeyCount:
    """The keys of a message."""
    keys = {found["label"]: found["keys"] for found in message["classes"]}
    return KeyCount(keys, message["n_rows"])


def write_draw(draw: Draw | None) -> Message | None:
    """Which rows to read; None for all of them."""
    if draw is None:
        return None
    return {"plan": write_plan(draw.plan), "limits": [list(pair) for pair in draw.limits.items()]}


def read_draw(message: Message | None) -> Draw | None:
    """The rows of a message."""
    if message is None:
        return None
    return Draw(read_plan(message["plan"]), dict(message["limits"]))


def _write_key_column(column: KeyColumn) -> Message:
    range_ = write_range(column.steps) if isinstance(column.steps, Range) else None
    return {"range": range_, "square": column.square, "linear": column.linear}


def read_plan(message: Message) -> KeyPlan:
    """The plan of a message."""
    outcome = None if message["outcome"] is None else _read_key_column(message["outcome"])
    columns = {name: _read_key_column(column) for name, column in message["columns"].items()}
    return KeyPlan(message["seed"], columns, outcome, message["digits"])


def _read_key_column(message: Message) -> KeyColumn:
    steps = () if message["range"] is None else read_range(message["range"])
    return KeyColumn(steps, message["square"], message["linear"])


def write_conditions(conditions: Sequence[Condition]) -> list[Any]:
    """Conditions, as in the files of models."""
    return [list(condition_document(condition)) for condition in conditions]


def read_conditions(message: Sequence[Any]) -> list[Condition]:
    """The conditions of a message."""
    return [
        condition_from_document(document, f"conditions[{k}]") for k, document in enumerate(message)
    ]


# How the values of each kind are written, and the type of a column that holds them.
_KINDS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "number": (float, nw.Float64),
    "text": (str, nw.String),
    "category": (str, nw.Categorical),
    "boolean": (bool, nw.Boolean),
    "integer": (int, nw.Int64),
    "float": (float, nw.Float64),
}


def write_labels(labels: Iterable[Any], kind: str) -> list[Any]:
    """Labels, or numbers, of one kind; None where one is missing."""
    write = _KINDS[kind][0]
    return [None if is_missing(label) else write(label) for label in labels]


def write_rows(frame: nw.DataFrame[Any], description: Description) -> Message:
    """The columns of a table."""
    kinds = description.kinds
    return {
        "columns": {
            column.name: write_labels(column.to_list(), kinds.get(column.name, "number"))
            for column in frame.iter_columns()
        }
    }


def read_rows(message: Message, description: Description) -> nw.DataFrame[Any]:
    """The table of a message, its columns in the order and of the types of a description."""
    columns = message["columns"]
    fields = [name for name in sorted(columns) if name not in description.features]
    ordered = {name: columns[name] for name in (*description.features, *fields)}
    types = {name: _KINDS[description.kinds.get(name, "number")][1] for name in ordered}
    if description.single:
        types |= dict.fromkeys(description.features, nw.Float32)
    try:
        return nw.from_dict(ordered, types, backend="pyarrow")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"sampled rows are held by pyarrow: {install_command('tables')}"
        ) from error


def write_sums(sums: Sums, kind: str) -> Message:
    """Sums by group; which conditions cover a group is written as 0 and 1."""
    return {
        "covered": ["".join("01"[covers] for covers in group) for group in sums.covered.tolist()],
        "labels": None if sums.labels is None else write_labels(sums.labels, kind),
        "n_rows": sums.n_rows.tolist(),
        "weight": sums.weight.tolist(),
        "outcome": sums.outcome.tolist(),
        "constant": sums.constant,
        "hidden": sums.hidden,
    }


def read_sums(message: Message, n_conditions: int) -> Sums:
    """The sums of a message."""
    covered = np.array([[mark == "1" for mark in group] for group in message["covered"]])
    return Sums(
        covered.astype(np.bool_).reshape(len(message["covered"]), n_conditions),
        message["labels"],
        np.array(message["n_rows"], dtype=np.int64),
        np.array(message["weight"], dtype=np.float64),
        np.array(message["outcome"], dtype=np.float64),
        float(message["constant"]),
        message["hidden"],
    )
