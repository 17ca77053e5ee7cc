import numpy as np
import pandas as pd
from checks.seen import ROWS, classes, found, plain

import sorb


def measured(n_rows):
    return pd.DataFrame(np.random.default_rng(0).normal(size=(n_rows, 3)), columns=list("abc"))


def test_copies_of_rows_are_found_with_their_numbers():
    X = measured(ROWS)
    X.iloc[200:210] = X.iloc[100:110].to_numpy()
    y = np.array(classes())
    y[200:210] = y[100:110]
    [finding] = sorb.check(X, y)
    assert finding.kind == "duplicates"
    assert finding.rows == (100, 200)
    assert finding.what.startswith("10 rows (3.3 %) are copies")


def test_rows_without_an_outcome_do_not_change_the_numbers():
    X = measured(ROWS)
    X.iloc[200:210] = X.iloc[100:110].to_numpy()
    y = [None, *classes()[1:]]
    rows = [finding.rows for finding in sorb.check(X, y)]
    assert rows[0] == (100, 200)


def test_copies_with_other_outcomes_contradict_each_other():
    X = pd.concat([measured(60)] * 5, ignore_index=True)
    report = sorb.check(X, classes())
    assert [finding.kind for finding in report] == ["duplicates", "contradictions"]
    assert "no model can be right in more than" in report[1].what


def test_missing_values_are_equal():
    X = measured(ROWS)
    X["c"] = np.nan
    X.iloc[200:210] = X.iloc[100:110].to_numpy()
    assert "duplicates" in [kind for kind, _, _ in found(X, classes())]


def test_coarse_tables_have_copies_by_nature():
    random = np.random.default_rng(0)
    X = pd.DataFrame({name: random.integers(0, 4, ROWS) for name in "abc"})
    assert found(X, classes()) == []


def test_one_copy_is_no_matter():
    X = plain()
    X.iloc[1] = X.iloc[0]
    assert found(X, classes()) == []
