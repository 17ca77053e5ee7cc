import datetime

import numpy as np
import pandas as pd
import pytest

from sorb.rules import RuleEnsemble
from sorb.tables.targets import Outcomes

DAYS = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]


def read(loss, y, classes=None):
    return Outcomes.of(RuleEnsemble(0.0, (), ("a",), loss, classes), y, np.ones(2)).y.tolist()


@pytest.mark.parametrize("loss", ["squared", "poisson"])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array(DAYS, dtype="datetime64[D]"), "^y holds dates or times"),
        (np.array([1, 2], dtype="timedelta64[D]"), "^y holds dates or times"),
        (DAYS, "^y holds dates or times"),
        ([1.0, "two"], "^y holds 'two' in row 1: expected a number"),
        (["1", "two"], "^y holds 'two' in row 1: expected a number"),
        ([1.0, None], r"^y is missing in row 1 \(1 in all\): expected a number"),
        ([1.0, np.nan], "^y is missing in row 1"),
        (pd.Series([None, 2], dtype="Int64"), "^y is missing in row 0"),
        ([1.0, np.inf], "^y is inf in row 1: expected a finite number"),
    ],
)
def test_what_is_no_number_is_named(loss, y, message):
    with pytest.raises(ValueError, match=message):
        read(loss, y)


def test_only_counts_must_not_be_negative():
    with pytest.raises(ValueError, match=r"y is -1\.0 in row 1: expected 0 or more"):
        read("poisson", [0, -1])
    assert read("squared", [0, -1]) == [0.0, -1.0]


@pytest.mark.parametrize("y", [[1, 2], [True, 2], pd.Series([1, 2], dtype="Int64"), ["1", "2"]])
def test_numbers_may_come_in_many_forms(y):
    assert read("squared", y) == [1.0, 2.0]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_missing_label_is_named(missing):
    with pytest.raises(ValueError, match=r"^y is missing in row 1 .* a class label"):
        read("logistic", ["no", missing], ("no", "yes"))
