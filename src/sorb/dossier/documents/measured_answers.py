"""Answers about how good the model is, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sorb.dossier.documents.phrases import bullets, named, numeral, percent, shown, table
from sorb.rules.notation import count

__all__ = ["calibration", "cutoff", "measures", "performance", "subgroups", "verdict"]

Facts = dict[str, Any]


def performance(facts: Facts) -> str:
    """The measures with their intervals."""
    head, *lines = facts["performance"]["table"]
    names = ["measure", "this model", *head[2:]]
    written = table([shown(n) for n in names], [[shown(cell) for cell in line] for line in lines])
    return f"{facts['data']['split_words']}\n\n{written}"


def verdict(facts: Facts) -> str:
    """Whether the model is better than none."""
    found = facts["performance"]["verdict"]
    if found is not None:
        return shown(found)
    return "The model is better than saying the same of all rows, by more than chance explains."


def measures(facts: Facts) -> str:
    """What the measures mean."""
    notes = [shown(note) for note in facts["performance"]["explanations"]]
    notes.append("Intervals are of 95 %.")
    return bullets(notes)


def cutoff(facts: Facts) -> str | None:
    """From which probability on a row counts as positive."""
    found = facts["cutoff"]
    if found is None:
        return None
    return (
        f"A row counts as {shown(found['positive'])} above a probability of "
        f"{numeral(100 * found['value'], 3)} %: {shown(found['reason'])}."
    )


def calibration(facts: Facts) -> str:
    """What was expected, and what happened."""
    found, shares = facts["calibration"], facts["model"]["classes"] is not None
    write = percent if shares else numeral
    totals = [
        f"Of {shown(part['of'])}: expected {write(part['expected'])}, observed "
        f"{write(part['observed'])}."
        for part in found["in_total"]
    ]
    text = f"The mean calibration error is {write(found['error'])}.\n\n{bullets(totals)}"
    groups = [group for group in found["groups"] or [] if group["rows"] is not None]
    if not groups:
        return text
    lines = [
        [
            str(group["rows"]),
            write(group["expected"]),
            write(group["observed"]),
            "" if group["interval"] is None else " to ".join(map(write, group["interval"])),
        ]
        for group in groups
    ]
    return f"{text}\n\n{table(['rows', 'expected', 'observed', '95 % interval'], lines)}"


def subgroups(facts: Facts) -> str | None:
    """How good it is for each part of the rows."""
    found = facts["subgroups"]
    if not found:
        return None
    shares, measure = facts["model"]["classes"] is not None, facts["model"]["measure"]
    write = percent if shares else numeral
    factor = 1 if shares else 2
    lines = []
    for group in found:
        cells = [named(group["column"]), shown(group["part"])]
        if group["suppressed"]:
            lines.append([*cells, "not shown", "", "", "", ""])
            continue
        risk, auc = group["measures"]["risk"], group["measures"]["auc"]
        area = "" if auc is None else f"{auc['value']:.3f} ({auc['low']:.3f} to {auc['high']:.3f})"
        means = [", ".join(map(write, group[key])) for key in ("expected", "observed")]
        risk = None if risk is None else factor * risk
        lines.append([*cells, str(group["rows"]), *means, numeral(risk), area])
    head = ["column", "part", "rows", "expected", "observed", measure, "AUC"]
    least = facts["settings"]["min_rows"]
    written = table(head, lines)
    return (
        f"{written}\n\n{_worst(found, measure)}\n\nGroups of fewer than {least} rows, and those "
        "that would tell them, are not shown. Further columns divide the rows if "
        "`sorb dossier --by` names them."
    )


def _worst(groups: Sequence[Facts], measure: str) -> str:
    """Which groups are worse than the other rows, allowing for how many there are."""
    told = [group for group in groups if not group["suppressed"]]
    worse = [f"{named(g['column'])} {shown(g['part'])}" for g in told if g["clearly_worse"]]
    return (
        f"Of {count(len(told), 'group')}, {len(worse) or 'none'} "
        f"{'have' if len(worse) > 1 else 'has'} a {measure} above that of the other rows by more "
        f"than chance explains{': ' if worse else ''}{'; '.join(worse)}."
    )
