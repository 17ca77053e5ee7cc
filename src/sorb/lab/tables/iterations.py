"""How many iterations it takes to find a separator with a given number of columns."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sorb.lab.published import compared_datasets
from sorb.lab.statistics import SEARCHES, Estimate, MissingResults, mean_estimate
from sorb.lab.tables.comparisons import rests_on
from sorb.lab.tables.table import Cell, Row, Table

SECTIONS = {
    "path": ("path", "iterations"),
    "bisection": ("bisection", "iterations"),
    "bisection, doublings": ("bisection", "doublings"),
}


def iterations_table(results: pd.DataFrame) -> Table:
    """Show the iterations for each dataset and number of columns."""
    counts = search_counts(results)
    if not counts:
        raise MissingResults(f"there are no results of {' or '.join(SEARCHES)}")
    steps = sorted({step for *_, step in counts})
    datasets = compared_datasets(dataset for _, dataset, _ in counts)
    present = [section for section in SECTIONS if any(key[0] == section for key in counts)]
    rows = tuple(
        Row(
            section,
            dataset,
            tuple(Cell(counts.get((section, dataset, s)), "iterations") for s in steps),
        )
        for section in present
        for dataset in datasets
    )
    repetitions = {estimate.repetitions for estimate in counts.values()}
    return Table(
        "iterations",
        "Iterations to find a separator of s columns",
        "Mean number of iterations on the first gradient, with 95 % intervals over repetitions: "
        "passes over the rows until the path of penalties has s columns, or midpoints of a "
        "bisection of the penalty, each of which is a fit. The doublings come before the "
        "bisection, until the penalty is small enough. " + rests_on(repetitions),
        "dataset",
        tuple(f"s = {step}" for step in steps),
        rows,
    )


def search_counts(results: pd.DataFrame) -> dict[tuple[str, str, int], Estimate]:
    """Average the iterations over repetitions for each section, dataset and number of columns."""
    return dict(_search_counts(results[results["failure"].isna()]))


def _search_counts(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str, int], Estimate]]:
    for section, (method, column) in SECTIONS.items():
        known = rows[(rows["method"] == method) & rows[column].notna()]
        for (dataset, step), group in known.groupby(["dataset", "step"]):
            if compared_datasets([dataset]):
                yield (section, dataset, int(step)), mean_estimate(group[column].tolist())
