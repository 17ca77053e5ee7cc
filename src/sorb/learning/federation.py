"""Several sources that answer like one table with the rows of all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from sorb.learning.source import (
    Description,
    Draw,
    KeyCount,
    OutcomeCount,
    Source,
    Sums,
)
from sorb.rules import Condition, Label
from sorb.tables.lazy import Numbers, most_labels, require_few_labels
from sorb.tables.row_keys import KeyPlan, Range


@dataclass(frozen=True, slots=True, eq=False)
class Federation:
    """Sources with the same columns, as one.

    Attributes
    ----------
    sources : at least one; votes are fitted to the sums of all of them.
    search_table : the source of the rows to search rules in, if it is not those that share rows.
    """

    sources: Sequence[Source]
    search_table: Source | None = None

    @property
    def description(self) -> Description:
        """What the columns hold and are for."""
        found = [source.description for source in self._with_search_table()]
        return replace(
            found[0],
            kinds={name: _join([d.kinds[name] for d in found]) for name in found[0].kinds},
            single=all(d.single for d in found),
            counted=all(d.counted for d in found),
            min_rows=max(d.min_rows for d in found),
            shares_rows=all(d.shares_rows for d in found),
        )

    @property
    def searched(self) -> Source:
        """The source of the rows in which rules are searched."""
        if self.search_table is not None:
            return self.search_table
        sharing = [source for source in self.sources if source.description.shares_rows]
        if len(sharing) == len(self.sources):
            return self
        return Federation(sharing)

    def _with_search_table(self) -> list[Source]:
        extra = [] if self.search_table is None else [self.search_table]
        return [*self.sources, *extra]

    def numbers(self) -> Numbers:
        """The ranges of the features of numbers; refuses infinite values."""
        found = [source.numbers() for source in self._with_search_table()]
        ranges, counts = {}, {}
        for name in found[0].ranges:
            parts = [(numbers.ranges[name], numbers.counts[name]) for numbers in found]
            ranges[name] = pool_ranges(parts)
            counts[name] = sum(count for _, count in parts)
        incomplete = frozenset().union(*(numbers.incomplete for numbers in found))
        return Numbers(ranges, counts, incomplete)

    def labels(self, name: str) -> list[Label]:
        """The different labels of a feature of categories."""
        found = (source.labels(name) for source in self._with_search_table())
        labels = list(dict.fromkeys(label for labels in found for label in labels))
        require_few_labels(name, labels, most_labels(self.description.kinds[name] == "text"))
        return labels

    def between(self, ranges: Mapping[str, Range]) -> set[str]:
        """The features that have values strictly between two ends."""
        return set().union(*(source.between(ranges) for source in self._with_search_table()))

    def count_classes(self) -> dict[Label, OutcomeCount]:
        """Count the rows of each class."""
        total: dict[Label, OutcomeCount] = {}
        for source in self.sources:
            for label, count in source.count_classes().items():
                total[label] = total.get(label, OutcomeCount(0, 0.0)) + count
        return total

    def check_outcomes(self) -> tuple[OutcomeCount, Range]:
        """Check the outcomes of a regression; count the rows, and find the range of outcomes."""
        counts, ranges = zip(*(source.check_outcomes() for source in self.sources), strict=True)
        return sum(counts, OutcomeCount(0, 0.0)), pool_outcomes(ranges)

    def count_keys(self, plan: KeyPlan, limit: int) -> KeyCount:
        """Give each row a key, and find the keys below a limit."""
        found = [source.count_keys(plan, limit) for source in self.sources]
        # A row that is in several sources has the same key in all of them.
        keys: dict[Label | None, dict[int, None]] = {}
        for count in found:
            for label, some in count.keys.items():
                keys.setdefault(label, {}).update(dict.fromkeys(some))
        n_rows = sum(count.n_rows for count in found)
        return KeyCount({label: list(some) for label, some in keys.items()}, n_rows)

    def rows(self, draw: Draw | None, copied: bool, most: int | None = None) -> nw.DataFrame[Any]:
        """Read the rows that are drawn; all of them for None."""
        return nw.concat([source.rows(draw, copied, most) for source in self.sources])

    def sums(self, conditions: Sequence[Condition], shift: float) -> Sums:
        """Add up all rows by the conditions that cover them, those of each source by themselves."""
        found = [source.sums(conditions, shift) for source in self.sources]
        if not any(len(sums.weight) for sums in found):
            raise ValueError("no site has min_rows rows, so none tells any sums")
        labels = [label for sums in found for label in sums.labels or ()]
        return Sums(
            np.concatenate([sums.covered for sums in found]),
            None if found[0].labels is None else labels,
            np.concatenate([sums.n_rows for sums in found]),
            np.concatenate([sums.weight for sums in found]),
            np.concatenate([sums.outcome for sums in found]),
            sum(sums.constant for sums in found),
            sum(sums.hidden for sums in found),
        )


def pool_ranges(parts: Sequence[tuple[Range, float]]) -> Range:
    """The range of all values of several columns, given how many values each mean is of.

    Examples
    --------
    >>> pool_ranges([(Range(0.0, 4.0, 1.0), 30), (Range(2.0, 9.0, 3.0), 10)])
    Range(low=0.0, high=9.0, excess=2.0)
    """
    known = [(values, count) for values, count in parts if values.high >= values.low]
    if not known:
        return Range(math.nan, math.nan)
    low, high = min(v.low for v, _ in known), max(v.high for v, _ in known)
    total = sum(count for _, count in known)
    above = sum((v.low - low + v.excess) * n for v, n in known if n)
    return Range(low, high, above / total if total else math.nan)


def pool_outcomes(ranges: Sequence[Range]) -> Range:
    """The range of all outcomes, whose mean nobody asks for."""
    return pool_ranges([(values, 0) for values in ranges])


# Of two kinds of labels that go together, the second one can hold both.
_WIDER = (("text", "category"), ("integer", "float"))


def same_kind(one: str, other: str) -> bool:
    """Whether labels of two kinds may stand in one column.

    Examples
    --------
    >>> same_kind("integer", "float"), same_kind("integer", "text")
    (True, False)
    """
    return one == other or any({one, other} == set(pair) for pair in _WIDER)


def _join(kinds: Sequence[str]) -> str:
    """The kind that can hold all of some kinds, which go together."""
    return next((wide for narrow, wide in _WIDER if {narrow, wide} == set(kinds)), kinds[0])
