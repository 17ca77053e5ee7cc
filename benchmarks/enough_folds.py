"""What it costs to divide a large table into few folds, when the size and the penalty are chosen.

    python benchmarks/enough_folds.py --seeds 3

Plain estimators divide the rows twice into three folds. On generated tables of 150,000 rows, of
which 100,000 are sampled, this compares fewer folds with all six: the test risk of the model that
is chosen, as a share of the risk without rules, its complexity, and the CPU time of a fit. Each fit
is kept in results/enough_folds.csv, so that an interrupted run goes on where it was.
"""

import argparse
import time
from unittest.mock import patch

import large_tables
import numpy as np
import pandas as pd
import tables

import sorb
from sorb.estimators import single_fit

RESULT = tables.RESULTS / "enough_folds.csv"
FOLDS = (1, 2, 3, 6)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=150_000)
    options = parser.parse_args()
    known = pd.read_csv(RESULT).to_dict("records") if RESULT.exists() else []
    done = {(row["table"], row["seed"], row["folds"]) for row in known}
    for seed in range(options.seeds):
        for name in large_tables.GENERATED:
            table = large_tables.load(name, options.rows)
            for folds in FOLDS:
                if (name, seed, folds) not in done:
                    known.append(_measure(table, seed, folds))
                    tables.write_csv(RESULT, list(known[0]), known)
    _report(pd.DataFrame(known), options)


def _measure(table, seed, folds):
    kind = sorb.LLTBoostClassifier if table.has_classes else sorb.LLTBoostRegressor
    start = time.process_time()
    with patch.object(single_fit, "_enough_folds", lambda n_rows: folds):
        model = kind(random_state=seed, max_complexity=80).fit(table.X, table.y)
    seconds = time.process_time() - start
    loss = model.ensemble_.loss
    risks = [
        loss.value(table.y_test, ensemble(table.X_test)).mean()
        for ensemble in (model.ensemble_, model.stages_[0].ensemble)
    ]
    print(f"{table.name}, seed {seed}, {folds} folds: {seconds:.1f} s", flush=True)
    return {
        "table": table.name,
        "seed": seed,
        "folds": folds,
        "risk": risks[0] / risks[1],
        "complexity": model.ensemble_.complexity,
        "seconds": round(seconds, 2),
    }


def _report(known, options):
    wide = known.pivot(index=["table", "seed"], columns="folds", values="risk")
    means = wide.groupby("table").mean()
    by_folds = known.groupby("folds")
    seconds = by_folds.seconds.mean()
    rows = []
    for folds in FOLDS:
        difference = means[folds] - means[max(FOLDS)]
        rows.append(
            {
                "folds": folds,
                "risk": f"{means[folds].mean():.4f}",
                "against six": f"{difference.mean():+.4f} ± {_error(difference):.4f}",
                **{name: f"{difference[name]:+.4f}" for name in means.index},
                "complexity": f"{by_folds.complexity.mean()[folds]:.0f}",
                "time against six": f"{seconds[folds] / seconds[max(FOLDS)]:.2f}",
            }
        )
    notes = [
        f"Generated tables of {options.rows:,} rows, {known.seed.nunique()} seeds each, models of",
        "a complexity of 80 at most. The risk on test rows is a share of the risk without rules;",
        "differences to six folds are means over the seeds, with the standard error over tables.",
        "",
        f"`python benchmarks/enough_folds.py --seeds {options.seeds} --rows {options.rows}`, "
        f"{tables.machine()}",
    ]
    path = RESULT.with_suffix(".md")
    tables.write_markdown(path, "How many folds are enough", rows, notes)
    print(path.read_text())


def _error(values):
    return values.std() / np.sqrt(len(values))


if __name__ == "__main__":
    main()
