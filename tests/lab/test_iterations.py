import math

import numpy as np
import pytest

from sorb.lab.datasets import load
from sorb.lab.iterations import _bisect, count_bisection, count_path


def staircase(C):
    """One column at C = 1/8, and one more each time that C doubles, but never exactly five."""
    columns = max(0, math.floor(math.log2(C)) + 4)
    return columns + (columns >= 5)


@pytest.mark.parametrize(
    ("size", "halvings", "doublings"),
    [(4, 0, 0), (3, 1, 0), (2, 2, 0), (1, 3, 0), (6, 0, 1), (7, 0, 2)],
)
def test_counts_of_a_known_staircase(size, halvings, doublings):
    assert _bisect(staircase, size) == (halvings, doublings)


def test_a_size_that_no_penalty_gives_has_no_count():
    assert _bisect(staircase, 5) is None


def test_a_size_beyond_all_columns_has_no_count():
    assert _bisect(lambda C: 3, 4) is None


@pytest.mark.parametrize("count", [count_path, count_bisection])
@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_each_size_is_reached(name, count):
    data = load(name)
    rows = count(data, 0)
    assert [row["step"] for row in rows] == list(range(1, min(10, len(data.columns)) + 1))
    assert all(0 <= row["iterations"] < 100 for row in rows)


def test_the_path_needs_more_passes_for_more_columns():
    passes = [row["iterations"] for row in count_path(load("breast_cancer"), 1)]
    assert np.all(np.diff(passes) >= 0)
    assert passes[0] >= 1
