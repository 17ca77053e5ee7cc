"""Tables of every kind are read alike, or refused with a word that helps."""

import datetime as dt
import time
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import strategies as st
from rule_strategies import NASTY_NAMES, for_all

from sorb import LLTBoostClassifier, LLTBoostRegressor, Membership, Proposition
from sorb.export import to_sql
from sorb.rules.columns import column_source
from sorb.tables.reading import (
    Schema,
    as_named,
    is_frame,
    read_array,
    read_frame,
    renamed,
    require_table,
    strange_cell,
    with_logarithms,
    without_unused,
)

LIBRARIES = {
    "pandas": pd.DataFrame,
    "polars": lambda data: pl.DataFrame(data, strict=False),
    "pyarrow": pa.table,
}
each_library = pytest.mark.parametrize("library", LIBRARIES)


def read(column, categorical="from_dtype"):
    """Read a table of one column: its cells, None where they are missing, and its categories."""
    matrix, columns = read_frame(column, ("c",), categorical)
    cells = [None if value != value else value for value in matrix[:, 0].tolist()]
    return cells, columns.categories[0]


def taken(column):
    """Read the numbers of a table of one column as a prediction does."""
    return column_source(column, ("c",)).take("c")


def as_pandas(values, dtype=None):
    return pd.DataFrame({"c": pd.Series(values, dtype=dtype)})


def as_polars(values, dtype=None):
    return pl.DataFrame({"c": pl.Series(values, dtype=dtype)})


def as_pyarrow(values, dtype=None):
    return pa.table({"c": pa.array(values, dtype)})


# ---- numbers ----

ONE_TWO = {
    "pandas float": as_pandas([1.0, None, 2.0]),
    "pandas float32": as_pandas([1.0, None, 2.0], "float32"),
    "pandas float16": as_pandas([1.0, None, 2.0], "float16"),
    "pandas Int64": as_pandas([1, None, 2], "Int64"),
    "pandas UInt8": as_pandas([1, None, 2], "UInt8"),
    "pandas Float64": as_pandas([1, None, 2], "Float64"),
    "pandas int of pyarrow": as_pandas([1, None, 2], "int64[pyarrow]"),
    "pandas decimal of pyarrow": as_pandas(
        [Decimal(1), None, Decimal(2)], pd.ArrowDtype(pa.decimal128(3, 1))
    ),
    "pandas objects": as_pandas([1, None, 2.0], object),
    "pandas objects with NA": as_pandas([1, pd.NA, 2.0], object),
    "pandas objects with NaT": as_pandas([1, pd.NaT, np.int8(2)], object),
    "pandas decimals": as_pandas([Decimal(1), None, Decimal("2.0")], object),
    "pandas sparse": pd.DataFrame({"c": pd.arrays.SparseArray([1.0, np.nan, 2.0])}),
    "polars int": as_polars([1, None, 2]),
    "polars int128": as_polars([1, None, 2], pl.Int128),
    "polars float": as_polars([1.0, None, 2.0]),
    "polars float with NaN": as_polars([1.0, float("nan"), 2.0]),
    "polars float32": as_polars([1.0, None, 2.0], pl.Float32),
    "polars decimal": as_polars([Decimal(1), None, Decimal(2)]),
    "polars objects": as_polars([1, None, 2], pl.Object),
    "pyarrow int": as_pyarrow([1, None, 2]),
    "pyarrow float": as_pyarrow([1.0, float("nan"), 2.0]),
    "pyarrow float32": as_pyarrow([1.0, None, 2.0], pa.float32()),
    "pyarrow decimal": as_pyarrow([Decimal(1), None, Decimal(2)]),
    "pyarrow long decimal": as_pyarrow([Decimal(1), None, Decimal(2)], pa.decimal256(50, 2)),
    "pandas category": as_pandas([1, None, 2], "category"),
}
TRUE_FALSE = {
    "pandas boolean": as_pandas([True, None, False], "boolean"),
    "pandas objects": as_pandas([True, None, False], object),
    "pandas NumPy objects": as_pandas([np.True_, None, np.False_], object),
    "polars": as_polars([True, None, False]),
    "pyarrow": as_pyarrow([True, None, False]),
}
NOTHING = {
    "pandas": as_pandas([np.nan, np.nan]),
    "pandas objects": as_pandas([None, None], object),
    "polars": as_polars([None, None]),
    "pyarrow": as_pyarrow([None, None]),
}


@pytest.mark.parametrize("kind", ONE_TWO)
def test_numbers_of_all_types_are_numbers(kind):
    assert read(ONE_TWO[kind], None) == ([1, None, 2], None)
    np.testing.assert_array_equal(taken(ONE_TWO[kind]), [1, np.nan, 2])


@pytest.mark.parametrize("kind", TRUE_FALSE)
def test_booleans_are_one_and_zero(kind):
    assert read(TRUE_FALSE[kind]) == ([1, None, 0], None)
    np.testing.assert_array_equal(taken(TRUE_FALSE[kind]), [1, np.nan, 0])


@pytest.mark.parametrize("kind", NOTHING)
def test_nothing_at_all_is_missing(kind):
    assert read(NOTHING[kind])[0] == [None, None]
    np.testing.assert_array_equal(taken(NOTHING[kind]), [np.nan, np.nan])


@each_library
def test_single_precision_stays_if_all_columns_have_it(library):
    frame = nw.from_native(LIBRARIES[library]({"a": [0.1, 2.0], "b": [1.0, None]}))
    single = frame.with_columns(nw.all().cast(nw.Float32))
    assert read_frame(single.to_native(), ("a", "b"), None)[0].dtype == np.float32
    mixed = frame.with_columns(nw.col("a").cast(nw.Float32))
    matrix, _ = read_frame(mixed.to_native(), ("a", "b"), None)
    assert matrix.dtype == np.float64
    assert matrix[0, 0] == np.float32(0.1)


@each_library
@for_all(values=st.lists(st.none() | st.floats(allow_nan=False), min_size=1))
def test_no_number_is_changed(library, values):
    assert read(LIBRARIES[library]({"c": [0.5, *values]})) == ([0.5, *values], None)


# ---- categories ----

B_A = {
    "pandas str": as_pandas(["B", None, "A"]),
    "pandas string": as_pandas(["B", None, "A"], "string"),
    "pandas string of pyarrow": as_pandas(["B", None, "A"], "string[pyarrow]"),
    "pandas objects": as_pandas(["B", None, "A"], object),
    "pandas objects with NaN": as_pandas(["B", np.nan, "A"], object),
    "pandas category": as_pandas(["B", None, "A"], "category"),
    "pandas category with one unused": as_pandas(
        ["B", None, "A"], pd.CategoricalDtype(["Z", "B", "A"])
    ),
    "pandas ordered category": as_pandas(
        ["B", None, "A"], pd.CategoricalDtype(["B", "A"], ordered=True)
    ),
    "pandas dictionary of pyarrow": as_pandas(
        ["B", None, "A"], pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    ),
    "polars String": as_polars(["B", None, "A"]),
    "polars Categorical": as_polars(["B", None, "A"], pl.Categorical),
    "polars Enum": as_polars(["B", None, "A"], pl.Enum(["Z", "B", "A"])),
    "polars objects": as_polars(["B", None, "A"], pl.Object),
    "pyarrow string": as_pyarrow(["B", None, "A"]),
    "pyarrow large_string": as_pyarrow(["B", None, "A"], pa.large_string()),
    "pyarrow string_view": as_pyarrow(["B", None, "A"], pa.string_view()),
    "pyarrow dictionary": pa.table({"c": pa.array(["B", None, "A"]).dictionary_encode()}),
}
LABELLED = {
    "integers": ([7, None, 3], (3, 7)),
    "floats": ([0.5, None, 0.25], (0.25, 0.5)),
    "whole floats are integers": ([7.0, None, 3.0], (3, 7)),
    "booleans": ([True, None, False], (False, True)),
    "an empty text": (["a", None, ""], ("", "a")),
}


@pytest.mark.parametrize("kind", B_A)
def test_texts_and_categorical_types_are_categories(kind):
    assert read(B_A[kind]) == ([1, None, 0], ("A", "B"))


@pytest.mark.parametrize("kind", B_A)
def test_what_is_not_named_is_no_category(kind):
    with pytest.raises(ValueError, match=r"'c' holds 'B' in row 0: .* categorical_features"):
        read(B_A[kind], None)


@pytest.mark.parametrize("kind", LABELLED)
@pytest.mark.parametrize("library", [*LIBRARIES, "NumPy"])
def test_any_label_can_be_named_a_category(library, kind):
    values, known = LABELLED[kind]
    if library == "NumPy":
        array = np.array([[value] for value in values], dtype=object)
        matrix, columns = read_array(array, ("c",), ["c"])
    else:
        matrix, columns = read_frame(LIBRARIES[library]({"c": values}), ("c",), ["c"])
    np.testing.assert_array_equal(matrix[:, 0], [1, np.nan, 0])
    assert columns.categories == (known,)
    assert [type(label) for label in columns.categories[0]] == [type(label) for label in known]


@pytest.mark.parametrize("make", [as_pandas, as_polars, as_pyarrow])
def test_large_integers_are_told_apart(make):
    dtype = "Int64" if make is as_pandas else None
    values = [2**60 + 1, None, 2**60]
    assert read(make(values, dtype), ["c"]) == ([1, None, 0], (2**60, 2**60 + 1))


@pytest.mark.parametrize(
    ("values", "known"), [([7, None, 3], (3, 7)), ([2.5, None, 1.0], (1, 2.5))], ids=str
)
def test_categories_of_numbers_are_numbers(values, known):
    assert read(as_pandas(values, "category")) == ([1, None, 0], known)
    dictionary = pa.table({"c": pa.array(values).dictionary_encode()})
    assert read(dictionary) == ([1, None, 0], known)


labels = st.none() | st.booleans() | st.integers() | st.floats(allow_infinity=False) | st.text()


@for_all(values=st.lists(labels, min_size=1), data=st.data())
def test_codes_mean_what_propositions_mean(values, data):
    frame = as_pandas(values, object)
    codes, known = read(frame, ["c"])
    named = data.draw(st.sets(st.sampled_from(known)) if known else st.just(set()))
    if named:
        held = [code is not None and known[int(code)] in named for code in codes]
        assert Membership("c", tuple(named))(frame).tolist() == held
    assert [code is None for code in codes] == [v is None or v != v for v in values]
    assert list(known) == sorted(known, key=lambda label: (isinstance(label, str), label))


def test_texts_of_numbers_alone_may_be_codes():
    assert read(as_polars(["8001", "8002", "8001"])) == ([0, 1, 0], ("8001", "8002"))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (["41", "39", "unknown"], None),
        (["1,5", "2,5", "?"], None),
        ([41, 39.5, "unknown"], object),
    ],
    ids=["texts", "decimal commas", "objects"],
)
def test_numbers_with_a_stray_text_are_refused(values, dtype):
    text = values[-1].replace("?", r"\?")
    with pytest.raises(ValueError, match=rf"'c' holds numbers, but '{text}' in row 2: correct it"):
        read(as_pandas(values, dtype))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["1", "-0.1", None, "0.3"], "'-0.1' in row 1"),
        (["1,5", "2"], "'1,5' in row 0"),
        ([1, 2.5, "3"], "2.5 in row 1"),
        ([f"{k}.5" for k in range(300)], "'0.5' in row 0"),
    ],
    ids=["texts", "decimal commas", "objects", "many"],
)
def test_texts_that_read_as_numbers_are_refused_if_some_are_not_whole(values, found):
    frame = as_pandas(values, object)
    with pytest.raises(ValueError, match=rf"'c' holds texts that read as numbers, such as {found}"):
        read(frame)
    assert len(read(frame, ["c"])[1]) == len({*values} - {None})


def test_numbers_and_texts_may_be_categories_if_that_is_said():
    mixed = ["0", "1", "2", "3+"]
    assert read(as_pandas(mixed, "category"))[1] == tuple(mixed)
    assert read(as_pandas(mixed), ["c"])[1] == tuple(mixed)


def test_many_texts_are_hardly_categories():
    names = [f"patient {i}" for i in range(300)]
    with pytest.raises(ValueError, match=r"'c' holds 300 different texts, such as 'patient 0', .*"):
        read(as_pandas(names))
    assert len(read(as_pandas(names), ["c"])[1]) == 300
    assert len(read(as_pandas(names, "category"))[1]) == 300
    assert len(read(as_pandas(names[:255]))[1]) == 255


# ---- what is refused ----

DAY = dt.date(2020, 1, 31)
DATES = {
    "pandas datetime": as_pandas(pd.to_datetime([DAY, DAY])),
    "pandas datetime with zone": as_pandas(pd.to_datetime([DAY, DAY]).tz_localize("UTC")),
    "pandas timedelta": as_pandas(pd.to_timedelta([1, 2], unit="D")),
    "pandas period": as_pandas(pd.period_range("2020", periods=2, freq="M")),
    "pandas objects": as_pandas([None, DAY], object),
    "polars Date": as_polars([DAY, None]),
    "polars Datetime": as_polars([dt.datetime(2020, 1, 31)]),
    "polars Duration": as_polars([dt.timedelta(1)]),
    "polars Time": as_polars([dt.time(1)]),
    "pyarrow timestamp": as_pyarrow([dt.datetime(2020, 1, 31)]),
    "pyarrow date": as_pyarrow([DAY]),
    "pyarrow duration": as_pyarrow([dt.timedelta(1)]),
}
NO_NUMBERS = {
    "pandas complex": (as_pandas([1j, 2]), r"'c' holds 1j in row 0: expected a number"),
    "pandas lists": (as_pandas([None, [1]]), r"'c' holds \[1\] in row 1: expected a number"),
    "pandas arrays": (as_pandas([1, np.ones(2)]), r"'c' holds array\(.* in row 1: expected a nu"),
    "pandas intervals": (as_pandas(pd.interval_range(0, 3)), r"'c' holds Interval.* in row 0"),
    "pandas bytes": (as_pandas([b"a"]), r"'c' holds b'a' in row 0: expected a number"),
    "polars List": (as_polars([[1], None]), r"'c' holds List\(Int64\): expected one number"),
    "polars Array": (as_polars([[1]], pl.Array(pl.Int8, 1)), r"'c' holds Array\(.* one number"),
    "polars Struct": (as_polars([{"a": 1}]), r"'c' holds Struct\(.* one number in each row"),
    "polars Binary": (as_polars([b"a"]), r"'c' holds Binary: expected one number in each row"),
    "pyarrow list": (as_pyarrow([[1], None]), r"'c' holds List\(Int64\): expected one number"),
    "pyarrow binary": (as_pyarrow([b"a"]), r"'c' holds Binary: expected one number in each row"),
}
NO_CATEGORIES = {
    "dates": (as_polars([None, DAY]), r"'c' holds datetime\.date\(2020, 1, 31\) in row 1"),
    "periods": (DATES["pandas period"], r"'c' holds Period.* in row 0"),
    "intervals": (as_pandas(pd.cut([1.0, 2.0], [0, 1, 2])), r"'c' holds Interval.* in row 0"),
    "infinity": (as_pandas([1.5, np.inf]), r"'c' holds inf in row 1"),
    "lists": (as_polars([None, [1]]), r"'c' holds \[1\] in row 1"),
    "decimals": (as_pyarrow([Decimal(1)]), r"'c' holds Decimal\('1'\) in row 0"),
    "half a character": (as_pandas(["a", "\ud800"], object), r"'c' holds '\\ud800' in row 1"),
}


@pytest.mark.parametrize("kind", DATES)
def test_dates_and_times_are_refused(kind):
    with pytest.raises(ValueError, match=r"'c' holds dates or times .*: turn them into numbers"):
        read(DATES[kind])


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_number_is_refused(kind):
    column, message = NO_NUMBERS[kind]
    with pytest.raises(ValueError, match=message):
        read(column)


@pytest.mark.parametrize("kind", NO_CATEGORIES)
def test_what_cannot_stand_in_a_rule_is_no_category(kind):
    column, message = NO_CATEGORIES[kind]
    with pytest.raises(ValueError, match=f"{message}: categories must be texts, finite numbers"):
        read(column, ["c"])


NO_TABLES = {
    "lazy": (pl.LazyFrame({"a": [1]}), TypeError, r"lazy one \(polars.*: collect it first"),
    "batch": (pa.record_batch({"a": [1]}), TypeError, r"found pyarrow.lib.RecordBatch: make a Dat"),
    "dict": ({"a": [1]}, TypeError, r"found builtins.dict: make a DataFrame"),
    "structured array": (
        np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        TypeError,
        r"a structured one with the fields 'a', 'b': make a DataFrame",
    ),
    "dates": (np.array([["2020-01-31"]], "M8[D]"), ValueError, r"dates or times \(datetime64\[D\]"),
    "durations": (np.array([[1]], "m8[s]"), ValueError, r"holds dates or times \(timedelta64\[s\]"),
    "masked": (np.ma.array([[1.0]], mask=[[True]]), TypeError, r"NaN .* found a masked array"),
    "names twice": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        ValueError,
        r"several columns are named 'a': rename them",
    ),
    "names twice in pyarrow": (
        pa.table([[1], [2]], names=["a", "a"]),
        ValueError,
        r"several columns are named 'a'",
    ),
}


@pytest.mark.parametrize("kind", NO_TABLES)
def test_what_only_looks_like_a_table_is_refused(kind):
    table, error, message = NO_TABLES[kind]
    with pytest.raises(error, match=message):
        require_table(table)
    with pytest.raises(error, match=message):
        LLTBoostClassifier().fit(table, [0])


def test_frames_are_known():
    assert all(is_frame(make({"a": [1]})) for make in LIBRARIES.values())
    assert not any(map(is_frame, [np.ones((1, 1)), [[1]], pd.Series([1]), None]))


# ---- which columns are meant ----

NAMES = ("age", "group", "sex")
BY = {
    "name": ["sex", "group"],
    "number": [1, 2],
    "negative number": [-1, -2],
    "mask": [False, True, True],
    "array of names": np.array(["group", "sex"]),
    "array of numbers": np.array([1, 2]),
    "array of booleans": np.array([False, True, True]),
    "both": ["group", 2],
    "twice": ["group", 1, "sex"],
}


@pytest.mark.parametrize("way", BY)
def test_categories_are_named_in_many_ways(way):
    array = np.array([[40, 1, 0], [50, 2, 1]])
    frame = pd.DataFrame(array, columns=NAMES)
    for matrix, columns in (read_frame(frame, NAMES, BY[way]), read_array(array, NAMES, BY[way])):
        assert columns.categories == (None, (1, 2), (0, 1))
        np.testing.assert_array_equal(matrix, [[40, 0, 0], [50, 1, 1]])


WRONG = {
    "name": (["grop"], "names 'grop', which is no column: there are 'age', 'group', 'sex'"),
    "number": ([3], "numbers from 0 to 2, found 3"),
    "negative number": ([-4], "numbers from 0 to 2, found -4"),
    "no whole number": ([1.0], "numbers from 0 to 2, found 1.0"),
    "neither": ([None], "found None"),
    "one boolean": ([0, True], "found True"),
    "short mask": ([True, False], "must tell for each of the 3 columns, found 2"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_columns_that_are_not_there_are_refused(kind):
    wanted, message = WRONG[kind]
    array = np.ones((2, 3))
    for parameter in ("categorical_features", "log_columns"):
        for X in (array, pd.DataFrame(array, columns=["age", "group", "sex"])):
            names = "'x0', 'x1', 'x2'" if X is array else "'age', 'group', 'sex'"
            expected = message.replace("'age', 'group', 'sex'", names)
            with pytest.raises(ValueError, match=f"{parameter} .*{expected}"):
                LLTBoostClassifier(**{parameter: wanted}).fit(X, [0, 1])


def test_of_many_columns_some_are_listed():
    names = tuple(f"x{j}" for j in range(2000))
    with pytest.raises(ValueError, match=r"there are 'x0', .*'x7' and 1992 more"):
        read_array(np.ones((1, 2000)), names, ["y"])


@pytest.mark.parametrize("nothing", [None, [], [False], np.array([], dtype=str)])
def test_no_column_may_be_named(nothing):
    for array in (np.array([[1], [2]]), np.array([[1], [2]], dtype=object)):
        matrix, columns = read_array(array, ("a",), nothing)
        assert matrix.dtype == np.float64
        assert columns == Schema.of_numbers(("a",))
    assert read(as_pandas([1, 2]), nothing) == ([1, 2], None)


# ---- arrays ----


def test_arrays_of_numbers_are_not_copied():
    for dtype in (np.float32, np.float64):
        X = np.ones((3, 2), dtype=dtype)
        assert read_array(X, ("a", "b"), "from_dtype")[0] is X
        assert read_array(X, ("a", "b"), [0])[0].dtype == dtype


def test_arrays_of_objects_hold_numbers_and_categories():
    X = np.array([[1, "A", True], [None, None, False], [2.5, "B", None]], dtype=object)
    matrix, columns = read_array(X, ("a", "b", "c"), [1])
    np.testing.assert_array_equal(matrix, [[1, 0, 1], [np.nan, np.nan, 0], [2.5, 1, np.nan]])
    assert columns.categories == (None, ("A", "B"), None)


@pytest.mark.parametrize("mark", [None, np.nan, pd.NA, pd.NaT], ids=repr)
@pytest.mark.parametrize("make", [np.array, list], ids=["array", "list"])
def test_any_mark_may_say_that_an_object_is_missing(make, mark):
    cells = np.array([[k, k % 3] for k in range(40)], dtype=object)
    cells[:5, 0] = mark
    X, y = make(cells.tolist()), np.arange(40) < 20
    model = LLTBoostClassifier(max_rules=1).fit(X, y)
    assert str(model.ensemble_[0].condition) in ("x0 ≥ 19.5", "x0 ≤ 19.5 or x0 missing")
    assert model.predict(X).tolist() == y.tolist()


def test_arrays_of_texts_hold_categories_only():
    X = np.array([["1", "A"], ["2", "B"]])
    assert read_array(X, ("a", "b"), [0, 1])[1].categories == (("1", "2"), ("A", "B"))
    with pytest.raises(ValueError, match=r"column 'a' holds '1' in row 0: expected a number"):
        read_array(X, ("a", "b"), [1])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("tall", r"'x1' holds 'tall' in row 2: expected a number.*could not convert string"),
        (DAY, r"'x1' holds dates or times \(datetime\.date\(2020, 1, 31\)\)"),
        ([1], r"'x1' holds \[1\] in row 2: expected a number"),
    ],
    ids=["text", "date", "list"],
)
def test_the_cell_of_an_array_that_is_no_number_is_named(value, message):
    X = np.ones((4, 3), dtype=object)
    X[2, 1] = value
    with pytest.raises((TypeError, ValueError), match=message):
        LLTBoostClassifier().fit(X, [0, 1, 0, 1])


def test_a_table_of_numbers_has_no_strange_cell():
    for table in (np.ones((2, 2)), pd.DataFrame({"a": [1, None]}), [["1", "2"]]):
        assert strange_cell(table, may_be_category=True) is None


@each_library
def test_advice_is_given_where_it_can_be_followed(library):
    table = LIBRARIES[library]({"age": [40, 50], "name": ["x", None]})
    told = "column 'name' holds 'x' in row 0: expected a number"
    assert strange_cell(table, may_be_category=False) == told
    assert strange_cell(table, may_be_category=True).startswith(f"{told}; if the column holds cat")


def test_lists_hold_numbers_and_categories():
    X = [[float(i), "A" if i % 2 else "B"] for i in range(40)]
    for y, used in ((["A", "B"] * 20, "x1"), ([0] * 20 + [1] * 20, "x0")):
        model = LLTBoostClassifier(categorical_features=[1], max_rules=1).fit(X, y)
        assert model.ensemble_.used_columns == (used,)
        assert model.predict(X).tolist() == y
    texts = [[f"{number}"] for number, _ in X]
    assert LLTBoostClassifier(max_rules=1).fit(texts, y).predict(texts).tolist() == y


# ---- names of columns ----


@each_library
@pytest.mark.parametrize("name", [*NASTY_NAMES, "a ≥ 1", "−1 always", "x0", "null", "\u200b"])
def test_any_name_will_do(library, name):
    values = [1.0, 2.0, 3.0, None, 5.0, 6.0] * 5
    table = LIBRARIES[library]({name: values, "other": [0] * 30})
    y = [int((value or 9) > 3) for value in values]
    model = LLTBoostClassifier(max_rules=1).fit(table, y)
    assert model.ensemble_.used_columns == (name,)
    assert model.predict(table).tolist() == y
    assert model.get_feature_names_out()[0].endswith(str(model.ensemble_[0].condition))


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
        max_rules=3, units={first: "kg"}, log_columns=[second], categorical_features=[third]
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
    model = LLTBoostClassifier(max_rules=3).fit(table, y)
    scores = model.decision_function(table)
    np.testing.assert_array_equal(model.ensemble_(table), scores)
    np.testing.assert_array_equal(model.explain(table).total(), scores)
    assert model.ensemble_.simplify(table, y).certificate.changed_classes == 0
    assert all(name in to_sql(model.ensemble_) for name in model.ensemble_.used_columns)


def test_other_names_than_in_training_are_refused(named_otherwise):
    table, _, y = named_otherwise
    model = LLTBoostClassifier(max_rules=1).fit(table, y)
    for keys in ([*table.columns[::-1]], [*table.columns[:2], 99]):
        with pytest.raises(ValueError, match="the columns that were passed during fit, in their o"):
            model.predict(table.set_axis(pd.Index(keys, dtype=object), axis=1))


def test_more_rules_need_the_columns_of_the_first():
    table = pd.DataFrame({2020: [1.0, 2.0, 3.0, 4.0] * 9, 2021: [0.0, 1.0] * 18})
    model = LLTBoostClassifier(max_rules=1, warm_start=True).fit(table, table[2020] > 2)
    with pytest.raises(ValueError, match=r"columns must stay '2020', '2021', .* found '2021', '20"):
        model.set_params(max_rules=2).fit(table[[2021, 2020]], table[2020] > 2)


def test_names_that_read_alike_are_refused():
    table = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a_b", "c"), ("a", "b_c")]))
    with pytest.raises(ValueError, match=r"names \('a_b', 'c'\) and .* both read 'a_b_c': rename"):
        LLTBoostClassifier().fit(table, [0])


def test_numbers_that_are_no_names_are_places():
    names = {2020: "2020", 1: "1", 2021: "2021"}
    assert as_named([2020, 1, 2, -1, "2021"], names) == ["2020", "1", 2, -1, "2021"]
    assert as_named(np.array([True, False, True]), names) == [True, False, True]
    assert as_named("auto", names) == "auto"


@each_library
def test_columns_are_renamed_by_place(library):
    table = LIBRARIES[library]({"a": [1, 2], "b": [3, 4], "c": ["x", "y"]})
    found = nw.from_native(renamed(table, ("x0", "x1", "x2"), ("x2",)))
    assert found.to_dict(as_series=False) == {"x0": [1, 2], "x2": ["x", "y"]}


# ---- sizes ----


@each_library
def test_no_rows_are_refused_in_training_and_answered_in_predictions(library):
    table = nw.from_native(LIBRARIES[library]({"a": [1, 2, 3, 4], "b": ["x", "y", "x", "y"]}))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        LLTBoostClassifier().fit(table.head(0).to_native(), [])
    model = LLTBoostClassifier(max_rules=1).fit(table.to_native(), [0, 1, 0, 1])
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


def test_a_long_column_of_texts_is_read_by_its_distinct_values():
    labels = np.array(["A", "AB", "B", "O"])
    codes = np.random.default_rng(0).integers(0, 4, size=200_000)
    start = time.perf_counter()
    found, known = read(pl.DataFrame({"c": labels[codes]}))
    assert time.perf_counter() - start < 2
    np.testing.assert_array_equal(found, codes)
    assert known == tuple(labels)


# ---- rows that do not count ----


def test_categories_without_rows_are_forgotten():
    codes = np.array([[0.0, 1.0], [1.0, np.nan], [2.0, 0.0], [np.nan, 3.0]])
    columns = Schema(("group", "age"), (("A", "B", "O"), None))
    found = without_unused(codes, columns, np.array([False, True, True, True]))
    assert found == Schema(("group", "age"), (("B", "O"), None))
    np.testing.assert_array_equal(codes[:, 0], [np.nan, 0, 1, np.nan])
    np.testing.assert_array_equal(codes[:, 1], [1, np.nan, 0, 3])


def test_logarithms_hang_on_rows_that_count():
    X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 0.0], [4.0, 6.0]])
    columns, count = Schema.of_numbers(("a", "b")), np.array([True, True, False, True])
    assert with_logarithms(X, columns, "auto", count).logarithms == (0, 1)
    assert with_logarithms(X, columns, ["b"], count).logarithms == (1,)
    assert with_logarithms(X, columns, "auto", np.ones(4, dtype=bool)).logarithms == (0,)


def test_logarithms_are_chosen_where_they_make_sense():
    X = np.array(
        [
            [1.0, 0.0, -1.0, 1.0, 5.0, np.nan, 0.0],
            [2.0, 1.0, 3.0, 2.0, 5.0, 1e-300, 1.0],
            [3.0, 2.0, 4.0, 1.0, 5.0, 1e300, 2.0],
            [4.0, 2.0, 4.0, 1.0, 5.0, 1.0, 2.0],
        ]
    )
    names = ("positive", "zero", "negative", "two values", "constant", "with missing", "category")
    columns = Schema(names, (*[None] * 6, ("A", "B", "C")))
    every = np.ones(4, dtype=bool)
    chosen = with_logarithms(X, columns, "auto", every).logarithms
    assert [names[j] for j in chosen] == ["positive", "with missing"]
    assert with_logarithms(X, columns, None, every) == columns
    for name in ("two values", "constant"):
        assert with_logarithms(X, columns, [name], every).logarithms == (names.index(name),)


@pytest.mark.parametrize(
    ("name", "message"),
    [("zero", "'zero', which holds 0 in row 2"), ("text", "'text', which holds categories and no")],
)
def test_what_has_no_logarithm_is_named(name, message):
    table = pd.DataFrame({"zero": [1, None, 0, -1], "text": ["A", "B", "A", "B"]})
    with pytest.raises(ValueError, match=f"log_columns names {message}"):
        LLTBoostClassifier(log_columns=[name]).fit(table, [0, 1, 0, 1])


def test_a_proposition_on_a_boolean_holds_for_it_as_for_a_number():
    smoker = Proposition(("smoker",), (1.0,), 0.5)
    for make in LIBRARIES.values():
        assert smoker(make({"smoker": [True, False, None]})).tolist() == [True, False, False]
