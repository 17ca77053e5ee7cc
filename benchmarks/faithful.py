"""Does sorb reproduce the paper? Its protocol on all datasets, with its preset or our defaults.

In each repetition, the L2 penalty is chosen for each number of rules by cross-validation inside
the training rows. Each finished repetition is one small CSV file: a run that was interrupted
goes on where it stopped.
"""

import argparse
from dataclasses import asdict

import numpy as np
import tables
from joblib import Parallel, delayed
from rich.progress import track

import sorb
from sorb.lab.datasets import NAMES, load
from sorb.lab.protocol import (
    REDUCTIONS,
    REG_LAMBDAS,
    REPETITIONS,
    Curve,
    area,
    average,
    median_complexity_at,
    run_repetition,
    splits,
)

MAX_RULES = 50
ENOUGH_COMPLEXITY = 130  # so that means over repetitions are complete up to 100
PAPER = tables.RESULTS.parent / "paper_lltb.csv"
CLASSES = {
    "classification": (sorb.LLTBoostClassifierCV, sorb.LLTBoostClassifier),
    "regression": (sorb.LLTBoostRegressorCV, sorb.LLTBoostRegressor),
}


def main():
    options = _parser().parse_args()
    preset = "defaults" if options.defaults else "faithful"
    todo = [
        (name, repetition)
        for repetition in range(options.repetitions)
        for name in options.datasets
        if not _file(preset, name, repetition).exists()
    ]
    jobs = (delayed(_run)(preset, *job) for job in todo)
    done = Parallel(n_jobs=options.jobs, return_as="generator_unordered")(jobs)
    for _ in track(done, total=len(todo), description="Repetitions"):
        pass
    _write_table(preset)


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, metavar="K")
    parser.add_argument("--jobs", type=int, default=1, help="repetitions at a time (default: 1)")
    parser.add_argument(
        "--defaults", action="store_true", help="run the ordinary defaults instead of paper()"
    )
    return parser


def _file(preset, name, repetition):
    return tables.RESULTS / preset / f"{name}-{repetition:02}.csv"


def _run(preset, name, repetition):
    dataset = load(name)
    split = splits(len(dataset.X), repetition + 1)[repetition]
    curve = run_repetition(dataset, split, *_estimators(preset, dataset.task, repetition))
    _write_curve(_file(preset, name, repetition), curve)


def _estimators(preset, task, repetition):
    chooser, learner = CLASSES[task]
    if preset == "faithful":
        chooser, learner = chooser.paper, learner.paper
    settings = {
        "max_rules": MAX_RULES,
        "max_complexity": ENOUGH_COMPLEXITY,
        "random_state": repetition,
        "n_jobs": 1,
    }
    return chooser(reg_lambdas=REG_LAMBDAS, cv=5, **settings), learner(**settings)


def _write_curve(path, curve):
    points = asdict(curve)
    rules = range(1, len(curve.complexity) + 1)
    rows = [
        {"rules": r, **dict(zip(points, map(float, values), strict=True))}
        for r, *values in zip(rules, *points.values(), strict=True)
    ]
    tables.write_csv(path, ("rules", *points), rows)


def _read_curve(path):
    rows = tables.read_csv(path)
    return Curve(*(np.array([float(row[name]) for row in rows]) for name in Curve.__slots__))


def _write_table(preset):
    rows = [
        _row(published, curves)
        for published in tables.read_csv(PAPER)
        if (curves := [_read_curve(path) for path in _finished(preset, published["dataset"])])
    ]
    if not rows:
        return
    tables.write_csv(tables.RESULTS / f"{preset}.csv", list(rows[0]), rows)
    path = tables.RESULTS / f"{preset}.md"
    title = "`paper()` on the paper's protocol" if preset == "faithful" else "Our defaults"
    tables.write_markdown(path, title, [_readable(row) for row in rows], _notes(rows))
    print(path.read_text())


def _finished(preset, name):
    return sorted((tables.RESULTS / preset).glob(f"{name}-[0-9][0-9].csv"))


def _row(published, curves):
    ours = average(curves)
    limit = float(published["risk"]) + float(published["margin"])
    row = {
        "dataset": published["dataset"],
        "repetitions": len(curves),
        "risk": ours.mean,
        "margin": ours.margin,
        "spread": ours.spread,
        "paper_risk": float(published["risk"]),
        "paper_margin": float(published["margin"]),
        "reached": ours.mean <= limit,
        "area": float(np.mean([area(curve) for curve in curves])),
    }
    for reduction in REDUCTIONS:
        key = f"complexity_{100 * reduction:.0f}"
        row[key] = median_complexity_at(curves, reduction)
        row[f"paper_{key}"] = float(published[key])
    return row


def _readable(row):
    complexities = [f"complexity_{100 * reduction:.0f}" for reduction in REDUCTIONS]
    return {
        "dataset": row["dataset"],
        "ours": f"{row['risk']:.3f} ± {row['margin']:.3f}",
        "paper": f"{row['paper_risk']:.2f} ± {row['paper_margin']:.2f}",
        "ours ≤ paper + ±": "yes" if row["reached"] else "no",
        "spread": f"{row['spread']:.3f}",
        "area": f"{row['area']:.3f}",
        "25 / 50 / 75 %": " / ".join(_complexity(row[key]) for key in complexities),
        "paper's 25 / 50 / 75 %": " / ".join(_complexity(row[f"paper_{k}"]) for k in complexities),
        "repetitions": row["repetitions"],
    }


def _complexity(value):
    return f"{value:g}" if np.isfinite(value) else "∞"


def _notes(rows):
    reached = sum(row["reached"] for row in rows)
    return [
        f"{reached} of {len(rows)} datasets reach the paper's value within its ±.",
        "",
        "Normalised test risk, averaged over the numbers of rules whose mean complexity is at "
        "most 100, ± 1.96 standard errors over these numbers; spread is the standard deviation "
        "over them. Area is the mean over complexities 1 to 100 of the risk of the largest "
        "model within the complexity, 1 before the first. The last columns are the medians over "
        "repetitions of the least complexity at which this share of the risk is gone.",
        "",
        "L2 is chosen for each number of rules by 5-fold cross-validation inside the training "
        f"rows, over λ ∈ {{{', '.join(f'{value:g}' for value in REG_LAMBDAS)}}}.",
    ]


if __name__ == "__main__":
    main()
