"""Sample weights and exposures of very different sizes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sorb.checks.checked_table import CheckedTable
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import percent
from sorb.rules import notation

__all__ = ["find_odd_weights"]

# Weights that are worth fewer equal ones than this share of the rows.
_EFFECTIVE = 0.2
_FEWEST_ROWS = 20
# An exposure below this share of the median makes a rate of a single event enormous.
_TINY = 1e-3


def find_odd_weights(table: CheckedTable) -> Iterator[Finding]:
    """Find weights of which few rows have most, and exposures close to 0."""
    if table.n_checked < _FEWEST_ROWS:
        return
    if table.weight is not None:
        weight = table.weight / table.weight.max()
        effective = float(weight.sum() ** 2 / (weight**2).sum())
        if effective < _EFFECTIVE * len(weight):
            largest = int(np.argmax(weight))
            yield Finding(
                "weights",
                Severity.look,
                f"the sample weights are very unequal: {len(weight)} rows count like "
                f"{round(effective)} equal ones, and row {table.places[largest]} has "
                f"{percent(float(weight.max() / weight.sum()))} of all weight",
                "few rows decide what is learned, and the figures are as uncertain as those of few",
                "check the largest weights; cap them if they come from a survey",
                rows=(int(table.places[largest]),),
            )
    if table.exposure is not None:
        middle = float(np.median(table.exposure))
        tiny = np.flatnonzero(table.exposure < _TINY * middle)
        if len(tiny):
            rows = tuple(int(row) for row in table.places[tiny][:6])
            yield Finding(
                "exposure",
                Severity.look,
                f"the exposure is tiny in {notation.count(len(tiny), 'row')}, such as row "
                f"{rows[0]} ({notation.number(float(table.exposure[tiny[0]]), 3)}; the median is "
                f"{notation.number(middle, 3)})",
                "a single event there is an enormous rate",
                "check these rows, and leave them out if they were hardly observed",
                rows=rows,
            )
