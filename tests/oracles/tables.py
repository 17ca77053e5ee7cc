"""What is done to a table before learning, with Python's own integers and NumPy."""

import numpy as np
from scipy.stats import poisson

GRAINS = 2**26
SHIFT = 0.3819660112501051


def distinct_rows(X, y, weight):
    """The distinct rows (X and y side by side, sorted) that have any weight, and their weights."""
    table = np.column_stack([X, y])[weight > 0]
    rows, number = np.unique(table, axis=0, return_inverse=True)
    return rows, np.bincount(number.ravel(), weight[weight > 0])


def standardised(X, weight):
    """Columns with weighted mean 0 and variance 1; their means; their standard deviations.

    A constant column is zero, and its standard deviation is called 1.
    """
    X = X.astype(np.longdouble)
    mean = weight @ X / weight.sum()
    spread = np.sqrt(weight @ (X - mean) ** 2 / weight.sum())
    constant = np.ptp(X, axis=0) == 0
    spread[constant] = 1
    Z = np.where(constant, 0, (X - mean) / spread)
    return Z.astype(float), mean.astype(float), spread.astype(float)


def mix(x):
    """The finaliser of SplitMix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def grain(column):
    """The place of each value in the range of its column, in grains."""
    unit = np.ldexp(1.0, -np.frexp(np.abs(column).max())[1])
    place = column * unit - (column * unit).min()
    return np.floor(place / (place.max() or 1) * GRAINS + SHIFT).astype(int)


def hash_rows(X, y):
    """The hash of the contents of each row."""
    hashes = [0] * len(X)
    for salt, table in [(1, X.astype(float)), (2, y[:, None])]:
        for j, column in enumerate(table.T):
            of_column = mix((mix(salt) + j) % 2**64)
            for i, place in enumerate(grain(column).tolist()):
                hashes[i] += mix((place + of_column) % 2**64)
    return np.array([mix(h % 2**64) for h in hashes], dtype=np.uint64)


def draw(hashes, weight, pieces, seed, turn):
    """The training and the validation weight of each row, drawn in pieces of Poisson(1) counts."""
    salt = mix((mix(seed) + turn) % 2**64)
    training, validation = np.zeros(len(hashes)), np.zeros(len(hashes))
    for i, (h, w, parts) in enumerate(zip(hashes.tolist(), weight, pieces, strict=True)):
        for piece in range(parts):
            scrambled = mix(h ^ mix((salt + piece) % 2**64))
            count = poisson.ppf((scrambled >> 11) / 2**53, 1)
            training[i] += w / parts * count
            validation[i] += w / parts * (count == 0)
    return training, validation


def scramble(hashes, salt):
    """Other hashes of the same rows."""
    return np.array([mix(h ^ mix(salt)) for h in hashes.tolist()], dtype=np.uint64)
