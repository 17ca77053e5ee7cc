import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest
from report.page_text import data_in

from sorb.demo import __main__ as demo
from sorb.demo import measures
from sorb.demo.examples import breast_cancer, diabetes
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

TITLES = ["Breast cancer", "Diabetes", "A diagonal border"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "new" / "folder"
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as text:
        patch.setattr(measures, "SPLITS", 2)
        demo.main(["--out", str(out)])
    return out, text.getvalue()


def test_tells_where_the_pictures_and_pages_are(run):
    out, text = run
    named = set(re.findall(r"^(\S+\.(?:png|html))", text, re.MULTILINE))
    assert named == {str(path) for path in out.iterdir()}


def test_draws_a_curve_for_each_and_the_regions_of_one(run):
    out, _ = run
    assert sorted(path.name for path in out.glob("*.png")) == [
        "breast_cancer_risk.png",
        "diabetes_risk.png",
        "diagonal_regions.png",
        "diagonal_risk.png",
    ]


def test_pictures_are_pictures(run):
    out, _ = run
    assert {path.read_bytes()[:4] for path in out.glob("*.png")} == {b"\x89PNG"}


def test_a_page_about_each_shows_its_model_and_others(run):
    for name, title in zip(("breast_cancer", "diabetes", "diagonal"), TITLES, strict=True):
        data = data_in((run[0] / f"{name}.html").read_text("utf-8"))
        assert data["title"] == title
        assert {method["name"] for method in data["comparison"]["methods"]} > {"sorb", "tree"}
        assert data["stability"]["resamples"] > 0


@pytest.mark.parametrize("document", ["README.md", "docs/report.md"])
def test_the_documents_link_a_page_about_each(document):
    path = Path(__file__).parents[2] / document
    linked = re.findall(r"\]\(([a-z/]*pages/\w+\.html)\)", path.read_text("utf-8"))
    pages = [data_in((path.parent / name).read_text("utf-8")) for name in dict.fromkeys(linked)]
    assert [page["title"] for page in pages] == TITLES


@pytest.mark.parametrize("title", TITLES)
def test_prints_rules_and_measures_of_each(run, title):
    part = run[1].partition(f"── {title} ─")[2].partition("\n── ")[0]
    for expected in ["  always", "on test rows", "share of the baseline", "complexity", "seconds"]:
        assert expected in part


def test_both_searches_are_compared_over_several_splits_too(run):
    part = run[1].partition("── Diabetes ─")[2].partition("\n── ")[0]
    shown = [
        float(value) for value in re.search(r"R², mean of 2 splits +(\S+) +(\S+)", part).groups()
    ]
    example = diabetes()
    for mean, search in zip(shown, measures.SEARCHES, strict=True):
        scores = [measures.learn(example, example.split(seed), search).score for seed in range(2)]
        assert mean == pytest.approx(np.mean(scores), abs=5e-4)


def test_the_readme_tells_how_its_model_does_beside_an_axis_parallel_one():
    text = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    told = re.search(r"right in ([0-9.]+) % of the cases, .* in ([0-9.]+) %", text)
    example = breast_cancer()
    scores = [measures.learn(example, example.split(0), name).score for name in measures.SEARCHES]
    assert [float(number) / 100 for number in told.groups()] == pytest.approx(scores, rel=0.02)


def test_lines_fit_on_a_screen(run):
    lines = [line for line in run[1].splitlines() if not re.search(r"\.(png|html) ", line)]
    assert max(map(len, lines)) <= demo.WIDTH


@pytest.mark.parametrize("module", ["matplotlib", "pandas"])
def test_names_what_is_missing_and_how_to_get_it(module, monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "find_spec", lambda name: None if name == module else name)
    with pytest.raises(SystemExit, match=rf'needs {module}\..*pip install .*\[demo\]"$'):
        demo.main(["--out", str(tmp_path)])


def test_long_rules_are_broken_without_loss():
    columns = tuple(f"a_rather_long_name_{k}" for k in "abcdefgh")
    long = Proposition(columns, tuple(range(1, 9)), 1234.5)
    condition = Condition((long, Proposition(columns[:1], (-1.0,), 3.0)))
    ensemble = RuleEnsemble(0.5, (Rule(condition, -2.0),), columns, "squared")
    text = demo.printed_rules(ensemble)
    assert text.split() == ensemble.describe().split()
    assert not re.search(r"(?:[0-9+−≥≤]|and)\n +\S", text)
