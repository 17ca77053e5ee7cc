import json
import math
import sqlite3
import sys
from decimal import Decimal
from hashlib import sha256
from shutil import copytree

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.large_tables import SOURCES, write_everywhere
from cli.patients import patients
from cli.quick_fit import QUICK

from sorb._extras import install_command
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return write_everywhere(tmp_path_factory.mktemp("made"))


@pytest.fixture
def everywhere(folder, made):
    return copytree(made, folder, dirs_exist_ok=True)


@pytest.fixture
def fits(said):
    """Fit a source and give the document that is printed."""

    def ask(*arguments, target="ill"):
        chosen = () if "--cv" in arguments else ("--selection", "none")
        options = ("--target", target, "--json", *QUICK, *chosen)
        code, printed, errors = said("fit", *arguments, *options)
        assert (code, errors) == (0, "")
        return json.loads(printed)

    return ask


@pytest.mark.parametrize("kind", SOURCES)
def test_without_test_rows_the_model_is_that_of_one_file(kind, everywhere, fits):
    found = fits(*SOURCES[kind], "--test-size", "0")
    expected = fits("whole.csv", "--test-size", "0")
    assert found["rows"] == expected["rows"]
    one, other = (RuleEnsemble.from_json(json.dumps(f["model"])) for f in (found, expected))
    assert [rule.condition for rule in one] == [rule.condition for rule in other]
    assert found["training"]["risk"] == pytest.approx(expected["training"]["risk"], rel=1e-9)
    assert found["training"]["error"] == pytest.approx(expected["training"]["error"], rel=1e-9)


def test_test_rows_are_the_same_in_all_sources(everywhere, fits):
    found = [fits(*SOURCES[kind], target="stay") for kind in ("CSV", "Parquet")]
    assert found[1]["model"]["rules"] == found[0]["model"]["rules"]
    assert found[1]["test"]["risk"] == pytest.approx(found[0]["test"]["risk"], rel=1e-12)
    assert sum(found[0]["rows"].values()) == 300
    assert 40 < found[0]["rows"]["test"] < 110
    assert found[0]["test"]["risk"] < found[0]["without_rules"]["risk"]


@pytest.mark.parametrize("kind", SOURCES)
def test_groups_stay_together_in_all_sources(kind, everywhere, fits):
    found = fits(*SOURCES[kind], "--group", "patient", "--ignore", "stay")
    assert found["model"]["columns"] == ["age", "weight", "height", "group"]
    training, test = (found["groups"][side] for side in ("training", "test"))
    assert (training, test) == (found["rows"]["training"], found["rows"]["test"])
    assert training + test == 300


def test_given_rules_are_no_part_of_the_baseline(everywhere, fits):
    rule = Rule(Condition((Proposition(("age",), (1.0,), 50.0),)), 1.0)
    columns = ("age", "weight", "height", "group")
    RuleEnsemble(0.0, [rule], columns, "logistic", ("no", "yes")).save("known.json")
    found = fits("p*.parquet", "--ignore", "stay", "--init", "known.json")
    assert "age" in str(found["model"]["rules"][0])
    assert found["without_rules"]["auc"]["value"] == 0.5


@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_no_group_is_on_both_sides(kind, folder, fits):
    table = pd.DataFrame(patients())
    table["patient"] = (table["patient"] % 20).map("P{}".format if kind == "texts" else int)
    table.to_parquet("t0.parquet", index=False)
    found = fits("t*.parquet", "--group", "patient", "--ignore", "stay")
    assert sum(found["groups"].values()) == 20
    assert found["rows"]["test"] == 15 * found["groups"]["test"] > 0


def test_intervals_allow_for_groups_or_say_that_they_do_not(folder, said, fits, monkeypatch):
    table = pd.DataFrame(patients())
    table["patient"] = table["patient"] % 20
    table.to_parquet("t0.parquet", index=False)
    arguments = ("t*.parquet", "--group", "patient", "--ignore", "stay")
    before = fits(*arguments)["test"]["auc"]
    monkeypatch.setattr("sorb.cli.fit_lazily.MOST_TOGETHER", 10)
    after = fits(*arguments)["test"]["auc"]
    assert before["value"] == after["value"]
    assert before["low"] != after["low"]
    printed = said("fit", *arguments[:1], "--target", "ill", *arguments[1:], *QUICK)[1]
    assert "The intervals take the rows of a group for independent" in " ".join(printed.split())


def test_a_row_without_a_group_is_refused(folder, said):
    table = pd.DataFrame(patients())
    table["patient"] = table["patient"].where(table["patient"] > 1002).astype("Int64")
    table.to_parquet("t0.parquet", index=False)
    code, _, errors = said("fit", "t*.parquet", "--target", "ill", "--group", "patient")
    assert code == 1
    assert "groups, column 'patient', is missing in 3 rows" in errors


def test_all_options_that_concern_the_table(everywhere, fits):
    found = fits(
        "p*.parquet", "--weight", "age", "--categories", "group", "--log-columns", "weight",
        "--units", "weight=kg", "--class-weight", "balanced", "--recalibrate",
        "--search-rows", "50", "--jobs", "2",
    )  # fmt: skip
    assert found["model"]["columns"] == ["weight", "height", "group", "stay"]
    assert found["model"]["units"] == {"weight": "kg"}


def test_folds(everywhere, fits):
    found = fits("p*.parquet", "--cv", "2", "--reg-lambda", "1", target="stay")
    assert found["cross_validation"]["reg_lambda"] == 1
    assert found["test"]["r2"] > 0.5


def test_rows_without_an_outcome_and_columns_of_no_use_are_left_out(everywhere, fits):
    table = pd.read_csv("whole.csv")
    table.loc[:9, "stay"] = math.nan
    table["name"] = [f"p{k}" for k in range(300)]
    table["day"] = pd.Timestamp("2020-01-01")
    table["code"] = 2**60
    table.to_parquet("t1.parquet", index=False)
    found = fits("t*.parquet", target="stay")
    assert found["rows"]["without_target"] == 10
    assert {*found["left_out_columns"]} == {"name", "day", "code"}


def test_a_database_stays_as_it_is(everywhere, fits):
    before = {path: sha256(path.read_bytes()).hexdigest() for path in everywhere.iterdir()}
    fits(*SOURCES["SQLite"])
    fits(*SOURCES["DuckDB"])
    assert before == {path: sha256(path.read_bytes()).hexdigest() for path in everywhere.iterdir()}


def test_the_partial_file_is_removed_in_the_end(everywhere, fits):
    found = fits("c*.csv", "--out", "m.json")
    assert RuleEnsemble.load("m.json") == RuleEnsemble.from_json(json.dumps(found["model"]))
    assert not list(everywhere.glob("*.partial"))


REFUSED = {
    ("q*.csv",): "no file matches q*.csv",
    ("mysql://me:secret@host/clinic", "--table", "t"): "expected postgresql://…, duckdb://… or",
    ("t.sqlite",): "name one of its tables by --table; there are 'patients'",
    ("t.duckdb", "--table", "patient"): "t.duckdb has no table 'patient': there are 'patients'",
    ("whole.csv", "--table", "patients"): "--table names a table of a database, but whole.csv",
    ("sqlite:///none.db", "--table", "t"): "there is no file none.db",
    ("*0.*",): "p0.parquet is Parquet, but c0.csv is not",
    ("p*.parquet", "--memory", "100MB"): "--memory 100MB is too little",
    ("p*.parquet", "--memory", "99999999TB"): "--memory 99999999TB is more than any machine has",
    ("p*.parquet", "--memory", "much"): "--memory needs a size such as",
    ("-", "--memory", "4GB"): "--memory needs a file",
    ("-", "--table", "t"): "--table names a table of a database, but standard input is none",
    ("nofile.csv", "--memory", "4GB"): "nofile.csv: No such file or directory",
    ("p*.parquet", "--selection", "none", "--curve", "c.png"): "--curve of a table this large",
    ("p*.parquet", "--ignore", "nmae"): "p*.parquet has no column 'nmae' for --ignore",
    ("p*.parquet", "--weight", "stay", "--exposure", "age"): "--exposure is for numbers",
    ("p*.parquet", "--weight", "group"): "group",
    ("p0.parquet", "t.duckdb"): "t.duckdb, a database, is read alone",
    ("p0.parquet", "-"): "standard input is read alone",
    ("p0.parquet", "p*.parquet"): "p0.parquet is named 2 times",
    ("p0.parquet", "./p0.parquet"): "p0.parquet is named 2 times",
    ("p0.parquet", "p1.parquet", "--table", "t"): "--table names a table of a database, but p0",
}


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_cannot_be_done_is_refused_in_one_line(arguments, everywhere, said):
    code, printed, errors = said("fit", *arguments, "--target", "ill")
    assert code in (1, 2)
    assert printed == ""
    assert REFUSED[arguments] in errors
    assert errors.count("\n") == 1
    assert "secret" not in errors


def test_files_with_other_columns_are_refused_by_name(everywhere, said):
    (everywhere / "c3.csv").write_text("patient,age,weight,height,blood,ill,stay\n1,2,3,4,A,no,5\n")
    assert (
        "c3.csv has no column 'group', which c0.csv has"
        in said("fit", "c*.csv", "--target", "ill")[2]
    )
    pd.read_parquet("p0.parquet").astype({"age": str}).to_parquet("p3.parquet", index=False)
    message = said("fit", "p*.parquet", "--target", "ill")[2]
    assert "p3.parquet, column 'age' holds" in message


@pytest.mark.parametrize("empty", ["p0.parquet", "p1.parquet"])
def test_a_column_may_be_empty_in_a_file(empty, everywhere, fits):
    table = pd.read_parquet(empty)
    # To pandas these columns have no type, and so they have none in the file.
    table.assign(age=None, group=None).to_parquet(empty, index=False)
    assert sum(fits("p*.parquet")["rows"].values()) == 300


def test_a_view_of_sqlite_on_a_table_that_is_gone_is_refused(everywhere, said):
    with sqlite3.connect("t.sqlite") as connection:
        connection.execute("CREATE VIEW lost AS SELECT * FROM gone")
    connection.close()
    code, _, errors = said("fit", "t.sqlite", "--table", "lost", "--target", "ill")
    assert code == 1
    assert errors == "sorb: t.sqlite, table lost: no such table: main.gone\n"


def test_a_column_of_sqlite_that_holds_anything_is_refused(everywhere, said):
    with sqlite3.connect("t.sqlite") as connection:
        connection.execute("INSERT INTO patients (age, ill) VALUES ('old', 'no')")
    connection.close()
    message = said("fit", *SOURCES["SQLite"], "--target", "ill")[2]
    assert "t.sqlite, table patients, column 'age' holds integer and text values" in message


@pytest.mark.parametrize(
    ("source", "package", "extra"),
    [
        (("p*.parquet",), "duckdb", "databases"),
        (("postgresql://host/db", "--table", "t"), "ibis", "postgres"),
    ],
)
def test_a_missing_package_is_named(source, package, extra, everywhere, said, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    code, _, errors = said("fit", *source, "--target", "ill")
    assert code == 1
    assert install_command(extra) in errors


@pytest.mark.parametrize("cell", ["oops", "3%"])
@pytest.mark.parametrize("column", ["age", "stay"])
def test_a_text_among_numbers_is_refused_as_in_one_file(cell, column, folder, said):
    table = pd.DataFrame({"age": range(400), "stay": range(400), "ill": ["no", "yes"] * 200})
    table[column] = table[column].astype(str)
    table.loc[300, column] = cell
    table.to_csv("whole.csv", index=False)
    table[:200].to_csv("c0.csv", index=False)
    table[200:].to_csv("c1.csv", index=False)
    table.to_parquet("p0.parquet", index=False)
    expected = said("fit", "whole.csv", "--target", "stay")
    assert (expected[0], repr(cell) in expected[2]) == (1, True)
    assert said("fit", "c*.csv", "--target", "stay") == expected
    assert said("fit", "p*.parquet", "--target", "stay") == expected


def test_several_files_are_one_table_as_if_by_a_pattern(everywhere, fits):
    named = fits("p0.parquet", "p2.parquet", "p1.parquet")
    assert named["model"] == fits("p*.parquet")["model"]


def test_texts_of_sqlite_that_are_not_unicode_are_named_by_column_and_row(everywhere, said):
    with sqlite3.connect("t.sqlite") as connection:
        connection.execute(
            "UPDATE patients SET \"group\" = CAST(x'ff41' AS TEXT) WHERE rowid = 150"
        )
    connection.close()
    expected = (
        "sorb: t.sqlite, table patients, column 'group': not text in UTF-8, found "
        "b'\\xffA' in row 149: correct it, or leave the column out\n"
    )
    assert said("fit", *SOURCES["SQLite"], "--target", "ill") == (1, "", expected)


def test_a_damaged_file_of_sqlite_is_refused(everywhere, said):
    content = bytearray((everywhere / "t.sqlite").read_bytes())
    content[8192:12288] = b"\xff" * 4096
    (everywhere / "t.sqlite").write_bytes(content)
    code, _, errors = said("fit", *SOURCES["SQLite"], "--target", "ill")
    assert code == 1
    assert errors == "sorb: t.sqlite, table patients: database disk image is malformed\n"


@pytest.mark.parametrize("kind", ["t.duckdb", "u.parquet"])
def test_uuids_are_texts(kind, everywhere, fits):
    with duckdb.connect("t.duckdb") as connection:
        connection.execute("ALTER TABLE patients ADD COLUMN id UUID DEFAULT uuid()")
        connection.execute("COPY patients TO 'u.parquet'")
    options = ("--table", "patients") if kind == "t.duckdb" else ("--memory", "4GB")
    found = fits(kind, *options)
    assert "different texts, such as" in found["left_out_columns"]["id"]


def test_a_column_of_lists_is_refused_by_name(everywhere, said):
    with duckdb.connect("t.duckdb") as connection:
        connection.execute("ALTER TABLE patients ADD COLUMN drugs INT[]")
    assert said("fit", *SOURCES["DuckDB"], "--target", "ill")[2] == (
        "sorb: t.duckdb, table patients, column 'drugs': expected numbers, texts or dates, found "
        "the type List(Int32); --ignore drugs leaves it out\n"
    )


def test_missing_weights_are_counted(everywhere, said):
    table = pd.read_parquet("p0.parquet").astype({"stay": float})
    table.loc[[3, 5], "stay"] = math.nan
    table.loc[7, "stay"] = -1
    table.to_parquet("p0.parquet", index=False)
    assert said("fit", "p*.parquet", "--target", "ill", "--weight", "stay")[2] == (
        "sorb: sample_weight, column 'stay', must be finite and non-negative in all rows: it is "
        "missing or infinite in 2, negative in 1\n"
    )


@pytest.fixture
def quantities(folder):
    """A table of numbers that the tests change and write."""
    x = np.random.default_rng(0).normal(size=300)
    return pd.DataFrame({"x": x, "y": np.round(x, 1), "size": 1.0})


def fit_both_ways(said, table, *options):
    """Fit a file in memory, and lazily."""
    table.to_parquet("t.parquet", index=False)
    quick = ("--max-rules", "1", "--selection", "none", "--json")
    command = ("fit", "t.parquet", "--target", "y", *quick)
    return [said(*command, *options, *more) for more in ((), ("--memory", "4GB"))]


def test_infinite_outcomes_are_not_left_out(quantities, said):
    quantities.loc[5, "y"] = math.inf
    in_memory, lazily = fit_both_ways(said, quantities)
    assert in_memory == (1, "", "sorb: column 'y' is inf in row 5: expected a finite number\n")
    assert lazily == (
        1, "", "sorb: column 'y' is infinite in 1 rows: expected finite numbers\n",
    )  # fmt: skip


def test_outcomes_that_are_all_the_same_may_differ_by_exposure(quantities, said):
    quantities["y"], quantities["size"] = 1, np.exp(quantities["x"])
    options = ("--exposure", "size", "--loss", "poisson", "--test-size", "0")
    found = [json.loads(printed) for _, printed, _ in fit_both_ways(said, quantities, *options)]
    assert found[0]["model"]["rules"]
    assert found[1]["task"] == found[0]["task"]
    assert found[1]["training"]["risk"] == pytest.approx(found[0]["training"]["risk"], rel=1e-9)
    quantities["size"] = 2.0
    refused = (1, "", "sorb: y is 1 in all rows: there is nothing to predict\n")
    assert fit_both_ways(said, quantities, *options) == [refused] * 2


def test_rows_without_weight_do_not_tell_what_is_learned(quantities, said):
    quantities["y"] = (quantities["x"] > 0).astype(int)
    quantities.loc[3, ["y", "size"]] = 7, 0
    found = fit_both_ways(said, quantities, "--weight", "size", "--test-size", "0")
    in_memory, lazily = (json.loads(printed) for _, printed, _ in found)
    assert lazily["task"] == in_memory["task"]
    assert lazily["rows"] == in_memory["rows"]
    quantities["y"] = np.where(quantities["x"] > 0, math.nan, 1.0)
    quantities["size"] = (quantities["x"] > 0).astype(float)
    refused = "sorb: column 'y' is empty in all rows of positive weight in column 'size'\n"
    assert fit_both_ways(said, quantities, "--weight", "size") == [(1, "", refused)] * 2


ARROW = {
    "durations": pa.array(range(300), pa.duration("us")),
    "decimals beyond 2⁵³": pa.array([Decimal(2**60 + k) for k in range(300)], pa.decimal128(38, 0)),
    "the first whole number beyond 2⁵³": pa.array([2**53 + 1, 0] * 150),
    "the last one within": pa.array([2**53, 0] * 150),
    "no type": pa.nulls(300),
}


def fit_arrow(said, table, *options):
    """Fit a table of pyarrow in memory, and lazily."""
    pq.write_table(pa.table(table), "t.parquet")
    quick = ("--max-rules", "1", "--selection", "none", "--test-size", "0", "--json")
    command = ("fit", "t.parquet", "--target", "y", *quick, *options)
    return [said(*command, *more) for more in ((), ("--memory", "4GB"))]


@pytest.mark.parametrize("what", ARROW)
def test_columns_are_understood_as_in_memory(what, quantities, said):
    found = fit_arrow(said, {**quantities[["x", "y"]], "other": ARROW[what]})
    in_memory, lazily = (json.loads(printed) for _, printed, _ in found)
    assert lazily["model"]["columns"] == in_memory["model"]["columns"]
    assert lazily["left_out_columns"] == in_memory["left_out_columns"]


@pytest.mark.parametrize("scale", [0, 2])
def test_outcomes_that_are_decimals_are_understood_as_in_memory(scale, quantities, said):
    y = [Decimal(int(x > 0)) for x in quantities["x"]]
    y = pa.array(y, pa.decimal128(9, scale))
    found = fit_arrow(said, {"x": quantities["x"], "y": y})
    in_memory, lazily = (json.loads(printed) for _, printed, _ in found)
    assert lazily["task"] == in_memory["task"] == "classification"
    classes = [document["model"]["classes"] for document in (lazily, in_memory)]
    assert repr(classes[0]) == repr(classes[1])


@pytest.mark.parametrize("kind", [pa.int64(), pa.decimal128(38, 0)])
def test_outcomes_that_are_identifiers_are_refused(kind, quantities, said):
    y = pa.array([Decimal(2**60 + k) for k in range(300)], pa.decimal128(38, 0)).cast(kind)
    for code, printed, errors in fit_arrow(said, {"x": quantities["x"], "y": y}):
        assert (code, printed) == (1, "")
        assert "are taken for identifiers, so write it as a decimal number" in errors


def test_outcomes_that_are_lists_are_refused_as_in_memory(quantities, said):
    y = [[int(x > 0)] for x in quantities["x"]]
    for code, printed, errors in fit_arrow(said, {"x": quantities["x"], "y": y}):
        assert (code, printed) == (1, "")
        assert errors.lower().startswith(
            "sorb: t.parquet, column 'y': expected numbers, texts or dates, found the type list"
        )
        assert "--ignore" not in errors


def test_advice_can_be_pasted_into_a_shell(quantities, said):
    table = {**quantities[["x", "y"]], "b m i": [f"{k}%" for k in range(300)]}
    for _, _, errors in fit_arrow(said, table):
        assert errors.endswith("or use --categories 'b m i' or --ignore 'b m i'\n")


@pytest.mark.parametrize("option", ["--weight", "--exposure"])
def test_dates_are_no_weights(option, quantities, said):
    table = {**quantities[["x", "y"]], "day": pa.array(range(300), pa.date32())}
    for code, printed, errors in fit_arrow(said, table, option, "day"):
        assert (code, printed) == (1, "")
        assert errors.startswith("sorb: column 'day' holds dates or times")
        assert errors.endswith("such as days since an event or the hour of the day\n")


def test_variables_that_only_name_folders_are_told(quantities, folder, said):
    quick = ("--target", "y", "--max-rules", "1", "--selection", "none")
    for year in (2020, 2021):
        place = folder / "at=home" / f"year={year}"
        place.mkdir(parents=True)
        quantities.to_parquet(place / "p.parquet", index=False)
    code, _, errors = said("fit", "at=home/**/*.parquet", *quick)
    assert code == 0
    assert errors == (
        "sorb: the folders are named year=…, which is not a column of the files, so nothing is "
        "learned from it: to learn from it, write it into the files\n"
    )
    for path in folder.glob("**/*.parquet"):
        quantities.assign(year=int(path.parent.name[-4:])).to_parquet(path, index=False)
    assert said("fit", "at=home/**/*.parquet", *quick)[2] == ""


def test_each_csv_file_has_its_own_decimal_sign(quantities, folder, said):
    table = quantities[["x", "y"]].round(3)
    table.to_csv("p0.csv", index=False)
    table.to_csv("p1.csv", index=False, sep=";", decimal=",")
    mixed = json.loads(said("fit", "p*.csv", "--target", "y", "--json", "--max-rules", "1")[1])
    pd.concat([table, table]).to_parquet("t.parquet", index=False)
    options = ("--target", "y", "--json", "--max-rules", "1", "--memory", "4GB")
    assert mixed["model"] == json.loads(said("fit", "t.parquet", *options)[1])["model"]
