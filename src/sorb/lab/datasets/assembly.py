"""From named columns of numbers and texts to a table of numbers with a target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float, Int
from sorb.lab.datasets.dataset import Dataset, make_dataset
from sorb.lab.datasets.description import Description, Task
from sorb.tables.exposure import as_rates
from sorb.tables.row_groups import number_groups

Column = Float | tuple[str, ...]
"""Numbers, or the values of a category as text."""


def assemble(description: Description, table: dict[str, Column]) -> Dataset:
    """Make a dataset of named columns, encoded as the description says."""
    if description.target not in table:
        raise ValueError(
            f"The dataset {description.name!r} has no column {description.target!r}; its target "
            f"is one of {', '.join(table)}."
        )
    others = (description.target, description.exposure, description.group)
    features = {name: column for name, column in table.items() if name not in others}
    if not features:
        raise ValueError(f"The dataset {description.name!r} has no column but its target.")
    blocks: list[Float] = []
    names: list[str] = []
    for name, column in features.items():
        if isinstance(column, tuple):
            values = sorted(set(column))
            blocks += [np.array([cell == value for cell in column], float) for value in values]
            names += [f"{name}={value}" for value in values]
        else:
            blocks.append(column)
            names.append(name)
    y, task = _outcome(description, table[description.target])
    exposure = _exposure(description, task, table)
    X = np.column_stack(blocks)
    group = _group(description, table)
    dataset = make_dataset(description.name, X, y, names, task, description, exposure, group)
    _require_rates(dataset, description)
    return dataset


def _require_rates(dataset: Dataset, description: Description) -> None:
    """Refuse outcomes and exposures that the loss cannot learn from, by their row in the table."""
    y = dataset.y.astype(np.float64)
    try:
        dataset.loss.check_outcomes(y, f"column {description.target!r}")
        rates, _ = as_rates(dataset.loss, y, np.ones(len(y)), dataset.exposure)
    except ValueError as error:
        raise ValueError(f"The dataset {description.name!r}: {error}.") from None
    over = f", divided by its exposure {description.exposure!r}," if description.exposure else ""
    _require_several(f"{_target(description)}{over}", np.unique(rates).tolist())


def _require_several(what: str, values: list[Any]) -> None:
    if len(values) < 2:
        raise ValueError(f"{what} is {values[0]} in all rows: nothing to predict.")


def _exposure(description: Description, task: Task, table: dict[str, Column]) -> Float | None:
    if task == "classification" and (description.loss or description.exposure):
        raise ValueError(
            f"{_target(description)} is a class, which has no choice of loss and no exposure."
        )
    if not description.exposure:
        return None
    column = table.get(description.exposure)
    if column is None or isinstance(column, tuple):
        raise ValueError(
            f"The dataset {description.name!r} has no column {description.exposure!r} of numbers "
            "for its exposure."
        )
    return column


def _group(description: Description, table: dict[str, Column]) -> Int | None:
    """Number the groups of rows that belong together."""
    if not description.group:
        return None
    if description.group not in table:
        raise ValueError(
            f"The dataset {description.name!r} has no column {description.group!r} for its groups."
        )
    column = table[description.group]
    group = number_groups(column, len(column), f"column {description.group!r}")
    if not group.any():
        raise ValueError(
            f"All rows of the dataset {description.name!r} are in one group, by its column "
            f"{description.group!r}, so that none is left to test on."
        )
    return group


def _outcome(description: Description, column: Column) -> tuple[NDArray[Any], Task]:
    values = sorted(set(column if isinstance(column, tuple) else column.tolist()))
    if not values:
        raise ValueError(f"The dataset {description.name!r} has no rows.")
    task = description.task or _task_of(description, values)
    if task == "classification" or not description.exposure:
        _require_several(_target(description), values)  # equal counts may be different rates
    if task == "regression":
        if isinstance(column, tuple):
            raise ValueError(
                f"{_target(description)} is to be predicted as a number, but its values are "
                f"{_quote(values)}: correct the task, or choose another target."
            )
        return column, task
    positive = _positive(description, values)
    return np.array([value == positive for value in column], dtype=np.int64), task


def _task_of(description: Description, values: list[Any]) -> Task:
    """Infer the task: two values or text are classes, more than two numbers are a quantity."""
    few_or_text = len(values) == 2 or isinstance(values[0], str)
    return "classification" if description.positive or few_or_text else "regression"


def _positive(description: Description, values: list[Any]) -> Any:
    """Find the value that counts as 1: the named one, else the larger of two."""
    if not description.positive:
        if len(values) > 2:
            raise ValueError(
                f"{_target(description)} has {len(values)} values: {_quote(values)}. Name the one "
                "that counts as 1 as `positive` in a description file."
            )
        return values[1]
    for value in values:
        if str(value) == description.positive or value == _number(description.positive):
            return value
    raise ValueError(
        f"{_target(description)} never has the value {description.positive!r} that counts as 1; "
        f"it has {_quote(values)}."
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _target(description: Description) -> str:
    return f"The target {description.target!r} of the dataset {description.name!r}"


def _quote(values: list[Any]) -> str:
    shown = ", ".join(repr(value) for value in values[:5])
    return f"{shown}, …" if len(values) > 5 else shown
