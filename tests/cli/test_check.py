import contextlib
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from cli.patients import patients, write_csv

import sorb


@pytest.fixture
def odd(folder):
    """A table with a leak, an id, marks of missing values and rows without an outcome."""
    rows = patients()
    for k, row in enumerate(rows):
        row["discharge"] = row["stay"] if row["ill"] == "yes" else None
        row["height"] = row["height"] if k % 30 else -99
        row["ill"] = row["ill"] if k else None
    return write_csv(folder / "odd.csv", rows)


def test_it_prints_what_python_finds(said, odd):
    X = pd.read_csv(odd)
    y = X.pop("ill")
    code, printed, errors = said("check", odd, "--target", "ill")
    assert (code, errors) == (0, "")
    assert printed == f"{sorb.check(X, y)}\n"
    assert "300 rows" not in printed
    assert "299 rows, 7 columns, 1 more without an outcome or a weight" in printed


def test_json_holds_the_findings(said, odd):
    found = json.loads(said("check", odd, "--target", "ill", "--json")[1])
    kinds = [(finding["kind"], finding["columns"]) for finding in found["findings"]]
    assert kinds == [
        ("missing-leak", ["discharge"]),
        ("row-number", ["patient"]),
        ("sentinel", ["height"]),
    ]
    assert (found["rows"], found["columns"], found["rows_left_out"]) == (299, 7, 1)


@pytest.mark.parametrize(("ignore", "code"), [("group", 1), ("patient,discharge,height", 0)])
def test_strict_fails_if_something_is_serious(ignore, code, said, odd):
    done, printed, errors = said("check", odd, "--target", "ill", "--strict", "--ignore", ignore)
    assert (done, errors) == (code, "")
    assert printed


def test_columns_are_checked_without_a_target(said, odd):
    found = json.loads(said("check", odd, "--json")[1])
    assert [finding["kind"] for finding in found["findings"]] == ["row-number", "sentinel"]


def test_numbers_that_are_categories_are_no_running_numbers(said, folder):
    random = np.random.default_rng(0)
    table = pd.DataFrame({"ward": random.permutation(60).repeat(2), "x": random.normal(size=120)})
    table["ward"] = sorted(table["ward"])
    table.to_csv(folder / "wards.csv", index=False)
    assert "drift" in said("check", "wards.csv", "--json")[1]
    assert "drift" not in said("check", "wards.csv", "--json", "--categories", "ward")[1]


def test_an_exposure_makes_rates(said, folder):
    random = np.random.default_rng(0)
    years = random.uniform(0.5, 2, 300)
    table = pd.DataFrame({"claims": random.poisson(3 * years), "years": years})
    table["rate"] = table["claims"] / years
    table["age"] = random.normal(50, 9, 300)
    table.loc[5, ["claims", "years"]] = np.nan
    table.to_csv(folder / "claims.csv", index=False)
    options = ("--target", "claims", "--exposure", "years", "--task", "regression", "--json")
    found = json.loads(said("check", "claims.csv", *options)[1])
    assert [finding["columns"] for finding in found["findings"]] == [["rate"]]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--target", "il"), 1, "did you mean 'ill'"),
        (("--weight", "age"), 2, "--weight needs --target"),
        (("--ignore", "nothing"), 1, "has no column 'nothing' for --ignore"),
        (("--categories", "nothing"), 1, "has no column 'nothing' for --categories"),
        (("--target", "group", "--task", "regression"), 1, "needs numbers"),
    ],
)
def test_errors(arguments, code, message, said, odd):
    done, _, errors = said("check", odd, *arguments)
    assert done == code
    assert message in errors


@pytest.mark.parametrize("source", ["files", "duckdb", "sqlite"])
def test_several_files_and_databases_are_checked_as_one_file(said, odd, folder, source):
    whole = pd.read_csv(odd)
    if source == "files":
        for k in range(3):
            whole[k * 100 : (k + 1) * 100].to_csv(folder / f"part{k}.csv", index=False)
        asked = ("part*.csv",)
    elif source == "duckdb":
        with pytest.importorskip("duckdb").connect("c.duckdb") as engine:
            engine.register("whole", whole)
            engine.execute("CREATE TABLE patients AS SELECT * FROM whole")
        asked = ("c.duckdb", "--table", "patients")
    else:
        with contextlib.closing(sqlite3.connect("c.sqlite")) as engine:
            whole.to_sql("patients", engine, index=False)
        asked = ("c.sqlite", "--table", "patients")
    options = ("--target", "ill", "--ignore", "patient", "--json")
    expected = json.loads(said("check", odd, *options)[1])
    code, printed, errors = said("check", *asked, *options)
    assert (code, errors) == (0, "")
    assert json.loads(printed) == expected


def test_a_table_of_a_database_is_named(said, odd):
    code, _, errors = said("check", odd, "--table", "patients")
    assert code == 1
    assert "--table names a table of a database" in errors


def test_files_without_rows_are_refused(said, folder):
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text("age,ill\n")
    code, _, errors = said("check", "a.csv", "b.csv")
    assert code == 1
    assert "no rows" in errors
