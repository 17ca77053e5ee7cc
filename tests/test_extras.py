"""How to install optional parts: what the hints say works where the user is."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sorb import _extras
from sorb._extras import install_command


def said(package, folder):
    """What the hint says in a process that imports the package from elsewhere."""
    code = "from sorb._extras import install_command; print(install_command('plot'))"
    options = {"cwd": folder, "capture_output": True, "text": True, "check": True}
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(package)}, **options
    )
    return run.stdout.strip()


@pytest.fixture
def clone(tmp_path):
    """A clone whose only module is the one that writes hints."""
    package = tmp_path / "a clone" / "src" / "sorb"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    shutil.copy(_extras.__file__, package)
    (tmp_path / "a clone" / "pyproject.toml").touch()
    return tmp_path / "a clone"


@pytest.fixture
def installed(tmp_path, clone):
    """The folder that a package is installed in, and a function that says from where."""
    site = tmp_path / "site-packages"
    shutil.copytree(clone / "src", site)
    info = site / "sorb-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sorb\nVersion: 0.1.0\n")

    def from_(url):
        (info / "direct_url.json").write_text(json.dumps({"url": url, "dir_info": {}}))
        return site

    return from_


def test_a_clone_is_named_by_its_folder(clone, tmp_path):
    assert said(clone / "src", clone) == 'pip install -e ".[plot]"'
    assert said(clone / "src", tmp_path) == f'pip install -e "{clone}[plot]"'


def test_what_was_installed_from_a_clone_comes_from_there_again(installed, clone, tmp_path):
    site = installed(clone.as_uri())
    assert said(site, tmp_path) == f'pip install "{clone}[plot]"'
    assert said(site, clone) == 'pip install ".[plot]"'


def test_other_packages_have_a_name(installed, tmp_path):
    shutil.rmtree(tmp_path / "a clone")
    for url in ("https://host/sorb.whl", (tmp_path / "a clone").as_uri()):
        assert said(installed(url), tmp_path) == 'pip install "sorb[plot]"'


def test_the_tests_run_in_a_clone(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert install_command("tables") == f'pip install -e "{Path(__file__).parents[1]}[tables]"'


WITHOUT_PYARROW = """
import sys
from importlib.abc import MetaPathFinder

class Without(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Without())
import pandas as pd
import polars as pl
from sorb import LLTBoostClassifier

columns = {"s": ["a", "b"] * 100, "x": [k * 37 % 101 for k in range(200)]}
y = ["no", "yes", "no", "yes", "no"] * 40
model = LLTBoostClassifier(max_rules=1, selection=None)
texts = pd.DataFrame(columns)
for table in (texts, texts.astype({"s": "category"}), pl.DataFrame(columns)):
    print(model.fit(table, y).predict(table).shape)
"""


def test_tables_of_texts_need_no_pyarrow():
    """Neither pandas nor polars brings it."""
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT_PYARROW]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("(200,)\n" * 3, "")
