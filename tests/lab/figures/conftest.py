"""Results with known curves and models, and each figure of them, drawn once."""

import functools

import pytest
from lab.figures.models import BMI, CORNER, DIAGONAL, HEAVY, with_model
from synthetic_results import repeated, written

from sorb.lab.figures import FIGURES


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    first, second = [(4, 0.8), (10, 0.5), (130, 0.1)], [(6, 0.6), (14, 0.3), (150, 0.1)]
    units = {
        **repeated("iris", "LLTB", [first, second]),
        **repeated("iris", "LLTB-append", [second, second]),
        **repeated("iris", "mine", [first, first]),
        **repeated("diabetes", "LLTB", [first, second]),
        **repeated("diabetes", "LLTB-append", [[(4, 0.9)], [(4, 0.9)]]),
        **repeated("iris", "HGB", [[(None, 0.2)], [(None, 0.3)]]),
        **repeated("iris", "EBM", [[(200, 0.2)]]),
        ("synthetic", "LLTB", 0): with_model("synthetic", [(4, 0.1), (9, 0.0)], [DIAGONAL] * 2),
        ("synthetic", "TGB", 0): with_model("synthetic", [(4, 0.9), (9, 0.4)], [DIAGONAL, CORNER]),
        ("nhanes_standin+log", "sorb", 0): with_model(
            "nhanes_standin+log", [(4, 0.91), (9, 0.9)], [BMI, HEAVY]
        ),
        ("nhanes_standin", "TGB", 0): with_model("nhanes_standin", [(5, 0.95)], [HEAVY]),
        **{
            ("iris", method, r): [
                {"step": s, "iterations": 10.0 * s + r, "doublings": 1.0} for s in (1, 2, 3)
            ]
            for method in ("path", "bisection")
            for r in (0, 1)
        },
    }
    return written(tmp_path_factory.mktemp("run"), units).table()


@pytest.fixture(scope="session")
def picture(results):
    """Draw each figure once."""
    return functools.cache(lambda name: FIGURES[name](results))
