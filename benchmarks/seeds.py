"""How much a model changes with the seed: its complexity, its predictions and its rules.

For comparison, how much predictions change if the columns that no rule uses are dropped.

Ten seeds, always with the same training rows, on development tables of fewer than 2,000 rows, real
and generated ones, of all kinds of outcomes. It also runs with older versions of sorb: run it with
each version, into two CSV files, the second time with `--against` the first one, which also writes
a Markdown table of both.
"""

import argparse
import csv
from itertools import permutations
from pathlib import Path

import development
import development_tables
import numpy as np
import tables
from joblib import Parallel, delayed

import sorb

TABLES = (
    "boston",
    "crabs",
    "frogs",
    "fuel",
    "glass",
    "heart disease",
    "made circles",
    "made weak",
    "pima",
    "processors",
    "titanic",
    "wine",
)
SEEDS = 10
ESTIMATORS = {
    "plain": (sorb.LLTBoostClassifier, sorb.LLTBoostRegressor, {}),
    "one_se": (sorb.LLTBoostClassifierCV, sorb.LLTBoostRegressorCV, {"selection": "one_se"}),
}
COLUMNS = (
    "table",
    "estimator",
    "least",
    "most",
    "deviation",
    "predictions",
    "found_again",
    "other_seed",
    "dropped",
)
# Two rules are the same if they have the same output and columns, and if the rows that both cover
# are at least this share of those that one covers.
LEAST_OVERLAP = 0.9


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path, help="where the results are written")
    parser.add_argument("--against", type=Path, help="the results of another version")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    cells = [(name, kind) for name in TABLES for kind in ESTIMATORS]
    rows = Parallel(options.jobs)(delayed(_measure)(*cell) for cell in cells)
    tables.write_csv(options.csv, COLUMNS, rows)
    if options.against:
        _compare(options)


def _measure(name, kind):
    (table,) = development_tables.tables([name])
    training, test = development.split(len(table.y), 0)
    *classes, parameters = ESTIMATORS[kind]
    make, loss = classes["class" not in table.task], development.loss_of(table.task)
    X, y = table.X[training], table.y[training]

    def fit(columns, seed):
        estimator = make(**parameters, **loss, random_state=seed)
        return estimator.fit(X[:, columns], y).ensemble_

    everything = list(range(X.shape[1]))
    models = [fit(everything, seed) for seed in range(SEEDS)]
    sizes = [model.complexity for model in models]
    scores = np.array([model(table.X[test]) for model in models])
    rules = [_rules(model, table.X[test]) for model in models]
    used = [k for k in everything if _uses(models[0], k)]
    spread = max(scores.std(axis=1).mean(), 1e-12)
    dropped = np.nan
    if 0 < len(used) < len(everything):
        dropped = _distance(scores[0], fit(used, 0)(table.X[test][:, used])) / spread
    return {
        "table": name,
        "estimator": kind,
        "least": min(sizes),
        "most": max(sizes),
        "deviation": float(np.std(sizes, ddof=1)),
        "predictions": float(scores.std(axis=0).mean() / spread),
        "found_again": float(
            np.mean([_share_found(*pair) for pair in permutations(rules, 2) if pair[0]] or [np.nan])
        ),
        "other_seed": float(
            np.mean([_distance(scores[0], other) for other in scores[1:]]) / spread
        ),
        "dropped": float(dropped),
    }


def _uses(model, column):
    return any(model.columns[column] in rule.condition.columns for rule in model)


def _distance(scores, others):
    return np.sqrt(np.mean((scores - others) ** 2))


def _rules(model, X):
    """The output and the columns of each rule, and the rows that it covers."""
    return [
        ((rule.output, frozenset(rule.condition.columns)), rule.condition(X, model.columns))
        for rule in model
    ]


def _share_found(rules, others):
    return np.mean([any(_same(rule, other) for other in others) for rule in rules])


def _same(rule, other):
    if rule[0] != other[0]:
        return False
    # A rule and its opposite say the same.
    return max(_overlap(rule[1], other[1]), _overlap(rule[1], ~other[1])) >= LEAST_OVERLAP


def _overlap(covered, other):
    return np.sum(covered & other) / max(np.sum(covered | other), 1)


def _compare(options):
    before, after = _read(options.against), _read(options.csv)
    rows = [_row(key, before[key], after[key]) for key in sorted(after, key=lambda key: key[::-1])]
    notes = [
        "Complexity: the least and the largest of ten seeds. Predictions: the standard deviation "
        "over seeds, relative to that over rows. Rules: the share of the rules of one model that "
        "another one has, with the same columns and nine tenths of the covered rows in common.",
        "",
        *(line for kind in ESTIMATORS for line in (_summary(kind, before, after), "")),
        f"Made by `python benchmarks/seeds.py {options.csv.name} --against "
        f"{options.against.name}`.",
    ]
    title = "How much a model changes with the seed, in the version before and now"
    path = tables.RESULTS / "seeds.md"
    tables.write_markdown(path, title, rows, notes)
    print(path.read_text())


def _summary(kind, before, after):
    mine = [key for key in after if key[1] == kind]
    wide = [key for key in mine if _width(before[key])]
    halved = sum(_width(after[key]) <= _width(before[key]) / 2 for key in wide)

    def change(name):
        then, now = (_median(name, [run[key] for key in mine]) for run in (before, after))
        return f"{then:.2f} → {now:.2f}"

    return (
        f"{kind}: the range of complexities is at most half as wide on {halved} of {len(wide)} "
        f"tables. Medians over tables: standard deviation of the complexity {change('deviation')}, "
        f"predictions {change('predictions')}, rules {change('found_again')}. Root mean square "
        f"difference of predictions, with another seed {change('other_seed')}, without the columns "
        f"that no rule uses {change('dropped')}."
    )


def _median(name, rows):
    """Over the tables where it is known; where nothing could be dropped, older files say 0."""
    values = np.array([float(row[name]) for row in rows])
    return np.nanmedian(np.where((name == "dropped") & (values == 0), np.nan, values))


def _read(path):
    with path.open(encoding="utf-8") as file:
        return {(row["table"], row["estimator"]): row for row in csv.DictReader(file)}


def _width(row):
    return int(row["most"]) - int(row["least"])


def _row(key, before, after):
    return {
        "estimator": key[1],
        "table": key[0],
        "complexity": f"{before['least']}–{before['most']} → {after['least']}–{after['most']}",
        **{
            word: f"{float(before[name]):.2f} → {float(after[name]):.2f}"
            for word, name in (("predictions", "predictions"), ("rules", "found_again"))
        },
    }


if __name__ == "__main__":
    main()
