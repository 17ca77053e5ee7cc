"""Datasets without a file: those of scikit-learn, loaded or generated, and a stand-in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn import datasets as sklearn_datasets

from sorb.lab.datasets.assembly import Column
from sorb.lab.datasets.description import Description

Made: TypeAlias = tuple[dict[str, Column], Column | None]
"""A table, and its outcome if that has no name of its own."""
Make: TypeAlias = Callable[[Description], Made]


def generate(description: Description) -> dict[str, Column]:
    """Call the generator of a dataset."""
    make = GENERATORS.get(description.generator)
    if make is None:
        raise ValueError(
            f"The dataset {description.name!r} names the unknown generator "
            f"{description.generator!r}; choose from {', '.join(GENERATORS)}."
        )
    try:
        table, outcome = make(description)
    except Exception as error:  # scikit-learn checks few of its arguments
        raise ValueError(
            f"The generator {description.generator} of the dataset {description.name!r} does not "
            f"take these arguments: {str(error).rstrip('.') or type(error).__name__}."
        ) from None
    if outcome is None:
        return table
    if description.target in table:
        raise ValueError(
            f"The target of the dataset {description.name!r} must not be {description.target!r}, "
            f"the name of another column of its generator {description.generator}."
        )
    return {**table, description.target: outcome}


def nhanes_standin(rows: int, seed: int) -> dict[str, Column]:
    """Draw adults whose diabetes depends on age and body mass index by one known rule.

    Height and body mass index are drawn for women and men, weight follows from both, and all are
    rounded as in a survey. The log-odds are −2.97, plus 1.82 if age ≥ 40 and
    weight / height² ≥ 25.

    Examples
    --------
    >>> from sorb.lab.datasets.generated import nhanes_standin
    >>> list(nhanes_standin(rows=100, seed=0))
    ['age', 'weight', 'height', 'diabetes']
    """
    rng = np.random.default_rng(seed)
    male = rng.random(rows) < 0.49
    # As in the survey, 80 means 80 or more.
    age = np.minimum(np.floor(20 + 65 * rng.beta(1.1, 1.2, rows)), 80.0)
    height = np.where(male, 1.74, 1.60) + np.where(male, 0.077, 0.071) * rng.standard_normal(rows)
    height = np.round(height - 0.0008 * np.maximum(age - 50, 0), 3)
    middle = np.where(male, 26.9, 27.3) + 1.5 * np.sin(np.pi * (age - 20) / 70)
    bmi = 15 + (middle - 15) * np.exp(0.45 * rng.standard_normal(rows))
    weight = np.round(bmi * height**2, 1)
    at_risk = (age >= 40) & (weight / height**2 >= 25)
    odds = np.exp(-2.97 + 1.82 * at_risk)
    ill = rng.random(rows) < odds / (1 + odds)
    return {"age": age, "weight": weight, "height": height, "diabetes": ill.astype(np.float64)}


def motor_claims(rows: int, seed: int) -> dict[str, Column]:
    """Draw insured cars, the years for which they were insured, and their claims.

    The claims of a year are 0.2, times 3 for drivers under 25, times 2 if the car has at least
    0.08 kW for each kg. Most cars were insured for a part of the year only.

    Examples
    --------
    >>> from sorb.lab.datasets.generated import motor_claims
    >>> list(motor_claims(rows=100, seed=0))
    ['driver', 'power', 'weight', 'car', 'years', 'claims']
    """
    rng = np.random.default_rng(seed)
    driver = np.floor(18 + 62 * rng.beta(1.3, 1.7, rows))
    weight = np.round(rng.normal(1350, 220, rows).clip(700, 2600))
    power = np.round(0.07 * weight * np.exp(0.3 * rng.standard_normal(rows)))
    car = rng.integers(0, 21, rows).astype(np.float64)
    years = np.round(np.where(rng.random(rows) < 0.25, 1.0, rng.uniform(0.05, 1.0, rows)), 2)
    rate = 0.2 * np.where(driver < 25, 3.0, 1.0) * np.where(power / weight >= 0.08, 2.0, 1.0)
    claims = rng.poisson(rate * years).astype(np.float64)
    columns: dict[str, Column] = {"driver": driver, "power": power, "weight": weight, "car": car}
    return {**columns, "years": years.astype(np.float64), "claims": claims}


def _loader(load: Callable[..., Any]) -> Make:
    """Make a function that loads a dataset of scikit-learn, with its classes by name."""

    def make(description: Description) -> Made:
        bunch = load(**description.arguments)
        columns = np.asarray(bunch.data).T
        table: dict[str, Column] = dict(zip(bunch.feature_names, columns, strict=True))
        classes, y = bunch.get("target_names"), np.asarray(bunch.target)
        outcome = y if classes is None else tuple(str(name) for name in classes[y])
        return table, outcome

    return make


def _generator(make: Callable[..., Any]) -> Make:
    """Make a function that lets scikit-learn generate a dataset."""

    def generate(description: Description) -> Made:
        with np.errstate(over="ignore", invalid="ignore"):  # a fit refuses infinite numbers
            X, y = make(**description.arguments)
        table: dict[str, Column] = {f"x{j}": column for j, column in enumerate(X.T, start=1)}
        return table, y

    return generate


GENERATORS: dict[str, Make] = {
    "sklearn.datasets.load_iris": _loader(sklearn_datasets.load_iris),
    "sklearn.datasets.load_diabetes": _loader(sklearn_datasets.load_diabetes),
    "sklearn.datasets.load_breast_cancer": _loader(sklearn_datasets.load_breast_cancer),
    "sklearn.datasets.make_friedman1": _generator(sklearn_datasets.make_friedman1),
    "sklearn.datasets.make_friedman2": _generator(sklearn_datasets.make_friedman2),
    "sklearn.datasets.make_friedman3": _generator(sklearn_datasets.make_friedman3),
    "motor_claims": lambda description: (motor_claims(**description.arguments), None),
    "nhanes_standin": lambda description: (nhanes_standin(**description.arguments), None),
}
