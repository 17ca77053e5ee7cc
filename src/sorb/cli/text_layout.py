"""Small plots and tables made of characters, for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sorb.rules.notation import number

__all__ = ["BOTH", "Points", "plot_points"]

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 60, 10
NARROWEST = 20
BOTH = "◉"


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to positions on an axis of `length` characters."""

    low: float
    high: float
    length: int

    @classmethod
    def of(cls, values: Iterable[float], length: int) -> _Scale:
        known = [float(value) for value in values]
        return cls(min(known), max(known), length)

    @property
    def ends(self) -> tuple[str, str]:
        """The labels of its ends."""
        return number(self.low, 3), number(self.high, 3)

    @property
    def margin(self) -> int:
        """The room that these labels need beside it."""
        return max(map(len, self.ends))

    def position(self, value: float) -> int:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        return round(share * (self.length - 1))


def plot_points(series: Sequence[tuple[str, Points]], x_label: str, columns: int = 80) -> str:
    """Draw points, each series with its own symbol; ◉ is where several coincide.

    Parameters
    ----------
    series : sequence of (str, points)
        The symbol of each series, and its points.
    x_label : str
        The label of the x axis.
    columns : int, default=80
        The width of the terminal.

    Examples
    --------
    >>> print(plot_points([("●", [(0, 0.7), (3, 0.4), (6, 0.35)])], "complexity"))
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
    for symbol, drawn in series:
        places = {(HEIGHT - 1 - upwards.position(y), across.position(x)) for x, y in drawn}
        _draw(canvas, symbol, places)
    return _add_frame(["".join(row) for row in canvas], across, upwards, x_label)


def _draw(canvas: list[list[str]], symbol: str, places: Iterable[tuple[int, int]]) -> None:
    for row, column in places:
        canvas[row][column] = symbol if canvas[row][column] == " " else BOTH


def _add_frame(rows: Sequence[str], across: _Scale, upwards: _Scale, x_label: str) -> str:
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
