"""Answers about the model itself: what it says, how, and where it came from."""

from __future__ import annotations

from typing import Any

from sorb.dossier.documents.phrases import bullets, label, named, percent, shown
from sorb.rules import notation

__all__ = [
    "bundle",
    "exports",
    "identity",
    "logic",
    "predicts",
    "rules",
    "stability",
    "versions",
]

Facts = dict[str, Any]


def predicts(facts: Facts) -> str:
    """What the model predicts."""
    model = facts["model"]
    target, words = named(facts["data"]["target"]), shown(model["predicts"])
    if model["classes"] is not None and len(model["classes"]) > 2:
        words += " of each class"
    told = f"The model predicts the {words}; the outcome is the column {target}."
    if model["classes"] is not None:
        classes = ", ".join(map(label, model["classes"]))
        told += f" The classes are {classes}."
    if model["per_exposure"]:
        told += " It is a rate, for one unit of an exposure."
    return f"{told} It was fitted with the loss {shown(model['loss'])}."


def logic(facts: Facts) -> str:
    """How the model computes."""
    model = facts["model"]
    size = f"{notation.count(model['n_rules'], 'rule')}, complexity {model['complexity']}"
    used = ", ".join(map(named, model["columns_used"])) or "none"
    return (
        f"The model is a sum of votes ({size}): it starts with an offset and adds the vote of each "
        f"if-then rule that is true of a row. The sum is the {shown(model['score'])}. Nothing else "
        "enters, so each prediction can be computed by hand, and what each rule added can be "
        f"read off. Complexity counts rules, conditions and coefficients. Of "
        f"{notation.count(len(model['columns']), 'column')} it uses {len(model['columns_used'])}: "
        f"{used}."
    )


def rules(facts: Facts) -> str:
    """All rules."""
    model = facts["model"]
    classes = [""]
    if len(model["offsets"]) > 1:
        classes = [f" for {label(each)}" for each in model["classes"]]
    starts = ", ".join(
        f"{notation.signed(value, 4)}{each}"
        for value, each in zip(model["offsets"], classes, strict=True)
    )
    lines = [f"Start with {starts}."]
    for number, rule in enumerate(model["rules"], start=1):
        whose = "" if rule["class"] is None else f" for {shown(rule['class'])}"
        share = rule["share_of_rows"]
        covered = "" if share is None else f" (true of {percent(share)} of the rows)"
        vote = notation.signed(rule["vote"], 4)
        lines.append(f"Rule {number} adds {vote}{whose} if {shown(rule['if'])}{covered}.")
    return f"{bullets(lines)}\n\nmodel.json holds them with all digits."


def identity(facts: Facts) -> str:
    """What the model is called, and what identifies it."""
    file = facts["files"]["model"]
    came = "" if file is None else f" It was read from {shown(file['name'])}."
    return (
        f"It is called {shown(facts['title'])}, in the file model.json.{came} The SHA-256 of its "
        f"rules is {facts['model']['sha256']}."
    )


def versions(facts: Facts) -> str:
    """With what the dossier was computed."""
    found = ", ".join(f"{shown(name)} {shown(text)}" for name, text in facts["versions"].items())
    return f"The facts were computed with {found}, on {facts['written']} (UTC)."


def bundle(facts: Facts) -> str:
    """What is in the folder, and how to check it."""
    held = facts["bundle"]["rows"]
    rows = (
        "the rows (rows.csv) and what the model says of them (predictions.csv)"
        if held is not None
        else "but no rows"
    )
    return (
        f"The folder holds the model (model.json), {rows}. `sorb verify FOLDER` compares all files "
        "with manifest.json, predicts the rows again, runs the exports that can be run, and "
        "computes the measures again."
    )


def exports(facts: Facts) -> str | None:
    """In which forms the model is there."""
    found = facts["bundle"]["exports"]
    if not found:
        return None
    files = ", ".join(f"{name} ({file})" for name, file in found.items())
    return (
        f"The model is a file of text (model.json) that sorb reads; the same model in other "
        f"languages, without sorb: {files}. It needs no special hardware."
    )


def stability(facts: Facts) -> str | None:
    """How often the rules are found again."""
    found = facts["stability"]
    if found is None:
        return None
    head = (
        f"Learned again from {found['n_resamples']} resamples of {found['n_rows']} rows. "
        f"{shown(found['words'])}"
    )
    lines = [
        f"Rule {number} was found again in {percent(rule['found'])} of them, with the same columns "
        f"in {percent(rule['same_columns'])}."
        for number, rule in enumerate(found["rules"], start=1)
    ]
    return f"{head}\n\n{bullets(lines)}" if lines else head
