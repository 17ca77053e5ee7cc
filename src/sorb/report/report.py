"""The report of a fitted estimator or of a saved model."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from sorb.measures.performance import explain_cutoff
from sorb.report.inline import page_html
from sorb.report.model_sizes import ModelSizes
from sorb.report.outcome import find_cutoff
from sorb.report.page_data import Subject, page_data
from sorb.report.rows import ReportRows
from sorb.rules import RuleEnsemble
from sorb.rules.atomic_files import replace_file
from sorb.rules.columns import ColumnSource, column_source

__all__ = ["Report", "report"]


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A page.

    Attributes
    ----------
    data : dict
        What it shows, as it stands in the page.
    """

    data: dict[str, Any]

    @property
    def html(self) -> str:
        """The page."""
        return page_html(self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, replacing an existing one atomically."""
        replace_file(path, self.html.encode())


def report(
    model: Any,
    X: Any,
    y: Any,
    *,
    X_test: Any = None,
    y_test: Any = None,
    sample_weight: Any = None,
    exposure: Any = None,
    groups: Any = None,
    sample_weight_test: Any = None,
    exposure_test: Any = None,
    title: str | None = None,
    target: str | None = None,
) -> Report:
    """Write data."""
    ensemble = _ensemble(model)
    training = ReportRows.of(ensemble, _open(model, X), y, sample_weight, exposure, groups, model)
    test = None
    if X_test is not None:
        test = ReportRows.of(
            ensemble, _open(model, X_test), y_test, sample_weight_test, exposure_test
        )
    is_fit = hasattr(model, "ensemble_")
    models = (ModelSizes.of_fit if is_fit else ModelSizes.of_model)(model, training, test)
    name = target or str(getattr(y, "name", None) or "the outcome")
    share = explain_cutoff(model) if is_fit else "the share of {}"
    subject = Subject(
        title or f"A model of {name}",
        name,
        models,
        training,
        test,
        find_cutoff(models.baseline, share),
    )
    data = page_data(subject)
    return Report(
        {
            **data,
            "evidence": {"tables": [], "verdict": None, "residuals": []},
            "comparison": None,
            "stability": None,
            "scorecard": None,
            "record": [],
            "glossary": [],
            "notes": [],
        }
    )


def _ensemble(model: Any) -> RuleEnsemble:
    found: RuleEnsemble = getattr(model, "ensemble_", model)
    return found


def _open(model: Any, X: Any) -> ColumnSource:
    """Open a table for the models of all sizes."""
    if not hasattr(model, "ensemble_"):
        return column_source(X, model.used_columns, model.columns)
    rules = {rule.condition: rule for stage in model.stages_ for rule in stage.ensemble}
    every = replace(model.ensemble_, rules=tuple(rules.values()))
    source: ColumnSource = model._open(X, every).read()
    return source
