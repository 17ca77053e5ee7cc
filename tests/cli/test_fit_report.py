import json

import numpy as np
import pytest
from cli.patients import patients, write_csv
from cli.quick_fit import QUICK

from sorb import RuleEnsemble


def test_what_is_printed_is_what_json_says(said, table, fitted):
    found = fitted("--ignore", "stay")
    code, printed, errors = said("fit", table, "--target", "ill", *QUICK, "--ignore", "stay")
    assert (code, errors) == (0, "")
    assert "ill is no or yes: a classification." in printed
    assert "Learned from 225 rows and 4 columns, tested on 75 others." in printed
    assert str(RuleEnsemble.from_json(json.dumps(found["model"]))) in printed
    (risk,) = [line.split() for line in printed.splitlines() if line.startswith("risk  ")]
    parts = ("test", "without_rules", "training")
    assert list(map(float, risk[1:])) == pytest.approx([found[p]["risk"] for p in parts], rel=1e-3)
    assert "complexity" in printed.splitlines()[-1]


def test_the_curve_ends_with_the_model(fitted):
    found = fitted("--ignore", "stay")
    first, *_, last = found["curve"]
    assert (first["rules"], first["complexity"]) == (0, 0)
    assert (last["rules"], last["complexity"]) == (found["rules"], found["complexity"])
    assert last["test_risk"] == found["test"]["risk"]
    assert last["training_risk"] == pytest.approx(found["training"]["risk"])
    assert first["test_risk"] == found["without_rules"]["risk"]
    assert found["test"]["risk"] < found["without_rules"]["risk"]


def test_cross_validation_is_mentioned(said, table):
    printed = said("fit", table, "--target", "stay", *QUICK, "--ignore", "ill", "--cv", "2")[1]
    assert "Cross-validation chose" in printed


def test_of_many_useless_columns_a_few_are_named(said, folder):
    dates = {f"day{k}": "2020-01-01" for k in range(9)}
    write_csv(folder / "t.csv", [{**row, **dates} for row in patients(60)])
    printed = said("fit", "t.csv", "--target", "ill", *QUICK)[1]
    assert printed.count("Left out the column day") == 5
    assert "Left out 4 more columns like these." in printed


def test_thousands_of_columns_are_not_printed(said, folder):
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(40, 2000)).round(3)
    rows = [
        {**{f"gene{j}": value for j, value in enumerate(line)}, "ill": "ny"[int(line[7] > 0)]}
        for line in wide
    ]
    write_csv(folder / "wide.csv", rows)
    code, printed, errors = said("fit", "wide.csv", "--target", "ill", "--max-rules", "1")
    assert (code, errors) == (0, "")
    assert "and 2000 columns" in printed
    assert len(printed) < 3000
    code, printed, errors = said("fit", "wide.csv", "--target", "gene")
    assert (code, printed) == (1, "")
    assert len(errors) < 200
