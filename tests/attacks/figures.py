"""The table of figures in docs/trust.md, from the results of `make attack` and `make mutants`."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
DOCUMENT = ROOT / "docs" / "trust.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"


def figures():
    """The table, as Markdown."""
    rows = [["tried", "command", "cases", "failures"], ["---"] * 4, *_attacks(), *_mutants()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _attacks():
    text = (RESULTS / "attacks.md").read_text("utf-8")
    (command,) = re.findall(r"^Written by (`.*?`)", text, re.MULTILINE)
    return [[row["attack"], command, row["cases"], row["failures"]] for row in _table(text)]


def _mutants():
    """Mutants are small faults put into the code; a failure is one that no test notices."""
    text = (RESULTS / "mutants.md").read_text("utf-8")
    (command,) = re.findall(r"(`make mutants.*?`)", text)[:1]
    row = next(row for row in _table(text) if row["package"] == "all")
    return [["small faults put into the code", command, row["mutants"], row["survived"]]]


def _table(text):
    """The rows of the table of a result."""
    head, _, *rows = ([c.strip() for c in line.split("|")[1:-1]] for line in _lines(text))
    return [dict(zip(head, row, strict=True)) for row in rows]


def _lines(text):
    return [line for line in text.splitlines() if line.startswith("| ")]


def shown():
    """The table that the document shows."""
    return DOCUMENT.read_text("utf-8").split(BEGIN)[1].split(END)[0]


def renew():
    """Write the table into the document."""
    text = DOCUMENT.read_text("utf-8")
    DOCUMENT.write_text(text.replace(BEGIN + shown(), BEGIN + figures()), encoding="utf-8")


if __name__ == "__main__":
    renew()
