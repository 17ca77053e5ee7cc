import subprocess
import sys

import pytest
from typer.testing import CliRunner

import sorb
from sorb._extras import install_command
from sorb.cli import app, main, run
from sorb.lab import runner

COMMANDS = ("datasets", "run", "status", "tables", "figures", "report")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(command):
    result = CliRunner().invoke(app, ["lab", command, "--help"])
    assert result.exit_code == 0
    assert f"sorb lab {command}" in result.output
    assert "Examples" in result.output


def test_help_names_all_commands():
    output = CliRunner().invoke(app, ["lab", "--help"]).output
    assert all(command in output for command in COMMANDS)


def test_help_runs_as_a_process_without_heavy_libraries():
    # scikit-learn brings pandas along, if it is there
    code = (
        "import sys, atexit; from sorb.cli import main; "
        "atexit.register(lambda: print({'matplotlib', 'jinja2', 'sorb.lab'} & set(sys.modules))); "
        "main()"
    )
    command = [sys.executable, "-c", code, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert "lab" in done.stdout
    assert done.stdout.endswith("set()\n")
    assert done.stderr == ""


def test_the_exit_code_is_that_of_the_process(monkeypatch, folder):
    monkeypatch.setattr(sys, "argv", ["sorb", "lab", "status", "nowhere"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 1


def test_version(said):
    assert said("--version") == (0, f"{sorb.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["lab", "nonsense"], 2, "nonsense"),
        (["lab", "tables", "--nonsense"], 2, "--nonsense"),
        (["lab", "tables", "--table", "nonsense"], 2, "choose from complexity_cv"),
        (["lab", "figures", "--figure", "nonsense"], 2, "choose from risk_cv"),
        (["lab", "tables", "--format", "word"], 2, "word"),
        (["lab", "tables", "--out", "folder"], 2, "use --format"),
        (["lab", "run"], 2, "config"),
        (["lab", "run", "nonsense"], 2, "smoke"),
        (["lab", "run", "smoke", "--methods", "nonsense"], 2, "nonsense"),
        (["lab", "run", "smoke", "--jobs", "0"], 2, "jobs"),
        (["lab", "run", "smoke", "--backend", "dask"], 2, "--scheduler ADDRESS"),
        (["lab", "run", "smoke", "--backend", "loky", "--scheduler", "x"], 2, "not to loky"),
        (["lab", "run", "smoke", "--backend", "nonsense"], 1, "nonsense"),
        (["lab", "status", "nowhere"], 1, "no results in nowhere"),
        (["lab", "report", "nowhere"], 1, "sorb lab run"),
        (["lab", "tables", "--table", "iterations"], 1, "path or bisection"),
    ],
)
def test_errors_are_one_line(arguments, code, words, folder, said):
    found, printed, error = said(*arguments)
    assert found == code
    assert words in error
    assert error.startswith("sorb: ")
    assert error.count("\n") == 1
    assert printed == ""


def test_without_a_run_the_way_out_is_named(tmp_path, monkeypatch, said):
    monkeypatch.chdir(tmp_path)
    code, _, error = said("lab", "status")
    assert (code, "sorb lab run" in error) == (1, True)


def test_internal_errors_are_not_hidden(monkeypatch, folder):
    def mistaken(*arguments):
        raise TypeError("ours")

    monkeypatch.setattr(runner, "run", mistaken)
    with pytest.raises(TypeError, match="ours"):
        run(["lab", "run", "smoke"])


@pytest.mark.parametrize(
    ("module", "arguments"),
    [("pandas", ["datasets", "--save", "iris"]), ("sorb.lab.curves", ["status"])],
)
def test_what_is_missing_is_named_with_the_way_to_get_it(
    module, arguments, folder, said, monkeypatch
):
    monkeypatch.setitem(sys.modules, module, None)
    code, _, error = said("lab", *arguments)
    assert (code, error) == (1, f"sorb: the laboratory needs {module}: {install_command('lab')}\n")
