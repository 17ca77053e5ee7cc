"""How fast a model predicts rows of texts, in the tables of each library, beside DuckDB.

All are timed in turn in one process, on one thread. Times are those of the processor. DuckDB holds
the table in memory and runs the query that `to_sql` writes.
"""

import argparse
import statistics
import time

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import tables
from threadpoolctl import threadpool_limits

from sorb import Condition, Membership, Proposition, Rule, RuleEnsemble
from sorb.export import to_sql

ROWS = 1_000_000
TURNS = 5
LEVELS = {"sex": 2, "region": 12, "job": 87, "grade": 5}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help=f"default: {ROWS}")
    columns = _columns(parser.parse_args().rows)
    ensemble = _ensemble()
    with threadpool_limits(limits=1):
        tasks = _tasks(ensemble, columns)
        seconds = {name: [] for name in tasks}
        for _ in range(TURNS):
            for name, task in tasks.items():
                started = time.process_time()
                task()
                seconds[name].append(time.process_time() - started)
    beside = seconds["DuckDB"]
    rows = [
        {
            "table": name,
            "ms": round(1000 * statistics.median(found)),
            "/ DuckDB": round(statistics.median(np.divide(found, beside)), 2),
        }
        for name, found in seconds.items()
    ]
    path = tables.RESULTS / "predict_texts.md"
    notes = [
        f"{ROWS:,} rows, {len(ensemble)} rules on four columns of texts and one of numbers. One "
        f"thread, medians of {TURNS} turns.",
        "Made by `python benchmarks/predict_texts.py`.",
        f"Machine: {tables.machine()}.",
    ]
    tables.write_markdown(path, "Predictions from texts", rows, notes)
    print(path.read_text())


def _columns(n):
    rng = np.random.default_rng(0)
    texts = {
        name: [f"{name} {k}" for k in rng.integers(0, count, n)] for name, count in LEVELS.items()
    }
    return {**texts, "age": rng.normal(50, 10, n)}


def _ensemble():
    def some(name, count, **options):
        return Membership(name, tuple(f"{name} {k}" for k in range(count)), **options)

    conditions = [
        (some("sex", 1),),
        (some("region", 4),),
        (some("job", 20, negated=True),),
        (some("grade", 2),),
        (Proposition(("age",), (1.0,), 50.0), some("job", 2)),
    ]
    rules = tuple(Rule(Condition(parts), 0.5) for parts in conditions)
    return RuleEnsemble(-1.0, rules, (*LEVELS, "age"), "logistic", ("no", "yes"))


def _tasks(ensemble, columns):
    texts = pd.DataFrame(columns)
    objects = texts.astype(dict.fromkeys(LEVELS, object))
    given = {
        "pandas, texts": texts,
        "pandas, objects": objects,
        "polars": pl.DataFrame(columns),
        "PyArrow": pa.table(columns),
        "NumPy, objects": objects.to_numpy(),
    }
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", given["PyArrow"])
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    query = to_sql(ensemble, "duckdb", kind="select", table="rows")
    predicting = {
        name: lambda table=table: ensemble.predict(table) for name, table in given.items()
    }
    return {**predicting, "DuckDB": lambda: connection.execute(query).fetchnumpy()}


if __name__ == "__main__":
    main()
