import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.rules import ColumnExperience
from sorb.tables import row_keys
from sorb.tables.column_experience import experience_of_categories

RNG = np.random.default_rng(4)
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(20, 80, 120).astype(float),
        "crp": np.where(RNG.random(120) < 0.4, np.nan, RNG.lognormal(1, 1, 120)),
        "group": RNG.choice(["A", "B", "O"], 120),
    }
)
Y = (TABLE["age"] > 50).astype(float) + (TABLE["crp"] > 3) + 2 * (TABLE["group"] == "A")
WEIGHT = RNG.integers(0, 3, 120)
OPTIONS = {"max_rules": 6, "selection": None, "random_state": 0}


def fitted(table, y, **arguments):
    return LLTBoostRegressor(**OPTIONS).fit(table, y, **arguments).ensemble_


def seen(table):
    """What columns hold, found by pandas."""
    found = {}
    for name, column in table.items():
        missing = bool(column.isna().any())
        if column.dtype == float:
            found[name] = ColumnExperience(missing, (column.min(), column.max()))
        else:
            found[name] = ColumnExperience(missing, categories=sorted(column.dropna().unique()))
    return found


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(row_keys, "_BLOCK", 16)


@pytest.mark.usefixtures("small_blocks")
def test_it_is_what_the_columns_hold():
    assert dict(fitted(TABLE, Y).experience) == seen(TABLE)


def test_every_stage_remembers_its_own_columns():
    model = LLTBoostRegressor(**OPTIONS).fit(TABLE, Y)
    for stage in model.stages_:
        names = [name for name, _ in stage.ensemble.experience]
        assert names == list(stage.ensemble.used_columns)


@pytest.mark.usefixtures("small_blocks")
def test_rows_without_weight_are_not_seen():
    table, weight = TABLE.copy(), WEIGHT.copy()
    weight[:3] = 0
    table.loc[0, ["age", "group"]] = 999.0, "Z"
    table.loc[1, "age"] = np.nan
    table.loc[2, "group"] = None
    assert dict(fitted(table, Y, sample_weight=weight).experience) == seen(table[weight > 0])


def test_weights_are_copies():
    rows = np.repeat(np.arange(120), WEIGHT)
    copied = fitted(TABLE.iloc[rows], Y.iloc[rows])
    assert fitted(TABLE, Y, sample_weight=WEIGHT).experience == copied.experience


def test_lazy_frames_give_the_same():
    frame = pl.from_pandas(TABLE.assign(y=Y, w=WEIGHT))
    lazy = fitted(frame.lazy(), "y", sample_weight="w")
    eager = fitted(TABLE, Y, sample_weight=WEIGHT)
    assert lazy.experience == eager.experience


def test_sparse_tables_give_the_same():
    X = np.where(RNG.random((120, 3)) < 0.7, 0, RNG.normal(1, 1, (120, 3)))
    X[5, 0] = np.nan
    y = X[:, 1] > 0.5
    y ^= X[:, 0] > 0
    models = [LLTBoostClassifier(**OPTIONS).fit(t, y).ensemble_ for t in (X, sparse.csr_array(X))]
    assert models[0].experience == models[1].experience
    assert dict(models[0].experience)["x0"].missing


def test_a_sample_does_not_narrow_it():
    n = 2000
    table = pd.DataFrame({"a": RNG.random(n), "g": ["usual"] * n})
    table.loc[0, "a"], table.loc[1, "g"], table.loc[2, "a"] = 7.0, "rare", np.nan
    table["g"] = table["g"].where(table.index % 2 == 1, "other")
    y = (table["a"] > 0.5) + 1.0 * (table["g"] == "other")
    model = LLTBoostRegressor(**OPTIONS, search_rows=30).fit(table, y)
    assert dict(model.ensemble_.experience) == {
        "a": ColumnExperience(missing=True, range=(table["a"].min(), 7.0)),
        "g": ColumnExperience(missing=False, categories=("other", "rare", "usual")),
    }


def test_very_many_categories_are_not_kept():
    assert experience_of_categories(False, [f"c{k}" for k in range(5000)]).categories is not None
    assert experience_of_categories(False, [f"c{k}" for k in range(50_000)]).categories is None
