"""How many iterations it takes to find a separator with a given number of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import pandas as pd

from sorb.lab.curves import SEARCHES, MissingResults
from sorb.lab.published import compared_datasets
from sorb.lab.statistics import Estimate, mean_estimate
from sorb.lab.tables.comparisons import repetitions_note
from sorb.lab.tables.table import Cell, ResultTable, TableRow

Counts: TypeAlias = Mapping[tuple[str, str, int], Estimate]  # section, dataset, columns
SECTIONS = {
    "path": ("path", "iterations"),
    "bisection": ("bisection", "iterations"),
    "bisection, doublings": ("bisection", "doublings"),
}


def iterations_table(results: pd.DataFrame) -> ResultTable:
    """Show the iterations for each dataset and number of columns."""
    counts = search_counts(results)
    if not counts:
        raise MissingResults(f"there are no results of {' or '.join(SEARCHES)}")
    steps = sorted({step for *_, step in counts})
    repetitions = {estimate.repetitions for estimate in counts.values()}
    return ResultTable(
        "iterations",
        "Iterations to find a separator of s columns",
        "Mean number of iterations on the first gradient, with 95 % intervals over repetitions: "
        "passes over the rows until the path of penalties has s columns, or midpoints of a "
        "bisection of the penalty, each of which is a fit. The doublings come before the "
        "bisection, until the penalty is small enough. " + repetitions_note(repetitions),
        "dataset",
        tuple(f"s = {step}" for step in steps),
        tuple(_rows(counts, steps)),
    )


def _rows(counts: Counts, steps: Sequence[int]) -> Iterator[TableRow]:
    datasets = compared_datasets(dataset for _, dataset, _ in counts)
    for section in present_sections(counts):
        for dataset in datasets:
            found = (counts.get((section, dataset, step)) for step in steps)
            yield TableRow(section, dataset, tuple(Cell(count, "iterations") for count in found))


def present_sections(counts: Counts) -> list[str]:
    """List the sections that there are counts for."""
    known = {section for section, _, _ in counts}
    return [section for section in SECTIONS if section in known]


def search_counts(results: pd.DataFrame) -> Counts:
    """Average the iterations over repetitions for each section, dataset and number of columns."""
    return dict(_search_counts(results[results["failure"].isna()]))


def _search_counts(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str, int], Estimate]]:
    for section, (method, column) in SECTIONS.items():
        known = rows[(rows["method"] == method) & rows[column].notna()]
        for (dataset, step), group in known.groupby(["dataset", "step"]):
            if compared_datasets([dataset]):
                yield (section, dataset, int(step)), mean_estimate(group[column].tolist())
