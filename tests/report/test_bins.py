"""Tables of large numbers that hardly differ, such as those of accounts."""

import numpy as np
import pandas as pd
import pytest

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.report import report

ROWS = 40


def ensemble(threshold, *more):
    rule = Rule(Condition((Proposition(("number",), (1.0,), threshold),)), 1.0)
    return RuleEnsemble(0.0, [rule], ("number",), *more)


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize(
    "numbers", [(1e20, 1e20), (7e31, 7e31), (1e16, 1e16 + 2), (-1e300, -1e300)]
)
def test_large_numbers_that_hardly_differ_are_counted(numbers, rows):
    X = pd.DataFrame({"number": np.resize(numbers, ROWS)})
    model = ensemble(numbers[0], "logistic", ("no", "yes"))
    data = report(model, X, np.resize(["no", "yes"], ROWS), rows=rows).data
    (proposition,) = data["sizes"][data["chosen"]]["propositions"]
    assert sum(data["columns"][0]["histogram"]) == pytest.approx(1)
    if rows:
        assert sum(proposition["projection"]["w"]) == ROWS


def test_large_residuals_that_hardly_differ_are_counted():
    X = pd.DataFrame({"number": np.arange(ROWS)})
    data = report(ensemble(5.0, "squared"), X, np.full(ROWS, 1e20)).data
    (residuals,) = data["evidence"]["residuals"]
    assert sum(residuals["counts"]) == ROWS
