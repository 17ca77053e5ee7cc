"""The test risk and the size of the model that a plain estimator gives, on the development tables.

With `--held-out`, on real tables that are held out. It also runs with older versions
of sorb, to compare them: run it with each version, into two CSV files, the second time with
`--against` the first one.
"""

import argparse
import csv
import time
from pathlib import Path

import development_tables
import held_out_tables
import numpy as np
import tables
from joblib import Parallel, delayed
from rich.progress import track

import sorb
from sorb.losses import loss_by_name

MOST_TRAINING_ROWS = 3000
LOSSES = {
    "two classes": "logistic",
    "classes": "softmax",
    "regression": "squared",
    "counts": "poisson",
}
COLUMNS = ("table", "task", "real", "seed", "n", "d", "risk", "complexity", "rules", "seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path, help="where the results are written")
    parser.add_argument("--against", type=Path, help="the results of another version")
    parser.add_argument("--held-out", action="store_true", help="use the tables that are held out")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="parameters")
    options = parser.parse_args()
    parameters = dict(_parameter(text) for text in options.set)
    tasks = [
        delayed(_measure)(table, seed, parameters)
        for table in (held_out_tables if options.held_out else development_tables).tables()
        for seed in range(options.seeds)
    ]
    found = Parallel(options.jobs, return_as="generator")(tasks)
    rows = list(track(found, description="Fitting", total=len(tasks), transient=True))
    tables.write_csv(options.csv, COLUMNS, rows)
    if options.against:
        for line in _comparison(_read(options.against), _read(options.csv)):
            print(line)


def _parameter(text):
    """A parameter of the estimator, such as selection=None."""
    name, value = text.split("=", 1)
    try:
        return name, None if value == "None" else float(value) if "." in value else int(value)
    except ValueError:
        return name, value


def _measure(table, seed, parameters):
    training, test = split(len(table.y), seed)
    estimator = new_estimator(table.task, **parameters, random_state=seed)
    started = time.process_time()
    estimator.fit(table.X[training], table.y[training])
    seconds = time.process_time() - started
    ensemble = estimator.ensemble_
    return {
        "table": table.name,
        "task": table.task,
        "real": int(table.real),
        "seed": seed,
        "n": len(training),
        "d": table.X.shape[1],
        "risk": relative_risk(ensemble, table, training, test),
        "complexity": ensemble.complexity,
        "rules": len(ensemble),
        "seconds": seconds,
    }


def split(n, seed):
    """Two thirds of the rows to learn from, at most 3,000, and the others to test with."""
    order = np.random.default_rng([seed, 1000]).permutation(n)
    return np.split(order, [min(2 * n // 3, MOST_TRAINING_ROWS)])


def new_estimator(task, **parameters):
    make = sorb.LLTBoostClassifier if "class" in task else sorb.LLTBoostRegressor
    return make(**parameters, **loss_of(task))


def loss_of(task):
    return {"loss": LOSSES[task]} if LOSSES[task] in ("squared", "poisson") else {}


def relative_risk(ensemble, table, training, test):
    """The test risk, relative to the best constant for the training rows."""
    loss, y = loss_by_name(LOSSES[table.task]), table.y.astype(float)
    scores = ensemble(table.X[test])
    constant = loss.best_constant(y[training], np.ones(len(training)), len(ensemble.offsets))
    without_rules = np.broadcast_to(constant if len(constant) > 1 else constant[0], scores.shape)
    return float(loss.value(y[test], scores).mean() / loss.value(y[test], without_rules).mean())


def _read(path):
    with path.open(encoding="utf-8") as file:
        return {(row["table"], row["seed"]): row for row in csv.DictReader(file)}


def _comparison(before, after):
    """The change of the risk: the geometric mean over tables ± its standard error, by kind."""
    shared = sorted(before.keys() & after.keys())
    kinds = {"all": shared}
    for task in LOSSES:
        kinds[task] = [key for key in shared if after[key]["task"] == task]
    kinds["real"] = [key for key in shared if after[key]["real"] == "1"]
    kinds["generated"] = [key for key in shared if after[key]["real"] == "0"]
    for kind, keys in kinds.items():
        names = sorted({name for name, _ in keys})
        if not names:
            continue
        logs = [
            np.mean([_log_ratio(before[key], after[key]) for key in keys if key[0] == name])
            for name in names
        ]
        ratio = np.exp(np.mean(logs))
        error = ratio * np.std(logs, ddof=1) / np.sqrt(len(logs))
        size = [
            np.mean([float(rows[key]["complexity"]) for key in keys]) for rows in (before, after)
        ]
        yield (
            f"{kind}: {len(names)} tables, risk {100 * (ratio - 1):+.1f} ± "
            f"{100 * error:.1f} % (median {100 * np.expm1(np.median(logs)):+.1f} %, higher on "
            f"{np.sum(np.array(logs) > 0)}), complexity {size[0]:.1f} → {size[1]:.1f}"
        )


def _log_ratio(before, after):
    return np.log(float(after["risk"]) / float(before["risk"]))


if __name__ == "__main__":
    main()
