"""Frequent conjunctions of simple propositions, found level by level.

A literal compares one column with one threshold: x ≤ t, or its negation x > t. The thresholds of a
column are its quintiles, or all gaps between its values if there are at most five. A conjunction
has at most one upper and one lower bound for a column. It is a candidate if it covers a given share
of the positive rows, and if positive rows are more frequent among those it covers than elsewhere:
others may be just as informative, but are of no use to a set of rules that all vote for the
positive class.

All conjunctions of one and of two literals are tried. Longer ones extend, by every literal, the
`BEAM` candidates of lowest conditional entropy that are one literal shorter, because the number of
frequent conjunctions explodes: thirty numeric columns have more than a hundred million of four
literals. Of conjunctions that cover the same rows the shortest is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from sorb._types import Bool, Float, Index, Matrix
from sorb.rules import Condition, Proposition

Bits = NDArray[np.uint8]

N_GROUPS = 5
BEAM = 4000
_BLOCK = 512  # conjunctions extended at a time, to limit memory


@dataclass(frozen=True, slots=True, eq=False)
class Literals:
    """Comparisons of one column with one threshold, and the rows that they cover.

    Attributes
    ----------
    columns : the index of each literal's column.
    thresholds : x ≤ t, or x > t.
    above : whether it is x > t.
    covered : whether each literal (first axis) covers each row (second axis).

    Examples
    --------
    >>> import numpy as np
    >>> literals = Literals.of(np.array([[0.0], [1.0], [1.0], [4.0]]))
    >>> for condition in map(literals.condition, [[0], [1], [2], [3]], [["age"]] * 4):
    ...     print(condition)
    age ≤ 0.5
    age ≥ 0.5
    age ≤ 2.5
    age ≥ 2.5
    """

    columns: Index
    thresholds: Float
    above: Bool
    covered: Bool

    @classmethod
    def of(cls, X: Matrix) -> Literals:
        """Cut every column at its quintiles, or between all of its values if there are few."""
        table = np.asarray(X, dtype=np.float64)
        cuts = [_cuts(column) for column in table.T]
        columns = np.repeat(np.arange(len(cuts)), [2 * len(cut) for cut in cuts])
        thresholds = np.repeat(np.concatenate([np.empty(0), *cuts]), 2)
        above = np.arange(len(thresholds)) % 2 == 1
        covered = (table.T[columns] > thresholds[:, None]) == above[:, None]
        return cls(columns, thresholds, above, covered)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def bounds(self) -> Index:
        """An index for column and direction of each literal; no conjunction has one twice."""
        return np.asarray(2 * self.columns + self.above, dtype=np.intp)

    def n_conjunctions(self, max_length: int) -> Float:
        """Count the conjunctions of 1, 2, … literals, whatever rows they cover."""
        # The product of (1 + k·z) over all bounds with k literals has the counts as coefficients.
        counts = np.zeros(max_length + 1)
        counts[0] = 1
        for k in np.bincount(self.bounds):
            counts[1:] += k * counts[:-1]
        return counts[1:]

    def covers(self, rules: Index) -> Bool:
        """Return whether each conjunction (first axis) covers each row (second axis)."""
        result = np.ones((len(rules), self.covered.shape[1]), dtype=np.bool_)
        for literals in rules.T:
            result &= self.covered[literals]
        return result

    def condition(self, rule: Index | list[int], names: tuple[str, ...] | list[str]) -> Condition:
        """Write a conjunction with the names of the columns."""
        return Condition(tuple(self._proposition(j, names) for j in rule))

    def _proposition(self, j: int, names: tuple[str, ...] | list[str]) -> Proposition:
        threshold = float(self.thresholds[j])
        column = (names[self.columns[j]],)
        if self.above[j]:
            # The next number, because a proposition is also true on its threshold.
            return Proposition(column, (1.0,), float(np.nextafter(threshold, np.inf)))
        return Proposition(column, (-1.0,), -threshold)


def _cuts(column: Float) -> Float:
    """Return at most four thresholds, half-way between neighbouring values."""
    values = np.unique(column)
    below = values[:-1]
    if len(values) > N_GROUPS:
        levels = np.arange(1, N_GROUPS) / N_GROUPS
        quantiles = np.unique(np.quantile(column, levels, method="inverted_cdf"))
        below = quantiles[quantiles < values[-1]]
    above = values[np.searchsorted(values, below, side="right")]
    middle = below / 2 + above / 2
    # There is nothing half-way between neighbouring floating-point numbers.
    return np.where(middle < above, np.maximum(middle, below), below)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Conjunctions of one length, the best first.

    Attributes
    ----------
    rules : the indices of the literals of each conjunction (first axis), ascending.
    entropy : the conditional entropy of the class, given whether the rule covers a row.
    bits : the rows that each conjunction covers, eight in a byte.
    """

    rules: Index
    entropy: Float
    bits: Bits


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The frequent conjunctions up to some length that favour the positive class.

    Attributes
    ----------
    literals : on rows sorted so that the positive ones come first.
    n_positive : the number of positive rows.
    support : the least share of the positive rows that a conjunction must cover.
    levels : the conjunctions of each length.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.array([[3.0, 1.0], [4.0, 2.0], [4.0, 5.0], [1.0, 1.0]])
    >>> pool = Pool(Literals.of(table), n_positive=2, support=0.6).longer().longer()
    >>> for rule in pool.screen(2):
    ...     print(pool.literals.condition(rule, ["age", "bmi"]))
    age ≥ 2  and  bmi ≤ 3.5
    age ≥ 2
    """

    literals: Literals
    n_positive: int
    support: float
    levels: tuple[Candidates, ...] = ()

    def longer(self, beam: int = BEAM) -> Pool:
        """Add the `beam` conjunctions of lowest conditional entropy that are one literal longer."""
        rules, positives, negatives = self._extensions()
        entropy = conditional_entropy(positives, negatives, *self._totals)
        # Each conjunction comes from at most as many parents as it has literals.
        found = _smallest(entropy, beam * rules.shape[1])
        rules, first = np.unique(rules[found], axis=0, return_index=True)
        entropy = entropy[found][first]
        best = np.argsort(entropy, kind="stable")[:beam]
        return replace(self, levels=(*self.levels, self._drop_repeats(rules[best], entropy[best])))

    def screen(self, n_candidates: int) -> list[Index]:
        """Return the conjunctions of lowest conditional entropy, of any length."""
        rules = [rule for level in self.levels for rule in level.rules]
        entropy = np.concatenate([np.empty(0), *(level.entropy for level in self.levels)])
        return [rules[i] for i in np.argsort(entropy, kind="stable")[:n_candidates]]

    @property
    def _totals(self) -> tuple[int, int]:
        return self.n_positive, self.literals.covered.shape[1] - self.n_positive

    def _parents(self) -> Index:
        if not self.levels:
            return np.empty((1, 0), dtype=np.intp)
        if len(self.levels) == 1:
            # Literals that are not informative alone may be so together.
            return np.arange(len(self.literals))[:, None]
        return self.levels[-1].rules

    def _extensions(self) -> tuple[Index, Float, Float]:
        """Extend all parents; return the rules and their numbers of positive and negative rows."""
        ones = self.literals.covered.T.astype(np.float32)
        parents = self._parents()
        nothing = np.empty((0, parents.shape[1] + 1), dtype=np.intp), np.empty(0), np.empty(0)
        found = [self._children(block, ones) for block in _blocks(parents)]
        rules, positives, negatives = zip(nothing, *found, strict=True)
        return np.concatenate(rules), np.concatenate(positives), np.concatenate(negatives)

    def _children(self, parents: Index, ones: NDArray[np.float32]) -> tuple[Index, Float, Float]:
        """Extend by every literal, and keep what is frequent and raises the share of positives.

        A literal that follows from its parent is not worth adding. A second bound of the same
        column in the same direction would only replace the first.
        """
        covered = self.literals.covers(parents).astype(np.float32)
        positives = covered[:, : self.n_positive] @ ones[: self.n_positive]
        negatives = covered[:, self.n_positive :] @ ones[self.n_positive :]
        n_positive, n_negative = self._totals
        kept = (positives >= self.support * n_positive) & (
            positives + negatives < covered.sum(axis=1, keepdims=True)
        )
        kept &= positives * float(n_negative) > negatives * float(n_positive)
        for literals in parents.T:
            kept &= self.literals.bounds[literals][:, None] != self.literals.bounds
        parent, literal = np.nonzero(kept)
        rules = np.sort(np.column_stack([parents[parent], literal]), axis=1)
        return rules, positives[kept].astype(np.float64), negatives[kept].astype(np.float64)

    def _drop_repeats(self, rules: Index, entropy: Float) -> Candidates:
        """Keep conjunctions that cover other rows than all shorter or better ones."""
        packed = [np.packbits(self.literals.covers(block), axis=1) for block in _blocks(rules)]
        bits = np.concatenate([np.empty((0, -(-sum(self._totals) // 8)), dtype=np.uint8), *packed])
        known = {row.tobytes() for level in self.levels for row in level.bits}
        new = []
        for i, row in enumerate(bits):
            if row.tobytes() not in known:
                known.add(row.tobytes())
                new.append(i)
        return Candidates(rules[new], entropy[new], bits[new])


def conditional_entropy(
    positives: Float, negatives: Float, n_positive: int, n_negative: int
) -> Float:
    """Return the entropy of the class, in nats, given whether a rule covers a row.

    Parameters
    ----------
    positives, negatives : the numbers of positive and negative rows that the rule covers.
    n_positive, n_negative : the numbers of all such rows.

    Examples
    --------
    >>> import numpy as np
    >>> conditional_entropy(np.array([2.0, 1.0]), np.array([0.0, 1.0]), 2, 2).round(3)
    array([0.   , 0.693])
    """
    n_rows = n_positive + n_negative
    return (
        _uncertainty(positives, negatives)
        + _uncertainty(n_positive - positives, n_negative - negatives)
    ) / n_rows


def _uncertainty(a: Float, b: Float) -> Float:
    total = a + b
    return np.asarray(xlogy(total, total) - xlogy(a, a) - xlogy(b, b), dtype=np.float64)


def _blocks(rules: Index) -> Iterator[Index]:
    return (rules[i : i + _BLOCK] for i in range(0, len(rules), _BLOCK))


def _smallest(values: Float, k: int) -> Index:
    """Return the indices of the k smallest values, in any order."""
    if len(values) <= k:
        return np.arange(len(values))
    return np.asarray(np.argpartition(values, k)[:k], dtype=np.intp)
