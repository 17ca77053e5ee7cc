"""What is computed from dates by `sorb fit --dates` is computed again wherever it is needed."""

import json
from pathlib import Path

import pandas as pd
import pytest

DAYS = pd.date_range("2019-01-01", periods=300, freq="D")
AGES = [k * 37 % 61 for k in range(300)]
FIT = ("fit", "t.csv", "--target", "ill", "--max-rules", "1", "--test-size", "0")


@pytest.fixture
def write(folder):
    """Write visits with dates in some format, and those of them that are asked for."""

    def write(written, chosen=slice(None)):
        ill = ["yes" if day.month >= 7 else "no" for day in DAYS]
        table = pd.DataFrame({"visit": DAYS.strftime(written), "ill": ill, "age": AGES})
        table[chosen].to_csv("t.csv", index=False)

    return write


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"])
def test_predictions_compute_what_the_model_has_learned_from(written, write, said):
    write(written)
    code, printed, _ = said(*FIT, "--dates", "visit=year,month", "--out", "m.json")
    assert (code, "visit_month ≤ 6.5" in printed) == (0, True)
    assert json.loads(Path("m.json").read_text())["columns"] == ["visit_year", "visit_month", "age"]
    answers = said("predict", "m.json", "t.csv")
    assert said("predict", "m.json", "t.csv", "--memory", "4GB") == answers
    assert [line.startswith("yes") for line in answers[1].split()[1:]] == list(DAYS.month >= 7)
    for command in (("explain", "--row", "3"), ("compare", "--target", "ill"), ("simplify",)):
        assert said(command[0], "m.json", "t.csv", *command[1:])[0] == 0
    pd.DataFrame({"visit_month": [9], "visit": ["nobody knows"]}).to_csv("t.csv", index=False)
    assert said("predict", "m.json", "t.csv")[1].split()[1].startswith("yes")


def test_a_table_larger_than_memory_has_the_same_columns(write, said):
    write("%Y-%m-%d")
    options = ("--dates", "visit=month", "--json")
    one, two = (json.loads(said(*FIT, *options, *more)[1]) for more in ((), ("--memory", "4GB")))
    assert one["model"]["columns"] == two["model"]["columns"] == ["visit_month", "age"]


def test_without_it_dates_are_left_out_with_what_to_do(write, said):
    write("%d.%m.%Y")
    assert (
        "Left out the column visit: dates and times, such as '01.01.2019', have no unit to weigh "
        "them in; --dates visit=year,month makes numbers of them." in said(*FIT)[1]
    )


def test_the_order_of_day_and_month_is_asked_for_if_nothing_tells(write, said):
    write("%m/%d/%Y", DAYS.day <= 12)
    options = (*FIT, "--dates", "visit=month")
    assert said(*options)[2].endswith(": use --day-first or --month-first\n")
    assert "visit_month ≤ 6.5" in said(*options, "--month-first")[1]


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("visit", "--dates needs pairs such as visit=year,month, found 'visit'"),
        ("vist=year", "has no column 'vist' for --dates; did you mean 'visit'?"),
        ("visit=quarter", "cannot compute 'quarter' of column 'visit'"),
        ("visit=year,year", "would make a second column 'visit_year'"),
        ("ill=year", "--dates and --target both name the column ill"),
    ],
)
def test_what_cannot_be_computed_is_refused(option, words, write, said):
    write("%Y-%m-%d")
    code, _, errors = said(*FIT, "--dates", option)
    assert code > 0
    assert words in errors
