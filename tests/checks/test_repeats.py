import numpy as np
import pandas as pd
import pytest
from checks.seen import ROWS, classes, found, plain
from hypothesis import given, settings
from hypothesis import strategies as st

import sorb

PATIENTS = 120
NUMBERS = np.arange(PATIENTS) + 1000


def visits(alike=True, number=NUMBERS, name="code", seed=0):
    """Three to five visits of each patient, next to each other, and whether they are ill."""
    random = np.random.default_rng(seed)
    whose = np.repeat(np.arange(PATIENTS), random.integers(3, 6, PATIENTS))
    of_patient, of_visit = random.normal(size=PATIENTS)[whose], random.normal(size=len(whose))
    X = pd.DataFrame({name: number[whose], "dose": random.normal(size=len(whose))})
    if alike:
        X["age"] = random.integers(20, 90, PATIENTS)[whose]
        X["sex"] = random.choice(["f", "m"], PATIENTS)[whose]
    y = np.where((2 * of_patient if alike else 0) + of_visit > 0, "ill", "well")
    return X, y


def shuffled(X, y, seed=0):
    rows = np.random.default_rng(seed).permutation(len(X))
    return X.iloc[rows], y[rows]


@pytest.mark.parametrize("name", ["code", "patient"])
@pytest.mark.parametrize("arrange", [lambda X, y: (X, y), shuffled], ids=["in order", "shuffled"])
@pytest.mark.parametrize(
    "number",
    [
        NUMBERS,
        np.random.default_rng(0).permutation(PATIENTS),
        np.array([f"P{k:04}" for k in range(PATIENTS)], dtype=object),
    ],
    ids=["up", "in no order", "texts"],
)
def test_the_number_of_a_patient_is_found(number, arrange, name):
    assert found(*arrange(*visits(number=number, name=name))) == [("repeats", (name,), "look")]


def test_what_to_do_is_said():
    X, y = visits(name="patient no")
    [finding] = sorb.check(X, y)
    assert finding.what == (
        f'"patient no" repeats: {PATIENTS} values in {len(X)} rows; rows of the same value are '
        "alike in the outcome and in age and sex and follow each other; keep the rows of one "
        "\"patient no\" together with --group 'patient no' (groups= in Python)"
    )


def test_an_order_that_is_not_sorted_is_enough():
    number = np.random.default_rng(0).permutation(PATIENTS)
    X, y = visits(alike=False, number=number)
    assert found(X, y) == [("repeats", ("code",), "look")]
    assert found(*shuffled(X, y)) == []


def test_a_name_is_enough():
    X, y = shuffled(*visits(alike=False, name="patient_id"))
    assert found(X, y) == [("repeats", ("patient_id",), "look")]


def test_an_outcome_alike_is_enough_for_numbers_and_codes_but_not_for_words():
    random = np.random.default_rng(7)
    code = random.integers(0, 60, ROWS)
    y = random.normal(3 * random.normal(size=60)[code])
    assert found(plain().assign(code=code), y) == [("repeats", ("code",), "look")]
    words = np.array([f"town{'x' * k}" for k in range(60)], dtype=object)[code]
    assert found(plain().assign(town=words), y) == []


@pytest.mark.parametrize(
    "draw",
    [
        lambda random: random.integers(18, 95, ROWS),
        lambda random: random.poisson(40, ROWS),
        lambda random: 100 * random.integers(1, 80, ROWS),
        lambda random: random.normal(170, 10, ROWS).round(),
        lambda random: np.sort(random.integers(18, 95, ROWS)),
    ],
    ids=["age", "count", "rounded", "height", "sorted"],
)
@pytest.mark.parametrize("steps", [1, 4], ids=["smooth", "in steps"])
def test_measurements_with_ties_are_not_found(draw, steps):
    """Although the outcome, and other columns, depend on them."""
    random = np.random.default_rng(0)
    x = draw(random)
    z = (x - x.mean()) / x.std()
    X = plain().assign(
        x=x,
        inverse=2020 - x,
        square=z**2,
        stage=np.floor(steps * z),
        noisy=z + random.normal(size=ROWS),
    )
    y = np.where(z + random.normal(scale=0.3, size=ROWS) > 0, "ill", "well")
    assert "repeats" not in {kind for kind, _, _ in found(X, y)}


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_neither_order_nor_names_of_values_matter(seed):
    X, y = visits()
    X, y = shuffled(X, y, seed)
    labels = np.random.default_rng(seed).permutation(10**6)[:PATIENTS]
    named = X.assign(code=labels[X["code"] - 1000])
    assert found(X, y) == found(named, y) == [("repeats", ("code",), "look")]


def test_copies_of_rows_are_no_visits():
    X, y = plain(), classes()
    X["income"] = np.random.default_rng(0).integers(10**4, 10**6, ROWS)
    assert {kind for kind, _, _ in found(pd.concat([X, X]), np.append(y, y))} == {"duplicates"}
