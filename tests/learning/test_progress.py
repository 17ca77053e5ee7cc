import pytest
from estimators.cases import PENALTIES, small_classifier_cv
from sklearn.datasets import load_iris

from sorb import LLTBoostClassifier


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return X, y == 1


def test_progress_is_a_line_for_each_rule_without_a_terminal(flowers, capsys):
    model = LLTBoostClassifier(max_rules=2, verbose=1).fit(*flowers)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("rule 0: complexity 0, ")
    risk = f"{model.stages_[2].validation_risk:.4g}"
    assert lines[2].startswith(
        f"rule 2: complexity {model.ensemble_.complexity}, validation risk {risk}, "
    )


def test_progress_is_a_bar_on_a_terminal(flowers, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    model = LLTBoostClassifier(max_rules=2, verbose=1).fit(*flowers)
    shown = capsys.readouterr().out
    assert "2/2" in shown
    assert f"complexity {model.ensemble_.complexity}, validation risk" in shown


def test_silence_is_the_default(flowers, capsys):
    LLTBoostClassifier(max_rules=2).fit(*flowers)
    assert capsys.readouterr() == ("", "")


def test_progress_of_the_last_fit_is_shown(flowers, capsys):
    model = small_classifier_cv(verbose=1).fit(*flowers)
    assert len(capsys.readouterr().out.splitlines()) == model.n_rules_ + 1


def test_fits_are_counted_on_a_terminal(flowers, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    small_classifier_cv(verbose=1, cv=3).fit(*flowers)
    shown = capsys.readouterr().out
    assert "cross-validation, fit" in shown
    assert f"{3 * len(PENALTIES)}/{3 * len(PENALTIES)}" in shown
