"""The README and the guide: their code runs, and prints what they say it prints.

``python tests/test_documents.py`` writes what is printed now into the documents.
"""

import contextlib
import inspect
import io
import os
import re
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
import typer

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor
from sorb.cli import app
from sorb.demo.__main__ import SEED, printed_rules
from sorb.demo.examples import breast_cancer
from sorb.demo.measures import learn

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    ROOT / "README.md",
    *(
        ROOT / "docs" / f"{name}.md"
        for name in (
            "check",
            "constraints",
            "dossier",
            "ecosystem",
            "editing",
            "export",
            "federated",
            "guide",
            "lazy-frames",
            "method",
            "report",
            "scorecards",
            "serving",
            "showing",
            "simplify",
            "tables",
        )
    ),
]
EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<shown>.*?)```\n)?", re.DOTALL)
FROM_DEMO = re.compile(r"<!-- from the demo -->\n```text\n(?P<shown>.*?)```\n", re.DOTALL)
TABLE_ROW = re.compile(r"^\| `(\w+)` \| (.+?) \|", re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ )?sorb (.*)$|`sorb ([^`]*)`", re.MULTILINE)
OPTION = re.compile(r"(?<!\S)--[a-z-]+")
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def printed(document):
    """Run all examples of a document, one after the other, and give what each prints."""
    names, outputs = {}, []
    for example in EXAMPLE.finditer(document.read_text("utf-8")):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(example["code"], document.name, "exec"), names)
        outputs.append(output.getvalue())
    return outputs


def demo_rules():
    example = breast_cancer()
    return printed_rules(learn(example, example.split(SEED), "oblique").ensemble) + "\n"


def words(text):
    return NUMBER.sub("0", text).split()


def numbers(text):
    return [float(number) for number in NUMBER.findall(text)]


def assert_same(found, shown):
    """Compare texts but for the last digits, in which machines may differ."""
    assert words(found) == words(shown)
    assert numbers(found) == pytest.approx(numbers(shown), rel=0.02)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_examples_print_what_is_shown(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = [example["shown"] for example in EXAMPLE.finditer(document.read_text("utf-8"))]
    assert shown
    for found, expected in zip(printed(document), shown, strict=True):
        assert_same(found, expected or "")


def test_readme_shows_a_model_of_the_demo():
    assert_same(demo_rules(), FROM_DEMO.search(DOCUMENTS[0].read_text("utf-8"))["shown"])


def default(name):
    """The default of a parameter of any of the estimators, as the README writes it."""
    for estimator in (LLTBoostClassifier, LLTBoostRegressor, LLTBoostClassifierCV):
        parameters = inspect.signature(estimator).parameters
        if name in parameters:
            value = parameters[name].default
            return f'`"{value}"`' if isinstance(value, str) else str(value).replace("None", "none")
    raise LookupError(name)


@pytest.mark.parametrize("row", TABLE_ROW.findall(DOCUMENTS[0].read_text("utf-8")))
def test_readme_gives_the_defaults(row):
    name, shown = row
    assert shown == default(name)


@pytest.mark.parametrize(
    "document", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")], ids=lambda p: p.name
)
def test_links_lead_somewhere(document):
    prose = re.sub(r"```.*?```", "", document.read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", prose)
    assert [target for target in targets if not (document.parent / target).exists()] == []


@cache
def all_commands():
    return typer.main.get_command(app)


@pytest.mark.parametrize(
    "document", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")], ids=lambda p: p.name
)
def test_commands_have_the_options_that_are_shown(document):
    text = document.read_text("utf-8").replace("\\\n", " ")
    for in_block, in_line in COMMAND.findall(text):
        shown = (in_block or in_line).split()
        command = all_commands()
        for name in shown:
            command = getattr(command, "commands", {}).get(name, command)
        known = {name for option in command.params for name in option.opts + option.secondary_opts}
        assert set(OPTION.findall(" ".join(shown))) <= known | {"--help"}, shown


def renew(document):
    """Write what the examples print now into their document."""
    outputs = iter(printed(document))

    def example(match):
        output = next(outputs)
        shown = f"\n```text\n{output}```\n" if output else ""
        return f"```python\n{match['code']}```\n{shown}"

    text = EXAMPLE.sub(example, document.read_text("utf-8"))
    block = f"<!-- from the demo -->\n```text\n{demo_rules()}```\n"
    document.write_text(FROM_DEMO.sub(lambda _: block, text), "utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for path in DOCUMENTS:
            renew(path)
        for shown in (ROOT / "docs" / "images").glob("*.png"):
            if Path(shown.name).exists():
                shutil.copy(shown.name, shown)
    sys.exit()
