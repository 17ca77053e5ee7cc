"""The losses that the command line offers for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from sorb.cli.task import Task

if TYPE_CHECKING:
    from sorb.losses import Loss

__all__ = ["check_loss", "choose_loss", "loss_parameters"]


def check_loss(name: str | None) -> str | None:
    """Refuse what is no loss for numbers."""
    if name is not None:
        from sorb.losses import LOSSES

        known = [other for other, kind in LOSSES.items() if not kind().has_classes]
        if name not in known:
            raise typer.BadParameter(f"must be one of {', '.join(known)}, found {name}")
    return name


def loss_parameters(options: Mapping[str, Any]) -> dict[str, float]:
    """Find the options that are parameters of a loss."""
    from sorb.losses import PARAMETERS

    return {name: options[name] for name in PARAMETERS if options[name] is not None}


def choose_loss(task: Task | None, name: str | None, parameters: Mapping[str, float]) -> Loss:
    """Make the loss of numbers; classes have their own."""
    from sorb.losses import loss_by_name

    if name and task is Task.classification:
        raise typer.BadParameter("--loss is for numbers; classes have their own loss")
    try:
        return loss_by_name(name or "squared", **parameters)
    except ValueError as error:
        raise typer.BadParameter(f"--{error}") from None
