"""Classes of the user's own as rivals: from a module beside the run file to the report."""

import re
import sys
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from sorb.cli import run as run_command
from sorb.lab.configuration import ConfigurationError
from sorb.lab.figures import FIGURES
from sorb.lab.methods import method_of_class
from sorb.lab.report import page
from sorb.lab.results import Results, Unit
from sorb.lab.rivals.sweep import Sweep
from sorb.lab.run_file import load_configuration
from sorb.lab.runner import run
from sorb.lab.tables import TABLES
from sorb.lab.tables.render import markdown

MODULE = '''
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


class Stump(ClassifierMixin, BaseEstimator):
    """Compare one column with some quantile of it."""

    def __init__(self, level=0.5, random_state=None):
        self.level = level
        self.random_state = random_state

    def fit(self, X, y):
        X = np.asarray(X)
        self.classes_ = np.unique(y)
        self.cut_ = np.quantile(X[:, -1], self.level)
        above = X[:, -1] > self.cut_
        self.shares_ = [y[~above].mean(), y[above].mean() if above.any() else 0.5]
        self.complexity_ = 3
        return self

    def predict_proba(self, X):
        share = np.where(np.asarray(X)[:, -1] > self.cut_, *self.shares_[::-1])
        return np.column_stack([1 - share, share])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def describe(self):
        return f"above {self.cut_:.2f}?"


class Mean(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class Decides(ClassifierMixin, BaseEstimator):
    """Knows no probabilities."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.ones(len(X), dtype=int)


class NoFit(ClassifierMixin, BaseEstimator):
    def predict(self, X):
        return np.ones(len(X))


class NoKind(BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.ones(len(X))


class NeedsArguments(Mean):
    def __init__(self, size):
        self.size = size


def leaves(tree):
    return tree.get_n_leaves()


function = leaves
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module beside the run file, under a name that no other test has imported."""
    monkeypatch.setattr(sys, "path", list(sys.path))  # what is added here goes with the test
    name = f"rivals_{uuid4().hex}"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    return name


@pytest.fixture
def load(tmp_path, module):
    def load(methods, names, datasets='"iris"', name="mine.toml"):
        text = f"""
            [[parts]]
            datasets = [{datasets}]
            methods = [{", ".join(f'"{n}"' for n in names)}]
            repetitions = 2
            [protocol]
            reg_lambdas = [1.0]
            {methods}
        """
        path = tmp_path / name
        path.write_text(text.replace("MODULE", module), encoding="utf-8")
        return load_configuration(path)

    return load


def test_worker_processes_learn_it_and_all_that_is_made_of_results_shows_it(load, module, tmp_path):
    stump = f"{module}:Stump"
    mine = load(f'[methods."{stump}"]\ngrid = {{level = [0.25, 0.5, 0.75]}}', [stump, "LLTB"])
    results = run(mine, tmp_path / "run", jobs=2, backend="loky")
    assert results.done() == {Unit(r, "iris", m): None for r in (0, 1) for m in (stump, "LLTB")}
    rows = results.table()
    own = rows[(rows["method"] == stump) & (rows["repetition"] == 0)]
    assert own["setting"].tolist() == ["level=0.25", "level=0.5", "level=0.75"]
    assert set(own["complexity"]) == {3.0}
    assert own["model"].str.match(r"above \d").all()
    assert (own["test_risk"] < 1).any()
    assert stump in TABLES["risk_cv"](rows).columns
    assert stump.replace("_", r"\_") in markdown(TABLES["risk_cv"](rows))
    (legend,) = FIGURES["risk_cv"](rows).figure.legends
    assert stump in [text.get_text() for text in legend.get_texts()]
    assert f'<th scope="col">{stump}</th>' in page(rows, results.facts())


def test_a_short_name_stands_for_a_classifier_and_a_regressor(load, tmp_path):
    text = """
        [methods.tree]
        classifier = "sklearn.tree:DecisionTreeClassifier"
        regressor = "sklearn.tree:DecisionTreeRegressor"
        grid = {max_depth = [1, 2]}
        parameters = {min_samples_leaf = 5}
        complexity = "MODULE:leaves"
    """
    rows = run(load(text, ["tree"], '"iris", "diabetes"'), tmp_path / "run").table()
    assert set(rows["dataset"]) == {"iris", "diabetes"}
    assert rows["failure"].isna().all()
    assert set(rows["complexity"]) == {2.0, 3.0, 4.0}


def test_a_class_that_is_named_in_a_part_needs_no_more_words(load, module, tmp_path):
    rows = run(load("", [f"{module}:Mean"], '"diabetes"'), tmp_path / "run").table()
    assert rows["train_risk"].tolist() == pytest.approx([1.0, 1.0])
    assert rows["complexity"].isna().all()


def test_without_probabilities_there_is_no_risk(load, module, tmp_path):
    rows = run(load("", [f"{module}:Decides"]), tmp_path / "run").table()
    assert rows["test_risk"].isna().all()
    assert rows["test_error"].notna().all()


def test_a_penalty_is_chosen_by_cross_validation_if_there_is_one(load, tmp_path):
    text = """
        [methods.few]
        classifier = "sorb:LLTBoostClassifier"
        grid = {max_rules = [1, 2]}
        penalised = true
        [penalties]
        few = [0.1, 10.0]
    """
    rows = run(load(text, ["few"]), tmp_path / "run").table()
    assert set(rows["reg_lambda"]) == {0.1, 10.0}
    assert rows["cv_risk"].notna().all()


def test_the_wrong_task_is_a_failure_that_says_so(load, module, tmp_path):
    done = run(load("", [f"{module}:Stump"], '"diabetes"'), tmp_path / "run").done()
    assert all("no regression: it has classification only" in why for why in done.values())


def test_other_sizes_need_another_folder(load, module, tmp_path):
    text = '[methods."MODULE:Stump"]\ngrid = {{level = [{}]}}'
    run(load(text.format(0.25), [f"{module}:Stump"]), tmp_path / "run")
    with pytest.raises(ConfigurationError, match=r"other settings \(rivals_\w+:Stump\)"):
        run(load(text.format(0.75), [f"{module}:Stump"]), tmp_path / "run")


def test_the_command_line_adds_a_class_on_the_datasets_of_its_task(
    load, module, tmp_path, monkeypatch, capsys
):
    load("", ["TGB"], '"iris", "diabetes"')
    monkeypatch.chdir(tmp_path)
    stump = f"{module}:Stump"
    options = ["--methods", stump, "--repetitions", "1", "--out", "run", "--jobs", "2"]
    assert run_command(["lab", "run", "mine.toml", *options]) == 0
    assert Results(tmp_path / "run").done() == {Unit(0, "iris", stump): None}
    assert run_command(["lab", "run", "mine.toml", "--repetitions", "1", "--out", "run"]) == 0
    assert Unit(0, "diabetes", "TGB") in Results(tmp_path / "run").done()
    assert stump in Results(tmp_path / "run").facts()["methods"]
    assert run_command(["lab", "run", "mine.toml", "--methods", "nowhere:Class"]) == 2
    assert "there is no module 'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ('[methods."nowhere.at_all:Class"]', "there is no module 'nowhere': it is not installed"),
        ('[methods."MODULE.sub:Class"]', "importing .* failed|there is no module"),
        ('[methods."MODULE:Absent"]', r"\.py has no 'Absent'"),
        ('[methods."MODULE:function"]', "is not a class"),
        ('[methods."MODULE:NoFit"]', "has no method fit: a rival is a scikit-learn estimator"),
        ('[methods."MODULE:NoKind"]', "neither a classifier nor a regressor"),
        ('[methods."MODULE:NeedsArguments"]', "cannot be made without arguments"),
        ('[methods."MODULE:Stump"]\ngrid = {depth = [1]}', "no parameter 'depth'; it has level"),
        ('[methods."MODULE:Stump"]\ngrid = {level = 1}', "level must be a non-empty list, found 1"),
        ('[methods."MODULE:Stump"]\ngrid = 3', "grid must be a table of names and values"),
        ('[methods."MODULE:Stump"]\npenalised = true', "no parameter 'reg_lambda'"),
        ('[methods."MODULE:Stump"]\npenalised = 1', "must be true or false, found 1"),
        ('[methods."MODULE:Stump"]\nsizes = 1', "unknown entry 'sizes'; it may have grid"),
        ('[methods.mine]\nregressor = "MODULE:Stump"', "is for classification, and cannot be used"),
        ('[methods.mine]\nclassifier = "Stump"', "must have the form package.module:Name"),
        ("[methods.mine]\ngrid = {a = [1]}", "name a classifier or a regressor"),
        ('[methods.TGB]\nclassifier = "MODULE:Stump"', "a method called 'TGB' comes with sorb"),
    ],
)
def test_a_mistake_is_found_before_the_run_begins(load, methods, message):
    with pytest.raises(ConfigurationError, match=message):
        load(methods, ["TGB"])


def test_scores_that_are_not_finite_are_refused(module, tmp_path):
    sweep = method_of_class(f"{module}:Mean", tmp_path).sweep("regression", 0)
    (fitted,) = sweep.models(np.zeros((3, 1)), np.array([1.0, np.nan, 2.0]))
    with pytest.raises(ValueError, match="Mean must give one finite number for each of 2 rows"):
        fitted.model(np.zeros((2, 1)))


def test_a_complexity_must_be_a_number(module, tmp_path):
    mean = method_of_class(f"{module}:Mean", tmp_path).sweep("regression", 0).estimator
    sweep = Sweep(mean, "regression", complexity=lambda fitted: "small")
    with pytest.raises(ValueError, match="must be a finite number ≥ 0, or None, found 'small'"):
        list(sweep.models(np.zeros((3, 1)), np.arange(3.0)))


def test_the_example_of_the_documentation_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    document = Path(__file__).parents[2] / "docs" / "laboratory.md"
    section = document.read_text("utf-8").split("## A rival of your own")[1].split("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    (toml,) = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    (tmp_path / "my_rivals.py").write_text(code, encoding="utf-8")
    (tmp_path / "mine.toml").write_text(toml, encoding="utf-8")
    mine = load_configuration(tmp_path / "mine.toml").narrow(repetitions=1)
    rows = run(mine, tmp_path / "run").table()
    assert rows["failure"].isna().all()
    assert set(rows["method"]) == {"sorb", "tree", "my_rivals:SmallTree"}
    assert rows.loc[rows["method"] != "sorb", "complexity"].notna().all()
