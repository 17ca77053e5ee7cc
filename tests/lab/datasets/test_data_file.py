import pytest

from sorb.lab.datasets.data_file import is_plain_name, is_table_name

ESCAPES = ["..", "../a.csv", "a/../../b.csv", "/a.csv", "~/../a/", "data/a.csv", "a.csv/"]
WINDOWS = [r"..\a.csv", r"\\server\share\a.csv", r"C:\a.csv", "C:a.csv", "a.csv:stream", "a?.csv"]
DEVICES = ["nul", "NUL.csv", "con.csv.gz", "aux .csv", "Com1.csv", "lpt¹.csv", "CONIN$"]
HIDDEN = [
    "",
    ".",
    ".lock",
    ".a.csv",
    " a.csv",
    "a.csv ",
    "a.csv.",
    "a\0.csv",
    "a\n.csv",
    "\x1b[2J.csv",
]


@pytest.mark.parametrize("name", [*ESCAPES, *WINDOWS, *DEVICES, *HIDDEN, "a" * 256, "ä" * 128])
def test_what_is_not_a_file_in_the_folder_is_told(name):
    assert not is_plain_name(name)


@pytest.mark.parametrize(
    "name", ["a.csv", "used cars.csv", "Größe (2).csv", "a..b.csv", "console.csv", "-", "a" * 255]
)
def test_other_names_are_plain(name):
    assert is_plain_name(name)


@pytest.mark.parametrize("name", ["a.csv", "A.CSV", "a.csv.gz", "iris.data", "DEMO_J.xpt", "a.txt"])
def test_tables_are_told_by_their_names(name):
    assert is_table_name(name)


@pytest.mark.parametrize("name", ["a.py", "a.csv.py", "a.toml", "run.json", "a.so", "a.pth", "csv"])
def test_what_a_program_would_read_is_no_table(name):
    assert not is_table_name(name)
