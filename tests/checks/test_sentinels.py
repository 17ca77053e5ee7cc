import numpy as np
import pytest
from checks.seen import ROWS, classes, found, plain

import sorb


def marked(mark, values, every=20):
    values = np.array(values, dtype=float)
    values[::every] = mark
    return values


def ages():
    return np.random.default_rng(5).integers(18, 90, ROWS)


@pytest.mark.parametrize("mark", [-99, -999, 999, 9999, -9999, 777])
def test_marks_far_from_all_else_are_serious(mark):
    [finding] = sorb.check(plain().assign(x=marked(mark, ages())), classes())
    assert (finding.kind, finding.columns) == ("sentinel", ("x",))
    assert finding.severity is sorb.checks.Severity.serious
    assert f"--missing x={mark}" in finding.advice
    assert "in 15 rows" in finding.what


@pytest.mark.parametrize("mark", [-1, -9, -8])
def test_a_single_negative_number_is_worth_a_look(mark):
    assert found(plain().assign(x=marked(mark, ages())), classes()) == [
        ("sentinel", ("x",), "look")
    ]


def test_a_code_apart_from_few_others_is_worth_a_look():
    code = np.random.default_rng(0).choice([1, 2, 9], ROWS)
    assert found(plain().assign(x=code), classes()) == [("sentinel", ("x",), "look")]


def test_several_marks_are_found_together():
    x = marked(-99, ages())
    x[1::20] = 999
    [finding] = sorb.check(plain().assign(x=x), classes())
    assert "−99 and 999" in finding.what or "999 and −99" in finding.what


def test_zero_far_below_all_else_is_worth_a_look():
    glucose = marked(0, np.random.default_rng(0).normal(120, 20, ROWS).round())
    assert found(plain().assign(x=glucose), classes()) == [("sentinel", ("x",), "look")]


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(0).integers(-1, 2, ROWS),
        np.random.default_rng(0).integers(-5, 30, ROWS),
        np.random.default_rng(0).integers(0, 10, ROWS),
        np.random.default_rng(0).integers(0, 100, ROWS),
        np.random.default_rng(0).poisson(0.3, ROWS),
        np.append(ages()[:-1], 999),
        marked(0, np.random.default_rng(0).lognormal(0, 2, ROWS)),
        np.random.default_rng(0).choice([0] * 60 + list(range(5, 30)), ROWS),
    ],
    ids=["signs", "degrees", "digits", "percent", "counts", "once", "amounts", "discounts"],
)
def test_ordinary_numbers_are_no_marks(values):
    assert found(plain().assign(x=values), classes()) == []


def test_categories_named_unknown_are_worth_a_look():
    X = plain()
    X.loc[X.index % 5 == 0, "group"] = "Unknown"
    [finding] = sorb.check(X, classes())
    assert finding.what == "group is 'Unknown' in 60 rows"
    assert "--missing group=Unknown" in finding.advice


def test_a_class_named_unknown_is_worth_a_look():
    assert found(plain(), ["ill", "well", "n/a"] * (ROWS // 3)) == [("sentinel", (), "look")]
