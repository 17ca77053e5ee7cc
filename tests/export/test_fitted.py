"""Models that were learned from a table with gaps, categories and ratios: exports and `predict`."""

import sqlite3

import numpy as np
import onnxruntime
import polars as pl
import pytest

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.export import to_c, to_excel, to_javascript, to_onnx, to_python, to_r, to_sql
from sorb.rules import Membership, Product, Proposition
from sorb.simplify import simplify

N_ROWS = 300


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(5)
    weight, height = random.lognormal(4.3, 0.3, N_ROWS), random.lognormal(0.5, 0.1, N_ROWS)
    age = random.integers(18, 90, N_ROWS).astype(float)
    group = random.choice(["A", "B", "AB", "O"], N_ROWS)
    frame = pl.DataFrame({"weight": weight, "height": height, "age": age, "blood group": group})
    gaps = pl.Series(random.random(N_ROWS) < 0.15)
    return frame.with_columns(
        pl.when(gaps).then(None).otherwise(pl.col("age")).alias("age"),
        pl.when(gaps.reverse()).then(None).otherwise(pl.col("blood group")).alias("blood group"),
        pl.Series("smoker", random.random(N_ROWS) < 0.4),
    )


@pytest.fixture(scope="module")
def target(table):
    ratio = table["weight"] / table["height"] ** 2
    score = 2.0 * (ratio > 27) + 1.5 * table["age"].is_null() + 1.5 * table["smoker"]
    return (score + 2.0 * table["blood group"].is_in(["A", "O"]).fill_null(False)).to_numpy()


def unseen(table):
    """Rows that were not there in training: with another category, and with all values missing."""
    odd = table[:2].with_columns(pl.lit("Bombay").alias("blood group"))
    blank = table[:1].with_columns(pl.lit(None, dtype=pl.Float64).alias("age"))
    blank = blank.with_columns(pl.lit(None, dtype=pl.String).alias("blood group"))
    return pl.concat([table, odd, blank])


def models(table, target):
    settings = {"max_rules": 6, "selection": None, "log_columns": ["weight", "height"]}
    labels = np.where(target > np.median(target), "high", "low")
    classes = np.array(["low", "middle", "high"])[np.digitize(target, [1.6, 3.6])]
    yield LLTBoostClassifier(**settings).fit(table, labels)
    yield LLTBoostClassifier(**settings).fit(table, classes)
    yield LLTBoostRegressor(**settings).fit(table, target)


@pytest.mark.filterwarnings("ignore:column .* never seen in training")
def test_exports_say_what_the_estimator_predicts(table, target):
    rows, kinds = unseen(table), set()
    for model in models(table, target):
        ensemble, wanted = model.ensemble_, model.predict(rows).tolist()
        kinds |= {type(p) for rule in ensemble for p in rule.condition.propositions}
        module = {}
        exec(to_python(ensemble), module)
        assert list(map(module["predict"], rows.to_dicts())) == wanted
        assert in_sqlite(ensemble, rows) == wanted
        assert in_onnx(ensemble, rows) == wanted
    assert kinds == {Membership, Product, Proposition}


@pytest.mark.parametrize(
    "write",
    [to_sql, to_onnx, to_python, to_r, to_javascript, to_c, lambda model: to_excel(model, {})],
)
def test_exports_ask_for_the_ensemble(write, table, target):
    model = LLTBoostRegressor(max_rules=1, selection=None).fit(table, target)
    with pytest.raises(TypeError, match=r"found LLTBoostRegressor: pass model\.ensemble_$"):
        write(model)
    simplified = simplify(model.ensemble_, table)
    with pytest.raises(TypeError, match=r"found Simplified: pass model\.ensemble$"):
        write(simplified)


def in_sqlite(ensemble, rows):
    base = sqlite3.connect(":memory:")
    names = ", ".join(f'"{name}"' for name in ["id", *rows.columns])
    base.execute(f"CREATE TABLE t ({names})")
    marks = ", ".join("?" * (1 + len(rows.columns)))
    base.executemany(f"INSERT INTO t VALUES ({marks})", rows.with_row_index("id").rows())
    query = to_sql(ensemble, "sqlite", "t", "select", keep=["id"])
    found = [value for _, value in sorted(base.execute(query).fetchall())]
    base.close()
    return found


def in_onnx(ensemble, rows):
    model = to_onnx(ensemble)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    feed = {"X": rows.cast(pl.Float64, strict=False).to_numpy()}
    for given in session.get_inputs()[1:]:
        feed[given.name] = rows[given.name].fill_null("").to_numpy().astype(object)
    return session.run(["prediction"], feed)[0].tolist()
