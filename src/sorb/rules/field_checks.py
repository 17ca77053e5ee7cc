"""Checks of the fields of rules: they return plain Python values, or say what is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from sorb.losses import Loss

__all__ = [
    "Label",
    "check_classes",
    "check_columns",
    "check_flag",
    "check_items",
    "check_labels",
    "check_natural",
    "check_number",
    "check_offset",
    "check_rates",
    "check_scores",
    "check_types",
    "check_units",
    "fits_in_64_bits",
    "set_fields",
]

Label: TypeAlias = str | int | float | bool

# So that all scores, their differences and percentages are finite.
LARGEST_SCORE = 1e300


def set_fields(value: object, **fields: object) -> None:
    """Set fields of a frozen dataclass that is being built."""
    for field, content in fields.items():
        object.__setattr__(value, field, content)


def check_number(value: Any, what: str) -> float:
    """Return a finite Python float; a negative zero becomes zero."""
    # Asking for a float first is faster, and nearly always enough.
    if isinstance(value, bool) or not isinstance(value, (float, Real)):
        raise TypeError(f"{what} must be a number, found {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{what} must be finite, found {value}")
    return number + 0.0


def check_flag(value: Any, what: str) -> bool:
    """Return a Python bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be True or False, found {value!r}")
    return bool(value)


def check_natural(value: Any, what: str) -> int:
    """Return a non-negative Python int."""
    if isinstance(value, bool) or not isinstance(value, (int, Integral)):
        raise TypeError(f"{what} must be an integer, found {value!r}")
    if value < 0:
        raise ValueError(f"{what} must not be negative, found {value}")
    return int(value)


def check_items(values: Iterable[Any], what: str, kind: str) -> tuple[Any, ...]:
    """Return the items of a sequence of some kind of things.

    Examples
    --------
    >>> check_items(1.5, "weights", "numbers")
    Traceback (most recent call last):
    ...
    TypeError: weights must be a sequence of numbers, found 1.5
    """
    if not np.iterable(values):
        raise TypeError(f"{what} must be a sequence of {kind}, found {values!r}")
    return tuple(values)


def check_columns(values: Iterable[str]) -> tuple[str, ...]:
    """Return distinct column names as plain strings."""
    if isinstance(values, str):
        raise TypeError(f"columns must be a sequence of names, found the single name {values!r}")
    given = check_items(values, "columns", "names")
    if set(map(type, given)) != {str}:
        for j, value in enumerate(given):
            if not isinstance(value, str):
                raise TypeError(f"columns[{j}] must be a string, found {value!r}")
    return _distinct(given)


@lru_cache(maxsize=256)  # training builds many ensembles over the same columns
def _distinct(given: tuple[str, ...]) -> tuple[str, ...]:
    result = tuple(_text(value, f"columns[{j}]") for j, value in enumerate(given))
    seen: set[str] = set()
    for name in result:
        if name in seen:
            raise ValueError(f"columns must be distinct, found {name!r} twice")
        seen.add(name)
    return result


def check_labels(values: Iterable[Any], what: str) -> tuple[Label, ...]:
    """Return distinct labels as plain Python values that fit in JSON; 1 equals 1.0 and True."""
    if isinstance(values, str):
        raise TypeError(f"{what} must be a sequence of labels, found the single string {values!r}")
    given = check_items(values, what, "labels")
    result = tuple(_label(value, f"{what}[{k}]") for k, value in enumerate(given))
    seen: set[Label] = set()
    for label in result:
        if label in seen:
            raise ValueError(f"{what} must be distinct, found {label!r} twice")
        seen.add(label)
    return result


def _label(value: Any, what: str) -> Label:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        return plain
    if isinstance(plain, str):
        return _unicode(plain, what)
    if isinstance(plain, int):
        return _integer_label(plain, what)
    if isinstance(plain, float):
        return check_number(plain, what)
    raise TypeError(f"{what} must be a string, a number or a boolean, found {value!r}")


def _integer_label(value: int, what: str) -> int:
    if not fits_in_64_bits(value):
        raise ValueError(f"{what} must fit in 64 bits, found {value}")
    return value


def fits_in_64_bits(value: int) -> bool:
    """Whether an integer can be a label.

    Few tables hold larger ones, and sets of larger ones may be slow, as Python's hash repeats.

    Examples
    --------
    >>> fits_in_64_bits(2**64 - 1), fits_in_64_bits(2**64)
    (True, False)
    """
    return -(2**63) <= value < 2**64


def check_classes(
    classes: Iterable[Any] | None, loss: Loss, n_outputs: int
) -> tuple[Label, ...] | None:
    """Return the labels of the classes, as many as the loss needs."""
    if classes is None:
        if loss.score_per_class:
            raise ValueError(f"classes must be given if the loss is {loss}")
        return None
    result = check_labels(classes, "classes")
    if not loss.has_classes:
        raise ValueError(f"classes must be None if the loss is {loss}")
    allowed = (n_outputs,) if loss.score_per_class else (1, 2)
    if len(result) not in allowed:
        expected = " or ".join(map(str, allowed))
        raise ValueError(f"classes must hold {expected} labels, found {len(result)}")
    return result


def check_offset(offset: Any, loss: Loss) -> float | tuple[float, ...]:
    """Return a finite number, or one for each class if the loss has a score for each."""
    if not loss.score_per_class:
        return check_number(offset, "offset")
    if not np.iterable(offset):
        raise TypeError(f"offset must hold one number for each class, found {offset}")
    result = tuple(check_number(value, f"offset[{k}]") for k, value in enumerate(offset))
    if len(result) < 2:
        raise ValueError(f"offset must hold at least two numbers, found {len(result)}")
    return result


def check_scores(offsets: Iterable[float], votes: Iterable[float]) -> None:
    """Refuse offsets and votes that could add up to more than a float can hold."""
    largest = sum(map(abs, (*offsets, *votes)))
    if largest > LARGEST_SCORE:
        raise ValueError(
            f"offset and votes must add up to at most {LARGEST_SCORE:g} in size, found {largest:g}"
        )


def check_rates(per_exposure: Any, loss: Loss) -> bool:
    """Return whether a model predicts rates, which its loss must allow."""
    if check_flag(per_exposure, "per_exposure") and not loss.has_rates:
        raise ValueError(f"per_exposure must be False if the loss is {loss}")
    return bool(per_exposure)


def check_units(units: Any, columns: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the names of columns with their units, in the order of the columns."""
    if not np.iterable(units):
        raise TypeError(f"units must be a mapping from columns to units, found {units!r}")
    given: dict[Any, Any] = dict(units)
    if not given:
        return ()
    known = set(columns)
    for name, unit in given.items():
        if name not in known:
            raise ValueError(f"units names {name!r}, which is not in columns")
        if not isinstance(unit, str) or not unit.isprintable():
            raise TypeError(f"units[{name!r}] must be a printable string, found {unit!r}")
    return tuple((name, given[name]) for name in columns if given.get(name))


def check_types(values: Sequence[object], types: type | tuple[type, ...], what: str) -> None:
    """Raise a TypeError for values that are not of the given types."""
    for value in values:
        if not isinstance(value, types):
            expected = types if isinstance(types, tuple) else (types,)
            known = " or ".join(kind.__name__ for kind in expected)
            raise TypeError(f"{what} must hold {known}, found {value!r}")


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
