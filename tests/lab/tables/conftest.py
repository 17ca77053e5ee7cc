"""Results with known curves, and a small table."""

import math

import pytest
from lab.tables.estimates import exactly
from synthetic_results import ensemble, repeated, row, written

from sorb.lab.statistics import Estimate
from sorb.lab.tables import Cell, ResultTable, TableRow


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """Three methods with a complexity, one without, one without probabilities, on two datasets."""
    fast = [[(4 + r, 0.7), (8 + r, 0.4 + 0.01 * r), (120, 0.1)] for r in range(5)]
    slow = [[(5, 0.9), (30, 0.7), (60, 0.5), (90, 0.24)]] * 5
    units = {
        **repeated("iris", "LLTB", fast),
        **repeated("iris", "TGB", slow),
        **repeated("diabetes", "LLTB", slow),
        **repeated("diabetes", "TGB", slow),
        **repeated("iris", "LLTB-append", slow),
        **repeated("diabetes", "LLTB-append", fast),
        **repeated("iris", "HGB", [[(None, 0.05)]] * 5),
        **repeated("synthetic", "LLTB", [[(4, 0.0)]]),
        ("iris", "BRS", 0): [row("iris", 1, 9, None, test_error=0.25, train_error=0.2)],
        ("iris", "EBM", 0): [{"failure": "it broke"}],
        **{("iris", "path", r): steps(3, 1 + r) for r in range(2)},
        **{("housing", "path", r): steps(2, 3) for r in range(2)},
        **{("iris", "bisection", r): steps(3, 7, doublings=2.0) for r in range(2)},
    }
    stored = ensemble(("a", "b"), (1.0, -0.5), 2.0).to_json()
    for place, model in ((("iris", "LLTB", 0), stored), (("iris", "TGB", 0), "a <tree>\nwith | 2")):
        units[place] = [point | {"model": model} for point in units[place]]
    return written(tmp_path_factory.mktemp("run"), units).table()


def steps(count, iterations, doublings=None):
    return [
        {"step": s, "iterations": float(iterations + s), "doublings": doublings}
        for s in range(1, count + 1)
    ]


@pytest.fixture
def small():
    first = Cell(Estimate(12.0, 9.0, 16.0, 15), "complexity", exactly(13.0), best=True)
    second = Cell(exactly(math.inf))
    text = Cell("−1  always\n+2  if  a_1 | b ≥ 3 & 50 % < c")
    rows = (TableRow("25 %", "red_wine", (first, text)), TableRow("50 %", "iris", (second, Cell())))
    return ResultTable("small", "Sizes & more", "λ is 1 %.", "dataset", ("LLTB", "model"), rows)
