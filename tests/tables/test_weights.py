import numpy as np
import pandas as pd
import pytest

from sorb.tables.weights import apply_class_weight, copy_counts, row_weights


@pytest.mark.parametrize(
    "given",
    [[1, 2.5], (1.0, 2.5), ["1", "2.5"], pd.Series([1, 2.5]), np.array([1, 2.5], dtype=object)],
    ids=["list", "tuple", "texts", "series", "objects"],
)
def test_weights_may_come_in_many_forms(given):
    assert row_weights(given, 2).tolist() == [1.0, 2.5]


@pytest.mark.parametrize(("given", "weight"), [(None, 1.0), (2, 2.0)])
def test_all_rows_may_have_the_same_weight(given, weight):
    assert row_weights(given, 3).tolist() == [weight] * 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, -2], "w must be finite and non-negative, found -2.0 in row 1"),
        ([np.inf, 1], "w must be finite and non-negative, found inf in row 0"),
        ([1, np.nan], "w must be finite and non-negative, found nan in row 1"),
        ([1, None], "w must be finite and non-negative, found nan in row 1"),
        ([1, pd.NA], "w must be finite and non-negative, found nan in row 1"),
        ([1, "heavy"], "w must hold numbers, found 'heavy' in row 1"),
        ("weight", "w must hold one number for each row, found 'weight'"),
        (np.array(["2020-01-01"] * 2, "M8[D]"), r"w holds dates or times \(datetime64\[D\]\)"),
        (np.array([1, 2], "m8[D]"), r"w holds dates or times \(timedelta64\[D\]\)"),
        ([1.7e308, 1.7e308], "w must have a finite sum"),
        ([0, 0], "w must be positive in at least one row"),
        ([1], r"w must hold one number for each of the 2 rows, found the shape \(1,\)"),
        ([[1, 2]], r"w must hold one number for each of the 2 rows, found the shape \(1, 2\)"),
    ],
)
def test_impossible_weights_are_named(given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        row_weights(given, 2, "w")


def test_there_must_be_a_row():
    with pytest.raises(ValueError, match="at least one row"):
        row_weights(None, 0)


@pytest.mark.parametrize(("weight", "count"), [([1, 3, 0], [1, 3, 0]), ([1, 2.5, 0], [1, 1, 1])])
def test_only_whole_weights_are_copies(weight, count):
    assert copy_counts(np.array(weight, dtype=float)).tolist() == count


def test_balanced_classes_weigh_the_same():
    y, weight = np.array(["a", "b", "b", "c"]), np.array([3.0, 1.0, 2.0, 0.0])
    found = apply_class_weight("balanced", y, weight)
    assert found.tolist() == [3.0, 1.0, 2.0, 0.0]
    assert apply_class_weight("balanced", y, np.ones(4))[[0, 1, 3]].tolist() == [
        4 / 3,
        2 / 3,
        4 / 3,
    ]


@pytest.mark.parametrize("value", [-1.0, np.inf])
def test_impossible_class_weights_are_named(value):
    with pytest.raises(ValueError, match=f"found {value} for class 'b'"):
        apply_class_weight({"b": value}, np.array(["a", "b"]), np.ones(2))
