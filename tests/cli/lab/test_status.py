import json
from pathlib import Path

import pytest
from cli.lab.run_files import CONFIGURATION
from synthetic_results import repeated, written


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
