import pytest

from sorb.lab.tables import TABLES


def test_tables_of_the_newest_run_are_printed(folder, said):
    code, printed, error = said("lab", "tables", "--table", "complexity_cv")
    assert (code, error) == (0, "")
    assert "10 [10, 10]" in printed
    _, old, _ = said("lab", "tables", "results/old", "--table", "complexity_cv")
    assert "10 [10, 10]" not in old


@pytest.mark.parametrize(
    ("name", "suffix", "words"),
    [("markdown", "md", "| --- |"), ("latex", "tex", "\\toprule"), ("csv", "csv", "table,section")],
)
def test_tables_are_written_to_files(name, suffix, words, folder, said):
    code, printed, error = said("lab", "tables", "--format", name, "--out", "made")
    assert code == 0
    paths = sorted((folder / "made").iterdir())
    assert {path.suffix for path in paths} == {f".{suffix}"}
    assert {path.stem for path in paths} < set(TABLES)
    assert all(words in path.read_text(encoding="utf-8") for path in paths)
    assert len(printed.splitlines()) == len(paths)
    assert "left out iterations: there are no results of path or bisection" in error


def test_tables_are_printed_in_other_formats(folder, said):
    _, printed, _ = said("lab", "tables", "--table", "times,wins", "--format", "markdown")
    assert printed.count("## ") >= 2
