"""The paper's numbers, to show beside ours.

``published.csv`` holds them as printed: dashes, ∞ as ``inf``, its own names. Two inconsistencies
are corrected on reading. A complexity of more than 100 counts as not reached, as the paper says
but does not always do; and where a method has no model within 100, its average is a dash.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TypeAlias

from sorb.lab.methods import METHODS
from sorb.lab.statistics import MAX_COMPLEXITY, Estimate

CellKey: TypeAlias = tuple[str, str, str, str]

REPETITIONS = 15
TABLES = {
    "complexity_cv": "complexity_cv",
    "complexity_oracle": "complexity_oracle",
    "complexity_accuracy": "complexity_error",
    "risk_cv": "risk_cv",
    "risk_oracle": "risk_oracle",
    "acc_cv": "error_cv",
    "risk_based_on_target_complexity": "risk_at_50",
    "errorrate_based_on_target_complexity": "error_at_50",
    "comp_time": "times",
}
DATASETS = {"used_car_price": "car_price", "housing_price": "housing"}
BEYOND_BUDGET = {("NRE", "liver"), ("NRE", "magic")}  # no model within 100, by the other tables
AVERAGES = {"risk_cv", "risk_oracle", "error_cv"}

PICTURED = ("synthetic", "nhanes", "nhanes_standin")  # datasets for figures, not for tables


@cache
def published() -> Mapping[CellKey, Estimate]:
    """Read the paper's estimate for each table, section, dataset and method.

    A dash is an estimate of NaN. The ± of the averages becomes an interval around them.

    Examples
    --------
    >>> from sorb.lab.published import published
    >>> published()["complexity_cv", "50 %", "iris", "LLTB"]
    Estimate(value=12.0, low=9.0, high=16.0, repetitions=15)
    """
    content = files("sorb.lab").joinpath("published.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(content.splitlines())
    cells = {_cell_key(row): _estimate(row) for row in rows if row["method"] not in ("d", "n")}
    return MappingProxyType({key: _correct(key, value) for key, value in cells.items()})


@cache
def paper_methods() -> tuple[str, ...]:
    """Name the methods of the paper, in its order."""
    return tuple(dict.fromkeys(method for *_, method in published()))


@cache
def paper_datasets() -> tuple[str, ...]:
    """Name the datasets of the paper, in its order."""
    return tuple(dict.fromkeys(dataset for _, _, dataset, _ in published()))


def ordered_methods(names: Iterable[str]) -> tuple[str, ...]:
    """Sort methods in the order in which they are shown, the user's own last."""
    return _sort(names, tuple(METHODS))


def compared_datasets(names: Iterable[str]) -> tuple[str, ...]:
    """Sort datasets in the paper's order, others last, without those made for figures.

    Examples
    --------
    >>> from sorb.lab.published import compared_datasets
    >>> compared_datasets(["housing", "mine", "iris", "nhanes+log"])
    ('iris', 'housing', 'mine')
    """
    kept = (name for name in names if name.removesuffix("+log") not in PICTURED)
    return _sort(kept, paper_datasets())


def _sort(names: Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    cells = {name: key for key, name in enumerate(known)}
    return tuple(sorted(set(names), key=lambda name: (cells.get(name, len(known)), name)))


def _cell_key(row: Mapping[str, str]) -> CellKey:
    section = row["section"].lower()
    share = section.partition("%")[0]
    parts = [part for part in ("train", "test") if part in section]
    name = f"{share} %" if share.isdigit() else "".join(parts)
    return TABLES[row["table"]], name, _dataset(row["dataset"]), row["method"]


def _dataset(name: str) -> str:
    name = name.lower().replace("friedman ", "friedman").replace(" ", "_")
    return DATASETS.get(name, name)


def _estimate(row: Mapping[str, str]) -> Estimate:
    value = math.nan if row["value"] == "-" else float(row["value"])
    if row["high"]:
        low, high = float(row["low_or_pm"]), float(row["high"])
    else:
        margin = float(row["low_or_pm"].lstrip("±") or 0.0)
        low, high = value - margin, value + margin
    return Estimate(value, low, high, REPETITIONS)


def _correct(key: CellKey, estimate: Estimate) -> Estimate:
    table, _, dataset, method = key
    if table in AVERAGES and (method, dataset) in BEYOND_BUDGET:
        return Estimate(math.nan, math.nan, math.nan, estimate.repetitions)
    if not table.startswith("complexity"):
        return estimate
    value, low, high = map(_within_budget, (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.repetitions)


def _within_budget(complexity: float) -> float:
    return complexity if complexity <= MAX_COMPLEXITY else math.inf
