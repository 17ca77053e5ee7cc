"""The losses that the command line offers for numbers."""

from __future__ import annotations

import typer

__all__ = ["check_loss"]


def check_loss(name: str | None) -> str | None:
    """Refuse what is no loss for numbers."""
    if name is not None:
        from sorb.losses import LOSSES

        known = [other for other, kind in LOSSES.items() if not kind().has_classes]
        if name not in known:
            raise typer.BadParameter(f"must be one of {', '.join(known)}, found {name}")
    return name
