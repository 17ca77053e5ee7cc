"""Text files in UTF-8."""

from __future__ import annotations

import os
from pathlib import Path

from sorb.rules.model_format import ModelFormatError

__all__ = ["read_text"]


def read_text(path: str | os.PathLike[str]) -> str:
    """Read the text of a file, which must be UTF-8."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"byte {error.start}", "not UTF-8 text") from error
