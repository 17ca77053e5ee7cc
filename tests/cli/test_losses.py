"""All commands with models of every loss, and with outcomes over an exposure."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from cli.patients import hand_made, patients, write_csv

from sorb.losses import LOSSES, loss_by_name

RATES = [name for name in LOSSES if loss_by_name(name).has_rates]


@pytest.fixture
def rated(folder):
    """A table of patients with days in hospital over some years."""
    years = [(k % 4 + 1) / 4 for k in range(300)]
    rows = [
        {**row, "years": e, "days": round(e * row["stay"], 3)}
        for row, e in zip(patients(), years, strict=True)
    ]
    return write_csv(folder / "rated.csv", rows)


@pytest.fixture
def saved(folder):
    def save(loss):
        path = folder / f"{loss}.json"
        hand_made(loss=loss, classes=None, offset=1.0).save(path)
        return path

    return save


@pytest.mark.parametrize("loss", RATES)
def test_predictions_are_exponentials(said, saved, rated, loss):
    code, printed, _ = said("predict", saved(loss), rated)
    found = np.array([line.split(",")[0] for line in printed.split()[1:]], dtype=float)
    expected = {round(float(np.exp(1.0 + v)), 9) for v in (0.0, 3.5, -0.25, 3.25)}
    assert code == 0
    assert set(found.round(9)) == expected


@pytest.mark.parametrize("loss", RATES)
def test_explanations_multiply(said, saved, rated, loss):
    code, printed, _ = said("explain", saved(loss), rated, "--row", "0")
    assert code == 0
    assert loss_by_name(loss).outcome_words([]) in printed
    assert "%" not in printed


def test_equal_counts_over_different_exposures_are_rates_to_learn(said, folder):
    write_csv(folder / "t.csv", [{"a": k, "n": 1, "years": 1 + (k > 30)} for k in range(60)])
    command = ("fit", "t.csv", "--target", "n", "--loss", "poisson", "--exposure", "years")
    code, printed, errors = said(*command)
    assert (code, errors) == (0, "")
    assert "n is 1 in all rows: a regression." in printed
    assert "if  a " in printed


@pytest.mark.parametrize("loss", RATES)
def test_rates_are_compared_over_an_exposure(said, saved, rated, loss):
    arguments = ("--target", "days", "--exposure", "years", "--json")
    code, printed, _ = said("compare", saved(loss), rated, *arguments)
    (found,) = json.loads(printed)["models"]
    rows = [
        dict(zip(("age", "weight", "height", "group"), _row(p), strict=True)) for p in patients()
    ]
    assert code == 0
    assert found["loss"] == loss
    assert found["risk"] == pytest.approx(_risk(loss, rows), rel=1e-3)


def _row(patient):
    return [patient[name] for name in ("age", "weight", "height", "group")]


def _risk(loss, rows):

    years = np.array([(k % 4 + 1) / 4 for k in range(300)])
    rate = np.array([row["stay"] for row in patients()])
    scores = hand_made(loss=loss, classes=None, offset=1.0)(pd.DataFrame(rows))
    return np.average(loss_by_name(loss).value(rate, scores), weights=years)


@pytest.mark.parametrize("loss", RATES)
def test_models_of_rates_are_simplified_and_drawn(said, saved, rated, folder, loss):
    arguments = ("--target", "days", "--exposure", "years")
    assert said("simplify", saved(loss), rated, *arguments)[0] == 0
    for kind in (("calibration",), ("projection",), ("regions", "--columns", "age")):
        drawn = said("plot", saved(loss), kind[0], rated, *kind[1:], *arguments, "--out", "c.png")
        assert drawn[0] == 0
        assert (folder / "c.png").stat().st_size > 1000


def test_an_exposure_that_is_not_positive_is_named_with_its_row(said, saved, folder):
    rows = [{**row, "years": 0 if k == 5 else 1} for k, row in enumerate(patients())]
    rows[2]["stay"] = None  # this row is left out, and still counts
    table = write_csv(folder / "zero.csv", rows)
    arguments = ("--target", "stay", "--exposure", "years")
    code, _, errors = said("compare", saved("poisson"), table, *arguments)
    assert code == 1
    assert "column 'years' must be finite and positive, found 0.0 in row 5" in errors


@pytest.mark.parametrize(
    "command", [("compare",), ("simplify",), ("plot", "calibration", "--out", "c.png")]
)
def test_an_outcome_outside_the_domain_is_named_with_its_row(said, saved, folder, command):
    rows = patients()
    rows[2]["stay"] = None  # this row is left out, and still counts
    rows[5]["stay"] = -1
    table = write_csv(folder / "negative.csv", rows)
    name, *rest = command
    code, _, errors = said(name, saved("gamma"), *rest[:1], table, "--target", "stay", *rest[1:])
    assert code == 1
    assert "column 'stay' is -1.0 in row 5: expected more than 0 for the loss 'gamma'" in errors


def test_the_risk_of_small_rates_is_not_rounded_to_zero(said, saved, folder):
    rows = [{**row, "metres": 1e6 * row["stay"] + 1e7, "events": 1} for row in patients()]
    table = write_csv(folder / "metres.csv", rows)
    model = folder / "rare.json"
    hand_made(loss="poisson", classes=None, offset=-19.0).save(model)
    arguments = ("--target", "events", "--exposure", "metres")
    found = json.loads(said("compare", model, table, *arguments, "--json")[1])["models"][0]
    printed = said("compare", model, table, *arguments)[1]
    assert 0 < found["risk"] < 1e-5
    for name, value in (
        ("Poisson deviance", 2 * found["risk"]),
        ("calibration error", found["calibration_error"]),
    ):
        shown = re.search(rf"^{name} +(\S+)", printed, re.MULTILINE)[1]
        assert float(shown.replace("−", "-")) == pytest.approx(value, rel=1e-3)


def test_an_exposure_needs_a_target(said, saved, rated):
    code, _, errors = said("simplify", saved("poisson"), rated, "--exposure", "years")
    assert code == 2
    assert "--exposure needs --target" in errors


def test_outcomes_over_an_exposure_are_drawn_as_rates(said, saved, rated, monkeypatch):
    passed = []
    monkeypatch.setattr("sorb.render.plot_projection", lambda *_, **given: passed.append(given))
    monkeypatch.setattr("sorb.cli.figure_files.save_figure", lambda draw, out: draw())
    arguments = ("--target", "days", "--exposure", "years", "--out", "p.png")
    assert said("plot", saved("poisson"), "projection", rated, *arguments)[0] == 0
    assert passed[0]["exposure"][:5].tolist() == [0.25, 0.5, 0.75, 1.0, 0.25]


@pytest.mark.parametrize(
    ("loss", "arguments", "message"),
    [
        ("squared", ("--target", "days"), "found the loss squared"),
        ("poisson", ("--columns", "age"), "--exposure needs --target"),
    ],
)
def test_an_exposure_that_nothing_drawn_depends_on_is_refused(
    said, saved, rated, loss, arguments, message
):
    kind = "projection" if "--target" in arguments else "regions"
    options = (*arguments, "--exposure", "years", "--out", "p.png")
    code, _, errors = said("plot", saved(loss), kind, rated, *options)
    assert code != 0
    assert message in errors
