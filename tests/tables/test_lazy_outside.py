import math

import polars as pl
import pytest

from sorb.rules import (
    ColumnExperience,
    Condition,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
)
from sorb.tables.lazy_outside import add_outside_training

PARTS = (
    Proposition(("a",), (1.0,), 3.0),
    Product(("b",), (1.0,), 3.0),
    Membership("c", ("x",)),
    Proposition(("d",), (1.0,), 3.0),
)
SEEN = {
    "a": ColumnExperience(missing=False, range=(1.0, 5.0)),
    "b": ColumnExperience(missing=True, range=(0.0, 2.0)),
    "c": ColumnExperience(missing=False, categories=("x", "y")),
}
ENSEMBLE = RuleEnsemble(
    0.0, [Rule(Condition((p,)), 1.0) for p in PARTS], tuple("abcd"), "squared", experience=SEEN
)
TABLE = {
    "a": [1.0, 5.0, 0.9, None, 3.0, math.inf],
    "b": [0, 2, 3, None, 1, -1],
    "c": ["x", "y", "x", None, "z", "x"],
    "d": [1.0, -1e300, None, 2.0, -math.inf, 1.0],
}


def polars():
    return add_outside_training(pl.LazyFrame(TABLE), ENSEMBLE).collect()


def duckdb():
    engine = pytest.importorskip("duckdb").connect()
    table = pl.DataFrame(TABLE).to_arrow()
    engine.register("t", table)
    return add_outside_training(engine.table("t"), ENSEMBLE).pl()


@pytest.mark.parametrize("engine", [polars, duckdb])
def test_lazy_frames_name_what_a_table_in_memory_names(engine):
    found = ENSEMBLE.outside_training(pl.DataFrame(TABLE)).columns()
    assert found == [(), (), ("a", "b"), ("a", "c"), ("c", "d"), ("a", "b")]
    assert engine()["outside_training"].to_list() == ["; ".join(names) for names in found]


def test_nothing_is_named_without_experience():
    rules = (Rule(Condition((Membership("c", ("x",)),)), 1.0),)
    ensemble = RuleEnsemble(0.0, rules, ("c",), "squared")
    found = add_outside_training(pl.LazyFrame({"c": ["x", None]}), ensemble).collect()
    assert found["outside_training"].to_list() == ["", ""]


def test_columns_are_checked():
    with pytest.raises(ValueError, match="missing columns: 'd'"):
        add_outside_training(pl.LazyFrame(TABLE).drop("d"), ENSEMBLE)
    with pytest.raises(ValueError, match="second column 'outside_training'"):
        add_outside_training(pl.LazyFrame({**TABLE, "outside_training": [""] * 6}), ENSEMBLE)
