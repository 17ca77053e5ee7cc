"""What an estimator notes down about the models that it learns."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version
from inspect import signature
from typing import Any

import numpy as np

from sorb.rules import RuleEnsemble
from sorb.rules.training_record import TrainingRecord

__all__ = ["library_versions", "training_record"]

# They change nothing about the model.
UNTOLD = frozenset({"n_jobs", "verbose", "warm_start"})
# Whoever repeats a fit asks for it first.
SEED = "random_state"
LONGEST = 1000
LIBRARIES = ("sorb", "numpy", "scipy", "scikit-learn")


def training_record(estimator: Any, n_rows: int) -> TrainingRecord:
    """Note down the settings of an estimator that are not its defaults, its seed, and versions."""
    defaults = {
        name: parameter.default for name, parameter in signature(type(estimator)).parameters.items()
    }
    settings = {
        name: _written(value)
        for name, value in estimator.get_params(deep=False).items()
        if name == SEED or (name not in UNTOLD and _written(value) != _written(defaults.get(name)))
    }
    return TrainingRecord(
        estimator=type(estimator).__name__,
        settings=tuple(settings.items()),
        versions=tuple({**library_versions(), "python": platform.python_version()}.items()),
        n_rows=n_rows,
    )


@cache
def library_versions() -> dict[str, str]:
    """Give the versions of sorb and of what it computes with."""
    return {name: version(name) for name in LIBRARIES}


def _written(value: Any) -> str:
    if isinstance(value, RuleEnsemble):
        return f"a model with {len(value)} rules"
    if isinstance(value, np.random.RandomState):
        return "a RandomState"
    text = repr(_plain(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _plain(value: Any) -> Any:
    """Give values of NumPy as those of Python, also in a mapping, so that they can be read back."""
    if isinstance(value, dict):
        return {_plain(name): _plain(each) for name, each in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
