"""How much faster sorb is than the paper's recipe, on one thread and the same rows.

Each dataset is represented by the training rows of the first split of the protocol.
"""

import argparse
import statistics
import time

import tables
from plain_recipe import fit_plain
from rich.progress import track
from threadpoolctl import threadpool_limits

import sorb
from sorb.lab.datasets import NAMES, load
from sorb.lab.protocol import splits

REG_LAMBDA = 1e-3
REPEATS = 3


def main():
    options = _parser().parse_args()
    with threadpool_limits(limits=1):
        rows = [
            _measure(name, options.rules)
            for name in track(options.datasets, description="Timing", transient=True)
        ]
    tables.write_csv(tables.RESULTS / "speed.csv", list(rows[0]), rows)
    tables.write_markdown(
        tables.RESULTS / "speed.md",
        "Speed on one thread",
        [_readable(row) for row in rows],
        _notes(options.rules, rows),
    )
    print((tables.RESULTS / "speed.md").read_text())


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    parser.add_argument("--rules", type=int, default=5, help="rules to learn (default: 5)")
    return parser


def _measure(name, rules):
    data = load(name)
    drawn = splits(len(data.X), repetitions=1)[0].drawn
    X, y = data.X[drawn], data.y[drawn]
    recipe = min(_recipe_seconds(X, y, data.task, rules) for _ in range(REPEATS))
    estimator = _ESTIMATORS[data.task]
    settings = {"max_rules": rules, "max_complexity": None, "reg_lambda": REG_LAMBDA, "n_jobs": 1}
    paper = _best_seconds(estimator.paper(**settings), X, y)
    ours = estimator(**settings)
    default = _best_seconds(ours, X, y)
    return {
        "dataset": name,
        "n": len(X),
        "d": X.shape[1],
        "recipe": recipe,
        "paper": paper,
        "recipe_to_paper": recipe / paper,
        "default": default,
        "default_rules": ours.n_iter_,
        "default_to_paper": default / paper,
    }


_ESTIMATORS = {
    "classification": sorb.LLTBoostClassifier,
    "regression": sorb.LLTBoostRegressor,
}


def _recipe_seconds(X, y, task, rules):
    start = time.perf_counter()
    fit_plain(X, y, task, max_rules=rules, reg_lambda=REG_LAMBDA)
    return time.perf_counter() - start


def _best_seconds(estimator, X, y):
    estimator.fit(X, y)  # the first fit warms the caches
    return min(_fit_seconds(estimator, X, y) for _ in range(REPEATS))


def _fit_seconds(estimator, X, y):
    start = time.perf_counter()
    estimator.fit(X, y)
    return time.perf_counter() - start


def _readable(row):
    return {
        "dataset": row["dataset"],
        "n × d": f"{row['n']} × {row['d']}",
        "recipe, ms": f"{1000 * row['recipe']:.0f}",
        "`paper()`, ms": f"{1000 * row['paper']:.1f}",
        "recipe / `paper()`": f"{row['recipe_to_paper']:.0f}",
        "default, ms": f"{1000 * row['default']:.1f}",
        "its rules": row["default_rules"],
        "default / `paper()`": f"{row['default_to_paper']:.1f}",
    }


def _notes(rules, rows):
    ratios = [row["recipe_to_paper"] for row in rows]
    return [
        f"Times of a whole fit that is asked for {rules} rules, with λ = {REG_LAMBDA:g}; the best of "
        f"{REPEATS} counts. The default may stop earlier, when no further rule helps; finding that "
        "out is part of its time.",
        "",
        f"The recipe takes {min(ratios):.0f} to {max(ratios):.0f} times as long as `paper()`, "
        f"in the median {statistics.median(ratios):.0f} times.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
