"""The data of a page: everything that it shows, as one document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sorb.measures.cutoff import Cutoff
from sorb.report.cells import Budget
from sorb.report.columns import column_view
from sorb.report.model_sizes import ModelSizes
from sorb.report.outcome import outcome_view
from sorb.report.rows import ReportRows, fold_numbers
from sorb.report.shown_rows import shown_rows
from sorb.report.sizes import Audience, size_view
from sorb.report.subgroups import SMALL_GROUP, find_subgroups, leave_out_alike
from sorb.tables.column_kinds import tell_kinds

__all__ = ["Subject", "page_data"]

CHOSEN = Budget(entries=4000, cuts=20, subgroup_entries=2500)
OTHERS = Budget(entries=800, cuts=1, subgroup_entries=400)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What a page is about: models, rows, and what they are called.

    Attributes
    ----------
    title : the title of the page.
    name : what is predicted.
    models : the models of all sizes.
    training, test : the rows that votes are fitted to, and others if there are any.
    cutoff : the probability above which rows count as positive.
    """

    title: str
    name: str
    models: ModelSizes
    training: ReportRows
    test: ReportRows | None
    cutoff: Cutoff | None

    def columns_of(self, models: ModelSizes) -> list[tuple[str, bool]]:
        """The columns of all models, and whether they hold categories."""
        parts = [self.training] if self.test is None else [self.training, self.test]
        ensembles = [size.ensemble for size in models.sizes]
        return tell_kinds(models.used_columns, ensembles, [part.source for part in parts])


def page_data(subject: Subject, least: int = 1) -> dict[str, Any]:
    """Give the `PageData` of the page, but for evidence, comparison and record.

    With more than one row as the `least`, there are no rows, and no sums over fewer: not of folds,
    and not of models of other sizes, whose difference could be a single row.
    """
    private = least > 1
    models = subject.models.chosen_alone() if private else subject.models
    ensemble = models.ensemble
    units = dict(ensemble.units)
    columns = subject.columns_of(models)
    measured = subject.training if subject.test is None else subject.test
    subgroups = find_subgroups(
        measured,
        [name for name, categorical in columns if not categorical],
        [name for name, categorical in columns if categorical],
        max(SMALL_GROUP, least),
    )
    if private:
        subgroups = leave_out_alike(subgroups, len(measured), least)
    training = subject.training
    fold = np.zeros(len(training), dtype=np.intp) if private else fold_numbers(training)
    audience = Audience(training, subject.test, fold, subgroups)
    long = not ensemble.loss.has_classes or not (subject.training.weight == 1).all()
    budgets = [budget.halved() if long else budget for budget in (CHOSEN, OTHERS)]
    budgets = [replace(budget, least=least) for budget in budgets]
    views = [
        size_view(size, audience, budgets[place != models.chosen])
        for place, size in enumerate(models.sizes)
    ]
    experience = {name: seen for size in models.sizes for name, seen in size.ensemble.experience}
    return {
        "format": "sorb.report",
        "version": 1,
        "title": subject.title,
        "outcome": outcome_view(ensemble, subject.name, units.get(subject.name), subject.cutoff),
        "columns": [
            column_view(name, subject.training, categorical, units.get(name), experience, least)
            for name, categorical in columns
        ],
        "sizes": [view for view, _ in views],
        "chosen": models.chosen,
        "curve": _curve(models),
        "rows": None
        if private
        else shown_rows(ensemble, columns, training, subject.test, views[models.chosen][1]),
        "n_rows": {
            "training": len(subject.training),
            "test": 0 if subject.test is None else len(subject.test),
        },
        "min_rows": least if private else 0,
    }


def _curve(models: ModelSizes) -> dict[str, Any]:
    places = {size.complexity: place for place, size in enumerate(models.sizes)}
    points = [
        {
            "complexity": point.complexity,
            "n_rules": point.rules,
            "training": point.training_risk,
            "validation": point.cross_validated_risk,
            "validation_error": point.standard_error,
            "test": point.test_risk,
            "size": places.get(point.complexity),
        }
        for point in models.points
    ]
    validated = any(point.cross_validated_risk is not None for point in models.points)
    return {"points": points, "validation": "cross-validated" if validated else None}
