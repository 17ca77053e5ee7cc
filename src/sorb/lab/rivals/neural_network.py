"""A network of min-pooled ReLU units, initialised from the leaves of a tree, trained by Adam."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.losses import Loss

__all__ = ["Leaf", "Network", "leaves"]


# The usual settings of Adam.
FIRST_MOMENT, SECOND_MOMENT, EPSILON = 0.9, 0.999, 1e-8
# The bias of a padding unit, which must never be the least. It is finite because some matrix
# products multiply infinities by zeros in lanes that they discard, and report an invalid value.
PADDING_BIAS = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf of a tree: a value, and the cuts on the way to it.

    Attributes
    ----------
    value : the mean outcome, where classes count −1 and +1.
    cuts : column, side (−1 below, +1 above) and threshold of each cut.
    """

    value: float
    cuts: tuple[tuple[int, int, float], ...]


def leaves(tree: Any, min_leaf: int) -> Iterator[Leaf]:
    """Yield the leaves of a fitted tree; a split that leaves a side too few rows is undone."""
    nodes = tree.tree_
    stack: list[tuple[int, tuple[tuple[int, int, float], ...]]] = [(0, ())]
    while stack:
        node, cuts = stack.pop()
        below, above = int(nodes.children_left[node]), int(nodes.children_right[node])
        if below < 0 or min(nodes.n_node_samples[[below, above]]) < min_leaf:
            means = nodes.value[node, 0]
            yield Leaf(float(means[0] if len(means) == 1 else means[1] - means[0]), cuts)
        else:
            column, threshold = int(nodes.feature[node]), float(nodes.threshold[node])
            stack.append((above, (*cuts, (column, 1, threshold))))
            stack.append((below, (*cuts, (column, -1, threshold))))


@dataclass(slots=True)
class Network:
    """The parameters during training, for a table whose last column is 1.

    Attributes
    ----------
    units : array of shape (most units of any rule, rules, columns + 1)
        The weights and the bias of each unit. A rule with fewer units is padded with units of
        bias `PADDING_BIAS`.
    values : array of shape (rules + 1,)
        The values of the rules, and the offset.
    trained_units, trained_values : 1 for the parameters that are trained, 0 for the others.
    """

    units: Float
    values: Float
    trained_units: Float
    trained_values: Float

    @classmethod
    def from_leaves(
        cls, paths: Sequence[Leaf], n_columns: int, offset: float, as_published: bool
    ) -> Network:
        """Make a rule of each leaf that is positive exactly on the rows of the leaf.

        As published, the biases have the wrong sign, the values start at zero, and there is no
        offset.
        """
        paths = [path for path in paths if path.cuts]
        shape = (max((len(path.cuts) for path in paths), default=1), len(paths), n_columns + 1)
        units, trained = np.zeros(shape), np.zeros(shape)
        units[:, :, -1] = PADDING_BIAS
        for k, path in enumerate(paths):
            used = [column for column, _, _ in path.cuts] + [-1]
            for j, (column, side, threshold) in enumerate(path.cuts):
                units[j, k, column] = side
                units[j, k, -1] = side * threshold * (1 if as_published else -1)
                trained[j, k, used] = 1.0
        values = np.array([*(path.value for path in paths), offset])
        trained_values = np.ones(len(values))
        if as_published:
            values[:], trained_values[-1] = 0.0, 0.0
        return cls(units, values, trained, trained_values)

    def forward(self, table: Float) -> tuple[Float, Float, NDArray[np.int16]]:
        """Return the scores, the rectified least unit of each rule, and which unit that is."""
        sums = self.units @ table.T
        least, which = sums[0], np.zeros(sums.shape[1:], dtype=np.int16)
        for j in range(1, len(sums)):
            which[sums[j] < least] = j
            np.minimum(least, sums[j], out=least)
        # The least rectified sum is the rectified least sum.
        active = np.maximum(least, 0.0, out=least)
        return self.values[:-1] @ active + self.values[-1], active, which

    def gradients(self, table: Float, y: Float, loss: Loss) -> tuple[Float, Float]:
        """Return the derivatives of the mean loss by the units and by the values."""
        scores, active, which = self.forward(table)
        slope = loss.gradient(y, scores) / len(y)
        by_values = np.append(active @ slope, slope.sum())
        by_least = np.where(active > 0, slope, 0.0)
        by_units = np.stack(
            [np.where(which == j, by_least, 0.0) @ table for j in range(len(self.units))]
        )
        by_units *= self.values[:-1, None]
        return by_units * self.trained_units, by_values * self.trained_values

    def train(self, table: Float, y: Float, loss: Loss, n_epochs: int, rate: float) -> None:
        """Train by Adam, with all rows in each step."""
        parameters = (self.units, self.values)
        first = [np.zeros_like(p) for p in parameters]
        second = [np.zeros_like(p) for p in parameters]
        for epoch in range(1, n_epochs + 1):
            for p, m, v, g in zip(
                parameters, first, second, self.gradients(table, y, loss), strict=True
            ):
                m += (1 - FIRST_MOMENT) * (g - m)
                v += (1 - SECOND_MOMENT) * (g * g - v)
                unbiased = m / (1 - FIRST_MOMENT**epoch)
                spread = np.sqrt(v / (1 - SECOND_MOMENT**epoch))
                p -= rate * unbiased / (spread + EPSILON)
