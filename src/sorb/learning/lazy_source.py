"""What one engine answers about the lazy frame that it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
from sorb.tables.engine import collect
from sorb.tables.expressions import Expr, condition_expr, pack_bits, unpack_bits
from sorb.tables.lazy import LazyColumns, count_outside, require_inside
from sorb.tables.row_keys import KeyPlan, Range

# More labels are no classes.
_MOST_CLASSES = 1000


class TableChangedError(RuntimeError):
    """A table that was read twice did not hold the same rows."""


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
    _n_rows: int = 0
    _key: Expr | None = None
    _key_sum: int = 0

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
        return self.columns.labels(name)

    def between(self, ranges: Mapping[str, Range]) -> set[str]:
        """The features that have values strictly between two ends."""
        return self.columns.between(ranges)

    def count_classes(self) -> dict[Label, OutcomeCount]:
        """Count the rows of each class."""
        found = self._ask(
            "count the rows of each class",
            lambda rows: (
                rows.select(self._label().alias("label"), self._weight().alias("weight"))
                .group_by("label")
                .agg(nw.len().alias("n"), nw.col("weight").sum().alias("weight"))
                .head(_MOST_CLASSES + 1)
            ),
        )
        if len(found["label"]) > _MOST_CLASSES:
            raise ValueError(
                f"column {self.columns.y!r} holds more than {_MOST_CLASSES} different values: "
                "expected classes"
            )
        counts = {
            label: OutcomeCount(int(n), float(weight))
            for label, n, weight in zip(*(found[x] for x in ("label", "n", "weight")), strict=True)
        }
        missing = [count.n_rows for label, count in counts.items() if _is_missing(label)]
        if missing:
            raise ValueError(
                f"column {self.columns.y!r} is missing in {missing[0]} rows: expected a class "
                "label in each"
            )
        self._n_rows = sum(count.n_rows for count in counts.values())
        return counts

    def check_outcomes(self) -> tuple[OutcomeCount, Range]:
        """Check the outcomes of a regression; count the rows, and find the range of outcomes."""
        columns = self.columns
        y, rate = columns.columns.number(columns.y), self._outcome_number()
        plain, exposure = self._plain_weight(), self._exposure()
        given = columns.given.get(columns.y)
        found = columns.ask(
            "find the range of the outcomes",
            nw.len().alias("n"),
            y.is_null().cast(nw.Int64).sum().alias("missing"),
            y.min().alias("least"),
            *([] if plain is None else [plain.sum().alias("weight")]),
            rate.min().alias("low"),
            rate.max().alias("high"),
            *([] if given is None else [count_outside(rate, given).alias("outside")]),
            *([] if exposure is None else [exposure.min().alias("least_exposure")]),
            *([] if exposure is None else [_count_missing(exposure).alias("missing_exposure")]),
        )
        self._n_rows = int(found["n"])
        if not self._n_rows:
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
        weight = float(found["n" if plain is None else "weight"])
        if given is not None:
            require_inside(columns.y, found["outside"], given)
            return OutcomeCount(self._n_rows, weight), given
        low, high = float(found["low"]), float(found["high"])
        return OutcomeCount(self._n_rows, weight), Range(low, high, low)

    def count_keys(self, plan: KeyPlan, limit: int) -> KeyCount:
        """Give each row a key, and find the keys below a limit."""
        keys = self.columns.key(plan, None if self.loss is None else self._outcome_number())
        self._key, key = keys, nw.col("key")
        # Limits are positive, and so are the keys that they are compared with.
        low = nw.when(key < limit).then(key).otherwise(nw.lit(-1).cast(nw.Int64))
        found = self._ask(
            "count the different rows",
            lambda rows: (
                rows.select(keys.alias("key"))
                .select(key, low.alias("low"))
                .group_by("low")
                .agg(nw.len().alias("n"), key.sum().alias("sum"))
            ),
        )
        self._key_sum = sum(map(int, found["sum"]))
        counts = {int(k): int(n) for k, n in zip(found["low"], found["n"], strict=True)}
        self._require_unchanged(sum(counts.values()))
        counts.pop(-1, None)
        return KeyCount(list(counts), sum(counts.values()))

    def _require_unchanged(self, n_rows: int, key_sum: int | None = None) -> None:
        if n_rows != self._n_rows or (key_sum is not None and key_sum != self._key_sum):
            detail = f"first {self._n_rows} rows, then {n_rows}" if n_rows != self._n_rows else ""
            raise TableChangedError(
                "the table changed while it was read"
                f"{f': {detail}' if detail else ''}; fit again, on a table that does not change"
            )

    def rows(self, limits: Mapping[Label | None, int] | None, copied: bool) -> nw.DataFrame[Any]:
        """Read the rows whose keys are below the limit of their class; all of them for None."""
        columns = self.columns
        fields = [name for name in (columns.y, columns.weight, columns.exposure) if name]
        keys = [*columns.features, *(name for name in fields if name != columns.weight)]
        plain, name = self._plain_weight(), columns.weight or SAMPLE_WEIGHT
        weight = nw.lit(1.0) if plain is None else plain

        def query(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            drawn = rows if limits is None else rows.filter(self._is_drawn(limits))
            if not copied:
                return drawn.select(*columns.features, *fields)
            return drawn.select(*keys, weight.alias(name)).group_by(*keys).agg(nw.col(name).sum())

        return collect(columns.frame, "read a sample of the rows", query)

    def _is_drawn(self, limits: Mapping[Label | None, int]) -> Expr:
        """Whether the key of a row is below the limit of its class."""
        assert self._key is not None
        least = min(limits.values())
        drawn = self._key < least
        for value, limit in limits.items():
            if limit > least:
                drawn = drawn | ((self._label() == value) & (self._key < limit))
        return drawn

    def sums(self, conditions: Sequence[Condition], shift: float) -> Sums:
        """Add up all rows by the conditions that cover them."""
        assert self._key is not None
        key = self._key
        answers = [condition_expr(condition, self.columns.columns) for condition in conditions]
        packed = pack_bits(answers) or [nw.lit(0).cast(nw.Int64)]
        names = [f"bits{k}" for k in range(len(packed))]
        bits = [expr.alias(name) for expr, name in zip(packed, names, strict=True)]
        groups = list(names) if self.loss is not None else [*names, "label"]
        found = self._ask(
            "add up the rows that the rules cover",
            lambda rows: (
                rows.select(*bits, key.alias("key"), *self._values(shift))
                .group_by(*groups)
                .agg(
                    nw.len().alias("n"),
                    *(nw.col(name).sum() for name in ("key", "weight", "outcome", "constant")),
                )
            ),
        )
        self._require_unchanged(sum(map(int, found["n"])), sum(map(int, found["key"])))
        numbers = [np.array(found[name], dtype=np.int64) for name in names]
        covered = np.empty((len(found["n"]), len(conditions)), dtype=np.bool_)
        for k, answer in enumerate(unpack_bits(numbers, len(conditions))):
            covered[:, k] = answer
        return Sums(
            covered,
            None if self.loss is not None else found["label"],
            np.array(found["n"], dtype=np.int64),
            np.array(found["weight"], dtype=np.float64),
            np.array(found["outcome"], dtype=np.float64),
            float(np.sum(np.array(found["constant"], dtype=np.float64))),
        )

    def _values(self, shift: float) -> list[Expr]:
        """What is added up: weights, outcomes, and the part of the loss that no score changes."""
        weight = self._weight()
        if self.loss is None:
            nothing = nw.lit(0.0)
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

    def _ask(
        self, question: str, query: Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]
    ) -> dict[str, list[Any]]:
        return collect(self.columns.frame, question, query).to_dict(as_series=False)

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
            return nw.lit(1.0) if exposure is None else exposure
        return weight if exposure is None else weight * exposure


def _count_missing(value: Expr) -> Expr:
    return value.is_null().cast(nw.Int64).sum()


def _is_missing(label: Any) -> bool:
    return label is None or label != label


def _label_kind(dtype: Any) -> str:
    """What the labels of a column are."""
    if dtype in (nw.Categorical, nw.Enum):
        return "category"
    if dtype == nw.String:
        return "text"
    if dtype == nw.Boolean:
        return "boolean"
    return "integer" if dtype.is_integer() else "float"
