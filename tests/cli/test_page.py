"""The page about the command line: its commands run, and print what it says they print.

``python tests/cli/test_page.py`` writes what is printed now into the page.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import typer

from sorb.cli import app, run

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
EXAMPLE = re.compile(
    r"```(?P<language>python|sh)\n(?P<code>.*?)```\n(?:\n```text\n(?P<shown>.*?)```\n)?", re.DOTALL
)
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")


def printed(text):
    """Run all examples of a page, one after the other, and give what each prints."""
    names = {}
    for example in EXAMPLE.finditer(text):
        if example["language"] == "python":
            exec(compile(example["code"], PAGE.name, "exec"), names)
            yield ""
        else:
            yield "".join(map(output, example["code"].splitlines()))


def output(line):
    """Run one line as a shell would; sorb itself within this process, which takes less time."""
    command, _, rest = line.partition(" | ")
    command, _, file = command.partition(" > ")
    if not command.startswith("sorb "):
        return shell(line, None)
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as stdout:
        code = run(shlex.split(command)[1:])
        stdout.flush()
    assert code == 0, line
    found = stdout.buffer.getvalue()
    if file:
        Path(file).write_bytes(found)
        return ""
    return shell(rest, found) if rest else found.decode("utf-8")


def shell(line, given):
    done = subprocess.run(["sh", "-c", line], input=given, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("utf-8")


def words(text):
    return NUMBER.sub("0", text).split()


def numbers(text):
    return [float(number) for number in NUMBER.findall(text)]


def test_commands_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    text = PAGE.read_text("utf-8")
    shown = [example["shown"] or "" for example in EXAMPLE.finditer(text)]
    assert sum(map(bool, shown)) >= 10
    for found, expected in zip(printed(text), shown, strict=True):
        # Machines may differ in the last digits.
        assert words(found) == words(expected)
        assert numbers(found) == pytest.approx(numbers(expected), rel=0.02)


def test_all_commands_are_on_the_page():
    text = PAGE.read_text("utf-8")
    commands = typer.main.get_command(app).commands
    assert [name for name in commands if f"| `sorb {name}" not in text] == []


def test_all_options_of_fit_are_on_the_page():
    text = PAGE.read_text("utf-8")
    options = typer.main.get_command(app).commands["fit"].params
    names = [name for option in options for name in option.opts if name.startswith("--")]
    assert [name for name in names if f"{name}" not in text] == []


def test_all_keys_are_on_the_page(tmp_path, monkeypatch):
    """The keys of what the commands print with --json, in the row of their command."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,y\n" + "".join(f"{k},{k % 7 > 3}\n" for k in range(60)))
    text = PAGE.read_text("utf-8").partition("| command | keys |")[2]
    fit = "fit t.csv --target y --max-rules 1 --selection none --out m.json --json"
    commands = {
        "fit": fit,
        "show --format json": "show m.json --format json",
        "explain": "explain m.json t.csv --row 0 --json",
        "simplify": "simplify m.json t.csv --json",
        "check": "check t.csv --target y --json",
        "dossier": "dossier m.json t.csv --target y --exports none --out d --json",
        "verify": "verify d --json",
        "scorecard": "scorecard m.json t.csv --target y --json",
        "compare": "compare m.json t.csv --target y --json",
    }
    for command, line in commands.items():
        row = re.search(rf"^\| `{command}` \| (.*) \|$", text, re.MULTILINE)[1]
        documented = re.findall(r"`(\w+)`", row)
        found = re.findall(r'^  "(\w+)"', output(f"sorb {line}"), re.MULTILINE)
        assert found
        assert set(found) <= set(documented)


def test_links_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", PAGE.read_text("utf-8"))
    assert targets
    assert [target for target in targets if not (PAGE.parent / target).exists()] == []


def renew():
    """Write what the commands print now into the page."""
    text = PAGE.read_text("utf-8")
    outputs = printed(text)

    def example(match):
        found = next(outputs)
        shown = f"\n```text\n{found}```\n" if found else ""
        return f"```{match['language']}\n{match['code']}```\n{shown}"

    PAGE.write_text(EXAMPLE.sub(example, text), "utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["COLUMNS"] = "100"
        renew()
    sys.exit()
