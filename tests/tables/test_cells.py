"""One column of any type is read as numbers or categories, or refused with a helpful message."""

import datetime as dt
import re
import time
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import strategies as st
from rule_strategies import for_all
from tables.libraries import DAY, LIBRARIES, as_pandas, as_polars, as_pyarrow, each_library

from sorb import Membership, Proposition
from sorb.rules.columns import column_source
from sorb.tables.arrays import read_array
from sorb.tables.frames import read_frame


def left_out(frame, copies=None):
    return read_frame(frame, ("c",), "from_dtype", copies)[1].left_out.get("c")


def read(column, categorical="from_dtype"):
    """Read a table of one column: its cells, None where they are missing, and its categories."""
    matrix, columns = read_frame(column, ("c",), categorical)
    cells = [None if value != value else value for value in matrix[:, 0].tolist()]
    return cells, columns.categories[0]


def taken(column):
    """Read the numbers of a table of one column as a prediction does."""
    return column_source(column, ("c",)).take("c")


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


DECIMALS = [Decimal(text) for text in ("2.9", "0.57", "1.15", "123456789.123456789")]


@pytest.mark.parametrize(
    "table",
    [
        as_pyarrow(DECIMALS),
        as_pandas(DECIMALS, pd.ArrowDtype(pa.decimal128(30, 15))),
        as_pandas(DECIMALS, object),
        as_polars(DECIMALS),
    ],
    ids=["pyarrow", "pandas of pyarrow", "pandas objects", "polars"],
)
def test_decimals_are_the_nearest_floats(table):
    """A cast of pyarrow misses them, so that a dose of 2.9 was not ≤ 2.9."""
    assert taken(table).tolist() == [float(value) for value in DECIMALS]


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
@for_all(values=st.lists(st.none() | st.floats(allow_nan=False), min_size=1))
def test_no_number_is_changed(library, values):
    assert read(LIBRARIES[library]({"c": [0.5, *values]})) == ([0.5, *values], None)


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


integers = st.integers(-(2**63), 2**64 - 1)
labels = st.none() | st.booleans() | integers | st.floats(allow_infinity=False) | st.text()


@for_all(values=st.lists(labels, min_size=1), data=st.data())
def test_codes_mean_what_propositions_mean(values, data):
    frame = as_pandas(values, object)
    codes, known = read(frame, ["c"])
    named = data.draw(st.sets(st.sampled_from(known)) if known else st.just(set()))
    if named:
        covered = [code is not None and known[int(code)] in named for code in codes]
        assert Membership("c", tuple(named))(frame).tolist() == covered
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
        (["1", "-0.1", None, "0.3"], "texts that read as numbers, such as '-0.1' in row 1"),
        (["1,5", "2"], "numbers with a decimal comma, such as '1,5' in row 0"),
        ([1, 2.5, "3"], "texts that read as numbers, such as 2.5 in row 1"),
        ([f"{k}.5" for k in range(300)], "texts that read as numbers, such as '0.5' in row 0"),
        (["36.7 kg", "41 kg"], "numbers with a unit, such as '36.7 kg' in row 0"),
        (["9", "12 %"], "numbers with a percent sign, such as '12 %' in row 1"),
        (["1 200", "900"], "numbers with a thousands separator, such as '1 200' in row 0"),
    ],
    ids=["texts", "decimal commas", "objects", "many", "units", "percent", "thousands"],
)
def test_texts_that_read_as_numbers_are_refused_if_some_are_not_whole(values, found):
    frame = as_pandas(values, object)
    with pytest.raises(ValueError, match=f"'c' holds {found}"):
        read(frame)
    assert len(read(frame, ["c"])[1]) == len({*values} - {None})


def test_numbers_and_texts_may_be_categories_if_that_is_said():
    mixed = ["0", "1", "2", "3 or so"]
    assert read(as_pandas(mixed, "category"))[1] == tuple(mixed)
    assert read(as_pandas(mixed), ["c"])[1] == tuple(mixed)


def test_too_many_texts_are_not_categories():
    names = [f"town {i}" for i in range(256)] * 9
    reason = "256 different texts, such as 'town 0', are too many for categories; if they are"
    assert left_out(as_pandas(names)).startswith(reason)
    assert len(read(as_pandas(names), ["c"])[1]) == 256
    assert len(read(as_pandas(names, "category"))[1]) == 256
    assert len(read(as_pandas([name for name in names if name != "town 0"]))[1]) == 255


def test_texts_that_hardly_recur_are_names():
    names = [f"patient {i}" for i in range(21)]
    reason = "21 different texts in 21 rows, such as 'patient 0', are taken for names"
    assert left_out(as_pandas(names)).startswith(reason)
    assert len(read(as_pandas(names[1:]))[1]) == 20
    assert len(read(as_pandas(names + names))[1]) == 21
    # A row that counts twice is two rows, and one that does not count is none.
    assert left_out(as_pandas(names), np.full(21, 2.0)) is None
    assert left_out(as_pandas(names), np.repeat([0.0, 1.0], [1, 20])) is None


def test_whole_numbers_beyond_those_of_floats_are_identifiers():
    numbers = [2**53, 2**53 + 1]
    assert "such as 9007199254740993, are taken for identifiers" in left_out(as_pandas(numbers))
    assert left_out(as_pandas(numbers[:1])) is None
    assert left_out(as_pandas(numbers), np.array([1.0, 0.0])) is None
    assert left_out(as_pandas([1.0, 2.0**60])) is None


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


NOT_NUMBERS = {
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


NOT_CATEGORIES = {
    "dates": (as_polars([None, DAY]), r"'c' holds datetime\.date\(2020, 1, 31\) in row 1"),
    "periods": (DATES["pandas period"], r"'c' holds Period.* in row 0"),
    "intervals": (as_pandas(pd.cut([1.0, 2.0], [0, 1, 2])), r"'c' holds Interval.* in row 0"),
    "infinity": (as_pandas([1.5, np.inf]), r"'c' holds inf in row 1"),
    "lists": (as_polars([None, [1]]), r"'c' holds \[1\] in row 1"),
    "decimals": (as_pyarrow([Decimal(1)]), r"'c' holds Decimal\('1'\) in row 0"),
    "long integers": (as_pandas([1, 2**64], object), r"'c' holds 18446744073709551616 in row 1"),
    "half a character": (as_pandas(["a", "\ud800"], object), r"'c' holds '\\ud800' in row 1"),
}


@pytest.mark.parametrize("kind", DATES)
def test_dates_and_times_are_left_out(kind):
    assert set(read(DATES[kind])[0]) == {None}
    example = r"" if re.search("(?i)delta|duration", kind) else r", such as \S+.*,"
    assert re.match(f"dates and times{example} have no unit", left_out(DATES[kind]))


@pytest.mark.parametrize("kind", NOT_NUMBERS)
def test_what_is_no_number_is_refused(kind):
    column, message = NOT_NUMBERS[kind]
    with pytest.raises(ValueError, match=message):
        read(column)


@pytest.mark.parametrize("kind", NOT_CATEGORIES)
def test_what_cannot_stand_in_a_rule_is_no_category(kind):
    column, message = NOT_CATEGORIES[kind]
    with pytest.raises(ValueError, match=f"{message}: categories must be texts, finite numbers"):
        read(column, ["c"])


def test_whole_numbers_of_more_than_64_bits_stay_floats_as_categories():
    cells, known = read(as_pandas([1.0, 1e20, -1e300]), ["c"])
    assert (cells, known) == ([1.0, 2.0, 0.0], (-1e300, 1, 1e20))
    assert Membership("c", known).categories == known


def test_a_long_column_of_texts_is_read_by_its_distinct_values():
    labels = np.array(["A", "AB", "B", "O"])
    codes = np.random.default_rng(0).integers(0, 4, size=200_000)
    start = time.perf_counter()
    found, known = read(pl.DataFrame({"c": labels[codes]}))
    assert time.perf_counter() - start < 2
    np.testing.assert_array_equal(found, codes)
    assert known == tuple(labels)


def test_a_proposition_treats_a_boolean_as_a_number():
    smoker = Proposition(("smoker",), (1.0,), 0.5)
    for make in LIBRARIES.values():
        assert smoker(make({"smoker": [True, False, None]})).tolist() == [True, False, False]
