"""Threads, which only large tables are worth, and the memory that their searches keep."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracles.search_inputs import search_input

from sorb import _kernels
from sorb._kernels import Objective, ObjectiveKind
from sorb.learning.search import AxisSearch, ObliqueSearch
from sorb.tables.column_constraints import ANY_VOTE

NUMBERS_OF_THREADS = (1, 2, 3, 5)
SEARCHES = [
    ObliqueSearch("orthogonal", "gradient_sum"),
    ObliqueSearch("second_order", "separator", refine=False),
    AxisSearch("orthogonal"),
    AxisSearch("gradient_boosting"),
]


@pytest.fixture(scope="module")
def large():
    return search_input(0, n=90_000, d=40, dtype=np.float32)


def conditions(candidates):
    return [(candidate.parts, candidate.division) for candidate in candidates]


@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_any_number_of_threads_finds_the_same(large, search):
    alone, *others = (conditions(search(large, 3, threads)) for threads in NUMBERS_OF_THREADS)
    assert len(alone) > 1
    assert others == [alone] * len(others)


@pytest.mark.parametrize("name", ["squared", "logistic"])
def test_any_number_of_threads_judges_in_the_same_way(name):
    n, rng = 100_000, np.random.default_rng(0)
    y, weight = (rng.random(n) < 0.3).astype(float), rng.exponential(size=n)
    patterns = _kernels.Patterns.without_rules(n, 1).split(rng.random(n) < 0.5, 0)
    rules = [(rng.random(n) < share, 0, ANY_VOTE) for share in (0.2, 0.5, 0.7)]
    alone, *others = (
        _kernels.validation_losses(
            _kernels.Loss(name), patterns, y, weight, 1 - y, 0.1, np.zeros(2), rules, threads
        )
        for threads in NUMBERS_OF_THREADS
    )
    assert others == [alone] * len(others)


def columns_and_gains(seed):
    rng = np.random.default_rng(seed)
    Z = np.asfortranarray(rng.normal(size=(50_000, 3)))
    return Z, np.sign(Z[:, 1] - 0.4) + 3 * rng.normal(size=len(Z))


def first_cut(Z, gain):
    """The value and the column of the best single cut."""
    objective = Objective(ObjectiveKind.gradient_sum, 0.0, gain, np.ones(len(Z)))
    (level, *_), _ = _kernels.axis_levels(Z, objective, np.ones(len(Z)), 1, 1)
    return objective.score(np.flatnonzero(level.covered), 1), level.parts[0].columns[0]


def plain_first_cut(Z, gain):
    sums = [np.cumsum(gain[np.argsort(w * z)[::-1]])[:-1].max() for z in Z.T for w in (1, -1)]
    return max(sums), int(np.argmax(sums)) // 2


def test_memory_that_is_kept_is_as_good_as_new():
    problems = [columns_and_gains(seed) for seed in range(6)]
    expected = [plain_first_cut(*problem) for problem in problems]
    with ThreadPoolExecutor(3) as pool:  # their searches share what is kept
        found = list(pool.map(lambda problem: first_cut(*problem), problems))
    assert [column for _, column in found] == [column for _, column in expected]
    assert [value for value, _ in found] == pytest.approx([value for value, _ in expected])
