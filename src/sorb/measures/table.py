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
    lines = _Lines(found, interval, intervals)
    if loss.has_classes:
        lines.add("AUC", [m.auc for m in found], _area)
    else:
        lines.add("R²", lines.estimates("r2"), _decimals)
    lines.add_in_units(loss.measure, lines.estimates("risk", loss.measured))
    if loss.has_classes:
        lines.add("Brier score", lines.estimates("brier"), _decimals)
        lines.add("accuracy", lines.estimates("error", lambda error: 1 - error), _percent)
        lines.add("balanced accuracy", lines.estimates("balanced_accuracy"), _percent)
        lines.add("calibration error", lines.estimates("calibration_error"), _percent)
    else:
        scale = max(loss.measured(m.risk) for m in found)
        lines.add_in_units("root mean squared error", lines.estimates("rmse"), scale)
        lines.add_in_units("mean absolute error", lines.estimates("mae"), scale)
        lines.add_in_units("calibration error", lines.estimates("calibration_error"), scale)
    for name, attribute in DECISIONS.items():
        shares: list[Estimate | None]
        shares = [None if m.decisions is None else getattr(m.decisions, attribute) for m in found]
        lines.add(name, shares, _percent)
    return lines.lines


class _Lines:
    """Lines under construction."""

    def __init__(self, found: Sequence[Measures], interval: bool, intervals: bool) -> None:
        self.lines: list[list[str]] = []
        self._found = found
        self._interval = interval
        self._intervals = intervals

    def estimates(
        self, name: str, turn: Callable[[float], float] = lambda value: value
    ) -> list[Estimate | None]:
        """Give a measure of each model, turned into what is shown, with its interval if known."""
        return [_estimate(measures, name, turn) for measures in self._found]

    def add_in_units(
        self, name: str, values: Sequence[Estimate | None], scale: float | None = None
    ) -> None:
        """Add a line of numbers that have the unit of the outcome or of the loss."""
        known = [value.value for value in values if value is not None]
        self.add(name, values, _writer(known, max(known, default=0.0) if scale is None else scale))

    def add(
        self, name: str, values: Sequence[Estimate | None], write: Callable[[float], str]
    ) -> None:
        """Add a line, if any model has the measure, with the intervals that are wanted."""
        if all(value is None for value in values):
            return
        cells = [UNKNOWN if value is None else self._cell(value, write) for value in values]
        between = [format_interval(values[0], write)] if self._interval else []
        self.lines.append([name, cells[0], *between, *cells[1:]])

    def _cell(self, value: Estimate, write: Callable[[float], str]) -> str:
        interval = format_interval(value, write) if self._intervals else ""
        return write(value.value) + (f" ({interval})" if interval else "")


def _estimate(measures: Measures, name: str, turn: Callable[[float], float]) -> Estimate | None:
    found = measures.estimate(name)
    if found is None:
        return None
    low, high = sorted((turn(found.low), turn(found.high)))
    return Estimate(turn(found.value), low, high)


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
    write = _writer(known, max(known, default=0.0))
    return [UNKNOWN if value is None else write(value) for value in values]


def _writer(values: Sequence[float], scale: float) -> Callable[[float], str]:
    """How to write numbers of one column that have a unit, as small as they are."""
    small = max(LEAST, SHARE * scale) < max(values, default=0.0) < SMALL
    return _significant if small else _decimals


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
