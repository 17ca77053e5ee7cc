import pytest
from estimators.cases import small_classifier_cv
from sklearn.datasets import load_iris

from sorb import LLTBoostClassifier


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return X, y == 1


def small(**parameters):
    return LLTBoostClassifier(
        **{"max_rules": 2, "selection": None, "effort": "low", "verbose": 1, **parameters}
    )


def test_progress_is_a_line_for_each_rule_without_a_terminal(flowers, capsys):
    model = small().fit(*flowers)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    last = model.stages_[-1]
    assert lines[1].startswith(
        f"rule 2: complexity {last.complexity}, training risk {last.train_risk:.4g}, "
    )


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")


@pytest.mark.usefixtures("terminal")
def test_progress_is_a_bar_on_a_terminal(flowers, capsys):
    model = small().fit(*flowers)
    shown = capsys.readouterr().out
    assert "2/2" in shown
    assert f"complexity {model.ensemble_.complexity}, training risk" in shown


@pytest.mark.usefixtures("terminal")
def test_the_bar_moves_by_complexity_if_that_is_limited(flowers, capsys):
    model = small(max_rules=None, max_complexity=9).fit(*flowers)
    assert f"{model.stages_[-1].complexity}/9" in capsys.readouterr().out


def test_silence_is_the_default(flowers, capsys):
    small(verbose=0).fit(*flowers)
    assert capsys.readouterr() == ("", "")


def test_progress_of_the_last_fit_is_shown(flowers, capsys):
    small_classifier_cv(verbose=1, max_rules=3).fit(*flowers)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["rule 1", "rule 2", "rule 3"]


@pytest.mark.usefixtures("terminal")
def test_fits_are_counted_on_a_terminal(flowers, capsys):
    small_classifier_cv(verbose=1, cv=3, max_rules=2).fit(*flowers)
    shown = capsys.readouterr().out
    assert "cross-validation, fit" in shown
    assert "3/3" in shown
