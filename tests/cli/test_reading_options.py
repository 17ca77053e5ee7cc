"""The options that say how tables are read, in the commands that have them."""

import pytest
from cli.patients import patients, write_csv
from cli.quick_fit import QUICK

from sorb.cli import reading_options

SMALL = ("--max-rules", "1")


def test_marks_of_missing_values_are_understood_by_fit_and_predict(said, fitted, folder):
    rows = patients()
    marked = [{**row, "age": -999 if k % 5 == 0 else row["age"]} for k, row in enumerate(rows)]
    empty = [{**row, "age": "" if k % 5 == 0 else row["age"]} for k, row in enumerate(rows)]
    write_csv(folder / "marked.csv", marked)
    write_csv(folder / "empty.csv", empty)
    fit = ("--target", "ill", *QUICK, "--out")
    assert said("fit", "marked.csv", *fit, "a.json", "--missing", "age=-999")[0] == 0
    assert said("fit", "empty.csv", *fit, "b.json")[0] == 0
    assert (folder / "a.json").read_text() == (folder / "b.json").read_text()
    _, expected, _ = said("predict", "b.json", "empty.csv")
    for options in ((), ("--memory", "4GB")):
        code, found, _ = said("predict", "a.json", "marked.csv", "--missing", "-999", *options)
        assert (code, found) == (0, expected)


def test_a_missing_header_is_not_taken_from_the_data(said, folder):
    (folder / "t.csv").write_text("".join(f"{k},{k % 7},{k % 2}\n" for k in range(80)))
    code, _, error = said("fit", "t.csv", "--target", "2")
    assert (code, "looks like data" in error, "--no-header" in error) == (1, True, True)
    assert said("fit", "t.csv", "--target", "x2", "--no-header", *SMALL)[0] == 0


def test_on_a_terminal_a_doubtful_header_is_asked_about(said, folder, monkeypatch):
    monkeypatch.setattr(reading_options, "_can_ask", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda question, err: True)
    (folder / "t.csv").write_text("".join(f"{k},{k % 7},{k % 2}\n" for k in range(80)))
    code, printed, error = said("fit", "t.csv", "--target", "x2", *SMALL)
    assert (code, "60 rows" in printed) == (0, True)
    assert "t.csv: the first line looks like data" in error


def test_what_was_assumed_is_told_on_stderr(said, model, folder):
    write_csv(folder / "t.csv", patients(3))
    content = (folder / "t.csv").read_text().replace("patient", "Müller", 1)
    (folder / "t.csv").write_bytes(content.encode("latin-1"))
    code, _, error = said("predict", model, "t.csv")
    assert (code, error.count("read as Windows-1252"), "'Müller'" in error) == (0, 1, True)
    assert said("predict", model, "t.csv", "--encoding", "latin-1")[2] == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--encoding", "nothing"), "there is no encoding 'nothing'"),
        (("--encoding", "base64"), "there is no encoding 'base64'"),
        (("--missing", "age="), "needs marks such as -999 or age=-999"),
        (("--missing", "=9"), "needs marks such as -999 or age=-999"),
        (("--sheet", "a"), "--sheet names a sheet of an Excel file"),
    ],
)
def test_options_that_cannot_be_are_refused(options, words, said, model, folder):
    write_csv(folder / "t.csv", patients(3))
    code, _, error = said("predict", model, "t.csv", *options)
    assert code != 0
    assert words in " ".join(error.split())


def test_columns_without_a_name_are_reported(said, folder):
    rows = "".join(f"{k},{k % 7},{k % 2},{k % 3}\n" for k in range(80))
    (folder / "t.csv").write_text(f",a,y,\n{rows}")
    _, printed, _ = said("fit", "t.csv", "--target", "y", *SMALL)
    assert "Left out the column column_1: it has no name, like the row numbers" in printed
    assert "60 rows and 2 columns" in printed
