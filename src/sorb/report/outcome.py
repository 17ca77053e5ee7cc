"""What a model predicts, and how a page speaks of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorb.measures.cutoff import Cutoff, choose_cutoff
from sorb.rules import RuleEnsemble, notation
from sorb.rules.prediction import class_labels

__all__ = ["find_cutoff", "outcome_view"]


def find_cutoff(
    baseline: RuleEnsemble,
    share: str,
    cutoff: float | None = None,
    costs: tuple[float, float] | None = None,
) -> Cutoff | None:
    """Choose the cut-off as everywhere: by hand, by costs, or what the baseline expects."""
    offsets = np.array(baseline.offsets)
    row = offsets[None] if baseline.loss.score_per_class else offsets
    return choose_cutoff(baseline, row, cutoff, costs, share)


def outcome_view(
    ensemble: RuleEnsemble, name: str, unit: str | None, cutoff: Cutoff | None
) -> dict[str, Any]:
    """Give the `Outcome` of the page."""
    loss = ensemble.loss
    words = ensemble.outcome_words()
    what, *per = words.split(" per ")  # "expected count per unit of exposure"
    return {
        "name": name,
        "predicted": words if loss.has_classes else " per ".join([f"{what} of {name}", *per]),
        "vote": ensemble.vote_words(),
        "measure": loss.measure,
        "measure_factor": loss.measured(1),
        "unit": unit,
        "cutoff": None if cutoff is None else cutoff.value,
        "cutoff_reason": None if cutoff is None else cutoff.reason,
        "class_names": [notation.label(value) for value in class_labels(ensemble.classes)]
        if loss.has_classes
        else None,
    }
