"""How much faster sorb is than the paper's recipe, on one thread and the same rows.

Each dataset is represented by the training rows of the first split of the protocol. Beside the
recipe and `paper()` there are the defaults, up to the complexity that `paper()` reaches: growing
alone, and with the choice of a size and a penalty. Times are those of the processor.
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
FITS = 5


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
    make = _ESTIMATORS[data.task]
    paper = make.paper(max_rules=rules, max_complexity=None, reg_lambda=REG_LAMBDA, n_jobs=1).fit(
        X, y
    )
    limit = {"max_complexity": max(paper.ensemble_.complexity, 3), "n_jobs": 1}
    fits = {"paper": paper, "growth": make(**limit, selection=None), "default": make(**limit)}
    for estimator in fits.values():
        estimator.fit(X, y)  # the first fits warm up the caches
    turns = [_turn(X, y, data.task, rules, fits) for _ in range(TURNS)]
    return {
        "dataset": name,
        "n": len(X),
        "d": X.shape[1],
        **{key: statistics.median(turn[key] for turn in turns) for key in turns[0]},
        "recipe_to_paper": _ratio(turns, "recipe"),
        "growth_to_paper": _ratio(turns, "growth"),
        "default_to_paper": _ratio(turns, "default"),
        "default_rules": fits["default"].n_iter_,
    }


def _ratio(turns, key):
    return statistics.median(turn[key] / turn["paper"] for turn in turns)


def _turn(X, y, task, rules, fits):
    """Time all of them in turn, because the speed of a machine may change by the minute."""
    gc.collect()
    gc.disable()  # as timeit does
    start = time.process_time()
    fit_plain(X, y, task, max_rules=rules, reg_lambda=REG_LAMBDA)
    recipe = time.process_time() - start
    times = [{key: _fit_seconds(fits[key], X, y) for key in fits} for _ in range(FITS)]
    gc.enable()
    return {"recipe": recipe, **{key: statistics.median(t[key] for t in times) for key in fits}}


_ESTIMATORS = {
    "classification": sorb.LLTBoostClassifier,
    "regression": sorb.LLTBoostRegressor,
}


def _fit_seconds(estimator, X, y):
    start = time.process_time()
    estimator.fit(X, y)
    return time.process_time() - start


def _readable(row):
    return {
        "dataset": row["dataset"],
        "n × d": f"{row['n']} × {row['d']}",
        "recipe, ms": f"{1000 * row['recipe']:.0f}",
        "`paper()`, ms": f"{1000 * row['paper']:.1f}",
        "recipe / `paper()`": f"{row['recipe_to_paper']:.0f}",
        "growth, ms": f"{1000 * row['growth']:.0f}",
        "growth / `paper()`": f"{row['growth_to_paper']:.1f}",
        "with choice, ms": f"{1000 * row['default']:.0f}",
        "with choice / `paper()`": f"{row['default_to_paper']:.1f}",
        "its rules": row["default_rules"],
    }


def _notes(rules, rows):
    recipe, growth, default = (
        [row[f"{key}_to_paper"] for row in rows] for key in ("recipe", "growth", "default")
    )
    return [
        f"Times are for a whole fit: of up to {rules} rules with λ = {REG_LAMBDA:g} for the recipe "
        "and `paper()`, and up to the same complexity for sorb's defaults. *Growth* is that of the "
        "best models for all these sizes (`selection=None`), *with choice* includes the choice of "
        "a size and a penalty by cross-validation; a plain fit, which goes on to a complexity of "
        f"100, takes longer. In each of {TURNS} turns the recipe is run once and the "
        f"others {FITS} times; times are medians; ratios are taken within a turn.",
        "",
        f"The recipe takes {min(recipe):.0f} to {max(recipe):.0f} times as long as `paper()`, "
        f"in the median {statistics.median(recipe):.0f} times. Growing takes "
        f"{statistics.median(growth):.1f} times as long in the median, with the choice "
        f"{statistics.median(default):.0f} times.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
