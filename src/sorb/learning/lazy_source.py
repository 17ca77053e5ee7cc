"""What one engine answers about the lazy frame that it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import narwhals as nw
import numpy as np

from sorb.learning.source import (
    SAMPLE_WEIGHT,
    Description,
    KeyCount,
    Numbers,
    OutcomeCount,
    Sums,
)
from sorb.losses import Loss
from sorb.rules import Condition, Label
from sorb.tables.changes import CHECKSUM, COUNT, changed_table
from sorb.tables.engine import collect
from sorb.tables.expressions import Expr, as_integer, condition_expr, pack_bits, unpack_bits
from sorb.tables.lazy import LazyColumns, count, count_outside, is_missing, require_inside
from sorb.tables.row_keys import KeyPlan, Range

# The column with the key of each row, for a while.
_KEY = "sorb key"


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRows:
    """The rows of a sample, to be found again with the first sums.

    Attributes
    ----------
    limits : those of the keys of each class.
    n_rows, checksum : the number of rows, and their checksum.
    """

    limits: Mapping[Label | None, int]
    n_rows: int
    checksum: int
    names: ClassVar = ("sorb drawn", "sorb drawn checksum")

    def values(self) -> list[Expr]:
        """What to add up over all rows."""
        drawn = as_integer(_is_drawn(self.limits, nw.col("label")))
        pairs = zip((drawn, drawn * nw.col(CHECKSUM)), self.names, strict=True)
        return [expr.alias(name) for expr, name in pairs]

    def compare(self, found: Mapping[str, Sequence[Any]]) -> None:
        """Refuse a table whose drawn rows are not those of the sample."""
        if [sum(map(int, found[name])) for name in self.names] != [self.n_rows, self.checksum]:
            raise changed_table()


@dataclass(slots=True, eq=False)
class LazySource:
    """A lazy frame that answers questions.

    Attributes
    ----------
    columns : the frame, and what its columns are for.
    loss : that of a regression; None if the outcomes are classes.
    """

    columns: LazyColumns
    loss: Loss | None = None
    _plan: KeyPlan | None = None
    _drawn: DrawnRows | None = None

    @property
    def description(self) -> Description:
        """What the columns hold and are for."""
        columns = self.columns
        types = columns.columns.types
        kinds = dict.fromkeys(columns.numeric, "number")
        kinds |= {name: _label_kind(types[name]) for name in columns.categorical}
        kinds[columns.y] = "number" if self.loss is not None else _label_kind(types[columns.y])
        return Description(
            columns.features,
            kinds,
            columns.categorical,
            columns.y,
            columns.weight,
            columns.exposure,
            all(types[name] == nw.Float32 for name in columns.features),
            columns.counted,
        )

    @property
    def searched(self) -> LazySource:
        """The source of the rows in which rules are searched: this one."""
        return self

    def numbers(self) -> Numbers:
        """The ranges of the features of numbers; refuses infinite values."""
        incomplete = set(self.columns.features) - set(self.columns.complete())
        return Numbers(self.columns.ranges(), self.columns.counts(), frozenset(incomplete))

    def labels(self, name: str) -> list[Label]:
        """The different labels of a feature of categories."""
        return self.columns.labels[name]

    def between(self, ranges: Mapping[str, Range]) -> set[str]:
        """The features that have values strictly between two ends."""
        return self.columns.between(ranges)

    def count_classes(self) -> dict[Label, OutcomeCount]:
        """Count the rows of each class."""
        found = self._add_up(
            "count the rows of each class",
            [self._label().alias("label"), self._weight().alias("weight")],
            by=["label"],
            added=["weight"],
        )
        counts = {
            label: OutcomeCount(int(n), float(weight))
            for label, n, weight in zip(
                *(found[x] for x in ("label", COUNT, "weight")), strict=True
            )
        }
        missing = [found.n_rows for label, found in counts.items() if is_missing(label)]
        if missing:
            raise ValueError(
                f"column {self.columns.y!r} is missing in {missing[0]} rows: expected a class "
                "label in each"
            )
        return counts

    def check_outcomes(self) -> tuple[OutcomeCount, Range]:
        """Check the outcomes of a regression; count the rows, and find the range of outcomes."""
        columns = self.columns
        y, rate = columns.columns.number(columns.y), self._outcome_number()
        plain, exposure = self._plain_weight(), self._exposure()
        given = columns.given.get(columns.y)
        found = columns.ask(
            "find the range of the outcomes",
            count(y.is_null()).alias("missing"),
            y.min().alias("least"),
            *([] if plain is None else [plain.sum().alias("weight")]),
            rate.min().alias("low"),
            rate.max().alias("high"),
            *([] if given is None else [count_outside(rate, given).alias("outside")]),
            *([] if exposure is None else [exposure.min().alias("least_exposure")]),
            *([] if exposure is None else [count(exposure.is_null()).alias("missing_exposure")]),
        )
        n_rows = int(found[COUNT])
        if not n_rows:
            return OutcomeCount(0, 0.0), Range(np.nan, np.nan, np.nan)
        if found["missing"]:
            raise ValueError(
                f"column {columns.y!r} is missing or not finite in {int(found['missing'])} rows: "
                "expected a number in each"
            )
        if exposure is not None and (found["missing_exposure"] or found["least_exposure"] <= 0):
            raise ValueError(
                f"exposure, column {columns.exposure!r}, must be finite and positive in all rows"
            )
        assert self.loss is not None
        try:
            self.loss.check_outcomes(np.array([float(found["least"])]), f"column {columns.y!r}")
        except ValueError as error:
            raise ValueError(re.sub(r" in row \d+", "", str(error))) from None
        weight = float(n_rows if plain is None else found["weight"])
        if given is not None:
            require_inside(columns.y, found["outside"], given)
            return OutcomeCount(n_rows, weight), given
        low, high = float(found["low"]), float(found["high"])
        return OutcomeCount(n_rows, weight), Range(low, high, low)

    def count_keys(self, plan: KeyPlan, limit: int) -> KeyCount:
        """Give each row a key, and find the keys below a limit."""
        self._plan, key = plan, nw.col(_KEY)
        # Limits are positive, and so are the keys that they are compared with.
        low = nw.when(key < limit).then(key).otherwise(nw.lit(-1).cast(nw.Int64))
        found = self._add_up(
            "count the different rows",
            [self._keys().alias(_KEY)],
            low.alias("low"),
            by=["low"],
        )
        counts = {int(k): int(n) for k, n in zip(found["low"], found[COUNT], strict=True)}
        counts.pop(-1, None)
        return KeyCount(list(counts), sum(counts.values()))

    def rows(self, limits: Mapping[Label | None, int] | None, copied: bool) -> nw.DataFrame[Any]:
        """Read the rows whose keys are below the limit of their class; all of them for None."""
        columns = self.columns
        fields = [name for name in (columns.y, columns.weight, columns.exposure) if name]
        keys = [*columns.features, *(name for name in fields if name != columns.weight)]
        plain, name = self._plain_weight(), columns.weight or SAMPLE_WEIGHT
        weight = columns.columns.literal(1.0) if plain is None else plain
        checksum = columns.watch.row.alias(CHECKSUM)

        def query(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            drawn = rows
            if limits is not None:
                keyed = rows.with_columns(self._keys().alias(_KEY))
                drawn = keyed.filter(_is_drawn(limits, self._label()))
            if not copied:
                return drawn.select(*columns.features, *fields, checksum)
            copies = drawn.select(*keys, weight.alias(name), checksum).group_by(*keys)
            return copies.agg(nw.len().alias(COUNT), nw.col(name, CHECKSUM).sum())

        found = collect(columns.frame, "read a sample of the rows", query)
        n_rows = int(found.get_column(COUNT).sum()) if copied else len(found)
        checksums = found.get_column(CHECKSUM).to_list()
        if limits is None:
            columns.watch.compare([n_rows], checksums)
        else:
            self._drawn = DrawnRows(limits, n_rows, sum(map(int, checksums)))
        return found.drop(CHECKSUM, COUNT, strict=False)

    def sums(self, conditions: Sequence[Condition], shift: float) -> Sums:
        """Add up all rows by the conditions that cover them."""
        answers = [condition_expr(condition, self.columns.columns) for condition in conditions]
        packed = pack_bits(answers) or [nw.lit(0).cast(nw.Int64)]
        names = [f"bits{k}" for k in range(len(packed))]
        bits = [expr.alias(name) for expr, name in zip(packed, names, strict=True)]
        drawn, self._drawn = self._drawn, None
        found = self._add_up(
            "add up the rows that the rules cover",
            [*bits, *self._values(shift), *([] if drawn is None else [self._keys().alias(_KEY)])],
            *([] if drawn is None else drawn.values()),
            by=names if self.loss is not None else [*names, "label"],
            added=["weight", "outcome", "constant", *([] if drawn is None else drawn.names)],
        )
        if drawn is not None:
            drawn.compare(found)
        numbers = [np.array(found[name], dtype=np.int64) for name in names]
        covered = np.empty((len(found[COUNT]), len(conditions)), dtype=np.bool_)
        for k, answer in enumerate(unpack_bits(numbers, len(conditions))):
            covered[:, k] = answer
        return Sums(
            covered,
            None if self.loss is not None else found["label"],
            np.array(found[COUNT], dtype=np.int64),
            np.array(found["weight"], dtype=np.float64),
            np.array(found["outcome"], dtype=np.float64),
            float(np.sum(np.array(found["constant"], dtype=np.float64))),
        )

    def _values(self, shift: float) -> list[Expr]:
        """What is added up: weights, outcomes, and the part of the loss that no score changes."""
        weight = self._weight()
        if self.loss is None:
            nothing = self.columns.columns.literal(0.0)
            return [
                self._label().alias("label"),
                weight.alias("weight"),
                nothing.alias("outcome"),
                nothing.alias("constant"),
            ]
        y = self._outcome_number() - shift
        constant = self.loss.constant(y)  # type: ignore[arg-type]
        return [
            weight.alias("weight"),
            (y * weight).alias("outcome"),
            (constant * weight).alias("constant"),
        ]

    def _add_up(
        self,
        question: str,
        values: Sequence[Expr],
        *further: Expr,
        by: Sequence[str],
        added: Sequence[str] = (),
    ) -> dict[str, list[Any]]:
        """Count the rows of each group, and add up some values, of a table that has not changed.

        Further values are computed from the first ones.
        """
        watch = self.columns.watch

        def query(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            chosen = rows.select(*values, watch.row.alias(CHECKSUM))
            groups = (chosen.with_columns(*further) if further else chosen).group_by(*by)
            return groups.agg(nw.len().alias(COUNT), nw.col(*added, CHECKSUM).sum())

        found = collect(self.columns.frame, question, query).to_dict(as_series=False)
        watch.compare(found[COUNT], found[CHECKSUM])
        return found

    def _keys(self) -> Expr:
        assert self._plan is not None
        return self.columns.key(self._plan, None if self.loss is None else self._outcome_number())

    def _label(self) -> Expr:
        return self.columns.columns.label(self.columns.y)

    def _outcome_number(self) -> Expr:
        y, exposure = self.columns.columns.number(self.columns.y), self._exposure()
        return y if exposure is None else y / exposure

    def _exposure(self) -> Expr | None:
        name = self.columns.exposure
        return None if name is None else self.columns.columns.number(name)

    def _plain_weight(self) -> Expr | None:
        """The weight of each row without its exposure; None if there are no weights."""
        name = self.columns.weight
        return self.columns.columns.number(name) if name else None

    def _weight(self) -> Expr:
        """The weight of each row, times its exposure."""
        weight, exposure = self._plain_weight(), self._exposure()
        if weight is None:
            return self.columns.columns.literal(1.0) if exposure is None else exposure
        return weight if exposure is None else weight * exposure


def _is_drawn(limits: Mapping[Label | None, int], label: Expr) -> Expr:
    """Whether the key of a row is below the limit of its class."""
    key, least = nw.col(_KEY), min(limits.values())
    drawn = key < least
    for value, limit in limits.items():
        if limit > least:
            drawn = drawn | ((label == value) & (key < limit))
    return drawn


def _label_kind(dtype: Any) -> str:
    """What the labels of a column are."""
    if dtype in (nw.Categorical, nw.Enum):
        return "category"
    if dtype == nw.String:
        return "text"
    if dtype == nw.Boolean:
        return "boolean"
    return "integer" if dtype.is_integer() else "float"
