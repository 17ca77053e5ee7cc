import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import typer
from synthetic_results import repeated, written
from typer.testing import CliRunner

import sorb
from sorb.cli import app, main, run
from sorb.cli.lab.run_state import run_state
from sorb.lab import runner
from sorb.lab.folder_lock import locked
from sorb.lab.results import Results, Unit
from sorb.lab.tables import TABLES

COMMANDS = ("datasets", "run", "status", "tables", "figures", "report")
CONFIGURATION = '[[parts]]\ndatasets = ["iris"]\nmethods = ["LLTB", "TGB"]\nrepetitions = 2\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with two runs, of which the second is newer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for age, (name, risk) in enumerate({"old": 0.9, "new": 0.4}.items()):
        units = {
            **repeated("iris", "LLTB", [[(4, 0.7), (10, risk)]] * 2),
            ("iris", "EBM", 0): [{"failure": "ValueError: it broke"}],
        }
        results = written(tmp_path / "results" / name, units)
        part = {"datasets": ["iris"], "methods": ["LLTB", "EBM"], "repetitions": 3}
        results.write_facts({"configuration": name, "parts": [part]})
        os.utime(results.folder / "run.json", (1000.0 + age, 1000.0 + age))
    return tmp_path


@pytest.fixture
def said(capsys):
    """Run a command line and give its exit code, what it printed, and its errors."""

    def ask(*arguments):
        code = run(arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return ask


# --- help and errors


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


@pytest.mark.parametrize("reason", [KeyboardInterrupt, typer.Abort])
def test_an_interruption_is_told(reason, monkeypatch, said, folder):
    def interrupted(*arguments):
        raise reason

    monkeypatch.setattr(runner, "run", interrupted)
    code, _, error = said("lab", "run", "smoke")
    assert (code, "sorb: interrupted" in error) == (130, True)


def test_a_mistake_of_ours_is_not_hidden(monkeypatch, folder):
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
    assert (code, error) == (1, f'sorb: the laboratory needs {module}: pip install "sorb[lab]"\n')


# --- datasets


def test_datasets_are_listed(said, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    code, printed, _ = said("lab", "datasets")
    (line,) = (line for line in printed.splitlines() if line.split()[:1] == ["iris"])
    assert code == 0
    assert all(word in line for word in ("classification", "150 × 4", "at hand", "Licence"))


def test_datasets_as_json(said):
    code, printed, _ = said("lab", "datasets", "--json")
    entries = {entry["name"]: entry for entry in json.loads(printed)}
    assert code == 0
    assert len(entries) >= 14
    iris = entries["iris"]
    assert (iris["task"], iris["rows"], iris["columns"]) == ("classification", 150, 4)
    assert iris["at_hand"] is True


def test_a_dataset_is_saved_as_a_table(said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, printed, _ = said("lab", "datasets", "--save", "iris")
    table = pd.read_csv("iris.csv")
    assert (code, table.shape) == (0, (150, 5))
    assert printed.startswith("iris.csv: 150 rows, 5 columns, the target is ")
    assert printed.split()[-1] == table.columns[-1]


# --- run


@pytest.fixture
def calls(monkeypatch):
    """Replace the runner by one that writes a result for each unit at once."""
    made = []

    def pretended(configuration, folder, jobs, backend, retry_failed, report):
        units = configuration.units()
        made.append((units, str(folder), jobs, backend, retry_failed))
        report(0, len(units), None, None)
        results = written(folder, repeated("iris", "LLTB", [[(4, 0.5)]]))
        for count, unit in enumerate(units, start=1):
            failure = "it broke" if unit.method == "TGB" else None
            results.write(unit, [{"step": 1, "failure": failure}])
            report(count, len(units), unit, failure)
        return results

    monkeypatch.setattr(runner, "run", pretended)
    return made


def test_run_passes_its_options_on(folder, calls, said):
    (folder / "mine.toml").write_text(CONFIGURATION, encoding="utf-8")
    options = ["--jobs", "2", "--backend", "threading", "--methods", "LLTB", "--datasets", "iris,"]
    code, printed, _ = said(
        "lab", "run", "mine.toml", *options, "--repetitions", "1", "--retry-failed"
    )
    assert code == 0
    assert calls == [
        ([Unit(0, "iris", "LLTB")], os.path.join("results", "mine"), 2, "threading", True)
    ]
    assert "results" in printed


def test_run_writes_where_it_is_told(folder, calls, said):
    assert said("lab", "run", "smoke", "--methods", "LLTB", "--out", "there")[0] == 0
    assert calls[0][1] == "there"
    assert (folder / "there" / "units").is_dir()


def test_a_run_with_failures_tells_them(folder, calls, said):
    (folder / "mine.toml").write_text(CONFIGURATION, encoding="utf-8")
    code, _, error = said("lab", "run", "mine.toml")
    assert code == 1
    assert "TGB on iris, repetition 1 failed: it broke" in error
    assert "2 units failed; see 'sorb lab status" in error


def test_a_dask_cluster_does_the_units(folder, said):
    distributed = pytest.importorskip("distributed")
    text = '[[parts]]\ndatasets = ["iris"]\nmethods = ["path"]\nrepetitions = 3\n'
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    with distributed.LocalCluster(
        2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        code, _, error = said("lab", "run", "mine.toml", "--scheduler", cluster.scheduler_address)
        with distributed.Client(cluster) as client:
            logs = client.run(lambda dask_worker: len(dask_worker.state.log))
    assert (code, error) == (0, "")
    assert set(Results(folder / "results/mine").done().values()) == {None}
    assert sum(logs.values()) > 0


def test_without_distributed_the_package_is_named(folder, said, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, error = said("lab", "run", "smoke", "--scheduler", "tcp://127.0.0.1:1")
    assert (code, "pip install distributed" in error) == (1, True)


def test_a_folder_that_is_worked_on_is_refused(folder, said):
    with locked(folder / "results" / "smoke"):
        code, _, error = said("lab", "run", "smoke")
    assert (code, "another process is working on this folder" in error) == (1, True)


def test_as_published_reaches_the_configuration(folder, monkeypatch, said):
    seen = []
    monkeypatch.setattr(
        runner, "run", lambda configuration, *rest: seen.append(configuration) or Nothing()
    )
    said("lab", "run", "smoke", "--as-published")
    said("lab", "run", "smoke")
    assert [configuration.protocol.as_published for configuration in seen] == [True, False]


class Nothing:
    """Results of a run without units."""

    def done(self):
        return {}


# --- status


def test_status_counts_done_failed_and_missing(folder, said):
    code, printed, _ = said("lab", "status", "--json")
    assert code == 0
    # The longest path of each repetition took 0.2 seconds.
    assert json.loads(printed) == [
        {"dataset": "iris", "method": "LLTB", "done": 2, "failed": 0, "missing": 1, "seconds": 0.4},
        {"dataset": "iris", "method": "EBM", "done": 0, "failed": 1, "missing": 2, "seconds": 0.0},
    ]


def test_status_keeps_its_numbers_beside_a_long_name(folder, said, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    name = "a_table_of_patients_with_a_very_long_name_" * 3
    results = written(folder / "results" / "long", repeated(name, "LLTB", [[(4, 0.7)]] * 2))
    _, printed, _ = said("lab", "status", str(results.folder))
    words = printed.split()
    assert all(word in words for word in ("done", "failed", "missing", "seconds", "LLTB", "0.2"))


def test_status_remembers_what_a_narrowed_run_left_out(folder, said):
    (folder / "mine.toml").write_text(CONFIGURATION, encoding="utf-8")
    assert said("lab", "run", "mine.toml", "--methods", "TGB", "--repetitions", "1")[0] == 0
    _, printed, _ = said("lab", "status", "results/mine")
    assert "1 done, 0 failed, 3 missing" in printed


@pytest.mark.parametrize("name", ["paper", "published"])
def test_runs_in_the_repository_can_be_read(name, said):
    folder = Path(__file__).parents[3] / "results" / name
    if not folder.exists():
        pytest.skip("the results are not in this copy")
    code, printed, _ = said("lab", "status", str(folder))
    assert (code, ", 0 missing" in printed) == (0, True)


def test_status_in_words(folder, said):
    code, printed, _ = said("lab", "status", "results/old")
    assert code == 0
    assert "2 done, 1 failed, 3 missing" in printed
    assert "EBM on iris, repetition 0 failed: ValueError: it broke" in printed


def test_state_without_a_plan_is_what_is_there(tmp_path):
    rows = written(tmp_path, repeated("nhanes", "LLTB", [[(4, 0.7)]])).table()
    (entry,) = run_state({Unit(0, "nhanes", "LLTB"): None}, {}, rows)
    assert (entry["dataset"], entry["done"], entry["missing"]) == ("nhanes", 1, 0)


# --- tables, figures, report


def test_tables_of_the_newest_run_are_printed(folder, said):
    code, printed, error = said("lab", "tables", "--table", "complexity_cv")
    assert (code, error) == (0, "")
    assert "10 [10, 10]" in printed
    _, old, _ = said("lab", "tables", "results/old", "--table", "complexity_cv")
    assert "10 [10, 10]" not in old


@pytest.mark.parametrize(
    ("name", "suffix", "words"),
    [("markdown", "md", "| --- |"), ("latex", "tex", "\\toprule"), ("csv", "csv", "table,section")],
)
def test_tables_are_written_to_files(name, suffix, words, folder, said):
    code, printed, error = said("lab", "tables", "--format", name, "--out", "made")
    assert code == 0
    paths = sorted((folder / "made").iterdir())
    assert {path.suffix for path in paths} == {f".{suffix}"}
    assert {path.stem for path in paths} < set(TABLES)
    assert all(words in path.read_text(encoding="utf-8") for path in paths)
    assert len(printed.splitlines()) == len(paths)
    assert "left out iterations: there are no results of path or bisection" in error


def test_tables_are_printed_in_other_formats(folder, said):
    _, printed, _ = said("lab", "tables", "--table", "times,wins", "--format", "markdown")
    assert printed.count("## ") >= 2


def test_figures_are_written(folder, said):
    code, printed, _ = said("lab", "figures", "--figure", "risk_cv")
    made = folder / "results" / "new" / "figures"
    assert code == 0
    assert {path.name for path in made.iterdir()} == {"risk_cv.png", "risk_cv.svg", "risk_cv.pdf"}
    assert len(printed.splitlines()) == 3


def test_a_report_is_written(folder, said, monkeypatch):
    monkeypatch.setattr("sorb.lab.report.FIGURES", {})
    assert said("lab", "report")[0] == 0
    assert "results of new" in (folder / "results/new/report.html").read_text(encoding="utf-8")
    assert said("lab", "report", "results/old", "--out", "x/old.html")[0] == 0
    assert "results of old" in (folder / "x" / "old.html").read_text(encoding="utf-8")


def test_a_saved_dataset_has_its_exposure(folder, said):
    assert said("lab", "datasets", "--save", "claims", "--out", "claims.csv")[0] == 0
    header = (folder / "claims.csv").read_text().splitlines()[0]
    assert header == "driver,power,weight,car,claims,years"
