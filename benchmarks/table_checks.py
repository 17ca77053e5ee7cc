"""How often the checks of tables find something in tables in which there is nothing.

    python benchmarks/table_checks.py --tables 200

Draws tables whose columns know nothing of the outcome nor of the order of the rows, of several
sizes and kinds, and counts those in which each kind of finding is reported. What a small table is,
or a rare class, is no matter of chance, and is left out. Then it draws tables of measurements with
ties, on which the outcome and each other depend, and counts those taken for numbers of patients.
At last the checks are timed beside a fit.
"""

import argparse
import time
from collections import Counter

import numpy as np
import pandas as pd
import tables

import sorb
from sorb.checks import warn

RESULT = tables.RESULTS / "table_checks.md"
SIZES = [(12, 5), (12, 200), (30, 5), (30, 200), (100, 10), (100, 200), (1000, 10), (5000, 20)]
OUTCOMES = ["two classes", "a rare class", "five classes", "numbers"]
# What the size of the table alone decides.
NO_MATTER_OF_CHANCE = {"few-rows", "rare-class"}
TIMED = [(300, 10), (3000, 10), (3000, 100), (30_000, 10)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=200, help="of each size and outcome")
    options = parser.parse_args()
    lines = [*_false_alarms(options.tables), "", *_taken_for_patients(options.tables), ""]
    lines += [*_times(), "", f"{tables.machine()}", ""]
    text = "\n".join(lines)
    RESULT.write_text(text, "utf-8")
    print(text)


def _false_alarms(n_tables):
    lines = [
        "# Checks of tables",
        "",
        f"Of {n_tables} tables of noise for each size and outcome, those in which something was "
        "found. With 12 rows, some columns of two values are constant by chance. Written by "
        f"`python benchmarks/table_checks.py --tables {n_tables}`.",
        "",
        "| rows | columns | " + " | ".join(OUTCOMES) + " | found |",
        "| ---: " * (len(OUTCOMES) + 2) + "| --- |",
    ]
    for n_rows, n_columns in SIZES:
        shown, kinds = [], Counter()
        for outcome in OUTCOMES:
            random = np.random.default_rng([n_rows, n_columns, OUTCOMES.index(outcome)])
            count = 0
            for _ in range(n_tables):
                found = _found(random, n_rows, n_columns, outcome)
                kinds.update(found)
                count += bool(found)
            shown.append(f"{count}")
        which = ", ".join(f"{kind} {number}" for kind, number in kinds.most_common()) or "nothing"
        lines.append(f"| {n_rows} | {n_columns} | {' | '.join(shown)} | {which} |")
        print(lines[-1], flush=True)
    return lines


def _found(random, n_rows, n_columns, outcome):
    report = sorb.check(_columns(random, n_rows, n_columns), _outcome(random, n_rows, outcome))
    return {finding.kind for finding in report} - NO_MATTER_OF_CHANCE


def _columns(random, n_rows, n_columns):
    """Measurements, counts, codes, categories and missing values, in turns."""
    drawn = {}
    for j in range(n_columns):
        column = [
            lambda: random.normal(size=n_rows),
            lambda: random.lognormal(3, 1, n_rows).round(1),
            lambda: random.poisson(20, n_rows).astype(float),
            lambda: random.choice(["A", "B", "AB", "0"], n_rows),
            lambda: random.integers(0, 2, n_rows).astype(float),
            lambda: random.integers(18, 95, n_rows).astype(float),
            lambda: np.where(random.random(n_rows) < 0.3, np.nan, random.exponential(5, n_rows)),
        ][j % 7]
        drawn[f"column {j}"] = column()
    return pd.DataFrame(drawn)


def _outcome(random, n_rows, kind):
    if kind == "numbers":
        return random.lognormal(0, 1, n_rows)
    shares = {"two classes": [0.6, 0.4], "a rare class": [0.9, 0.1], "five classes": [0.2] * 5}
    labels = [f"class {k}" for k in range(len(shares[kind]))]
    return random.choice(labels, n_rows, p=shares[kind])


def _taken_for_patients(n_tables):
    lines = [
        f"Of {n_tables} tables of ages, counts and codes with ties for each size, on which classes "
        "and numbers depend, some sorted by one of them: columns said to repeat.",
        "",
        "| rows | classes | numbers |",
        "| ---: | ---: | ---: |",
    ]
    for n_rows in (100, 300, 1000, 5000):
        counts = [Counter(), Counter()]
        for seed in range(n_tables):
            X, *outcomes = _with_ties(np.random.default_rng([seed, n_rows]), n_rows, seed)
            for y, count in zip(outcomes, counts, strict=True):
                count.update(f.columns[0] for f in sorb.check(X, y) if f.kind == "repeats")
        shown = [", ".join(f"{name} {k}" for name, k in each.items()) or "none" for each in counts]
        lines.append(f"| {n_rows} | {' | '.join(shown)} |")
        print(lines[-1], flush=True)
    return lines


def _with_ties(random, n_rows, seed):
    """Measurements that depend on the age, codes that do not, two classes and an amount."""
    age = random.integers(18, 95, n_rows)
    word = random.integers(0, n_rows // 5, n_rows)
    X = pd.DataFrame(
        {
            "age": age,
            "born": 2024 - age,
            "pulse": (70 + 0.2 * age + random.normal(0, 10, n_rows)).round(),
            "visits": random.poisson(0.8 * age),
            "income": (random.lognormal(10, 0.7, n_rows) * age / 50).round(-3),
            "decade": age // 10,
            "year": random.integers(1990, 2020, n_rows),
            "postcode": random.integers(10_000, 10_000 + n_rows // 4, n_rows),
            "town": [f"{'abcdefghij'[k % 10]}{'x' * (k // 10)}" for k in word],
        }
    )
    y = random.random(n_rows) < 1 / (1 + np.exp((50 - age) / 5))
    amount = np.exp(age / 10 + random.normal(size=n_rows))
    if seed % 2:
        order = X.iloc[:, seed // 2 % X.shape[1]].argsort(kind="stable")
        return X.iloc[order], y[order], amount[order]
    return X, y, amount


def _times():
    lines = [
        "The time of `sorb.check`, and that of the warnings within a fit, beside the fit.",
        "",
        "| rows | columns | check (ms) | warnings (ms) | fit (ms) | share of the fit |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for n_rows, n_columns in TIMED:
        random = np.random.default_rng(0)
        X = random.normal(size=(n_rows, n_columns))
        y = X[:, 0] + X[:, 1] + random.normal(size=n_rows) > 0
        data = sorb.LLTBoostClassifier()._training_data(X, y, None)
        check = _best(sorb.check, X, y)
        warnings = _best(warn.warn_of_serious_findings, data, 1)
        fit = _best(sorb.LLTBoostClassifier().fit, X, y)
        lines.append(
            f"| {n_rows} | {n_columns} | {1e3 * check:.1f} | {1e3 * warnings:.1f} | "
            f"{1e3 * fit:.0f} | {100 * warnings / fit:.1f} % |"
        )
    return lines


def _best(function, *arguments):
    """The least CPU time of several runs."""
    times = []
    for _ in range(3):
        start = time.process_time()
        function(*arguments)
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
