"""A figure with a title and a caption, and how it is saved."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sorb._extras import install_command
from sorb.rules.atomic_files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Format = Literal["png", "svg", "pdf"]
FORMATS: Sequence[Format] = ("png", "svg", "pdf")
DPI = 200

# Without dates and random identifiers, the same results give the same files.
METADATA: dict[Format, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "sorb", "pdf.fonttype": 42, "font.size": 9}


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A figure with a title and a caption.

    Attributes
    ----------
    name : str
        Its name in `FIGURES`, and that of its files.
    title, caption : str
        What it shows; how to read it and what it is based on.
    figure : matplotlib.figure.Figure
        The figure.
    """

    name: str
    title: str
    caption: str
    figure: Figure

    def content(self, format: Format) -> bytes:  # noqa: A002
        """Return the content of a file of this format."""
        buffer = io.BytesIO()
        with settings():
            self.figure.savefig(buffer, format=format, dpi=DPI, metadata=METADATA[format])
        return buffer.getvalue()

    def save(self, folder: Path) -> list[Path]:
        """Write a file of each format into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{self.name}.{suffix}" for suffix in FORMATS]
        for path, suffix in zip(paths, FORMATS, strict=True):
            replace_file(path, self.content(suffix))
        return paths


def settings() -> AbstractContextManager[None]:
    """Set matplotlib up for our figures."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError(f"figures need matplotlib: {install_command('lab')}") from None
    context: AbstractContextManager[None] = matplotlib.rc_context(SETTINGS)
    return context


def new_figure(width: float, height: float) -> Figure:
    """Create a figure of this size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
