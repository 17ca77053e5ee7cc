import json

import numpy as np
import pytest
from cli.patients import write_csv

NOISE = [
    {"a": a, "b": b, "ill": ("no", "yes")[k % 2]}
    for k, (a, b) in enumerate(np.random.default_rng(3).normal(size=(400, 2)).round(3).tolist())
]


def verdict(said, folder, rows, *options):
    write_csv(folder / "t.csv", rows)
    command = ("fit", "t.csv", "--target", "ill", *options)
    code, printed, _ = said(*command)
    found = json.loads(said(*command, "--json")[1])["verdict"]
    assert code == 0
    assert (found is None) == ("No better than without rules" not in printed)
    assert found is None or found in printed
    return found


def test_noise_in_many_rows_is_said_to_tell_nothing(said, folder):
    found = verdict(said, folder, NOISE)
    assert found.startswith("No better than without rules: there are none. In 300 training rows")


def test_too_few_rows_of_a_class_are_counted(said, folder):
    rows = [{**row, "ill": "yes" if k % 20 == 0 else "no"} for k, row in enumerate(NOISE)]
    found = verdict(said, folder, rows)
    assert "With 300 training rows, 15 of them of the rarest class, little can be told" in found


@pytest.mark.parametrize("large", [(), ("--memory", "4GB")], ids=["in memory", "large"])
def test_rules_that_nobody_validated_may_describe_noise(said, folder, large):
    found = verdict(said, folder, NOISE, "--selection", "none", "--max-rules", "8", *large)
    assert found.startswith("No better than without rules on these ")
    assert found.endswith("No cross-validation chose the size, so the rules may describe noise.")


def test_without_test_rows_cross_validation_tells(said, folder):
    options = ("--selection", "best", "--reg-lambda", "1", "--max-rules", "4", "--test-size", "0")
    signal = [{**row, "ill": "yes" if row["a"] > 0 else "no"} for row in NOISE]
    assert verdict(said, folder, signal, *options) is None
    assert "No better than without rules" in verdict(said, folder, NOISE, *options)


def test_a_signal_that_few_test_rows_cannot_show_is_said_to_be_validated(said, folder):
    rng = np.random.default_rng(1)
    rows = [
        {**row, "ill": "yes" if rng.random() < 0.3 + 0.4 * (row["a"] > 0) else "no"}
        for row in NOISE
    ]
    options = ("--max-rules", "1", "--test-size", "0.03", "--random-state")
    found = [verdict(said, folder, rows, *options, str(seed)) for seed in range(3)]
    unclear = [sentence for sentence in found if sentence is not None]
    assert unclear
    assert all(s.endswith("rows, found the rules clearly better.") for s in unclear)
