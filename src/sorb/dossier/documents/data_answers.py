"""Answers about the rows: what they are, what they hold, and what the model cannot know of them."""

from __future__ import annotations

from typing import Any

from sorb.dossier.documents.phrases import bullets, label, named, numeral, percent, shown, table
from sorb.rules import notation

__all__ = [
    "columns",
    "groups",
    "inputs",
    "limits",
    "missing",
    "oddities",
    "outcomes",
    "outside",
    "rows",
    "split",
]

MOST_CATEGORIES = 12
OF_THESE = "Of the rows that the model was measured on:"

Facts = dict[str, Any]


def rows(facts: Facts) -> str:
    """Which rows the model was measured on."""
    data, file = facts["data"], facts["files"]["table"]
    came = "" if file is None else f" of {shown(file['name'])}"
    groups = "" if data["groups"] is None else f" in {data['groups']} groups"
    identity = f"The SHA-256 of their contents is {data['sha256_of_contents']}"
    if file is not None and file["sha256"]:
        identity += f", that of the file {file['sha256']}"
    count = notation.count(data["rows"], "row")
    return f"Measured on {count}{groups}{came}. {data['split_words']} {identity}."


def groups(facts: Facts) -> str | None:
    """Whether rows belong together."""
    count = facts["data"]["groups"]
    if count is None:
        return None
    return (
        f"The {facts['data']['rows']} rows are in {count} groups. Intervals take groups, not rows, "
        "for independent."
    )


def split(facts: Facts) -> str | None:
    """Whether the rows were seen in training."""
    record = facts["training"]
    if facts["settings"]["split"] is None and (record is None or not record.get("test_rows")):
        return None
    words: str = facts["data"]["split_words"]
    if record is not None and record.get("test_rows"):
        words += f" The model remembers of its test rows: {shown(record['test_rows'])}"
    return words


def columns(facts: Facts) -> str:
    """What the columns hold that the model uses."""
    found = facts["data"]["columns"]
    if not found:
        return "The model uses no columns."
    lines = [
        [
            named(each["name"]),
            shown(each["unit"] or ""),
            _values(each),
            percent(each["missing_share"]),
        ]
        for each in found
    ]
    return f"{OF_THESE}\n\n{table(['column', 'unit', 'values', 'missing'], lines)}"


def _values(column: dict[str, Any]) -> str:
    if column["kind"] == "number":
        if column.get("typical") is None:
            return "numbers"
        low, high = column["range"]
        middle = numeral(column["typical"])
        return f"numbers from {numeral(low)} to {numeral(high)}, median {middle}"
    shares = [f"{label(part['label'])} {percent(part['share'])}" for part in column["categories"]]
    return _first_of(shares) or "categories"


def _first_of(categories: list[str]) -> str:
    """List categories, and of many the first, with the number of the others."""
    more = len(categories) - MOST_CATEGORIES
    return ", ".join(categories[:MOST_CATEGORIES]) + (f" and {more} more" if more > 0 else "")


def outcomes(facts: Facts) -> str:
    """How often each class occurs, or how large the outcome is."""
    found, target = facts["data"]["outcomes"], named(facts["data"]["target"])
    if found["classes"] is None:
        spread = numeral(found["standard_deviation"])
        told = f"the mean of {target} is {numeral(found['mean'])}, its standard deviation {spread}."
        return f"{OF_THESE} {told}"
    if any(part["rows"] is None for part in found["classes"]):
        return f"{OF_THESE} some class of {target} has too few rows to be told of."
    shares = ", ".join(
        f"{shown(part['label'])} in {percent(part['share'])} of the rows ({part['rows']})"
        for part in found["classes"]
    )
    return f"{OF_THESE} the column {target} is {shares}."


def missing(facts: Facts) -> str:
    """How missing values are treated."""
    found = [each for each in facts["data"]["columns"] if each["missing_share"]]
    shares = ", ".join(
        f"{named(each['name'])} in {percent(each['missing_share'])}" for each in found
    )
    return (
        "Nothing is imputed: each rule itself says whether it is true where a value is missing. "
        f"Columns with missing values in these rows: {shares or 'none'}."
    )


def oddities(facts: Facts) -> str | None:
    """What looks odd about the rows."""
    found = facts["oddities"]
    if found is None:
        return None
    if not found["findings"]:
        return "`sorb check` finds nothing odd about these rows, in the columns that are used."
    return bullets(
        f"{finding['severity'].capitalize()}: {shown(finding['what'])}. "
        f"What it may do: {shown(finding['effect'])}."
        for finding in found["findings"]
    )


def limits(facts: Facts) -> str:
    """What the model cannot know."""
    return bullets(shown(sentence) for sentence in facts["limits"]["cannot_know"])


def inputs(facts: Facts) -> str | None:
    """What the columns held in training."""
    known = facts["limits"]["known_in_training"]
    if not known:
        return None
    lines = []
    for name, seen in known.items():
        if seen["range"] is not None:
            held = f"numbers from {numeral(seen['range'][0])} to {numeral(seen['range'][1])}"
        elif seen["categories"] is not None:
            held = _first_of([label(each) for each in seen["categories"]])
        else:
            held = "values that are not remembered"
        lines.append([named(name), held, "yes" if seen["missing"] else "no"])
    return (
        "The model says which rows have values that its training never held (`outside_training`, "
        "`sorb predict`); with `--strict` such rows are refused. Training held:\n\n"
    ) + table(["column", "values in training", "was ever missing"], lines)


def outside(facts: Facts) -> str | None:
    """Which of the rows are unlike the training."""
    found = facts["limits"]
    if facts["model"]["columns_used"] and not found["known_in_training"]:
        return None
    count = found["rows_without_experience"]
    told = "a few" if count is None else str(count)
    head = f"Rows with values that the training never held: {told} of {facts['data']['rows']}."
    lines = [
        f"Column {named(each['column'])}: {each['kind']}, {notation.count(each['rows'], 'row')}"
        for each in found["outside_training"]
    ]
    return f"{head}\n\n{bullets(lines)}" if lines else head
