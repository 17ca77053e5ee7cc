"""How good a model is on the rows of a dossier, and for whom: all that is computed from outcomes.

`sorb verify` computes these facts again from the rows of a bundle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from sorb._types import Float, Int
from sorb.dossier.subject import Subject
from sorb.measures.cutoff import Cutoff, positive_label
from sorb.measures.estimate import estimate_share
from sorb.measures.measures import Measures
from sorb.measures.performance import MODEL, Performance, performance
from sorb.report.subgroups import Subgroup, clearly_worse, find_subgroups, leave_out_alike
from sorb.rules.prediction import class_probabilities

__all__ = ["MEASURED", "measured_facts"]

MEASURED = ("performance", "cutoff", "calibration", "subgroups")
N_GROUPS = 10


def measured_facts(subject: Subject) -> dict[str, Any]:
    """Give the facts `performance`, `cutoff`, `calibration` and `subgroups`."""
    found = _performance(subject)
    expected = _expected(subject)
    return {
        "performance": _table(found),
        "cutoff": _cutoff(subject, found),
        "calibration": _calibration(subject, expected, found.measures[MODEL]),
        "subgroups": _subgroups(subject, expected, found.cutoff),
    }


def _performance(subject: Subject) -> Performance:
    given, settings = subject.given, subject.settings
    return performance(
        subject.ensemble,
        given.X,
        given.y,
        cutoff=settings.cutoff,
        costs=settings.costs,
        **given.options,
    )


def _table(found: Performance) -> dict[str, Any]:
    """The measures, as numbers and as people read them; the cut-off stands by itself."""
    numbers = {name: value for name, value in found.to_dict().items() if name != "cutoff"}
    return {"table": found.lines(), "explanations": found.explanations, **numbers}


def _cutoff(subject: Subject, found: Performance) -> dict[str, Any] | None:
    if found.cutoff is None:
        return None
    return {
        "value": found.cutoff.value,
        "reason": found.cutoff.reason,
        "positive": positive_label(subject.ensemble),
        "words": found.cutoff.explain(found.positive),
    }


def _expected(subject: Subject) -> Float:
    """What the model expects of each row: a number, or (second axis) a probability of each class.

    Of two classes it is the probability of the second one.
    """
    ensemble = subject.ensemble
    scores = ensemble(subject.rows.source)
    if not ensemble.loss.has_classes:
        return ensemble.loss.mean(scores)[:, None]
    probabilities = class_probabilities(ensemble.loss, ensemble.classes, scores)
    return probabilities if probabilities.shape[1] > 2 else probabilities[:, -1:]


def _occurred(subject: Subject, n_outputs: int) -> Float:
    """What happened in each row, as what was expected."""
    y = subject.rows.y
    return y[:, None] if n_outputs == 1 else (y[:, None] == np.arange(n_outputs)).astype(np.float64)


def _calibration(subject: Subject, expected: Float, measures: Measures) -> dict[str, Any]:
    weight, occurred = subject.rows.weight, _occurred(subject, expected.shape[1])
    means = [np.average(values, axis=0, weights=weight) for values in (expected, occurred)]
    names = subject.labels if expected.shape[1] > 1 else subject.labels[-1:] or [subject.target]
    return {
        "error": _finite(measures.calibration_error),
        "in_total": [
            {"of": name, "expected": _finite(one), "observed": _finite(other)}
            for name, one, other in zip(names, *(m.tolist() for m in means), strict=True)
        ],
        "groups": _calibration_groups(subject, expected[:, 0]) if expected.shape[1] == 1 else None,
    }


def _calibration_groups(subject: Subject, expected: Float) -> list[dict[str, Any]]:
    """Compare rows of about the same expectation, in up to ten groups of about equal size."""
    rows, least = subject.rows, subject.settings.min_rows
    edges = np.unique(np.quantile(expected, np.arange(1, N_GROUPS) / N_GROUPS))
    number = np.searchsorted(edges, expected, side="right")
    found = []
    for group in np.unique(number).tolist():
        members = np.flatnonzero(number == group)
        entry: dict[str, Any] = {"rows": None, "expected": None, "observed": None, "interval": None}
        if len(members) >= least:
            weight = rows.weight[members]
            entry["rows"] = len(members)
            entry["expected"] = _finite(float(np.average(expected[members], weights=weight)))
            entry["observed"] = float(np.average(rows.y[members], weights=weight))
            entry["interval"] = _interval(subject, members)
        found.append(entry)
    _hide_more(found, np.unique(number, return_counts=True)[1].tolist(), least)
    return found


def _hide_more(found: list[dict[str, Any]], sizes: list[int], least: int) -> None:
    """Hide more groups if the total would tell of those that are hidden already."""
    hidden = {k for k, entry in enumerate(found) if entry["rows"] is None}
    for k in _untold(sizes, hidden, least) - hidden:
        found[k] = dict.fromkeys(found[k])


def _untold(sizes: Sequence[int], hidden: Set[int], least: int) -> set[int]:
    """Which parts of the rows not to tell of, so that the others and the total tell of no few.

    Examples
    --------
    >>> _untold([30, 20, 1, 2], {2, 3}, 5)
    {1, 2, 3}
    """
    found = set(hidden)
    others = sorted(set(range(len(sizes))) - found, key=lambda k: sizes[k], reverse=True)
    while others and 0 < sum(sizes[k] for k in found) < least:
        found.add(others.pop())
    return found


def _interval(subject: Subject, members: Int) -> list[float] | None:
    """The 95 % interval of the share of the second class; None where numbers are predicted."""
    rows = subject.rows
    if not subject.labels:
        return None
    group = None if rows.group is None else np.unique(rows.group[members], return_inverse=True)[1]
    positive = rows.y[members] == 1
    found = estimate_share(positive, np.ones(len(members), bool), rows.weight[members], group)
    return None if found is None else [found.low, found.high]


def _subgroups(subject: Subject, expected: Float, cutoff: Cutoff | None) -> list[dict[str, Any]]:
    rows, least = subject.rows, subject.settings.min_rows
    columns = subject.dividing_columns
    numbers = [name for name, of_labels in columns if not of_labels]
    categories = [name for name, of_labels in columns if of_labels]
    scores, occurred = subject.ensemble(rows.source), _occurred(subject, expected.shape[1])
    groups = find_subgroups(rows, numbers, categories, least)
    if not subject.settings.single_rows:
        groups = leave_out_alike(groups, len(rows), least)
    parts = _protected(groups, least)
    told = [part for part in parts if not part.suppressed and len(part.rows)]
    worse = dict(zip(told, clearly_worse(told, rows, scores), strict=True))
    found = []
    for part in parts:
        entry: dict[str, Any] = {"column": part.column, "part": part.part}
        if part not in worse:
            if subject.settings.single_rows:  # its name may be a value that few rows have
                found.append({**entry, "suppressed": True, "rows": None})
            continue
        members = part.rows
        group = None if rows.group is None else rows.group[members]
        outcomes = rows.outcomes.take(members)
        measures = Measures.of(subject.ensemble, scores[members], outcomes, cutoff, group)
        means = [
            [_finite(v) for v in np.average(values[members], axis=0, weights=outcomes.weight)]
            for values in (expected, occurred)
        ]
        numbers_of = {"rows": len(members), "expected": means[0], "observed": means[1]}
        judged = {"clearly_worse": worse[part], "measures": measures.to_dict()}
        found.append({**entry, "suppressed": False, **numbers_of, **judged})
    return found


def _protected(groups: tuple[Subgroup, ...], least: int) -> list[Subgroup]:
    """Suppress more groups of a column if all rows would tell of the small ones."""
    found = list(groups)
    for column in dict.fromkeys(group.column for group in groups):
        places = [k for k, group in enumerate(found) if group.column == column]
        sizes = [len(found[k].rows) for k in places]
        small = {j for j, k in enumerate(places) if found[k].suppressed}
        for j in _untold(sizes, small, least):
            found[places[j]] = replace(found[places[j]], suppressed=True)
    return found


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
