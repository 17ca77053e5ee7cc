"""Tables made from results: the paper's, with its numbers beside ours, and a few more.

In come the rows of a run; out comes a `ResultTable`, which `render` and `latex` write as Markdown,
CSV, LaTeX or for the terminal. To add a table, write a function from the rows to a `ResultTable`
in a file of its own, and name it in `TABLES`.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from sorb.lab.tables.comparisons import COMPARISONS, strategies_table, times_table
from sorb.lab.tables.iterations import iterations_table
from sorb.lab.tables.models import models_table
from sorb.lab.tables.table import Cell, ResultTable, TableRow
from sorb.lab.tables.wins import wins_table

__all__ = ["TABLES", "Cell", "ResultTable", "TableRow"]

TABLES: Mapping[str, Callable[[pd.DataFrame], ResultTable]] = {
    **COMPARISONS,
    "times": times_table,
    "wins": wins_table,
    "strategies": strategies_table,
    "iterations": iterations_table,
    "rules_iris": lambda results: models_table(results, "rules_iris", "iris"),
    "rules_housing": lambda results: models_table(results, "rules_housing", "housing"),
}
"""Functions that make each table from the rows of a run, or raise `MissingResults`."""
