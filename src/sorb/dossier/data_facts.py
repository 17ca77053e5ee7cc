"""What the rows of a dossier hold: columns, outcomes, what identifies them, what looks odd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.checks.check_table import check_columns
from sorb.checks.checked_table import Column
from sorb.checks.read_table import label_column, number_column
from sorb.dossier.subject import SPLITS, Subject
from sorb.report.columns import column_view, plain_label
from sorb.report.record import data_fingerprint
from sorb.report.rows import ReportRows
from sorb.rules import notation
from sorb.rules.labels import Labels
from sorb.rules.outside_training import find_outside_training

__all__ = ["data_facts", "limits_facts", "oddities_facts"]

TOLD = ("name", "unit", "kind", "typical", "range", "categories", "missing_share")
QUARTILES = (0.25, 0.5, 0.75)


def data_facts(subject: Subject) -> dict[str, Any]:
    """Give the facts `data`; small counts and values of single rows only where they may be told."""
    rows, settings = subject.rows, subject.settings
    return {
        "split": settings.split_name,
        "split_words": SPLITS[settings.split_name],
        "rows": len(rows),
        "total_weight": float(rows.weight.sum()),
        "groups": None if rows.group is None else len(np.unique(rows.group)),
        "target": subject.target,
        "outcomes": _outcomes(subject),
        "columns": [_column(subject, name, of_labels) for name, of_labels in subject.columns],
        "sha256_of_contents": data_fingerprint(rows, subject.dividing_columns),
    }


def _column(subject: Subject, name: str, categorical: bool) -> dict[str, Any]:
    ensemble, least = subject.ensemble, subject.settings.least
    unit, seen = dict(ensemble.units).get(name), dict(ensemble.experience)
    found = column_view(name, subject.rows, categorical, unit, seen, least)
    return {key: found[key] for key in TOLD if key in found}


def _outcomes(subject: Subject) -> dict[str, Any]:
    rows, least = subject.rows, subject.settings.least
    if not subject.labels:
        return {"classes": None, **_summary(rows.y, rows.weight, least)}
    y = rows.y.astype(np.intp) - (len(subject.labels) == 1)
    counts = np.bincount(y, minlength=len(subject.labels)).tolist()
    shares = (np.bincount(y, rows.weight, len(subject.labels)) / rows.weight.sum()).tolist()
    hidden = any(0 < count < least for count in counts)
    return {
        "classes": [
            {
                "label": label,
                # The others would tell how many rows one has that is left out.
                "rows": None if hidden else count,
                "share": None if hidden else share,
            }
            for label, count, share in zip(subject.labels, counts, shares, strict=True)
        ]
    }


def _summary(y: Float, weight: Float, least: int) -> dict[str, Any]:
    mean = float(np.average(y, weights=weight))
    spread = float(np.sqrt(np.average((y - mean) ** 2, weights=weight)))
    found: dict[str, Any] = {"mean": mean, "standard_deviation": spread}
    if least == 1:  # others are values of single rows
        found["quartiles"] = np.quantile(y, QUARTILES).tolist()
        found["range"] = [float(y.min()), float(y.max())]
    return found


def oddities_facts(subject: Subject) -> dict[str, Any] | None:
    """Give the facts `oddities`: what looks odd about the rows, in the columns that rules use.

    It is None if they use none.
    """
    rows = subject.rows
    columns = [_checked_column(rows, *column) for column in subject.columns]
    if not columns:
        return None
    task = "classification" if subject.ensemble.loss.has_classes else "regression"
    given = (subject.given_y, subject.given_weight, subject.given_exposure)
    found = check_columns(columns, *given, task, rows.numbers).to_dict()
    for finding in found["findings"]:
        finding["classes"] = [plain_label(value) for value in finding["classes"]]
        if not subject.settings.single_rows:  # the words may tell values that few rows have
            finding |= {"what": f"{finding['kind']} in {_listed(finding['columns'])}"}
            finding |= {"rows": [], "classes": []}
    return found


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(map(notation.name, columns)) or "the rows"


def _checked_column(rows: ReportRows, name: str, categorical: bool) -> Column:
    if not categorical:
        return number_column(name, rows.source.take(name))
    plain = [None if value is None else plain_label(value) for value in rows.source.labels(name)]
    return label_column(name, Labels.of(plain), is_declared=True)


def limits_facts(subject: Subject) -> dict[str, Any]:
    """Give the facts `limits`: rows without experience, and what the model cannot know."""
    ensemble, least = subject.ensemble, subject.settings.least
    source = subject.rows.source
    used, weighed = ensemble.used_columns, ensemble.weighed_columns
    found = find_outside_training(source, used, weighed, dict(ensemble.experience))
    values = [
        {
            "column": each.column,
            "kind": each.kind,
            "rows": each.count,
            "in_training": each.range and list(each.range),
        }
        for each in found.values
        if each.count >= least
    ]
    count = int(np.count_nonzero(found.rows))
    return {
        "rows_without_experience": count if not 0 < count < least else None,
        "outside_training": values,
        "columns_without_memory": list(found.unknown),
        "known_in_training": {
            name: {
                "range": seen.range and list(seen.range),
                "categories": seen.categories and list(seen.categories),
                "missing": seen.missing,
            }
            for name, seen in ensemble.experience
        },
        "cannot_know": [
            f"The model knows {notation.count(len(used), 'column')} of a row and nothing else.",
            f"Its rules describe which rows had which {subject.target} in its training; they do "
            "not say what causes it, nor what would follow if a value were changed.",
            "It does not notice by itself when the rows that it is asked about become unlike those "
            "of its training in other ways than by values that it has never seen.",
        ],
    }
