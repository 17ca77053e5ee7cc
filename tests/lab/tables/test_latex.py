import re
import shutil
import subprocess

import pytest
from lab.tables.estimates import exactly
from synthetic_results import ensemble, repeated, written

from sorb.lab.published import METHODS, published
from sorb.lab.tables import TABLES, Cell, ResultTable, TableRow
from sorb.lab.tables.latex import latex


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
