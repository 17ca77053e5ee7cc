from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.patients import patients, write_csv

from sorb.rules import RuleEnsemble


def test_an_outcome_outside_the_domain_is_named_by_its_row_in_the_file(refused, table):
    stays = {3: "", 50: -1}
    write_csv(table, [{**row, "stay": stays.get(k, 1)} for k, row in enumerate(patients())])
    errors = refused("--ignore", "ill", "--loss", "gamma", target="stay")
    assert "column 'stay' is -1.0 in row 50: expected more than 0" in errors


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ((1, -2), "'w' must be finite and non-negative, found -2.0 in row 1"),
        ((0, 0), "'w' must be positive in at least one row"),
    ],
)
def test_invalid_weights_are_named(weights, words, said, folder):
    write_csv(folder / "t.csv", [{"a": k, "y": k % 2, "w": weights[k % 2]} for k in range(20)])
    code, _, errors = said("fit", "t.csv", "--target", "y", "--weight", "w")
    assert code == 1
    assert words in errors


def test_outcomes_that_are_known_only_where_the_weight_is_zero_are_told_from_none(said, folder):
    write_csv(
        folder / "t.csv", [{"a": k, "y": k if k % 2 else "", "w": 1 - k % 2} for k in range(9)]
    )
    errors = said("fit", "t.csv", "--target", "y", "--weight", "w")[2]
    assert "'y' is empty in all rows of positive weight in column 'w'" in errors


@pytest.mark.parametrize(
    ("amounts", "reason"),
    [
        (["0.50", "1.25", None, "3.00"], "y is a number from 0.5 to 3: a regression."),
        (["0", "1", None], "y is 0 or 1: a classification."),
    ],
)
def test_decimal_outcomes_are_numbers(amounts, reason, said, folder):
    y = [None if amount is None else Decimal(amount) for amount in 10 * amounts]
    pq.write_table(pa.table({"a": range(len(y)), "y": y}), folder / "t.parquet")
    code, printed, errors = said("fit", "t.parquet", "--target", "y", "--max-rules", "1")
    assert (code, errors) == (0, "")
    assert printed.startswith(reason)


def test_an_outcome_too_large_to_compute_with_is_named_by_its_row_in_the_file(said, folder):
    RuleEnsemble(0.0, (), ("a",), "squared").save(folder / "m.json")
    (folder / "t.csv").write_text("a,y\n1,\n2,5\n3,-1e308\n", encoding="utf-8")
    for command in (["compare", "m.json"], ["plot", "m.json", "calibration", "--out", "p.png"]):
        code, _, errors = said(*command, "t.csv", "--target", "y")
        assert (code, errors.count("\n")) == (1, 1)
        assert "column 'y' is -1e+308 in row 2: expected at most 1e+70 in size" in errors
