import numpy as np
import pytest
from oracles.search_inputs import search_input

from sorb.learning.objectives import OBJECTIVES, prepare
from sorb.learning.search import ObliqueSearch
from sorb.learning.search.candidates import objective_value
from sorb.rules import Rule


@pytest.fixture(params=range(3))
def where(request):
    return search_input(request.param)


def candidates(where):
    return ObliqueSearch("orthogonal", "gradient_sum")(where, 5, 1)


def test_the_complexity_is_that_of_a_rule_with_the_condition(where):
    for candidate in candidates(where):
        assert candidate.complexity == Rule(candidate.condition(where.rows), 1.0).complexity


def test_the_condition_covers_the_rows_of_the_candidate(where):
    for candidate in candidates(where):
        covered = where.rows.covered_by(candidate.condition(where.rows))
        np.testing.assert_array_equal(covered, candidate.covered)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_value_of_a_candidate_is_that_of_the_better_sign(where, name):
    objective = prepare(name, where)
    for candidate in candidates(where):
        gradient = where.weighted_gradient @ candidate.covered
        rows = np.flatnonzero(candidate.covered)
        if name != "orthogonal":  # which looks at what is left of the gradient after a projection
            value = objective.score(rows, 1 if gradient > 0 else -1)
            assert objective_value(objective, candidate) == value
        assert objective_value(objective, candidate) > 0
