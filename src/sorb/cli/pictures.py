"""Pictures in files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["save_picture"]

RESOLUTION = 150


def save_picture(draw: Callable[[], Any], out: Path) -> None:
    """Draw without any window, and save the figure in the format that the file is called by."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise ImportError('plots are drawn by matplotlib: pip install "sorb[plot]"') from None
    mpl.use("agg")
    from matplotlib import pyplot

    axes = draw()
    figure = (axes[0] if hasattr(axes, "__len__") else axes).figure
    try:
        figure.savefig(out, dpi=RESOLUTION)
    finally:
        pyplot.close(figure)
