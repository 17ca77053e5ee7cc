"""Whether the certificate of a simplification is about a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sorb.rules import RuleEnsemble

__all__ = ["certificate_difference"]


def certificate_difference(certificate: Mapping[str, Any], ensemble: RuleEnsemble) -> str | None:
    """Say where the model is not what the certificate says it became; None if it is."""
    for change in certificate["votes"]:
        rule, output = change["rule"], change["output"]
        now = ensemble.offsets[output] if rule is None else ensemble[rule].vote
        if now != change["after"]:
            what = "the offset" if rule is None else f"the vote of rule {rule + 1}"
            return f"{what} became {change['after']!r}, but the model has {now!r}"
    if len(certificate["votes"]) != len(ensemble.offsets_and_votes):
        return "it is of another number of rules"
    units = dict(ensemble.units)
    printed = [
        (k, proposition.format(None, units))
        for k, rule in enumerate(ensemble)
        for proposition in rule.condition.propositions
    ]
    told = [(change["rule"], change["after"]) for change in certificate["propositions"]]
    if len(told) != len(printed):
        return "it is of another number of propositions"
    for (rule, expected), (_, found) in zip(told, printed, strict=True):
        if expected != found:
            return f"a proposition of rule {rule + 1} became {expected}, but the model has {found}"
    return None
