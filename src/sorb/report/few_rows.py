"""What a page without rows does not tell: numbers from which those of a few rows would follow."""

from __future__ import annotations

from typing import Any

__all__ = ["few_digits", "require_min_rows", "rounded_count", "rounded_share"]


def require_min_rows(min_rows: Any) -> None:
    """Check the fewest rows that something is told of."""
    if isinstance(min_rows, bool) or not isinstance(min_rows, int) or min_rows < 2:
        raise ValueError(f"min_rows must be a whole number ≥ 2, found {min_rows!r}")


def rounded_count(count: int, least: int) -> int:
    """Round a number of rows to a multiple of the least one.

    Examples
    --------
    >>> rounded_count(12, 5), rounded_count(12, 1)
    (10, 12)
    """
    return least * round(count / least)


def rounded_share(count: int, total: int, least: int) -> float:
    """The share of a number of rows that is rounded to a multiple of the least one."""
    return round(rounded_count(count, least) / total, 5)


def few_digits(document: Any) -> Any:
    """Write all fractions of a document with three digits, but for models.

    Of a mean over rows all digits together tell what each of the rows adds to it.

    Examples
    --------
    >>> few_digits({"risk": [0.123456], "n": 1234, "model": {"offset": 0.123456}})
    {'risk': [0.123], 'n': 1234, 'model': {'offset': 0.123456}}
    """
    if isinstance(document, dict):
        return {k: v if k == "model" else few_digits(v) for k, v in document.items()}
    if isinstance(document, list):
        return [few_digits(part) for part in document]
    return float(f"{document:.3g}") if isinstance(document, float) else document
