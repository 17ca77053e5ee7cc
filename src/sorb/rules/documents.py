"""Rules as they stand in a file, and back."""

from __future__ import annotations

from sorb.rules import files
from sorb.rules.conditions import Condition
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition
from sorb.rules.rule import Rule

__all__ = ["read_rule", "rule_document"]


def rule_document(rule: Rule) -> files.RuleDocument:
    """Write a rule as it stands in a file."""
    return {
        "weight": rule.vote,
        "output": rule.output,
        "condition": tuple(map(_document, rule.condition.propositions)),
    }


def _document(proposition: AnyProposition) -> files.PropositionDocument:
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


def read_rule(document: files.RuleDocument, place: str) -> Rule:
    """Make the rule that stands at a place of a file."""
    propositions = tuple(
        _read(proposition, f"{place}.condition[{j}]")
        for j, proposition in enumerate(document["condition"])
    )
    with files.at(f"{place}.condition"):
        condition = Condition(propositions)
    with files.at(place):
        return Rule(condition, document["weight"], document["output"])


_KINDS: dict[str, type[AnyProposition]] = {
    "linear": Proposition,
    "product": Product,
    "membership": Membership,
}


def _read(document: files.PropositionDocument, place: str) -> AnyProposition:
    with files.at(place):
        parts = {key: value for key, value in document.items() if key != "kind"}
        return _KINDS[document["kind"]](**parts)
