"""Fits that are killed; `make test-kills` kills many."""

import json
import os
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.killed_fit import kill_soon, same_model

from sorb import LLTBoostClassifier
from sorb.cli import fit_lazily, run
from sorb.cli.partial_fit import PartialFit
from sorb.learning.boosting import GrownModels
from sorb.learning.stages import Stage
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

KILLED_FITS = int(os.environ.get("SORB_KILLED_FITS", "1"))
# Many fits are killed while their size is chosen, too.
CHOICE = ("--selection", "near_best" if KILLED_FITS > 1 else "none")
TABLE = ("t*.parquet", "--target", "ill", "--max-complexity", "40", *CHOICE)


@pytest.fixture
def files(folder):
    """A table that takes a second to learn from."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8, 6000)).round(3)
    f = 1.5 * (X[0] + 0.5 * X[1] > 0.3) - ((X[2] > 0.5) & (X[3] < 0.2)) + 0.7 * (X[4] > X[5])
    ill = np.where(rng.random(6000) < 1 / (1 + np.exp(1 - 2 * f)), "yes", "no")
    table = pa.table({**{f"x{j}": X[j] for j in range(8)}, "ill": ill})
    for k in range(2):
        pq.write_table(table.slice(3000 * k, 3000), folder / f"t{k}.parquet")
    return folder


def fit(out):
    assert run(["fit", *TABLE, "--out", out]) == 0


@pytest.mark.parametrize("seed", range(KILLED_FITS))
def test_a_killed_fit_goes_on_to_the_same_model(seed, files, capsys):
    fit("whole.json")
    partial, rng = files / "m.json.partial", random.Random(seed)
    for _ in range(1 if KILLED_FITS == 1 else rng.randint(1, 4)):
        if not kill_soon(TABLE, partial, 0.0 if KILLED_FITS == 1 else rng.expovariate(10.0)):
            break
    kept = partial.exists()
    assert kept or KILLED_FITS > 1  # a fit that is killed later may just have ended
    capsys.readouterr()
    fit("m.json")
    assert same_model(files / "m.json", files / "whole.json")
    assert not partial.exists()
    if kept:
        assert "sorb: going on from the " in capsys.readouterr().err


OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
MODELS = [
    RuleEnsemble(-1.25, rules, ("age",), "logistic", ("no", "yes"))
    for rules in ((), (Rule(OLD, 0.1),))
]
STAGES = [Stage(m, m.complexity, 0.1, 0.2 / 3, 1.5, 3.0) for m in MODELS]
GROWN = GrownModels(MODELS[1], STAGES, 3)
CHECKED = {"rows": 6, "columns": ["age"], "checksum": 2**60 + 1}
OPTIONS = {"--target": "ill", "random_state": 0, "reg_lambda": "auto"}


def partial_fit(folder, table=CHECKED, options=OPTIONS):
    return PartialFit.of(folder / "m.json.partial", table, options)


def test_what_is_kept_is_read(folder):
    partial_fit(folder).write(GROWN)
    assert partial_fit(folder).read() == GROWN
    partial_fit(folder).remove()
    assert list(folder.iterdir()) == []
    assert partial_fit(folder).read() is None


def test_the_file_says_what_it_is(folder):
    partial_fit(folder).write(GROWN)
    document = json.loads((folder / "m.json.partial").read_text())
    assert document["format"] == "sorb partial fit"
    assert "not finished" in document["unfinished"]
    assert (document["table"], document["parameters"]) == (CHECKED, OPTIONS)
    assert document["grown"]["rules"] == 1


@pytest.mark.parametrize(
    ("table", "options", "reason"),
    [
        (CHECKED, {**OPTIONS, "random_state": 1}, "the options differ"),
        ({**CHECKED, "rows": 7}, OPTIONS, "the table has changed"),
        ({**CHECKED, "checksum": 2**60}, OPTIONS, "the table has changed"),
        ({**CHECKED, "columns": ["bmi"]}, OPTIONS, "the table has changed"),
    ],
)
def test_rules_of_another_fit_are_not_used(table, options, reason, folder, capsys):
    partial_fit(folder).write(GROWN)
    assert partial_fit(folder, table, options).read() is None
    assert f"m.json.partial is not used, as {reason}: starting anew" in capsys.readouterr().err


def test_given_rules_that_differ_in_a_late_digit_are_others(folder, capsys):
    def kept(threshold):
        rule = Rule(Condition((Proposition(("a",), (1.0,), threshold),)), 1.0)
        init = RuleEnsemble(0.0, [rule], ("a",), "squared")
        return partial_fit(folder, options={"init": init})

    kept(1 / 3).write(GROWN)
    assert kept(1 / 3).read() is not None
    assert kept(0.3333).read() is None
    assert "the options differ" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "sorb partial fit", "version": 1}'])
def test_a_damaged_file_is_not_used(content, folder, capsys):
    (folder / "m.json.partial").write_text(content)
    assert partial_fit(folder).read() is None
    assert "m.json.partial is not used, as it is damaged" in capsys.readouterr().err


def interrupt(monkeypatch, owner, name):
    """Interrupt a step after it is done."""
    really = getattr(owner, name)

    def interrupted(*arguments, **options):
        really(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, interrupted)


def test_after_an_interruption_the_same_command_goes_on(files, said, monkeypatch):
    with monkeypatch.context() as patch:
        interrupt(patch, LLTBoostClassifier, "_grow")
        code, _, errors = said("fit", *TABLE, "--out", "k.json")
    assert (code, errors) == (
        130,
        "sorb: interrupted: kept the rules learned so far, also in k.json.partial: the same "
        "command goes on from there\n",
    )
    with monkeypatch.context() as patch:
        interrupt(patch, fit_lazily, "_fit")
        code, _, errors = said("fit", *TABLE, "--out", "k.json")
    assert code == 130
    assert errors.endswith(
        "sorb: interrupted: the rules so far are in k.json.partial: the same command goes on from "
        "there\n"
    )
    code, _, errors = said("fit", *TABLE, "--out", "k.json")
    assert code == 0
    assert errors.startswith("sorb: going on from the")
