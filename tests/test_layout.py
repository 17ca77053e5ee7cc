"""The tests of src/sorb/a/b.py are in tests/a/test_b.py."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "sorb"
CONTRIBUTING, PYPROJECT = TESTS.parent / "CONTRIBUTING.md", TESTS.parent / "pyproject.toml"

# Tests that go through several modules, by the folder where a reader would look for them.
THROUGH_SEVERAL_MODULES = {
    "cli/test_losses.py",  # each command on models of rates
    "cli/test_page.py",  # docs/command-line.md
    "cli/test_positive.py",
    "estimators/test_column_sets.py",
    "estimators/test_docstrings.py",
    "estimators/test_groups.py",
    "estimators/test_hard_inputs.py",
    "estimators/test_monotone_scores.py",
    "estimators/test_real_tables.py",
    "estimators/test_sklearn_contract.py",
    "estimators/test_sparse_tables.py",
    "export/test_corpus.py",  # the models and tables that every export is tested on
    "export/test_fitted.py",
    "lab/rivals/test_imodels.py",
    "lab/test_other_losses.py",
    "lab/test_own_rivals.py",
    "learning/search/test_mixed_columns.py",
    "learning/search/test_patience.py",
    "learning/search/test_threads.py",
    "learning/test_refit_accuracy.py",
    "losses/test_against_sklearn.py",
    "report/test_javascript_edits.py",  # page/core/*.js
    "report/test_javascript_inflate.py",
    "report/test_javascript_measures.py",
    "report/test_javascript_model.py",
    "report/test_javascript_numbers.py",
    "report/test_javascript_report.py",
    "rules/test_frames.py",
}


def mirrored_tests():
    """The test files in folders that are packages of sorb, too."""
    paths = (path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
    return {path for path in paths if path.parent.name and (PACKAGE / path.parent).is_dir()}


def is_named_after_its_module(path):
    name = path.stem.removeprefix("test_")
    folder = PACKAGE / path.parent
    return (folder / f"{name}.py").is_file() or name == folder.name


@pytest.mark.parametrize("path", sorted(mirrored_tests()), ids=str)
def test_a_test_file_is_named_after_a_module(path):
    assert is_named_after_its_module(path) != (path.as_posix() in THROUGH_SEVERAL_MODULES)


def test_every_exception_exists():
    assert {path.as_posix() for path in mirrored_tests()} >= THROUGH_SEVERAL_MODULES


def test_contributing_names_each_part_and_the_layers_that_are_checked():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    text = CONTRIBUTING.read_text(encoding="utf-8")
    parts = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", text.partition("## Where things are")[2], re.M)
    assert parts <= set(re.findall(r"\w+", " ".join(rows)))
    contract = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = [layer.strip("()") for layer in contract["contracts"][0]["layers"]]
    assert f"\n{' → '.join(layers)}\n" in text
