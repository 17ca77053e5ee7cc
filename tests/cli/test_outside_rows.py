import csv
import io
from dataclasses import replace

import pandas as pd
import pyarrow.parquet as pq
import pytest
from cli.large_tables import SOURCES, write_everywhere
from cli.patients import SEEN, hand_made, patients

from sorb.rules import ColumnExperience, Condition, Proposition, Rule, RuleEnsemble
from sorb.tables import csv_file, databases, parquet_file

ROWS = """\
age,weight,height,group
50,80,1.7,A
17,80,,Oh
84,500,1.7,
NA,80,1.7,Zz
18,80,1.7,Oh
"""


@pytest.fixture
def knowing(folder):
    """A model that remembers its training."""
    replace(hand_made(), experience=SEEN).save(folder / "knowing.json")
    return folder / "knowing.json"


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(csv_file, "PIECE", 40)
    monkeypatch.setattr(parquet_file, "PIECE", 2)
    monkeypatch.setattr(databases, "_PIECE", 7)


def column_of(printed):
    return [row["outside_training"] for row in csv.DictReader(io.StringIO(printed))]


EXPECTED = ["", "age; group", "weight", "age; group", "group"]
SUMMARY = """\
sorb: 4 of 5 rows are outside of the training of the model (named in column 'outside_training'):
sorb: column 'age' is missing in row 3 (1 in all), but never was in training
sorb: column 'age' is 17 in row 1 (1 in all), outside of 18 to 84 in training
sorb: column 'weight' is 500 in row 2 (1 in all), outside of 40 to 150 in training
sorb: column 'group' holds 'Oh' in row 1 (3 in all), never seen in training
"""


def write_rows(kind):
    table = pd.read_csv(io.StringIO(ROWS))
    path = f"t.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path, index=False)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("options", [(), ("--memory", "4GB")], ids=["whole", "pieces"])
def test_a_column_names_them_and_a_summary_counts_them(kind, options, said, knowing, small_pieces):
    code, printed, errors = said("predict", knowing, write_rows(kind), *options)
    assert (code, column_of(printed)) == (0, EXPECTED)
    assert sorted(errors.splitlines()) == sorted(SUMMARY.splitlines())


@pytest.mark.parametrize("options", [(), ("--memory", "4GB")], ids=["whole", "pieces"])
def test_the_column_of_a_parquet_file_holds_texts(options, said, knowing, folder):
    (folder / "t.csv").write_text(ROWS)
    assert said("predict", knowing, "t.csv", "--out", "o.parquet", *options)[0] == 0
    assert pq.read_table("o.parquet")["outside_training"].to_pylist() == EXPECTED


@pytest.mark.parametrize("kind", SOURCES)
def test_known_rows_are_not_mentioned(kind, said, knowing, folder):
    write_everywhere(folder)
    code, printed, errors = said("predict", knowing, *SOURCES[kind], "--strict")
    assert (code, errors) == (0, "")
    assert set(column_of(printed)) == {""}


@pytest.mark.parametrize("options", [(), ("--memory", "4GB")], ids=["whole", "pieces"])
def test_strict_refuses_the_first_of_them(options, said, knowing, folder, small_pieces):
    (folder / "t.csv").write_text(ROWS.replace("17,", "20,").replace(",,Oh", ",,O"))
    code, _, errors = said("predict", knowing, "t.csv", "--strict", "--out", "o.csv", *options)
    assert (code, errors.count("\n")) == (1, 1)
    assert "column 'weight' is 500 in row 2, outside of 40 to 150 in training: " in errors
    assert not (folder / "o.csv").exists()


@pytest.mark.parametrize("seen", [{}, {"age": SEEN["age"]}], ids=["nothing", "one column"])
def test_strict_needs_a_model_that_remembers(seen, said, folder, table):
    replace(hand_made(), experience=seen).save(folder / "m.json")
    code, printed, errors = said("predict", "m.json", table, "--strict")
    assert (code, printed, errors.count("\n")) == (1, "", 1)
    assert "m.json does not remember what column" in errors


@pytest.mark.parametrize("options", [(), ("--memory", "4GB")], ids=["whole", "pieces"])
def test_infinite_numbers_are_refused_by_column_and_row(options, said, model, folder, small_pieces):
    (folder / "t.csv").write_text(ROWS.replace("500", "inf"))
    code, _, errors = said("predict", model, "t.csv", "--out", "o.csv", *options)
    assert (code, errors.count("\n")) == (1, 1)
    assert "column 'weight' is infinite in row 2: expected a finite number" in errors
    assert not (folder / "o.csv").exists()


def test_a_model_that_remembers_nothing_says_nothing(said, model, folder):
    (folder / "t.csv").write_text(ROWS)
    code, printed, errors = said("predict", model, "t.csv")
    assert (code, set(column_of(printed)), errors) == (0, {""}, "")


def test_truth_values_are_known_however_a_table_writes_them(said, folder):
    people = pd.DataFrame(patients())
    people["smoker"] = (people.age % 3 > 0).map({True: "True", False: "False"})
    people["ward"] = (people.age % 4).map("w{}".format)
    people["ill"] = (people.age % 3 > 0) ^ (people.age % 4 > 1)
    people[["smoker", "ward", "ill"]].to_csv("t.csv", index=False)
    assert said("fit", "t.csv", "--target", "ill", "--effort", "low", "--out", "m.json")[0] == 0
    assert RuleEnsemble.load("m.json").used_columns == ("smoker", "ward")
    (folder / "new.csv").write_text("smoker,ward\nTRUE,w0\nfalse,w3\nFALSE,3\n")
    code, printed, _ = said("predict", "m.json", "new.csv")
    assert (code, column_of(printed)) == (0, ["", "", "ward"])


def test_only_a_few_columns_are_listed(said, folder):
    names = [f"c{k}" for k in range(9)]
    table = pd.DataFrame({name: [0.0, 1.0] for name in names})
    rules = [Rule(Condition((Proposition((name,), (1.0,), 0.5),)), 1.0) for name in names]
    seen = {name: ColumnExperience(missing=False, range=(0, 0.5)) for name in names}
    RuleEnsemble(0.0, rules, names, "squared", experience=seen).save(folder / "m.json")
    table.to_csv("t.csv", index=False)
    lines = said("predict", "m.json", "t.csv")[2].splitlines()
    assert (len(lines), lines[-1]) == (7, "sorb: and 4 more")
