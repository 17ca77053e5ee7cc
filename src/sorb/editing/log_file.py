"""The log of changes as JSON: who changed what, when and why, and the votes that came of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sorb.editing.changes import (
    AddRule,
    Change,
    ChangeCondition,
    DropRule,
    ForbidRule,
    PinVote,
    Signed,
)
from sorb.rules import RuleEnsemble
from sorb.rules.field_checks import check_number
from sorb.rules.rule_documents import (
    condition_document,
    condition_from_document,
    rule_document,
    rule_from_document,
)

__all__ = ["EditLog", "EditLogError", "change_document", "fingerprint", "log_document"]

FORMAT, VERSION = "sorb.edit-log", 1


class EditLogError(ValueError):
    """A log of changes cannot be read, is about another model, or does not agree with the rows."""


@dataclass(frozen=True, slots=True)
class EditLog:
    """Changes that were made before, and what came of them.

    Attributes
    ----------
    changes : tuple of Change
        The changes, in their order.
    reg_lambda : float or None
        The penalty of the refit; None if the log does not say, or no votes were fitted.
    offsets_and_votes : tuple of float, or None
        Those of the edited model: the offset of each output, then the vote of each rule. None if
        the log does not say.
    class_weights : tuple of float, or None
        What the weights of the rows of each class were multiplied by, as in training; None if they
        counted as they are.
    """

    changes: tuple[Change, ...]
    reg_lambda: float | None = None
    offsets_and_votes: tuple[float, ...] | None = None
    class_weights: tuple[float, ...] | None = None

    @classmethod
    def from_json(cls, text: str, model: RuleEnsemble | None = None) -> EditLog:
        """Read a log, written by `Edited.to_json`, by the page of a report, or by hand.

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
        >>> text = '{"changes": [{"change": "drop", "rule": 0, "author": "C. Ode"}]}'
        >>> EditLog.from_json(text).changes
        (DropRule(reason='', author='C. Ode', time='', rule=0),)
        """
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
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
        changes = (_change(d, f"changes[{k}]") for k, d in enumerate(document["changes"]))
        return cls(
            tuple(changes),
            _penalty(document),
            _offsets_and_votes(document),
            _class_weights(document),
        )


def log_document(
    original: RuleEnsemble,
    edited: RuleEnsemble,
    reg_lambda: float | None,
    class_weights: tuple[float, ...] | None,
    changes: list[dict[str, Any]],
) -> dict[str, Any]:
    """Give the document of a log."""
    offset = edited.offset
    weighted = {} if class_weights is None else {"class_weights": list(class_weights)}
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": fingerprint(original),
        "edited_model": fingerprint(edited),
        "reg_lambda": reg_lambda,
        **weighted,
        "offset": list(offset) if isinstance(offset, tuple) else offset,
        "votes": [rule.vote for rule in edited],
        "changes": changes,
    }


def fingerprint(ensemble: RuleEnsemble) -> str:
    """Give the SHA-256 of a model's JSON without its record: the same for equal models only."""
    return hashlib.sha256(replace(ensemble, record=None).to_json(None).encode()).hexdigest()


def change_document(change: Change) -> dict[str, Any]:
    """Give the document of a change.

    Examples
    --------
    >>> change_document(PinVote(1, 0.5, reason="agreed on in May"))
    {'change': 'pin', 'rule': 1, 'vote': 0.5, 'reason': 'agreed on in May'}
    """
    document: dict[str, Any]
    match change:
        case DropRule():
            document = {"change": "drop", "rule": change.rule}
        case ForbidRule():
            document = {"change": "forbid", "rule": change.rule}
        case ChangeCondition():
            condition = condition_document(change.condition)
            document = {"change": "condition", "rule": change.rule, "condition": condition}
        case PinVote():
            document = {"change": "pin", "rule": change.rule, "vote": change.vote}
        case AddRule():
            document = {"change": "add", "rule": rule_document(change.rule)}
    signature = {field.name: getattr(change, field.name) for field in fields(Signed)}
    return document | {name: text for name, text in signature.items() if text}


_READERS: dict[str, Callable[[Mapping[str, Any], str, dict[str, Any]], Change]] = {
    "drop": lambda d, place, signature: DropRule(d["rule"], **signature),
    "forbid": lambda d, place, signature: ForbidRule(d["rule"], **signature),
    "condition": lambda d, place, signature: ChangeCondition(
        d["rule"], condition_from_document(d["condition"], f"{place}.condition"), **signature
    ),
    "pin": lambda d, place, signature: PinVote(d["rule"], d["vote"], **signature),
    "add": lambda d, place, signature: AddRule(
        rule_from_document(d["rule"], f"{place}.rule"), **signature
    ),
}


def _change(document: Any, place: str) -> Change:
    kind = document.get("change") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in _READERS:
        known = ", ".join(_READERS)
        raise EditLogError(f'{place}: expected an object whose "change" is one of {known}')
    signature = {f.name: document[f.name] for f in fields(Signed) if f.name in document}
    try:
        return _READERS[kind](document, place, signature)
    except KeyError as error:
        raise EditLogError(f"{place}: {error.args[0]!r} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise EditLogError(f"{place}: {error}") from error


def _penalty(document: Mapping[str, Any]) -> float | None:
    found = document.get("reg_lambda")
    return None if found is None else _number(found, "reg_lambda")


def _class_weights(document: Mapping[str, Any]) -> tuple[float, ...] | None:
    found = document.get("class_weights")
    if found is None:
        return None
    if not isinstance(found, list):
        raise EditLogError(f'"class_weights" must be a list of numbers, found {found!r}')
    weights = tuple(_number(value, f"class_weights[{k}]") for k, value in enumerate(found))
    if not all(weight > 0 for weight in weights):
        raise EditLogError(f'"class_weights" must be positive, found {found}')
    return weights


def _offsets_and_votes(document: Mapping[str, Any]) -> tuple[float, ...] | None:
    if ("offset" in document) != ("votes" in document):
        raise EditLogError('"offset" and "votes" belong together: a log has both, or none')
    if "votes" not in document:
        return None
    offset, votes = document["offset"], document["votes"]
    if not isinstance(votes, list):
        raise EditLogError(f'"votes" must be a list of numbers, found {votes!r}')
    offsets = offset if isinstance(offset, list) else [offset]
    return (
        *(_number(value, "offset") for value in offsets),
        *(_number(value, f"votes[{k}]") for k, value in enumerate(votes)),
    )


def _number(value: Any, what: str) -> float:
    try:
        return check_number(value, what)
    except (TypeError, ValueError) as error:
        raise EditLogError(str(error)) from error
