import numpy as np
import pytest
from checks.seen import ROWS, classes, found, plain


@pytest.mark.parametrize(
    "number",
    [np.arange(ROWS), np.arange(ROWS)[::-1] + 50, np.arange(ROWS) * 10.0, np.arange(ROWS) / 8],
    ids=["up", "down", "tens", "fractions"],
)
def test_a_running_number_is_found(number):
    assert found(plain().assign(n=number), classes()) == [("row-number", ("n",), "serious")]


def test_a_running_number_with_gaps_is_found():
    number = np.cumsum(np.random.default_rng(0).integers(1, 4, ROWS))
    assert found(plain().assign(n=number), classes()) == [("row-number", ("n",), "serious")]


def test_a_file_sorted_by_large_whole_numbers_is_worth_a_look():
    number = np.sort(np.random.default_rng(0).integers(0, 10**9, ROWS))
    assert found(plain().assign(n=number), classes()) == [("row-number", ("n",), "look")]


def test_shuffled_numbers_of_the_rows_are_ids():
    number = np.random.default_rng(0).permutation(ROWS) + 1000
    assert found(plain().assign(n=number), classes()) == [("id", ("n",), "serious")]


def test_codes_of_equal_length_are_ids():
    number = np.random.default_rng(0).integers(10**9, 10**10, ROWS)
    assert found(plain().assign(n=number), classes()) == [("id", ("n",), "look")]


@pytest.mark.parametrize("name", ["id", "patient_id", "ID", "index", "Unnamed: 0"])
def test_names_betray_ids(name):
    number = np.random.default_rng(0).integers(0, 10**7, ROWS)
    assert found(plain().assign(**{name: number}), classes()) == [("id", (name,), "look")]


@pytest.mark.parametrize("name", ["grid", "paid", "humid", "monkey"])
def test_names_that_end_alike_betray_nothing(name):
    number = np.random.default_rng(0).integers(0, 10**7, ROWS)
    assert found(plain().assign(**{name: number}), classes()) == []


@pytest.mark.parametrize("n_different", [ROWS, ROWS - 10])
def test_texts_that_hardly_ever_repeat_are_ids(n_different):
    code = [f"P{k % n_different:05}" for k in range(ROWS)]
    assert found(plain().assign(code=code), classes()) == [("id", ("code",), "serious")]


@pytest.mark.parametrize(
    "draw",
    [
        lambda random: random.normal(size=ROWS),
        lambda random: random.normal(50, 9, ROWS).round(2),
        lambda random: random.integers(0, 10**6, ROWS),
        lambda random: random.integers(1000, 1400, ROWS),
        lambda random: random.lognormal(10, 1, ROWS).round(),
    ],
    ids=["measured", "rounded", "large", "repeated", "income"],
)
def test_measurements_are_no_ids(draw):
    assert found(plain().assign(x=draw(np.random.default_rng(0))), classes()) == []


def test_few_rows_tell_nothing():
    X = plain(n_rows=12).assign(dose=np.arange(12))
    assert [kind for kind, _, _ in found(X)] == ["few-rows"]


def test_numbers_with_a_mark_are_no_ids():
    number = np.random.default_rng(0).normal(size=ROWS).round(6).astype(str)
    number[74:76] = "."
    assert found(plain().assign(n=number), classes()) == [("bad-numbers", ("n",), "serious")]
