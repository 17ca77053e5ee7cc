import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sorb import LLTBoostClassifier
from sorb.losses import loss_by_name
from sorb.rules import RuleEnsemble
from sorb.tables.targets import Outcomes, require_scale

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


LABELS_OF_ONE_KIND = {
    "booleans": [True, False],
    "booleans of NumPy": [np.True_, np.False_],
    "numbers": [1, 2],
    "whole floats": [1.0, 2.0],
    "texts": ["a", "b"],
}


@pytest.mark.parametrize("kind", LABELS_OF_ONE_KIND)
def test_labels_may_be_objects(kind):
    labels = LABELS_OF_ONE_KIND[kind]
    X = np.repeat([0.0, 1.0], 10)[:, None]
    model = LLTBoostClassifier(max_rules=1, selection=None).fit(
        X, np.repeat(np.array(labels, object), 10)
    )
    assert model.classes_.tolist() == sorted(labels)
    assert model.ensemble_.classes == tuple(sorted(labels))


LABELS_OF_NO_KIND = {
    "text and number": (["a", 1], "y holds 'a' in row 0, but 1 in row 1: expected class labels of"),
    "1 three times": ([1, "1", 1.0], "y holds '1' in row 1, but 1 in row 0: expected class labels"),
    "text and boolean": ([True, "a"], "y holds 'a' in row 1, but True in row 0"),
    "decimals": ([1, Decimal(1)], r"y holds Decimal\('1'\) in row 1: class labels must be texts"),
    "signalling NaN": ([1, Decimal("sNaN")], "y is missing in row 1"),
    "dates": (np.array(DAYS, "M8[D]"), r"y holds .*2020-01-01.* in row 0: class labels must be"),
    "durations": (np.array([1, 2], "m8[D]"), r"y holds .*timedelta.* in row 0: class labels must"),
    "days": (DAYS, r"y holds datetime\.date\(2020, 1, 1\) in row 0: class labels must be texts"),
    "bytes": (np.array([b"a", b"b"]), r"y holds .*b'a'.* in row 0: class labels must be texts"),
    "lists": ([[1, 2], [3]], r"y holds \[1, 2\] in row 0: class labels must be texts"),
    "large integers": ([1, 2**70], r"y holds \d+ in row 1: class labels .* between -2\*\*63 and"),
}


@pytest.mark.parametrize("kind", LABELS_OF_NO_KIND)
def test_labels_of_no_kind_are_named(kind):
    y, message = LABELS_OF_NO_KIND[kind]
    with pytest.raises(ValueError, match=f"^{message}"):
        LLTBoostClassifier().fit(np.arange(float(len(y)))[:, None], y)


def test_labels_that_are_in_no_set_are_named():
    with pytest.raises(ValueError, match=r"classes of the model, 'a', 'b'; found \[1\] in row 1"):
        read("logistic", ["a", [1]], ("a", "b"))


@pytest.mark.parametrize(
    ("loss", "y"),
    [
        ("squared", [1e70, -1e70]),
        ("squared", [1.0, 1e-300]),
        ("squared", [0.0, 0.0]),
        ("poisson", [0.0, 1e-70]),
        ("gamma", [1e-70, 1e70]),
    ],
)
def test_outcomes_of_ordinary_sizes_are_accepted(loss, y):
    require_scale(loss_by_name(loss), np.array(y), np.ones(2))


@pytest.mark.parametrize(
    ("loss", "y", "message"),
    [
        ("squared", [1.0, -2e70], r"^y is -2e\+70 in row 1: expected at most 1e\+70 in size"),
        ("squared", [0.0, -1e-80], "^y is -1e-80 in row 1, and nowhere larger: expected zero, or"),
        ("tweedie", [1.0, 1e-80], "^y is 1e-80 in row 1: expected at least 1e-70 where it is pos"),
        ("gamma", [1.0, 1e-80], "^y is 1e-80 in row 1: expected at least 1e-70 where it is pos"),
    ],
)
def test_outcomes_beyond_them_are_named(loss, y, message):
    with pytest.raises(ValueError, match=message):
        require_scale(loss_by_name(loss), np.array(y), np.ones(2))
