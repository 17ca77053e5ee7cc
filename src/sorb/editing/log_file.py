"""The log of changes as JSON, and the changes that it tells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from sorb.editing.changes import AddRule, Change, ChangeCondition, DropRule, PinVote
from sorb.rules import RuleEnsemble
from sorb.rules.rule_documents import (
    condition_document,
    condition_from_document,
    rule_document,
    rule_from_document,
)

__all__ = [
    "EditLogError",
    "change_document",
    "changes_from_json",
    "fingerprint",
    "log_document",
]

FORMAT, VERSION = "sorb.edit-log", 1


class EditLogError(ValueError):
    """A log of changes cannot be read, or is about another model."""


def fingerprint(ensemble: RuleEnsemble) -> str:
    """Give the SHA-256 of a model's JSON, which is the same for equal models only."""
    return hashlib.sha256(ensemble.to_json(None).encode()).hexdigest()


def log_document(
    original: RuleEnsemble,
    edited: RuleEnsemble,
    reg_lambda: float | None,
    changes: list[dict[str, Any]],
) -> dict[str, Any]:
    """Give the document of a log."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": fingerprint(original),
        "edited_model": fingerprint(edited),
        "reg_lambda": reg_lambda,
        "changes": changes,
    }


def change_document(change: Change) -> dict[str, Any]:
    """Give the document of a change.

    Examples
    --------
    >>> change_document(PinVote(1, 0.5, "agreed on in May"))
    {'change': 'pin', 'rule': 1, 'vote': 0.5, 'reason': 'agreed on in May'}
    """
    document: dict[str, Any]
    match change:
        case DropRule():
            document = {"change": "drop", "rule": change.rule}
        case ChangeCondition():
            condition = condition_document(change.condition)
            document = {"change": "condition", "rule": change.rule, "condition": condition}
        case PinVote():
            document = {"change": "pin", "rule": change.rule, "vote": change.vote}
        case AddRule():
            document = {"change": "add", "rule": rule_document(change.rule)}
    return {**document, "reason": change.reason}


def changes_from_json(text: str, model: RuleEnsemble | None = None) -> tuple[Change, ...]:
    """Read the changes of a log.

    Parameters
    ----------
    text : str
        The log.
    model : RuleEnsemble, optional
        The model that is to be changed. A log that names another one is refused.

    Raises
    ------
    EditLogError
        If it is no log, or one of another model.

    Examples
    --------
    >>> text = '{"changes": [{"change": "drop", "rule": 0}]}'
    >>> changes_from_json(text)
    (DropRule(rule=0, reason=''),)
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise EditLogError(f"the log is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("changes"), list):
        raise EditLogError('a log is an object with a list of "changes"')
    if document.get("format", FORMAT) != FORMAT or document.get("version", VERSION) != VERSION:
        raise EditLogError(
            f'expected the format "{FORMAT}", version {VERSION}, found '
            f"{document.get('format')!r}, version {document.get('version')!r}"
        )
    if model is not None and document.get("model", fingerprint(model)) != fingerprint(model):
        raise EditLogError("the log is of another model, whose JSON has another SHA-256")
    return tuple(_read(change, f"changes[{k}]") for k, change in enumerate(document["changes"]))


_READERS: dict[str, Callable[[Mapping[str, Any], str], Change]] = {
    "drop": lambda d, place: DropRule(d["rule"], d.get("reason", "")),
    "condition": lambda d, place: ChangeCondition(
        d["rule"],
        condition_from_document(d["condition"], f"{place}.condition"),
        d.get("reason", ""),
    ),
    "pin": lambda d, place: PinVote(d["rule"], d["vote"], d.get("reason", "")),
    "add": lambda d, place: AddRule(
        rule_from_document(d["rule"], f"{place}.rule"), d.get("reason", "")
    ),
}


def _read(document: Any, place: str) -> Change:
    kind = document.get("change") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in _READERS:
        known = ", ".join(_READERS)
        raise EditLogError(f'{place}: expected an object whose "change" is one of {known}')
    try:
        return _READERS[kind](document, place)
    except KeyError as error:
        raise EditLogError(f"{place}: {error.args[0]!r} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise EditLogError(f"{place}: {error}") from error
