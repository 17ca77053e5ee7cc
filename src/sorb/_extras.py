"""How to install the optional parts, in words that work where the user is."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["install_command"]


def install_command(extra: str) -> str:
    """Write the command that installs an optional part of this package.

    Examples
    --------
    >>> install_command("plot").startswith("pip install ")
    True
    """
    package = Path(__file__).resolve().parent
    clone = package.parents[1]
    if package == clone / "src" / "sorb" and (clone / "pyproject.toml").is_file():
        return f'pip install -e "{_shown(clone)}[{extra}]"'
    source = _source()
    if source is not None and (source / "pyproject.toml").is_file():
        return f'pip install "{_shown(source)}[{extra}]"'
    return f'pip install "sorb[{extra}]"'


def _shown(folder: Path) -> str:
    return "." if folder == Path.cwd() else str(folder)


def _source() -> Path | None:
    """Find the folder that the package was installed from, if it was one."""
    try:
        recorded = distribution("sorb").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    url = urlsplit(json.loads(recorded or "{}").get("url", ""))
    return Path(unquote(url.path)) if url.scheme == "file" else None
