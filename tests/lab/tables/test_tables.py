import csv
import io
import math
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from synthetic_results import curve, ensemble, repeated, row, written

from sorb.lab.curves import MissingResults
from sorb.lab.published import METHODS, paper_methods, published
from sorb.lab.statistics import Estimate
from sorb.lab.tables import TABLES, Cell, ResultTable, TableRow
from sorb.lab.tables.latex import latex
from sorb.lab.tables.render import FIELDS, long_csv, markdown, terminal


def exactly(value, repetitions=15):
    return Estimate(value, value, value, repetitions)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Three methods with a complexity, one without, one without probabilities, on two datasets."""
    fast = [[(4 + r, 0.7), (8 + r, 0.4 + 0.01 * r), (120, 0.1)] for r in range(5)]
    slow = [[(5, 0.9), (30, 0.7), (60, 0.5), (90, 0.24)]] * 5
    units = {
        **repeated("iris", "LLTB", fast),
        **repeated("iris", "TGB", slow),
        **repeated("diabetes", "LLTB", slow),
        **repeated("diabetes", "TGB", slow),
        **repeated("iris", "LLTB-append", slow),
        **repeated("diabetes", "LLTB-append", fast),
        **repeated("iris", "HGB", [[(None, 0.05)]] * 5),
        **repeated("synthetic", "LLTB", [[(4, 0.0)]]),
        ("iris", "BRS", 0): [row("iris", 1, 9, None, test_error=0.25, train_error=0.2)],
        ("iris", "EBM", 0): [{"failure": "it broke"}],
        **{("iris", "path", r): steps(3, 1 + r) for r in range(2)},
        **{("housing", "path", r): steps(2, 3) for r in range(2)},
        **{("iris", "bisection", r): steps(3, 7, doublings=2.0) for r in range(2)},
    }
    stored = ensemble(("a", "b"), (1.0, -0.5), 2.0).to_json()
    for place, model in ((("iris", "LLTB", 0), stored), (("iris", "TGB", 0), "a <tree>\nwith | 2")):
        units[place] = [point | {"model": model} for point in units[place]]
    return written(tmp_path_factory.mktemp("run"), units).table()


def steps(count, iterations, doublings=None):
    return [
        {"step": s, "iterations": float(iterations + s), "doublings": doublings}
        for s in range(1, count + 1)
    ]


# --- contents


def test_complexities_are_medians_with_order_statistics(results):
    cell = TABLES["complexity_cv"](results).cell("50 %", "iris", "LLTB")
    # 0.40, 0.41, … are all at most 0.5: complexities 8 … 12; 5 repetitions take the outermost
    assert cell.ours == Estimate(10, 8, 12, 5)
    assert cell.published == published()["complexity_cv", "50 %", "iris", "LLTB"]
    assert (cell.value, cell.interval, cell.paper, cell.mark) == ("10", "[8, 12]", "12", "▼")


def test_complexities_beyond_the_budget_are_infinite(results):
    table = TABLES["complexity_cv"](results)
    assert table.cell("75 %", "iris", "LLTB").value == "∞"
    assert table.cell("75 %", "iris", "TGB").value == "90"


def test_best_is_lowest_among_those_that_reach_the_target(results):
    table = TABLES["complexity_cv"](results)
    assert table.cell("25 %", "iris", "LLTB").best
    assert not table.cell("25 %", "iris", "TGB").best
    ties = [table.cell("25 %", "diabetes", method).best for method in ("LLTB", "TGB")]
    assert ties == [False, False]
    assert table.cell("25 %", "diabetes", "LLTB-append").best
    assert [c.best for c in table.rows[-1].cells] == [True, False, True]  # 90 twice, ∞ once


def test_methods_without_a_complexity_are_in_averages_only_and_do_not_compete(results):
    assert "HGB" not in TABLES["complexity_cv"](results).columns
    table = TABLES["risk_cv"](results)
    assert table.columns == ("LLTB", "LLTB-append", "TGB", "HGB")
    unsized = table.cell("test", "iris", "HGB")
    assert (unsized.value, unsized.best) == ("0.05", False)
    assert table.cell("test, area", "iris", "HGB").value == "–"


def test_averages_are_over_sizes_within_the_budget(results):
    table = TABLES["risk_cv"](results)
    cell = table.cell("test", "iris", "LLTB")
    # means over repetitions: 0.7 and 0.42
    assert cell.ours.value == pytest.approx(0.56)
    assert cell.ours.high - cell.ours.value == pytest.approx(1.96 * 0.14)
    assert cell.interval == "± 0.27"
    assert table.cell("train", "iris", "LLTB").ours.value == pytest.approx(0.504)
    areas = [(3 + r + 4 * 0.7 + (93 - r) * (0.4 + 0.01 * r)) / 100 for r in range(5)]
    assert table.cell("test, area", "iris", "LLTB").ours.value == pytest.approx(np.mean(areas))


def test_oracle_tables_choose_by_the_test_rows(tmp_path):
    rows = [
        row("iris", 1, 4, 0.6, reg_lambda=0.1, cv_risk=0.1),
        row("iris", 1, 5, 0.4, reg_lambda=1.0, cv_risk=0.2),
    ]
    table = written(tmp_path, {("iris", "LLTB", 0): rows}).table()
    assert TABLES["complexity_cv"](table).cell("50 %", "iris", "LLTB").value == "∞"
    assert TABLES["complexity_oracle"](table).cell("50 %", "iris", "LLTB").value == "5"
    assert TABLES["risk_oracle"](table).cell("test", "iris", "LLTB").value == "0.40"


@pytest.mark.parametrize("kind", ["complexity", "risk"])
def test_titles_say_how_the_penalty_is_chosen(results, kind):
    titles = [TABLES[f"{kind}_{way}"](results).title for way in ("cv", "oracle")]
    assert titles[0].endswith("penalty by cross-validation")
    assert titles[1].endswith("penalty chosen in hindsight")


def test_risk_at_fifty_as_published_and_honestly(tmp_path):
    points = [(10, 0.3), (40, 0.5), (60, 0.1)]
    table = TABLES["risk_at_50"](written(tmp_path, repeated("iris", "LLTB", [points])).table())
    assert table.cell("test, least", "iris", "LLTB").value == "0.30"
    assert table.cell("test, largest model", "iris", "LLTB").value == "0.50"
    assert table.cell("train, least", "iris", "LLTB").value == "0.27"
    assert table.cell("test, least", "iris", "LLTB").paper == "0.32"
    assert table.cell("test, largest model", "iris", "LLTB").paper == ""


def test_errors_are_of_classifications_and_of_all_methods(results):
    table = TABLES["error_at_50"](results)
    assert {row.label for row in table.rows} == {"iris"}
    assert table.cell("test, least", "iris", "BRS").ours == Estimate(0.25, 0.25, 0.25, 1)
    assert TABLES["complexity_error"](results).cell("75 %", "iris", "BRS").value == "9"
    assert TABLES["error_cv"](results).cell("test", "iris", "LLTB").value == "0.28"


def test_times_are_those_of_the_median_complexity(results):
    table = TABLES["times"](results)
    assert table.cell("", "iris", "TGB").value == "0.2"  # complexity 30, the second step
    assert table.cell("", "iris", "TGB").paper == "0.04"


def test_strategies_stand_side_by_side(results):
    table = TABLES["strategies"](results)
    assert table.columns == ("LLTB", "LLTB-append")
    assert table.cell("complexity for 50 %", "diabetes", "LLTB-append").value == "10"
    assert table.cell("average test risk", "iris", "LLTB").value == "0.56"


def test_iterations_are_means(results):
    table = TABLES["iterations"](results)
    cell = table.cell("path", "iris", "s = 2")
    assert (cell.ours.value, cell.ours.repetitions) == (3.5, 2)  # 3 and 4
    assert table.cell("path", "housing", "s = 3").value == "–"
    assert table.cell("bisection, doublings", "iris", "s = 1").value == "2.00"


def test_models_are_the_smallest_that_halve_the_risk(results):
    table = TABLES["rules_iris"](results)
    lltb = table.cell("", "LLTB", "model")
    assert lltb.value == "−1  always\n+2  if  a − 0.5 b ≥ 2"
    assert table.cell("", "LLTB", "complexity").value == "8"
    assert table.cell("", "TGB", "test risk").value == "0.50"
    assert table.cell("", "TGB", "model").value == "a <tree>\nwith | 2"


def test_models_that_halve_nothing_are_said_to_be_missing(tmp_path):
    units = {("housing", "LLTB", 0): curve("housing", [(4, 0.9)], model="words")}
    table = TABLES["rules_housing"](written(tmp_path, units).table())
    assert table.cell("", "LLTB", "model").value == "no model up to this complexity does"


@pytest.mark.parametrize("name", TABLES)
def test_results_without_what_a_table_needs_are_told(name, tmp_path):
    rows = written(tmp_path, {("iris", "LLTB", 0): [{"failure": "it broke"}]}).table()
    with pytest.raises(MissingResults):
        TABLES[name](rows)


def test_pictured_datasets_are_in_no_table(results):
    for name, make in TABLES.items():
        if name != "rules_housing":
            assert "synthetic" not in {row.label for row in make(results).rows}


def test_captions_say_on_how_much_they_rest(results, tmp_path):
    caption = TABLES["complexity_cv"](results).caption
    assert "probability of 93.8 %." in caption
    assert caption.endswith("Based on 5 repetitions.")
    fifteen = written(tmp_path, repeated("iris", "LLTB", [[(4, 0.4)]] * 15)).table()
    assert "of 88.2 % (the paper says 92 %)" in TABLES["complexity_cv"](fifteen).caption


# --- wins


def test_wins_count_ties_for_all(results):
    table = TABLES["wins"](results)
    assert table.columns == ("LLTB", "LLTB-append", "TGB", "BRS")
    section = "among all methods"
    wins = [table.cell(section, "complexity_cv, 75 %", m).value for m in table.columns[:3]]
    assert wins == ["1", "1", "2"]  # diabetes: ∞ for append; iris: LLTB ∞
    assert table.cell(section, "complexity_cv, 75 %", "TGB").best


def test_wins_among_the_papers_methods_leave_ours_out(results):
    table = TABLES["wins"](results)
    cell = table.cell("among the paper's methods", "complexity_cv, 25 %", "LLTB")
    # ours: iris alone and diabetes tied with TGB; the paper's: only diabetes, tied with RFObTr
    assert (cell.value, cell.paper, cell.mark) == ("2", "1", "▲")
    append = table.cell("among the paper's methods", "complexity_cv, 25 %", "LLTB-append")
    assert (append.value, append.paper) == ("–", "")
    labels = {r.label for r in table.rows if r.section == "among the paper's methods"}
    assert "risk_at_50, test, least" in labels
    assert "risk_at_50, test, largest model" not in labels


def test_published_wins_are_counted_anew(tmp_path):
    """On all datasets, the paper's bold numbers, which its own count of wins does not match."""
    datasets, methods = {place[2] for place in published()}, paper_methods()
    units = {(name, "LLTB", 0): curve(name, [(4, 0.1)]) for name in datasets}
    table = TABLES["wins"](written(tmp_path, units).table())
    for share in ("25 %", "50 %", "75 %"):
        expected = 0
        for dataset in datasets:
            places = {m: ("complexity_cv", share, dataset, m) for m in methods}
            values = {m: published()[p].value for m, p in places.items() if p in published()}
            least = min(values.values())
            expected += math.isfinite(least) and values["LLTB"] == least
        cell = table.cell("among the paper's methods", f"complexity_cv, {share}", "LLTB")
        assert cell.paper == str(expected)
    assert table.cell("among the paper's methods", "complexity_cv, 75 %", "LLTB").paper == "7"


# --- cells


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (Cell(), ("–", "", "", "")),
        (Cell(exactly(math.inf), "complexity", exactly(12.0)), ("∞", "", "12", "▲")),
        (Cell(exactly(3.0), "complexity", exactly(math.inf)), ("3", "[3, 3]", "∞", "▼")),
        (Cell(exactly(math.inf), "seconds", exactly(math.nan)), ("–", "", "–", "")),
        (Cell(exactly(0.404), "average risk", exactly(0.4)), ("0.40", "± 0.00", "0.40", "")),
        (Cell(exactly(math.nan), "risk", exactly(0.4)), ("–", "", "0.40", "")),
        (Cell(Estimate(math.inf, 80.0, math.inf, 15)), ("∞", "[80, ∞]", "", "")),
        (Cell(exactly(0.0123), "seconds"), ("0.012", "[0.012, 0.012]", "", "")),
        (Cell(exactly(7.5), "complexity"), ("7.5", "[7.5, 7.5]", "", "")),
        (Cell(exactly(7.0), "count", exactly(6.0)), ("7", "", "6", "▲")),
        (Cell(exactly(7.0, repetitions=1)), ("7", "", "", "")),
        (Cell("text"), ("text", "", "", "")),
    ],
)
def test_cells_are_written(cell, expected):
    assert (cell.value, cell.interval, cell.paper, cell.mark) == expected


# --- renderings


@pytest.fixture
def small():
    first = Cell(Estimate(12.0, 9.0, 16.0, 15), "complexity", exactly(13.0), best=True)
    second = Cell(exactly(math.inf))
    text = Cell("−1  always\n+2  if  a_1 | b ≥ 3 & 50 % < c")
    rows = (TableRow("25 %", "red_wine", (first, text)), TableRow("50 %", "iris", (second, Cell())))
    return ResultTable("small", "Sizes & more", "λ is 1 %.", "dataset", ("LLTB", "model"), rows)


def test_markdown_has_as_many_cells_in_each_line(small):
    lines = [line for line in markdown(small).splitlines() if line.startswith("|")]
    assert {len(re.split(r"(?<!\\)\|", line)) for line in lines} == {5}
    assert "| red\\_wine | **12** [9, 16] (paper 13 ▼) |" in lines[2]
    assert "`+2  if  a_1 \\| b ≥ 3 & 50 % < c`" in lines[2]
    assert "### 25 %" in markdown(small)


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


def test_latex_is_well_formed(small):
    text = latex(small)
    plain = text.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
    assert plain.count("{") == plain.count("}")
    assert text.count("\\begin{") == text.count("\\end{")
    assert all(f"\\{rule}" in text for rule in ("toprule", "midrule", "bottomrule"))
    body = text[text.index("\\endfoot") : text.index("\\end{longtable}")]
    lines = [line for line in body.splitlines() if " & " in line]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {2}
    assert all(line.endswith("\\tabularnewline") for line in lines)
    assert "\\textbf{12}\\tabularnewline\\scriptsize [9, 16]\\tabularnewline\\scriptsize pa" in text
    assert "$\\lambda$ is 1 \\%." in text
    assert text.isascii()
    assert "a\\_1 \\textbar{} b $\\geq$ 3 \\& 50 \\% \\textless{} c" in text


def test_latex_has_a_float_for_each_section(results):
    text = latex(TABLES["complexity_cv"](results))
    assert text.count("\\begin{table}") == text.count("\\resizebox") == 3
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert labels == ["tab:complexity_cv", "tab:complexity_cv-2", "tab:complexity_cv-3"]
    assert text.count("As Table~\\ref{tab:complexity_cv}.") == 2
    assert "cross-validation: 50 \\%." in text


def test_latex_divides_many_columns(small):
    columns = tuple(f"method {k}" for k in range(13))
    row_of_ten = TableRow("", "iris", tuple(Cell(exactly(float(k))) for k in range(13)))
    text = latex(ResultTable("wide", "Wide", "All.", "dataset", columns, (row_of_ten,)))
    first, second = text.split("\\end{table}\n")[:2]
    assert "method 5" in first
    assert "method 6" not in first
    assert "\\textbf{Wide (2/2).}" in second
    assert re.findall(r"method (\d+)", first + second) == [str(k) for k in range(13)]


def test_latex_breaks_long_texts_into_rows(small):
    lines = latex(small).splitlines()
    (place,) = (k for k, line in enumerate(lines) if line.startswith("red\\_wine"))
    assert lines[place + 1].startswith(" &  & \\raggedright +2")


@pytest.mark.parametrize("name", TABLES)
def test_latex_needs_no_other_characters(name, results):
    if name == "rules_housing":
        return
    assert latex(TABLES[name](results)).isascii()


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """As many methods and datasets as the paper's run has, with wide numbers."""
    points = [[(11.5, 0.7), (97.5, 0.4)], [(100, 0.6)], [(99.5, 0.45)]]
    datasets = {place[2] for place in published()}
    rules = ensemble(("a long name (cm)", "another long name (cm)"), (1.0, -0.5), 2.0)
    units = {}
    for dataset in datasets:
        for method in METHODS:
            units |= repeated(dataset, method, points)
            stored = "\n".join([rules.format()] * 9)
            first = units[dataset, method, 0]
            units[dataset, method, 0] = [point | {"model": stored} for point in first]
    return written(tmp_path_factory.mktemp("crowded"), units).table()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_and_fits_the_page(small, crowded, tmp_path):
    names = ("complexity_cv", "risk_cv", "times", "wins", "rules_iris")
    made = [latex(small), *(latex(TABLES[name](crowded)) for name in names)]
    packages = "booktabs,graphicx,longtable"
    document = "\\documentclass{article}\\usepackage{%s}\\begin{document}%s\\end{document}"
    text = document % (packages, "\\clearpage\n".join(made))
    (tmp_path / "tables.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=100)
    log = (tmp_path / "tables.log").read_text(encoding="utf-8", errors="replace")
    assert not re.findall(r"Overfull.*|.*Float too large.*", log)


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
