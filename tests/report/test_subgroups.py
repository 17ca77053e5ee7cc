"""Groups are called worse where their loss is higher by more than chance explains."""

import numpy as np
import pandas as pd

from sorb.report.given_rows import GivenRows
from sorb.report.rows import ReportRows
from sorb.report.subgroups import clearly_worse, find_subgroups
from sorb.rules import RuleEnsemble
from sorb.rules.columns import column_source

NUMBERS = [f"x{k}" for k in range(9)]
NO_RULES = RuleEnsemble(-1.5, (), tuple(NUMBERS), "logistic", ("no", "yes"))


def called_worse(rng, shares, groups=None):
    """The groups, of 36, of a model without rules that are called worse."""
    X = pd.DataFrame(rng.normal(size=(len(shares), len(NUMBERS))), columns=NUMBERS)
    X["x0"] = np.arange(len(X)) / 50  # quarters are in the order of the rows
    y = np.where(rng.random(len(X)) < shares, "yes", "no")
    given = GivenRows(X, y, groups=groups)
    rows = ReportRows.of(NO_RULES, column_source(X, NUMBERS, NUMBERS), given)
    parts = find_subgroups(rows, NUMBERS, [])
    assert len(parts) == 36
    worse = clearly_worse(parts, rows, NO_RULES(X))
    return [
        (part.column, part.part) for part, is_worse in zip(parts, worse, strict=True) if is_worse
    ]


def test_where_all_rows_are_predicted_alike_hardly_ever_is_a_group_worse():
    rng = np.random.default_rng(0)
    named = [bool(called_worse(rng, np.full(400, 0.18))) for _ in range(200)]
    assert np.mean(named) < 0.06


def test_a_quarter_that_is_predicted_badly_is_worse_also_if_all_of_it_have_one_outcome():
    rng = np.random.default_rng(1)
    for share in (0.7, 1.0):
        shares = np.where(np.arange(400) < 100, share, 0.18)
        assert called_worse(rng, shares) == [("x0", "below 2")]


def test_rows_of_one_group_are_one_witness():
    rng = np.random.default_rng(2)
    shares = np.where(np.arange(400) < 100, 0.9, 0.18)
    assert not called_worse(rng, shares, groups=np.arange(400) // 100)
