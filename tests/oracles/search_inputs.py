"""Random search_inputs for the searches."""

import numpy as np

from sorb.learning.objectives import SearchInput
from sorb.learning.rows import Rows


def search_input(seed, n=80, d=4, rules=2, dtype=np.float64):
    """A gradient that depends on the columns, a bag of the rows, and some rules so far."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, size=d) + 1).astype(dtype)
    columns = tuple(f"x{j}" for j in range(d))
    rows = Rows.from_table(X, rng.normal(size=n), rng.exponential(size=n), columns)
    Z = rows.Z.astype(float)
    signal = np.tanh(Z @ rng.normal(size=d)) + 0.5 * np.sign(Z[:, 0] * Z[:, -1])
    weight = rows.weight * rng.poisson(1, size=n)
    patterns = (Z[:, :rules] > rng.normal(size=rules)).astype(np.uint8)
    table, pattern = np.unique(patterns, axis=0, return_inverse=True)
    weighted_gradient = weight * (signal + rng.normal(size=n))
    curvature = rng.uniform(0.1, 1, size=len(table))
    return SearchInput(
        rows,
        weight,
        weighted_gradient,
        pattern.ravel().astype(np.int32),
        table,
        lambda: curvature,
        0.1,
    )
