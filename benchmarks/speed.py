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
    recipe = _recipe_seconds(X, y, data.task, rules)
    estimator = _ESTIMATORS[data.task]
    settings = {"max_rules": rules, "max_complexity": None, "reg_lambda": REG_LAMBDA, "n_jobs": 1}
    paper = _best_seconds(estimator.paper(**settings), X, y)
    default = _best_seconds(estimator(**settings), X, y)
    return {
        "dataset": name,
        "n": len(X),
        "d": X.shape[1],
        "recipe": recipe,
        "paper": paper,
        "recipe_to_paper": recipe / paper,
        "default": default,
        "default_to_paper": default / paper,
    }


_ESTIMATORS = {
    "classification": sorb.LLTBoostClassifier,
    "regression": sorb.LLTBoostRegressor,
}


def _recipe_seconds(X, y, task, rules):
    start = time.perf_counter()
    stages = fit_plain(X, y, task, max_rules=rules, reg_lambda=REG_LAMBDA)
    return _per_rule(time.perf_counter() - start, stages)


def _best_seconds(estimator, X, y):
    estimator.fit(X, y)  # the first fit warms the caches
    return min(_fit_seconds(estimator, X, y) for _ in range(REPEATS))


def _fit_seconds(estimator, X, y):
    start = time.perf_counter()
    estimator.fit(X, y)
    return _per_rule(time.perf_counter() - start, estimator.stages_)


def _per_rule(seconds, stages):
    return seconds / max(len(stages) - 1, 1)


def _readable(row):
    return {
        "dataset": row["dataset"],
        "n × d": f"{row['n']} × {row['d']}",
        "recipe, ms": f"{1000 * row['recipe']:.0f}",
        "`paper()`, ms": f"{1000 * row['paper']:.2f}",
        "recipe / `paper()`": f"{row['recipe_to_paper']:.0f}",
        "default, ms": f"{1000 * row['default']:.2f}",
        "default / `paper()`": f"{row['default_to_paper']:.2f}",
    }


def _notes(rules, rows):
    ratios = [row["recipe_to_paper"] for row in rows]
    return [
        f"Times are per rule learned, over a whole fit of {rules} rules with λ = {REG_LAMBDA:g}; "
        f"the recipe is run once, sorb {REPEATS} times after a warm-up, and the best time counts.",
        "",
        f"The recipe takes {min(ratios):.0f} to {max(ratios):.0f} times as long as `paper()`, "
        f"in the median {statistics.median(ratios):.0f} times.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
