import pyarrow as pa
import pytest

from sorb.tables.number_texts import (
    has_decimal_comma,
    number_mask,
    read_numbers,
)


def read(texts, commas=False):
    return read_numbers(pa.chunked_array([texts]), commas).to_pylist()


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1", " -2.5 ", "+.5", "3."], [1, -2.5, 0.5, 3]),
        (["1e3", "2E-2"], [1000, 0.02]),
        (["1", None, "None"], [1, None, None]),
        (["inf", "-Infinity", "1"], [float("inf"), -float("inf"), 1]),
    ],
    ids=["plain", "exponents", "missing", "infinite"],
)
def test_texts_that_are_all_numbers_are_read(texts, numbers):
    assert read(texts) == numbers
    assert read([text and text.replace(".", ",") for text in texts], commas=True) == numbers


@pytest.mark.parametrize(
    "texts", [["1", "x"], ["1,5", "2"], ["1.000.000"], ["5 %"], ["None", None], ["0x1F"]]
)
def test_other_texts_stay_as_they_are(texts):
    assert read(texts) == texts


def test_one_column_has_one_decimal_sign():
    assert read(["1,5", "2.5"], commas=True) == ["1,5", "2.5"]


def test_numbers_are_told_from_words():
    texts = ["1,5", "2.5", "infinite", "None", "7"]
    assert number_mask(pa.chunked_array([texts]), True).to_pylist() == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert [has_decimal_comma(text) for text in texts] == [True, False, False, False, False]
