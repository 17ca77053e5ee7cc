"""The rules that someone gives a fit to begin with, checked against its table."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

from sorb.rules import Membership, Rule, RuleEnsemble
from sorb.rules.prediction import class_labels
from sorb.tables.quoting import quote_some
from sorb.tables.training import TrainingData

__all__ = ["given_rules"]


def given_rules(init: RuleEnsemble, data: TrainingData) -> tuple[Rule, ...]:
    """Give the rules of a model as rules about a table, or say why they cannot be.

    Their votes do not matter, as they are fitted.
    """
    _require_columns(init, data)
    if data.per_exposure != init.per_exposure:
        raise ValueError("init predicts rates if exposure is passed, and only then")
    rules = _with_outputs(init, data)
    for number, rule in enumerate(rules, 1):
        columns, constraints = rule.condition.columns, data.constraints
        allowed = constraints.allows(columns) and isfinite(constraints.price(columns))
        if not allowed or constraints.vote_range(rule.condition) is None:
            raise ValueError(
                f"rule {number} of init, {rule.condition}, is ruled out by the constraints"
            )
    return rules


def _require_columns(init: RuleEnsemble, data: TrainingData) -> None:
    missing = [name for name in init.used_columns if name not in data.columns]
    if missing:
        raise ValueError(
            f"init has rules about {quote_some(missing)}, which the table lacks; it has "
            f"{quote_some(data.columns)}"
        )
    for rule in init:
        for proposition in rule.condition.propositions:
            of_categories = isinstance(proposition, Membership)
            if isinstance(proposition, Membership) and not proposition.categories:
                continue  # any column may be asked whether it is missing
            for name in proposition.columns:
                if of_categories != (name in data.schema.labels):
                    wanted, found = ("categories", "numbers")[:: 1 if of_categories else -1]
                    raise ValueError(
                        f"init has the rule {rule.condition}, but column {name!r} holds {found}, "
                        f"not {wanted}"
                    )


def _with_outputs(init: RuleEnsemble, data: TrainingData) -> tuple[Rule, ...]:
    """The rules, with the outputs that their classes have in the table."""
    if data.classes is None:
        if init.loss != data.loss:
            raise ValueError(f"init has the loss {init.loss}, but the fit has {data.loss}")
        return init.rules
    classes = data.classes.tolist()
    labels = class_labels(init.classes) if init.loss.has_classes else ()
    if not init.loss.has_classes or set(labels) != set(classes):
        raise ValueError(
            f"init predicts {quote_some(labels) if labels else 'numbers'}, but y holds the classes "
            f"{quote_some(classes)}"
        )
    if not data.loss.score_per_class:
        return init.rules
    place = {label: k for k, label in enumerate(classes)}
    return tuple(replace(rule, output=place[labels[rule.output]]) for rule in init)
