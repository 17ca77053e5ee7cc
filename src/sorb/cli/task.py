"""What is to be learned: the task, detected from the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = ["DetectedTask", "Task", "detect_task", "regression", "require_variation"]

MOST_CLASSES = 20
MOST_SHOWN = 5
LARGEST_CLASS = 2**53


class Task(str, Enum):
    """What kind of outcome is predicted."""

    classification = "classification"
    regression = "regression"


@dataclass(frozen=True, slots=True)
class DetectedTask:
    """A task, a sentence that says why it is this one, and the number of classes, if any."""

    task: Task
    reason: str
    n_classes: int = 0


def detect_task(
    target: str, y: Sequence[Any], requested: Task | None, n_rows: int | None = None
) -> DetectedTask:
    """Treat texts, booleans and two whole numbers as classes, other numbers as a quantity.

    If `y` holds each outcome only once, `n_rows` is the number of rows.

    Examples
    --------
    >>> detect_task("ill", [0, 1, 1], None).reason
    'ill is 0 or 1: a classification'
    >>> detect_task("height", [1.62, 1.8, 1.75], None).task.value
    'regression'
    """
    values = sorted(set(y), key=lambda value: (str(type(value)), value))
    are_numbers = _are_numbers(target, values)
    task = requested or _usual_task(values, are_numbers)
    if task is Task.classification:
        n_rows = len(y) if n_rows is None else n_rows
        reason = _class_reason(target, values, n_rows, requested)
        return DetectedTask(task, reason, len(values))
    if not are_numbers:
        raise ValueError(f"a {task.value} needs numbers, but {target} is {values[0]!r}")
    _require_quantities(target, values)
    hint = _hint(values) if requested is None else ""
    return regression(target, min(values), max(values), hint)


def regression(target: str, low: float, high: float, hint: str = "") -> DetectedTask:
    """Take the target for a quantity.

    Examples
    --------
    >>> regression("height", 1.5, 2.1).reason
    'height is a number from 1.5 to 2.1: a regression'
    """
    from sorb.rules.notation import name

    found = f"a number from {low:.6g} to {high:.6g}" if low < high else f"{low:.6g} in all rows"
    return DetectedTask(Task.regression, f"{name(target)} is {found}: a regression{hint}")


def _are_numbers(target: str, values: Sequence[Any]) -> bool:
    """Whether the outcomes are numbers, not texts; refuse what is neither."""
    are_numbers = all(isinstance(value, (int, float)) for value in values)
    if not are_numbers and not all(isinstance(value, str) for value in values):
        raise ValueError(
            f"{target} must hold numbers or classes, found {values[0]}: turn it into one of them, "
            "such as days since an event"
        )
    return are_numbers


def _require_quantities(target: str, values: Sequence[Any]) -> None:
    """Refuse integers that are rather identifiers, as floats cannot tell them apart."""
    for value in values:
        if isinstance(value, int) and abs(value) > LARGEST_CLASS:
            raise ValueError(
                f"{target} is {value} in some row: whole numbers beyond {LARGEST_CLASS} are taken "
                "for identifiers, so write it as a decimal number if it is a quantity"
            )


def require_variation(target: str, y: Sequence[Any], exposure: Sequence[float] | None) -> None:
    """Refuse outcomes that are the same in all rows, over the same exposure if there is one.

    Examples
    --------
    >>> require_variation("claims", [1, 1], [0.5, 1.0])
    >>> require_variation("claims", [1, 1], None)
    Traceback (most recent call last):
    ...
    ValueError: claims is 1 in all rows: there is nothing to predict
    """
    outcomes = set(y) if exposure is None else set(zip(y, exposure, strict=True))
    if len(outcomes) < 2:
        raise ValueError(f"{target} is {y[0]!r} in all rows: there is nothing to predict")


def _usual_task(values: Sequence[Any], are_numbers: bool) -> Task:
    are_classes = not are_numbers or (len(values) == 2 and all(map(_is_whole, values)))
    return Task.classification if are_classes else Task.regression


def _is_whole(value: float) -> bool:
    """Whether a number can be a class: a whole one that floats tell from the next."""
    return float(value).is_integer() and abs(value) <= LARGEST_CLASS


def _class_reason(target: str, values: Sequence[Any], n_rows: int, requested: Task | None) -> str:
    if requested is None and len(values) > max(MOST_CLASSES, n_rows // 10):
        raise ValueError(
            f"{target} holds {len(values)} different texts, too many for classes: "
            "use --task classification if they are classes"
        )
    fractions = [value for value in values if not isinstance(value, str) and not _is_whole(value)]
    if fractions:
        raise ValueError(
            f"{target} is {fractions[0]!r} in some row: numbers are classes only if they are whole "
            "and below 2⁵³, so turn them into texts"
        )
    from sorb.rules.notation import label, name

    shown = [label(value) for value in values[:MOST_SHOWN]]
    known = f"{', '.join(shown[:-1])} or {shown[-1]}"
    if len(values) > MOST_SHOWN:
        known = f"one of {len(values)} classes, {', '.join(shown)}, …"
    return f"{name(target)} is {known}: a classification"


def _hint(values: Sequence[Any]) -> str:
    if len(values) > MOST_CLASSES or not all(map(_is_whole, values)):
        return ""
    return " (if its values are classes, use --task classification)"
