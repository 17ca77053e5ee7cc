import csv
import io
import re

import pandas as pd
import pytest
from rich.console import Console

from sorb.lab.tables import TABLES, Cell, ResultTable, TableRow
from sorb.lab.tables.render import FIELDS, long_csv, markdown, terminal


def test_markdown_has_as_many_cells_in_each_line(small):
    lines = [line for line in markdown(small).splitlines() if line.startswith("|")]
    assert {len(re.split(r"(?<!\\)\|", line)) for line in lines} == {5}
    assert "| red\\_wine | **12** [9, 16] (paper 13 ▼) |" in lines[2]
    assert "`+2  if  a_1 \\| b ≥ 3 & 50 % < c`" in lines[2]
    assert "### 25 %" in markdown(small)


def test_code_may_contain_backticks():
    cell = Cell("+1  if  a`b``<img src=x>`` ≥ 3")
    row = TableRow("[a](b)", "x", (cell,))
    written = markdown(ResultTable("t", "Models", "All.", "dataset", ("A",), (row,)))
    assert "``` +1  if  a`b``<img src=x>`` ≥ 3 ```" in written
    assert "### \\[a\\](b)" in written


def test_csv_is_long_and_exact(small):
    lines = list(csv.DictReader(io.StringIO(long_csv(small))))
    assert tuple(lines[0]) == FIELDS
    assert len(lines) == 4
    first = lines[0]
    assert (first["table"], first["section"], first["row"], first["column"]) == (
        *("small", "25 %", "red_wine", "LLTB"),
    )
    numbers = [first[name] for name in ("value", "low", "high", "repetitions", "published")]
    assert numbers == ["12.0", "9.0", "16.0", "15", "13.0"]
    assert lines[1]["value"].splitlines()[0] == "−1  always"
    assert lines[2]["value"] == "inf"
    assert lines[3]["value"] == ""


def test_csv_gives_all_digits(results):
    table = TABLES["risk_cv"](results)
    lines = pd.read_csv(io.StringIO(long_csv(table)))
    found = lines[(lines["section"] == "test") & (lines["column"] == "LLTB")]["value"]
    assert found.tolist()[0] == table.cell("test", "iris", "LLTB").ours.value


def printed(table, width):
    console = Console(width=width, file=io.StringIO(), record=True)
    for part in terminal(table, width):
        console.print(part)
    return console.export_text()


@pytest.mark.parametrize("width", [60, 80, 120, 400])
def test_terminal_shows_every_cell_at_any_width(width, results):
    table = TABLES["risk_cv"](results)
    text = printed(table, width)
    for cell in (cell for line in table.rows for cell in line.cells):
        assert f"{cell.value} {cell.interval}".strip() in text
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    assert ("(1/2)" in text) == (width == 60)


def test_terminal_marks_the_best(small):
    (first, *_) = terminal(small, 100)
    cell = first.columns[1]._cells[1]
    assert cell.plain == "12 [9, 16]\n(paper 13 ▼)"
    assert str(cell.spans[0].style) == "bold"
    assert "λ is 1 %." in printed(small, 100)
