import pyarrow.parquet as pq

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


def test_without_a_file_csv_goes_to_standard_output(capsys):
    write_table({"a": [1, 2], "b": ["x", None]}, None)
    assert capsys.readouterr().out == "a,b\n1,x\n2,\n"
