import math
import re

import numpy as np
import pandas as pd
import pytest

from sorb.tables.weights import (
    apply_class_weight,
    copy_counts,
    multiply_weights,
    row_weights,
    weight_unit,
)


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
        ([1, "heavy"], "w holds 'heavy' in row 1: expected a number"),
        ([1, 10**5000], "w holds an integer beyond 1e308 in row 1"),
        (
            "weight",
            "w must hold one number for each of the 2 rows, found the single value 'weight'",
        ),
        (np.array(["2020-01-01"] * 2, "M8[D]"), r"w holds dates or times \(datetime64\[D\]\)"),
        (np.array([1, 2], "m8[D]"), r"w holds dates or times \(timedelta64\[D\]\)"),
        ([1.7e308, 1.7e308], r"w must sum to at most 1e\+300, found inf"),
        ([1e301, 1], r"w must sum to at most 1e\+300, found 1e\+301: divide it by a constant"),
        ([0, 0], "w must be positive in at least one row"),
        ([1], r"w must hold one number for each of the 2 rows, found 1$"),
        ([[1, 2]], r"w must hold one number for each of the 2 rows, found the shape \(1, 2\)"),
    ],
)
def test_impossible_weights_are_named(given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        row_weights(given, 2, "w")


def test_there_must_be_a_row():
    with pytest.raises(ValueError, match="at least one row"):
        row_weights(None, 0)


@pytest.mark.parametrize(
    ("weight", "count"),
    [([1, 3, 0], [1, 3, 0]), ([1, 2.5, 0], [1, 1, 1]), ([1e100, 2e100, 3e100], [1, 1, 1])],
)
def test_only_whole_weights_are_copies(weight, count):
    assert copy_counts(np.array(weight, dtype=float)).tolist() == count


def test_balanced_classes_weigh_the_same():
    y, weight = np.array(["a", "b", "b", "c"]), np.array([3.0, 1.0, 2.0, 0.0])
    found = apply_class_weight("balanced", y, weight)
    assert found.tolist() == [3.0, 1.0, 2.0, 0.0]
    found = apply_class_weight("balanced", y, np.ones(4))[[0, 1, 3]]
    assert found == pytest.approx([4 / 3, 2 / 3, 4 / 3], rel=1e-12)


def test_balanced_weights_do_not_depend_on_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    y, weight = rng.integers(0, 3, 200), rng.exponential(size=200)
    rows = rng.permutation(200)
    found = apply_class_weight("balanced", y, weight)
    assert apply_class_weight("balanced", y[rows], weight[rows]).tolist() == found[rows].tolist()


@pytest.mark.parametrize("value", [-1.0, math.inf, math.nan, 10**400, "a", None, [1, 2], 1j])
def test_impossible_class_weights_are_named(value):
    with pytest.raises(ValueError, match=f"found {re.escape(repr(value))} for class 'b'"):
        apply_class_weight({"b": value}, np.array(["a", "b"]), np.ones(2))


def test_weights_that_change_no_sum_are_no_weights():
    assert row_weights([1e-80, 1e-60, 2], 3).tolist() == [0, 1e-60, 2]
    assert row_weights([1e-280, 1e-260, 2e-200], 3).tolist() == [0, 1e-260, 2e-200]


@pytest.mark.parametrize(
    ("weight", "factor", "message"),
    [
        ([1e200, 1], [1e200, 1], "w times e must sum to at most 1e\\+300, found inf"),
        ([1e-200, 1], [1e-200, 0], "w times e must be positive in at least one row"),
    ],
)
def test_products_of_weights_must_be_weights(weight, factor, message):
    with pytest.raises(ValueError, match=message):
        multiply_weights(np.array(weight), np.array(factor), "w times e")


@pytest.mark.parametrize("size", [1e-323, 1e-300, 0.3, 1.0, 7.0, 1e200, 1e299])
def test_weights_are_near_one_in_their_unit(size):
    weight = np.array([0.5, 1.0, 1.5]) * size
    unit = weight_unit(weight, np.ones(3))
    assert 0.25 <= np.mean(weight / unit) <= 4
    assert (weight / unit * unit == weight).all()
    assert np.sqrt(unit) ** 2 == unit


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_balanced_classes_may_have_weights_of_any_size(size):
    y, weight = np.array(["a", "b", "b"]), np.array([1.0, 1e-60, 1e-60]) * size
    found = apply_class_weight("balanced", y, weight)
    assert found / size == pytest.approx([0.5, 0.25, 0.25])
