import csv
import io

import pandas as pd
import pyarrow.parquet as pq
import pytest
from cli.large_tables import SOURCES, write_everywhere
from cli.patients import patients

from sorb.tables import csv_file, databases, parquet_file


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(csv_file, "PIECE", 1000)
    monkeypatch.setattr(parquet_file, "PIECE", 7)
    monkeypatch.setattr(databases, "_PIECE", 7)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("kind", SOURCES)
def test_pieces_say_what_the_whole_table_does(kind, said, model, folder, small_pieces):
    write_everywhere(folder)
    options = ("--proba", "--id", "patient", "--id", "group")
    code, printed, errors = said("predict", model, *SOURCES[kind], *options)
    assert (code, errors) == (0, "")
    assert printed == said("predict", model, "whole.csv", *options)[1]


def test_a_file_with_a_limit_of_memory(said, model, folder, small_pieces):
    write_everywhere(folder)
    assert said("predict", model, "whole.csv", "--memory", "4GB", "--out", "o.parquet")[0] == 0
    _, printed, _ = said("predict", model, "whole.csv")
    expected = [row["prediction"] for row in rows_of(printed)]
    assert pq.read_table("o.parquet")["prediction"].to_pylist() == expected


def test_a_text_among_numbers_is_named_by_its_row(said, model, folder, small_pieces):
    write_everywhere(folder)
    lines = (folder / "c2.csv").read_text().splitlines()
    lines[150] = lines[150].replace(lines[150].split(",")[1], "old", 1)
    (folder / "c2.csv").write_text("\n".join(lines) + "\n")
    lines[150] = lines[150].split(",")[0] + ",old," + ",".join(lines[150].split(",")[2:])
    (folder / "c2.csv").write_text("\n".join(lines) + "\n")
    code, _, errors = said("predict", model, "c*.csv", "--out", "o.csv")
    assert code == 1
    # 101 rows are in the other files; line 150 holds row 149 of this one.
    assert "the rules need numbers in column 'age', found 'old' in row 250" in errors
    assert not (folder / "o.csv").exists()


def test_a_copied_column_may_have_whole_numbers_in_the_first_file_alone(said, model, folder):
    write_everywhere(folder)
    part = pd.read_parquet("p2.parquet")
    part.assign(patient=part["patient"] + 0.5).to_parquet("p2.parquet", index=False)
    code, printed, errors = said("predict", model, "p*.parquet", "--id", "patient")
    assert (code, errors) == (0, "")
    whole = [float(number) for number in range(1000, 1101)]
    expected = [*whole, *part["patient"] + 0.5]
    assert pd.read_csv(io.StringIO(printed))["patient"].tolist() == expected


def test_each_csv_file_has_its_own_decimal_sign(said, folder, model):
    people = pd.DataFrame(patients(20))
    people.to_csv("p0.csv", index=False)
    people.to_csv("p1.csv", index=False, sep=";", decimal=",")
    whole = said("predict", model, "p0.csv")[1].splitlines()
    assert said("predict", model, "p0.csv", "p1.csv")[1].splitlines() == [*whole, *whole[1:]]
