"""Models at their boundaries: rows on each threshold and one float beside it, in every export."""

from random import Random

import polars as pl
from attacks.refusals import attempt
from boundary_rows import with_boundary_rows
from export.corpus import all_outputs, sums_on_boundaries
from export.random_models import NASTY, model_with_table
from export.targets import every_target

from sorb import Condition, Membership, Product, Proposition, Rule, RuleEnsemble


def attack(seed):
    """Ask a model and its exports about rows on its boundaries; say which kind of model it is."""
    kind, make = KINDS[seed % len(KINDS)]
    cases = all_outputs(*make(seed))
    for name, target in every_target().items():
        usable = [case for case in cases if target.usable(case)]
        assert kind != "plain" or usable == cases, f"{name} cannot be used for a plain model"
        for case in cases:
            attempt(target.write, case)
        target.check(usable)
    return kind


def plain(seed):
    """A model that every export has a place for, and a table."""
    random = Random(seed)
    table = pl.DataFrame(
        {
            "age": [float(random.randint(20, 90)) for _ in range(6)],
            "height": [random.randint(150, 200) / 100 for _ in range(6)],
            "group": [random.choice(["A", "B", "AB"]) for _ in range(6)],
        }
    )
    propositions = [
        Proposition(("age", "height"), (1.0, -2.5), random.randint(30, 70) + 0.5),
        Product(("age", "height"), (1.0, -2.0), random.randint(10, 20)),
        Membership("group", ("A", "AB")),
    ]
    rules = [Rule(Condition((one,)), random.gauss(0, 1)) for one in propositions]
    classes = ("no", "yes")
    ensemble = RuleEnsemble(random.gauss(0, 1), rules, table.columns, "logistic", classes)
    return ensemble, with_boundary_rows(ensemble, table)


def of_all_kinds(seed):
    """A model of any kind, and a table."""
    random = Random(seed)
    names = random.sample(NASTY, random.randint(1, 5))
    ensemble, table = model_with_table(random, names)
    return ensemble, with_boundary_rows(ensemble, table)


# One model in five shows that no export refuses everything.
KINDS = [
    ("plain", plain),
    ("of all kinds", of_all_kinds),
    ("of sums", sums_on_boundaries),
    ("of all kinds", of_all_kinds),
    ("of sums", sums_on_boundaries),
]
