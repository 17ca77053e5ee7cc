import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

import sorb

MODULES = [found.name for found in pkgutil.walk_packages(sorb.__path__, "sorb.")]


def test_the_public_names():
    assert set(sorb.__all__) == {
        "Condition",
        "Finding",
        "LLTBoostClassifier",
        "LLTBoostClassifierCV",
        "LLTBoostRegressor",
        "LLTBoostRegressorCV",
        "Membership",
        "ModelFormatError",
        "Performance",
        "Product",
        "Proposition",
        "Rule",
        "RuleEnsemble",
        "Stability",
        "Stage",
        "TableReport",
        "TableWarning",
        "__version__",
        "check",
        "date_columns",
        "performance",
        "shapley_values",
        "stability",
    }
    assert all(hasattr(sorb, name) for name in sorb.__all__)
    assert dir(sorb) == sorted(sorb.__all__)
    with pytest.raises(AttributeError, match="no attribute 'LLTBoost'"):
        _ = sorb.LLTBoost


@pytest.mark.parametrize("module", [name for name in MODULES if name != "sorb.demo.__main__"])
def test_all_names_that_a_module_offers_exist(module):
    found = import_module(module)
    assert [name for name in getattr(found, "__all__", ()) if not hasattr(found, name)] == []


def test_the_import_is_light():
    code = (
        "import sys, sklearn.base, sklearn.utils.parallel; before = set(sys.modules); "
        "from sorb import LLTBoostClassifier, LLTBoostClassifierCV; "
        "print(*set(sys.modules) - before)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"pandas", "polars", "matplotlib", "rich", "sklearn.model_selection"}
    assert not heavy & set(run.stdout.split())


def test_a_model_is_shown_without_what_learning_needs(tmp_path):
    sorb.RuleEnsemble(1.0, (), ["age"], "squared").save(tmp_path / "model.json")
    code = "import sys; from sorb.cli import run; run(['show', 'model.json']); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert not {"sklearn", "scipy", "pandas", "matplotlib"} & set(run.stdout.split())


def test_help_does_not_wait_for_numpy():
    code = "import sys; from sorb.cli import run; run(['fit', '--help']); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numpy" not in run.stdout.split()
