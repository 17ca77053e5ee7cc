from synthetic_results import repeated, written

from sorb.cli.lab.run_state import run_state
from sorb.lab.results import Unit


def test_state_without_a_plan_is_what_is_there(tmp_path):
    rows = written(tmp_path, repeated("nhanes", "LLTB", [[(4, 0.7)]])).table()
    (entry,) = run_state({Unit(0, "nhanes", "LLTB"): None}, {}, rows)
    assert (entry["dataset"], entry["done"], entry["missing"]) == ("nhanes", 1, 0)


def test_a_large_plan_is_counted_at_once(tmp_path):
    rows = written(tmp_path, repeated("d0", "m0", [[(4, 0.7)]])).table()
    names = [f"{k}" for k in range(200)]
    facts = {"parts": [{"datasets": names, "methods": names, "repetitions": 5}]}
    entries = run_state({Unit(0, "7", "7"): None, Unit(1, "7", "7"): "it broke"}, facts, rows)
    counts = {tuple(entry[key] for key in ("done", "failed", "missing")) for entry in entries}
    assert (len(entries), counts) == (40_000, {(0, 0, 5), (1, 1, 3)})
