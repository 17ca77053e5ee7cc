"""How far a run is: its units for each dataset and method, and the time that they took."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pandas as pd

from sorb.lab.published import compared_datasets, ordered_methods
from sorb.lab.results import Unit


def run_state(
    done: Mapping[Unit, str | None], facts: Mapping[str, Any], rows: pd.DataFrame
) -> list[dict[str, Any]]:
    """Count the units of each dataset and method, and add up the time to learn their models.

    Parameters
    ----------
    done : mapping
        The finished units, each with the reason if it failed.
    facts : mapping
        What is known about the run; its ``parts`` say what it consists of.
    rows : DataFrame
        The rows of the run.
    """
    states = _states(done, facts)
    seconds = _seconds(rows)
    return [
        {
            "dataset": dataset,
            "method": method,
            **{state: states[dataset, method][state] for state in ("done", "failed", "missing")},
            "seconds": seconds.get((dataset, method), 0.0),
        }
        for dataset, method in _ordered(states)
    ]


def _states(
    done: Mapping[Unit, str | None], facts: Mapping[str, Any]
) -> dict[tuple[str, str], Counter[str]]:
    """Count the units in each state, for each dataset and method."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for unit in set(done).union(_planned_units(facts)):
        finished = "failed" if done.get(unit) else "done"
        counts[unit.dataset, unit.method][finished if unit in done else "missing"] += 1
    return counts


def _ordered(pairs: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    names = {dataset for dataset, _ in pairs}
    datasets = dict.fromkeys((*compared_datasets(names), *sorted(names)))
    methods = ordered_methods(method for _, method in pairs)
    return [(d, m) for d in datasets for m in methods if (d, m) in pairs]


def _planned_units(facts: Mapping[str, Any]) -> Iterator[Unit]:
    for part in facts.get("parts", ()):
        for dataset in part["datasets"]:
            for method in part["methods"]:
                for repetition in range(part["repetitions"]):
                    yield Unit(repetition, dataset, method)


def _seconds(rows: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Add up the longest time of each path of models, one for each penalty."""
    paths = rows.groupby(["dataset", "method", "repetition", "reg_lambda"], dropna=False)
    longest = paths["seconds"].max().groupby(["dataset", "method"]).sum()
    return {pair: float(value) for pair, value in longest.items()}
