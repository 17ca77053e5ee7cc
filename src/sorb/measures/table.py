"""Measures of several models side by side, as lines of text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sorb.losses import Loss
from sorb.measures.estimate import Estimate
from sorb.measures.measures import Measures
from sorb.rules.notation import MINUS, number

__all__ = ["UNKNOWN", "align", "format_interval", "format_losses", "measure_lines"]

UNKNOWN = "–"

# Smaller numbers need more than four decimals, unless they are zero up to rounding: that is below
# the least, or below this share of the loss.
SMALL, LEAST, SHARE = 1e-3, 1e-14, 1e-9
DECISIONS = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "predictive value +": "positive_predictive_value",
    f"predictive value {MINUS}": "negative_predictive_value",
}


def measure_lines(
    found: Sequence[Measures], loss: Loss, interval: bool = False, intervals: bool = False
) -> list[list[str]]:
    """Write measures of the same rows side by side, one line for each that they have.

    With `interval`, the second cell of each line is the 95 % interval of the first model; with
    `intervals`, those of all models stand behind their values.

    Examples
    --------
    >>> from sorb.losses import Logistic
    >>> for line in measure_lines([Measures(0.3512, 0.125, None, 0.02)], Logistic()):
    ...     print(line)
    ['log loss', '0.3512']
    ['accuracy', '87.5 %']
    ['calibration error', '2.0 %']
    """
    lines = _Lines(interval, intervals)
    if loss.has_classes:
        lines.add_estimates("AUC", [m.auc for m in found], _area)
    else:
        lines.add("R²", [m.r2 for m in found], _decimals)
    lines.add_column(loss.measure, format_losses([loss.measured(m.risk) for m in found]))
    if loss.has_classes:
        lines.add("Brier score", [m.brier for m in found], _decimals)
        lines.add("accuracy", [None if m.error is None else 1 - m.error for m in found], _percent)
        lines.add("balanced accuracy", [m.balanced_accuracy for m in found], _percent)
        lines.add("calibration error", [m.calibration_error for m in found], _percent)
    else:
        scale = max(loss.measured(m.risk) for m in found)
        for name, values in (
            ("root mean squared error", [m.rmse for m in found]),
            ("mean absolute error", [m.mae for m in found]),
            ("calibration error", [m.calibration_error for m in found]),
        ):
            if any(value is not None for value in values):
                lines.add_column(name, _in_units(values, scale))
    for name, attribute in DECISIONS.items():
        shares: list[Estimate | None]
        shares = [None if m.decisions is None else getattr(m.decisions, attribute) for m in found]
        lines.add_estimates(name, shares, _percent)
    return lines.lines


class _Lines:
    """Lines under construction."""

    def __init__(self, interval: bool, intervals: bool) -> None:
        self.lines: list[list[str]] = []
        self._interval = interval
        self._intervals = intervals

    def add(self, name: str, values: Sequence[float | None], write: Callable[[float], str]) -> None:
        """Add a line, if any model has the measure."""
        if any(value is not None for value in values):
            self.add_column(name, [UNKNOWN if v is None else write(v) for v in values])

    def add_estimates(
        self, name: str, values: Sequence[Estimate | None], write: Callable[[float], str]
    ) -> None:
        """Add a line of estimates, with their intervals where they are wanted."""
        if any(value is not None for value in values):
            cells = [UNKNOWN if value is None else self._estimate(value, write) for value in values]
            self.add_column(name, cells, format_interval(values[0], write))

    def _estimate(self, value: Estimate, write: Callable[[float], str]) -> str:
        interval = format_interval(value, write) if self._intervals else ""
        return write(value.value) + (f" ({interval})" if interval else "")

    def add_column(self, name: str, cells: Sequence[str], interval: str = "") -> None:
        """Add cells that are written."""
        between = [interval] if self._interval else []
        self.lines.append([name, cells[0], *between, *cells[1:]])


def format_interval(found: Estimate | None, write: Callable[[float], str]) -> str:
    """Write an interval, or nothing if it has no width.

    Examples
    --------
    >>> format_interval(Estimate(0.9, 0.786, 0.957), "{:.2f}".format)
    '0.79 to 0.96'
    """
    if found is None or found.low == found.high:
        return ""
    return f"{write(found.low).removesuffix(' %')} to {write(found.high)}"


def format_losses(values: Sequence[float | None]) -> list[str]:
    """Write mean losses that stand in one column, of which some may be unknown.

    Examples
    --------
    >>> format_losses([0.66, 0.0512, None])
    ['0.6600', '0.0512', '–']
    """
    known = [value for value in values if value is not None]
    return _in_units(values, max(known, default=0.0))


def _in_units(values: Sequence[float | None], scale: float) -> list[str]:
    """Write numbers that have the unit of the outcome or of the loss, as small as they are."""
    largest = max((value for value in values if value is not None), default=0.0)
    write = _significant if max(LEAST, SHARE * scale) < largest < SMALL else _decimals
    return [UNKNOWN if value is None else write(value) for value in values]


def _area(value: float) -> str:
    return f"{value:.3f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _significant(value: float) -> str:
    return number(value, 4)


def _decimals(value: float) -> str:
    # The same number of decimals in each column, unless the numbers are large.
    if not math.isfinite(value):
        return "infinite" if value > 0 else f"{MINUS}infinite"
    # Adding zero turns a rounded −0 into 0.
    return (
        f"{round(value, 4) + 0.0:.4f}".replace("-", MINUS) if abs(value) < 10 else number(value, 5)
    )


def align(lines: Sequence[Sequence[str]]) -> str:
    """Align cells in columns, the first column to the left and the others to the right.

    Examples
    --------
    >>> print(align([["", "old", "new"], ["log loss", "0.35", "0.4"]]))
               old  new
    log loss  0.35  0.4
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
