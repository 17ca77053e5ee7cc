"""What missing values and categories cost: the time of a fit, against the same table of numbers."""

import argparse
import time

import numpy as np
import pandas as pd
import tables
from rich.progress import track

import sorb

RULES = 10
FITS = 3
CASES = {
    "paper": lambda: sorb.LLTBoostClassifier.paper(max_rules=RULES, max_complexity=None, n_jobs=1),
    "growth": lambda: sorb.LLTBoostClassifier(max_rules=RULES, selection=None, n_jobs=1),
}
LABELS = {0: 5, 1: 10, 5: 20, 10: 35, 15: 50}  # how many categories some columns are cut into


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    options = parser.parse_args()
    numbers, y = _numbers(options.rows)
    kinds = {
        "numbers": numbers,
        "a tenth missing in half the columns": _with_missing(numbers),
        "five columns of 5 to 50 categories": _with_categories(numbers),
    }
    seconds = {
        (case, kind): _seconds_per_rule(CASES[case], kinds[kind], y)
        for case in track(CASES, description="Fitting", transient=True)
        for kind in kinds
    }
    rows = [
        {
            "table": kind,
            **{f"{case}, ms per rule": f"{1e3 * seconds[case, kind]:.1f}" for case in CASES},
            **{
                f"{case} / numbers": f"{seconds[case, kind] / seconds[case, 'numbers']:.2f}"
                for case in CASES
            },
        }
        for kind in kinds
    ]
    path = tables.RESULTS / "mixed_columns.md"
    notes = [
        f"{options.rows} rows, {numbers.shape[1]} columns, {RULES} rules; the time of the "
        f"processor, on one thread, the least of {FITS} fits. *Growth* is that of the defaults "
        "with `selection=None`.",
        "",
        f"Machine: {tables.machine()}.",
    ]
    tables.write_markdown(path, "Time of a fit by what the columns hold", rows, notes)
    print(path.read_text())


def _numbers(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    score = X[:, 0] + 1.5 * (X[:, 1] + X[:, 2] > 0.5) + (X[:, 10] > 0.3) * (X[:, 11] - X[:, 12])
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(20)])
    return table, (score + rng.logistic(size=n) > 1).astype(int)


def _with_missing(table):
    missing = np.random.default_rng(1).random(table.shape) < 0.1
    missing[:, table.shape[1] // 2 :] = False
    return table.mask(missing)


def _with_categories(table):
    cut = {f"x{j}": pd.qcut(table[f"x{j}"], k, labels=False) for j, k in LABELS.items()}
    return table.assign(
        **{name: codes.astype(str).astype("category") for name, codes in cut.items()}
    )


def _seconds_per_rule(make, X, y):
    found = []
    for _ in range(FITS):
        start = time.process_time()
        model = make().fit(X, y)
        found.append((time.process_time() - start) / max(1, len(model.ensemble_)))
    return min(found)


if __name__ == "__main__":
    main()
