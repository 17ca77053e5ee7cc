"""How fast a model predicts: many rows against one read of them, and one row at a time.

All are timed in turn in one process, on one thread. Times are those of the processor.
"""

import argparse
import gc
import statistics
import time

import numpy as np
import tables
from rich.progress import track
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import sorb

ROWS = 1_000_000
COLUMNS = 30
TRAINING_ROWS = 20_000
RULES = 10
TURNS = 15
CALLS = 200  # of what takes microseconds, in each turn


def main():
    options = _parser().parse_args()
    with threadpool_limits(limits=1):
        X, y = _problem(options.rows)
        model = sorb.LLTBoostClassifier(max_rules=RULES, selection=None, n_jobs=1)
        model.fit(X[:TRAINING_ROWS], y[:TRAINING_ROWS])
        rows = [*_many_rows(model, X), *_one_row(model, X, y)]
    path = tables.RESULTS / "predict_speed.md"
    tables.write_markdown(path, "Speed of predictions", rows, _notes(model.ensemble_))
    print(path.read_text())


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help=f"default: {ROWS}")
    return parser


def _problem(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, COLUMNS))
    log_odds = (
        2.0 * (X[:, 0] + X[:, 1] > 0.5)
        + 1.5 * (X[:, 2] - X[:, 3] + 0.5 * X[:, 4] > 0)
        + 1.0 * (0.3 * X[:, 6] + X[:, 7] > 0.2)
        + 1.5 * (X[:, 8] - X[:, 9] > 0.3)
        + 1.0 * (X[:, 10] + 0.5 * X[:, 11] - X[:, 12] > 0)
        - 1.0 * (X[:, 5] > 1)
        - 3
    )
    return X, rng.random(n) < 1 / (1 + np.exp(-log_odds))


def _many_rows(model, X):
    single = X.astype(np.float32)
    methods = ("predict_proba", "predict", "decision_function")
    asked = {
        "read": X.sum,
        **{f"`{name}`": lambda name=name: getattr(model, name)(X) for name in methods},
        "`predict_proba`, float32": lambda: model.predict_proba(single),
    }
    seconds = _medians(asked, calls=1)
    read = seconds.pop("read")
    return [
        _row(f"{what}, {len(X):,} rows", f"{1000 * s:.1f} ms", "one read of X", s / read)
        for what, s in seconds.items()
    ]


def _one_row(model, X, y):
    other = LogisticRegression().fit(X[:TRAINING_ROWS], y[:TRAINING_ROWS])
    row, compiled = X[:1], model.ensemble_.compile()
    named = dict(zip(model.ensemble_.columns, row[0].tolist(), strict=True))
    asked = {
        "logistic": lambda: other.predict_proba(row),
        "`predict_proba`": lambda: model.predict_proba(row),
        "`compile()`, score": lambda: compiled(named),
        "`compile()`, `predict_proba`": lambda: compiled.predict_proba(named),
    }
    seconds = _medians(asked, CALLS)
    logistic = seconds.pop("logistic")
    return [
        _row(f"{what}, one row", f"{1e6 * s:.1f} µs", "logistic regression", s / logistic)
        for what, s in seconds.items()
    ]


def _row(what, seconds, against, ratio):
    return {"what": what, "time": seconds, "against": against, "ratio": f"{ratio:.2f}"}


def _medians(asked, calls):
    """Time all of them in turn, because the speed of a machine may change by the minute."""
    turns = []
    for _ in track(range(TURNS + 1), description="Timing", transient=True):
        gc.collect()
        turns.append({what: _seconds(function, calls) for what, function in asked.items()})
    # The first turn warms up the caches.
    return {what: statistics.median(turn[what] for turn in turns[1:]) for what in asked}


def _seconds(function, calls):
    start = time.process_time()
    for _ in range(calls):
        function()
    return (time.process_time() - start) / calls


def _notes(ensemble):
    sizes = [len(rule.condition.columns) for rule in ensemble]
    return [
        f"A model of {len(ensemble)} rules, whose conditions have {min(sizes)} to {max(sizes)} of "
        f"{COLUMNS} columns. One read of X is `X.sum()`, in float64; logistic regression is the "
        "`predict_proba` of scikit-learn's on the same row. A compiled model is given a mapping of "
        f"all columns. One thread, medians of {TURNS} turns.",
        "",
        "Made by `python benchmarks/predict_speed.py`.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
