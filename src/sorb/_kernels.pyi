"""The native core: arrays and structures with named fields in and out.

Kernels check what they are given: a ValueError says which array has a wrong length, or which number
is out of range.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float, Int, Matrix, Table

_Hashes = NDArray[np.uint64]
_Codes = NDArray[np.int32]
_Table = NDArray[np.uint8]

# ---- the table ----

class SparseTable:
    """Columns of float32 or float64 of which only some values are stored.

    Those of column j are `values[starts[j]:starts[j + 1]]`, in these `rows`, which are ascending;
    the rest of the column is `others[j]`, by default zero.
    """

    def __init__(
        self,
        n_rows: int,
        starts: Int,
        rows: _Codes,
        values: Matrix,
        others: Matrix | None = None,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    @property
    def starts(self) -> Int: ...
    @property
    def rows(self) -> _Codes: ...
    @property
    def values(self) -> Matrix: ...
    @property
    def others(self) -> Matrix: ...
    def column(self, j: int) -> Matrix:
        """All values of a column."""

    def take(self, rows: Int) -> SparseTable:
        """Some rows, each only once, in this order."""

def canonical_table(
    X: Table, y: Float, weight: Float, rows: Int, seconds: float = ...
) -> tuple[_Hashes, Int]:
    """Hash some rows by their contents, and order the columns that vary by theirs.

    Neither the order nor the units of the columns matter; a weight of k is k copies of a row. After
    so many `seconds`, `OutOfTimeError` is raised.
    """

def identify_rows(X: Table, rows: Int) -> _Hashes:
    """Hash some rows so that those with the same values in the same columns are equal.

    Values that differ by less than about 2⁻²⁶ of the column's range may count as the same.
    """

def copy_columns(X: Matrix, columns: Int) -> tuple[Float, bool]:
    """Copy some columns, one after the other (columns × rows), and say whether all are finite."""

def canonical_rows(
    X: SparseTable, y: Float, rows: Int, hashes: _Hashes, columns: Int
) -> tuple[Int, Bool]:
    """Sort rows with the same hash by outcome and values, and say which differ from the previous.

    The rows are given in the order of their hashes, and the columns in the order in which to
    compare them.
    """

@overload
def standardise(
    X: SparseTable, rows: Int, columns: Int, weight: Float, seconds: float = ...
) -> tuple[SparseTable, Float, Float]: ...
@overload
def standardise(
    X: Matrix, rows: Int, columns: Int, weight: Float, seconds: float = ...
) -> tuple[Matrix, Float, Float]:
    """Copy some columns of some rows: Z in Fortran order, the centre and scale of each column."""

def column_ranges(
    X: Matrix, counts: Float | None, seconds: float = ...
) -> tuple[Float, Float, Float]:
    """The least and the largest known value of each column, and the mean less the least.

    Values count as often as `counts` says, or once.
    """

def key_sums(
    X: Matrix, columns: Int, low: Float, factor: Float, square: Int, linear: Int, digit: int
) -> Int:
    """For each row, the sum over some columns of step²·square + step·linear modulo 2³¹ − 1.

    The sums need not be less than that. The step of a value is its place in the column's range, or
    for the digits 1 and 2 in the step of the digit before.
    """

def draw_bag(
    hashes: _Hashes, weight: Float, pieces: Int, seed: int, turn: int
) -> tuple[Float, Float]:
    """The weight of each row in the training rows, and in the validation rows."""

def scramble(hashes: _Hashes, salt: int) -> _Hashes:
    """Other hashes of the same rows."""

# ---- separators ----

class Separator:
    """A half-space: rows with w·z + intercept ≥ 0 are taken to have a positive gradient."""

    @property
    def support(self) -> list[int]: ...
    @property
    def weights(self) -> list[float]: ...
    @property
    def intercept(self) -> float: ...

class PathSolution(Separator):
    """The solution for an L1 penalty.

    `passes` counts the passes over all columns until the path reached this support, which is its
    cost.
    """

    @property
    def penalty(self) -> float: ...
    @property
    def passes(self) -> int: ...

def lasso_path(
    Z: Matrix,
    rows: Int,
    weighted_gradient: Float,
    max_size: int,
    direction: Sequence[int] = (),
) -> list[PathSolution]:
    """The L1 solution in the middle of each stretch of the path with one support."""

# Bound for the tests, which check them on their own; the searches call them within the kernels.

def separators(
    Z: Matrix,
    rows: Int,
    weighted_gradient: Float,
    max_size: int,
    direction: Sequence[int] = (),
) -> list[Separator]:
    """Separators of 1 … `max_size` columns, refitted without penalty."""

def separators_of_size(
    Z: Matrix, rows: Int, weighted_gradient: Float, size: int, direction: Sequence[int] = ()
) -> list[Separator]:
    """Those of `size` columns that the path has before it first has more."""

def bounded_minimum(
    x: Sequence[float],
    gradient: Sequence[float],
    hessian: Sequence[float],
    lower: Sequence[float],
    upper: Sequence[float],
) -> list[float]:
    """Where a quadratic model around x is least within bounds. Bound for the tests."""

# ---- objectives ----

class ObjectiveKind(enum.Enum):
    gradient_sum = ...
    gradient_boosting = ...
    second_order = ...
    orthogonal = ...

class Span:
    """What the rules so far explain: a basis of their span, and the pattern of each row."""

class Cut:
    """Keeps the rows with projection ≥ threshold, which is worth `value` > 0."""

    @property
    def threshold(self) -> float: ...
    @property
    def value(self) -> float: ...

class Objective:
    """An objective for one search: the arrays that are summed over the rows of a condition.

    `gain` and `mass` are each row's terms of numerator and denominator; `ridge` is added to the
    denominator; the orthogonal objective, and no other, has a `span`.
    """

    def __init__(
        self,
        kind: ObjectiveKind,
        ridge: float,
        gain: Float,
        mass: Float,
        span: Span | None = None,
    ) -> None: ...
    def score(self, rows: Int, sign: int) -> float:
        """The objective of a condition that covers these rows, for one sign of the gradient."""

    # Bound for the tests; the searches cut, and read these arrays, within the kernels.

    @property
    def ridge(self) -> float: ...
    @property
    def gain(self) -> Float: ...
    @property
    def mass(self) -> Float: ...
    def best_cut(self, rows: Int, projection: Float, sign: int) -> Cut | None:
        """The best threshold for keeping the rows with the larger projections.

        It lies between two rows, and no other threshold that keeps some rows and drops others
        scores higher. None if no threshold gains anything.
        """

def project_off(
    table: _Table, pattern: _Codes, weight: Float, weighted_gradient: Float
) -> tuple[Float, Span]:
    """The gradient without its part in the span of the rules so far, and that span."""

# ---- searches ----

class HalfSpace:
    """Covers the rows of standardised columns with weights · values ≥ threshold.

    Where one of the values is missing, `covers_missing` decides.
    """

    def __init__(
        self,
        columns: Sequence[int],
        weights: Sequence[float],
        threshold: float,
        covers_missing: bool = False,
    ) -> None: ...
    @property
    def columns(self) -> list[int]: ...
    @property
    def weights(self) -> list[float]: ...
    @property
    def threshold(self) -> float: ...
    @property
    def covers_missing(self) -> bool: ...

class CategorySet:
    """Covers the rows whose category is one of these or, if negated, another one.

    The column is a number in `ColumnInfo.categories`. Where the category is missing,
    `covers_missing` decides.
    """

    @property
    def column(self) -> int: ...
    @property
    def categories(self) -> list[int]: ...
    @property
    def negated(self) -> bool: ...
    @property
    def covers_missing(self) -> bool: ...

class CategoryColumn:
    """The category of each row, counted from 0; `n_categories` itself stands for "missing"."""

    def __init__(self, codes: _Codes, n_categories: int) -> None: ...
    @property
    def codes(self) -> _Codes: ...
    @property
    def n_categories(self) -> int: ...

class AllowedSets:
    """Which columns may stand together in a rule.

    `source` is the user's column behind each numeric column and then each column of categories. All
    of a rule's are in one of the `groups`, if there are any, and at most `most`.
    """

    def __init__(
        self, source: Sequence[int], groups: Sequence[Sequence[int]], most: int
    ) -> None: ...

class ColumnInfo:
    """What is known about the columns beyond their standardised values.

    `missing` says, for the columns that miss any, which values are missing. The columns from
    `first_logarithm` on are logarithms, which no sum mixes with others. With the `scale` of each
    column, weights are whole numbers in the user's units. The `direction` of a column is 1 if
    scores must not fall as it grows, −1 if they must not rise, and else 0. Rules use columns of the
    sets `allowed`.
    """

    def __init__(
        self,
        *,
        missing: Mapping[int, Bool] = {},
        categories: Sequence[CategoryColumn] = [],
        first_logarithm: int | None = None,
        scale: Float | None = None,
        direction: Sequence[int] = [],
        allowed: AllowedSets | None = None,
    ) -> None: ...
    @property
    def missing(self) -> dict[int, Bool]: ...
    @property
    def categories(self) -> list[CategoryColumn]: ...
    @property
    def first_logarithm(self) -> int | None: ...
    @property
    def scale(self) -> Float | None: ...

class Level:
    """A conjunction that a search found, with the rows that it covers.

    `division` is the same for conditions, complements included, that divide the rows alike.
    `complexity` is that of a rule with this condition.
    """

    @property
    def parts(self) -> list[HalfSpace | CategorySet]: ...
    @property
    def covered(self) -> Bool: ...
    @property
    def division(self) -> int: ...
    @property
    def complexity(self) -> int: ...

class Steps(enum.Enum):
    """One part is learned again with one more column or added, or parts are only ever added."""

    refine = ...
    append = ...

class OutOfTimeError(TimeoutError):
    """A computation took longer than it may."""

def oblique_levels(
    Z: Table,
    objective: Objective,
    cutter: Objective | None,
    weighted_gradient: Float,
    max_weights: int,
    steps: Steps,
    threads: int,
    columns: ColumnInfo | None = None,
    seconds: float = ...,
) -> list[list[Level]]:
    """The levels for each sign of the gradient, positive first.

    `objective` chooses among the steps, `cutter` places the thresholds; without one, they are those
    of the separators. After so many `seconds`, `OutOfTimeError` is raised.
    """

def axis_levels(
    Z: Table,
    objective: Objective,
    weight: Float,
    max_weights: int,
    threads: int,
    columns: ColumnInfo | None = None,
    seconds: float = ...,
) -> list[list[Level]]:
    """The same for propositions of one column each."""

def division(covered: Bool) -> int | None:
    """A key for how a condition divides the rows; None if all are on one side."""

# ---- the refit ----

class Loss:
    """A loss a(f) − b(f)·y + c(y), by name; only that of Tweedie has a power."""

    def __init__(self, name: str, power: float | None = None) -> None: ...

def expected_outcome(loss: Loss, scores: Float) -> Float:
    """The expected outcomes (rows × outputs)."""

def two_probabilities(loss: Loss, scores: Float) -> Float:
    """The probabilities of the first and of the second class (rows × 2)."""

def loss_derivatives(loss: Loss, scores: Float, order: int) -> tuple[Float, Float]:
    """The derivatives of a and b (rows × outputs); those of order 0 of a have one column."""

class Patterns:
    """The pattern of each row (`index`), and the rules of each pattern (`table`, 0 or 1)."""

    @staticmethod
    def without_rules(n_rows: int, n_outputs: int) -> Patterns:
        """One pattern that all rows share."""

    @property
    def index(self) -> _Codes: ...
    @property
    def table(self) -> _Table: ...
    @property
    def n_outputs(self) -> int: ...
    def split(self, covered: Bool, output: int, votes: tuple[float, float] = ...) -> Patterns:
        """The patterns after adding a rule that covers the given rows and votes for an output.

        Its vote stays in the range `votes`.
        """

    def without(self, rule: int) -> Patterns:
        """The patterns after removing a rule."""

    def disagreements(self, covered: Bool, weight: Float) -> list[float]:
        """For each rule, the weight of the rows that it covers or `covered` does, but not both."""

    def scores(self, theta: Float) -> Float:
        """The scores (patterns × outputs); theta holds the offsets, then the votes."""

def refit_votes(
    loss: Loss, patterns: Patterns, y: Float, weight: Float, reg_lambda: float, theta: Float
) -> tuple[Float, float]:
    """The offsets and then the votes, and the sum of the losses without their constants."""

def removal_costs(
    loss: Loss, patterns: Patterns, y: Float, weight: Float, reg_lambda: float, theta: Float
) -> list[float]:
    """For each rule, about how much the penalised sum of the losses would rise without it."""

def validation_losses(
    loss: Loss,
    patterns: Patterns,
    y: Float,
    training_weight: Float,
    validation_weight: Float,
    reg_lambda: float,
    theta: Float,
    rules: Sequence[tuple[Bool, int, tuple[float, float]]],
    threads: int = 1,
) -> tuple[list[float], list[float]]:
    """The losses of the validation rows, summed, without and with each rule.

    A rule is given by the rows that it covers, its output, and the range of its vote. The second
    list has the sums of the squared votes.
    """

# ---- rules ----

def weighted_sum(columns: Sequence[Float], weights: Sequence[float]) -> Float:
    """The weighted sum of columns, from left to right, each product rounded before it is added."""

def reaches(
    columns: Sequence[Float], weights: Sequence[float], threshold: float, missing: bool
) -> Bool:
    """Whether their weighted sum is at least the threshold; `missing` where it is NaN."""

def holds_infinity(values: Float) -> bool:
    """Whether some value is infinite."""

def sum_votes(
    offsets: Sequence[float], votes: Sequence[float], outputs: Sequence[int], covered: Bool
) -> Float:
    """The scores (rows × outputs): the offsets, to which the votes are added in their order.

    `covered` says for each rule (first axis) which rows it covers.
    """
