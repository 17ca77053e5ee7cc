"""Everything that the software knows about a model and the rows of a dossier, as one document."""

from __future__ import annotations

import platform
from datetime import datetime, timezone
from typing import Any

from sorb.dossier.change_facts import History, changes_facts, simplification_facts
from sorb.dossier.data_facts import data_facts, limits_facts, oddities_facts
from sorb.dossier.measured_facts import MEASURED, measured_facts
from sorb.dossier.model_facts import covered_shares, model_facts, training_facts
from sorb.dossier.subject import Subject
from sorb.estimators.training_record import library_versions
from sorb.report.few_rows import few_digits
from sorb.resampling import stability

__all__ = ["DESCRIBED", "FORMAT", "VERSION", "described_facts", "make_facts"]

FORMAT, VERSION = "sorb.dossier-facts", 1
# Their digits add up what single rows hold.
SUMMED = ("data", *MEASURED, "stability")
DESCRIBED = ("settings", "model", "training", "data", "oddities", "limits")


def make_facts(
    subject: Subject, title: str, files: dict[str, Any], history: History, learn: Any
) -> dict[str, Any]:
    """Give the facts, all of them plain values that fit in JSON.

    `files` says where model and rows came from, `history` how the model was changed. `learn` is
    the model or estimator that is learned again for the stability; with None, nothing is.
    """
    found = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "written": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "files": files,
        **described_facts(subject),
        **measured_facts(subject),
        "changes": changes_facts(history.log, subject.ensemble),
        "simplification": simplification_facts(history.certificate),
        "stability": None if learn is None else _stability(subject, learn),
        "versions": {
            **library_versions(),
            "Python": platform.python_version(),
            "system": platform.platform(terse=True),
        },
    }
    if not subject.settings.single_rows:
        found |= {name: few_digits(found[name]) for name in SUMMED}
    return found


def described_facts(subject: Subject) -> dict[str, Any]:
    """Give the facts that follow from model and rows, but for how good the model is."""
    return {
        "settings": subject.settings.to_dict(),
        "model": model_facts(subject.ensemble, covered_shares(subject)),
        "training": training_facts(subject.ensemble),
        "data": data_facts(subject),
        "oddities": oddities_facts(subject),
        "limits": limits_facts(subject),
    }


def _stability(subject: Subject, model: Any) -> dict[str, Any]:
    found = stability(model, subject.given.X, subject.given.y, **subject.given.options)
    return {"learned_from": subject.settings.split_name, "words": found.words, **found.to_dict()}
