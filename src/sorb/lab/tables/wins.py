"""How often each method is best, by our numbers and by the paper's, counted in the same way."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import pandas as pd

from sorb.lab.curves import MissingResults
from sorb.lab.published import ordered_methods, paper_methods, published
from sorb.lab.statistics import Estimate
from sorb.lab.tables.comparisons import COMPARISONS
from sorb.lab.tables.table import Cell, NumberFormat, ResultTable, TableRow, mark_best

ALL, PAPER = "among all methods", "among the paper's methods"


def wins_table(results: pd.DataFrame) -> ResultTable:
    """Count for each section of the other tables on how many datasets a method is best."""
    tables = list(_tables(results))
    methods = _competitors(tables)
    if not methods:
        raise MissingResults("there are no results for the table wins")
    sections = [(table, title, rows) for table in tables for title, rows in table.sections()]
    return ResultTable(
        "wins",
        "Number of datasets on which a method is best",
        "Counted from the other tables, in the digits that they show: a tie counts for all, and a "
        "target that no method reaches counts for none. For the paper's methods, the paper's own "
        "numbers are counted in the same way on the same datasets, and follow ours.",
        "table",
        methods,
        (
            *(_row(ALL, *section, methods, methods) for section in sections),
            *(
                _row(PAPER, *section, methods, paper_methods())
                for section in sections
                if _source(*section[:2]) in {place[:2] for place in published()}
            ),
        ),
    )


def _tables(results: pd.DataFrame) -> Iterator[ResultTable]:
    for make in COMPARISONS.values():
        try:
            yield make(results)
        except MissingResults:
            continue


def _competitors(tables: Sequence[ResultTable]) -> tuple[str, ...]:
    """List the methods that have a complexity."""
    sized = (table for table in tables if table.name.startswith("complexity"))
    return ordered_methods(method for table in sized for method in table.columns)


def _source(table: ResultTable, title: str) -> tuple[str, str]:
    """Return the published table and section; “test, least” is the paper's test section."""
    return table.name, title.removesuffix(", least")


def _row(
    section: str,
    table: ResultTable,
    title: str,
    rows: Sequence[TableRow],
    methods: Sequence[str],
    among: Collection[str],
) -> TableRow:
    ours = _wins(rows, table.columns, set(methods) & set(among))
    theirs = _published_wins(_source(table, title), rows) if section == PAPER else {}
    return TableRow(section, f"{table.name}, {title}", _cells(methods, ours, theirs))


def _wins(
    rows: Sequence[TableRow], columns: Sequence[str], among: Collection[str]
) -> dict[str, Estimate]:
    competes = [column in among for column in columns]
    marked = [mark_best(row.cells, competes) for row in rows]
    repetitions = _repetitions(rows)
    return {
        column: _count(sum(cells[place].best for cells in marked), repetitions)
        for place, column in enumerate(columns)
        if competes[place]
    }


def _repetitions(rows: Sequence[TableRow]) -> int:
    ours = (cell.ours for row in rows for cell in row.cells)
    return max((found.repetitions for found in ours if isinstance(found, Estimate)), default=0)


def _count(wins: int, repetitions: int) -> Estimate:
    return Estimate(float(wins), float(wins), float(wins), repetitions)


def _published_wins(source: tuple[str, str], rows: Sequence[TableRow]) -> dict[str, Estimate]:
    number_format = rows[0].cells[0].number_format
    printed = [
        TableRow("", row.label, _published_cells(source, row.label, number_format)) for row in rows
    ]
    return _wins(printed, paper_methods(), paper_methods())


def _published_cells(
    source: tuple[str, str], dataset: str, number_format: NumberFormat
) -> tuple[Cell, ...]:
    return tuple(
        Cell(published().get((*source, dataset, method)), number_format)
        for method in paper_methods()
    )


def _cells(
    methods: Sequence[str], ours: Mapping[str, Estimate], theirs: Mapping[str, Estimate]
) -> tuple[Cell, ...]:
    most = max((count.value for count in ours.values()), default=0.0)
    return tuple(
        Cell(
            ours.get(method),
            "count",
            theirs.get(method),
            best=method in ours and ours[method].value == most,
        )
        for method in methods
    )
