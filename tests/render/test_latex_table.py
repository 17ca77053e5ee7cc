"""LaTeX, read back by a small reader of its own, and compiled by the real program."""

import shutil
import subprocess

import pytest
from hypothesis import strategies as st
from render.latex_reader import HOSTILE, check, read
from rule_strategies import all_ensembles, for_all

from sorb import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.render import to_latex
from sorb.render.latex_text import LETTERS, MATHEMATICS, escape


@for_all(all_ensembles, st.sampled_from([2, 3, None]))
def test_the_table_says_what_is_printed(ensemble, digits):
    check(ensemble, digits)


def test_the_caption_is_below():
    ensemble = RuleEnsemble(0.0, (), ("a",), "logistic", ("50 %", "a_b"))
    assert read(escape(ensemble.caption())) == ensemble.caption()
    assert escape(ensemble.caption()) in to_latex(ensemble).split("\n")[-2]


def test_powers_are_superscripts():
    ratio = Product(("a", "b"), (0.5, -3.0), 2e-9)
    written = to_latex(RuleEnsemble(0.0, (Rule(Condition((ratio,)), 1.0),), ("a", "b"), "squared"))
    assert r"\textsf{a}$^{0.5}$ $/$ \textsf{b}$^{3}$ $\geq$ $2\cdot 10^{-9}$" in written


def test_ranges_and_single_categories_are_mathematics():
    bounds = Proposition(("age",), (1.0,), 1.5), Proposition(("age",), (-1.0,), -20.5)
    others = Membership("sex", ("male",)), Membership("town", ("a = b",), negated=True)
    rule = Rule(Condition((*bounds, *others)), 1.0)
    ensemble = RuleEnsemble(0.0, (rule,), ("age", "sex", "town"), "squared")
    check(ensemble, None)
    written = to_latex(ensemble)
    assert r"$1.5$ $\leq$ \textsf{age} $\leq$ $20.5$  and  \textsf{sex} $=$ male" in written
    assert r"\textsf{town} $\neq$ {\ttfamily\char34}a = b{\ttfamily\char34}" in written


@pytest.fixture
def compiled(tmp_path):
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")

    def run(*tables):
        body = "\n\n\\noindent ".join(tables)
        document = f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
        (tmp_path / "rules.tex").write_text(document, "ascii")
        done = subprocess.run(
            [program, "-interaction=nonstopmode", "-halt-on-error", "rules.tex"],
            cwd=tmp_path,
            capture_output=True,
            timeout=120,
        )
        log = done.stdout.decode("latin-1")
        assert done.returncode == 0, log[-2000:]
        assert "Missing character" not in (tmp_path / "rules.log").read_text("latin-1")

    return run


def test_hostile_names_compile(compiled):
    rule = Rule(Condition((Proposition((HOSTILE,), (1.0,), 2.0),)), 1.0)
    compiled(
        to_latex(RuleEnsemble((0.0, 1.0), (rule,), (HOSTILE,), "softmax", (HOSTILE, "b"))),
        *(escape(f"a{character}{character}b") for character in map(chr, range(32, 0x250))),
        *map(escape, (*MATHEMATICS, *LETTERS)),
    )


def test_any_ensembles_compile(compiled):
    tables = []

    @for_all(all_ensembles)
    def write(ensemble):
        tables.append(to_latex(ensemble))

    write()
    compiled(*tables)
