"""R: the written functions are run by Rscript and compared with the model."""

import shutil
import subprocess
from fractions import Fraction

import pytest
from export.corpus import boundary_cases, cases_for
from export.targets.r_function import START, check, run, usable

from sorb.export import to_r
from sorb.export.r_source import _number, _round_to_bits
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble

pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")

OLD = Condition((Proposition(("age",), (1.0,), 40.5),))
SIMPLE = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), ("age", "unused"), "logistic", ("no", "yes"))


def test_gives_the_same_answers():
    check([*filter(usable, boundary_cases()), *cases_for(usable)])


def test_missing_values_and_factors():
    group = Condition((Membership("group", ("A", "é")), Proposition(("age",), (1.0,), 40.5)))
    ensemble = RuleEnsemble(0.0, (Rule(group, 1.0),), ("age", "group"), "squared")
    script = (
        to_r(ensemble)
        + """
    data <- data.frame(age = c(50, NA, 50, 40.5), group = factor(c("A", "A", NA, "\\u00e9")))
    """
    )
    assert run(START + script + "out(predict_rows(data))") == [[1.0, 0.0, 0.0, 1.0]]


@pytest.mark.parametrize("missing", ["NA", "NA_real_", "NA_character_", "factor(NA)"])
def test_a_column_without_any_value_may_have_any_type(missing):
    both = Condition((Membership("group", ("A",), missing=True), OLD.propositions[0]))
    group = Condition((Membership("group", ("A",), missing=True),))
    rules = (Rule(both, 1.0), Rule(group, 2.0))
    ensemble = RuleEnsemble(0.0, rules, ("age", "group"), "squared")
    data = f"data.frame(age = {missing}, group = {missing})"
    assert run(START + to_r(ensemble) + f"out(predict_rows({data}))") == [[2.0]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("data.frame(unused = 1)", "the data frame has no column age"),
        ('data.frame(age = "old")', "column age must hold numbers"),
        ('data.frame(age = factor("old"))', "column age must hold numbers"),
    ],
)
def test_says_what_is_wrong_with_the_data(data, message):
    call = f"out(tryCatch(predict_rows({data}), error = conditionMessage))"
    assert run(START + to_r(SIMPLE) + call) == [[message]]


def test_booleans_are_not_texts():
    group = Condition((Membership("group", ("TRUE",)),))
    ensemble = RuleEnsemble(0.0, (Rule(group, 1.0),), ("group",), "squared")
    call = "out(tryCatch(predict_rows(data.frame(group = TRUE)), error = conditionMessage))"
    assert run(START + to_r(ensemble) + call) == [["column group must hold texts"]]


def test_no_rows():
    softmax = RuleEnsemble((0.0, 1.0), (Rule(OLD, 1.0, 1),), ("age",), "softmax", ("a", "b"))
    for ensemble in (SIMPLE, softmax):
        call = "cat(length(predict_rows(data.frame(age = numeric(0)))))"
        done = subprocess.run(
            ["Rscript", "--vanilla", "-e", to_r(ensemble) + call], capture_output=True, check=True
        )
        assert done.stdout == b"0"


def test_numbers_are_read_back_exactly():
    values = [0.1, 1 / 3, 40.5, -2.675, 1e300, 5e-324, 123456789.123456, 0.30000000000000004, -0.0]
    values += [k / 1000 for k in range(-200, 200)] + [2.0**53, 1e22, 1.7976931348623157e308]
    written = "\n".join(f"out({_number(value)})" for value in values)
    assert [str(value) for (value,) in run(START + written)] == list(map(str, values))


def test_short_numbers_are_written_in_decimal():
    numbers = [40.5, -1.25, 3.0, 0.1, 1000.0, 2.0**53 - 1]
    written = ["40.5", "-1.25", "3", "0.1", "1000", "9007199254740991"]
    assert list(map(_number, numbers)) == written


def test_numbers_that_r_would_round_twice_are_hexadecimal():
    assert _number(48508940.8006205) == "0x1.721806667abb9p+25"
    assert _number(234.230610224486) == "234.230610224486"


@pytest.mark.parametrize(("value", "rounded"), [("1/3", "11/32"), ("37/2", "18"), ("5", "5")])
def test_numbers_are_rounded_to_significant_bits(value, rounded):
    assert _round_to_bits(Fraction(value), 4) == Fraction(rounded)


def test_refuses_what_r_cannot_say():
    mixed = RuleEnsemble(0.0, (), (), "logistic", ("a", 1))
    with pytest.raises(ValueError, match="must have one type"):
        to_r(mixed)
    nul = Rule(Condition((Membership("key", ("a\0",)),)), 1.0)
    with pytest.raises(ValueError, match="NUL"):
        to_r(RuleEnsemble(0.0, (nul,), ("key",), "squared"))


@pytest.mark.parametrize("name", ["function", "TRUE", "vapply", "a b"])
def test_refuses_an_invalid_name(name):
    with pytest.raises(ValueError, match="name must"):
        to_r(SIMPLE, name=name)
