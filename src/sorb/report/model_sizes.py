"""The models of a page: those of the curve of a fit, or one that was saved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sorb.editing.vote_refit import FittingRows
from sorb.measures.curve_points import CurvePoint, draw_points
from sorb.measures.performance import without_rules
from sorb.measures.stage_risks import weigh_classes
from sorb.report.rows import ReportRows
from sorb.report.sizes import SizedModel
from sorb.rules import RuleEnsemble

__all__ = ["ModelSizes"]

MOST_SIZES = 12


@dataclass(frozen=True, slots=True, eq=False)
class ModelSizes:
    """Models of growing complexity, one of them chosen, and the risks of more.

    Attributes
    ----------
    sizes : the models on the page.
    chosen : the place of the one that is chosen.
    points : the risks of all sizes.
    baseline : the model without rules.
    """

    sizes: tuple[SizedModel, ...]
    chosen: int
    points: tuple[CurvePoint, ...]
    baseline: RuleEnsemble

    @classmethod
    def of_fit(cls, estimator: Any, rows: ReportRows, test: ReportRows | None) -> ModelSizes:
        """Take up to twelve of the stages of an estimator."""
        known = {stage.complexity: stage for stage in estimator.stages_}
        chosen = list(known).index(estimator.complexity_)
        places = _some_places(len(known), chosen)
        stages = [list(known.values())[place] for place in places]
        sizes = tuple(
            SizedModel(
                estimator.ensemble_
                if stage.complexity == estimator.complexity_
                else stage.ensemble,
                int(stage.complexity),
                float(stage.reg_lambda),
            )
            for stage in stages
        )
        points = draw_points(estimator, None if test is None else partial(_risk, estimator, test))
        first = estimator.stages_[0].ensemble
        baseline = without_rules(first, rows.outcomes) if len(first) else first
        return cls(sizes, places.index(chosen), points, baseline)

    @classmethod
    def of_model(
        cls, ensemble: RuleEnsemble, rows: ReportRows, test: ReportRows | None
    ) -> ModelSizes:
        """Take a model beside the one without rules."""
        fitting = FittingRows(rows.source, np.arange(len(rows)), rows.outcomes, {})
        baseline = without_rules(ensemble, rows.outcomes)
        tested = None if test is None else test.outcomes
        if tested is not None and rows.class_weights is not None:
            tested = tested.weigh_classes(rows.class_weights)
        sizes = [SizedModel(ensemble, ensemble.complexity, fitting.penalty(ensemble, None))]
        if len(ensemble):
            sizes.insert(0, SizedModel(baseline, 0, sizes[0].reg_lambda))
        points = tuple(
            CurvePoint(
                len(size.ensemble),
                size.complexity,
                rows.outcomes.risk(size.ensemble(rows.source)),
                None,
                None,
                None if test is None or tested is None else tested.risk(size.ensemble(test.source)),
            )
            for size in sizes
        )
        return cls(tuple(sizes), len(sizes) - 1, points, baseline)

    def chosen_alone(self) -> ModelSizes:
        """The chosen model, and no model beside it."""
        return replace(self, sizes=(self.sizes[self.chosen],), chosen=0)

    @property
    def ensemble(self) -> RuleEnsemble:
        """The model that is chosen."""
        return self.sizes[self.chosen].ensemble

    @property
    def used_columns(self) -> list[str]:
        """The columns of all models, those of the chosen one by use first."""
        uses = Counter(name for rule in self.ensemble for name in rule.condition.columns)
        first = (name for name, _ in uses.most_common())
        others = (name for size in self.sizes for name in size.ensemble.used_columns)
        return list(dict.fromkeys([*first, *others]))


def _risk(estimator: Any, test: ReportRows, ensemble: RuleEnsemble) -> float:
    """The mean loss on test rows, weighed as that on training rows is."""
    return weigh_classes(test.outcomes, ensemble, estimator).risk(ensemble(test.source))


def _some_places(count: int, chosen: int) -> list[int]:
    """The chosen place, its neighbours, the ends, and others evenly between them.

    Examples
    --------
    >>> _some_places(40, 7)
    [0, 3, 6, 7, 8, 15, 19, 23, 27, 31, 35, 39]
    """
    wanted = {chosen, max(0, chosen - 1), min(count - 1, chosen + 1), 0, count - 1}
    even = np.linspace(0, count - 1, max(count, 2)).round().astype(int)
    while len(wanted) < min(count, MOST_SIZES):
        distance = np.min([np.abs(even - place) for place in wanted], axis=0)
        wanted.add(int(even[distance.argmax()]))
    return sorted(wanted)
