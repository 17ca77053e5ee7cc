"""The class that a model speaks of, and class weights, on the command line."""

import json

import numpy as np
import pytest
from cli.patients import patients, write_csv
from cli.quick_fit import QUICK

from sorb import RuleEnsemble

IN_BOTH_WAYS = pytest.mark.parametrize("way", [(), ("--memory", "4GB")])


@IN_BOTH_WAYS
def test_the_positive_class_is_chosen(said, table, folder, way):
    asked = ("fit", table, "--target", "ill", *QUICK, *way, "--out", "model.json")
    code, printed, errors = said(*asked, "--positive", "no")
    assert (code, errors) == (0, "")
    assert "The log-odds of no against yes" in printed
    assert RuleEnsemble.load(folder / "model.json").classes == ("yes", "no")


@IN_BOTH_WAYS
def test_class_weights_are_told_or_recalibrated(said, folder, way):
    rows = [row for k, row in enumerate(patients()) if row["ill"] == "no" or k % 4 == 0]
    table = write_csv(folder / "rare.csv", rows)
    asked = ("fit", table, "--target", "ill", *QUICK, "--test-size", "0", "--out", "model.json")
    weighted = (*asked, *way, "--class-weight", "balanced")
    code, printed, errors = said(*weighted)
    assert code == 0
    assert "The log loss of models of other sizes, with class weights:" in printed
    assert "class_weight changes the probabilities: 'yes' is the class of" in errors
    code, _, errors = said(*weighted, "--recalibrate")
    assert (code, errors) == (0, "")
    found = RuleEnsemble.load(folder / "model.json").predict_proba(rows)[:, 1].mean()
    assert found == pytest.approx(np.mean([row["ill"] == "yes" for row in rows]))


@IN_BOTH_WAYS
@pytest.mark.parametrize("recalibrated", [(), ("--recalibrate",)])
def test_losses_of_all_sizes_have_class_weights_on_test_rows_too(said, folder, way, recalibrated):
    # Without rules, both classes are as probable, and so is each row, whatever its class.
    rows = [row for k, row in enumerate(patients()) if row["ill"] == "no" or k % 4 == 0]
    asked = ("fit", write_csv(folder / "rare.csv", rows), "--target", "ill", *QUICK, *way)
    weighted = (*asked, "--class-weight", "balanced", *recalibrated)
    _, printed, _ = said(*weighted)
    assert "The log loss of models of other sizes, with class weights:" in printed
    assert "log loss, with class weights (" in printed
    constant = json.loads(said(*weighted, "--json")[1])["curve"][0]
    assert constant["training_risk"] == pytest.approx(np.log(2))
    assert constant["test_risk"] == pytest.approx(np.log(2))
