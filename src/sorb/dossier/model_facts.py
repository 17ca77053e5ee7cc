"""What is known of a model by itself: its rules in words, its size, where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sorb.dossier.subject import Subject
from sorb.editing.log_file import fingerprint
from sorb.report.few_rows import rounded_share
from sorb.report.words import condition_words
from sorb.rules import RuleEnsemble
from sorb.rules.notation import label
from sorb.rules.prediction import class_labels
from sorb.rules.rule_documents import record_document

__all__ = ["covered_shares", "model_facts", "training_facts"]


def model_facts(ensemble: RuleEnsemble, shares: Sequence[float | None]) -> dict[str, Any]:
    """Give the facts `model`; `shares` are those of the rows that each rule covers."""
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
        "rules": _rules(ensemble, shares),
        "text": ensemble.describe(),
    }


def training_facts(ensemble: RuleEnsemble) -> dict[str, Any] | None:
    """Give the facts `training`: what the model remembers of it, None if nothing."""
    return None if ensemble.record is None else record_document(ensemble.record)


def covered_shares(subject: Subject) -> list[float | None]:
    """The share of the rows that each rule covers; None if it would tell of a few of them."""
    rows = subject.rows
    covered = subject.ensemble.covers(rows.source)
    counts, total = covered.sum(axis=0).tolist(), float(rows.weight.sum())
    shares = (rows.weight @ covered / total).tolist()
    return [
        _share(share, count, len(rows), subject.settings.least)
        for share, count in zip(shares, counts, strict=True)
    ]


def _rules(ensemble: RuleEnsemble, shares: Sequence[float | None]) -> list[dict[str, Any]]:
    digits, units = ensemble.shown_digits(), dict(ensemble.units)
    printed = ensemble.lines(digits)[len(ensemble.offsets) :]
    texts = ["".join(token.text for token in line.condition) for line in printed]
    classes = class_labels(ensemble.classes) if ensemble.loss.score_per_class else None
    return [
        {
            "vote": rule.vote,
            "class": None if classes is None else label(classes[rule.output]),
            "if": text,
            "words": condition_words(rule.condition, digits, units),
            "share_of_rows": share,
        }
        for rule, text, share in zip(ensemble, texts, shares, strict=True)
    ]


def _share(share: float, count: int, n_rows: int, least: int) -> float | None:
    """The share of the rows that a rule covers; None if it would tell of a few of them."""
    if least == 1:
        return float(np.round(share, 6))
    if min(part for part in (count, n_rows - count, n_rows) if part) < least:
        return None
    return rounded_share(count, n_rows, least)
