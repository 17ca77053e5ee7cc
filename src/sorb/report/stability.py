"""How often each rule of the model is found again, as the page shows it."""

from __future__ import annotations

from typing import Any

from sorb.report.given_rows import GivenRows
from sorb.resampling import Stability, stability
from sorb.resampling.result import Spread

__all__ = ["add_stability"]

RESAMPLES = 20


def add_stability(data: dict[str, Any], model: Any, given: GivenRows, private: bool) -> None:
    """Learn the model again from resamples of its rows, and add to a page what was found.

    A `private` page does not hold thresholds, which may be between two single rows.
    """
    found = stability(
        model,
        given.X,
        given.y,
        n_resamples=RESAMPLES,
        n_jobs=model.n_jobs,
        **given.options,
    )
    data["stability"] = _view(found, private)
    for rule, stable in zip(data["sizes"][data["chosen"]]["rules"], found.rules, strict=True):
        rule["found_again"] = stable.found


def _view(found: Stability, private: bool) -> dict[str, Any]:
    return {
        "resamples": found.n_resamples,
        "rules": [
            {
                "found": rule.found,
                "vote": rule.vote and [rule.vote.lower, rule.vote.median, rule.vote.upper],
                "thresholds": [
                    None if private else _range(threshold) for _, threshold in rule.thresholds
                ],
            }
            for rule in found.rules
        ],
        "agreement": found.agreement,
        "words": found.words,
    }


def _range(threshold: Spread | None) -> list[float] | None:
    return None if threshold is None else [threshold.lower, threshold.upper]
