import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks.seen import ROWS, classes, found, plain
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import datasets

import sorb


def odd():
    """A table with several oddities, and an outcome."""
    y, X = classes(), plain()
    X.loc[::20, "age"] = 999
    X.loc[::9, "group"] = None
    X["days"] = np.where(y == "ill", X["bmi"], np.nan)
    X["id"] = np.arange(ROWS)
    return X, y


@pytest.mark.parametrize(
    ("load", "kinds"),
    [
        (datasets.load_iris, ["drift"]),
        (datasets.load_wine, ["drift"]),
        (datasets.load_breast_cancer, ["drift"]),
        (datasets.load_diabetes, []),
    ],
)
def test_ordinary_tables_are_hardly_odd(load, kinds):
    X, y = load(return_X_y=True, as_frame=True)
    assert [finding.kind for finding in sorb.check(X, y)] == kinds


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_not_odd(seed):
    assert found(plain(seed), classes(seed + 100)) == []


@pytest.mark.parametrize(
    "convert", [pl.from_pandas, pa.Table.from_pandas, lambda X: X.convert_dtypes()]
)
def test_all_libraries_say_the_same(convert):
    X, y = odd()
    report = sorb.check(X, y)
    assert sorb.check(convert(X), list(y)) == report
    assert {finding.kind for finding in report} == {"missing-leak", "row-number", "sentinel"}


def test_an_array_of_objects_is_read_like_a_frame():
    X, y = odd()
    named = X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)
    assert sorb.check(X.to_numpy(dtype=object), y) == sorb.check(named, y)


@given(st.randoms(use_true_random=False))
@settings(max_examples=5)
def test_the_order_of_the_rows_changes_nothing_else(random):
    X, y = odd()
    X = X.drop(columns="id")
    rows = list(range(ROWS))
    random.shuffle(rows)
    assert found(X.iloc[rows], y[rows]) == found(X, y)


@given(st.permutations(range(5)))
@settings(max_examples=5)
def test_the_order_of_the_columns_changes_nothing_else(order):
    X, y = odd()
    assert sorted(found(X.iloc[:, list(order)], y)) == sorted(found(X, y))


def test_large_tables_are_checked_on_a_sample_of_their_contents():
    X, y = plain(n_rows=50_000), classes(n_rows=50_000)
    X["days"] = np.where(y == "ill", 1.0, np.nan)
    X["bmi"] += np.random.default_rng(0).normal(size=50_000)
    report = sorb.check(X, y)
    assert [finding.kind for finding in report] == ["missing-leak", "constant"]
    assert 19_000 < report.n_checked < 21_000
    assert report.n_rows == 50_000
    assert f"Looked at a sample of {report.n_checked} rows" in str(report)


def test_columns_are_checked_without_an_outcome():
    X, _ = odd()
    assert [kind for kind, _, _ in found(X)] == ["row-number", "sentinel"]


@pytest.mark.parametrize(
    ("y", "task", "kinds"),
    [
        ([0, 1, 2] * 100, None, []),
        ([0, 1, 2] * 98 + [3] * 6, None, ["rare-class", "drift"]),
        ([0.0, 1.0, 2.0] * 98 + [3.0] * 6, None, ["drift"]),
        ([0, 1, 2] * 98 + [3] * 6, "regression", ["drift"]),
        ([0.0, 1.0, 2.0] * 98 + [3.0] * 6, "classification", ["rare-class", "drift"]),
        ([True, False] * 147 + [True] * 6, None, []),
    ],
)
def test_few_integers_are_classes_unless_told_otherwise(y, task, kinds):
    found_kinds = [kind for kind, _, _ in found(plain(), y, task=task)]
    assert set(found_kinds) - {"drift"} == set(kinds) - {"drift"}


def test_rows_without_an_outcome_are_left_out_and_counted():
    X, y = odd()
    report = sorb.check(X, [None, *y[1:]])
    assert (report.n_rows, report.left_out) == (ROWS - 1, 1)


@pytest.mark.parametrize(
    "column",
    [
        pd.date_range("2020-01-01", periods=ROWS),
        [[1, 2]] * ROWS,
        [np.inf, -np.inf, 1.0] * (ROWS // 3),
        [1, "one", None] * (ROWS // 3),
        [2**80, 1, 0] * (ROWS // 3),
        [1e308, -1e308, 0.0] * (ROWS // 3),
    ],
    ids=["dates", "lists", "infinite", "mixed", "huge", "ends of the floats"],
)
def test_nothing_is_refused_for_what_it_holds(column):
    sorb.check(plain().assign(x=column), classes())


def test_a_date_that_follows_the_rows_is_no_running_number():
    X = plain().assign(x=pd.date_range("2020-01-01", periods=ROWS))
    assert found(X, classes()) == [("left-out", ("x",), "look")]


def test_numbers_that_are_categories_are_no_ids():
    X = plain().assign(code=np.random.default_rng(0).permutation(ROWS) % 150)
    assert found(X, classes(), categorical_features=["code"]) == []


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((plain(), classes()[1:]), {}, "one outcome for each of the 300 rows, found 299"),
        ((plain(), classes()), {"task": "guess"}, "task must be one of"),
        ((plain(), classes()), {"task": "regression"}, "row 0: a regression needs numbers"),
        ((np.zeros(5), None), {}, "rows and columns"),
        ((np.zeros((0, 3)), None), {}, "at least one row"),
    ],
)
def test_errors_say_what_was_expected(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        sorb.check(*arguments, **options)


def test_lazy_frames_are_refused_with_advice():
    with pytest.raises(TypeError, match="collect it first"):
        sorb.check(pl.LazyFrame({"a": [1]}))


def test_sparse_matrices_are_refused_with_advice():
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match="toarray"):
        sorb.check(csr_array(np.eye(3)))
