"""Data frames of every library are read alike, whatever their columns are called."""

import datetime as dt
import time

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from rule_strategies import NASTY_NAMES
from tables.libraries import DAY, LIBRARIES, each_library

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.export import to_sql
from sorb.tables.frames import is_frame, read_frame, rename_by_position, translate_names


@each_library
def test_single_precision_stays_if_all_columns_have_it(library):
    frame = nw.from_native(LIBRARIES[library]({"a": [0.1, 2.0], "b": [1.0, None]}))
    single = frame.with_columns(nw.all().cast(nw.Float32))
    assert read_frame(single.to_native(), ("a", "b"), None)[0].dtype == np.float32
    mixed = frame.with_columns(nw.col("a").cast(nw.Float32))
    matrix, _ = read_frame(mixed.to_native(), ("a", "b"), None)
    assert matrix.dtype == np.float64
    assert matrix[0, 0] == np.float32(0.1)


def test_frames_are_known():
    assert all(is_frame(make({"a": [1]})) for make in LIBRARIES.values())
    assert not any(map(is_frame, [np.ones((1, 1)), [[1]], pd.Series([1]), None]))


@each_library
@pytest.mark.parametrize("name", [*NASTY_NAMES, "a ≥ 1", "−1 always", "x0", "null", "\u200b"])
def test_any_name_will_do(library, name):
    values = [1.0, 2.0, 3.0, None, 5.0, 6.0] * 5
    table = LIBRARIES[library]({name: values, "other": [0] * 30})
    y = [int((value or 9) > 3) for value in values]
    model = LLTBoostClassifier(max_rules=1, selection=None).fit(table, y)
    assert model.ensemble_.used_columns == (name,)
    assert model.predict(table).tolist() == y
    assert model.get_feature_names_out()[0].endswith(str(model.ensemble_[0].condition))


@each_library
def test_scikit_learn_knows_the_names(library):
    table = LIBRARIES[library]({"a": [1, 2], "b": [1, 2]})
    model = LLTBoostClassifier(max_rules=0).fit(table, [0, 1])
    assert model.feature_names_in_.tolist() == ["a", "b"]


@each_library
def test_an_empty_name_is_refused(library):
    with pytest.raises(ValueError, match="column number 1 has an empty name: give it one"):
        LLTBoostClassifier().fit(LIBRARIES[library]({"a": [1, 2], "": [1, 2]}), [0, 1])


NAMED_OTHERWISE = {
    "numbers": ([2021, 2020, 1], ("2021", "2020", "1")),
    "days": ([DAY, dt.date(2020, 2, 1), dt.date(2020, 2, 2)], ("2020-01-31", "2020-02-01", None)),
    "tuples": ([("size", "mean"), ("size", "sd"), ("group", "")], ("size_mean", "size_sd", None)),
    "places": ([0, 1, 2], ("x0", "x1", "x2")),
}


@pytest.fixture(params=NAMED_OTHERWISE)
def named_otherwise(request):
    """A table whose names are no strings, the names its rules should use, and outcomes."""
    keys, names = NAMED_OTHERWISE[request.param]
    size = np.random.default_rng(0).lognormal(size=200)
    table = pd.DataFrame({keys[0]: size, keys[1]: 1 / size, keys[2]: ["A", "B"] * 100})
    return table, names, np.where((size > 1) & (table[keys[2]] == "A"), "yes", "no")


def test_names_that_are_no_strings_are_written_as_such(named_otherwise):
    table, names, y = named_otherwise
    first, second, third = table.columns
    model = LLTBoostClassifier(
        max_rules=3,
        selection=None,
        units={first: "kg"},
        log_columns=[second],
        categorical_features=[third],
    ).fit(table, y)
    ensemble = model.ensemble_
    assert ensemble.columns[:2] == names[:2]
    assert ensemble.units == ((names[0], "kg"),)
    assert model.log_columns_ == (names[1],)
    assert list(model.categories_) == [ensemble.columns[2]]
    assert not hasattr(model, "feature_names_in_")
    assert model.predict(table).tolist() == y.tolist()


def test_the_ensemble_reads_the_table_it_was_learned_from(named_otherwise):
    table, _, y = named_otherwise
    model = LLTBoostClassifier(max_rules=3, selection=None).fit(table, y)
    scores = model.decision_function(table)
    np.testing.assert_array_equal(model.ensemble_(table), scores)
    np.testing.assert_array_equal(model.explain(table).total(), scores)
    assert model.ensemble_.simplify(table, y).certificate.changed_classes == 0
    assert all(name in to_sql(model.ensemble_) for name in model.ensemble_.used_columns)


def test_other_names_than_in_training_are_refused(named_otherwise):
    table, _, y = named_otherwise
    model = LLTBoostClassifier(max_rules=1, selection=None).fit(table, y)
    for keys in ([*table.columns[::-1]], [*table.columns[:2], 99]):
        with pytest.raises(ValueError, match="the columns that were passed during fit, in their o"):
            model.predict(table.set_axis(pd.Index(keys, dtype=object), axis=1))


def test_more_rules_need_the_columns_of_the_first():
    table = pd.DataFrame({2020: [1.0, 2.0, 3.0, 4.0] * 9, 2021: [0.0, 1.0] * 18})
    model = LLTBoostClassifier(max_rules=1, selection=None, warm_start=True).fit(
        table, table[2020] > 2
    )
    with pytest.raises(ValueError, match=r"columns must stay '2020', '2021', .* found '2021', '20"):
        model.set_params(max_rules=2).fit(table[[2021, 2020]], table[2020] > 2)


def test_names_that_read_alike_are_refused():
    table = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a_b", "c"), ("a", "b_c")]))
    with pytest.raises(ValueError, match=r"names \('a_b', 'c'\) and .* both read 'a_b_c': rename"):
        LLTBoostClassifier().fit(table, [0])


def test_numbers_that_are_not_names_are_positions():
    names = {2020: "2020", 1: "1", 2021: "2021"}
    assert translate_names([2020, 1, 2, -1, "2021"], names) == ["2020", "1", 2, -1, "2021"]
    assert translate_names(np.array([True, False, True]), names) == [True, False, True]
    assert translate_names("auto", names) == "auto"


@each_library
def test_columns_are_renamed_by_position(library):
    table = LIBRARIES[library]({"a": [1, 2], "b": [3, 4], "c": ["x", "y"]})
    found = nw.from_native(rename_by_position(table, ("x0", "x1", "x2"), ("x2",)))
    assert found.to_dict(as_series=False) == {"x0": [1, 2], "x2": ["x", "y"]}


@each_library
def test_no_rows_are_refused_in_training_and_answered_in_predictions(library):
    table = nw.from_native(LIBRARIES[library]({"a": [1, 2, 3, 4], "b": ["x", "y", "x", "y"]}))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        LLTBoostClassifier().fit(table.head(0).to_native(), [])
    model = LLTBoostClassifier(max_rules=1, selection=None).fit(table.to_native(), [0, 1, 0, 1])
    assert model.predict(table.head(0).to_native()).shape == (0,)


@each_library
def test_one_row_is_enough(library):
    table = LIBRARIES[library]({"a": [1], "b": ["x"]})
    assert LLTBoostRegressor().fit(table, [3.0]).predict(table).tolist() == [3.0]


@each_library
def test_thousands_of_columns_take_no_more_time_than_their_number(library):
    data = {f"gene {j}": [0.5, 1.5] for j in range(2000)}
    table = LIBRARIES[library](data)
    start = time.perf_counter()
    matrix, _ = read_frame(table, tuple(data), "from_dtype")
    assert time.perf_counter() - start < 5
    np.testing.assert_array_equal(matrix, [[0.5] * 2000, [1.5] * 2000])
