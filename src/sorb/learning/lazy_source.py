"""What one engine answers about the lazy frame that it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import or_
from typing import Any

import narwhals as nw
import numpy as np

from sorb.learning.source import (
    SAMPLE_WEIGHT,
    Description,
    Draw,
    KeyCount,
    OutcomeCount,
    Sums,
)
from sorb.losses import Loss
from sorb.rules import Condition, Label
from sorb.tables.changes import CHECKSUM, COUNT, add_integers, changed_table
from sorb.tables.engine import collect
from sorb.tables.expressions import (
    Expr,
    add_layers,
    all_of,
    join,
    pack_bits,
    proposition_expr,
    unpack_bits,
)
from sorb.tables.lazy import (
    Aggregate,
    LazyColumns,
    Numbers,
    add_up,
    count,
    count_outside,
    is_missing,
    require_inside,
    total,
)
from sorb.tables.lazy_keys import key_layers
from sorb.tables.row_keys import KeyPlan, Range
from sorb.tables.targets import require_scale

# The column with the key of each row, for a while.
_KEY = "sorb key"


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
    # The keys that were counted, with the number and the checksum of their rows, for each plan.
    _counted: dict[tuple[int, int], list[tuple[int, int, int]]] = field(default_factory=dict)

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
            group=columns.group,
        )

    @property
    def searched(self) -> LazySource:
        """The source of the rows in which rules are searched: this one."""
        return self

    def numbers(self) -> Numbers:
        """The ranges of the features of numbers; refuses infinite values."""
        return self.columns.numbers

    def labels(self, name: str) -> list[Label]:
        """The different labels of a feature of categories."""
        return self.columns.labels[name]

    def between(self, ranges: Mapping[str, Range]) -> set[str]:
        """The features that have values strictly between two ends."""
        return self.columns.between(ranges)

    def count_classes(self) -> dict[Label, OutcomeCount]:
        """Count the rows of each class."""
        counts: dict[Any, OutcomeCount] = {
            label: OutcomeCount(n, float(n)) for label, n in self.columns.classes.items()
        }
        if self.columns.weight is not None:
            counts = self._add_up_classes()
        missing = [count.n_rows for label, count in counts.items() if is_missing(label)]
        if missing:
            raise ValueError(
                f"column {self.columns.y!r} is missing in {missing[0]} rows: expected a class "
                "label in each"
            )
        return counts

    def _add_up_classes(self) -> dict[Any, OutcomeCount]:
        found = self._add_up(
            "add up the weights of each class",
            [self._label().alias("label"), self._weight().alias("weight")],
            by=["label"],
            added=["weight"],
        )
        groups = zip(*(found[name] for name in ("label", COUNT, "weight")), strict=True)
        return {label: OutcomeCount(int(n), float(weight)) for label, n, weight in groups}

    def squared_weights(self) -> dict[Any, float]:
        """Add up the squares of the weights of each class."""
        weight = self._weight()
        found = self._add_up(
            "add up the squared weights of each class",
            [self._label().alias("label"), (weight * weight).alias("squares")],
            by=["label"],
            added=["squares"],
        )
        return dict(zip(found["label"], map(float, found["squares"]), strict=True))

    def check_outcomes(self) -> tuple[OutcomeCount, Range]:
        """Check the outcomes of a regression; count the rows, and find the range of outcomes."""
        columns = self.columns
        y, rate = columns.columns.number(columns.y), self._outcome_number()
        plain, exposure = self._plain_weight(), self._exposure()
        given = columns.given.get(columns.y)
        asked = {
            "missing": count(y.is_null()),
            "least": Aggregate(y, "min"),
            "low": Aggregate(rate, "min"),
            "high": Aggregate(rate, "max"),
            "least_positive": Aggregate(nw.when(rate > 0).then(rate), "min"),
        }
        if plain is not None:
            asked["weight"] = total(plain)
        if given is not None:
            asked["outside"] = count_outside(rate, given)
        if exposure is not None:
            asked["least_exposure"] = Aggregate(exposure, "min")
            asked["missing_exposure"] = count(exposure.is_null())
        found = columns.ask("find the range of the outcomes", asked)
        n_rows = int(found[COUNT])
        if not n_rows:
            return OutcomeCount(0, 0.0), Range(np.nan, np.nan)
        if found["missing"]:
            raise ValueError(
                f"column {columns.y!r} is missing or not finite in {int(found['missing'])} rows: "
                "expected a number in each"
            )
        if exposure is not None and (found["missing_exposure"] or found["least_exposure"] <= 0):
            raise ValueError(
                f"exposure, column {columns.exposure!r}, must be finite and positive in all rows"
            )
        self._check_extremes(found)
        weight = float(n_rows if plain is None else found["weight"])
        if given is not None:
            require_inside(columns.y, found["outside"], given)
            return OutcomeCount(n_rows, weight), given
        low, high = float(found["low"]), float(found["high"])
        return OutcomeCount(n_rows, weight), Range(low, high)

    def _check_extremes(self, found: Mapping[str, Any]) -> None:
        """Refuse outcomes that the loss cannot predict, given those that tell."""
        assert self.loss is not None
        what, exposure = f"column {self.columns.y!r}", self.columns.exposure
        rate = what if exposure is None else f"{what} / column {exposure!r}"
        ends = [found[name] for name in ("low", "high", "least_positive")]
        rates = np.array([float(end) for end in ends if not is_missing(end)])
        try:
            self.loss.check_outcomes(np.array([float(found["least"])]), what)
            require_scale(self.loss, rates, np.ones(len(rates)), rate)
        except ValueError as error:
            raise ValueError(re.sub(r" in row \d+", "", str(error))) from None

    def count_keys(self, plan: KeyPlan, limit: int) -> KeyCount:
        """Give each row a key, and find the keys below a limit."""
        key = nw.col(_KEY)
        # Limits are positive, and so are the keys that they are compared with.
        low = nw.when(key < limit).then(key).otherwise(nw.lit(-1).cast(nw.Int64))
        label = [] if self.loss is not None else [self._label().alias("label")]
        found = self._add_up(
            "count the different rows",
            [low.alias("low"), *label],
            by=["low", "label"] if label else ["low"],
            layers=self.key_layers(plan, _KEY),
        )
        labels = found["label"] if label else [None] * len(found["low"])
        keys: dict[Label | None, list[int]] = {}
        counted = []
        groups = zip(labels, found["low"], found[COUNT], found[CHECKSUM], strict=True)
        for label_of_group, key_of_group, n_rows, checksum in groups:
            if key_of_group >= 0:
                keys.setdefault(label_of_group, []).append(int(key_of_group))
                counted.append((int(key_of_group), int(n_rows), int(checksum)))
        self._counted[plan.seed, plan.digits] = counted
        return KeyCount(keys, sum(n_rows for _, n_rows, _ in counted))

    def rows(self, draw: Draw | None, copied: bool, most: int | None = None) -> nw.DataFrame[Any]:
        """Read the rows that are drawn; all of them for None."""
        columns = self.columns
        named = (columns.y, columns.weight, columns.exposure, columns.group)
        fields = [name for name in named if name]
        keys = [*columns.features, *(name for name in fields if name != columns.weight)]
        plain, name = self._plain_weight(), columns.weight or SAMPLE_WEIGHT
        weight = columns.columns.literal(1.0) if plain is None else plain
        layers = [] if draw is None else self.key_layers(draw.plan, _KEY)
        is_drawn = None if draw is None else _is_drawn(draw.limits, self._label())
        key, checksums = [] if draw is None else [_KEY], columns.watch.layers
        same = [*keys, *key]
        chosen = [*same, weight.alias(name)] if copied else [*columns.features, *fields, *key]

        def query(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            drawn = add_layers(rows, layers)
            drawn = drawn if is_drawn is None else drawn.filter(is_drawn)
            return add_layers(drawn, checksums).select(*chosen, CHECKSUM)

        question = "read a sample of the rows"
        if copied:
            limit = None if most is None else most + 1
            found = add_up(columns.frame, question, query, same, [name, CHECKSUM], limit)
            _require_few(len(found), most)
        else:
            found = collect(columns.frame, question, query, lambda parts: parts)
        counts = found.get_column(COUNT).to_list() if copied else [1] * len(found)
        found_checksums = found.get_column(CHECKSUM).to_list()
        if draw is None:
            columns.watch.compare(counts, found_checksums)
        else:
            keys_drawn = found.get_column(_KEY).to_list()
            drawn = list(zip(keys_drawn, counts, found_checksums, strict=True))
            least = min(draw.limits.values())
            counted = self._counted.get((draw.plan.seed, draw.plan.digits))
            if counted is None:
                raise ValueError("rows can be drawn only by keys that have been counted")
            if _below(least, drawn) != _below(least, counted):
                raise changed_table()
        return found.drop(CHECKSUM, COUNT, _KEY, strict=False)

    def sums(self, conditions: Sequence[Condition], shift: float, together: bool = False) -> Sums:
        """Add up all rows by the conditions that cover them, and by whose rows these are."""
        group = self.columns.group if together else None
        whose = [] if group is None else [self.columns.columns.label(group).alias("together")]
        # Propositions that are part of several conditions are evaluated once.
        all_propositions = dict.fromkeys(p for c in conditions for p in c.propositions)
        holds = {p: nw.col(f"{_KEY} {k}") for k, p in enumerate(all_propositions)}
        propositions = [
            proposition_expr(p, self.columns.columns).alias(f"{_KEY} {k}")
            for k, p in enumerate(holds)
        ]
        answers = [all_of([holds[p] for p in c.propositions]) for c in conditions]
        packed = pack_bits(answers) or [nw.lit(0).cast(nw.Int64)]
        names = [f"bits{k}" for k in range(len(packed))]
        bits = [expr.alias(name) for expr, name in zip(packed, names, strict=True)]
        found = self._add_up(
            "add up the rows that the rules cover",
            [*bits, *whose, *self._values(shift)],
            by=[*names, *(["together"] if whose else []), *([] if self.loss else ["label"])],
            added=["weight", "outcome", "constant"],
            layers=[propositions],
        )
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
            together=found["together"] if whose else None,
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
        by: Sequence[str],
        added: Sequence[str] = (),
        layers: Sequence[Sequence[Expr]] = (),
    ) -> dict[str, list[Any]]:
        """Count the rows of each group, and add up some values, of a table that has not changed.

        Values are computed from the columns that there are, and layers of more.
        """
        watch = self.columns.watch
        layers = [*layers, *watch.layers]

        def query(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            return add_layers(rows, layers).select(*values, CHECKSUM)

        answer = add_up(self.columns.frame, question, query, by, [*added, CHECKSUM])
        found = answer.to_dict(as_series=False)
        watch.compare(found[COUNT], found[CHECKSUM])
        return found

    def key_layers(self, plan: KeyPlan, name: str) -> list[list[Expr]]:
        """The layers of columns that add the key of each row."""
        outcome = None if self.loss is None else self._outcome_number()
        return key_layers(self.columns, plan, outcome, name)

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


def _require_few(n_rows: int, most: int | None) -> None:
    """Refuse rows that differ, although hardly any have different keys."""
    if most is not None and n_rows > most:
        raise ValueError(
            f"more than {most} rows differ only in numbers that are tiny against the range of "
            "their column, so that no sample can be drawn: remove the values that are far away "
            "from all others, or mark them as missing"
        )


def _is_drawn(limits: Mapping[Label | None, int], label: Expr) -> Expr:
    """Whether the key of a row is below the limit of its class."""
    key, least = nw.col(_KEY), min(limits.values())
    more = [(label == value) & (key < limit) for value, limit in limits.items() if limit > least]
    return join([key < least, *more], or_)


def _below(limit: int, groups: Sequence[tuple[Any, ...]]) -> list[int]:
    """The number of rows whose keys are below a limit, and their checksum.

    Groups of rows are given by their keys, numbers of rows and checksums.
    """
    below = [group for group in groups if group[0] < limit]
    return [add_integers(group[k] for group in below) for k in (1, 2)]


def _label_kind(dtype: Any) -> str:
    """What the labels of a column are."""
    if dtype in (nw.Categorical, nw.Enum):
        return "category"
    if dtype == nw.String:
        return "text"
    if dtype == nw.Boolean:
        return "boolean"
    return "integer" if dtype.is_integer() else "float"
