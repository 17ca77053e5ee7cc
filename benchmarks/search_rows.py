"""What a search in samples costs: the change of the test risk against a search in all rows.

For tables of at least 10⁵ rows and several seeds, models are grown with samples and without, and
once more without, with another seed. Samples are drawn as they are by default, and in other ways:
other sizes of the samples that are searched and of the rows that they are drawn from, and chances
in proportion to weights alone (uniform) or to gradients alone. Compared are the test risks, as
shares of the risk without rules, on average over models of a complexity of 8 to 50. Each finished
fit is kept: an interrupted run goes on where it was.
"""

import argparse
import time
from dataclasses import dataclass
from unittest.mock import patch

import large_tables
import numpy as np
import pandas as pd
import tables
from scipy import stats

import sorb
from sorb.estimators import base
from sorb.learning import proposals

BUDGETS = (8, 12, 16, 20, 25, 30, 35, 40, 45, 50)


@dataclass(frozen=True)
class Method:
    """How the rows for a search are drawn.

    Attributes
    ----------
    rows : how many of them; None for all.
    rounds : how many times as many rows they are drawn from.
    by_gradient : the share of the chance that is in proportion to the gradient.
    added_to_seed : what is added to the seed.
    """

    rows: int | None
    rounds: int = base._ROWS_PER_SEARCH
    by_gradient: float = 0.5
    added_to_seed: int = 0


METHODS = {
    "samples": Method(20_000),
    "all rows": Method(None),
    "all rows, other seed": Method(None, added_to_seed=1000),
    "10,000 of 50,000": Method(10_000),
    "20,000 of 200,000": Method(20_000, rounds=10),
    "40,000 of 200,000": Method(40_000),
    "uniform": Method(20_000, by_gradient=0.0),
    "by gradient": Method(20_000, by_gradient=1.0),
}
MAIN, OTHERS = tuple(METHODS)[:3], tuple(METHODS)[3:]
RESULT = tables.RESULTS / "search_rows.csv"


def main():
    options = _parser().parse_args()
    known = pd.read_csv(RESULT).to_dict("records") if RESULT.exists() else []
    for seed in range(options.seeds):
        for name in options.tables:
            done = {row["method"] for row in known if (row["table"], row["seed"]) == (name, seed)}
            wanted = METHODS if seed < options.seeds_of_others else MAIN
            missing = [method for method in wanted if method not in done]
            table = large_tables.load(name, options.rows) if missing else None
            for method in missing:
                known.append(_measure(table, seed, method))
                tables.write_csv(RESULT, list(known[0]), known)
    _report(pd.DataFrame(known))


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    every = [*large_tables.GENERATED, *large_tables.REAL]
    parser.add_argument("--tables", nargs="+", default=every, choices=every)
    parser.add_argument("--seeds", type=int, default=10, help="of samples and of all rows")
    parser.add_argument("--seeds-of-others", type=int, default=5, help="of other samples")
    parser.add_argument("--rows", type=int, default=300_000, help="of generated tables")
    return parser


def _measure(table, seed, name):
    kind = sorb.LLTBoostClassifier if table.has_classes else sorb.LLTBoostRegressor
    method = METHODS[name]
    model = kind(
        max_complexity=max(BUDGETS),
        selection=None,
        random_state=seed + method.added_to_seed,
        search_rows=method.rows,
    )
    start = time.process_time()
    with (
        patch.object(base, "_ROWS_PER_SEARCH", method.rounds),
        patch.object(proposals, "BY_GRADIENT", method.by_gradient),
    ):
        model.fit(table.X, table.y)
    seconds = time.process_time() - start
    print(f"{table.name}, seed {seed}, {name}: {seconds:.1f} s", flush=True)
    return {
        "table": table.name,
        "rows": len(table.X),
        "seed": seed,
        "method": name,
        "risk": _mean_risk(model, table),
        "seconds": round(seconds, 2),
    }


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
    lines = tables.markdown_lines([_other(name, wide, seconds) for name in OTHERS])
    by_table = wide.groupby("table").mean()
    mean_loss = by_table["samples"] - by_table["all rows"]
    notes = [
        "The difference of the normalised test risk to a search in all rows, with its standard",
        "error: over the seeds of a table and, in the last line, over the tables. The control is a",
        "search in all rows with another seed. Times are CPU time on one thread.",
        "",
        f"The mean over the tables is below {_upper_limit(mean_loss):.4f} with 95 % confidence",
        "(Student's t, one-sided). The root mean square of a single difference is",
        f"{_root_mean_square(wide, 'samples'):.4f} for samples and",
        f"{_root_mean_square(wide, 'all rows, other seed'):.4f} for the control.",
        "",
        "## Other samples",
        "",
        *lines,
        "",
        "By default, 20,000 rows are drawn from 100,000 for each search, with chances that are",
        "half in proportion to their weights and half to their gradients; `uniform` and",
        "`by gradient` have only one half. Differences are means over the tables.",
        "",
        f"`python benchmarks/search_rows.py`, sorb {sorb.__version__}, {tables.machine()}",
    ]
    path = RESULT.with_suffix(".md")
    tables.write_markdown(path, "Searching in samples", rows, notes)
    print(path.read_text())


def _other(name, wide, seconds):
    both = wide[wide[name].notna()]  # the seeds that there are of it
    risk, seconds = both.groupby("table").mean(), seconds.loc[both.index]
    return {
        "samples": name,
        "against all rows": _difference(risk[name] - risk["all rows"]),
        "against the default": _difference(risk[name] - risk["samples"]),
        "time against the default": f"{seconds[name].mean() / seconds['samples'].mean():.2f}",
    }


def _upper_limit(values):
    error = values.std() / np.sqrt(len(values))
    return values.mean() + stats.t.ppf(0.95, len(values) - 1) * error


def _root_mean_square(wide, name):
    return np.sqrt(((wide[name] - wide["all rows"]) ** 2).mean())


def _difference(values):
    return f"{values.mean():+.4f} ± {values.std() / np.sqrt(len(values)):.4f}"


def _row(name, risk, seconds):
    return {
        "table": name,
        "n": len(risk),
        "risk, all rows": f"{risk['all rows'].mean():.4f}",
        "samples": _difference(risk["samples"] - risk["all rows"]),
        "control": _difference(risk["all rows, other seed"] - risk["all rows"]),
        "times as fast": f"{seconds['all rows'].mean() / seconds['samples'].mean():.1f}",
    }


if __name__ == "__main__":
    main()
