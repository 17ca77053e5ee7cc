"""The text of model files."""

from __future__ import annotations

import os

from sorb.rules.atomic_files import errors_name
from sorb.rules.model_format import LARGEST_FILE, ModelFormatError, check_size

__all__ = ["read_text"]


def read_text(path: str | os.PathLike[str]) -> str:
    """Read the text of a file, which must be UTF-8 and no larger than a model file may be."""
    with errors_name(path), open(path, "rb") as file:
        content = file.read(LARGEST_FILE + 1)
    check_size(len(content))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"byte {error.start}", "not UTF-8 text") from error
