"""What holds for the command line as a whole; most of it is run as a process."""

import io
import os
import re
import shlex
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from sorb.cli import app, main, run

COMMANDS = ("fit", "predict", "show", "explain", "plot", "simplify", "export", "compare")
PROGRAM = [sys.executable, "-c", "from sorb.cli import main; main()"]


# --- help


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_complete_help(command):
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert f"Usage: sorb {command}" in result.output.replace("root", "sorb")
    options = re.findall(r"^  (--[\w-]+|[A-Z]{2,})\b(.*)", result.output, re.MULTILINE)
    assert len(options) > 2
    _, _, examples = result.output.partition("Examples:")
    assert examples.count(f"sorb {command}") >= 2


@pytest.mark.parametrize("command", COMMANDS)
def test_every_argument_and_option_is_explained(command):
    parameters = typer.main.get_command(app).commands[command].params
    assert [p.name for p in parameters if not getattr(p, "help", None)] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_are_understood(command):
    """Each example of a help text must at least have options and arguments that exist."""
    commands = typer.main.get_command(app).commands
    output = CliRunner().invoke(app, [command, "--help"]).output
    lines = output.partition("Examples:")[2].strip().splitlines()
    for line in lines:
        words = shlex.split(line.partition("sorb ")[2].partition(" | ")[0].partition(" > ")[0])
        assert words[0] == command
        commands[command].make_context(command, words[1:], resilient_parsing=False)


def test_help_names_all_commands():
    output = CliRunner().invoke(app, ["--help"]).output
    assert all(f"  {command} " in output for command in (*COMMANDS, "lab"))


# --- errors and exit codes


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nonsense",), 2, "nonsense"),
        (("fit", "--nonsense"), 2, "--nonsense"),
        (("fit", "t.csv"), 2, "try 'sorb fit --help'"),
        (("fit", "t.csv", "--target", "y", "--max-rules", "x"), 2, "'x'"),
        (("fit", "t.csv", "--target", "y", "--cv", "--out", "m.json"), 2, "its FOLDS should be"),
        (
            ("fit", "t.csv", "--target", "y", "--jobs", "0"),
            2,
            "must be from 1 to 1000, or -1",
        ),
        (("fit", "t.csv", "--target", "y", "--max-seconds", "0"), 2, "above 0 and finite, found 0"),
        (("fit", "nowhere.csv", "--target", "y"), 1, "nowhere.csv: No such file or directory"),
        (("fit", ".", "--target", "y"), 1, "directory"),
        (("compare", "model.json"), 2, "--target"),
    ],
)
def test_errors_are_one_line(arguments, code, words, said, folder):
    found, printed, errors = said(*arguments)
    assert (found, printed, errors.count("\n")) == (code, "", 1)
    assert errors.startswith("sorb: ")
    assert words.lower() in errors.lower()


@pytest.mark.parametrize("command", [(), ("lab",)])
def test_without_a_command_help_is_printed(command, said):
    code, printed, errors = said(*command)
    assert code in (0, 2)
    shown = printed + errors
    assert shown.startswith(f"Usage: {' '.join(('sorb', *command))} ")
    assert "\n\nCommands:\n" in shown


def test_internal_errors_are_not_hidden(model, table, monkeypatch):
    def mistaken(*arguments):
        raise TypeError("ours")

    monkeypatch.setattr("sorb.cli.answers.predictions", mistaken)
    with pytest.raises(TypeError, match="ours"):
        run(["predict", str(model), str(table)])


def test_a_closed_pipe_is_not_an_error(model, table):
    reader, writer = os.pipe()
    os.close(reader)
    command = [*PROGRAM, "predict", str(model), "-"]
    data = table.read_bytes()
    done = subprocess.run(command, input=data, stdout=writer, stderr=subprocess.PIPE, timeout=100)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(os.name != "posix", reason="there is no shell that closes streams")
@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("show model.json >&-", 0, ""),
        ("predict model.json patients.csv >&-", 0, ""),
        ("predict model.json - <&-", 1, "standard input is empty"),
        ("show nowhere.json 2>&-", 1, ""),
    ],
)
def test_streams_may_be_closed(line, code, words, model, table, folder):
    command = f"{shlex.join(PROGRAM)} {line}"
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, timeout=100)
    assert (done.returncode, done.stdout) == (code, b"")
    assert "Traceback" not in done.stderr.decode()
    assert words in done.stderr.decode()


FULL = "/dev/full"


@pytest.mark.skipif(not os.path.exists(FULL), reason="there is no device that is always full")
@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        ("show {}", ""),
        ("show {}", "1"),
        ("show {} --format json", ""),
        ("predict {} {}", ""),
        ("predict {} {}", "1"),
        ("export {} --to python", "1"),
        ("lab datasets", ""),
    ],
)
def test_a_full_disk_is_told_with_the_name_of_the_output(arguments, unbuffered, model, table):
    words = arguments.format(model, table).split()
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open(FULL, "wb") as full:
        done = subprocess.run(
            [*PROGRAM, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            timeout=100,
        )
    assert done.returncode == 1
    assert done.stderr == "sorb: standard output: No space left on device\n"


def test_an_interruption_at_the_start_is_one_line():
    program = """
import sys

class Interruption:
    def find_spec(name, *others):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interruption)
from sorb.cli import main
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    expected = (130, "", "sorb: interrupted: nothing was written\n")
    assert (done.returncode, done.stdout, done.stderr) == expected


@pytest.mark.parametrize("stop", [BrokenPipeError(), SystemExit(3)])
def test_a_broken_pipe_is_told_from_other_reasons_to_stop(stop, model, monkeypatch):
    def stopping(*arguments):
        raise stop

    monkeypatch.setattr("sorb.rules.RuleEnsemble.load", stopping)
    if isinstance(stop, BrokenPipeError):
        assert run(["show", str(model)]) == 141
    else:
        with pytest.raises(SystemExit, match="3"):
            run(["show", str(model)])


def test_all_characters_are_written_to_an_ascii_stream(model, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii"))
    monkeypatch.setattr(sys, "argv", ["sorb", "show", str(model)])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert "weight / height² ≥ 26 kg/m²" in written.getvalue().decode("utf-8")


# --- completion


@pytest.mark.parametrize(
    ("words", "expected"),
    [("sorb ex", {"explain", "export"}), ("sorb fit --max-s", {"--max-seconds"})],
)
def test_shells_complete_commands_and_options(words, expected):
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    environment = {"_SORB_COMPLETE": "complete_bash", **asked}
    result = CliRunner().invoke(app, [], prog_name="sorb", env=environment)
    assert set(result.output.split()) == expected


def test_completion_can_be_installed():
    output = CliRunner().invoke(app, ["--help"]).output
    assert "--install-completion" in output
    assert "--show-completion" in output
