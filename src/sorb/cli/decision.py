"""The options that choose the probability above which a row counts as positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

__all__ = ["CostsOption", "CutoffOption", "Decision"]

CutoffOption = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        help="For two classes: the probability above which a row counts as positive in the "
        "measures. By default the share of the positive class in the training rows or, for a "
        "saved model, in TABLE.",
    ),
]
CostsOption = Annotated[
    str | None,
    typer.Option(
        metavar="MISSED:FALSE",
        help="Instead of --cutoff: what a missed positive row and what a false alarm cost, such "
        "as 10:1.",
    ),
]


@dataclass(frozen=True, slots=True)
class Decision:
    """How the cut-off is chosen: by hand, by costs, or else by the share of positive rows."""

    cutoff: float | None = None
    costs: tuple[float, float] | None = None

    @classmethod
    def of(cls, cutoff: float | None, costs: str | None) -> Decision:
        """Check the options.

        Examples
        --------
        >>> Decision.of(None, "10:1").costs
        (10.0, 1.0)
        """
        if cutoff is not None and costs is not None:
            raise typer.BadParameter("--costs decide the cut-off, so leave out --cutoff")
        if cutoff is not None and not 0 < cutoff < 1:
            raise typer.BadParameter(f"--cutoff must be between 0 and 1, found {cutoff:g}")
        return cls(cutoff, None if costs is None else _read_costs(costs))

    @property
    def value(self) -> float | None:
        """The probability that was chosen, by hand or by costs."""
        from sorb.measures.cutoff import Cutoff

        return Cutoff.by_costs(*self.costs, "").value if self.costs else self.cutoff

    def check(self, target: str, n_classes: int) -> None:
        """Refuse a cut-off where there are not two classes; there are none of numbers."""
        if n_classes == 2 or self == Decision():
            return
        option = "--cutoff" if self.costs is None else "--costs"
        found = f"holds {n_classes} classes" if n_classes else "is a number"
        raise typer.BadParameter(f"{option} is for two classes, but {target} {found}")


def _read_costs(text: str) -> tuple[float, float]:
    try:
        missed, false_alarm = map(float, text.split(":"))
        valid = 0 < missed < float("inf") and 0 < false_alarm < float("inf")
    except ValueError:
        valid = False
    if not valid:
        raise typer.BadParameter(
            "--costs needs two positive numbers, of a missed positive row and of a false alarm, "
            f"such as 10:1, found {text}"
        )
    return missed, false_alarm
