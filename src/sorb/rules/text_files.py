"""Text files, read as UTF-8 and replaced in one step."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from sorb.rules.model_format import ModelFormatError

__all__ = ["read_text", "replace_file"]


def read_text(path: str | os.PathLike[str]) -> str:
    """Read the text of a file, which must be UTF-8."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"byte {error.start}", "not UTF-8 text") from error


def replace_file(path: str | os.PathLike[str], text: str) -> None:
    """Replace a file in one step, so that nobody ever sees half of it.

    The new file keeps the permissions of the old one.
    """
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} for {target.name}")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".sorb-") as folder:
        new_file = Path(folder, target.name)
        new_file.write_bytes(text.encode("utf-8"))
        if target.exists():
            shutil.copymode(target, new_file)
        os.replace(new_file, target)
