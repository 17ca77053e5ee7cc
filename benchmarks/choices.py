"""Whether the size that is chosen is right: on noise, on planted rules, and with other seeds."""

import argparse

import development
import development_tables
import numpy as np
import tables
from joblib import Parallel, delayed

import sorb

KINDS = ("regression", "two classes", "four classes", "counts")
ESTIMATORS = {
    "plain": (sorb.LLTBoostClassifier, sorb.LLTBoostRegressor),
    "CV": (sorb.LLTBoostClassifierCV, sorb.LLTBoostRegressorCV),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--repeats", type=int, default=50, help="tables of each kind and size")
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 300, 1000, 5000])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    for part in options.parts:
        title, measure, notes = PARTS[part]
        path = tables.RESULTS / f"choices_{part}.md"
        repeats = "" if part == "seeds" else f" --repeats {options.repeats}"
        sizes = f" --sizes {' '.join(map(str, options.sizes))}" if part == "noise" else ""
        words = f"--parts {part}{repeats}{sizes}"
        command = f"`python benchmarks/choices.py {words}`"
        rows = measure(options)
        tables.write_markdown(path, title, rows, [notes, "", f"Made by {command}."])
        print(path.read_text())


def noise(options):
    """How often nothing is learned from nothing."""
    cells = [(kind, n, name) for kind in KINDS for n in options.sizes for name in ESTIMATORS]
    arguments = [(*cell, r) for cell in cells for r in range(options.repeats)]
    found = _parallel(options.jobs, _rules_from_noise, arguments)
    counts = np.reshape(found, (len(cells), options.repeats))
    rows = []
    for kind in KINDS:
        for name in ESTIMATORS:
            mine = [
                counts[k] for k, cell in enumerate(cells) if cell[0] == kind and cell[2] == name
            ]
            rows.append(
                {
                    "outcome": kind,
                    "estimator": name,
                    **{
                        f"n = {n}": f"{100 * np.mean(of_n == 0):.0f} %"
                        for n, of_n in zip(options.sizes, mine, strict=True)
                    },
                    "all": f"{100 * np.mean(np.concatenate(mine) == 0):.1f} %",
                    "median rules": f"{np.median(np.concatenate(mine)):.0f}",
                }
            )
    return rows


def _rules_from_noise(kind, n, name, repeat):
    rng = np.random.default_rng([KINDS.index(kind), n, repeat])
    X = rng.normal(size=(n, 6 + 4 * (repeat % 2)))
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
    arguments = [(*cell, r) for cell in cells for r in range(options.repeats)]
    found = _parallel(options.jobs, _rules_of_one, arguments)
    counts = np.reshape(found, (len(cells), options.repeats))
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


def seeds(options):
    """How much the chosen complexity changes with the seed."""
    names = [table.name for table in development_tables.tables()][::4]
    cells = [(name, selection) for name in names for selection in ("near_best", "one_se")]
    arguments = [(*cell, seed) for cell in cells for seed in range(10)]
    found = _parallel(options.jobs, _complexities, arguments)
    sizes = np.reshape(found, (len(names), 2, 10))
    return [
        {
            "table": name,
            **{
                f"{selection}": f"{of_table[k].min()} – {of_table[k].max()}"
                for k, selection in enumerate(("plain, near_best", "CV, one_se"))
            },
        }
        for name, of_table in zip(names, sizes, strict=True)
    ]


def _complexities(name, selection, seed):
    (table,) = development_tables.tables([name])
    training, _ = development.split(len(table.y), 0)
    kind = "plain" if selection == "near_best" else "CV"
    estimator = ESTIMATORS[kind]["class" not in table.task]
    loss = development.loss_of(table.task)
    fitted = estimator(**loss, selection=selection, random_state=seed)
    return fitted.fit(table.X[training], table.y[training]).ensemble_.complexity


def _parallel(jobs, function, arguments):
    return Parallel(jobs)(delayed(function)(*each) for each in arguments)


PARTS = {
    "noise": (
        "How often the model without rules is chosen on pure noise",
        noise,
        "Six or ten standard normal columns that have nothing to do with the outcome.",
    ),
    "truth": (
        "How many rules are learned where one oblique rule is the truth",
        truth,
        "X = normal(300, 3), y = X0 + X1 > 0, without noise and with 10 % wrong labels.",
    ),
    "seeds": (
        "How much the chosen complexity changes with the seed",
        seeds,
        "The least and the largest complexity over ten seeds, on every fourth development table, "
        "always with the same training rows.",
    ),
}

if __name__ == "__main__":
    main()
