"""What a notebook shows: IPython runs the cells and asks for all forms of what they give."""

from html.parser import HTMLParser

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

HOSTILE = "</table><script>"
FIT = f"""
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sorb import LLTBoostClassifier

X, y = load_iris(return_X_y=True)
X = pd.DataFrame(X, columns=["a", "<b>&amp;", "c > d", "{HOSTILE}"])
model = LLTBoostClassifier(max_rules=3, selection=None).fit(X, y)
"""


class Page(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text = set(), ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        config = Config()
        config.HistoryManager.enabled = False
        shell = InteractiveShell(config=config)
        shell.run_cell(FIT).raise_error()
        yield shell


def shown(shell, expression):
    """Run a cell and give what a notebook gets: the same value in several forms."""
    result = shell.run_cell(expression)
    result.raise_error()
    forms, _ = shell.display_formatter.format(result.result)
    return forms


@pytest.mark.parametrize("count", [0, 1, 3])
def test_rules_are_shown_as_text_and_as_page(shell, count):
    forms = shown(shell, f"model.ensemble_[:{count}]")
    assert {"text/plain", "text/html"} <= set(forms)
    page = Page(forms["text/html"])
    assert "script" not in page.elements
    rules = shell.user_ns["model"].ensemble_[:count]
    assert (HOSTILE in rules.used_columns) == (count == 3)
    assert len(rules) == count
    for name in rules.used_columns:
        assert name in page.text


def test_fitted_model_shows_its_rules(shell):
    rules = Page(shown(shell, "model.ensemble_")["text/html"]).text
    assert rules in Page(shown(shell, "model")["text/html"]).text
    assert rules not in Page(shown(shell, "LLTBoostClassifier()")["text/html"]).text


@pytest.mark.parametrize(
    "expression",
    [
        "model",
        "LLTBoostClassifier()",
        "make_pipeline(StandardScaler(), model)",
        "GridSearchCV(model, {'max_rules': [1, 2]}, cv=2).fit(X, y)",
    ],
)
def test_scikit_learn_shows_its_diagram(shell, expression):
    forms = shown(shell, expression)
    assert "LLTBoostClassifier" in forms["text/plain"]
    assert "LLTBoostClassifier" in Page(forms["text/html"]).text
