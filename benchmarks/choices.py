"""Whether the size that is chosen is right: on noise, for one rule, and if rows belong together.

The last part says which real tables are taken for tables of nearly equal rows.

Each table of noise that is finished is kept in `choices_noise.csv`: an interrupted run goes on
where it was. Remove the file to measure another version.
"""

import argparse
import csv
import re
import warnings

import development_tables
import held_out_tables
import numpy as np
import tables
from joblib import Parallel, delayed
from sklearn.model_selection import GroupKFold

import sorb
from sorb.lab.datasets import NAMES, load

KINDS = ("regression", "two classes", "four classes", "counts")
ESTIMATORS = {
    "plain": (sorb.LLTBoostClassifier, sorb.LLTBoostRegressor),
    "CV": (sorb.LLTBoostClassifierCV, sorb.LLTBoostRegressorCV),
}
# How much the rows of one person differ, where people differ by 1.
JITTERS = (0.0, 1e-3, 1e-2, 0.05, 0.1, 0.2)
NOISE_COLUMNS = ("outcome", "estimator", "n", "table", "rules")
# So many tables are fitted before their results are written.
KEPT_TOGETHER = 20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 300, 1000, 5000])
    parser.add_argument(
        "--repeats", nargs="+", type=int, default=[50], help="tables of each kind, for each size"
    )
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    for part in options.parts:
        title, measure, notes = PARTS[part]
        path = tables.RESULTS / f"choices_{part}.md"
        sizes = f" --sizes {_words(options.sizes)}" if part == "noise" else ""
        repeats = "" if part == "near_duplicates" else f" --repeats {_words(options.repeats)}"
        words = f"--parts {part}{sizes}{repeats}"
        command = f"`python benchmarks/choices.py {words}`"
        rows = measure(options)
        tables.write_markdown(path, title, rows, [notes, "", f"Made by {command}."])
        print(path.read_text())


def _words(numbers):
    return " ".join(map(str, numbers))


def noise(options):
    """How often nothing is learned from nothing."""
    repeats = np.broadcast_to(options.repeats, len(options.sizes))
    cells = [
        (kind, name, n, repeat)
        for kind in KINDS
        for name in ESTIMATORS
        for n, most in zip(options.sizes, repeats, strict=True)
        for repeat in range(most)
    ]
    path = tables.RESULTS / "choices_noise.csv"
    found = _read_noise(path)
    left = [cell for cell in cells if cell not in found]
    for k in range(0, len(left), KEPT_TOGETHER):
        part = left[k : k + KEPT_TOGETHER]
        found.update(zip(part, _parallel(options.jobs, _rules_from_noise, part), strict=True))
        rows = [
            dict(zip(NOISE_COLUMNS, (*cell, rules), strict=True)) for cell, rules in found.items()
        ]
        tables.write_csv(path, NOISE_COLUMNS, rows)
        print(f"{len(found)} of {len(cells)} tables", flush=True)
    found = {cell: found[cell] for cell in cells}
    return [_noise_row(kind, name, options.sizes, found) for kind in KINDS for name in ESTIMATORS]


def _read_noise(path):
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as file:
        return {
            (row["outcome"], row["estimator"], int(row["n"]), int(row["table"])): int(row["rules"])
            for row in csv.DictReader(file)
        }


def _noise_row(kind, name, sizes, found):
    mine = {cell[2:]: rules for cell, rules in found.items() if cell[:2] == (kind, name)}
    by_size = {n: [rules for cell, rules in mine.items() if cell[0] == n] for n in sizes}
    return {
        "outcome": kind,
        "estimator": name,
        **{f"n = {n}": _share_without_rules(rules) for n, rules in by_size.items()},
        "all": _share_without_rules(list(mine.values())),
        "median rules": f"{np.median(list(mine.values())):.0f}",
    }


def _share_without_rules(rules):
    return f"{rules.count(0)} of {len(rules)}"


def _rules_from_noise(kind, name, n, repeat):
    rng = np.random.default_rng([KINDS.index(kind), n, repeat])
    shape = n, 6 + 4 * (repeat % 2)
    X = rng.integers(2, size=shape).astype(float) if repeat % 3 == 2 else rng.normal(size=shape)
    y = {
        "regression": lambda: rng.normal(size=n),
        "two classes": lambda: rng.integers(2, size=n),
        "four classes": lambda: rng.integers(4, size=n),
        "counts": lambda: rng.poisson(2.0, size=n),
    }[kind]()
    estimator = ESTIMATORS[name]["class" not in kind]
    loss = {"loss": "poisson"} if kind == "counts" else {}
    return len(estimator(**loss, random_state=repeat).fit(X, y).ensemble_)


def truth(options):
    """How many rules are learned where one is the truth."""
    cells = [
        (noise, name, selection)
        for noise in (0.0, 0.1)
        for name, selection in (("plain", "near_best"), ("CV", "near_best"), ("CV", "one_se"))
    ]
    repeats = max(options.repeats)
    arguments = [(*cell, repeat) for cell in cells for repeat in range(repeats)]
    found = _parallel(options.jobs, _rules_of_one, arguments)
    counts = np.reshape(found, (len(cells), repeats))
    return [
        {
            "wrong labels": f"{100 * noise:.0f} %",
            "estimator": name,
            "selection": selection,
            "1 rule": f"{100 * np.mean(of_cell == 1):.0f} %",
            "≤ 2": f"{100 * np.mean(of_cell <= 2):.0f} %",
            "≤ 3": f"{100 * np.mean(of_cell <= 3):.0f} %",
            "most": of_cell.max(),
        }
        for (noise, name, selection), of_cell in zip(cells, counts, strict=True)
    ]


def _rules_of_one(noise, name, selection, repeat):
    rng = np.random.default_rng([repeat, int(100 * noise)])
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + X[:, 1] > 0) ^ (rng.random(300) < noise)
    estimator = ESTIMATORS[name][0](selection=selection, random_state=repeat)
    return len(estimator.fit(X, y).ensemble_)


def people(options):
    """How many rules are learned from noise if each person has several, nearly equal rows."""
    cells = [(jitter, name) for jitter in JITTERS for name in (*ESTIMATORS, "CV, GroupKFold")]
    repeats = max(options.repeats)
    arguments = [(*cell, repeat) for cell in cells for repeat in range(repeats)]
    counts = np.reshape(_parallel(options.jobs, _rules_of_people, arguments), (len(cells), repeats))
    return [
        {
            "standard deviation of the rows": f"{jitter:g}",
            "estimator": name,
            "without rules": _share_without_rules(of_cell.tolist()),
            "median rules": f"{np.median(of_cell):.0f}",
            "most": of_cell.max(),
        }
        for (jitter, name), of_cell in zip(cells, counts, strict=True)
    ]


def _rules_of_people(jitter, name, repeat):
    rng = np.random.default_rng(repeat)
    person = np.repeat(np.arange(100), 10)
    X = rng.normal(size=(100, 5))[person] + jitter * rng.normal(size=(1000, 5))
    y = rng.integers(2, size=100)[person]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "many rows are nearly equal")
        if name in ESTIMATORS:
            estimator = ESTIMATORS[name][0](random_state=repeat).fit(X, y)
        else:
            splitter = GroupKFold(5)
            estimator = sorb.LLTBoostClassifierCV(cv=splitter, random_state=repeat)
            estimator.fit(X, y, groups=person)
    return len(estimator.ensemble_)


def near_duplicates(options):
    """Which tables that no one made for it are taken for tables of nearly equal rows."""
    sources = {
        "development tables": development_tables.tables(),
        "tables held out": held_out_tables.tables(),
        "datasets of the paper": map(load, NAMES),
    }
    rows = []
    for source, all_tables in sources.items():
        found = [(table.name, _near_duplicates_in(table)) for table in all_tables]
        grouped = [f"{name} ({groups})" for name, groups in found if groups]
        rows.append({"tables": source, "number": len(found), "grouped": "; ".join(grouped) or "–"})
    return rows


def _near_duplicates_in(table):
    """What a fit says about the groups that it finds; nothing if it finds none."""
    is_regression = table.task in ("regression", "counts")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ESTIMATORS["plain"][is_regression](max_rules=0, selection=None).fit(table.X, table.y)
    told = (re.search(r"\d+ of .* groups", str(warning.message)) for warning in caught)
    return next((found.group() for found in told if found), "")


def _parallel(jobs, function, arguments):
    return Parallel(jobs)(delayed(function)(*each) for each in arguments)


PARTS = {
    "noise": (
        "How often the model without rules is chosen on pure noise",
        noise,
        "Six or ten columns that have nothing to do with the outcome: standard normal ones, or in "
        "every third table zeros and ones.",
    ),
    "truth": (
        "How many rules are learned where one oblique rule is the truth",
        truth,
        "X = normal(300, 3), y = X0 + X1 > 0, without noise and with 10 % wrong labels.",
    ),
    "people": (
        "How many rules are learned from noise if rows belong together",
        people,
        "100 people of ten rows each, that differ by the given standard deviation (that between "
        "people is 1); each person has one of two outcomes, at random.",
    ),
    "near_duplicates": (
        "Which tables are taken for tables of nearly equal rows",
        near_duplicates,
        "All rows of each table. The real ones among them need what "
        "`python benchmarks/development_tables.py install` installs.",
    ),
}

if __name__ == "__main__":
    main()
