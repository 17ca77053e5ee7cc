import json

import numpy as np
import pytest
from cli.patients import patients, write_csv
from cli.quick_fit import QUICK

TITLE = "What looks odd about this table:"


@pytest.fixture
def leaky(folder):
    rows = patients()
    for row in rows:
        row["discharge"] = row["stay"] if row["ill"] == "yes" else None
    return write_csv(folder / "leaky.csv", rows)


def test_fit_shows_what_looks_odd_before_the_rules(said, leaky):
    code, printed, errors = said("fit", leaky, "--target", "ill", *QUICK)
    assert (code, errors) == (0, "")
    assert printed.index("Cross-validation") < printed.index(TITLE) < printed.index("always")
    assert "! whether discharge is missing tells the outcome" in printed


def test_fit_looks_only_at_the_columns_that_it_learns_from(said, leaky):
    printed = said("fit", leaky, "--target", "ill", *QUICK, "--ignore", "discharge")[1]
    assert TITLE not in printed


def test_json_holds_the_findings(said, leaky):
    found = json.loads(said("fit", leaky, "--target", "ill", *QUICK, "--json")[1])
    assert [finding["kind"] for finding in found["findings"]] == ["missing-leak"]


def test_twelve_rows_are_told(said, folder):
    random = np.random.default_rng(0)
    rows = [{"a": random.normal(), "b": random.normal(), "y": k % 2} for k in range(12)]
    printed = said("fit", write_csv(folder / "t.csv", rows), "--target", "y", "--max-rules", "1")[1]
    assert "! there are only 12 rows" in printed


def visits(folder, code):
    """Four visits of each patient, who has a code, an age and a state of health."""
    random = np.random.default_rng(0)
    age, ill = random.integers(20, 90, 100), random.integers(0, 2, 100)
    rows = [
        {"patient": code(p), "age": age[p], "dose": random.normal(), "ill": ill[p]}
        for p in np.repeat(np.arange(100), 4)
    ]
    return write_csv(folder / "visits.csv", rows)


@pytest.mark.parametrize("code", [lambda p: 700 + p, lambda p: f"P{p}"], ids=["number", "text"])
def test_patients_who_come_again_are_told_unless_they_are_grouped(said, folder, code):
    arguments = ("fit", visits(folder, code), "--target", "ill", "--max-rules", "1")
    told = " ".join(said(*arguments)[1].split())
    assert "patient repeats: 100 values in 400 rows" in told
    assert "--group patient" in told
    assert "repeats" not in said(*arguments, "--group", "patient")[1]


def test_a_table_read_in_pieces_has_no_section(said, leaky):
    arguments = ("fit", leaky, "--target", "ill", *QUICK, "--memory", "4GB", "--json")
    assert json.loads(said(*arguments)[1])["findings"] == []
