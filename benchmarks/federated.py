"""What a model loses if sites merge small groups, and if fewer of them share rows.

Three sites hold 60, 30 and 10 % of the training rows. Rules are searched in a sample of about a
fifth of the rows of those sites that share any; all votes are fitted to the sums of the three.
"""

import argparse

import numpy as np
import pandas as pd
import polars as pl
import tables
from sklearn.metrics import log_loss

from sorb import LLTBoostClassifier
from sorb.federated import Site, fit
from sorb.lab.datasets import load

SHARES = (0.6, 0.3, 0.1)
MIN_ROWS = (1, 5, 10, 20, 50)
SIZES = (1500, 12_000)
N_TEST = 5000
PUBLIC = 500


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="splits of each table")
    options = parser.parse_args()
    rows = []
    for name in TABLES:
        for n in SIZES:
            cells = [_measure(name, n, seed) for seed in range(options.repeats)]
            rows += [_row(name, n, case, [cell[case] for cell in cells]) for case in cells[0]]
    notes = [
        "Rows: the sites whose rows are searched. With none, 500 others are: those of the same "
        "source, as if they were public, or rows simulated from the means and covariances of the "
        "columns in each class. Scores: the mean absolute difference of the log-odds of test rows "
        "from those with three sites and min_rows 1, whose model is that of the pooled rows. "
        "Votes: the largest change of a vote or offset, relative to the largest vote, where the "
        f"rules are the same; in brackets, in how many of the {options.repeats} models they are. "
        "Risk: test log loss relative to that of a constant, and its difference, with its standard "
        f"error. Test rows: {N_TEST}.",
        "",
        f"Made by `python benchmarks/federated.py --repeats {options.repeats}`.",
        "",
        tables.machine(),
    ]
    path = tables.RESULTS / "federated.md"
    tables.write_markdown(path, "What small groups and few shared rows cost", rows, notes)
    print(path.read_text())


def _generated(rng, n):
    """Draw rows of which two oblique rules, a ratio and a category tell the class."""
    table = pd.DataFrame(rng.normal(size=(n, 8)), columns=list("abcdefgh"))
    table["weight"], table["height"] = rng.normal(75, 12, n), rng.normal(1.7, 0.1, n)
    table["smoker"] = rng.random(n) < 0.3
    score = (
        1.5 * (table["a"] + table["b"] > 0.5)
        - 1.2 * (table["c"] > table["d"])
        + 1.0 * (table["weight"] / table["height"] ** 2 > 28)
        + 0.8 * table["smoker"]
        - 0.8
    )
    table["outcome"] = (rng.random(n) < 1 / (1 + np.exp(-1.5 * score))).astype(int)
    return table


def _real(name):
    def draw(rng, n):
        dataset = load(name)
        table = pd.DataFrame(dataset.X, columns=list(dataset.columns))
        table["outcome"] = dataset.y.astype(int)
        return table.iloc[rng.permutation(len(table))[:n]].reset_index(drop=True)

    return draw


TABLES = {"generated": _generated, "magic": _real("magic")}


def _measure(name, n, seed):
    """The model of each case: its votes, scores and risk."""
    rng = np.random.default_rng(seed)
    table = TABLES[name](rng, n + N_TEST + PUBLIC)
    train, test, public = _split(table, [n, n + N_TEST])
    parts = _split(train, (np.cumsum(SHARES[:-1]) * n).astype(int))
    cases = {("3", k): _fit(parts, n, seed, k, 3) for k in MIN_ROWS}
    cases |= {(f"{m}", 1): _fit(parts, n, seed, 1, m) for m in (2, 1)}
    cases["0, public", 1] = _fit(parts, n, seed, 1, 0, public)
    simulated = _simulate(train, PUBLIC, rng)
    cases["0, simulated", 1] = _fit(parts, n, seed, 1, 0, simulated)
    X, y = test.drop(columns="outcome"), test["outcome"]
    constant = log_loss(y, np.full(len(y), train["outcome"].mean()))
    reference = cases["3", 1]
    expected = reference.decision_function(X)
    risk = log_loss(y, reference.predict_proba(X)) / constant
    found = {}
    for case, model in cases.items():
        scores = float(np.abs(model.decision_function(X) - expected).mean())
        own = log_loss(y, model.predict_proba(X)) / constant
        found[case] = (scores, _vote_change(reference.ensemble_, model.ensemble_), own, own - risk)
    return found


def _split(table, ends):
    """Divide a table after these numbers of rows."""
    return [table[start:end] for start, end in zip([0, *ends], [*ends, None], strict=True)]


def _fit(parts, n, seed, min_rows, n_sharing, search_table=None):
    sites = [
        Site(pl.from_pandas(part), "outcome", name=f"{k}", rows=k < n_sharing, min_rows=min_rows)
        for k, part in enumerate(parts)
    ]
    estimator = LLTBoostClassifier(
        max_rules=10, selection=None, search_rows=n // 25, random_state=seed
    )
    return fit(estimator, sites, search_table=search_table)


def _simulate(table, n, rng):
    """Draw rows from normal distributions, one for each class."""
    found = []
    for _, rows in table.groupby("outcome"):
        X = rows.drop(columns="outcome").to_numpy(dtype=float)
        size = round(n * len(rows) / len(table))
        drawn = rng.multivariate_normal(X.mean(axis=0), np.cov(X.T), size)
        found.append(pd.DataFrame(drawn, columns=rows.columns.drop("outcome")))
        found[-1]["outcome"] = rows["outcome"].iloc[0]
    return pd.concat(found).reset_index(drop=True)


def _vote_change(expected, found):
    """The largest change, relative to the largest vote; NaN if the rules differ."""
    if [rule.condition for rule in expected] != [rule.condition for rule in found]:
        return np.nan
    votes = [
        np.array([model.offset, *(rule.vote for rule in model)]) for model in (expected, found)
    ]
    return float(np.abs(votes[1] - votes[0]).max() / np.abs(votes[0]).max())


def _row(name, n, case, measured):
    scores, votes, risk, change = np.transpose(measured)
    same = ~np.isnan(votes)
    error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else 0.0
    largest = f"{100 * votes[same].max():.1f} %" if same.any() else "–"
    return {
        "table": name,
        "n": n,
        "rows": case[0],
        "min_rows": case[1],
        "scores": f"{scores.mean():.3f}",
        "votes": f"{largest} ({same.sum()})",
        "risk": f"{risk.mean():.3f}",
        "difference": f"{change.mean():+.3f} ± {error:.3f}",
    }


if __name__ == "__main__":
    main()
