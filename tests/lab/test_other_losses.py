"""Datasets with another loss than the usual ones, and with an exposure, through the protocol."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_poisson_deviance

from sorb.lab.datasets import load
from sorb.lab.methods import METHODS, method_of_class
from sorb.lab.protocol import Protocol, run, splits
from sorb.losses import Poisson, Tweedie

QUICK = Protocol(reg_lambdas=(1.0,), folds=2)
RIVALS = [name for name in METHODS if "rivals" in METHODS[name].classes.get("regression", "")]


def described(folder, **keys):
    """A small table of amounts over years, described with some keys."""
    rng = np.random.default_rng(0)
    x, years = rng.random(200), rng.uniform(0.2, 2.0, 200)
    y = years * rng.gamma(2.0, np.where(x > 0.5, 3.0, 1.0))
    pd.DataFrame({"x": x, "z": rng.random(200), "years": years, "y": y}).to_csv(
        folder / "own.csv", index=False
    )
    lines = {"file": "own.csv", "target": "y", "task": "regression", **keys}
    text = "\n".join(f"{key} = {value!r}" for key, value in lines.items())
    (folder / "own.toml").write_text(text)
    return folder / "own.toml"


def test_the_exposure_is_no_column_to_learn_from():
    claims = load("claims")
    assert claims.columns == ("driver", "power", "weight", "car")
    assert claims.loss == Poisson()
    assert len(claims.exposure) == len(claims.y)


@pytest.mark.parametrize("name", ["sorb", "sorb-model"])
def test_sorb_learns_rates(name):
    rows = run(load("claims"), METHODS[name], 0, QUICK)
    assert min(row["test_risk"] for row in rows) < 0.96
    assert {row["test_error"] for row in rows} == {None}


@pytest.mark.parametrize("keys", [{"loss": "gamma"}, {"loss": "tweedie", "power": 1.3}])
def test_a_user_describes_the_loss(tmp_path, keys):
    dataset = load(described(tmp_path, exposure="years", **keys))
    assert dataset.loss.name == keys["loss"]
    if "power" in keys:
        assert dataset.loss == Tweedie(power=1.3)
    best = min(row["test_risk"] for row in run(dataset, METHODS["sorb"], 0, QUICK))
    assert best < 0.9


def test_an_estimator_of_ones_own_gets_rates_with_the_exposure_as_weight():
    settings = {"loss": "poisson", "max_iter": 20, "random_state": 0}
    method = method_of_class("sklearn.ensemble:HistGradientBoostingRegressor", parameters=settings)
    claims = load("claims")
    (row,) = run(claims, method, 0, QUICK)
    split = splits(len(claims.y), 1)[0]
    train, test = split.drawn, split.test
    model = HistGradientBoostingRegressor(**settings).fit(
        claims.X[train],
        claims.y[train] / claims.exposure[train],
        sample_weight=claims.exposure[train],
    )

    def deviance(predicted):
        rates, weight = claims.y[test] / claims.exposure[test], claims.exposure[test]
        return mean_poisson_deviance(rates, predicted, sample_weight=weight)

    constant = np.full(len(test), claims.y[train].sum() / claims.exposure[train].sum())
    expected = deviance(model.predict(claims.X[test])) / deviance(constant)
    assert row["test_risk"] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", RIVALS)
def test_a_rival_that_cannot_minimise_the_loss_says_so(name):
    with pytest.raises(ValueError, match="cannot minimise the loss poisson, only squared"):
        run(load("claims"), METHODS[name], 0, QUICK)


def test_a_method_without_weights_cannot_use_an_exposure():
    method = method_of_class("sklearn.neighbors:KNeighborsRegressor")
    with pytest.raises(ValueError, match="no sample_weight, which an exposure needs"):
        run(load("claims"), method, 0, QUICK)


def test_nothing_is_published_for_other_losses():
    with pytest.raises(ValueError, match="nothing is published"):
        run(load("claims"), METHODS["sorb"], 0, Protocol(as_published=True))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"loss": "softmax"}, "loss must be one of squared, poisson, gamma, tweedie"),
        ({"loss": "gamma", "power": "much"}, "power must be a number"),
        ({"loss": "gamma", "power": 1.5}, "toml: power is a parameter of the loss tweedie, not"),
        ({"loss": "tweedie", "power": 3}, "toml: power must be between 1 and 2"),
        ({"loss": "gamma", "exposure": "months"}, "no column 'months' of numbers"),
        ({"loss": "tweedie", "power": 3}, "own.toml: power must be between 1 and 2, found 3"),
        ({"exposure": "years"}, "an exposure is for the losses"),
    ],
)
def test_mistakes_in_a_description(tmp_path, keys, message):
    with pytest.raises(ValueError, match=message):
        load(described(tmp_path, **keys))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("y", "column 'y' is 0.0 in row 3: expected more than 0 for the loss 'gamma'"),
        ("years", "exposure must be finite and positive, found 0.0 in row 3"),
    ],
)
def test_a_loaded_dataset_is_within_the_domain_of_its_loss(tmp_path, column, message):
    path = described(tmp_path, loss="gamma", exposure="years")
    frame = pd.read_csv(tmp_path / "own.csv")
    frame.loc[3, column] = 0.0
    frame.to_csv(tmp_path / "own.csv", index=False)
    with pytest.raises(ValueError, match=message):
        load(path)


def test_classes_have_no_choice_of_loss(tmp_path):
    path = described(tmp_path, loss="gamma", task="classification", positive="1")
    table = Path(tmp_path / "own.csv")
    frame = pd.read_csv(table)
    frame.assign(y=(frame["x"] > 0.5).astype(int)).to_csv(table, index=False)
    with pytest.raises(ValueError, match="no choice of loss"):
        load(path)


def test_the_exposure_is_read_if_the_columns_are_named(tmp_path):
    dataset = load(described(tmp_path, loss="gamma", exposure="years", columns=["x"]))
    assert dataset.columns == ("x",)
    assert dataset.exposure.shape == (200,)
