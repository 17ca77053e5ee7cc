import math

import pytest
from lab.tables.estimates import exactly

from sorb.lab.statistics import Estimate
from sorb.lab.tables import Cell


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (Cell(), ("–", "", "", "")),
        (Cell(exactly(math.inf), "complexity", exactly(12.0)), ("∞", "", "12", "▲")),
        (Cell(exactly(3.0), "complexity", exactly(math.inf)), ("3", "[3, 3]", "∞", "▼")),
        (Cell(exactly(math.inf), "seconds", exactly(math.nan)), ("–", "", "–", "")),
        (Cell(exactly(0.404), "average risk", exactly(0.4)), ("0.40", "± 0.00", "0.40", "")),
        (Cell(exactly(math.nan), "risk", exactly(0.4)), ("–", "", "0.40", "")),
        (Cell(Estimate(math.inf, 80.0, math.inf, 15)), ("∞", "[80, ∞]", "", "")),
        (Cell(exactly(0.0123), "seconds"), ("0.012", "[0.012, 0.012]", "", "")),
        (Cell(exactly(7.5), "complexity"), ("7.5", "[7.5, 7.5]", "", "")),
        (Cell(exactly(7.0), "count", exactly(6.0)), ("7", "", "6", "▲")),
        (Cell(exactly(7.0, repetitions=1)), ("7", "", "", "")),
        (Cell("text"), ("text", "", "", "")),
    ],
)
def test_cells_are_written(cell, expected):
    assert (cell.value, cell.interval, cell.paper, cell.mark) == expected
