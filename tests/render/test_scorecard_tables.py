"""Scorecards in Markdown and LaTeX say what the text says, whatever names contain."""

import re
import shutil
import subprocess

import pytest
from hostile_names import LATEX, MARKDOWN, NAMES
from render.cards import bank_card, card, named
from render.latex_reader import composed
from render.latex_reader import read as read_latex
from render.markdown_reader import PARSER, plain

from sorb.render import scorecard_latex, scorecard_markdown
from sorb.rules.notation import join_tokens
from sorb.simplify.card_text import cost_cells, total_cells


def conditions(made):
    units = dict(made.model.units)
    return [join_tokens(line.tokens(units)) for line in made.lines]


def markdown_rows(document):
    rows = []
    for token in PARSER.parse(document):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and token.level == 4:
            rows[-1].append(plain(token))
    return rows


def spaced(text):
    return " ".join(text.split())


@pytest.mark.parametrize("made", [card(), bank_card()])
def test_markdown_has_all_tables(made):
    rows = markdown_rows(scorecard_markdown(made))
    start = [[str(made.start), "always"]] if made.start else []
    points = [
        [str(line.points), spaced(condition)]
        for line, condition in zip(made.lines, conditions(made), strict=True)
    ]
    found = [[spaced(cell) for cell in row] for row in rows]
    assert found == [
        ["points", "if"],
        *start,
        *points,
        *map(list, total_cells(made)),
        *cost_cells(made.cost),
    ]


@pytest.mark.parametrize("name", [*MARKDOWN, *NAMES[::5]])
def test_names_stay_text_in_markdown(name):
    made = named(name)
    rows = markdown_rows(scorecard_markdown(made))
    found = [spaced(row[1]) for row in rows[1 : 1 + len(made.lines)]]
    assert found == [spaced(condition) for condition in conditions(made)]


def points_of(document):
    """The cells of the points in LaTeX, read as a reader sees them."""
    lines = document.split("\n")[4:]
    cells = [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines]
    end = next(k for k, row in enumerate(lines) if row == r"\hline")
    return [[read_latex(cell).strip() for cell in row] for row in cells[:end]]


@pytest.mark.parametrize("made", [card(), bank_card()])
def test_latex_has_all_lines(made):
    rows = [row[1:] for row in points_of(scorecard_latex(made))]
    start = [["always", str(made.start)]] if made.start else []
    assert [[spaced(c.replace(r"\geq", "≥").replace(r"\leq", "≤")), p] for c, p in rows] == [
        *start,
        *(
            [spaced(condition), str(line.points)]
            for line, condition in zip(made.lines, conditions(made), strict=True)
        ),
    ]


@pytest.mark.parametrize("name", [*LATEX, *NAMES[::5]])
def test_latex_stays_balanced(name):
    written = scorecard_latex(named(name))
    assert written.isascii()
    plain_braces = re.sub(r"\\[{}\\]", "", written)
    assert plain_braces.count("{") == plain_braces.count("}")
    assert written.count(r"\begin{tabular}") == written.count(r"\end{tabular}") == 2
    (row, *_) = points_of(written)
    condition = conditions(named(name))[0]
    assert spaced(composed(row[1])).startswith(spaced(composed(condition.split(" ≥ ")[0]))[:5])


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX: apt-get install texlive")
def test_latex_compiles(tmp_path):
    document = (
        rf"\documentclass{{article}}\begin{{document}}{scorecard_latex(card())}\end{{document}}"
    )
    (tmp_path / "card.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "card.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
