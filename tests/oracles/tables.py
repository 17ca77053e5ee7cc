"""What is done to a table before learning, with Python's own integers and NumPy."""

import numpy as np
from scipy.stats import poisson

FINE, COARSE = 2**26, 2**20
MISSING = 2**64 - 1
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


def grains(column, number):
    """The place of each value in the range of its column, which has this number of grains."""
    known = column[~np.isnan(column)].astype(float)
    unit = np.ldexp(1.0, -np.frexp(np.abs(known).max())[1])
    low, high = known.min() * unit, known.max() * unit
    per_unit = number / (high - low or 1.0)
    return [
        MISSING if np.isnan(x) else int(np.floor((x * unit - low) * per_unit + SHIFT))
        for x in column.astype(float)
    ]


def varies(column):
    """Whether not all values are equal or missing."""
    return len(set(np.where(np.isnan(column), None, column).tolist())) > 1


def hash_numbers(numbers, number, salt):
    if not varies(numbers):
        return [0] * len(numbers)
    return [mix((grain + mix(salt)) % 2**64) for grain in grains(numbers, number)]


def hash_rows(table, of_columns, start):
    """Hash rows of grains by their values in columns with these hashes."""
    hashes = [
        total + sum(mix((grain + c) % 2**64) for grain, c in zip(row, of_columns, strict=True))
        for row, total in zip(table, start, strict=True)
    ]
    return [mix(h % 2**64) for h in hashes]


def hash_columns(table, of_rows):
    return [
        sum(mix((grain + h) % 2**64) for grain, h in zip(column, of_rows, strict=True)) % 2**64
        for column in zip(*table, strict=True)
    ]


def canonical_table(X, y, weight):
    """The hash of each row, and the columns that vary in the order of their hashes."""
    columns = [j for j in range(X.shape[1]) if varies(X[:, j])]
    if not columns:
        of_rows = hash_rows([()] * len(X), (), hash_numbers(y, FINE, 2))
        return np.array(of_rows, dtype=np.uint64), []
    coarse, fine = (
        list(zip(*(grains(X[:, j], number) for j in columns), strict=True))
        for number in (COARSE, FINE)
    )
    # Copies are one row with their total weight.
    total = {}
    for row, w in zip(zip(coarse, hash_numbers(y, COARSE, 2), strict=True), weight, strict=True):
        total[row] = total.get(row, 0.0) + w
    table, of_outcomes = zip(*total, strict=True)
    of_rows = hash_rows(table, [0] * len(columns), of_outcomes)
    of_columns = hash_columns(table, of_rows)
    if len(set(of_columns)) < len(columns):
        of_weights = hash_numbers(np.array(list(total.values())), COARSE, 3)
        start = [a + b for a, b in zip(of_weights, of_outcomes, strict=True)]
        of_columns = hash_columns(table, hash_rows(table, of_columns, start))
    hashes = hash_rows(fine, of_columns, hash_numbers(y, FINE, 2))
    order = np.argsort(np.array(of_columns, dtype=np.uint64), kind="stable")
    return np.array(hashes, dtype=np.uint64), [columns[a] for a in order]


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
