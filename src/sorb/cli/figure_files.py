"""Figures in files."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sorb.cli.arguments import require_folder
from sorb.rules.atomic_files import replace_file

__all__ = ["require_figure_file", "save_figure"]

RESOLUTION = 150


def require_figure_file(out: Path) -> None:
    """Refuse a file to which no figure could be written, before any work is done."""
    require_folder(out)
    _use_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(FigureCanvasBase.get_supported_filetypes())
    suffix = out.suffix.lower().removeprefix(".")
    if suffix and suffix not in known:
        raise ValueError(f"{out}: a figure must be one of .{', .'.join(known)}, not .{suffix}")


def _use_matplotlib() -> None:
    try:
        import matplotlib as mpl
    except ImportError:
        raise ImportError('figures are drawn by matplotlib: pip install "sorb[plot]"') from None
    mpl.use("agg")


def save_figure(draw: Callable[[], Any], out: Path) -> None:
    """Draw without a window, and save the figure in the format of the file name."""
    _use_matplotlib()
    from matplotlib import pyplot

    axes = draw()
    figure = (axes[0] if hasattr(axes, "__len__") else axes).figure
    kind = out.suffix[1:].lower() or figure.canvas.get_default_filetype()
    is_device = out.exists() and not out.is_file()
    path = out if out.suffix or is_device else out.with_name(f"{out.name}.{kind}")
    content = io.BytesIO()
    try:
        figure.savefig(content, format=kind, dpi=RESOLUTION)
    except RuntimeError as error:  # .pgf needs LaTeX
        raise ValueError(f"{path} cannot be drawn: {error}") from error
    finally:
        pyplot.close(figure)
    replace_file(path, content.getvalue())
