"""A table in a file, a model that the command line fits to a part of it, and its two pages."""

import json

from report.models import outcomes, small_table
from report.page_text import data_in

from sorb import RuleEnsemble
from sorb.cli import run

TARGET = ("--target", "outcome")
QUICK = ("--effort", "low", "--selection", "none", "--max-complexity", "16", "--no-compare")


def fit_with_pages(folder, kind, *options):
    """Fit a table with its test rows; give the pages of the fit and of the model."""
    table = small_table()
    table.assign(outcome=outcomes(kind, table)).to_csv(folder / "rows.csv", index=False)
    model, rows = folder / "model.json", folder / "rows.csv"
    pages = folder / "fit.html", folder / "report.html"
    fit = "fit", rows, *TARGET, *QUICK, *options, "--out", model, "--report", pages[0]
    report = "report", model, rows, *TARGET, "--out", pages[1]
    for command in (fit, report):
        assert run([str(word) for word in command]) == 0
    return pages


def pages_data(pages):
    return [data_in(page.read_text(encoding="utf-8")) for page in pages]


def replayed(folder, log):
    """What the command line makes of the whole table and a log."""
    (folder / "changes.json").write_text(log, encoding="utf-8")
    files = folder / "model.json", folder / "rows.csv"
    how = "--log", folder / "changes.json", "--out", folder / "edited.json"
    assert run([str(word) for word in ("edit", *files, *TARGET, *how)]) == 0
    text = (folder / "edited.json").read_text(encoding="utf-8")
    assert RuleEnsemble.from_json(text).record.n_rows == 180
    return json.loads(text)
