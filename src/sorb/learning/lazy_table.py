"""A lazy frame behind the two questions of the learner, answered by its engine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import narwhals as nw
import numpy as np

from sorb._types import Float
from sorb.learning.whole_table import GroupSums, SamplingPlan, share_to_draw
from sorb.losses import Loss
from sorb.rules import Condition
from sorb.tables.expressions import Expr, condition_expr, pack_bits, unpack_bits
from sorb.tables.lazy import LazyColumns
from sorb.tables.row_keys import Range
from sorb.tables.training import TrainingData
from sorb.tables.weights import class_factors

# More labels are no classes.
_MOST_CLASSES = 1000
# If rows have more copies than this, they are counted before they are read.
_FEW_COPIES = 1.5


class Reader(Protocol):
    """Makes training data of rows that are in memory; classes have the weights that are given."""

    def __call__(
        self, X: Any, y: Any, weight: Any, exposure: Any, class_weight: Mapping[Any, float] | None
    ) -> TrainingData:
        """Check and read them."""
        ...


class TableChangedError(RuntimeError):
    """A table that was read twice did not hold the same rows."""


@dataclass(slots=True, eq=False)
class LazyTable:
    """A table that is read only by asking its engine for a sample and for sums.

    Attributes
    ----------
    columns : the frame, and what its columns are for.
    read : makes training data of the rows of a sample.
    loss : that of a regression; None if the outcomes are classes.
    class_weight : the weights of classes that the user wants.
    """

    columns: LazyColumns
    read: Reader
    loss: Loss | None = None
    class_weight: Any = None
    _sample: TrainingData | None = None
    _n_rows: int = 0
    _has_copies: bool = False
    _key: Expr | None = None
    _key_sum: int = 0
    _factors: dict[Any, float] = field(default_factory=dict)

    @property
    def complete_columns(self) -> list[str]:
        """The names of the columns in which no value is missing."""
        return self.columns.complete()

    def sample(self, n_rows: int | None, seed: int) -> TrainingData:
        """About so many different rows; all of them, if there are no more or for None."""
        columns = self.columns
        columns.ranges()  # refuses infinite values before anything else is asked
        counts, outcome_range = self._count_outcomes()
        total = sum(counts.values())
        frame, factors = columns.frame, dict.fromkeys(counts, 1.0)
        sampled = n_rows is not None and total > n_rows
        if n_rows is not None and sampled:
            self._key = columns.key(seed, self._outcome(), outcome_range)
            share = share_to_draw(n_rows, total, self._count_keys)
            sampled = share < 1
            if sampled:
                plan = SamplingPlan.of(n_rows, list(counts.values()), share)
                frame = frame.filter(self._is_drawn(dict(zip(counts, plan.limits, strict=True))))
                factors = dict(zip(counts, plan.factors, strict=True))
        data = self._read(frame, factors)
        self._sample = replace(data, sampled=sampled)
        return self._sample

    def _count_outcomes(self) -> tuple[dict[Any, float], Range | None]:
        """Count the rows, those of each class if there are classes, and find the class weights.

        Weights that are whole numbers count as copies. For a regression, also give the range of the
        outcomes.
        """
        if self.loss is not None:
            total, outcomes = self._check_numbers(self.loss)
            return {None: total}, outcomes
        label = self.columns.columns.label(self.columns.y)
        found = _columns(
            self.columns.frame.select(label.alias("label"), self._weight().alias("weight"))
            .group_by("label")
            .agg(nw.len().alias("n"), nw.col("weight").sum().alias("weight"))
            .head(_MOST_CLASSES + 1)
        )
        if len(found["label"]) > _MOST_CLASSES:
            raise ValueError(
                f"column {self.columns.y!r} holds more than {_MOST_CLASSES} different values: "
                "expected classes"
            )
        if not found["label"]:
            raise ValueError("expected at least one row")
        order = sorted(range(len(found["label"])), key=lambda k: _order(found["label"][k]))
        counts = {found["label"][k]: int(found["n"][k]) for k in order}
        if None in counts:
            raise ValueError(
                f"column {self.columns.y!r} is missing in {counts[None]} rows: expected a class "
                "label in each"
            )
        self._n_rows = sum(counts.values())
        totals = np.array([float(found["weight"][k]) for k in order])
        factors = class_factors(self.class_weight, np.array(list(counts)), totals)
        self._factors = dict(zip(counts, factors.tolist(), strict=True))
        copies = totals.tolist() if self.columns.counted else list(counts.values())
        return dict(zip(counts, copies, strict=True)), None

    def _check_numbers(self, loss: Loss) -> tuple[float, Range]:
        columns = self.columns
        y = columns.columns.number(columns.y)
        copies, exposure = self._copies(), self._exposure()
        found = columns.ask(
            nw.len().alias("n"),
            y.is_null().cast(nw.Int64).sum().alias("missing"),
            y.min().alias("least"),
            *([] if copies is None else [copies.sum().alias("copies")]),
            self._outcome_number().min().alias("low"),
            self._outcome_number().max().alias("high"),
            *([] if exposure is None else [exposure.min().alias("least_exposure")]),
            *([] if exposure is None else [_count_missing(exposure).alias("missing_exposure")]),
        )
        if not found["n"]:
            raise ValueError("expected at least one row")
        if found["missing"]:
            raise ValueError(
                f"column {columns.y!r} is missing or not finite in {int(found['missing'])} rows: "
                "expected a number in each"
            )
        if exposure is not None and (found["missing_exposure"] or found["least_exposure"] <= 0):
            raise ValueError(
                f"exposure, column {columns.exposure!r}, must be finite and positive in all rows"
            )
        try:
            loss.check_outcomes(np.array([float(found["least"])]), f"column {columns.y!r}")
        except ValueError as error:
            raise ValueError(re.sub(r" in row \d+", "", str(error))) from None
        self._n_rows = int(found["n"])
        total = found["n" if copies is None else "copies"]
        low, high = float(found["low"]), float(found["high"])
        return float(total), Range(low, high, low)

    def _count_keys(self, limit: int) -> int:
        """The number of different keys below a limit; also learns how many copies rows have."""
        assert self._key is not None
        key = nw.col("key")
        found = _columns(
            self.columns.frame.select(self._key.alias("key"))
            .select(key, nw.when(key < limit).then(key).alias("low"))
            .group_by("low")
            .agg(nw.len().alias("n"), key.sum().alias("sum"))
            .select(
                nw.col("low").count().alias("keys"),
                nw.when(~nw.col("low").is_null()).then(nw.col("n")).sum().alias("counted"),
                nw.col("n").sum().alias("n"),
                nw.col("sum").sum().alias("sum"),
            )
        )
        self._key_sum = int(found["sum"][0])
        self._require_unchanged(int(found["n"][0]))
        n_keys = int(found["keys"][0])
        self._has_copies = int(found["counted"][0] or 0) > _FEW_COPIES * n_keys
        return n_keys

    def _require_unchanged(self, n_rows: int, key_sum: int | None = None) -> None:
        if n_rows != self._n_rows or (key_sum is not None and key_sum != self._key_sum):
            detail = f"first {self._n_rows} rows, then {n_rows}" if n_rows != self._n_rows else ""
            raise TableChangedError(
                "the table changed while it was read"
                f"{f': {detail}' if detail else ''}; fit again, on a table that does not change"
            )

    def _is_drawn(self, limits: Mapping[Any, int]) -> Expr:
        """Whether the key of a row is below the limit of its class."""
        assert self._key is not None
        least = min(limits.values())
        drawn = self._key < least
        label = self.columns.columns.label(self.columns.y)
        for value, limit in limits.items():
            if limit > least:
                drawn = drawn | ((label == value) & (self._key < limit))
        return drawn

    def _read(self, frame: nw.LazyFrame[Any], factors: Mapping[Any, float]) -> TrainingData:
        """Bring rows to memory, copies of a row only once if there are many."""
        columns = self.columns
        fields = [name for name in (columns.y, columns.weight, columns.exposure) if name]
        if not self._has_copies:
            rows = frame.select(*columns.features, *fields).collect()
            weight = None if columns.weight is None else rows.get_column(columns.weight)
        else:
            weighed = self._weight().alias("sorb weight")
            keys = [*columns.features, *(name for name in fields if name != columns.weight)]
            rows = (
                frame.select(*keys, weighed)
                .group_by(*keys)
                .agg(nw.col("sorb weight").sum())
                .collect()
            )
            weight = rows.get_column("sorb weight")
        exposure = None if columns.exposure is None else rows.get_column(columns.exposure)
        known = self._factors  # of each class, if there are classes
        class_weight = {label: known[label] * factors[label] for label in known}
        return self.read(
            rows.select(*columns.features).to_native(),
            rows.get_column(columns.y).to_native(),
            None if weight is None else weight.to_numpy(),
            None if exposure is None else exposure.to_numpy(),
            class_weight or None,
        )

    def sums(self, conditions: Sequence[Condition], shift: float) -> GroupSums:
        """Add up all rows by the conditions that cover them."""
        assert self._sample is not None
        assert self._key is not None
        answers = [condition_expr(condition, self.columns.columns) for condition in conditions]
        packed = pack_bits(answers) or [nw.lit(0).cast(nw.Int64)]
        names = [f"bits{k}" for k in range(len(packed))]
        bits = [expr.alias(name) for expr, name in zip(packed, names, strict=True)]
        values, groups = self._values(shift), list(names)
        if self.loss is None:
            groups.append("label")
        found = _columns(
            self.columns.frame.select(*bits, self._key.alias("key"), *values)
            .group_by(*groups)
            .agg(
                nw.len().alias("n"),
                *(nw.col(name).sum() for name in ("key", "weight", "outcome", "constant")),
            )
        )
        self._require_unchanged(sum(map(int, found["n"])), sum(map(int, found["key"])))
        numbers = [np.array(found[name], dtype=np.int64) for name in names]
        covered = dict(zip(conditions, unpack_bits(numbers, len(conditions)), strict=True))
        return self._group_sums(found, covered, shift)

    def _values(self, shift: float) -> list[Expr]:
        """What is added up: weights, outcomes, and the part of the loss that no score changes."""
        weight = self._weight()
        if self.loss is None:
            label = self.columns.columns.label(self.columns.y)
            nothing = nw.lit(0.0)
            return [
                label.alias("label"),
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

    def _group_sums(
        self, found: dict[str, list[Any]], covered: dict[Condition, Any], shift: float
    ) -> GroupSums:
        assert self._sample is not None
        unit = self._sample.weight_unit
        weight: Float = np.array(found["weight"], dtype=np.float64)
        if self._sample.classes is None:
            y = np.array(found["outcome"], dtype=np.float64) / weight
            constant = float(np.sum(np.array(found["constant"], dtype=np.float64)) / weight.sum())
        else:
            weight *= [self._factors[label] for label in found["label"]]
            index = {label: float(k) for k, label in enumerate(self._sample.classes.tolist())}
            if len(index) == 1:
                index = dict.fromkeys(index, 1.0)
            y, constant = np.array([index[label] for label in found["label"]]), 0.0
        return GroupSums(covered, y, weight / unit, constant, shift, unit)

    def _outcome(self) -> Expr | None:
        return None if self.loss is None else self._outcome_number()

    def _outcome_number(self) -> Expr:
        y, exposure = self.columns.columns.number(self.columns.y), self._exposure()
        return y if exposure is None else y / exposure

    def _exposure(self) -> Expr | None:
        name = self.columns.exposure
        return None if name is None else self.columns.columns.number(name)

    def _copies(self) -> Expr | None:
        """How many copies each row stands for; None if it stands for itself."""
        name = self.columns.weight
        return self.columns.columns.number(name) if name and self.columns.counted else None

    def _weight(self) -> Expr:
        """The weight of each row, times its exposure."""
        name, exposure = self.columns.weight, self._exposure()
        if name is None:
            return nw.lit(1.0) if exposure is None else exposure
        weight = self.columns.columns.number(name)
        return weight if exposure is None else weight * exposure


def _columns(frame: nw.LazyFrame[Any]) -> dict[str, list[Any]]:
    return frame.collect().to_dict(as_series=False)


def _count_missing(value: Expr) -> Expr:
    return value.is_null().cast(nw.Int64).sum()


def _order(label: Any) -> tuple[str, Any]:
    """Sort labels of any kinds."""
    return (type(label).__name__ if isinstance(label, str) or label is None else "", label or 0)
