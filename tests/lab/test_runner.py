import os
import signal
import subprocess
import sys
import time

import pytest
from lab.quick_runs import QUICK, SCRIPT, TWO

from sorb.lab.configuration import Configuration, ConfigurationError, DatasetSource, Part
from sorb.lab.protocol import Protocol
from sorb.lab.results import Results, Unit
from sorb.lab.runner import run


def test_all_units_are_done(tmp_path):
    results = run(TWO, tmp_path)
    assert results.done() == {Unit(0, "diabetes", "TGB"): None, Unit(0, "iris", "TGB"): None}
    assert set(results.table()["reg_lambda"]) == {1.0}


def test_progress_is_reported(tmp_path):
    seen = []
    run(TWO, tmp_path, progress=lambda *news: seen.append(news))
    assert [news[:2] for news in seen] == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_jobs_change_nothing(tmp_path, backend):
    one = run(TWO, tmp_path / "one").table().drop(columns="seconds")
    two = run(TWO, tmp_path / "two", jobs=2, backend=backend).table().drop(columns="seconds")
    order = ["dataset", "step"]
    assert one.sort_values(order, ignore_index=True).equals(
        two.sort_values(order, ignore_index=True)
    )


def test_a_dask_cluster_gives_the_same(tmp_path):
    distributed = pytest.importorskip("distributed")
    here = run(TWO, tmp_path / "here").done()
    # Workers in processes of their own are those of the command line's test.
    local = {"threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(2, **local) as cluster, distributed.Client(cluster):
        assert run(TWO, tmp_path / "cluster", jobs=-1, backend="dask").done() == here


def test_a_failure_is_recorded_and_stops_nothing(tmp_path):
    broken = Configuration("broken", (Part(("nowhere", "iris"), ("TGB",), 1),), QUICK)
    done = run(broken, tmp_path).done()
    assert done[Unit(0, "iris", "TGB")] is None
    assert "nowhere" in done[Unit(0, "nowhere", "TGB")]


def test_failures_are_tried_again_only_if_asked_for(tmp_path):
    Results(tmp_path).write(Unit(0, "iris", "TGB"), [{"failure": "MemoryError: full"}])
    assert run(TWO, tmp_path).done()[Unit(0, "iris", "TGB")] == "MemoryError: full"
    assert run(TWO, tmp_path, retry_failed=True).done()[Unit(0, "iris", "TGB")] is None


def test_what_is_done_is_not_done_again(tmp_path):
    first = run(TWO, tmp_path).table()
    assert run(TWO, tmp_path).table().equals(first)  # the times, too


def test_other_settings_need_another_folder(tmp_path):
    run(TWO, tmp_path)
    with pytest.raises(ConfigurationError, match=r"other settings \(reg_lambdas\)"):
        run(Configuration("two", TWO.parts, Protocol(reg_lambdas=(2.0,))), tmp_path)


def test_the_machine_and_the_versions_are_remembered(tmp_path):
    facts = run(TWO, tmp_path).facts()
    assert facts["settings"]["reg_lambdas"] == [1.0]
    (command,) = facts["commands"]
    assert command["libraries"]["scikit-learn"]
    assert "cores" in command["machine"]


def test_a_narrowed_run_forgets_nothing_of_the_whole(tmp_path):
    run(TWO.narrow(["iris"]), tmp_path)
    results = run(TWO.narrow(["diabetes"]), tmp_path, jobs=2, backend="threading")
    facts = results.facts()
    assert [part["datasets"] for part in facts["parts"]] == [["iris", "diabetes"]]
    assert [command["jobs"] for command in facts["commands"]] == [1, 2]
    assert all(command["date"] for command in facts["commands"])


def test_a_run_that_does_not_start_is_not_remembered(tmp_path):
    with pytest.raises(ValueError, match="nonsense"):
        run(TWO, tmp_path, backend="nonsense")
    assert Results(tmp_path).facts() == {}


def test_a_dataset_is_loaded_from_its_source_and_kept_by_its_name(tmp_path):
    table = tmp_path / "table.csv"
    rows = "".join(f"{k},{k % 7},{int(k % 5 > 2)}\n" for k in range(60))
    table.write_text(f"a,b,y\n{rows}", encoding="utf-8")
    sources = {"clinic": DatasetSource("table.csv:y", f"{table}:y")}
    mine = Configuration("mine", (Part(("clinic",), ("TGB",), 1),), QUICK, sources=sources)
    results = run(mine, tmp_path / "run")
    assert results.done() == {Unit(0, "clinic", "TGB"): None}
    assert results.facts()["sources"] == {"clinic": f"{table}:y"}


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)])
    results = Results(tmp_path)
    deadline = time.monotonic() + 60
    while len(results.done()) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = results.table()
    assert 3 <= len(results.done()) < 24
    subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], check=True)
    assert len(results.done()) == 24
    after = results.table()
    assert not after.duplicated(KEY).any()
    kept = before.merge(after, on=KEY, suffixes=("", "_after"))
    assert len(kept) == len(before)
    assert kept["seconds"].equals(kept["seconds_after"])


KEY = ["dataset", "method", "repetition", "step"]
