"""How a model was changed after it was learned: by hand, and by writing it in fewer digits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sorb.dossier.errors import DossierError
from sorb.editing.changes import ChangeCondition, DropRule, ForbidRule
from sorb.editing.log_file import EditLog, EditLogError, fingerprint
from sorb.rules import Condition, RuleEnsemble

__all__ = ["History", "changes_facts", "simplification_facts"]

SIMPLIFICATION = (
    *("n_rows", "digits_before", "digits_after", "largest_change"),
    *("risk_before", "risk_after", "changed_classes"),
)
# They tell where single rows are.
OF_ROWS = ("effect", "margin", "relative_margin", "changed_rows")


@dataclass(frozen=True, slots=True)
class History:
    """How a model was changed: the log of `sorb edit`, and the certificate of `sorb simplify`."""

    log: Mapping[str, Any] | None = None
    certificate: Mapping[str, Any] | None = None

    def without_rows(self, ensemble: RuleEnsemble) -> History:
        """Leave out what tells of single rows; `ensemble` is the model without its memory."""
        log = self.log and {**_without_rows(self.log), "edited_model": fingerprint(ensemble)}
        return History(log, _without_rows(self.certificate))


def changes_facts(log: Mapping[str, Any] | None, ensemble: RuleEnsemble) -> dict[str, Any] | None:
    """Give the facts `changes` from the log of an edited model; None without a log."""
    if log is None:
        return None
    try:
        found = EditLog.from_json(json.dumps(log))
    except EditLogError as error:
        raise DossierError(f"the log of changes cannot be read: {error}") from error
    known = log.get("edited_model")
    if known != fingerprint(ensemble) if known else not _may_end_in(found, ensemble):
        raise DossierError(
            "the log of changes does not end in this model: give the one that was saved with it"
        )
    made = [
        {"what": str(each), "reason": each.reason, "author": each.author, "time": each.time}
        for each in found.changes
    ]
    return {"original_model": log.get("model"), "reg_lambda": log.get("reg_lambda"), "made": made}


def _may_end_in(log: EditLog, ensemble: RuleEnsemble) -> bool:
    """Whether a model has the votes and conditions of a log that does not name the edited model.

    The page of a report does not: it cannot write numbers as Python does.
    """
    conditions: dict[int, Condition] = {}
    for change in log.changes:
        if isinstance(change, ChangeCondition):
            conditions[change.rule] = change.condition
        elif isinstance(change, (DropRule, ForbidRule)):
            conditions.pop(change.rule, None)
    held = {rule.condition for rule in ensemble}
    return log.offsets_and_votes == ensemble.offsets_and_votes and held.issuperset(
        conditions.values()
    )


def simplification_facts(certificate: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Give the facts `simplification` from a certificate; None without one."""
    if certificate is None:
        return None
    numbers = {name: certificate[name] for name in SIMPLIFICATION}
    rows = certificate["changed_rows"]
    return {**numbers, "changed_rows": None if rows is None else len(rows)}


def _without_rows(document: Any) -> Any:
    if isinstance(document, Mapping):
        return {
            key: None if key in OF_ROWS else _without_rows(value) for key, value in document.items()
        }
    if isinstance(document, (list, tuple)):
        return [_without_rows(part) for part in document]
    return document
