"""From rules to the parts of a JSON document, and back."""

from __future__ import annotations

from sorb.rules import model_format
from sorb.rules.conditions import Condition
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition
from sorb.rules.rule import Rule

__all__ = ["rule_document", "rule_from_document"]


def rule_document(rule: Rule) -> model_format.RuleDocument:
    """Give the document of a rule."""
    return {
        "weight": rule.vote,
        "output": rule.output,
        "condition": tuple(map(_proposition_document, rule.condition.propositions)),
    }


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
    propositions = tuple(
        _proposition_from_document(proposition, f"{place}.condition[{j}]")
        for j, proposition in enumerate(document["condition"])
    )
    with model_format.errors_at(f"{place}.condition"):
        condition = Condition(propositions)
    with model_format.errors_at(place):
        return Rule(condition, document["weight"], document["output"])


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
