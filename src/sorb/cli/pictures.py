"""Pictures in files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sorb.cli.arguments import require_folder

__all__ = ["require_picture", "save_picture"]

RESOLUTION = 150


def require_picture(out: Path) -> None:
    """Raise an error before any work is done, if a picture could not be written."""
    require_folder(out)
    _use_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(FigureCanvasBase.get_supported_filetypes())
    suffix = out.suffix.lower().removeprefix(".")
    if suffix and suffix not in known:
        raise ValueError(f"{out}: pictures are called .{', .'.join(known)}, not .{suffix}")


def _use_matplotlib() -> None:
    try:
        import matplotlib as mpl
    except ImportError:
        raise ImportError('plots are drawn by matplotlib: pip install "sorb[plot]"') from None
    mpl.use("agg")


def save_picture(draw: Callable[[], Any], out: Path) -> None:
    """Draw without any window, and save the figure in the format that the file is called by."""
    _use_matplotlib()
    from matplotlib import pyplot

    axes = draw()
    figure = (axes[0] if hasattr(axes, "__len__") else axes).figure
    try:
        figure.savefig(out, dpi=RESOLUTION)
    finally:
        pyplot.close(figure)
