"""A fit to a lazy frame refuses and learns what a fit in memory does, at the edges of tables."""

from datetime import date

import duckdb
import numpy as np
import polars as pl
import pytest

from sorb import LLTBoostClassifier, LLTBoostRegressor

ENGINES = {
    "polars": lambda table: table.lazy(),
    "DuckDB": lambda table: duckdb.from_arrow(table.to_arrow()),
}


def conditions(model):
    return [rule.condition for rule in model.ensemble_]


@pytest.mark.parametrize("engine", ENGINES)
def test_hundreds_of_categories_are_not_too_many(engine):
    group = np.arange(3000) % 300
    table = pl.DataFrame({"group": group, "y": group < 100})
    model = LLTBoostClassifier(max_rules=1, categorical_features=["group"], selection=None)
    lazily = conditions(model.fit(ENGINES[engine](table), y="y"))
    assert lazily == conditions(model.fit(table.drop("y"), table["y"]))
    assert len(lazily) == 1


def test_hundreds_of_classes_are_not_too_many():
    y = np.arange(2500) % 250
    table = pl.DataFrame({"x": y + 0.0, "y": y})
    model = LLTBoostClassifier(max_rules=1, search_rows=500, selection=None)
    lazily = conditions(model.fit(table.lazy(), y="y"))
    assert lazily == conditions(model.fit(table.drop("y"), table["y"]))


@pytest.fixture
def numbers():
    """Many more rows than are sampled."""
    return np.random.default_rng(0).normal(size=5000)


@pytest.mark.parametrize(
    ("loss", "outcome", "message"),
    [
        ("squared", 1e200, "column 'y' is 1e.200: expected at most 1e.70 in size"),
        ("poisson", 1e200, "column 'y' is 1e.200: expected at most 1e.70 in size"),
        ("poisson", 1e-200, "column 'y' is 1e-200: expected at least 1e-70 where it is positive"),
    ],
)
def test_outcomes_out_of_scale_are_refused_even_if_they_are_not_sampled(
    loss, outcome, message, numbers
):
    y = np.exp(numbers)
    y[17] = outcome
    table = pl.DataFrame({"x": numbers, "y": y})
    model = LLTBoostRegressor(loss=loss, max_rules=1, search_rows=100)
    with pytest.raises(ValueError, match=message):
        model.fit(table.lazy(), y="y")


def test_outcomes_that_are_all_zero_are_in_scale(numbers):
    table = pl.DataFrame({"x": numbers, "y": np.zeros(len(numbers))})
    model = LLTBoostRegressor(max_rules=1, search_rows=100).fit(table.lazy(), y="y")
    assert model.ensemble_.offset == 0


def test_infinite_categories_are_refused_even_if_they_are_not_sampled(numbers):
    group = np.where(numbers > 0, 1.0, 2.0)
    group[17] = np.inf
    table = pl.DataFrame({"x": numbers, "group": group, "y": numbers > 0})
    model = LLTBoostClassifier(max_rules=1, search_rows=100, categorical_features=["group"])
    with pytest.raises(ValueError, match="X contains infinity in column 'group', in 1 rows"):
        model.fit(table.lazy(), y="y")


@pytest.mark.parametrize("label", [date(2020, 1, 1), b"a", [1]])
def test_what_labels_no_class_is_refused_by_its_type(label):
    table = pl.DataFrame({"x": [1.0, 2.0], "y": [label, None]})
    with pytest.raises(ValueError, match=r"column 'y' holds .*: class labels must be texts"):
        LLTBoostClassifier().fit(table.lazy(), y="y")
