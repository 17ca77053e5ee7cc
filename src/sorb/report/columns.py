"""The columns of a page: what values they have, and how often."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sorb._types import Bool, Float
from sorb.report.rows import ReportRows
from sorb.rules import ColumnExperience
from sorb.rules.labels import Labels

__all__ = ["column_view"]

N_BINS = 20
MOST_CATEGORIES = 200
STEPS_OF_A_CONTROL = 100


def column_view(
    name: str,
    rows: ReportRows,
    categorical: bool,
    unit: str | None,
    experience: Mapping[str, ColumnExperience],
) -> dict[str, Any]:
    """Give the `Column` of the page from the training rows."""
    found = (_category if categorical else _number)(name, rows)
    seen = experience.get(name)
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
    counts, _ = np.histogram(known, bins=N_BINS, range=(low, high), weights=of_known)
    return {
        "kind": "number",
        "typical": float(np.quantile(known, 0.5, method="inverted_cdf")),
        "missing_share": missing,
        "range": [low, high],
        "histogram": [round(share, 5) for share in (counts / counts.sum()).tolist()],
        "whole": whole,
        "step": _step(high - low, whole),
    }


def _step(width: float, whole: bool) -> float:
    """A step of 1, 2 or 5 times a power of ten, of which a control has about a hundred."""
    if not width > 0:
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
    }


def plain_label(value: Any) -> Any:
    """A label as JSON has it."""
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, (str, bool, int, float)) else str(plain)


def _share(weight: Float, mask: Bool) -> float:
    return float(weight[mask].sum() / weight.sum())
