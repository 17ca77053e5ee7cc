"""Tables in which nothing is odd, and what is found when something is planted."""

import numpy as np
import pandas as pd

import sorb

ROWS = 300


def plain(seed=0, n_rows=ROWS):
    """Columns that know nothing of each other, nor of an outcome."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": random.integers(18, 95, n_rows).astype(float),
            "bmi": random.normal(26, 4, n_rows).round(1),
            "group": random.choice(["A", "B", "AB"], n_rows),
        }
    )


def classes(seed=1, n_rows=ROWS):
    """An outcome of two classes, unlike any column."""
    return np.random.default_rng(seed).choice(["ill", "well"], n_rows)


def found(X, y=None, **options):
    """The kinds of what is found, with the columns and how serious it is."""
    return [(f.kind, f.columns, f.severity.name) for f in sorb.check(X, y, **options)]
