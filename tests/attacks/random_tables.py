"""Random tables with everything in them that real ones have, and some that none should have."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

TEXTS = [
    "A",
    "a",
    "B",
    "AB",
    "",
    " ",
    "it's",
    'say "no"',
    "größe",
    "身高",
    "nan",
    "1",
    "line\nbreak",
]
MAX_FLOAT = np.finfo(np.float64).max


def normal(random, n):
    return random.normal(size=n)


def shifted(random, n):
    return random.normal(size=n) + 10.0 ** random.integers(3, 17)


def any_scale(random, n):
    return random.normal(size=n) * 10.0 ** random.integers(-300, 300)


def many_scales(random, n):
    return random.normal(size=n) * 10.0 ** random.integers(-300, 300, n)


def subnormal(random, n):
    return random.integers(-3, 4, n) * 5e-324


def huge(random, n):
    return random.uniform(-1, 1, n) * MAX_FLOAT


def constant(random, n):
    return np.full(n, random.choice([0.0, -0.0, 1.0, 0.1, 1e300, 5e-324]))


def neighbours(random, n):
    """Values that are one unit in the last place apart."""
    start = float(random.normal())
    return start + random.integers(0, 3, n) * math.ulp(start)


def whole(random, n):
    return random.integers(-2, 5, n)


def large_whole(random, n):
    return 2**60 + random.integers(0, 5, n)


def flags(random, n):
    return random.random(n) < random.random()


def positive(random, n):
    return random.lognormal(sigma=random.choice([0.3, 3.0, 40.0]), size=n)


def infinite(random, n):
    values = random.normal(size=n)
    values[random.integers(n)] = random.choice([np.inf, -np.inf])
    return values


def all_missing(random, n):
    return np.full(n, np.nan)


def texts(random, n):
    return random.choice(TEXTS[: random.integers(1, len(TEXTS))], n).astype(object)


def unique_texts(random, n):
    return np.array([f"patient {k}" for k in random.permutation(n)], dtype=object)


def mixed(random, n):
    return np.array([[1, "1", True, 2.5, None][k] for k in random.integers(0, 5, n)], dtype=object)


def dates(random, n):
    return np.datetime64("2024-01-01", "ms") + random.integers(0, 10**6, n)


ORDINARY = [normal, whole, flags, positive, texts]
STRANGE = [shifted, any_scale, many_scales, subnormal, huge, constant, neighbours, large_whole]
STRANGE += [all_missing, unique_texts]
REFUSED = [infinite, mixed, dates]

NUMERIC = [normal, whole, positive, shifted, any_scale, many_scales, subnormal, huge, constant]
NUMERIC += [neighbours, all_missing]


def random_table(random):
    """A table in one of the forms that a user may have it in."""
    n = random.choice([1, 2, 3, 5, 10, 30, 60, 120], p=[0.02, 0.03, 0.05, 0.1, *[0.2] * 4])
    d = random.choice([1, 2, 3, 5, 8, 40], p=[0.1, 0.2, 0.3, 0.2, 0.15, 0.05])
    kept = random.integers(0, n, n) if random.random() < 0.3 else np.arange(n)
    make = random.choice([as_array, as_array, as_pandas, as_polars, as_arrow])
    draw = random_numbers if make is as_array else random_column
    columns = {f"column {j}": with_gaps(random, draw(random, int(n)))[kept] for j in range(d)}
    return make(random, columns)


def random_numbers(random, n):
    kinds = NUMERIC[: 3 if random.random() < 0.5 else None]
    return kinds[random.integers(len(kinds))](random, n).astype(np.float64)


def random_column(random, n):
    kinds = [ORDINARY, STRANGE, REFUSED][random.choice(3, p=[0.6, 0.395, 0.005])]
    return kinds[random.integers(len(kinds))](random, n)


def with_gaps(random, values):
    """Leave out some values, in columns that have a way to say so."""
    if random.random() < 0.7 or values.dtype.kind not in "fO":
        return values
    gaps = random.random(len(values)) < random.choice([0.05, 0.5, 0.95])
    values = values.copy()
    values[gaps] = None if values.dtype.kind == "O" else np.nan
    return values


def as_array(random, columns):
    X = np.column_stack(list(columns.values()))
    with np.errstate(over="ignore"):
        fits = np.isfinite(X.astype(np.float32)).all()
    # What is infinite in single precision is refused, and refusals teach little.
    dtype = random.choice(["float64", "float32"]) if fits else "float64"
    return np.array(X, dtype=dtype, order=random.choice(["C", "F"]))


def as_pandas(random, columns):
    frame = pd.DataFrame(columns)
    for name, values in columns.items():
        if values.dtype == object and random.random() < 0.5:
            frame[name] = frame[name].astype("category")
    return frame


def as_polars(random, columns):
    return pl.DataFrame(
        {name: v.tolist() if v.dtype == object else v for name, v in columns.items()}, strict=False
    )


def as_arrow(random, columns):
    return as_polars(random, columns).to_arrow()


def n_rows(X):
    return X.num_rows if isinstance(X, pa.Table) else len(X)
