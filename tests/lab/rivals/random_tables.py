"""Tables that trees can learn from, and rows beside them."""

import numpy as np


def table(seed=0, n_rows=150):
    """Columns of different kinds: coarse, tiny, large, and one that is constant."""
    random = np.random.default_rng(seed)
    normal = random.normal(size=(n_rows, 3))
    X = np.column_stack(
        [normal[:, 0], np.round(normal[:, 1]), 1e-6 * normal[:, 2], random.random(n_rows) * 1e7]
    )
    f = normal[:, 0] + normal[:, 1] * (normal[:, 2] > 0) + X[:, 3] / 1e7
    return np.column_stack([X, np.ones(n_rows)]), f + 0.3 * random.normal(size=n_rows)


def unseen(X):
    """New rows, and rows exactly on the values that were learned from."""
    random = np.random.default_rng(9)
    return np.concatenate([X, np.column_stack([random.permutation(column) for column in X.T])])
