"""What is to be learned: the task, found from the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = ["Task", "TaskFound", "find_task"]

MOST_CLASSES = 20
MOST_SHOWN = 5


class Task(str, Enum):
    """What kind of outcome is to be predicted."""

    classification = "classification"
    regression = "regression"
    counts = "counts"


@dataclass(frozen=True, slots=True)
class TaskFound:
    """A task, and the words that say how it was found."""

    task: Task
    words: str


def find_task(target: str, y: Sequence[Any], asked: Task | None) -> TaskFound:
    """Take texts, truth values and two different numbers for classes, other numbers for a quantity.

    Examples
    --------
    >>> find_task("ill", [0, 1, 1], None).words
    'ill is 0 or 1: a classification'
    >>> find_task("height", [1.62, 1.8, 1.75], None).task.value
    'regression'
    """
    values = sorted(set(y), key=lambda value: (str(type(value)), value))
    numbers = all(isinstance(value, (int, float)) for value in values)
    if not numbers and not all(isinstance(value, str) for value in values):
        raise ValueError(
            f"{target} must hold numbers or classes, found {values[0]}: turn it into one of them, "
            "such as days since an event"
        )
    if len(values) < 2:
        raise ValueError(f"{target} is {values[0]!r} in all rows: there is nothing to predict")
    few = len(values) == 2 or isinstance(values[0], bool)
    task = asked or (Task.regression if numbers and not few else Task.classification)
    if task is Task.classification:
        return TaskFound(task, _class_words(target, values, y, asked))
    if not numbers:
        raise ValueError(f"--task {task.value} wants numbers, but {target} is {values[0]!r}")
    found = "a count" if task is Task.counts else "a number"
    hint = _hint(values) if asked is None else ""
    low, high = (f"{value:.6g}" for value in (min(values), max(values)))
    return TaskFound(task, f"{target} is {found} from {low} to {high}: a regression{hint}")


def _class_words(target: str, values: Sequence[Any], y: Sequence[Any], asked: Task | None) -> str:
    if asked is None and len(values) > max(MOST_CLASSES, len(y) // 10):
        raise ValueError(
            f"{target} holds {len(values)} different texts: too many for classes; "
            "say --task classification if they are"
        )
    shown = [" ".join(str(value).split()) for value in values[:MOST_SHOWN]]
    if len(values) > MOST_SHOWN:
        return f"{target} is one of {len(values)} classes, {', '.join(shown)}, …: a classification"
    return f"{target} is {', '.join(shown[:-1])} or {shown[-1]}: a classification"


def _hint(values: Sequence[Any]) -> str:
    if len(values) > MOST_CLASSES or not all(float(value).is_integer() for value in values):
        return ""
    return " (if its values are classes, say --task classification)"
