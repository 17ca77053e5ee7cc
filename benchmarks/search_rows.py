"""What a search in samples costs: the change of the test risk against a search in all rows.

For tables of at least 10⁵ rows and several seeds, models are grown with samples (`search_rows` as
it is by default) and without, and once more without, with another seed. Compared are the test
risks, as shares of the risk without rules, on average over models of a complexity of 8 to 50. Each
finished fit is kept: an interrupted run goes on where it was.
"""

import argparse
import time

import large_tables
import numpy as np
import pandas as pd
import tables

import sorb

BUDGETS = (8, 12, 16, 20, 25, 30, 35, 40, 45, 50)
# Each has a number of rows for a search, and what is added to the seed.
METHODS = {"samples": (20_000, 0), "all rows": (None, 0), "all rows, other seed": (None, 1000)}
RESULT = tables.RESULTS / "search_rows.csv"


def main():
    options = _parser().parse_args()
    known = pd.read_csv(RESULT) if RESULT.exists() else pd.DataFrame(columns=["table", "seed"])
    for seed in range(options.seeds):
        for name in options.tables:
            if ((known["table"] == name) & (known["seed"] == seed)).any():
                continue
            found = list(_compare(large_tables.load(name, options.rows), seed))
            known = pd.concat([known, pd.DataFrame(found)], ignore_index=True)
            known.to_csv(RESULT, index=False)
    _report(known)


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    every = [*large_tables.GENERATED, *large_tables.REAL]
    parser.add_argument("--tables", nargs="+", default=every, choices=every)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=300_000, help="of generated tables")
    return parser


def _compare(table, seed):
    kind = sorb.LLTBoostClassifier if table.has_classes else sorb.LLTBoostRegressor
    for method, (search_rows, other) in METHODS.items():
        model = kind(
            max_complexity=max(BUDGETS),
            selection=None,
            random_state=seed + other,
            search_rows=search_rows,
        )
        start = time.process_time()
        model.fit(table.X, table.y)
        seconds = time.process_time() - start
        yield {
            "table": table.name,
            "rows": len(table.X),
            "seed": seed,
            "method": method,
            "risk": _mean_risk(model, table),
            "seconds": round(seconds, 2),
        }
        print(f"{table.name}, seed {seed}, {method}: {seconds:.1f} s", flush=True)


def _mean_risk(model, table):
    loss = model.ensemble_.loss
    scores = model._staged_scores(table.X_test)
    risks = np.array([loss.value(table.y_test, found).mean() for found in scores])
    sizes = [stage.complexity for stage in model.stages_]
    places = np.searchsorted(sizes, BUDGETS, side="right") - 1
    return risks[places].mean() / risks[0]


def _report(known):
    wide = known.pivot(index=["table", "seed"], columns="method", values="risk")
    seconds = known.pivot(index=["table", "seed"], columns="method", values="seconds")
    rows = []
    for name, risk in wide.groupby("table", sort=False):
        rows.append(_row(name, risk, seconds.loc[[name]]))
    rows.append(_row("mean over the tables", wide.groupby("table").mean(), seconds))
    notes = [
        "The difference of the normalised test risk to a search in all rows, with its standard",
        "error: over the seeds of a table and, in the last line, over the tables. The control is a",
        "search in all rows with another seed. Times are CPU time on one thread.",
        "",
        f"`python benchmarks/search_rows.py`, sorb {sorb.__version__}, {tables.machine()}",
    ]
    path = RESULT.with_suffix(".md")
    tables.write_markdown(path, "Searching in samples", rows, notes)
    print(path.read_text())


def _row(name, risk, seconds):
    def difference(method):
        values = risk[method] - risk["all rows"]
        return f"{values.mean():+.4f} ± {values.std() / np.sqrt(len(values)):.4f}"

    return {
        "table": name,
        "n": len(risk),
        "risk, all rows": f"{risk['all rows'].mean():.4f}",
        "samples": difference("samples"),
        "control": difference("all rows, other seed"),
        "times as fast": f"{seconds['all rows'].mean() / seconds['samples'].mean():.1f}",
    }


if __name__ == "__main__":
    main()
