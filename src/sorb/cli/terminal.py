"""What is shown in a terminal: small plots and tables, made of letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sorb.rules.notation import number

__all__ = ["TOGETHER", "Points", "aligned", "plot"]

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 60, 10
NARROWEST = 20
TOGETHER = "◉"


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to places on an axis of so many letters."""

    low: float
    high: float
    length: int

    @classmethod
    def of(cls, values: Iterable[float], length: int) -> _Scale:
        known = [float(value) for value in values]
        return cls(min(known), max(known), length)

    @property
    def ends(self) -> tuple[str, str]:
        """What is written at its ends."""
        return number(self.low, 3), number(self.high, 3)

    @property
    def margin(self) -> int:
        """How much room these need beside it."""
        return max(map(len, self.ends))

    def place(self, value: float) -> int:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        return round(share * (self.length - 1))


def plot(series: Sequence[tuple[str, Points]], x_label: str, columns: int = 80) -> str:
    """Draw points, each series with its own sign; ◉ is where several fall together.

    Parameters
    ----------
    series : sequence of (str, points)
        The points of each series, and its sign.
    x_label : str
        What is written below.
    columns : int, default=80
        How many letters the terminal has in a line.

    Examples
    --------
    >>> print(plot([("●", [(0, 0.7), (3, 0.4), (6, 0.35)])], "complexity"))
     0.7 ┤●
         │
         │
         │
         │
         │
         │
         │
         │                              ●
    0.35 ┤                                                           ●
         └────────────────────────────────────────────────────────────
          0                        complexity                        6
    """
    points = [point for _, drawn in series for point in drawn]
    upwards = _Scale.of((y for _, y in points), HEIGHT)
    room = columns - upwards.margin - len(" ┤")
    across = _Scale.of((x for x, _ in points), max(NARROWEST, min(WIDTH, room)))
    canvas = [[" "] * across.length for _ in range(HEIGHT)]
    for sign, drawn in series:
        for row, column in {(HEIGHT - 1 - upwards.place(y), across.place(x)) for x, y in drawn}:
            canvas[row][column] = sign if canvas[row][column] == " " else TOGETHER
    return _framed(["".join(row) for row in canvas], across, upwards, x_label)


def _framed(rows: Sequence[str], across: _Scale, upwards: _Scale, x_label: str) -> str:
    (bottom, top), (left, right), margin = upwards.ends, across.ends, upwards.margin
    marks = {0: top, HEIGHT - 1: bottom}
    lines = [
        f"{marks.get(k, '').rjust(margin)} {'┤' if k in marks else '│'}{row}".rstrip()
        for k, row in enumerate(rows)
    ]
    between = x_label.center(across.length - len(left) - len(right))
    lines.append(f"{'':{margin}} └{'─' * across.length}")
    lines.append(f"{'':{margin}}  {left}{between}{right}")
    return "\n".join(lines)


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Write cells under each other, the first of each line to the left and the others to the right.

    Examples
    --------
    >>> print(aligned([["", "old", "new"], ["risk", "0.35", "0.4"]]))
           old  new
    risk  0.35  0.4
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
