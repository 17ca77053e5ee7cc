"""What may stand in a rule: checks that give plain Python values or say what is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Label", "class_label", "finite", "freeze", "instances", "names", "natural"]

Label: TypeAlias = str | int | float | bool


def freeze(value: object, **fields: object) -> None:
    """Set the checked fields of a frozen dataclass while it is being made."""
    for field, content in fields.items():
        object.__setattr__(value, field, content)


def finite(value: Any, what: str) -> float:
    """Give a finite Python float; a negative zero becomes plain zero."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{what} must be a number, found {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{what} must be finite, found {value}")
    return number + 0.0


def natural(value: Any, what: str) -> int:
    """Give a Python int that is not negative."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{what} must be an integer, found {value!r}")
    if value < 0:
        raise ValueError(f"{what} must not be negative, found {value}")
    return int(value)


def names(values: Iterable[str]) -> tuple[str, ...]:
    """Give distinct column names as plain strings."""
    if isinstance(values, str):
        raise TypeError(f"columns must be a sequence of names, found the single name {values!r}")
    given = tuple(values)
    for j, value in enumerate(given):
        if not isinstance(value, str):
            raise TypeError(f"columns[{j}] must be a string, found {value!r}")
    return _distinct(given)


@lru_cache(maxsize=256)  # training makes many ensembles over the same columns
def _distinct(given: tuple[str, ...]) -> tuple[str, ...]:
    result = tuple(_text(value, f"columns[{j}]") for j, value in enumerate(given))
    seen: set[str] = set()
    for name in result:
        if name in seen:
            raise ValueError(f"columns must be distinct, found {name!r} twice")
        seen.add(name)
    return result


def class_label(value: Any, what: str) -> Label:
    """Give a class label as a plain Python value, as JSON can hold it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        return plain
    if isinstance(plain, str):
        return _unicode(plain, what)
    if isinstance(plain, int):
        return plain
    if isinstance(plain, float):
        return finite(plain, what)
    raise TypeError(f"{what} must be a string, a number or a boolean, found {value!r}")


def instances(values: Sequence[object], kind: type, what: str) -> None:
    """Refuse anything that is not of the given kind."""
    for value in values:
        if not isinstance(value, kind):
            raise TypeError(f"{what} must hold {kind.__name__}, found {value!r}")


def _text(value: str, what: str) -> str:
    if not value:
        raise ValueError(f"{what} must not be empty")
    return _unicode(str(value), what)


def _unicode(text: str, what: str) -> str:
    # Half of a surrogate pair is a str in Python, but no file can hold it.
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} must be valid Unicode text, found {text!r}") from error
    return text
