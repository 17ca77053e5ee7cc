"""Where revisits of older rules help and where they do harm, on small development tables.

Models are grown with and without revisits on the same training rows, with the same seed, for many
splits of each table, and their test risks are compared within some complexities.
"""

import argparse
from unittest.mock import patch

import development
import development_tables
import numpy as np
import tables
from joblib import Parallel, delayed

from sorb.estimators.base import REVISITS

MOST_TRAINING_ROWS = 700
COMPLEXITIES = (20, 50, 100)
PENALTIES = (3.0, 30.0)
CLEAR = 2.0  # standard errors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    known = development_tables.tables()
    small = [table for table in known if _n_training(table) <= MOST_TRAINING_ROWS]
    cells = [(table, split) for table in small for split in range(options.splits)]
    found = Parallel(options.jobs)(delayed(_changes)(*cell) for cell in cells)
    changes = np.reshape(found, (len(small), options.splits, len(PENALTIES), len(COMPLEXITIES)))
    mean = changes.mean(axis=1)
    error = changes.std(axis=1, ddof=1) / np.sqrt(options.splits)
    rows = [_row(*of_table) for of_table in zip(small, mean, error, strict=True)]
    notes = [
        "Mean logarithm of the ratio of the test risks with and without three revisits after each "
        f"round, in percent ± one standard error over {options.splits} splits, for models within a "
        "complexity that are grown with the penalty λ.",
        "",
        *_summary(mean, error),
        "",
        f"Made by `python benchmarks/revisits.py --splits {options.splits}`.",
    ]
    path = tables.RESULTS / "revisits.md"
    tables.write_markdown(path, "What revisits change, table by table", rows, notes)
    print(path.read_text())


def _n_training(table):
    return len(development.split(len(table.y), 0)[0])


def _changes(table, split):
    """The logarithm of the ratio of the risks, for each penalty and complexity."""
    risks = []
    for revisits in (0, REVISITS["normal"]):
        with patch.dict(REVISITS, normal=revisits):
            risks.append([_risks(table, split, reg_lambda) for reg_lambda in PENALTIES])
    without, with_revisits = np.log(risks)
    return with_revisits - without


def _risks(table, split, reg_lambda):
    training, test = development.split(len(table.y), split)
    estimator = development.new_estimator(
        table.task, reg_lambda=reg_lambda, selection=None, random_state=split
    ).fit(table.X[training], table.y[training])
    return [
        development.relative_risk(estimator.at(complexity=c).ensemble_, table, training, test)
        for c in COMPLEXITIES
    ]


def _row(table, mean, error):
    return {
        "table": table.name,
        "n × d": f"{_n_training(table)} × {table.X.shape[1]}",
        **{
            f"{complexity}, λ = {reg_lambda:g}": _percent(mean[k, c], error[k, c])
            for k, reg_lambda in enumerate(PENALTIES)
            for c, complexity in enumerate(COMPLEXITIES)
        },
    }


def _summary(mean, error):
    n = len(mean)
    for k, reg_lambda in enumerate(PENALTIES):
        for c, complexity in enumerate(COMPLEXITIES):
            change, bound = mean[:, k, c], CLEAR * error[:, k, c]
            over_tables = change.std(ddof=1) / np.sqrt(n)
            overall = _percent(change.mean(), over_tables)
            yield (
                f"- Within {complexity}, λ = {reg_lambda:g}: {overall} % over {n} tables. "
                "Higher by more than two standard errors on "
                f"{np.sum(change > bound)}, lower on {np.sum(change < -bound)}."
            )


def _percent(mean, error):
    return f"{100 * mean:+.1f} ± {100 * error:.1f}"


if __name__ == "__main__":
    main()
