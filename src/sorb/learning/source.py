"""The questions that a table out of reach answers: one engine, or several tables as if pooled.

Rows leave a source only as an answer to `rows`; all other answers are facts about columns, counts
and sums. They are small and plain, so that they can be sent by any means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import narwhals as nw

from sorb._types import Bool, Float, Int
from sorb.rules import Condition, Label
from sorb.tables.lazy import Numbers
from sorb.tables.row_keys import KeyPlan, Range

# The column with the weights of sampled rows, if the table has none.
SAMPLE_WEIGHT = "sorb weight"


@dataclass(frozen=True, slots=True)
class Description:
    """What the columns of a source hold and are for, and what the source keeps to itself.

    Attributes
    ----------
    features : the names of the columns to learn from.
    kinds : "number" for each feature of numbers; for each feature of categories, and for the
        classes, what their labels are: "text", "category", "boolean", "integer" or "float".
    categorical : the features that hold categories.
    y, weight, exposure, group : the names of the columns with outcomes, weights, exposures and
        groups of rows that belong together.
    single : whether all features are of single precision.
    counted : whether all weights are whole numbers, which mean copies of a row.
    min_rows : sums are told only of groups that have so many rows.
    shares_rows : whether rows may be read.
    """

    features: tuple[str, ...]
    kinds: Mapping[str, str]
    categorical: tuple[str, ...]
    y: str
    weight: str | None
    exposure: str | None
    single: bool
    counted: bool
    min_rows: int = 1
    shares_rows: bool = True
    group: str | None = None


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many rows have an outcome, and their weight; for a regression, those of all rows."""

    n_rows: int
    weight: float

    def __add__(self, other: OutcomeCount) -> OutcomeCount:
        return OutcomeCount(self.n_rows + other.n_rows, self.weight + other.weight)


@dataclass(frozen=True, slots=True)
class KeyCount:
    """The different keys below a limit, and the number of rows that have one of them.

    Keys are told by classes; for a regression, the only one is None.
    """

    keys: Mapping[Label | None, Sequence[int]]
    n_rows: int


@dataclass(frozen=True, slots=True)
class Draw:
    """Which rows to read: those whose keys are below the limit of their class."""

    plan: KeyPlan
    limits: Mapping[Label | None, int]


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Rows, added up by groups that the same conditions cover.

    Attributes
    ----------
    covered : for each group and condition, whether it covers the group.
    labels : the class of each group; None for a regression.
    n_rows : the number of rows of each group.
    weight : the sum of their weights.
    outcome : the sum of their weighted outcomes; 0 for classes.
    constant : the part of the loss of all rows that no score can change.
    hidden : how many rows are counted in other groups than their own, or not at all.
    together : if rows that belong together were kept apart from others: whose rows these are.
    """

    covered: Bool
    labels: list[Label] | None
    n_rows: Int
    weight: Float
    outcome: Float
    constant: float
    hidden: int = 0
    together: list[Label] | None = None


class Source(Protocol):
    """A table, or several, that answer questions."""

    @property
    def description(self) -> Description:
        """What the columns hold and are for."""
        ...

    @property
    def searched(self) -> Source:
        """The source of the rows in which rules are searched; often this one."""
        ...

    def numbers(self) -> Numbers:
        """The ranges of the features of numbers; refuses infinite values."""
        ...

    def labels(self, name: str) -> list[Label]:
        """The different labels of a feature of categories."""
        ...

    def between(self, ranges: Mapping[str, Range]) -> set[str]:
        """The features that have values strictly between two ends."""
        ...

    def count_classes(self) -> dict[Label, OutcomeCount]:
        """Count the rows of each class."""
        ...

    def check_outcomes(self) -> tuple[OutcomeCount, Range]:
        """Check the outcomes of a regression; count the rows, and find the range of outcomes."""
        ...

    def count_keys(self, plan: KeyPlan, limit: int) -> KeyCount:
        """Give each row a key, and find the keys below a limit."""
        ...

    def rows(self, draw: Draw | None, copied: bool, most: int | None = None) -> nw.DataFrame[Any]:
        """Read the rows that are drawn; all of them for None.

        With `copied`, equal rows are added up to one, and more than `most` of them are refused.
        Weights are in the column that the description names, or in `SAMPLE_WEIGHT`.
        """
        ...

    def sums(self, conditions: Sequence[Condition], shift: float) -> Sums:
        """Add up all rows by the conditions that cover them."""
        ...


def key_plan(source: Source, seed: int, outcomes: Range | None, digits: int) -> KeyPlan:
    """How to give the rows of a source keys of so many digits."""
    stats: dict[str, Range | list[Label]] = {**source.numbers().ranges}
    for name in source.description.categorical:
        stats[name] = source.labels(name)
    return KeyPlan.of(seed, stats, outcomes, digits)
