import os
import sys

import pytest
import typer
from cli.lab.run_files import CONFIGURATION
from synthetic_results import repeated, written

from sorb.lab import runner
from sorb.lab.folder_lock import locked
from sorb.lab.results import Results, Unit


@pytest.mark.parametrize("reason", [KeyboardInterrupt, typer.Abort])
def test_an_interruption_is_told(reason, monkeypatch, said, folder):
    def interrupted(*arguments):
        raise reason

    monkeypatch.setattr(runner, "run", interrupted)
    code, _, error = said("lab", "run", "smoke")
    assert (code, "sorb: interrupted" in error) == (130, True)


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


def test_more_jobs_than_any_machine_has_processors_are_refused(calls, said):
    code, _, errors = said("lab", "run", "smoke", "--jobs", "99999999999")
    assert (code, calls) == (2, [])
    assert "'--jobs'" in errors


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
