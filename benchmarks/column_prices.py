"""How often a column with a price is used, and what doing without it costs.

    python benchmarks/column_prices.py --seeds 20

The outcome depends on the age and on a laboratory value. The price is that of the laboratory value,
and a column without a price, pain, is correlated with it. The models are grown and chosen by the
defaults, and measured on rows that they have not seen.
"""

import argparse
import math

import numpy as np
import pandas as pd
import tables
from rich.progress import track

import sorb

PRICES = [0, 2, 5, 10, 20, 50, math.inf]
CORRELATIONS = [0.5, 0.9, 0.98]  # of the laboratory value and its substitute
ROWS, TEST_ROWS = 400, 20_000


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20, help="tables for each correlation")
    options = parser.parse_args()
    cases = [(correlation, seed) for correlation in CORRELATIONS for seed in range(options.seeds)]
    found = {case: _fit_all(*case) for case in track(cases, description="Fitting", transient=True)}
    rows = [
        _summary(correlation, price, [found[correlation, s] for s in range(options.seeds)])
        for correlation in CORRELATIONS
        for price in PRICES
    ]
    notes = [
        f"Means over {options.seeds} tables of {ROWS} rows ± their standard errors. *Used* is the "
        "share of the tables whose model uses the column with the price. The log loss and the "
        f"error are those of {TEST_ROWS:,} other rows. *Against no price* is the difference in log "
        "loss from the model without a price for the same table. The complexity leaves out the "
        "price. "
        f"Written by `python benchmarks/column_prices.py --seeds {options.seeds}`.",
        "",
        f"Machine: {tables.machine()}.",
    ]
    path = tables.RESULTS / "column_prices.md"
    tables.write_markdown(path, "What prices of columns do", rows, notes)
    print(path.read_text("utf-8"))


def _fit_all(correlation, seed):
    """The measures of the model for each price, learned from the same rows."""
    rng = np.random.default_rng([seed, round(100 * correlation)])
    learned, test = _table(ROWS, correlation, rng), _table(TEST_ROWS, correlation, rng)
    return {price: _measure(price, learned, test, seed) for price in PRICES}


def _table(n, correlation, rng):
    """Two columns of signal, a substitute for the second one, and three of noise."""
    age, lab, other = rng.normal(size=(3, n))
    pain = correlation * lab + math.sqrt(1 - correlation**2) * other
    noise = rng.normal(size=(3, n))
    log_odds = 2 * (age > 0) + 2 * (lab > 0) - 2
    columns = {"age": age, "pain": pain, "lab": lab} | {f"noise{k}": noise[k] for k in range(3)}
    return pd.DataFrame(columns), rng.random(n) < 1 / (1 + np.exp(-log_odds))


def _measure(price, learned, test, seed):
    model = sorb.LLTBoostClassifier(column_prices={"lab": price}, random_state=seed, n_jobs=1)
    ensemble = model.fit(*learned).ensemble_
    found = sorb.performance(model, *test).measures["sorb"]
    used = any("lab" in rule.condition.columns for rule in ensemble)
    return float(used), found.risk, found.error, float(ensemble.complexity)


def _summary(correlation, price, found):
    used, loss, error, complexity = np.array([of_table[price] for of_table in found]).T
    free = np.array([of_table[0][1] for of_table in found])
    return {
        "correlation": correlation,
        "price": "infinite" if price == math.inf else price,
        "used": _with_error(100 * used, "{:.0f}") + " %",
        "log loss": _with_error(loss, "{:.4f}"),
        "against no price": _with_error(loss - free, "{:+.4f}") if price else "",
        "error": _with_error(100 * error, "{:.1f}") + " %",
        "complexity": _with_error(complexity, "{:.1f}"),
    }


def _with_error(values, form):
    error = values.std(ddof=1) / math.sqrt(len(values))
    return f"{form.format(values.mean())} ± {form.format(error).lstrip('+')}".replace("-", "−")


if __name__ == "__main__":
    main()
