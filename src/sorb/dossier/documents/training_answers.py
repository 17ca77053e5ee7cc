"""Answers about how the model was learned, and what was done to it since."""

from __future__ import annotations

from typing import Any

from sorb.dossier.documents.phrases import bullets, numeral, shown
from sorb.rules import notation

__all__ = ["changes", "class_weights", "constraints", "size", "training"]

SIZES = {
    "near_best": "the smallest model that cross-validation finds about as good as the best",
    "one_se": "the smallest model within one standard error of the one that cross-validation finds "
    "best",
    "best": "the model that cross-validation finds best",
    "None": "the largest one within the limits; no cross-validation chose it",
}
# What bounds the search, and what bounds the model.
LIMITS = ("max_rules", "max_complexity", "max_rule_complexity", "max_seconds", "search_rows")
CONSTRAINTS = {
    "monotonic_cst": "Columns along which the score may only rise (1) or fall (-1)",
    "interaction_cst": "Columns that a rule may use together",
    "column_prices": "Prices of columns",
    "weights": "Coefficients",
    "log_columns": "Columns that are weighed by their logarithms",
    "categorical_features": "Columns that were read as categories",
    "init": "Rules to begin with",
}

Facts = dict[str, Any]


def training(facts: Facts) -> str | None:
    """What the model remembers of how it was learned."""
    record = facts["training"]
    if record is None:
        return None
    settings = ", ".join(f"{shown(k)}={shown(v)}" for k, v in record["settings"].items())
    versions = ", ".join(f"{shown(k)} {shown(v)}" for k, v in record["versions"].items())
    rows = notation.count(record["n_rows"], "training row")
    lines = [
        f"Learned by {shown(record['estimator'])} from {rows}.",
        f"Settings other than the defaults: {settings or 'none'}.",
        f"With {versions}.",
    ]
    if record.get("test_rows"):
        lines.append(f"Test rows: {shown(record['test_rows'])}")
    lines.append("The model file noted this when it was learned, and notes no later changes.")
    return bullets(lines)


def size(facts: Facts) -> str | None:
    """How size and penalty were chosen."""
    record = facts["training"]
    if record is None:
        return None
    settings = record["settings"]
    usual = "one_se" if record["estimator"].endswith("CV") else "near_best"
    chosen = settings.get("selection", usual).strip("'\"")
    limits = [f"{name}={shown(settings[name])}" for name in LIMITS if name in settings]
    lines = [
        f"The size is that of {SIZES.get(chosen, shown(chosen))}.",
        f"Limits that were set: {', '.join(limits) or 'none but the defaults'}.",
    ]
    if record.get("reg_lambda") is not None:
        lines.append(f"The penalty on the squared votes is {numeral(record['reg_lambda'])}.")
    return bullets(lines)


def constraints(facts: Facts) -> str | None:
    """What the model had to obey."""
    record = facts["training"]
    if record is None:
        return None
    found = record["settings"]
    lines = [
        f"{words}: {shown(found[name])} (`{name}`)."
        for name, words in CONSTRAINTS.items()
        if name in found
    ]
    return bullets(lines) or (
        "No directions, groups or prices of columns were set, and no rules to begin with."
    )


def class_weights(facts: Facts) -> str | None:
    """Whether classes were weighted."""
    record = facts["training"]
    if record is None:
        return None
    if facts["model"]["classes"] is None:
        return "The model predicts numbers: there are no classes to weigh."
    weights = record["settings"].get("class_weight")
    if weights is None:
        return "Classes were not weighted in training, beyond weights of rows."
    after = (
        "Afterwards it was recalibrated, so that it expects each class as often as in training."
        if record["settings"].get("recalibrate") == "True"
        else "It was not recalibrated: its probabilities are those of rows with these weights."
    )
    return f"Classes were weighted in training: {shown(weights)}. {after}"


def changes(facts: Facts) -> str | None:
    """What was done to the model after it was learned."""
    lines = [_change(each) for each in (facts["changes"] or {"made": []})["made"]]
    simpler = facts["simplification"]
    if simpler is not None:
        lines.append(_simplification(simpler))
    return bullets(lines) or None


def _simplification(simpler: Facts) -> str:
    count = simpler["changed_rows"]
    rows = notation.count(simpler["n_rows"], "row")
    sides = "" if count is None else f", {count} of {rows} changed sides"
    return (
        f"Written in fewer digits: {simpler['digits_before']} became {simpler['digits_after']}"
        f"{sides}, and no score changed by more than {numeral(simpler['largest_change'])} "
        "(certificate.json)."
    )


def _change(made: dict[str, str]) -> str:
    by = f", by {shown(made['author'])}" if made["author"] else ""
    when = f" on {shown(made['time'])}" if made["time"] else ""
    why = f": {shown(made['reason'])}" if made["reason"] else ""
    return f"By hand{by}{when}, {shown(made['what'])}{why} (changes.json)."
