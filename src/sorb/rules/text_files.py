"""The text of model files."""

from __future__ import annotations

import os

from sorb.rules.atomic_files import errors_name
from sorb.rules.model_format import LARGEST_FILE, ModelFormatError, check_size

__all__ = ["read_text"]


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a file of UTF-8, with or without the mark that some editors set before it.

    It must be no larger than a model file may be.
    """
    with errors_name(path), open(path, "rb") as file:
        content = file.read(LARGEST_FILE + 1)
    check_size(len(content))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"byte {error.start}", "not UTF-8 text") from error
