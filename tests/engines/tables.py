"""Tables with all kinds of columns, and outcomes of all kinds."""

import numpy as np
import pandas as pd


def features(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    a, weight, height = rng.normal(size=n), rng.normal(75, 12, n), rng.normal(1.7, 0.1, n)
    count = pd.array(rng.integers(0, 6, n), dtype="Int64")
    count[rng.random(n) < 0.1] = pd.NA
    group = rng.choice(["A", "B", "AB", "0"], n, p=[0.4, 0.3, 0.2, 0.1]).astype(object)
    group[rng.random(n) < 0.05] = None
    c = np.where(rng.random(n) < 0.1, np.nan, rng.random(n))
    return pd.DataFrame(
        {
            "a": a,
            "weight": weight,
            "height": height,
            "count": count,
            "group": pd.array(group, dtype="str"),
            "c": c,
            "flag": rng.random(n) < 0.3,
            "same": 7,
        }
    )


def signal(table):
    count = table["count"].fillna(2).to_numpy(dtype=float)
    group = (table["group"] == "A").to_numpy(dtype=float)
    return (
        1.5 * (table["a"] + 0.5 * count > 1.2)
        + 1.0 * group
        - 1.2 * (table["weight"] / table["height"] ** 2 > 27)
        + 0.8 * table["flag"]
    ).to_numpy()


def outcomes(kind, table, seed=1):
    rng = np.random.default_rng(seed)
    f = signal(table)
    match kind:
        case "two classes":
            return np.where(rng.random(len(f)) < 1 / (1 + np.exp(-2 * f + 1)), "ill", "well")
        case "a rare class":
            return (rng.random(len(f)) < 0.02 / (1 + np.exp(-2 * f + 3))).astype(int)
        case "three classes":
            return np.digitize(f + rng.normal(size=len(f)), [0.0, 1.5])
        case "numbers":
            return 1e4 + f + 0.5 * rng.normal(size=len(f))
        case "counts":
            return rng.poisson(np.exp(0.5 * f - 1))
        case "amounts":
            return np.exp(0.5 * f) * rng.gamma(2, 0.5, len(f))
        case "amounts, many zero":
            return np.exp(0.5 * f) * rng.gamma(2, 0.5, len(f)) * (rng.random(len(f)) < 0.5)
