"""Propositions: statements about the columns that are true or false of each row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from sorb import _kernels
from sorb._types import Bool, Float
from sorb.rules import notation, proposition_text
from sorb.rules.columns import ColumnSource, TableLike, column_source
from sorb.rules.field_checks import (
    Label,
    check_columns,
    check_flag,
    check_items,
    check_labels,
    check_number,
    set_fields,
)
from sorb.rules.labels import Labels

__all__ = ["AnyProposition", "Membership", "Product", "Proposition", "raise_to"]


# Beyond this, repeated multiplication is slower than a power, and no exponent is readable.
LARGEST_PLAIN_POWER = 16


class _Form(Protocol):
    """What each kind of proposition has to provide."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def covers(self, source: ColumnSource) -> Bool: ...

    def tokens(self, digits: int | None, units: Mapping[str, str] | None) -> notation.Tokens: ...


class _Shared:
    """What all kinds have in common: they are evaluated on tables and print themselves."""

    __slots__ = ()

    def __call__(self: _Form, X: TableLike, columns: Sequence[str] | None = None) -> Bool:
        """Tell which rows of a DataFrame, or of a 2-D array with named columns, satisfy it."""
        return self.covers(column_source(X, self.columns, columns))

    def format(self: _Form, digits: int | None = 3, units: Mapping[str, str] | None = None) -> str:
        """Print with `digits` significant digits, thresholds with one more; None means all.

        With the `units` of columns, thresholds have units too, and sums of unlike units say so.
        """
        return notation.join_tokens(self.tokens(notation.check_digits(digits), units))

    def __str__(self: _Form) -> str:
        return notation.join_tokens(self.tokens(3, None))


@dataclass(frozen=True, slots=True)
class Proposition(_Shared):
    """A weighted sum of columns is at least a threshold.

    It is true of a row if `w1*x1 + w2*x2 + ... >= threshold`. Every value becomes a float64 first,
    and the sum is computed from left to right, each product rounded before it is added. This order
    is part of the definition: any program that follows it gives the same answer for every row, even
    for one exactly on the boundary. If the sum is NaN, because a value is missing, the proposition
    is true only if `missing` is.

    Parameters
    ----------
    columns : sequence of str
        The names of the columns, each once.
    weights : sequence of float
        The coefficients: one finite number for each column, none of them zero.
    threshold : float
        The smallest sum for which the proposition is true.
    missing : bool, default=False
        Whether it is true where the sum is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> longer = Proposition(("petal_length", "sepal_width"), (0.86, -1.0), -0.5)
    >>> print(longer)
    0.86 petal_length − sepal_width ≥ −0.5
    >>> longer(np.array([[1.0, 3.0], [4.0, 3.0]]), columns=("petal_length", "sepal_width"))
    array([False,  True])
    >>> heavy = Proposition(("weight",), (1.0,), 80.0, missing=True)
    >>> print(heavy.format(units={"weight": "kg"}))
    weight ≥ 80 kg or weight missing
    >>> heavy(np.array([[79.0], [np.nan]]), columns=("weight",))
    array([False,  True])
    """

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    threshold: float
    missing: bool = False

    def __post_init__(self) -> None:
        columns, weights = _terms(self.columns, self.weights, "weights")
        threshold = check_number(self.threshold, "threshold")
        set_fields(self, columns=columns, weights=weights, threshold=threshold)
        set_fields(self, missing=check_flag(self.missing, "missing"))

    @property
    def complexity(self) -> int:
        """One, and one for each coefficient."""
        return 1 + len(self.weights)

    def with_threshold(self, threshold: float) -> Proposition:
        """Move the threshold, on the scale and side of the comparison as it is printed.

        Examples
        --------
        >>> younger = Proposition(("age",), (-2.0,), -80.0)
        >>> print(younger, "→", younger.with_threshold(35))
        age ≤ 40 → age ≤ 35
        """
        weights, _ = proposition_text.readable_scale(self.weights, self.threshold, digits=3)
        sign = -1.0 if weights[0] < 0 else 1.0
        moved = sign * check_number(threshold, "threshold")
        return replace(self, weights=tuple(weights), threshold=moved)

    @property
    def printed_unit(self) -> float:
        """What a one of the printed threshold is in `threshold`: negative if small values satisfy.

        Examples
        --------
        >>> younger = Proposition(("age",), (-2.0,), -80.0)
        >>> print(younger, younger.threshold / younger.printed_unit)
        age ≤ 40 40.0
        """
        weights, _ = proposition_text.readable_scale(self.weights, self.threshold, digits=3)
        largest = max(range(len(weights)), key=lambda j: abs(weights[j]))
        unit = self.weights[largest] / weights[largest]
        return -unit if weights[0] < 0 else unit

    def quantity(self, source: ColumnSource) -> Float:
        """Give the weighted sum that is compared with the threshold; NaN where it is unknown."""
        return _kernels.weighted_sum(self._taken(source), self.weights)

    def covers(self, source: ColumnSource) -> Bool:
        """Tell which rows of a table satisfy it."""
        return _kernels.reaches(self._taken(source), self.weights, self.threshold, self.missing)

    def _taken(self, source: ColumnSource) -> list[Float]:
        return [source.take(name) for name in self.columns]

    def tokens(self, digits: int | None, units: Mapping[str, str] | None = None) -> notation.Tokens:
        """Give the printed form as tokens.

        The coefficients are scaled so that the largest is 1, unless that would turn short numbers
        into long ones. With all digits nothing is scaled, so that the text means exactly what
        the proposition means.
        """
        printed = proposition_text.linear(self.columns, self.weights, self.threshold, digits, units)
        return (*printed, *(proposition_text.or_missing(self.columns) if self.missing else ()))


@dataclass(frozen=True, slots=True)
class Product(_Shared):
    """A product of powers of columns is at least, or at most, a threshold.

    The columns with positive powers are put first. Then the factors are multiplied from left to
    right; those with a negative power divide. A whole power is computed as a product, such as
    `height * height`, so that every computer finds the same value; other powers are as exact as
    its function `pow`. Only positive values have powers here: where a value is missing or not
    positive, the proposition is true only if `missing` is. So a single factor is printed with its
    power even if that is 1: `age¹ ≤ 40` is not true of -5, as `age ≤ 40` is.

    Parameters
    ----------
    columns : sequence of str
        The names of the columns, each once.
    powers : sequence of float
        One finite power for each column, none of them zero.
    threshold : float
        What the product is compared with, a positive number.
    at_most : bool, default=False
        Whether the product must be at most, rather than at least, the threshold.
    missing : bool, default=False
        Whether it is true where the product is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> heavy = Product(("weight", "height"), (1, -2), 25.0)
    >>> print(heavy)
    weight / height² ≥ 25
    >>> print(heavy.format(units={"weight": "kg", "height": "m"}))
    weight / height² ≥ 25 kg/m²
    >>> heavy(np.array([[100.0, 2.0], [50.0, 2.0]]), columns=("weight", "height"))
    array([ True, False])
    """

    columns: tuple[str, ...]
    powers: tuple[float, ...]
    threshold: float
    at_most: bool = False
    missing: bool = False

    def __post_init__(self) -> None:
        columns, powers = _terms(self.columns, self.powers, "powers")
        threshold = check_number(self.threshold, "threshold")
        if threshold <= 0:
            raise ValueError(f"threshold of a product must be positive, found {threshold}")
        # In the order in which a fraction is read: the numerator first.
        order = sorted(range(len(powers)), key=lambda j: powers[j] < 0)
        columns, powers = tuple(columns[j] for j in order), tuple(powers[j] for j in order)
        set_fields(self, columns=columns, powers=powers, threshold=threshold)
        set_fields(
            self,
            at_most=check_flag(self.at_most, "at_most"),
            missing=check_flag(self.missing, "missing"),
        )

    @property
    def complexity(self) -> int:
        """One, and one for each power."""
        return 1 + len(self.powers)

    def with_threshold(self, threshold: float) -> Product:
        """Move the threshold."""
        return replace(self, threshold=threshold)

    @property
    def printed_unit(self) -> float:
        """What a one of the printed threshold is in `threshold`: they are the same."""
        return 1.0

    def quantity(self, source: ColumnSource) -> Float:
        """Give the product that is compared with the threshold; NaN where it is unknown."""
        total: Float | None = None
        with np.errstate(all="ignore"):
            for column, power in zip(self.columns, self.powers, strict=True):
                factor = _power(source.take(column), abs(power))
                if power > 0:
                    total = factor if total is None else total * factor
                else:
                    total = 1.0 / factor if total is None else total / factor
        assert total is not None  # there is at least one column
        return total

    def covers(self, source: ColumnSource) -> Bool:
        """Tell which rows of a table satisfy it."""
        values = self.quantity(source)
        covered = values <= self.threshold if self.at_most else values >= self.threshold
        return covered | np.isnan(values) if self.missing else covered

    def tokens(self, digits: int | None, units: Mapping[str, str] | None = None) -> notation.Tokens:
        """Give the printed form as tokens."""
        terms = (self.columns, self.powers, self.at_most, self.threshold)
        printed = proposition_text.product(*terms, digits, units)
        return (*printed, *(proposition_text.or_missing(self.columns) if self.missing else ()))


@dataclass(frozen=True, slots=True)
class Membership(_Shared):
    """The category of a row is one of some, or none of them.

    A category that was never seen in training is in no set: `in` is false of it, and `not in` is
    true. Where the value is missing, the proposition is true only if `missing` is. Without
    categories it asks only whether the value is missing, or known.

    Parameters
    ----------
    column : str
        The name of the column, which may hold anything.
    categories : sequence of str, int, float or bool
        The categories of the set, each once. Labels compare as in Python: 1 equals 1.0 and True,
        but not "1".
    negated : bool, default=False
        Whether the category must not be in the set.
    missing : bool, default=False
        Whether it is true where the value is missing.

    Examples
    --------
    >>> import numpy as np
    >>> group = Membership("blood_group", ("A", "AB"))
    >>> print(group)
    blood_group in {A, AB}
    >>> group(np.array([["A"], ["O"], [None]], dtype=object), columns=("blood_group",))
    array([ True, False, False])
    >>> print(Membership("blood_group", ("O",), negated=True, missing=True))
    blood_group ≠ O or blood_group missing
    >>> print(Membership("bmi", (), missing=True), "|", Membership("bmi", (), negated=True))
    bmi missing | bmi measured
    """

    column: str
    categories: tuple[Label, ...]
    negated: bool = False
    missing: bool = False

    def __post_init__(self) -> None:
        (column,) = check_columns((self.column,))
        categories = check_labels(self.categories, "categories")
        set_fields(self, column=column, categories=categories)
        set_fields(
            self,
            negated=check_flag(self.negated, "negated"),
            missing=check_flag(self.missing, "missing"),
        )
        if not categories and self.negated == self.missing:
            when = "always" if self.missing else "never"
            raise ValueError(f"a proposition on {column!r} without categories would {when} be true")

    @property
    def columns(self) -> tuple[str]:
        """The one column."""
        return (self.column,)

    @property
    def complexity(self) -> int:
        """One, and one for each category; at least two."""
        return 1 + max(1, len(self.categories))

    def covers(self, source: ColumnSource) -> Bool:
        """Tell which rows of a table satisfy it."""
        wanted = set(self.categories)
        found = Labels.of(source.labels(self.column))
        answers = [(value in wanted) != self.negated for value in found.values]
        # The code of a missing label is −1.
        return np.array([*answers, self.missing], dtype=np.bool_)[found.codes]

    def tokens(self, digits: int | None, units: Mapping[str, str] | None = None) -> notation.Tokens:
        """Give the printed form as tokens."""
        if not self.categories:
            write = proposition_text.is_missing if self.missing else proposition_text.is_measured
            return write(self.column)
        printed = proposition_text.membership(self.column, self.categories, self.negated)
        return (*printed, *(proposition_text.or_missing(self.columns) if self.missing else ()))


AnyProposition: TypeAlias = Proposition | Product | Membership


def _terms(
    given: Sequence[str], numbers: Sequence[Any], what: str
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    columns = check_columns(given)
    given_numbers = check_items(numbers, what, "numbers")
    factors = tuple(check_number(value, f"{what}[{j}]") for j, value in enumerate(given_numbers))
    if not columns:
        raise ValueError("columns must name at least one column")
    if len(columns) != len(factors):
        raise ValueError(f"{len(columns)} columns need as many {what}, found {len(factors)}")
    if 0 in factors:
        raise ValueError(f"{what}[{factors.index(0)}] must not be zero")
    return columns, factors


def _power(values: Float, power: float) -> Float:
    return np.asarray(raise_to(np.where(values > 0, values, math.nan), power))


def raise_to(base: Any, power: float) -> Any:
    """Raise numbers, or one of NumPy's, to a positive power.

    Examples
    --------
    >>> import numpy as np
    >>> raise_to(np.float64(3.0), 2.0)
    np.float64(9.0)
    """
    if not (power.is_integer() and power <= LARGEST_PLAIN_POWER):
        return np.power(base, power)
    result = base
    for _ in range(int(power) - 1):
        result = result * base
    return result
