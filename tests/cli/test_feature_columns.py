import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.patients import patients, write_csv
from cli.quick_fit import QUICK


def test_categories_are_texts_and_what_is_named(fitted):
    found = fitted("--ignore", "ill,stay", "--categories", "age", target="weight")
    kinds = {
        proposition["kind"]
        for rule in found["model"]["rules"]
        for proposition in rule["condition"]
        if "age" in (proposition.get("column"), *proposition.get("columns", ()))
    }
    assert kinds <= {"membership"}


@pytest.mark.parametrize("written", ["0{}", "{}", "{}.0"])
def test_numbers_that_are_categories_are_found_again_however_a_table_writes_them(
    written, said, folder
):
    """With leading zeros, as whole numbers, as these beside missing ones, and beside texts."""
    rows = [{"ward": k % 4, "y": (k % 4 in (0, 2)) * 5 + k % 3} for k in range(120)]
    learned = [{**row, "ward": written.format(row["ward"])} for row in rows]
    write_csv(folder / "t.csv", learned)
    options = ("--categories", "ward", "--max-rules", "1", "--test-size", "0", "--out", "m.json")
    assert said("fit", "t.csv", "--target", "y", *options)[0] == 0
    expected = said("predict", "m.json", "t.csv")[1].splitlines()[1:]
    assert len(set(expected)) == 2
    if not written.startswith("0"):
        write_csv(folder / "t.csv", [*rows, {"ward": "west", "y": 0}])
    found = said("predict", "m.json", "t.csv")[1].splitlines()[1:]
    assert found[: len(rows)] == expected


@pytest.mark.parametrize("start", [10**17, 2**63, 10**30])
def test_numbers_too_long_to_weigh_are_left_out_and_named(start, said, folder):
    rows = [{**row, "number": start + k} for k, row in enumerate(patients(60))]
    write_csv(folder / "t.csv", rows)
    code, printed, _ = said("fit", "t.csv", "--target", "ill", *QUICK)
    assert code == 0
    assert "Left out the column number: whole numbers beyond 9007199254740992" in printed


def test_columns_whose_names_hold_commas(said, folder):
    rows = [
        {"height, m": row["height"], "a=b": row["age"], "ill": row["ill"]} for row in patients()
    ]
    write_csv(folder / "t.csv", rows)
    arguments = ("--ignore", "a=b", "--log-columns", "height, m", "--units", "height, m=m")
    code, printed, errors = said("fit", "t.csv", "--target", "ill", "--max-rules", "1", *arguments)
    assert (code, errors) == (0, "")
    assert "a=b" not in printed


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["31,6", "25"], "a decimal comma, such as '31,6' in row 0: use --decimal comma"),
        (["19,900", "8,500"], "a comma, such as '19,900' in row 0: write them without"),
        (["19,900.00", "85.5"], "a thousands separator, such as '19,900.00' in row 0"),
        (["19.900,00", "85,5"], "a thousands separator, such as '19.900,00' in row 0"),
        (["25.3 %", "7 %"], "a percent sign, such as '25.3 %' in row 0: write them without"),
        (["25,3", "25.4"], "a comma and others with a point, such as '25,3' in row 0"),
        (["25.3 kg", "25 kg"], "a unit, such as '25.3 kg' in row 0: write them without it, all"),
        (["25,3", "25,4", "heavy"], "holds numbers, but 'heavy' in row 2"),
    ],
)
def test_numbers_that_cannot_be_read_are_no_categories(texts, words, said, folder):
    rows = [{"bmi": texts[k % len(texts)], "y": k % 2} for k in range(60)]
    write_csv(folder / "t.csv", rows)
    code, printed, errors = said("fit", "t.csv", "--target", "y")
    assert (code, printed, errors.count("\n")) == (1, "", 1)
    assert "column 'bmi' holds numbers" in errors
    assert words in errors
    assert "--categories bmi or --ignore bmi" in errors
    options = ("--max-rules", "0", "--categories", "bmi")
    assert said("fit", "t.csv", "--target", "y", *options)[0] == 0


def test_an_ignored_column_may_be_of_any_type(said, folder):
    rows = patients()
    columns = {name: [row[name] for row in rows] for name in ("age", "ill")}
    columns["key, 1"] = pa.array([b"x" * 16] * len(rows), pa.binary(16))
    pq.write_table(pa.table(columns), "t.parquet")
    options = ("--target", "ill", "--max-rules", "1", "--ignore", "key, 1", "--units", "key, 1=m")
    code, _, errors = said("fit", "t.parquet", *options)
    assert (code, errors) == (0, "")


def test_dates_are_no_categories(said, folder):
    when = pa.array([2**31 - 1 - k for k in range(40)], pa.date32())
    pq.write_table(pa.table({"when": when, "y": [k % 2 for k in range(40)]}), "t.parquet")
    code, printed, errors = said("fit", "t.parquet", "--target", "y", "--categories", "when")
    words = "sorb: column 'when', named in --categories, holds dates or times: turn them into texts"
    assert (code, printed, errors) == (1, "", f"{words}\n")


def test_units_are_printable(refused):
    words = r"--units must be printable, found '\x1b[31m' for column 'age'"
    assert words in refused("--units", "age=\x1b[31m")


def test_a_column_that_is_left_out_has_no_logarithm(said, folder):
    rows = [{"when": f"2020-01-{k:02}", "b": k, "y": k % 2} for k in range(1, 30)]
    write_csv(folder / "t.csv", rows)
    code, _, errors = said("fit", "t.csv", "--target", "y", "--log-columns", "when")
    words = "sorb: column 'when', named in --log-columns: dates and times, such as 2020-01-01,"
    assert (code, errors.startswith(words)) == (1, True)


@pytest.fixture
def half_labelled(folder):
    """A table of numbers in which the first half of the rows has no outcome."""
    x = np.random.default_rng(0).normal(size=600)
    y = np.where(np.arange(600) < 300, np.nan, (x > 0).astype(float))
    return pd.DataFrame({"x": x, "size": np.exp(x), "y": y})


@pytest.mark.parametrize("memory", [(), ("--memory", "4GB")])
def test_rows_without_an_outcome_do_not_choose_columns(memory, half_labelled, said):
    half_labelled["name"] = [f"p{k}" if k < 300 else "ab"[k % 2] for k in range(600)]
    half_labelled["code"] = np.where(half_labelled["y"].isna(), 2**60, 1)
    half_labelled.loc[5, "x"] = np.inf
    half_labelled.to_parquet("t.parquet", index=False)
    quick = ("--target", "y", "--max-rules", "1", "--selection", "none", "--json", *memory)
    code, printed, errors = said("fit", "t.parquet", *quick)
    assert (code, errors) == (0, "")
    assert json.loads(printed)["model"]["columns"] == ["x", "size", "name", "code"]


CELLS = {
    ("x", np.inf): "column 'x' is infinite in row 400",
    ("size", -1.0): "column 'size', named in --log-columns, is -1.0 in row 400",
}


@pytest.mark.parametrize(("column", "value"), CELLS)
def test_rows_are_counted_in_the_file(column, value, half_labelled, said):
    half_labelled.loc[400, column] = value
    half_labelled.to_csv("t.csv", index=False)
    errors = said("fit", "t.csv", "--target", "y", "--log-columns", "size")[2]
    assert errors.startswith(f"sorb: {CELLS[column, value]}")


@pytest.mark.parametrize("column", ["x", "y"])
def test_a_text_among_numbers_is_found_in_the_file(column, half_labelled, said):
    half_labelled = half_labelled.astype({column: object})
    half_labelled.loc[400, column] = "oops"
    half_labelled.to_csv("t.csv", index=False)
    errors = said("fit", "t.csv", "--target", "y")[2]
    assert f"column {column!r} holds numbers, but 'oops' in row 400: correct it" in errors


def test_what_marks_a_missing_number_can_be_pasted(said, folder):
    rows = [{**row, "height": "n. d." if k == 7 else k} for k, row in enumerate(patients(60))]
    write_csv(folder / "t.csv", rows)
    code, _, errors = said("fit", "t.csv", "--target", "ill", *QUICK)
    assert code == 1
    assert "'n. d.' in row 7" in errors
    assert "--missing 'height=n. d.'" in errors
    assert said("fit", "t.csv", "--target", "ill", *QUICK, "--missing", "height=n. d.")[0] == 0
