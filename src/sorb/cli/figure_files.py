"""Figures in files."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sorb._extras import install_command
from sorb.cli.output_file import check_output
from sorb.cli.printing import print_message
from sorb.rules.atomic_files import replace_file

__all__ = ["require_figure_file", "save_figure", "tell_warnings"]

RESOLUTION = 150
MOST_CHARACTERS = 10
_MISSING = re.compile(r"Glyph (\d+) .* missing")


@contextmanager
def tell_warnings() -> Iterator[None]:
    """Print the warnings of drawing in a line each, and what the font lacks in one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield
    texts = dict.fromkeys(str(warning.message) for warning in caught)
    found = {text: _MISSING.match(text) for text in texts}
    missing = [chr(int(match[1])) for match in found.values() if match]
    if missing:
        rest = len(missing) - MOST_CHARACTERS
        more = f" and {rest} more" if rest > 0 else ""
        print_message(
            f"the font has no {' '.join(missing[:MOST_CHARACTERS])}{more}: to see these characters "
            "in the figure, name another font as font.family in a file matplotlibrc"
        )
    for text in (text for text, match in found.items() if not match):
        print_message(text)


def require_figure_file(out: Path) -> None:
    """Refuse a file to which no figure could be written, before any work is done."""
    check_output(out)
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
        raise ImportError(f"figures are drawn by matplotlib: {install_command('plot')}") from None
    mpl.use("agg")


def save_figure(draw: Callable[[], Any], out: Path) -> None:
    """Draw without a window, and save the figure in the format of the file name."""
    _use_matplotlib()
    with tell_warnings():
        _save(draw, out)


def _save(draw: Callable[[], Any], out: Path) -> None:
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
