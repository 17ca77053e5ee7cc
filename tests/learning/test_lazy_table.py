"""A fit to a lazy frame refuses and learns what a fit in memory does, at the edges of tables."""

import duckdb
import numpy as np
import polars as pl
import pytest

from sorb import LLTBoostClassifier

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
