"""The smallest model of each method that halves the risk on a dataset, in words."""

from __future__ import annotations

import pandas as pd

from sorb.lab.curves import MissingResults, with_chosen_penalty
from sorb.lab.published import ordered_methods
from sorb.lab.statistics import MAX_COMPLEXITY, Estimate
from sorb.lab.tables.table import Cell, ResultTable, TableRow
from sorb.rules import ModelFormatError, RuleEnsemble

REDUCTION = 0.5


def models_table(results: pd.DataFrame, name: str, dataset: str) -> ResultTable:
    """Show the smallest model of each method that halves the test risk of the first repetition."""
    rows = with_chosen_penalty(results[results["dataset"] == dataset], "cv")
    rows = rows[rows["model"].notna() & rows["complexity"].notna() & rows["test_risk"].notna()]
    if rows.empty:
        raise MissingResults(f"there are no models for {dataset} in the results")
    methods = ordered_methods(rows["method"])
    return ResultTable(
        name,
        f"Models for {dataset}",
        f"The smallest model, up to complexity {MAX_COMPLEXITY}, that reduces the test risk of the "
        "first repetition by at least half. The L2 penalty is chosen by cross-validation for each "
        "size of model.",
        "method",
        ("complexity", "test risk", "model"),
        tuple(_row(method, rows[rows["method"] == method]) for method in methods),
    )


def smallest(rows: pd.DataFrame, reduction: float) -> pd.Series | None:
    """Return the row of least complexity, up to 100, that reduces the test risk by this share."""
    enough = (rows["test_risk"] <= 1 - reduction) & (rows["complexity"] <= MAX_COMPLEXITY)
    found = rows[enough].sort_values(["complexity", "step"])
    return None if found.empty else found.iloc[0]


def _row(method: str, rows: pd.DataFrame) -> TableRow:
    found = smallest(rows, REDUCTION)
    if found is None:
        cells = (Cell(None), Cell(None, "risk"), Cell("no model up to this complexity does"))
    else:
        cells = (
            Cell(_exactly(found["complexity"]), "count"),
            Cell(_exactly(found["test_risk"]), "risk"),
            Cell(format_model(found["model"])),
        )
    return TableRow("", method, cells)


def _exactly(value: float) -> Estimate:
    return Estimate(float(value), float("nan"), float("nan"), 1)


def format_model(model: str) -> str:
    """Print a stored model: rules from their JSON, others as they are.

    Examples
    --------
    >>> from sorb import RuleEnsemble
    >>> from sorb.lab.tables.models import format_model
    >>> format_model(RuleEnsemble(0.5, (), ("age",), "squared").to_json())
    '+0.5  always'
    >>> format_model("a tree")
    'a tree'
    """
    try:
        return RuleEnsemble.from_json(model).format()
    except ModelFormatError:
        return model
