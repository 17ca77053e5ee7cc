"""The weights of rows and of classes, and how many copies a row stands for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.rules.numbers import is_missing
from sorb.tables.cells import DATES, describe_non_number, first_unconvertible
from sorb.tables.quoting import quote_some
from sorb.tables.row_keys import row_blocks
from sorb.tables.row_values import row_values

__all__ = [
    "apply_class_weight",
    "class_factors",
    "copy_counts",
    "is_non_negative",
    "multiply_weights",
    "row_floats",
    "row_weights",
    "weight_unit",
]

LARGEST_SUM = 1e300
# A weight below this share of the largest changes no sum, but what is divided by it may overflow.
NEGLIGIBLE = 1e-70
# Up to this, floats tell whole numbers apart.
MOST_COPIES = 2.0**53


def row_weights(sample_weight: Any, n_rows: int, what: str = "sample_weight") -> Float:
    """Check the weights of the rows; without any, each row has weight 1.

    Parameters
    ----------
    sample_weight : None, one number for all rows, or one number for each row.
    n_rows : the number of rows.
    what : what to call the weights in messages.

    Examples
    --------
    >>> from sorb.tables.weights import row_weights
    >>> row_weights([1, 2.5], 2)
    array([1. , 2.5])
    >>> row_weights([1, -2], 2)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight must be finite and non-negative, found -2.0 in row 1
    """
    if not n_rows:
        raise ValueError("expected at least one row")
    if sample_weight is None:
        return np.ones(n_rows)
    weight = row_floats(sample_weight, n_rows, what)
    wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(
            f"{what} must be finite and non-negative, found {weight[row]} in row {row}"
        )
    return _require_total(weight, what)


def row_floats(values: Any, n_rows: int, what: str) -> Float:
    """Read one number for each row, NaN where it is missing; a single number is for all rows.

    Examples
    --------
    >>> from sorb.tables.weights import row_floats
    >>> row_floats([1, None], 2, "exposure")
    array([ 1., nan])
    """
    if isinstance(values, Real):
        (number,) = _floats(np.array([values], dtype=object), what)
        return np.full(n_rows, number)
    return _floats(row_values(values, n_rows, what, "number"), what)


def _floats(given: NDArray[Any], what: str) -> Float:
    if given.dtype.kind in "mM":
        raise ValueError(f"{what} {DATES.format(given.dtype)}")
    if given.dtype.kind in "OSU":
        values = given.tolist()
        row = first_unconvertible(values)
        if row is not None:
            raise ValueError(describe_non_number(what, row, values[row]))
        given = np.array([np.nan if is_missing(value) else value for value in values])
    return np.asarray(given, dtype=np.float64)


def _require_total(weight: Float, what: str) -> Float:
    """Refuse weights whose sum is zero or too large; those that are negligible become zero."""
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not total <= LARGEST_SUM:
        raise ValueError(
            f"{what} must sum to at most {LARGEST_SUM:g}, found {total:g}: divide it by a "
            "constant first"
        )
    if not total > 0:
        raise ValueError(f"{what} must be positive in at least one row, found zero in all rows")
    return np.where(weight < NEGLIGIBLE * weight.max(), 0.0, weight)


def multiply_weights(weight: Float, factor: Float, what: str) -> Float:
    """Multiply the weights of the rows by a factor for each; messages call the product `what`.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.weights import multiply_weights
    >>> multiply_weights(np.array([1.0, 3.0]), np.array([2.0, 0.0]), "weight times factor")
    array([2., 0.])
    """
    with np.errstate(over="ignore", under="ignore"):
        return _require_total(weight * factor, what)


def copy_counts(weight: Float) -> Float:
    """Count the copies that each row stands for.

    Weights that are all whole numbers mean copies of the rows, if they can be counted; with other
    weights, each row stands for itself alone.
    """
    is_count = weight.sum() <= MOST_COPIES and all(
        np.array_equal(weight[rows], np.floor(weight[rows])) for rows in row_blocks(len(weight))
    )
    return weight if is_count else np.ones_like(weight)


def weight_unit(weight: Float, count: Float) -> float:
    """Find a unit near the mean weight of a copy, in which neither sums nor squares overflow.

    It is a power of four, so that weights in this unit and their square roots keep all digits.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.weights import weight_unit
    >>> weight_unit(np.array([3.0, 5.0]), np.array([3.0, 5.0])), weight_unit(np.array([9.0]), 1)
    (1.0, 16.0)
    """
    exponent = math.frexp(weight.sum() / np.sum(count))[1] // 2
    return math.ldexp(1.0, 2 * exponent)


def apply_class_weight(class_weight: Any, y: NDArray[Any], weight: Float) -> Float:
    """Multiply the weights of the rows by those of their classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.weights import apply_class_weight
    >>> apply_class_weight({"ill": 3.0}, np.array(["ill", "well"]), np.ones(2))
    array([3., 1.])
    """
    if class_weight is None:
        return weight
    classes, index = np.unique(y, return_inverse=True)
    # In this order, that of the table does not change how a sum is rounded.
    ascending = np.lexsort((weight, index))
    total = np.bincount(index[ascending], weight[ascending]).astype(np.float64)
    factor = class_factors(class_weight, classes, total)
    return multiply_weights(weight, factor[index], "sample_weight times class_weight")


def class_factors(class_weight: Any, classes: NDArray[Any], total: Float) -> Float:
    """What to multiply the weights of each class by; `total` are the sums of these weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.weights import class_factors
    >>> class_factors("balanced", np.array(["ill", "well"]), np.array([1.0, 3.0]))
    array([2.        , 0.66666667])
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        exact = total.sum() / (np.count_nonzero(total) * np.where(total > 0, total, 1))
        # Without the last digits, which depend on the order in which weights were added up.
        digits, exponent = np.frexp(exact)
        return np.asarray(np.ldexp(np.rint(digits * 2.0**40), exponent - 40))
    _require_class_weights(class_weight)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and any(label not in class_weight for label in labels):
        raise ValueError(
            f"class_weight names {quote_some(unknown)}, which is no class in y: there are "
            f"{quote_some(labels)}"
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])


def is_non_negative(value: Any) -> bool:
    """Whether something is a finite and non-negative number that a float can hold.

    Examples
    --------
    >>> [is_non_negative(value) for value in (0, 2.5, -1, float("nan"), 10**400, "1")]
    [True, True, False, False, False, False]
    """
    try:
        return isinstance(value, Real) and 0 <= float(value) < math.inf
    except OverflowError:
        return False


def _require_class_weights(class_weight: Mapping[Any, Any]) -> None:
    for label, value in class_weight.items():
        if not is_non_negative(value):
            raise ValueError(
                "class_weight must hold finite and non-negative numbers, "
                f"found {value!r} for class {label!r}"
            )
