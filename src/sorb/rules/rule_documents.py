"""From rules, and what they were trained on, to the parts of a JSON document, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sorb.rules import model_format
from sorb.rules.conditions import Condition
from sorb.rules.experience import ColumnExperience, Experience
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition
from sorb.rules.rule import Rule
from sorb.rules.training_record import TrainingRecord

__all__ = [
    "condition_document",
    "condition_from_document",
    "experience_document",
    "experience_from_document",
    "record_document",
    "record_from_document",
    "rule_document",
    "rule_from_document",
]


def rule_document(rule: Rule) -> model_format.RuleDocument:
    """Give the document of a rule."""
    return {
        "weight": rule.vote,
        "output": rule.output,
        "condition": condition_document(rule.condition),
    }


def condition_document(condition: Condition) -> tuple[model_format.PropositionDocument, ...]:
    """Give the document of a condition."""
    return tuple(map(_proposition_document, condition.propositions))


def _proposition_document(proposition: AnyProposition) -> model_format.PropositionDocument:
    missing: dict[str, bool] = {"missing": True} if proposition.missing else {}
    if isinstance(proposition, Proposition):
        return {
            "kind": "linear",
            "columns": proposition.columns,
            "weights": proposition.weights,
            "threshold": proposition.threshold,
            **missing,
        }
    if isinstance(proposition, Product):
        return {
            "kind": "product",
            "columns": proposition.columns,
            "powers": proposition.powers,
            "threshold": proposition.threshold,
            "at_most": proposition.at_most,
            **missing,
        }
    return {
        "kind": "membership",
        "column": proposition.column,
        "categories": proposition.categories,
        "negated": proposition.negated,
        **missing,
    }


def rule_from_document(document: model_format.RuleDocument, place: str) -> Rule:
    """Build a rule from its document, which is at a place in the file."""
    condition = condition_from_document(document["condition"], f"{place}.condition")
    with model_format.errors_at(place):
        return Rule(condition, document["weight"], document["output"])


def condition_from_document(
    document: Sequence[model_format.PropositionDocument], place: str
) -> Condition:
    """Build a condition from its document, which is at a place in the file."""
    propositions = tuple(
        _proposition_from_document(proposition, f"{place}[{j}]")
        for j, proposition in enumerate(document)
    )
    with model_format.errors_at(place):
        return Condition(propositions)


_KINDS: dict[str, type[AnyProposition]] = {
    "linear": Proposition,
    "product": Product,
    "membership": Membership,
}


def _proposition_from_document(
    document: model_format.PropositionDocument, place: str
) -> AnyProposition:
    with model_format.errors_at(place):
        parts = {key: value for key, value in document.items() if key != "kind"}
        return _KINDS[document["kind"]](**parts)


def experience_document(
    experience: Experience,
) -> dict[str, model_format.ColumnExperienceDocument]:
    """Give the document of what columns held in training."""
    return {name: _column_document(seen) for name, seen in experience}


def _column_document(seen: ColumnExperience) -> model_format.ColumnExperienceDocument:
    document: model_format.ColumnExperienceDocument = {"missing": seen.missing}
    if seen.range is not None:
        document["range"] = seen.range
    if seen.categories is not None:
        document["categories"] = seen.categories
    return document


def experience_from_document(
    document: Mapping[str, model_format.ColumnExperienceDocument],
) -> Experience:
    """Build what columns held in training from its document."""
    found = []
    for name, seen in document.items():
        with model_format.errors_at(f"experience.{name}"):
            found.append((name, ColumnExperience(**seen)))
    return tuple(found)


def record_document(record: TrainingRecord) -> model_format.RecordDocument:
    """Give the document of a training record."""
    told = {
        "reg_lambda": record.reg_lambda,
        "target": record.target or None,
        "test_rows": record.test_rows or None,
    }
    return {
        "estimator": record.estimator,
        "settings": dict(record.settings),
        "versions": dict(record.versions),
        "n_rows": record.n_rows,
        **{name: value for name, value in told.items() if value is not None},
    }


def record_from_document(document: model_format.RecordDocument | None) -> TrainingRecord | None:
    """Read the document of a training record; None if there is none."""
    if document is None:
        return None
    with model_format.errors_at("record"):
        return TrainingRecord(**document)
