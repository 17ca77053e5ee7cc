"""A picture: a figure with words, and how it is kept in files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

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
    """A figure with words.

    Attributes
    ----------
    name : str
        The name in `FIGURES`, and of its files.
    title, caption : str
        What it shows; how to read it and what it rests on.
    figure : matplotlib.figure.Figure
        The figure.
    """

    name: str
    title: str
    caption: str
    figure: Figure

    def content(self, format: Format) -> bytes:  # noqa: A002
        """Give what a file of this format holds."""
        buffer = io.BytesIO()
        with settings():
            self.figure.savefig(buffer, format=format, dpi=DPI, metadata=METADATA[format])
        return buffer.getvalue()

    def save(self, folder: Path) -> list[Path]:
        """Write a file of each format into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{self.name}.{suffix}" for suffix in FORMATS]
        for path, suffix in zip(paths, FORMATS, strict=True):
            path.write_bytes(self.content(suffix))
        return paths


def settings() -> AbstractContextManager[None]:
    """Let matplotlib draw as our pictures do."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError('pictures are drawn by matplotlib: pip install "sorb[lab]"') from None
    context: AbstractContextManager[None] = matplotlib.rc_context(SETTINGS)
    return context


def new_figure(width: float, height: float) -> Figure:
    """Begin a figure of this size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
