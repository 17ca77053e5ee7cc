"""How long a report page takes to compute what follows a change, beside Python's edit of the rows.

The page has the sums of the rows by cell, of which there are 6,000, and 40 rules.
"""

import argparse
import json
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np
import tables

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.editing import DropRule, edit

HERE = Path(__file__).parent
ROWS, CELLS, RULES, COLUMNS, FOLDS = 100_000, 6_000, 40, 20, 5
CUTS = np.round(np.linspace(-1.5, 1.5, 13), 2)
CLASSES = {"logistic": ("no", "yes"), "softmax": ("x", "y", "z")}
LOSSES = ("squared", "logistic", "softmax", "poisson", "tweedie")
TURNS = 15
STEPS = {
    "first": "the first change after the page was opened, with all measures and curves",
    "change": "a change: all votes are refitted",
    "measures": "all measures and curves of training and test rows",
    "total": "a change with all measures and curves",
    "validation": f"the votes are cross-validated in {FOLDS} folds",
    "moves": "who moves",
    "flips": "the smallest changes of a row that flip something",
}


def main():
    options = _parser().parse_args()
    rows = []
    for loss in options.loss:
        model, cells, of_row, y = _problem(loss)
        size, row = _size(model, cells, of_row, y), dict(zip(model.columns, cells[0], strict=True))
        found = _page(size, row)
        X = cells[of_row]
        ours = _time_of_edit(model, X, y)
        for name, what in STEPS.items():
            beside = f"{found[name] / ours:.3f}" if name == "change" else ""
            rows.append(
                {
                    "loss": loss,
                    "what": what,
                    "time": f"{found[name]:.1f} ms",
                    "against `edit`": beside,
                }
            )
    path = tables.RESULTS / "report_page.md"
    tables.write_markdown(path, "Speed of the report page", rows, _notes())
    print(path.read_text())


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loss", nargs="+", default=LOSSES, help=f"default: {LOSSES}")
    return parser


def _problem(loss):
    """A model, rows that fall into so many cells, and outcomes."""
    rng = np.random.default_rng(0)
    columns = tuple(f"x{j}" for j in range(COLUMNS))
    conditions = {}
    while len(conditions) < RULES:
        chosen = rng.choice(COLUMNS, rng.integers(1, 4), replace=False)
        parts = [
            Proposition((columns[j],), (1.0,), float(rng.choice(CUTS[2:-2])))
            for j in sorted(chosen)
        ]
        conditions[Condition(tuple(parts))] = None
    n_outputs = 3 if loss == "softmax" else 1
    rules = tuple(
        Rule(condition, float(rng.normal()) / 4, int(rng.integers(n_outputs)))
        for condition in conditions
    )
    offset = (0.0,) * n_outputs if n_outputs > 1 else 0.0
    model = RuleEnsemble(offset, rules, columns, loss, CLASSES.get(loss))
    cells = rng.normal(size=(CELLS, COLUMNS))
    of_row = np.r_[np.arange(CELLS), rng.integers(0, CELLS, ROWS - CELLS)]
    mean = model.loss.mean(model(cells[of_row]))
    if loss == "softmax":
        drawn = (mean.cumsum(axis=1) < rng.random((ROWS, 1))).sum(axis=1)
        y = np.array(CLASSES[loss])[np.minimum(drawn, 2)]
    elif loss == "logistic":
        y = np.where(rng.random(ROWS) < mean, "yes", "no")
    else:
        y = mean + rng.normal(size=ROWS) if loss == "squared" else rng.poisson(mean).astype(float)
    return model, cells, of_row, y


def _size(model, cells, of_row, y):
    """What the page holds of a model: types.d.ts."""
    document = json.loads(model.to_json())
    places = {p: k for k, p in enumerate(dict.fromkeys(_parts(model)))}
    thresholds = CUTS.tolist()
    fold = np.arange(ROWS) % FOLDS
    names = {name: j for j, name in enumerate(model.columns)}
    levels = [np.searchsorted(CUTS, cells[:, names[p.columns[0]]], side="right") for p in places]
    test = fold == 0
    return {
        "model": document,
        "fingerprint": "",
        "reg_lambda": 1.0,
        "rules": [
            {"propositions": [places[p] for p in rule.condition.propositions]} for rule in model
        ],
        "propositions": [
            {
                "document": {
                    "kind": "linear",
                    "columns": p.columns,
                    "weights": p.weights,
                    "threshold": p.threshold,
                },
                "cuts": thresholds,
                "own": thresholds.index(p.threshold),
            }
            for p in places
        ],
        "cells": {
            "n_cells": CELLS,
            "levels": ["".join("0123456789ABCDEF"[level] for level in column) for column in levels],
            "shift": 0.0,
            "n_folds": FOLDS,
            "training": _sums(model, of_row, fold, y),
            "test": _sums(model, of_row[test], fold[test], y[test]),
            "subgroups": [],
        },
    }


def _parts(model):
    return [p for rule in model for p in rule.condition.propositions]


def _sums(model, of_row, fold, y):
    entry, place = np.unique(np.column_stack([of_row, fold]), axis=0, return_inverse=True)
    sums = {"cell": entry[:, 0].tolist(), "fold": entry[:, 1].tolist()}
    sums["n"] = np.bincount(place).tolist()
    if model.loss.name == "softmax":
        classes = np.array(model.classes)
        sums["by_class"] = [np.bincount(place, y == label).tolist() for label in classes]
        return sums
    numbers = (y == "yes") * 1.0 if model.loss.name == "logistic" else y
    sums["wy"] = np.bincount(place, numbers).tolist()
    if model.loss.name == "squared":
        sums["wyy"] = np.bincount(place, numbers**2).tolist()
    else:
        sums["constant"] = float(model.loss.constant(numbers).sum())
    return sums


def _page(size, row):
    """The times of the page's steps in milliseconds, in a process of its own."""
    command = ["node", str(HERE / "report_page.mjs")]
    given = json.dumps({"size": size, "row": row, "turns": TURNS})
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _time_of_edit(model, X, y):
    """The time of the same change from the rows, in milliseconds."""
    times = []
    for _ in range(3):
        start = time.process_time()
        edit(model, [DropRule(3)], X, y, reg_lambda=1.0)
        times.append(1000 * (time.process_time() - start))
    return statistics.median(times)


def _notes():
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return [
        f"{RULES} rules on {COLUMNS} columns, with 13 thresholds on offer for each part of a "
        f"condition; {ROWS:,} rows, which fall into {CELLS:,} cells. Computed by Node.js "
        f"{node.stdout.strip()}; times of the processor, medians of {TURNS} turns. `edit` is "
        "that of Python, which reads the rows again.",
        "",
        "Made by `python benchmarks/report_page.py`.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
