"""How good a model is on each kind of rows, with intervals, beside simple others."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorb._types import Float
from sorb.measures.curve_points import CrossValidation
from sorb.measures.cutoff import Cutoff
from sorb.measures.performance import MODEL, Performance, performance
from sorb.measures.table import format_losses
from sorb.report.bins import bin_ends
from sorb.report.cuts import roundest
from sorb.report.few_rows import rounded_count
from sorb.report.given_rows import GivenRows
from sorb.report.rows import ReportRows
from sorb.rules import RuleEnsemble, notation

__all__ = ["evidence_view"]

N_BINS = 24
TAIL = 0.005
THIS_MODEL = "this model"


def evidence_view(
    model: Any,
    given: GivenRows,
    given_test: GivenRows | None,
    training: ReportRows,
    test: ReportRows | None,
    cutoff: Cutoff | None,
    least: int = 1,
) -> dict[str, Any]:
    """Give the `Evidence` of the page; numbers of rows in bins are multiples of `least`."""
    ensemble: RuleEnsemble = getattr(model, "ensemble_", model)
    is_fit = ensemble is not model
    on_training = _measure(model, given, cutoff, None)
    tables, measured = [], on_training
    if given_test is not None:
        measured = _measure(model, given_test, cutoff, given if is_fit else None)
        tables.append(_table("test", measured))
    if is_fit:
        tables += _validation(model)
    tables.append(_table("training", on_training))
    return {
        "tables": tables,
        "verdict": measured.verdict,
        "residuals": []
        if ensemble.loss.has_classes
        else _residuals(ensemble, training, test, least),
    }


def _measure(
    model: Any, rows: GivenRows, cutoff: Cutoff | None, learned: GivenRows | None
) -> Performance:
    return performance(
        model,
        rows.X,
        rows.y,
        cutoff=None if cutoff is None else cutoff.value,
        training=None if learned is None else learned.learned_from,
        **rows.options,
    )


def _table(kind: str, found: Performance) -> dict[str, Any]:
    head, *lines = found.lines()
    rows = notation.count(found.n_rows, f"{kind} row")
    return {
        "caption": f"On the {rows}",
        "head": ["measure", *(THIS_MODEL if name == MODEL else name for name in head[1:])],
        "lines": lines,
        "notes": [found.models, *found.notes],
    }


def _validation(estimator: Any) -> list[dict[str, Any]]:
    """What cross-validation within the training rows found."""
    found = CrossValidation.of(estimator)
    if found is None:
        return []
    loss, known = estimator.ensemble_.loss, [risk for risk in found.risk if risk is not None]
    chosen, error = found.within(int(estimator.complexity_))
    if not known:
        return []
    values = format_losses([None if r is None else loss.measured(r) for r in (chosen, error)])
    others = format_losses([loss.measured(r) for r in (min(known), known[0])])
    return [
        {
            "caption": "Cross-validated, within the training rows",
            "head": ["measure", "this size", "standard error", "lowest of all sizes", "no rules"],
            "lines": [[loss.measure, *values, *others]],
            "notes": [
                "Each row is predicted by a model that was learned without it: for each part of "
                "the rows, models of all sizes are learned from the others."
            ],
        }
    ]


def _residuals(
    ensemble: RuleEnsemble, training: ReportRows, test: ReportRows | None, least: int
) -> list[dict[str, Any]]:
    """Count the rows by outcome less prediction, in the same bins for all kinds of rows."""
    parts = {"training": training} if test is None else {"training": training, "test": test}
    residuals: dict[str, Float] = {
        split: rows.y - ensemble.loss.mean(ensemble(rows.source)) for split, rows in parts.items()
    }
    every = np.concatenate(list(residuals.values()))
    low, high = np.quantile(every, [TAIL, 1 - TAIL]).tolist()
    if least > 1:  # the ends may be values of single rows
        low, high = roundest(1.05 * low, 1.2 * low), roundest(1.05 * high, 1.2 * high)
    low, high = bin_ends(low, high)
    return [
        {
            "split": split,
            "from": low,
            "to": high,
            # Rounded, so that all rows less the others do not tell those of a bin.
            "counts": [rounded_count(count, least) for count in _counts(values, low, high)],
        }
        for split, values in residuals.items()
    ]


def _counts(values: Float, low: float, high: float) -> list[int]:
    counts, _ = np.histogram(np.clip(values, low, high), N_BINS, (low, high))
    return list(counts.tolist())
