"""A table of patients and a model of them, by which the command line is tested."""

import csv

import numpy as np

from sorb.rules import (
    ColumnExperience,
    Condition,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
)

SEEN = {
    "age": ColumnExperience(missing=False, range=(18, 84)),
    "weight": ColumnExperience(missing=False, range=(40, 150)),
    "height": ColumnExperience(missing=True, range=(1.3, 2.1)),
    "group": ColumnExperience(missing=True, categories=("A", "AB", "B", "O")),
}
HEADER = ("patient", "age", "weight", "height", "group", "ill", "stay")


def patients(rows=300, seed=7):
    """Rows of patients; who is old and heavy for their height is often ill, and stays longer."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    height = rng.normal(1.7, 0.1, rows).round(2)
    weight = (rng.normal(26, 4, rows) * height**2).round(1)
    group = rng.choice(["A", "B", "AB", "O"], rows)
    heavy = (age >= 45) & (weight / height**2 >= 26)
    ill = rng.random(rows) < np.where(heavy, 0.9, 0.1)
    stay = (3 + 4 * heavy + rng.normal(0, 0.5, rows)).round(2)
    columns = (np.arange(rows) + 1000, age, weight, height, group, np.where(ill, "yes", "no"), stay)
    cells = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(HEADER, row, strict=True)) for row in cells]


def write_csv(path, rows, delimiter=",", header=None):
    """Write rows as CSV, None as an empty cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, header or list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def heavy(threshold=26.0, missing=False):
    return Product(("weight", "height"), (1.0, -2.0), threshold, missing=missing)


def hand_made(**changes):
    """A model of all kinds of propositions, for the classes of the table."""
    old = Proposition(("age",), (1.0,), 45.0)
    rules = (
        Rule(Condition((old, heavy())), 3.5),
        Rule(Condition((Membership("group", ("A", "AB")),)), -0.25),
    )
    parts = {
        "offset": -2.0,
        "rules": rules,
        "columns": ("age", "weight", "height", "group"),
        "loss": "logistic",
        "classes": ("no", "yes"),
        "units": {"weight": "kg", "height": "m"},
    }
    return RuleEnsemble(**{**parts, **changes})
