"""What is known of a model by itself: its rules in words, its size, where it came from."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorb.dossier.subject import Subject
from sorb.editing.log_file import fingerprint
from sorb.report.words import condition_words

__all__ = ["model_facts"]


def model_facts(subject: Subject) -> dict[str, Any]:
    """Give the facts `model`."""
    ensemble = subject.ensemble
    return {
        "sha256": fingerprint(ensemble),
        "predicts": ensemble.outcome_words(),
        "score": ensemble.score_words(),
        "loss": str(ensemble.loss),
        "measure": ensemble.loss.measure,
        "classes": None if ensemble.classes is None else list(ensemble.classes),
        "per_exposure": ensemble.per_exposure,
        "columns": list(ensemble.columns),
        "columns_used": list(ensemble.used_columns),
        "units": dict(ensemble.units),
        "n_rules": len(ensemble),
        "complexity": ensemble.complexity,
        "offsets": list(ensemble.offsets),
        "rules": _rules(subject),
        "text": ensemble.describe(),
    }


def _rules(subject: Subject) -> list[dict[str, Any]]:
    ensemble, rows = subject.ensemble, subject.rows
    digits, units = ensemble.shown_digits(), dict(ensemble.units)
    covered = ensemble.covers(rows.source)
    counts, total = covered.sum(axis=0).tolist(), float(rows.weight.sum())
    shares = (rows.weight @ covered / total).tolist()
    printed = ensemble.lines(digits)[len(ensemble.offsets) :]
    texts = ["".join(token.text for token in line.condition) for line in printed]
    classes = subject.labels
    return [
        {
            "vote": rule.vote,
            "class": classes[rule.output] if ensemble.loss.score_per_class else None,
            "if": text,
            "words": condition_words(rule.condition, digits, units),
            "share_of_rows": _share(share, count, len(rows), subject.settings.least),
        }
        for rule, text, count, share in zip(ensemble, texts, counts, shares, strict=True)
    ]


def _share(share: float, count: int, n_rows: int, least: int) -> float | None:
    """The share of the rows that a rule covers; None if it would tell of a few of them."""
    few = min(part for part in (count, n_rows - count, n_rows) if part or part == n_rows)
    return None if few < least else float(np.round(share, 6))
