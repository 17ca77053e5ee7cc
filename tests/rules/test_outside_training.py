import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rule_strategies import all_ensembles_with_rows, as_array, for_all, named
from scipy import sparse

from sorb.rules import ColumnExperience, Condition, Membership, Proposition, Rule, RuleEnsemble

OLD = Proposition(("age",), (1.0,), 40.0)
GROUP = Membership("group", ("A",))
SEEN = {
    "age": ColumnExperience(missing=False, range=(18, 84)),
    "group": ColumnExperience(missing=True, categories=("A", "B")),
}
RULES = (Rule(Condition((OLD,)), 1.0), Rule(Condition((GROUP,)), 2.0))
ENSEMBLE = RuleEnsemble(0.0, RULES, ("group", "age", "rest"), "squared", experience=SEEN)
ROWS = {
    "age": [50.0, 17.0, math.nan, 84.0, 85.0, 18.0],
    "group": ["A", "Z", None, "B", "Z", "Oh"],
}
EXPECTED = [(), ("group", "age"), ("age",), (), ("group", "age"), ("group",)]


def kinds(value, weighed, seen):
    """What is unlike the training about one value, in plain Python."""
    is_number = weighed or (seen is not None and seen.range is not None)
    if is_number and value is not None and math.isinf(value):
        return "infinite"
    if seen is None:
        return None
    if value is None:
        return None if seen.missing else "missing"
    if is_number:
        low, high = seen.range or (-math.inf, math.inf)
        return None if low <= value <= high else "range"
    return None if seen.categories is None or value in seen.categories else "category"


@for_all(all_ensembles_with_rows(), examples=40)
def test_is_what_plain_python_finds(drawn):
    ensemble, table = drawn
    seen, weighed = dict(ensemble.experience), ensemble.weighed_columns
    expected = {}
    for row, cells in enumerate(table):
        values = named(ensemble, cells)
        for name in ensemble.used_columns:
            kind = kinds(values[name], name in weighed, seen.get(name))
            if kind:
                expected.setdefault((name, kind), []).append(row)
    found = ensemble.outside_training(as_array(table))
    places = zip(found.values, found.places, strict=True)
    assert {(v.column, v.kind): rows.tolist() for v, rows in places} == expected
    assert [(v.count, v.first_row) for v in found.values] == [
        (len(rows), rows[0])
        for rows in map(expected.get, ((v.column, v.kind) for v in found.values))
    ]
    outside = {row for rows in expected.values() for row in rows}
    assert np.flatnonzero(found.rows).tolist() == sorted(outside)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).to_arrow(),
        [dict(zip(ROWS, cells, strict=True)) for cells in zip(*ROWS.values(), strict=True)],
        np.array([*zip(ROWS["group"], ROWS["age"], "abcdef", strict=True)], dtype=object),
    ],
    ids=["pandas", "polars", "pyarrow", "dicts", "array"],
)
def test_every_kind_of_table(table):
    assert ENSEMBLE.outside_training(table).columns() == EXPECTED


def test_sparse_tables():
    ensemble = RuleEnsemble(0.0, RULES[:1], ("age",), "squared", experience={"age": SEEN["age"]})
    found = ensemble.outside_training(sparse.csr_array([[50.0], [0.0], [90.0]]))
    assert found.rows.tolist() == [False, True, True]


def test_the_summary_names_columns_rows_and_values():
    found = ENSEMBLE.outside_training(pd.DataFrame({**ROWS, "age": [*ROWS["age"][:5], math.inf]}))
    assert str(found).splitlines() == [
        "4 of 6 rows are outside of the training:",
        "  column 'group' holds 'Z' in row 1 (3 in all), never seen in training",
        "  column 'age' is infinite in row 5 (1 in all)",
        "  column 'age' is missing in row 2 (1 in all), but never was in training",
        "  column 'age' is 17 in row 1 (2 in all), outside of 18 to 84 in training",
    ]
    assert str(ENSEMBLE.outside_training(pd.DataFrame(ROWS).head(1))) == (
        "all 1 rows are like those of the training"
    )


def test_large_counts_are_written_like_other_numbers():
    found = ENSEMBLE.outside_training(pd.DataFrame({"group": ["Z", "A"] * 1000, "age": 50}))
    assert str(found).splitlines() == [
        "1000 of 2000 rows are outside of the training:",
        "  column 'group' holds 'Z' in row 0 (1000 in all), never seen in training",
    ]


def test_the_summary_names_columns_that_the_model_does_not_remember():
    seen = {"age": SEEN["age"]}
    ensemble = RuleEnsemble(0.0, RULES, ("group", "age"), "squared", experience=seen)
    assert str(ensemble.outside_training({"age": 50, "group": "Z"})).splitlines() == [
        "nothing in 1 rows is known to be unlike the training",
        "  the model does not remember what it was trained on in 'group'",
    ]
    assert str(ensemble.outside_training({"age": 17, "group": "Z"})).splitlines() == [
        "1 of 1 rows is outside of the training:",
        "  column 'age' is 17 in row 0 (1 in all), outside of 18 to 84 in training",
        "  the model does not remember what it was trained on in 'group'",
    ]


def test_long_categories_are_cut():
    [values] = ENSEMBLE.outside_training({"age": 50, "group": "x" * 1000}).values
    assert len(str(values)) < 150


def test_what_cannot_be_a_category_is_a_new_one():
    [values] = ENSEMBLE.outside_training([{"age": 50, "group": ["A"]}]).values
    assert (
        str(values)
        == "column 'group' holds no category in row 0 (1 in all), never seen in training"
    )


def test_without_experience_only_infinite_numbers_are_found():
    ensemble = RuleEnsemble(0.0, RULES, ("group", "age"), "squared")
    found = ensemble.outside_training({"age": -math.inf, "group": "Z"})
    assert [str(values) for values in found.values] == [
        "column 'age' is infinite in row 0 (1 in all)"
    ]
