"""The columns of a page: what values they have, and how often."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sorb._types import Bool, Float
from sorb.report.bins import bin_ends
from sorb.report.cuts import is_divisible, roundest
from sorb.report.few_rows import rounded_share
from sorb.report.rows import ReportRows
from sorb.rules import ColumnExperience
from sorb.rules.labels import Labels

__all__ = ["column_view", "plain_label", "plain_values"]

N_BINS = 20
MOST_CATEGORIES = 200
STEPS_OF_A_CONTROL = 100


def column_view(
    name: str,
    rows: ReportRows,
    categorical: bool,
    unit: str | None,
    experience: Mapping[str, ColumnExperience],
    least: int = 1,
) -> dict[str, Any]:
    """Give the `Column` of the page from the training rows.

    With more than one row as the `least`, it tells no value of a single row: the range leaves out
    the ends, and shares are those of rounded numbers of rows.
    """
    found = (_category if categorical else _number)(name, rows)
    if least > 1 and categorical:
        found |= _safe_category(name, rows, least, found["categories"])
    elif least > 1:
        found |= _safe_number(name, rows, least)
    # A single row may have had the smallest value that training saw, or none.
    seen = experience.get(name) if least == 1 else None
    known = {"missing": found["missing_share"] > 0 or (seen is not None and seen.missing)}
    if seen is not None and seen.range is not None and "range" in found:
        known["range"] = list(seen.range)
    return {"name": name, "unit": unit, **found, **known}


def _number(name: str, rows: ReportRows) -> dict[str, Any]:
    values, weight = rows.source.take(name), rows.weight
    is_known = ~np.isnan(values)
    known, of_known = values[is_known], weight[is_known]
    missing = _share(weight, ~is_known)
    if not len(known):
        return {"kind": "number", "typical": None, "missing_share": missing}
    low, high = float(known.min()), float(known.max())
    whole = bool((known == np.floor(known)).all())
    counts, _ = np.histogram(known, bins=N_BINS, range=bin_ends(low, high), weights=of_known)
    return {
        "kind": "number",
        "typical": float(np.quantile(known, 0.5, method="inverted_cdf")),
        "missing_share": missing,
        "range": [low, high],
        "histogram": [round(share, 5) for share in (counts / counts.sum()).tolist()],
        "whole": whole,
        "step": _step(high - low, whole),
    }


def _safe_number(name: str, rows: ReportRows, least: int) -> dict[str, Any]:
    values = rows.source.take(name)
    known = values[~np.isnan(values)]
    rounded = {"missing_share": rounded_share(len(values) - len(known), len(values), least)}
    if len(known) < 2 * least:
        return rounded | {"typical": None, "range": [0.0, 1.0], "histogram": []}
    # Between numbers that at least so many rows lie beyond.
    tail = min(0.25, max(0.02, 2 * least / len(known)))
    edges = [(0.0, tail), (0.45, 0.55), (1 - tail, 1.0)]
    low, middle, high = (roundest(*np.quantile(known, edge).tolist()) for edge in edges)
    counts, _ = np.histogram(known, bins=N_BINS, range=bin_ends(low, high))
    shares = [rounded_share(count, len(known), least) for count in counts.tolist()]
    return rounded | {"typical": middle, "range": [low, high], "histogram": shares}


def _safe_category(
    name: str, rows: ReportRows, least: int, categories: list[dict[str, Any]]
) -> dict[str, Any]:
    labels = Labels.of(rows.source.labels(name))
    counts = np.bincount(labels.codes[labels.codes >= 0], minlength=len(labels.values)).tolist()
    of_label = {plain_label(v): count for v, count in zip(labels.values, counts, strict=True)}
    n_missing = int((labels.codes < 0).sum())
    told = [part for part in categories if of_label[part["label"]] >= least]
    return {
        "typical": told[0]["label"] if told else None,
        "missing_share": rounded_share(n_missing, len(rows), least),
        "categories": [
            part | {"share": rounded_share(of_label[part["label"]], len(rows), least)}
            for part in told
        ],
        "all_listed": len(told) == len(of_label),
    }


def _step(width: float, whole: bool) -> float:
    """A step of 1, 2 or 5 times a power of ten, of which a control has about a hundred."""
    if not is_divisible(width):
        return 1.0
    exponent = math.floor(math.log10(width / STEPS_OF_A_CONTROL))
    fitting = [d * 10.0**exponent for d in (1, 2, 5, 10) if width / (d * 10.0**exponent) <= 200]
    step = float(f"{fitting[0]:.0e}")
    return max(1.0, step) if whole else step


def _category(name: str, rows: ReportRows) -> dict[str, Any]:
    found = Labels.of(rows.source.labels(name))
    weight, is_known = rows.weight, found.codes >= 0
    totals = np.bincount(found.codes[is_known], weight[is_known], len(found.values))
    order = np.argsort(-totals, kind="stable")[:MOST_CATEGORIES].tolist()
    shares = totals / weight.sum()
    labels = [plain_label(value) for value in found.values]
    return {
        "kind": "category",
        "typical": labels[order[0]] if order else None,
        "missing_share": _share(weight, ~is_known),
        "categories": [{"label": labels[k], "share": round(float(shares[k]), 5)} for k in order],
        "all_listed": len(order) == len(labels),
    }


def plain_label(value: Any) -> Any:
    """A label as JSON has it."""
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, (str, bool, int, float)) else str(plain)


def plain_values(labels: Labels) -> list[Any]:
    """The label of each row as JSON has it; None where it is missing.

    Examples
    --------
    >>> plain_values(Labels.of(["b", None, "a"]))
    ['b', None, 'a']
    """
    plain = [*map(plain_label, labels.values), None]  # the code of a missing one is −1
    return [plain[code] for code in labels.codes.tolist()]


def _share(weight: Float, mask: Bool) -> float:
    return float(weight[mask].sum() / weight.sum())
