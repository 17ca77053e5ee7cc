"""The rows that a page is about: columns by name, outcomes, weights, and their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from sorb._types import Float, Int
from sorb.measures.stage_risks import (
    has_class_weights,
    is_recalibrated,
    recorded_class_weights,
    training_class_weights,
)
from sorb.report.given_rows import GivenRows
from sorb.rules import RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.rules.labels import Labels
from sorb.tables.row_groups import number_groups
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

__all__ = ["ReportRows", "fold_numbers"]

N_FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class ReportRows:
    """Rows of positive weight with their outcomes.

    Attributes
    ----------
    source : their columns.
    outcomes : their outcomes, and their weights as votes are fitted to them.
    places : their places in the table that was given.
    numbers : the numbers that the user knows them by.
    group : the number of the group of each, if rows belong together.
    class_weights : what the weights of the rows of each class were multiplied by, if they were.
    """

    source: ColumnSource
    outcomes: Outcomes
    places: Int
    numbers: Int
    group: Int | None = None
    class_weights: tuple[float, ...] | None = None

    @classmethod
    def of(
        cls,
        ensemble: RuleEnsemble,
        source: ColumnSource,
        given: GivenRows,
        model: Any = None,
    ) -> ReportRows:
        """Check outcomes and weights, and leave out the rows of weight 0.

        If a model is given, classes are weighed as in its fit, unless it was recalibrated: then its
        offset is one for rows that count as they are.
        """
        weight = row_weights(given.sample_weight, source.n_rows)
        outcomes = Outcomes.of(ensemble, given.y, weight, given.exposure)
        factors = None
        if model is ensemble:
            factors = recorded_class_weights(ensemble, outcomes, lambda e: e(source))
        elif has_class_weights(model) and not is_recalibrated(model):
            factors = training_class_weights(model.class_weight, ensemble, outcomes)
        if factors is not None:
            outcomes = outcomes.weigh_classes(factors)
        group = None if given.groups is None else number_groups(given.groups, source.n_rows)
        numbers = np.arange(source.n_rows) if given.numbers is None else given.numbers
        every = cls(source, outcomes, np.arange(source.n_rows), numbers, group, factors)
        kept = np.flatnonzero(outcomes.weight > 0)
        return every if len(kept) == source.n_rows else every.take(kept)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def y(self) -> Float:
        """The outcomes; for classes their indices."""
        return self.outcomes.y

    @property
    def weight(self) -> Float:
        """The weights."""
        return self.outcomes.weight

    def take(self, kept: Int) -> ReportRows:
        """Some of the rows."""
        source, outcomes = self.source, self.outcomes

        def labels(name: str) -> Labels:
            found = Labels.of(source.labels(name))
            return Labels(found.codes[kept], found.values)

        return ReportRows(
            ColumnSource(lambda name: source.take(name)[kept], labels, len(kept)),
            outcomes.take(kept),
            self.places[kept],
            self.numbers[kept],
            None if self.group is None else self.group[kept],
            self.class_weights,
        )


def fold_numbers(rows: ReportRows, n_folds: int = N_FOLDS) -> Int:
    """The fold of each row: classes are divided evenly, and groups are kept together."""
    fold = np.zeros(len(rows), dtype=np.intp)
    classes = rows.y.astype(np.intp) if rows.outcomes.loss.has_classes else None
    # A class with fewer members than folds cannot be divided evenly.
    even = classes is not None and np.unique(classes, return_counts=True)[1].min() >= n_folds
    units = len(rows) if rows.group is None else len(np.unique(rows.group))
    if units < 2 * n_folds:
        return fold
    shuffled: dict[str, Any] = {"n_splits": n_folds, "shuffle": True, "random_state": 0}
    if rows.group is not None:
        division = StratifiedGroupKFold(**shuffled) if even else GroupKFold(n_folds)
    else:
        division = (StratifiedKFold if even else KFold)(**shuffled)
    for number, (_, held_out) in enumerate(division.split(fold, classes, rows.group)):
        fold[held_out] = number
    return fold
