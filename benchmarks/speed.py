"""How much faster sorb is than the paper's recipe, on one thread and the same rows.

Each dataset is represented by the training rows of the first split of the protocol.
"""

import argparse
import gc
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
TURNS = 3
FITS = 15


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
    parser.add_argument("--rules", type=int, default=10, help="rules to learn (default: 10)")
    return parser


def _measure(name, rules):
    data = load(name)
    drawn = splits(len(data.X), repetitions=1)[0].drawn
    X, y = data.X[drawn], data.y[drawn]
    estimator = _ESTIMATORS[data.task]
    settings = {"max_rules": rules, "max_complexity": None, "reg_lambda": REG_LAMBDA, "n_jobs": 1}
    paper, ours = estimator.paper(**settings), estimator(**settings)
    paper.fit(X, y), ours.fit(X, y)  # the first fits warm up the caches
    turns = [_turn(X, y, data.task, rules, paper, ours) for _ in range(TURNS)]
    recipe, paper_time, default = (statistics.median(times) for times in zip(*turns, strict=True))
    return {
        "dataset": name,
        "n": len(X),
        "d": X.shape[1],
        "recipe": recipe,
        "paper": paper_time,
        "recipe_to_paper": statistics.median(r / p for r, p, _ in turns),
        "default": default,
        "default_rules": ours.n_iter_,
        "default_to_paper": statistics.median(d / p for _, p, d in turns),
    }


def _turn(X, y, task, rules, paper, ours):
    """Time all three in turn, because the speed of a machine may change by the minute."""
    gc.collect()
    gc.disable()  # as timeit does
    start = time.perf_counter()
    fit_plain(X, y, task, max_rules=rules, reg_lambda=REG_LAMBDA)
    recipe = time.perf_counter() - start
    fits = [(_fit_seconds(paper, X, y), _fit_seconds(ours, X, y)) for _ in range(FITS)]
    gc.enable()
    return recipe, *(statistics.median(times) for times in zip(*fits, strict=True))


_ESTIMATORS = {
    "classification": sorb.LLTBoostClassifier,
    "regression": sorb.LLTBoostRegressor,
}


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
        f"Times are for a whole fit of up to {rules} rules, with λ = {REG_LAMBDA:g}. In each "
        f"of {TURNS} turns the recipe is run once and sorb {FITS} times; times are medians; ratios "
        "are taken within a turn. The default may stop earlier, when no further rule helps; "
        "finding that out is part of its time.",
        "",
        f"The recipe takes {min(ratios):.0f} to {max(ratios):.0f} times as long as `paper()`, "
        f"in the median {statistics.median(ratios):.0f} times.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
