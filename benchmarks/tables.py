"""Result tables: rows as CSV and as Markdown, with the machine that they come from."""

import csv
import platform
from pathlib import Path

import numpy
import scipy
import sklearn

RESULTS = Path(__file__).parent / "results"


def machine():
    """Describe the processor and the versions in one line."""
    versions = [("numpy", numpy), ("scipy", scipy), ("scikit-learn", sklearn)]
    libraries = ", ".join(f"{name} {module.__version__}" for name, module in versions)
    return f"{_processor()}; Python {platform.python_version()}, {libraries}"


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.machine()


def write_csv(path, columns, rows):
    """Write rows, given as dictionaries, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    with unfinished.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    unfinished.replace(path)


def _cell(value):
    return f"{value:.6g}" if isinstance(value, float) else value


def write_markdown(path, title, rows, notes):
    """Write a title, the rows as a table, and notes below it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"# {title}", "", *markdown_lines(rows), "", *notes, ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def markdown_lines(rows):
    """Format rows, given as dictionaries, as the lines of a table."""
    table = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    return ["| " + " | ".join(map(str, cells)) + " |" for cells in table]
