"""How the time of a fit grows with the number of classes, on the same rows and columns."""

import argparse
import time

import numpy as np
import tables
from rich.progress import track

import sorb

CLASSES = (5, 50, 150, 500)
CASES = {
    "default": sorb.LLTBoostClassifier,
    "axis": lambda **options: sorb.LLTBoostClassifier(search="axis", **options),
    "paper": sorb.LLTBoostClassifier.paper,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--columns", type=int, default=5)
    parser.add_argument("--rules", type=int, default=2)
    options = parser.parse_args()
    seconds = {
        (case, k): _seconds(CASES[case], options, k)
        for case in track(CASES, description="Fitting", transient=True)
        for k in CLASSES
    }
    rows = [
        {
            "classes": k,
            **{f"{case}, s": f"{seconds[case, k]:.2f}" for case in CASES},
            **{
                f"{case}, µs per class and row": (
                    f"{1e6 * seconds[case, k] / (k * options.rows):.2f}"
                )
                for case in CASES
            },
        }
        for k in CLASSES
    ]
    path = tables.RESULTS / "classes.md"
    notes = [
        f"{options.rows} rows, {options.columns} columns, {options.rules} rules; the time of the "
        "processor, on one thread.",
        "",
        f"Machine: {tables.machine()}.",
    ]
    tables.write_markdown(path, "Time of a fit by the number of classes", rows, notes)
    print(path.read_text())


def _seconds(make, options, n_classes):
    """The least time of three fits."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(options.rows, options.columns))
    score = X @ rng.normal(size=options.columns)
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    found = []
    for _ in range(3):
        start = time.process_time()
        make(max_rules=options.rules, random_state=0, n_jobs=1).fit(X, y)
        found.append(time.process_time() - start)
    return min(found)


if __name__ == "__main__":
    main()
