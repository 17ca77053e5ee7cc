"""Trees and sums of trees as rules: one rule for each leaf but one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble
from sorb.tables.training import TrainingData


@dataclass(frozen=True, slots=True)
class Bound:
    """One step of a path: a column is above a threshold, or not."""

    column: int
    threshold: float
    above: bool


Leaf = tuple[tuple[Bound, ...], float]  # the path to it, and its value


@dataclass(frozen=True, slots=True)
class AdditiveModel:
    """An offset, single rules, and trees that each add the value of one leaf.

    Attributes
    ----------
    offset : the score of a row before anything is added.
    rules : paths, and the votes for the rows that follow them.
    trees : all leaves of each tree.
    """

    offset: float = 0.0
    rules: Sequence[Leaf] = ()
    trees: Sequence[Sequence[Leaf]] = ()

    def to_ensemble(
        self, data: TrainingData, shift: float = 0.0, scale: float = 1.0
    ) -> RuleEnsemble:
        """Write the sum as rules, multiplied by a scale and then shifted.

        The leaf with the longest path of a tree is not a rule: its value is added to the offset,
        and subtracted from those of the other leaves.
        """
        offset, rules = self.offset, _possible_conditions(self.rules, data.columns)
        for tree in self.trees:
            leaves = _possible_conditions(tree, data.columns)
            start = max(leaves, key=lambda leaf: leaf[0].complexity)[1]
            offset += start
            rules += [(condition, value - start) for condition, value in leaves]
        offset += sum(vote for condition, vote in rules if not condition.propositions)
        return RuleEnsemble(
            offset * scale + shift,
            tuple(Rule(c, vote * scale) for c, vote in rules if vote and c.propositions),
            data.columns,
            data.loss,
            None if data.classes is None else tuple(data.classes.tolist()),
        )


def leaves_of(tree: Any, values: Float) -> list[Leaf]:
    """Return the leaves of a scikit-learn tree.

    Parameters
    ----------
    tree : the attribute `tree_` of a fitted tree.
    values : a value for each node; only those of the leaves are used.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> stump = DecisionTreeRegressor().fit([[0.0], [2.0]], [5.0, 6.0])
    >>> for (bound,), value in leaves_of(stump.tree_, stump.tree_.value[:, 0, 0]):
    ...     print(">" if bound.above else "≤", round(bound.threshold, 6), value)
    ≤ 1.0 5.0
    > 1.0 6.0
    """

    def below(node: int, path: tuple[Bound, ...]) -> Iterator[Leaf]:
        if tree.children_left[node] < 0:
            yield path, float(values[node])
            return
        column, threshold = int(tree.feature[node]), float32_threshold(tree.threshold[node])
        yield from below(tree.children_left[node], (*path, Bound(column, threshold, above=False)))
        yield from below(tree.children_right[node], (*path, Bound(column, threshold, above=True)))

    return list(below(0, ()))


def float32_threshold(threshold: float) -> float:
    """Return the largest number that is at most the threshold when rounded to float32.

    scikit-learn's trees round columns to float32 before they compare.

    Examples
    --------
    >>> import numpy as np
    >>> limit = float32_threshold(1.0)
    >>> limit > 1, np.float32(limit) <= 1, np.float32(np.nextafter(limit, 2)) <= 1
    (True, np.True_, np.False_)
    """
    below = np.float32(threshold)
    if below > threshold:
        below = np.nextafter(below, np.float32(-np.inf))
    above = np.nextafter(below, np.float32(np.inf))
    middle = (float(below) + float(above)) / 2
    # The middle is rounded to the one with an even last digit.
    return middle if np.float32(middle) == below else float(np.nextafter(middle, -np.inf))


def _possible_conditions(
    leaves: Sequence[Leaf], names: Sequence[str]
) -> list[tuple[Condition, float]]:
    """Write the paths as conditions, except those that no row can follow."""
    return [
        (Condition(tuple(_proposition(bound, names) for bound in path)), value)
        for path, value in leaves
        if _is_possible(path)
    ]


def _is_possible(path: Sequence[Bound]) -> bool:
    return all(
        lower.threshold < upper.threshold
        for lower in path
        for upper in path
        if lower.above and not upper.above and lower.column == upper.column
    )


def _proposition(bound: Bound, names: Sequence[str]) -> Proposition:
    name, threshold = names[bound.column], float(bound.threshold)
    if bound.above:
        # The next number, because a proposition is also true on its threshold.
        return Proposition((name,), (1.0,), float(np.nextafter(threshold, np.inf)))
    return Proposition((name,), (-1.0,), -threshold)
